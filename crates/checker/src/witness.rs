//! From what a path adds to gaps to a filling of each, and to the whole text.

use lacuna_lexer::Vocabulary;

use crate::graph::{Addition, Emit};
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Sorts what a parse added into the gaps it belongs to.
pub(crate) fn witness(pattern: &Pattern, additions: &[Addition]) -> Witness {
    let gaps = (0u32..)
        .zip(&pattern.segments)
        .filter_map(|(segment, piece)| match piece {
            Segment::Text(_) => None,
            Segment::Gap(gap) => Some((segment, gap)),
        })
        .map(|(segment, gap)| {
            let emits = additions.iter().filter(|added| added.segment == segment);
            let emits = emits.map(|added| added.emit);
            match gap {
                Gap::Any => Filling::Bytes(
                    emits
                        .filter_map(|emit| match emit {
                            Emit::Byte(byte, _) | Emit::Separate { byte, .. } => Some(byte),
                            Emit::Leave(_) | Emit::Token(_) => None,
                        })
                        .collect(),
                ),
                Gap::Cells(_) | Gap::UpTo(_) => Filling::Tokens(
                    emits
                        .filter_map(|emit| match emit {
                            Emit::Token(token) => Some(token),
                            Emit::Leave(_) | Emit::Separate { .. } | Emit::Byte(..) => None,
                        })
                        .collect(),
                ),
            }
        });
    Witness {
        gaps: gaps.collect(),
    }
}

/// The text of a pattern with its gaps filled, one of any length at its end as far as it is;
/// `None` if a token has no bytes.
pub(crate) fn completed(
    pattern: &Pattern,
    witness: &Witness,
    vocabulary: &Vocabulary,
) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut fillings = witness.gaps.iter();
    for segment in &pattern.segments {
        match segment {
            Segment::Text(bytes) => text.extend(bytes),
            Segment::Gap(_) => match fillings.next()? {
                Filling::Bytes(bytes) => text.extend(bytes),
                Filling::Tokens(tokens) => {
                    for &token in tokens {
                        text.extend(vocabulary.bytes(token)?);
                    }
                }
            },
        }
    }
    Some(text)
}
