//! Takes the separators out of a witness that it does not need.
//!
//! In a gap of any length a parse puts a separator behind every lexeme, so that
//! one node stands for all boundaries ([`graph`](crate::graph)). Most of them can
//! go again: those before which the lexeme's obligations are met by what follows,
//! and behind which the next lexeme begins as it would without them; at the end of the
//! text, those before which it may end. What follows is settled from there on.

use lacuna_lexer::{Lexer, Owed};

use crate::graph::{Addition, Emit};
use crate::{Pattern, Segment};

/// The additions without needless separators.
pub(crate) fn without_needless_separators(
    pattern: &Pattern,
    mut additions: Vec<Addition>,
    lexer: &Lexer,
) -> Vec<Addition> {
    let mut kept: Vec<Addition> = Vec::with_capacity(additions.len());
    // What follows, last byte first.
    let mut behind: Vec<u8> = Vec::new();
    for (index, segment) in pattern.segments.iter().enumerate().rev() {
        if let Segment::Text(bytes) = segment {
            behind.extend(bytes.iter().rev());
            continue;
        }
        while let Some(addition) = additions.pop_if(|addition| addition.segment as usize == index) {
            match addition.emit {
                Emit::Byte(byte, _) => behind.push(byte),
                Emit::Separate { byte, boundary, .. } => {
                    if is_needless(lexer, boundary, byte, &behind) {
                        continue;
                    }
                    behind.push(byte);
                }
                Emit::Leave(_) | Emit::Token(_) => {}
            }
            kept.push(addition);
        }
    }
    kept.reverse();
    kept
}

/// Bytes that are looked at behind a separator.
const LOOKAHEAD: usize = 64;

fn is_needless(lexer: &Lexer, boundary: u32, separator: u8, behind: &[u8]) -> bool {
    let ahead: Vec<u8> = behind.iter().rev().take(LOOKAHEAD).copied().collect();
    let Some(&first) = ahead.first() else {
        return lexer.is_end(boundary);
    };
    let Owed::Nothing(free) = lexer.owed(boundary, &ahead) else {
        return false;
    };
    let separated = lexer.next(boundary, separator).and_then(|state| {
        let mut ends = lexer.finishes(state).iter();
        let end = ends.find(|finish| finish.terminal.is_none())?;
        lexer.next(end.to, first)
    });
    separated.is_some() && separated == lexer.next(free, first)
}
