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

/// The answer to "can this still become a sentence?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, for instance so.
    Completable(Witness),
    /// No filling exists.
    Impossible,
    /// The budget ran out before the answer was known.
    Exhausted {
        /// What ran out, such as `parse items`.
        what: &'static str,
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
