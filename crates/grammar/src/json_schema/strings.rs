//! How texts are spelled as JSON strings.

use crate::Expr;
use crate::automaton::spell::{Forest, Lead, Piece, Spelling, To, blocks, clip};
use crate::automaton::{AutomatonError, Dfa, Language, Limits};
use crate::characters::ANY_CHARACTER;

/// Which spellings of a string's characters belong to the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringSpelling {
    /// The one that `JSON.stringify` writes: a character stands for itself
    /// unless it must be escaped; the short escape where there is one, else
    /// `\u00` and lower-case digits.
    Canonical,
    /// Every spelling that JSON knows: short escapes, `\u` with digits of
    /// either case, surrogate pairs. Half a pair alone is no character and
    /// belongs to no string.
    Any,
}

/// Characters with an escape of their own.
const SHORT_ESCAPES: [(u8, u8); 7] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (0x08, b'b'),
    (0x0C, b'f'),
    (b'\n', b'n'),
    (b'\r', b'r'),
    (b'\t', b't'),
];

/// Characters that must be escaped and have none.
const WITHOUT_SHORT_ESCAPE: [(u32, u32); 3] = [(0x00, 0x07), (0x0B, 0x0B), (0x0E, 0x1F)];

/// All of a string's characters that stand for themselves.
const PLAIN: [(u32, u32); 3] = [(0x20, 0x21), (0x23, 0x5B), (0x5D, ANY_CHARACTER.1)];

impl StringSpelling {
    /// Any one character inside a string.
    pub(super) fn any_character(self) -> Expr {
        let chars = |ranges: &[(char, char)]| {
            Expr::Chars(
                ranges
                    .iter()
                    .map(|&(low, high)| (low as u32, high as u32))
                    .collect(),
            )
        };
        let literal = Expr::literal;
        let plain = Expr::Chars(PLAIN.into());
        match self {
            StringSpelling::Canonical => {
                let short = "\"\\bfnrt".chars().map(|c| (c as u32, c as u32));
                let short = Expr::Chars(crate::characters::normalise(short.collect()).into());
                let low = chars(&[('0', '7'), ('b', 'b'), ('e', 'f')]);
                let high = chars(&[('0', '9'), ('a', 'f')]);
                Expr::Choice(vec![
                    plain,
                    Expr::Sequence(vec![literal("\\"), short]),
                    Expr::Sequence(vec![literal("\\u000"), low]),
                    Expr::Sequence(vec![literal("\\u001"), high]),
                ])
            }
            StringSpelling::Any => {
                let short = "\"\\/bfnrt".chars().map(|c| (c as u32, c as u32));
                let short = Expr::Chars(crate::characters::normalise(short.collect()).into());
                let hex = || chars(&[('0', '9'), ('A', 'F'), ('a', 'f')]);
                let not_d = chars(&[('0', '9'), ('A', 'C'), ('E', 'F'), ('a', 'c'), ('e', 'f')]);
                let d = || chars(&[('D', 'D'), ('d', 'd')]);
                let low_surrogate = chars(&[('C', 'F'), ('c', 'f')]);
                let high_surrogate = chars(&[('8', '9'), ('A', 'B'), ('a', 'b')]);
                let to_7 = chars(&[('0', '7')]);
                Expr::Choice(vec![
                    plain,
                    Expr::Sequence(vec![literal("\\"), short]),
                    Expr::Sequence(vec![literal("\\u"), not_d, hex(), hex(), hex()]),
                    Expr::Sequence(vec![literal("\\u"), d(), to_7, hex(), hex()]),
                    Expr::Sequence(vec![
                        literal("\\u"),
                        d(),
                        high_surrogate,
                        hex(),
                        hex(),
                        literal("\\u"),
                        d(),
                        low_surrogate,
                        hex(),
                        hex(),
                    ]),
                ])
            }
        }
    }

    /// One given text, with its quotes.
    pub(super) fn literal(self, text: &str) -> Expr {
        match self {
            StringSpelling::Canonical => {
                let mut spelled = vec![b'"'];
                for character in text.chars() {
                    spell_canonically(character, &mut spelled);
                }
                spelled.push(b'"');
                Expr::literal(spelled)
            }
            StringSpelling::Any => {
                let mut parts = Vec::with_capacity(text.len() + 2);
                parts.push(Expr::literal("\""));
                parts.extend(text.chars().map(every_spelling));
                parts.push(Expr::literal("\""));
                Expr::Sequence(parts)
            }
        }
    }

    /// The spellings, without quotes, of the texts of an automaton over UTF-8.
    pub(crate) fn spell(self, texts: &Dfa, limits: &Limits) -> Result<Dfa, AutomatonError> {
        Language::of_utf8(texts.clone()).spelled(&self, limits)
    }
}

