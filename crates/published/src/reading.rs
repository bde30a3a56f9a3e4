//! Reading a text off a derivation that is kept as a table: each entry is made of up to
//! two others, which were found before it, or terminals.

use rustc_hash::FxHashSet;

use crate::{Stopped, TerminalId, Ticker};

/// What an entry is made of.
#[derive(Clone, Copy)]
pub(crate) enum Piece {
    /// Another entry.
    Of(u32),
    /// A terminal.
    Terminal(TerminalId),
}

enum Work {
    Piece(Piece),
    /// All of an entry was read; the text's length before it.
    Read(u32, usize),
}

/// The text of an entry. Of entries without a text each is gone through once, however
/// often others are made of them: derivations of nothing double easily.
///
/// # Errors
/// When the time or the memory is over: a text may be exponentially long.
pub(crate) fn text(
    entry: u32,
    pieces: impl Fn(u32) -> [Option<Piece>; 2],
    ticker: &mut Ticker<'_>,
) -> Result<Vec<TerminalId>, Stopped> {
    let mut text = Vec::new();
    let mut empty: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![Work::Piece(Piece::Of(entry))];
    while let Some(next) = work.pop() {
        ticker.tick()?;
        match next {
            Work::Piece(Piece::Terminal(terminal)) => {
                ticker.hold(size_of::<TerminalId>())?;
                text.push(terminal);
            }
            Work::Piece(Piece::Of(entry)) => {
                if !empty.contains(&entry) {
                    work.push(Work::Read(entry, text.len()));
                    let pieces = pieces(entry).into_iter().rev().flatten();
                    work.extend(pieces.map(Work::Piece));
                }
            }
            Work::Read(entry, before) => {
                if text.len() == before {
                    empty.insert(entry);
                }
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::never;

    #[test]
    fn what_derives_nothing_is_read_once() {
        // Each entry is the one before twice; entry 0 is nothing, or a terminal.
        let read = |last: Option<Piece>, entry: u32, bytes: usize| {
            let pieces = |entry: u32| match entry {
                0 => [last, None],
                _ => [Some(Piece::Of(entry - 1)); 2],
            };
            text(entry, pieces, &mut Ticker::with_room(&never, bytes))
        };
        assert_eq!(read(None, 1000, 1000), Ok(Vec::new()));
        let terminal = Some(Piece::Terminal(7));
        assert_eq!(read(terminal, 3, 1000), Ok(vec![7; 8]));
        assert_eq!(read(terminal, 1000, 1000), Err(Stopped::Memory));
    }
}
