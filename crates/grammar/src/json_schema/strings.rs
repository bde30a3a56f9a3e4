//! How texts are spelled as JSON strings.

use std::collections::HashMap;
use std::rc::Rc;

use crate::Expr;
use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder, NfaState, StateId};
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
                let characters = text.chars().map(every_spelling);
                let quote = || std::iter::once(Expr::literal("\""));
                Expr::Sequence(quote().chain(characters).chain(quote()).collect())
            }
        }
    }

    /// The spellings of a character; digits of escapes in lower case, which the
    /// one that admits all admits in upper case too.
    pub(super) fn spellings_of(self, character: char) -> Vec<Vec<u8>> {
        if self == StringSpelling::Canonical {
            let mut spelled = Vec::new();
            spell_canonically(character, &mut spelled);
            return vec![spelled];
        }
        let code = character as u32;
        let mut spellings = Vec::new();
        if PLAIN
            .iter()
            .any(|&(low, high)| (low..=high).contains(&code))
        {
            spellings.push(character.encode_utf8(&mut [0; 4]).as_bytes().to_vec());
        }
        if let Some(escape) = short_escape(code).or((character == '/').then_some(b'/')) {
            spellings.push(vec![b'\\', escape]);
        }
        let units = character.encode_utf16(&mut [0; 2]).to_vec();
        let escaped = units.iter().map(|unit| format!("\\u{unit:04x}"));
        spellings.push(escaped.collect::<String>().into_bytes());
        spellings
    }

    /// The spellings, without quotes, of the texts of a language.
    pub(crate) fn spell(self, texts: &Dfa, limits: &Limits) -> Result<Dfa, AutomatonError> {
        Speller::new(self, texts, limits)?.run(limits)
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
    let mut spellings = Vec::new();
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
    let units = character.encode_utf16(&mut [0; 2]).to_vec();
    spellings.push(Expr::Sequence(
        units
            .iter()
            .flat_map(|&unit| {
                let digits = (0..4).rev().map(move |place| (unit >> (4 * place)) & 0xF);
                let digits = digits.map(|digit| match char::from_digit(digit as u32, 16) {
                    Some(digit @ 'a'..='f') => {
                        let (upper, lower) = (digit.to_ascii_uppercase() as u32, digit as u32);
                        Expr::Chars(Box::new([(upper, upper), (lower, lower)]))
                    }
                    digit => Expr::literal(digit.unwrap_or('0').to_string()),
                });
                std::iter::once(Expr::literal("\\u")).chain(digits)
            })
            .collect(),
    ));
    Expr::Choice(spellings)
}

/// Rewrites an automaton over UTF-8 into one over spellings: each transition on
/// a character becomes transitions on all the ways to spell it.
struct Speller<'a> {
    spelling: StringSpelling,
    texts: &'a Dfa,
    builder: NfaBuilder,
    /// Characters by the code's remaining six-bit groups and where they lead.
    tails: HashMap<(StateId, u32), Rc<Vec<CodeRange>>>,
}

/// Inclusive codes and the state after them.
type CodeRange = (u32, u32, StateId);

impl<'a> Speller<'a> {
    /// State `n` of the new automaton is state `n` of the old one.
    fn new(
        spelling: StringSpelling,
        texts: &'a Dfa,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let mut builder = NfaBuilder::new(limits);
        for _ in 0..texts.state_count() {
            builder.state()?;
        }
        Ok(Self {
            spelling,
            texts,
            builder,
            tails: HashMap::new(),
        })
    }

    fn run(mut self, limits: &Limits) -> Result<Dfa, AutomatonError> {
        let accept = self.builder.state()?;
        for state in 0..self.texts.state_count() as StateId {
            if self.texts.is_accepting(state) {
                self.builder.empty_edge(state, accept);
            }
            let mut escapes = None;
            for (low, high, next) in self.texts.byte_ranges(state) {
                if high >= 0x80 {
                    self.builder.byte_edge(state, low.max(0x80), high, next);
                }
                for byte in low..=high.min(0x7F) {
                    self.ascii(state, byte, next, &mut escapes)?;
                }
            }
            if self.spelling == StringSpelling::Any {
                for (low, high, next) in self.characters_from(state) {
                    self.unicode_escapes(state, low, high, next, &mut escapes)?;
                }
            }
        }
        self.builder
            .finish(self.texts.start(), accept)
            .determinize(limits)
    }

    /// The state after a backslash, made when first needed.
    fn escape(
        &mut self,
        from: NfaState,
        known: &mut Option<NfaState>,
    ) -> Result<NfaState, AutomatonError> {
        if let Some(state) = *known {
            return Ok(state);
        }
        let state = self.builder.state()?;
        self.builder.byte_edge(from, b'\\', b'\\', state);
        *known = Some(state);
        Ok(state)
    }

    fn ascii(
        &mut self,
        from: NfaState,
        byte: u8,
        to: NfaState,
        escapes: &mut Option<NfaState>,
    ) -> Result<(), AutomatonError> {
        if let Some(escape) = short_escape(byte as u32) {
            let escaped = self.escape(from, escapes)?;
            self.builder.byte_edge(escaped, escape, escape, to);
        } else if byte >= 0x20 {
            self.builder.byte_edge(from, byte, byte, to);
        } else if self.spelling == StringSpelling::Canonical {
            let mut at = self.escape(from, escapes)?;
            let digits = format!("u{byte:04x}");
            for (index, digit) in digits.bytes().enumerate() {
                let next = match index + 1 == digits.len() {
                    true => to,
                    false => self.builder.state()?,
                };
                self.builder.byte_edge(at, digit, digit, next);
                at = next;
            }
        }
        if byte == b'/' && self.spelling == StringSpelling::Any {
            let escaped = self.escape(from, escapes)?;
            self.builder.byte_edge(escaped, b'/', b'/', to);
        }
        Ok(())
    }

