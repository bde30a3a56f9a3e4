//! Grammars that come from the cache answer as those that were just compiled, and
//! nothing that happens to a store changes an answer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use lacuna_engine::cache::{CacheKey, EntryError, Origin, Store, StoreError};
use lacuna_engine::{Answer, Dialect, Fault, GrammarCache, GrammarSession, GrammarSource, Purpose};
use lacuna_lexer::Vocabulary;
use serde_json::Value;

/// A store that tests can look into, and break.
#[derive(Clone, Default)]
struct Shelf {
    entries: Arc<Mutex<HashMap<CacheKey, Vec<u8>>>>,
    broken: Arc<AtomicBool>,
}

impl Shelf {
    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<CacheKey, Vec<u8>>> {
        self.entries.lock().expect("no test panicked with it")
    }

    fn works(&self) -> Result<(), StoreError> {
        match self.broken.load(Ordering::Relaxed) {
            true => Err(StoreError("the shelf broke".to_owned())),
            false => Ok(()),
        }
    }
}

impl Store for Shelf {
    fn get(&self, key: &CacheKey) -> Result<Option<Vec<u8>>, StoreError> {
        self.works()?;
        Ok(self.entries().get(key).cloned())
    }

    fn put(&self, key: &CacheKey, entry: Vec<u8>, _: Option<f64>) -> Result<(), StoreError> {
        self.works()?;
        self.entries().insert(*key, entry);
        Ok(())
    }
}

fn cache(shelf: &Shelf) -> GrammarCache {
    GrammarCache::default().with_store(shelf.clone())
}

fn gbnf(text: &str) -> GrammarSource {
    GrammarSource::new(Dialect::Gbnf, text)
}

const BRACKETS: &str = "root ::= \"[\" root \"]\" root | \"\"";

fn judge(cache: &GrammarCache, source: &GrammarSource) -> Origin {
    let found = cache.compile(source, Purpose::Judging, None, false);
    found.expect("a grammar").origin
}

#[test]
fn a_grammar_is_compiled_once() {
    let shelf = Shelf::default();
    let first = cache(&shelf);
    assert_eq!(judge(&first, &gbnf(BRACKETS)), Origin::Compiled);
    assert_eq!(judge(&first, &gbnf(BRACKETS)), Origin::Memory);
    let second = cache(&shelf);
    assert_eq!(judge(&second, &gbnf(BRACKETS)), Origin::Storage);
    assert_eq!(judge(&second, &gbnf(BRACKETS)), Origin::Memory);
    let statistics = second.statistics();
    let counts = (statistics.memory_hits, statistics.storage_hits);
    assert_eq!((counts, statistics.misses), ((1, 1), 0));
}

#[test]
fn what_is_stale_or_damaged_is_rebuilt_and_written_again() {
    let shelf = Shelf::default();
    judge(&cache(&shelf), &gbnf(BRACKETS));
    let (key, good) = {
        let entries = shelf.entries();
        let (key, entry) = entries.iter().next().expect("an entry");
        (*key, entry.clone())
    };
    let mut damaged = good.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    // The build that wrote an entry is told behind its first eight bytes.
    let mut stale = good.clone();
    stale[8] = if stale[8] == b'0' { b'1' } else { b'0' };
    let broken = [
        (Vec::new(), EntryError::Foreign),
        (b"<html>not found</html>".to_vec(), EntryError::Foreign),
        (good[..good.len() / 2].to_vec(), EntryError::Damaged),
        (damaged, EntryError::Damaged),
        (stale, EntryError::Stale),
    ];
    for (entry, expected) in broken {
        shelf.entries().insert(key, entry);
        let cache = cache(&shelf);
        assert_eq!(judge(&cache, &gbnf(BRACKETS)), Origin::Rebuilt(expected));
        assert_eq!(cache.statistics().rebuilds, 1);
        assert_eq!(shelf.entries()[&key], good, "{expected}");
    }
}

#[test]
fn a_store_that_fails_fails_no_request() {
    let shelf = Shelf::default();
    shelf.broken.store(true, Ordering::Relaxed);
    let cache = cache(&shelf);
    assert_eq!(judge(&cache, &gbnf(BRACKETS)), Origin::Compiled);
    assert_eq!(judge(&cache, &gbnf(BRACKETS)), Origin::Memory);
    assert_eq!(cache.statistics().storage_failures, 2);
}

