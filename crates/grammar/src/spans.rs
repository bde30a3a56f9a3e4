//! Runs of whole words of a text, as an automaton.
//!
//! A *span* of a text is a piece of it, blanks and punctuation inside kept as
//! they are, that begins and ends at a boundary:
//!
//! - it may begin at a character that is not blank, where a word begins (at the
//!   text's beginning or after a blank) or where letters or digits begin (at a
//!   letter or digit after anything else);
//! - it may end after a character that is not blank, where a word ends or where
//!   letters or digits end.
//!
//! So punctuation around words may be taken or left: `in San Jose.` has the
//! spans `San Jose` and `San Jose.`, `Ann's bike` has `Ann`, and `for $25,` has
//! `$25` and `25`. Letters and digits are, beyond ASCII, all that Unicode takes for part of
//! a word: combining marks too, without which words of many scripts would be cut. Joiners and what
//! varies a character belong to what is before them, of whatever kind it is: no part of a
//! joined emoji is a span.
//!
//! The automaton is the suffix automaton of the text, restricted to spans: the
//! sets of places where what was read so far may end are pairwise nested or
//! disjoint (a boundary is decided by the characters on its two sides, so
//! whatever occurs inside a longer span occurs there as a span or not at all),
//! and hence fewer than twice the text's characters.

use regex_syntax::is_word_character;

use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use crate::characters::Folding;

/// The spans of `text`, spelled as they are (not escaped).
///
/// A text without words has no spans.
///
/// ```
/// use lacuna_grammar::{automaton::Limits, spans::word_spans};
/// let spans = word_spans("a table in San Jose.", &Limits::default()).unwrap();
/// assert!(spans.accepts(b"San Jose") && spans.accepts(b"a table"));
/// assert!(!spans.accepts(b"San Jo") && !spans.accepts(b"San ") && !spans.accepts(b""));
/// ```
///
/// # Errors
/// When the text needs more states than the limits allow.
pub fn word_spans(text: &str, limits: &Limits) -> Result<Dfa, AutomatonError> {
    spans(text, false, limits)
}

/// The spans of `text`, each character in any case (by Unicode's simple folding).
///
/// As large as [`word_spans`], but for characters that are spelled in several
/// ways: it is the same construction over classes of characters.
///
/// # Errors
/// When the text needs more states than the limits allow.
pub fn word_spans_ignoring_case(text: &str, limits: &Limits) -> Result<Dfa, AutomatonError> {
    spans(text, true, limits)
}

pub(crate) fn spans(text: &str, ignore_case: bool, limits: &Limits) -> Result<Dfa, AutomatonError> {
    let mut folding = Folding::default();
    let mut builder = NfaBuilder::new(limits);
    let (start, accept) = (builder.state()?, builder.state()?);
    let mut here = builder.state()?;
    let (mut before, mut kind) = (Kind::Blank, Kind::Blank);
    let mut last = None;
    for next in text.chars().map(Some).chain([None]) {
        let after = next.map_or(Kind::Blank, |next| Kind::of(next, kind));
        if let Some(character) = std::mem::replace(&mut last, next) {
            if kind.begins_after(before) {
                builder.empty_edge(start, here);
            }
            let behind = builder.state()?;
            match ignore_case {
                true => builder.characters(folding.of(character), here, behind)?,
                false => builder.character(character, here, behind)?,
            }
            here = behind;
            // What may begin here when read backwards may end here.
            if kind.begins_after(after) {
                builder.empty_edge(here, accept);
            }
        }
        (before, kind) = (kind, after);
    }
    builder.finish(start, accept).determinize(limits)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Alphanumeric,
    Punctuation,
}

impl Kind {
    fn of(character: char, before: Kind) -> Self {
        if before != Kind::Blank && joins(character) {
            before
        } else if character.is_whitespace() {
            Kind::Blank
        } else if character.is_ascii_alphanumeric()
            || !character.is_ascii() && is_word_character(character)
        {
            Kind::Alphanumeric
        } else {
            Kind::Punctuation
        }
    }

    fn begins_after(self, neighbour: Kind) -> bool {
        match self {
            Kind::Blank => false,
            Kind::Alphanumeric => neighbour != Kind::Alphanumeric,
            Kind::Punctuation => neighbour == Kind::Blank,
        }
    }
}

/// Whether a character is no word, though words and emoji may hold it: a joiner, a variation
/// selector, or the key around a digit.
fn joins(character: char) -> bool {
    matches!(
        character,
        '\u{200c}' | '\u{200d}' | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}'
    )
}
