//! The answers.

use lacuna_lexer::{TokenId, Vocabulary};

use crate::{Pattern, Segment};

/// What one gap becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Bytes, for a gap of any length.
    Bytes(Vec<u8>),
    /// Tokens, one a cell; in an open tail perhaps fewer, the rest are ends.
    Tokens(Vec<TokenId>),
}

/// One concrete completion: a filling for every gap, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The fillings.
    pub gaps: Vec<Filling>,
}

impl Witness {
    /// The whole text, gaps filled. `vocabulary` is needed where gaps count
    /// cells.
    pub fn text(&self, pattern: &Pattern, vocabulary: Option<&Vocabulary>) -> Vec<u8> {
        let mut text = Vec::new();
        let mut gaps = self.gaps.iter();
        for segment in &pattern.segments {
            match segment {
                Segment::Text(bytes) => text.extend_from_slice(bytes),
                Segment::Gap(_) => match gaps.next() {
                    Some(Filling::Bytes(bytes)) => text.extend_from_slice(bytes),
                    Some(Filling::Tokens(tokens)) => {
                        for &token in tokens {
                            text.extend_from_slice(
                                vocabulary.and_then(|v| v.bytes(token)).unwrap_or_default(),
                            );
                        }
                    }
                    None => {}
                },
            }
        }
        text
    }

    /// The same with every filling in bytes.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn spelled(self, vocabulary: &Vocabulary) -> Self {
        let spell = |filling| match filling {
            Filling::Bytes(bytes) => Filling::Bytes(bytes),
            Filling::Tokens(tokens) => {
                let bytes = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
                Filling::Bytes(bytes.flatten().copied().collect())
            }
        };
        Self {
            gaps: self.gaps.into_iter().map(spell).collect(),
        }
    }
}

/// Which tier decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The grammar is regular: its automaton decides.
    Regular,
    /// A regular cover refused.
    Cover,
    /// The unrolled grammar found a witness.
    Unrolled,
    /// A completion of an earlier canvas was one of this.
    Kept,
    /// Such a completion was changed where it did not fit.
    Mended,
    /// Tokens that a model finds likely had a completion among them.
    Likely,
    /// A search found a witness, or that there is none.
    Searched,
    /// The parse with gaps of any length said no.
    AnyLength,
    /// The witness of that parse could be made to fit.
    Fitted,
    /// The exact parse of the completion graph.
    Parse,
}

/// What a check can run out of, named by what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(&'static str);

impl Budget {
    /// Work of a parse ([`CheckerLimits::parse_items`](crate::CheckerLimits::parse_items)).
    pub const PARSE_ITEMS: Self = Self("parse items");
    /// Completions that a judge is asked about
    /// ([`CheckerLimits::judged`](crate::CheckerLimits::judged)): the grammar has one, and none that
    /// was found was accepted.
    pub const JUDGED: Self = Self("completions to judge");
    /// Vocabularies: cells cannot be counted without one.
    pub const VOCABULARIES: Self = Self("vocabularies to count cells in");

    /// What an automaton is made of ([`CheckerLimits::automata`](crate::CheckerLimits::automata)),
    /// such as `deterministic states`.
    pub const fn automata(what: &'static str) -> Self {
        Self(what)
    }

    /// What it counts, in the plural.
    pub const fn counts(self) -> &'static str {
        self.0
    }
}

/// The answer to "can this still become a sentence?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, for instance so.
    Completable(Witness),
    /// No filling exists.
    Impossible,
    /// The budget ran out before the answer was known.
    Exhausted {
        /// What ran out.
        what: Budget,
        /// The limit in force.
        limit: usize,
    },
}

impl Verdict {
    /// Whether the answer is yes.
    pub fn is_completable(&self) -> bool {
        matches!(self, Verdict::Completable(_))
    }
}