#[test]
fn wrong_grammars_are_told_and_not_kept() {
    let shelf = Shelf::default();
    let cache = cache(&shelf);
    for _ in 0..2 {
        let found = cache.compile(&gbnf("root ::= nothing"), Purpose::Judging, None, false);
        let fault: Fault = found.expect_err("an unknown rule");
        assert_eq!(fault.kind, "grammar");
    }
    assert!(shelf.entries().is_empty() && cache.statistics().entries == 0);
}

#[test]
fn the_memory_has_a_bound() {
    let cache = GrammarCache::new(40_000);
    for length in 1..60 {
        judge(
            &cache,
            &gbnf(&format!("root ::= \"a\"{{{length}}} root | \"b\"")),
        );
        assert!(cache.statistics().bytes <= 40_000);
    }
    let statistics = cache.statistics();
    assert!(
        statistics.evictions > 0 && statistics.entries > 1,
        "{statistics:?}"
    );
    let last = gbnf("root ::= \"a\"{59} root | \"b\"");
    assert_eq!(judge(&cache, &last), Origin::Memory);
}

#[test]
fn warnings_are_the_same_from_wherever() {
    let source = gbnf("root ::= \"(\" root \")\" | \"a\"\nleft ::= \"b\"");
    let shelf = Shelf::default();
    let lint = |cache: &GrammarCache| {
        let found = cache.compile(&source, Purpose::Judging, None, true);
        found.expect("a grammar")
    };
    let expected = source.findings(&source.lint(Purpose::Judging).expect("a grammar"));
    assert!(expected.len() > 1);
    // Not linted, this does not answer who wants lints.
    judge(&cache(&shelf), &source);
    let first = cache(&shelf);
    for (cache, origin) in [
        (&first, Origin::Compiled),
        (&first, Origin::Memory),
        (&cache(&shelf), Origin::Storage),
    ] {
        let found = lint(cache);
        assert_eq!(found.origin, origin);
        let lints = found.grammar.lints();
        assert_eq!((&lints.warnings, lints.shortest), (&expected, Some(1)));
    }
    assert_eq!(judge(&cache(&shelf), &source), Origin::Storage);
}