    /// The characters that may come next; none inside of a character.
    fn characters_from(&mut self, state: StateId) -> Vec<CodeRange> {
        let mut ranges = Vec::new();
        for (low, high, next) in self.texts.byte_ranges(state) {
            if low < 0x80 {
                push_merging(&mut ranges, (low as u32, high.min(0x7F) as u32, next));
            }
            for lead in low.max(0xC0)..=high {
                let (groups, bits) = match lead {
                    0xC0..=0xDF => (1, lead & 0x1F),
                    0xE0..=0xEF => (2, lead & 0x0F),
                    _ => (3, lead & 0x07),
                };
                let base = (bits as u32) << (6 * groups);
                for &(low, high, next) in self.tail(next, groups).iter() {
                    push_merging(&mut ranges, (base + low, base + high, next));
                }
            }
        }
        ranges
    }

    fn tail(&mut self, state: StateId, groups: u32) -> Rc<Vec<CodeRange>> {
        if let Some(known) = self.tails.get(&(state, groups)) {
            return known.clone();
        }
        let mut ranges = Vec::new();
        for (low, high, next) in self.texts.byte_ranges(state) {
            for byte in low.max(0x80)..=high.min(0xBF) {
                let base = (byte as u32 & 0x3F) << (6 * (groups - 1));
                if groups == 1 {
                    push_merging(&mut ranges, (base, base, next));
                    continue;
                }
                for &(low, high, next) in self.tail(next, groups - 1).iter() {
                    push_merging(&mut ranges, (base + low, base + high, next));
                }
            }
        }
        let ranges = Rc::new(ranges);
        self.tails.insert((state, groups), ranges.clone());
        ranges
    }

    fn unicode_escapes(
        &mut self,
        from: NfaState,
        low: u32,
        high: u32,
        to: NfaState,
        escapes: &mut Option<NfaState>,
    ) -> Result<(), AutomatonError> {
        const SURROGATES: [(u32, u32); 2] = [(0, 0xD7FF), (0xE000, 0xFFFF)];
        for (first, last) in SURROGATES {
            let (low, high) = (low.max(first), high.min(last));
            if low <= high {
                let escaped = self.escape(from, escapes)?;
                self.unit(escaped, low, high, to)?;
            }
        }
        if high < 0x10000 {
            return Ok(());
        }
        let escaped = self.escape(from, escapes)?;
        let (low, high) = (low.max(0x10000) - 0x10000, high - 0x10000);
        for_each_block(low, high, 0x400, &mut |(first, last), (low, high)| {
            let between = self.builder.state()?;
            self.unit(escaped, 0xD800 + first, 0xD800 + last, between)?;
            let second = self.builder.state()?;
            self.builder.byte_edge(between, b'\\', b'\\', second);
            self.unit(second, 0xDC00 + low, 0xDC00 + high, to)
        })
    }

    /// `u` and four digits, for all units of a range.
    fn unit(
        &mut self,
        escaped: NfaState,
        low: u32,
        high: u32,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let after_u = self.builder.state()?;
        self.builder.byte_edge(escaped, b'u', b'u', after_u);
        self.digits(after_u, low, high, 4, to)
    }

    fn digits(
        &mut self,
        from: NfaState,
        low: u32,
        high: u32,
        count: u32,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        if count == 1 {
            self.digit(from, low, high, to);
            return Ok(());
        }
        for_each_block(
            low,
            high,
            1 << (4 * (count - 1)),
            &mut |(first, last), (low, high)| {
                let next = self.builder.state()?;
                self.digit(from, first, last, next);
                self.digits(next, low, high, count - 1, to)
            },
        )
    }

    fn digit(&mut self, from: NfaState, low: u32, high: u32, to: NfaState) {
        for (first, start) in [(0, b'0'), (10, b'a'), (10, b'A')] {
            let last = if first == 0 { 9 } else { 15 };
            let (low, high) = (low.max(first), high.min(last));
            if low <= high {
                let byte = |digit: u32| start + (digit - first) as u8;
                self.builder.byte_edge(from, byte(low), byte(high), to);
            }
        }
    }
}

/// Splits `low..=high` into at most three products of a range of quotients and
/// a range of remainders by `size`.
fn for_each_block<E>(
    low: u32,
    high: u32,
    size: u32,
    visit: &mut dyn FnMut((u32, u32), (u32, u32)) -> Result<(), E>,
) -> Result<(), E> {
    let (mut first, mut last) = (low / size, high / size);
    if first == last {
        return visit((first, last), (low % size, high % size));
    }
    if !low.is_multiple_of(size) {
        visit((first, first), (low % size, size - 1))?;
        first += 1;
    }
    if high % size != size - 1 {
        visit((last, last), (0, high % size))?;
        last -= 1;
    }
    match first <= last {
        true => visit((first, last), (0, size - 1)),
        false => Ok(()),
    }
}

fn push_merging(ranges: &mut Vec<CodeRange>, (low, high, next): CodeRange) {
    match ranges.last_mut() {
        Some(last) if last.2 == next && last.1 + 1 == low => last.1 = high,
        _ => ranges.push((low, high, next)),
    }
}
