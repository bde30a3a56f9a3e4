//! What is known of the lexemes under way at one place, by their states.
//!
//! The tokens of a cell end at one place, in a few hundred states, each of them again and again:
//! what was last asked for there is found without hashing.
//!
//! Cost: two numbers for each state up to the highest that was met, kept.

use crate::graph::Point;

/// Numbers for nodes within lexemes, which no rows tell apart, of the last place that was written to.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtPlace {
    place: (u32, u32),
    /// How many places there were.
    now: u32,
    /// By state, when it was last met, and its number then.
    numbers: Vec<(u32, u32)>,
}

/// States from this on, which count characters, have no numbers here.
const MOST: u32 = 1 << 16;

impl AtPlace {
    /// The number of a node, if it has one.
    pub fn get(&self, point: Point) -> Option<u32> {
        let &(when, number) = self.numbers.get(point.state as usize)?;
        let is_known = point.within && when == self.now && self.place == place(point);
        is_known.then_some(number)
    }

    /// Gives a number to a node, and forgets those of other places.
    pub fn put(&mut self, point: Point, number: u32) {
        if !point.within || point.state >= MOST {
            return;
        }
        if self.now == 0 || self.place != place(point) {
            self.now += 1;
            self.place = place(point);
        }
        let at = point.state as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, (0, 0));
        }
        self.numbers[at] = (self.now, number);
    }
}

fn place(point: Point) -> (u32, u32) {
    (point.segment, point.offset)
}

#[cfg(test)]
mod tests {
    //! Oracle: a map that is emptied when another place is written to.

    use std::collections::HashMap;

    use lacuna_lexer::NO_ROW;

    use super::*;

    #[test]
    fn it_knows_what_was_put_at_the_last_place() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut known: HashMap<Point, u32> = HashMap::new();
        let mut at_place = AtPlace::default();
        let mut last = (0, 0);
        for number in 0..2000 {
            let point = Point {
                segment: random.u32(..2),
                offset: random.u32(..2),
                row: NO_ROW,
                state: random.u32(..9) + [0, MOST][usize::from(random.u8(..4) == 0)],
                within: random.u8(..8) != 0,
            };
            assert_eq!(at_place.get(point), known.get(&point).copied());
            let has_number = point.within && point.state < MOST;
            if random.u8(..4) == 0 && has_number {
                if std::mem::replace(&mut last, place(point)) != place(point) {
                    known.clear();
                }
                known.insert(point, number);
            }
            if known.contains_key(&point) || !has_number {
                at_place.put(point, *known.get(&point).unwrap_or(&0));
            }
        }
    }
}
