//! Intersection and difference, by the product construction.

use rustc_hash::FxHashMap;

use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Limits, StateId};

impl Dfa {
    /// The texts that belong to both languages.
    ///
    /// # Errors
    /// When the product outgrows the limits.
    pub fn intersect(&self, other: &Dfa, limits: &Limits) -> Result<Dfa, AutomatonError> {
        self.product(
            other,
            limits,
            |_, right| right != DEAD,
            |left, right| left && right,
        )
    }

    /// The texts that belong to `self` and not to `other`.
    ///
    /// # Errors
    /// When the product outgrows the limits.
    pub fn minus(&self, other: &Dfa, limits: &Limits) -> Result<Dfa, AutomatonError> {
        self.product(other, limits, |_, _| true, |left, right| left && !right)
    }

    fn product(
        &self,
        other: &Dfa,
        limits: &Limits,
        keep: impl Fn(StateId, StateId) -> bool,
        accepts: impl Fn(bool, bool) -> bool,
    ) -> Result<Dfa, AutomatonError> {
        Ok(self.product_of(other, limits, keep, accepts)?.minimize())
    }

    /// The product over pairs of states whose left part lives; `keep` says
    /// which pairs are worth following, `accepts` which accept.
    fn product_of(
        &self,
        other: &Dfa,
        limits: &Limits,
        keep: impl Fn(StateId, StateId) -> bool,
        accepts: impl Fn(bool, bool) -> bool,
    ) -> Result<Dfa, AutomatonError> {
        let (classes, pairs_of_classes) = joint_classes(self, other);
        let mut ids: FxHashMap<(StateId, StateId), StateId> = FxHashMap::default();
        let mut pairs = vec![(self.start, other.start)];
        ids.insert(pairs[0], 0);
        let mut table = Vec::new();
        let mut done = 0;
        while done < pairs.len() {
            let (left, right) = pairs[done];
            for &(left_class, right_class) in &pairs_of_classes {
                let next_left = self.table[left as usize * self.class_count + left_class];
                let next_right = match right {
                    DEAD => DEAD,
                    right => other.table[right as usize * other.class_count + right_class],
                };
                if next_left == DEAD || !keep(next_left, next_right) {
                    table.push(DEAD);
                    continue;
                }
                let fresh = pairs.len() as StateId;
                let id = *ids.entry((next_left, next_right)).or_insert_with(|| {
                    pairs.push((next_left, next_right));
                    fresh
                });
                if pairs.len() > limits.dfa_states {
                    return Err(AutomatonError::TooLarge {
                        what: "deterministic states",
                        limit: limits.dfa_states,
                    });
                }
                table.push(id);
            }
            done += 1;
        }
        let accepting = pairs
            .iter()
            .map(|&(left, right)| {
                accepts(
                    self.is_accepting(left),
                    right != DEAD && other.is_accepting(right),
                )
            })
            .collect();
        let class_count = pairs_of_classes.len();
        Ok(Dfa {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        }
        .trim())
    }
}

/// The coarsest classes that refine both automata's, each with its class in
/// either.
fn joint_classes(left: &Dfa, right: &Dfa) -> (Box<[u8; 256]>, Vec<(usize, usize)>) {
    let mut ids: FxHashMap<(u8, u8), u8> = FxHashMap::default();
    let mut pairs = Vec::new();
    let mut classes = Box::new([0u8; 256]);
    for byte in 0..256 {
        let pair = (left.classes[byte], right.classes[byte]);
        classes[byte] = *ids.entry(pair).or_insert_with(|| {
            pairs.push((pair.0 as usize, pair.1 as usize));
            (pairs.len() - 1) as u8
        });
    }
    (classes, pairs)
}
