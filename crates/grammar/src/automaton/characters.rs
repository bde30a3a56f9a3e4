//! One character of a class, byte by byte in UTF-8.
//!
//! What the sequences of a class's bytes end with is shared among them, so that automata begin
//! smaller: any character but a few has 7 places for states, where sequences side by side would
//! have 18.
//!
//! Cost: for a class its sequences, and [`RECENT`] places for each; then a step for each place.

use regex_syntax::utf8::Utf8Sequences;

use super::{AutomatonError, ByteRange, NfaBuilder, NfaState};

/// How one character of a class is read.
#[derive(Debug, Default)]
pub(super) struct Characters {
    /// The only byte, or the first one and the place behind it.
    pub first: Vec<ByteRange>,
    /// The byte that each place reads, and the place behind it, which comes before it here.
    pub places: Vec<ByteRange>,
}

/// How many of the last places are looked at for one that will do: a class may list
/// thousands of characters.
const RECENT: usize = 64;

/// The place behind the last byte.
const END: u32 = u32::MAX;

impl Characters {
    /// One character of inclusive ranges; surrogates are none.
    pub(super) fn new(ranges: &[(u32, u32)]) -> Self {
        const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);
        let (mut first, mut places) = (Vec::new(), Vec::new());
        let around = ranges.iter().flat_map(|&(low, high)| {
            [
                (low, high.min(SURROGATES.0 - 1)),
                (low.max(SURROGATES.1 + 1), high),
            ]
        });
        for (low, high) in around {
            let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else {
                continue;
            };
            if low > high {
                continue;
            }
            for sequence in Utf8Sequences::new(low, high) {
                let Some((head, rest)) = sequence.as_slice().split_first() else {
                    continue;
                };
                let behind = rest.iter().rev().fold(END, |behind, range| {
                    let place = (range.start, range.end, behind);
                    let recent = places.iter().rev().take(RECENT);
                    match recent.zip(1..).find(|&(&known, _)| known == place) {
                        Some((_, back)) => places.len() as u32 - back,
                        None => {
                            places.push(place);
                            places.len() as u32 - 1
                        }
                    }
                });
                first.push((head.start, head.end, behind));
            }
        }
        Self { first, places }
    }

    /// Connects two states by it.
    pub(super) fn connect(
        &self,
        builder: &mut NfaBuilder,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let base = builder.state_count() as NfaState;
        let state = |place| match place {
            END => to,
            place => base + place,
        };
        for &(low, high, behind) in &self.places {
            let at = builder.state()?;
            builder.byte_edge(at, low, high, state(behind));
        }
        for &(low, high, behind) in &self.first {
            builder.byte_edge(from, low, high, state(behind));
        }
        Ok(())
    }
}