#[test]
fn texts_matter_where_they_are_asked_for() {
    let with = |schema: &str, text: &str| {
        let mut source = gbnf(schema);
        source.dialect = Dialect::JsonSchema;
        source.texts = [("request".to_owned(), text.to_owned())].into();
        source
    };
    let cache = GrammarCache::default();
    let key = |schema, text| cache.key(&with(schema, text), Purpose::Writing, None);
    let plain = r#"{"type": "string"}"#;
    assert_eq!(key(plain, "one"), key(plain, "two"));
    for asking in [
        r#"{"type": "string", "x-spanOf": "request"}"#,
        r#"{"type": "string", "x-spanOf": "r\u0065quest"}"#,
    ] {
        assert_ne!(key(asking, "one"), key(asking, "two"));
        for text in ["one", "two"] {
            let source = with(asking, text);
            let found = cache.compile(&source, Purpose::Writing, None, false);
            let found = found.expect("a grammar");
            let mut session = found.grammar.session(None);
            for word in ["one", "two"] {
                let whole = [Some(format!("\"{word}\"").into_bytes())];
                let answer = session.check(&whole, None).expect("an answer");
                assert_eq!(answer.completable, word == text, "{asking}");
            }
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

/// The bytes one by one, and some longer tokens.
fn vocabulary() -> Arc<Vocabulary> {
    let words = [
        "    ", "int ", "{\"", "\": ", "\",", "()", ");", "SELECT ", "</", "CC", "12",
    ];
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let words = bytes.chain(words.map(|word| word.as_bytes().to_vec()));
    let tokens = [None, None].into_iter().chain(words.map(Some)).collect();
    Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
}

/// Segments, and the cells of each gap.
type Question = (Vec<Option<Vec<u8>>>, Vec<usize>);

/// Members of a grammar and others with pieces cut out, so that answers are of
/// either kind.
fn questions(stem: &str) -> Vec<Question> {
    let mut questions = Vec::new();
    for file in ["members.jsonl", "others.jsonl"] {
        let lines = std::fs::read_to_string(folder().join(stem).join(file)).expect("texts");
        for line in lines.lines().take(4) {
            let line: Value = serde_json::from_str(line).expect("a line");
            let text = line["text"].as_str().expect("a text").as_bytes();
            let text = &text[..text.len().min(60)];
            let (from, to) = (text.len() / 3, text.len() / 2);
            let piece = |bytes: &[u8]| Some(bytes.to_vec());
            questions.push((vec![piece(text)], vec![]));
            questions.push((vec![piece(&text[..from]), None], vec![4]));
            let cut = vec![piece(&text[..from]), None, piece(&text[to..])];
            questions.push((cut, vec![(to - from).min(3)]));
        }
    }
    questions
}

fn answers(session: &mut GrammarSession, stem: &str, counts: bool) -> Vec<Result<Answer, Fault>> {
    let questions = questions(stem);
    let asked = questions
        .iter()
        .map(|(segments, gaps)| session.check(segments, counts.then_some(gaps.as_slice())));
    asked.collect()
}

/// Oracle: a session made from the source, as if there were no cache.
#[test]
fn every_shipped_grammar_answers_the_same_from_an_entry() {
    let vocabulary = vocabulary();
    let mut yes_and_no = [0; 2];
    let entries = std::fs::read_dir(folder()).expect("the folder of grammars");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if !path.is_file() {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy();
        let stem = name.split('.').next().expect("a stem");
        let mut source = gbnf(&std::fs::read_to_string(&path).expect("a grammar"));
        source.dialect = Dialect::of_file(&name).expect("a known ending");
        source.texts = [("request".to_owned(), "two tickets to Rome".to_owned())].into();
        // Judging this schema has tens of thousands of rules, writing has few.
        let purpose = match stem {
            "snips" => Purpose::Writing,
            _ => Purpose::Judging,
        };
        for counts in [false, true] {
            let vocabulary = counts.then_some(&vocabulary);
            let shelf = Shelf::default();
            for origin in [Origin::Compiled, Origin::Storage] {
                let cache = cache(&shelf);
                let found = cache.compile(&source, purpose, vocabulary, false);
                let found = found.expect(&name);
                assert_eq!(found.origin, origin, "{name}");
                if origin == Origin::Compiled {
                    continue;
                }
                let tokens = vocabulary.map(|vocabulary| vocabulary.as_ref() as _);
                let grammar = source.compile_with(purpose, tokens).expect(&name);
                let fresh = GrammarSession::new(&grammar, vocabulary.cloned());
                let expected = answers(&mut fresh.expect(&name), stem, counts);
                let mut session = found.grammar.session(vocabulary.cloned());
                assert_eq!(answers(&mut session, stem, counts), expected, "{name}");
                for answer in expected.iter().flatten() {
                    yes_and_no[usize::from(answer.completable)] += 1;
                }
                let key = cache.key(&source, purpose, vocabulary);
                let entry = found.grammar.to_entry(&key);
                assert_eq!(entry.as_ref(), shelf.entries().get(&key), "{name}");
            }
        }
    }
    assert!(
        yes_and_no.iter().all(|&count| count > 200),
        "{yes_and_no:?}"
    );
}

#[test]
fn threads_share_a_cache() {
    let cache = GrammarCache::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for length in 1..20 {
                    let text = format!("root ::= \"a\"{{{length}}} root | \"b\"");
                    let source = gbnf(&text);
                    let found = cache.compile(&source, Purpose::Judging, None, false);
                    let mut session = found.expect("a grammar").grammar.session(None);
                    let member = format!("{}b", "a".repeat(length));
                    let whole = [Some(member.into_bytes())];
                    assert!(session.check(&whole, None).expect("an answer").completable);
                }
            });
        }
    });
    let statistics = cache.statistics();
    assert_eq!(statistics.memory_hits + statistics.misses, 4 * 19);
    assert_eq!(statistics.entries, 19);
}

/// Spans of a long request, and words of a long list, make an automaton larger, and no slower: a
/// schema that is regular stays so.
#[test]
fn a_long_request_leaves_a_schema_regular() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = std::fs::read_to_string(root.join("grammars/snips.schema.json")).expect("a file");
    let bytes = (0..=u8::MAX).map(|byte| Some(vec![byte]));
    let tokens = [None, None].into_iter().chain(bytes).collect();
    let vocabulary = Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"));
    let cache = GrammarCache::default();
    for request in ["play jazz".to_owned(), "a".repeat(300), "ab".repeat(700)] {
        let mut source = GrammarSource::new(Dialect::JsonSchema, &schema);
        source.texts = vec![("request".to_owned(), request.clone())];
        let found = cache.compile(&source, Purpose::Writing, Some(&vocabulary), false);
        let statistics = found.expect("a grammar").grammar.statistics();
        assert!(
            statistics.expect("sizes").regular,
            "{} bytes",
            request.len()
        );
    }
}