fn short_escape(code: u32) -> Option<u8> {
    SHORT_ESCAPES
        .iter()
        .find(|(plain, _)| *plain as u32 == code)
        .map(|&(_, escape)| escape)
}

fn spell_canonically(character: char, spelled: &mut Vec<u8>) {
    match (short_escape(character as u32), character) {
        (Some(escape), _) => spelled.extend([b'\\', escape]),
        (None, '\0'..='\x1F') => {
            spelled.extend(format!("\\u{:04x}", character as u32).into_bytes());
        }
        _ => spelled.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn every_spelling(character: char) -> Expr {
    let mut spellings = Vec::with_capacity(3);
    let code = character as u32;
    if PLAIN
        .iter()
        .any(|&(low, high)| (low..=high).contains(&code))
    {
        spellings.push(Expr::literal(character.encode_utf8(&mut [0; 4])));
    }
    if let Some(escape) = short_escape(code).or((character == '/').then_some(b'/')) {
        spellings.push(Expr::literal([b'\\', escape]));
    }
    spellings.push(escaped(character));
    Expr::Choice(spellings)
}

/// A character by the numbers of its units, with digits of either case.
fn escaped(character: char) -> Expr {
    let mut parts = Vec::new();
    let mut literal = Vec::with_capacity(12);
    for unit in character.encode_utf16(&mut [0; 2]) {
        literal.extend(b"\\u");
        for place in (0..4).rev() {
            match (*unit >> (4 * place)) as u8 & 0xF {
                digit @ 0..=9 => literal.push(b'0' + digit),
                digit => {
                    let (upper, lower) = (b'A' + digit - 10, b'a' + digit - 10);
                    parts.push(Expr::literal(&literal));
                    literal.clear();
                    parts.push(Expr::Chars(Box::new([
                        (upper.into(), upper.into()),
                        (lower.into(), lower.into()),
                    ])));
                }
            }
        }
    }
    if parts.is_empty() {
        return Expr::literal(literal);
    }
    if !literal.is_empty() {
        parts.push(Expr::literal(literal));
    }
    Expr::Sequence(parts)
}

impl Spelling for StringSpelling {
    fn tree(&self, forest: &mut Forest, pieces: &[Piece]) -> u32 {
        let any = *self == StringSpelling::Any;
        let places = || {
            let pieces = pieces.iter();
            pieces.map(|&(low, high, place)| (low, high, To::Place(place)))
        };
        let mut bytes: Vec<(u8, u8, To)> = Vec::new();
        for &(first, last) in &PLAIN {
            let ascii = clip(places(), first, last.min(0x7F)).into_iter();
            bytes.extend(ascii.map(|(low, high, to)| (low as u8, high as u8, to)));
        }
        forest.beyond_ascii(pieces, &mut bytes);
        let mut escaped = Vec::new();
        let slash = any.then_some((b'/', b'/'));
        for (plain, escape) in SHORT_ESCAPES.into_iter().chain(slash) {
            let code = u32::from(plain);
            let found = clip(places(), code, code).into_iter();
            escaped.extend(found.map(|(_, _, to)| (escape, escape, to)));
        }
        let units = match any {
            true => self::units(forest, &places().collect::<Vec<_>>()),
            false => {
                let mut units = Vec::new();
                for (first, last) in WITHOUT_SHORT_ESCAPE {
                    units.extend(clip(places(), first, last));
                }
                units
            }
        };
        if !units.is_empty() {
            escaped.push((b'u', b'u', forest.digits(&units, 4, any)));
        }
        if !escaped.is_empty() {
            bytes.push((b'\\', b'\\', To::Node(forest.node(escaped))));
        }
        forest.node(bytes)
    }
}

/// The units of UTF-16 that characters begin with, each with where it leads.
fn units(forest: &mut Forest, places: &[Lead]) -> Vec<Lead> {
    let all = || places.iter().copied();
    let mut units = clip(all(), 0, 0xD7FF);
    let beyond = clip(all(), 0x1_0000, 0x10_FFFF).into_iter();
    let beyond = beyond.map(|(low, high, to)| (low - 0x1_0000, high - 0x1_0000, to));
    let pairs = blocks(&beyond.collect::<Vec<_>>(), 0x400, &mut |inside| {
        let low = inside.iter();
        let low = low.map(|&(low, high, to)| (0xDC00 + low, 0xDC00 + high, to));
        let digits = forest.digits(&low.collect::<Vec<_>>(), 4, true);
        let second = forest.node(vec![(b'u', b'u', digits)]);
        To::Node(forest.node(vec![(b'\\', b'\\', To::Node(second))]))
    });
    let pairs = pairs.into_iter();
    units.extend(pairs.map(|(low, high, to)| (0xD800 + low, 0xD800 + high, to)));
    units.extend(clip(all(), 0xE000, 0xFFFF));
    units
}
