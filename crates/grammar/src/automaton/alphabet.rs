//! Characters that a language does not tell apart, as symbols.

use rustc_hash::FxHashMap;

use crate::Expr;
use crate::characters::{ANY_CHARACTER, normalise};

/// All codes that are characters, in two runs.
const CHARACTERS: [(u32, u32); 2] = [(0, 0xD7FF), (0xE000, ANY_CHARACTER.1)];
/// Most symbols: each is a byte.
pub(super) const MOST: usize = 256;

/// A partition of the characters into at most 256 symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alphabet {
    /// Runs of characters in order, each with its symbol: first and last code.
    runs: Box<[(u32, u32, u8)]>,
    /// The symbols in the order of their first characters.
    order: Box<[u8]>,
}

impl Alphabet {
    /// The coarsest one that tells apart what is in a set from what is not; `None`
    /// where it has too many symbols.
    pub(super) fn of_sets(mut sets: Vec<&[(u32, u32)]>) -> Option<Self> {
        sets.sort_unstable();
        sets.dedup();
        let mut cuts: Vec<u32> = CHARACTERS.iter().map(|&(low, _)| low).collect();
        let ranges = sets.iter().flat_map(|set| set.iter());
        cuts.extend(ranges.flat_map(|&(low, high)| [low, high + 1]));
        cuts.retain(|&cut| {
            CHARACTERS
                .iter()
                .any(|&(low, high)| (low..=high).contains(&cut))
        });
        cuts.sort_unstable();
        cuts.dedup();
        let mut kinds = vec![0usize; cuts.len()];
        let mut count = 1;
        for set in sets {
            // What a set cuts in two gets a number more for the part inside.
            let mut inside = vec![(0usize, 0usize); count];
            let held = |cut: u32| {
                let at = set.partition_point(|&(low, _)| low <= cut);
                at > 0 && set[at - 1].1 >= cut
            };
            let held: Vec<bool> = cuts.iter().map(|&cut| held(cut)).collect();
            for (kind, held) in kinds.iter().zip(&held) {
                let seen = &mut inside[*kind];
                match held {
                    true => seen.0 += 1,
                    false => seen.1 += 1,
                }
            }
            let mut fresh = vec![0; count];
            for (kind, held) in kinds.iter_mut().zip(&held) {
                if *held && inside[*kind].1 > 0 {
                    let fresh = &mut fresh[*kind];
                    if *fresh == 0 {
                        *fresh = count;
                        count += 1;
                    }
                    *kind = *fresh;
                }
            }
            if count > MOST {
                return None;
            }
        }
        let last = |at: usize| match cuts.get(at + 1) {
            Some(&next) if next == CHARACTERS[1].0 => CHARACTERS[0].1,
            Some(&next) => next - 1,
            None => ANY_CHARACTER.1,
        };
        let runs = cuts.iter().zip(&kinds).enumerate();
        let runs = runs.map(|(at, (&low, &kind))| (low, last(at), kind as u8));
        Some(Self::of_runs(runs.collect()))
    }

    fn of_runs(runs: Vec<(u32, u32, u8)>) -> Self {
        let mut seen = [false; MOST];
        let symbols = runs.iter().map(|run| run.2);
        let order = symbols.filter(|&symbol| !std::mem::replace(&mut seen[symbol as usize], true));
        Self {
            order: order.collect(),
            runs: runs.into(),
        }
    }

    /// The coarsest one that refines two, with what each symbol is in either.
    pub(super) fn joint(&self, other: &Self) -> Option<(Self, Vec<u8>, Vec<u8>)> {
        let mut runs: Vec<(u32, u32, u8)> = Vec::new();
        let mut pairs: FxHashMap<(u8, u8), u8> = FxHashMap::default();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut at, mut beside) = (0, 0);
        let mut low = 0;
        while let (Some(&(_, end, one)), Some(&(_, other_end, two))) =
            (self.runs.get(at), other.runs.get(beside))
        {
            let high = end.min(other_end);
            let symbol = match pairs.get(&(one, two)) {
                Some(&known) => known,
                None if left.len() == MOST => return None,
                None => {
                    let fresh = left.len() as u8;
                    pairs.insert((one, two), fresh);
                    left.push(one);
                    right.push(two);
                    fresh
                }
            };
            match runs.last_mut() {
                Some(last) if last.2 == symbol && last.1 + 1 == low => last.1 = high,
                _ => runs.push((low, high, symbol)),
            }
            at += usize::from(end == high);
            beside += usize::from(other_end == high);
            low = match high == CHARACTERS[0].1 {
                true => CHARACTERS[1].0,
                false => high + 1,
            };
        }
        Some((Self::of_runs(runs), left, right))
    }

    /// Runs of characters with their symbols, in order.
    pub(super) fn runs(&self) -> &[(u32, u32, u8)] {
        &self.runs
    }

    /// Number of symbols.
    pub(super) fn count(&self) -> usize {
        self.order.len()
    }

    /// The symbols, in the order of their first characters.
    pub(super) fn by_first_character(&self) -> &[u8] {
        &self.order
    }

    /// The symbol of a character.
    pub(super) fn symbol(&self, character: char) -> u8 {
        let code = character as u32;
        let behind = self.runs.partition_point(|&(low, _, _)| low <= code);
        self.runs[behind.saturating_sub(1)].2
    }

    /// The symbols of a set, as runs; the set was among those that told them apart.
    pub(super) fn symbols_of(&self, set: &[(u32, u32)]) -> Vec<(u8, u8)> {
        let mut symbols = [false; MOST];
        let mut at = 0;
        for &(low, high) in set {
            while self.runs.get(at).is_some_and(|run| run.1 < low) {
                at += 1;
            }
            while let Some(run) = self.runs.get(at).filter(|run| run.0 <= high) {
                symbols[run.2 as usize] = true;
                at += 1;
            }
        }
        let mut runs: Vec<(u8, u8)> = Vec::new();
        for (symbol, _) in symbols.iter().enumerate().filter(|(_, held)| **held) {
            match runs.last_mut() {
                Some(last) if usize::from(last.1) + 1 == symbol => last.1 = symbol as u8,
                _ => runs.push((symbol as u8, symbol as u8)),
            }
        }
        runs
    }
}

/// The sets of characters that an expression speaks of; `None` where it speaks of
/// bytes.
pub(super) fn sets_of(expr: &Expr) -> Option<Vec<Vec<(u32, u32)>>> {
    let mut found = Vec::new();
    collect(expr, &mut found).then_some(found)
}

fn collect(expr: &Expr, found: &mut Vec<Vec<(u32, u32)>>) -> bool {
    match expr {
        Expr::Literal(bytes) => {
            let Ok(text) = std::str::from_utf8(bytes) else {
                return false;
            };
            found.extend(text.chars().map(|c| vec![(c as u32, c as u32)]));
            true
        }
        Expr::Chars(ranges) => {
            found.push(normalise(ranges.to_vec()));
            true
        }
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            parts.iter().all(|part| collect(part, found))
        }
        Expr::Repeat { item, .. } => collect(item, found),
        Expr::Automaton(_)
        | Expr::Counted(_)
        | Expr::Rule(_)
        | Expr::Interleave(_)
        | Expr::Terminal(_) => false,
    }
}
