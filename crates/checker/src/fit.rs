//! Fits a filling that was found without counting into gaps that count.
//!
//! A parse over gaps of any length is cheap, and its witness is short. If the
//! bytes it puts into each gap can be spelled in as many tokens as the gap has
//! cells, that is a witness for the cells too. Where the bytes are too few, they
//! are pumped: behind a byte after which the lexer can read some byte and be in
//! the same state, that byte may be repeated without any lexeme becoming another
//! (inside a string, a name, or white space). So most yeses cost no exact parse;
//! a filling that cannot be made to fit says nothing.

use lacuna_lexer::{Lexer, LexerState, Spellings, TokenId, Vocabulary};

use crate::graph::{Addition, Emit};
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// The pattern with gaps of any length in place of those that count cells.
pub(crate) fn without_counts(pattern: &Pattern) -> Pattern {
    pattern.with_gaps(|_| Gap::Any)
}

/// The filling of `pattern`'s gaps by what a parse of [`without_counts`] added, or of a pattern
/// some of whose gaps count cells, if it can be made to fit.
pub(crate) fn fit(
    pattern: &Pattern,
    additions: &[Addition],
    lexer: &Lexer,
    vocabulary: &Vocabulary,
) -> Option<Witness> {
    let gaps = (0u32..)
        .zip(&pattern.segments)
        .filter_map(|(segment, piece)| match piece {
            Segment::Gap(gap) => Some((segment, *gap)),
            Segment::Text(_) => None,
        });
    let gaps = gaps.map(|(segment, gap)| {
        let filling = Filled::new(segment, additions);
        if !filling.tokens.is_empty() {
            return Some(Filling::Tokens(filling.tokens));
        }
        match gap {
            Gap::Any => Some(Filling::Bytes(filling.bytes)),
            Gap::Cells(cells) => exactly(filling, cells, lexer, vocabulary).map(Filling::Tokens),
            Gap::UpTo(cells) => {
                let spellings = Spellings::new(vocabulary, &filling.bytes, cells);
                let fewest = spellings.fewest()?;
                spellings.spell(fewest).map(Filling::Tokens)
            }
        }
    });
    let gaps = gaps.collect::<Option<_>>()?;
    Some(Witness { gaps })
}

/// What was put into a gap: bytes, and the lexer state behind each, or tokens where cells were
/// counted.
struct Filled {
    tokens: Vec<TokenId>,
    bytes: Vec<u8>,
    states: Vec<LexerState>,
    /// The lexer state at the gap's end.
    end: Option<LexerState>,
}

impl Filled {
    fn new(segment: u32, additions: &[Addition]) -> Self {
        let mut filled = Self {
            tokens: Vec::new(),
            bytes: Vec::new(),
            states: Vec::new(),
            end: None,
        };
        for addition in additions.iter().filter(|added| added.segment == segment) {
            match addition.emit {
                Emit::Byte(byte, state) | Emit::Separate { byte, state, .. } => {
                    filled.bytes.push(byte);
                    filled.states.push(state);
                }
                Emit::Leave(state) => filled.end = Some(state),
                Emit::Token(token) => filled.tokens.push(token),
            }
        }
        filled
    }

    /// Places where a byte may be repeated, and that byte.
    fn pumps(&self, lexer: &Lexer) -> impl Iterator<Item = (usize, u8)> {
        let behind_bytes = (1..).zip(self.states.iter().copied());
        let at_end = self.end.map(|state| (self.bytes.len(), state));
        let places: Vec<(usize, LexerState)> = behind_bytes.chain(at_end).collect();
        places.into_iter().filter_map(|(place, state)| {
            let mut moves = lexer.moves(state);
            let (byte, _) = moves.find(|&(_, next)| next == state)?;
            Some((place, byte))
        })
    }
}

fn exactly(
    filled: Filled,
    cells: usize,
    lexer: &Lexer,
    vocabulary: &Vocabulary,
) -> Option<Vec<TokenId>> {
    let spellings = Spellings::new(vocabulary, &filled.bytes, cells);
    if let Some(tokens) = spellings.spell(cells) {
        return Some(tokens);
    }
    let missing = cells.checked_sub(filled.bytes.len())?;
    filled.pumps(lexer).find_map(|(place, byte)| {
        let (before, behind) = filled.bytes.split_at(place);
        let pumped = [before, &vec![byte; missing], behind].concat();
        Spellings::new(vocabulary, &pumped, cells).spell(cells)
    })
}
