//! The grammars that ship, on their texts with spans cut out and bytes changed. The
//! references, lexing exactly, and the checker agree; lexing as described, maximal
//! munch never costs a text that can be completed.

use std::time::{Duration, Instant};

use lacuna_checker::{Checker, CheckerLimits, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::automaton::Limits;
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::{Grammar, Slots, gbnf, lark, regex};
use lacuna_published::{Answer, Epic, EpicParts, LexicalMap, Mundler};

const GRAMMARS: [&str; 13] = [
    "arithmetic.gbnf",
    "bython.lark",
    "chess.gbnf",
    "contact.schema.json",
    "cpp.lark",
    "css.lark",
    "csv.gbnf",
    "iso8601.regex",
    "json.gbnf",
    "json.lark",
    "sql.lark",
    "tool-call.schema.json",
    "xml.lark",
];

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

fn read(name: &str) -> Grammar {
    let text = std::fs::read_to_string(folder().join(name)).expect(name);
    match name.rsplit_once('.').expect("an ending").1 {
        "gbnf" => gbnf::parse(&text).expect(name),
        "regex" => regex::parse(&text).expect(name),
        "json" => {
            let mut options = SchemaOptions::membership();
            let request = "Ann Lee, 34, ann@lee.org, speaks English and Finnish".to_owned();
            options.texts.push(("request".to_owned(), request));
            json_schema::compile(&text, &options).expect(name)
        }
        _ => {
            let open = lark::open(&text, &lark::Options::default()).expect(name);
            open.fill(&Slots::default()).expect(name).grammar
        }
    }
}

/// The texts of a file beside the grammar, short ones first.
fn texts(name: &str, file: &str) -> Vec<String> {
    let stem = name.split_once('.').expect("an ending").0;
    let lines = std::fs::read_to_string(folder().join(stem).join(file)).expect(name);
    let text = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect(name);
        line["text"].as_str().map(str::to_owned)
    };
    let mut texts: Vec<String> = lines.lines().filter_map(text).collect();
    texts.sort_by_key(String::len);
    texts.truncate(40);
    texts.retain(|text| text.len() < 120);
    texts
}

/// The text with one to three spans cut out.
fn cut(text: &str, random: &mut fastrand::Rng) -> Pattern {
    let mut places: Vec<usize> = (0..2 * random.usize(1..=3))
        .map(|_| random.usize(..=text.len()))
        .collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    let pieces = places
        .windows(2)
        .enumerate()
        .map(|(index, ends)| match index % 2 {
            0 => Segment::Text(text.as_bytes()[ends[0]..ends[1]].to_vec()),
            _ => Segment::Gap(Gap::Any),
        });
    Pattern::with_open_tail(pieces)
}

/// The text with a byte put in the place of another, in ASCII.
fn disturbed(text: &str, random: &mut fastrand::Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if let Some(byte) = random.choice(&mut bytes)
        && byte.is_ascii()
    {
        *byte = random.u8(b' '..=b'~');
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn time(limit: Duration) -> impl Fn() -> bool {
    let end = Instant::now() + limit;
    move || Instant::now() > end
}

fn decided(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Completable(_) => Some(true),
        Answer::Impossible => Some(false),
        Answer::Stopped(_) => None,
    }
}

fn rounds() -> usize {
    match std::env::var("LACUNA_PUBLISHED_TEXTS") {
        Ok(rounds) => rounds.parse().expect("LACUNA_PUBLISHED_TEXTS is a number"),
        Err(_) => 5,
    }
}

#[test]
fn exact_references_and_checker_agree() {
    let limits = Limits::default();
    let (mut all, mut undecided) = (0, 0);
    for name in GRAMMARS {
        let grammar = read(name);
        let mut random = fastrand::Rng::with_seed(1);
        let map = LexicalMap::Exact;
        let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect(name);
        let mut mundler = Mundler::new(&grammar, map, &limits).expect(name);
        let mut epic = Epic::new(&grammar, map, EpicParts::default(), &limits).expect(name);
        let texts = [texts(name, "members.jsonl"), texts(name, "others.jsonl")].concat();
        let started = Instant::now();
        let (mut yes, mut no) = (0, 0);
        for _ in 0..rounds() {
            let text = random.choice(&texts).expect(name);
            let text = match random.bool() {
                true => disturbed(text, &mut random),
                false => text.clone(),
            };
            let pattern = cut(&text, &mut random);
            let context = format!("{name}: {pattern:?}");
            let checked = match checker.check(&pattern).0 {
                Verdict::Completable(_) => true,
                Verdict::Impossible => false,
                Verdict::Exhausted { .. } => panic!("{context}: out of budget"),
            };
            let limit = Duration::from_secs(5);
            let answers = [
                decided(&mundler.check(&pattern, &time(limit))),
                decided(&epic.check(&pattern, &time(limit))),
            ];
            for answer in answers {
                all += 1;
                match answer {
                    Some(answer) => assert_eq!(answer, checked, "{context}: reference, checker"),
                    None => undecided += 1,
                }
            }
            *(if checked { &mut yes } else { &mut no }) += 1;
        }
        println!("{name}: {yes} yes, {no} no, {:?}", started.elapsed());
    }
    println!("{undecided} of {all} undecided");
    assert!(undecided * 10 < all, "{undecided} of {all} undecided");
}

#[test]
fn what_was_cut_out_can_be_put_back() {
    let limits = Limits::default();
    for name in GRAMMARS.into_iter().filter(|name| name.ends_with(".lark")) {
        let grammar = read(name);
        let mut random = fastrand::Rng::with_seed(2);
        let map = LexicalMap::Described;
        let mut mundler = match Mundler::new(&grammar, map, &limits) {
            Ok(mundler) => mundler,
            Err(error) => {
                assert!(grammar.constraint.is_some(), "{name}: {error}");
                continue;
            }
        };
        let mut epic = Epic::new(&grammar, map, EpicParts::default(), &limits).expect(name);
        let texts = texts(name, "members.jsonl");
        for _ in 0..4 * rounds() {
            let text = random.choice(&texts).expect(name);
            let pattern = cut(text, &mut random);
            let limit = Duration::from_secs(5);
            let by_intersection = mundler.check(&pattern, &time(limit));
            let by_parse = epic.check(&pattern, &time(limit));
            assert!(by_intersection != Answer::Impossible, "{name}: {pattern:?}");
            assert!(by_parse != Answer::Impossible, "{name}: {pattern:?}");
        }
    }
}
