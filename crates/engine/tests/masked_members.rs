//! Texts of the grammars that ship, with tokens masked in a block, over all of the text, or
//! in spans, and a long tail of masked cells behind: they can be completed, cell for cell,
//! and what completes them belongs. Oracle: the text that was masked, and the plain
//! recogniser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Tier};
use lacuna_engine::{Dialect, GrammarSource, Purpose};
use lacuna_grammar::Grammar;
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::{TokenId, Vocabulary};
use serde_json::Value;

const GRAMMARS: &[&str] = &["cpp.lark", "sql.lark", "bython.lark", "smiles.lark"];
const TEXTS: usize = 4;
const TAIL: usize = 40;
const END: TokenId = 0;
const MASK: TokenId = 1;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

fn grammar(name: &str) -> Grammar {
    let source = GrammarSource::new(
        Dialect::of_file(name).expect("a dialect"),
        std::fs::read_to_string(folder().join(name)).expect("a grammar that ships"),
    );
    source.compile(Purpose::Judging).expect("a grammar")
}

/// The longer texts of a grammar.
fn members(name: &str) -> Vec<String> {
    let stem = name.split('.').next().expect("a stem");
    let lines = std::fs::read_to_string(folder().join(stem).join("members.jsonl")).expect("texts");
    let mut texts: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line"))
        .filter_map(|line| Some(line["text"].as_str()?.to_owned()))
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.truncate(TEXTS);
    texts
}

/// Words, with the blank before them, numbers, and other characters one by one.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, char) in text.char_indices() {
        let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = text[from..at].chars().next_back();
        let goes_on = is_in_word(char) && before.is_none_or(|c| is_in_word(c) || c == ' ');
        if at > from && !goes_on {
            pieces.push(&text[from..at]);
            from = at;
        }
    }
    pieces.push(&text[from..]);
    pieces
}

/// The ids of pieces of text: of single bytes, and of all pieces of some texts.
struct Tokens {
    vocabulary: Arc<Vocabulary>,
    ids: BTreeMap<Vec<u8>, TokenId>,
}

impl Tokens {
    fn of(texts: &[String]) -> Self {
        let bytes = (0..=255u8).map(|byte| vec![byte]);
        let longer = texts.iter().flat_map(|text| pieces(text));
        let known: BTreeSet<Vec<u8>> = bytes
            .chain(longer.map(|piece| piece.as_bytes().to_vec()))
            .collect();
        let ids = known.iter().cloned().zip(2..).collect();
        let all = [None, None].into_iter().chain(known.into_iter().map(Some));
        let vocabulary = Vocabulary::new(all.collect(), vec![END], MASK).expect("a vocabulary");
        Self {
            vocabulary: Arc::new(vocabulary),
            ids,
        }
    }

    fn cells(&self, text: &str) -> Vec<Option<TokenId>> {
        let pieces = pieces(text).into_iter();
        pieces
            .map(|piece| Some(self.ids[piece.as_bytes()]))
            .collect()
    }

    fn text(&self, cells: &[TokenId]) -> Vec<u8> {
        let bytes = cells
            .iter()
            .filter_map(|&token| self.vocabulary.bytes(token));
        bytes.flatten().copied().collect()
    }
}

/// Masks cells: those of a block and all behind it, some of all, or spans.
fn mask(cells: &mut [Option<TokenId>], how: usize, random: &mut fastrand::Rng) {
    let share = 0.2 + 0.4 * random.f64();
    let length = cells.len();
    match how {
        0 => {
            let block = random.usize(..length.saturating_sub(24).max(1));
            for (at, cell) in cells.iter_mut().enumerate().skip(block) {
                if at >= block + 24 || random.f64() < share {
                    *cell = None;
                }
            }
        }
        1 => {
            for cell in cells {
                if random.f64() < share {
                    *cell = None;
                }
            }
        }
        _ => {
            for _ in 0..random.usize(1..4) {
                let from = random.usize(..length);
                let to = (from + random.usize(1..16)).min(length);
                cells[from..to].fill(None);
            }
        }
    }
}

#[test]
fn what_was_masked_can_be_completed() {
    let mut searched = 0;
    for name in GRAMMARS {
        let grammar = grammar(name);
        let texts = members(name);
        let tokens = Tokens::of(&texts);
        let limits = CheckerLimits::default();
        let mut checker =
            Checker::new(&grammar, Some(Arc::clone(&tokens.vocabulary)), limits).expect(name);
        let mut random = fastrand::Rng::with_seed(17);
        for text in &texts {
            for how in 0..3 {
                let mut cells = tokens.cells(text);
                mask(&mut cells, how, &mut random);
                cells.extend([None; TAIL]);
                let (verdict, tier) = checker.check_canvas(&cells);
                let CanvasVerdict::Completable(filled) = verdict else {
                    panic!("{name}: {verdict:?} for {text:?} masked as {cells:?}");
                };
                let mut kept = cells.iter().zip(&filled);
                let is_kept = |(cell, filled): (&Option<TokenId>, &TokenId)| {
                    cell.is_none_or(|token| token == *filled)
                };
                assert!(kept.all(is_kept), "{name}: {text:?}");
                let completed = tokens.text(&filled);
                assert!(
                    recognize(&grammar, &completed),
                    "{name}: {:?}",
                    String::from_utf8_lossy(&completed)
                );
                searched += usize::from(tier == Tier::Searched);
            }
        }
    }
    assert!(searched > 10, "{searched} by a search");
}

/// A canvas with a token more, right or wrong, is decided as one that nothing is known of, and what
/// mends it has the token.
#[test]
fn a_token_more_among_many_gaps_is_mended() {
    let grammar = grammar("cpp.lark");
    let texts = members("cpp.lark");
    let tokens = Tokens::of(&texts);
    let limits = CheckerLimits::default();
    let new = || Checker::new(&grammar, Some(Arc::clone(&tokens.vocabulary)), limits);
    let (mut checker, mut other) = (new().expect("small"), new().expect("small"));
    let mut random = fastrand::Rng::with_seed(23);
    let (mut mended, mut refused) = (0, 0);
    for text in &texts {
        let whole = tokens.cells(text);
        let mut cells = whole.clone();
        mask(&mut cells, 1, &mut random);
        checker.check_canvas(&cells);
        for round in 0..8 {
            let masked: Vec<usize> = (0..cells.len()).filter(|&at| cells[at].is_none()).collect();
            let at = masked[random.usize(..masked.len())];
            let right = whole[at];
            let token = match round % 2 {
                0 => right,
                _ => Some(random.u32(2..tokens.vocabulary.len() as u32)),
            };
            cells[at] = token;
            let (verdict, tier) = checker.check_canvas(&cells);
            other.forget_completions();
            let (expected, _) = other.check_canvas(&cells);
            match verdict {
                CanvasVerdict::Completable(filled) => {
                    assert!(matches!(expected, CanvasVerdict::Completable(_)), "{text}");
                    mended += usize::from(tier == Tier::Mended);
                    let mut both = cells.iter().zip(&filled);
                    assert!(both.all(|(cell, token)| cell.is_none_or(|cell| cell == *token)));
                    assert!(recognize(&grammar, &tokens.text(&filled)), "{text}");
                }
                verdict => {
                    assert_eq!(verdict, expected, "{text}");
                    assert_ne!(token, right, "{text}");
                    refused += 1;
                }
            }
            cells[at] = right;
        }
    }
    assert!(
        mended >= 6 && refused >= 3,
        "{mended} mended, {refused} refused"
    );
}
