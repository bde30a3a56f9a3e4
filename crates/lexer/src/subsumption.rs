//! Which obligations are needless beside others.
//!
//! An obligation forbids the bytes that would lead it to acceptance. One that
//! forbids nothing but what another forbids as well, or a beginning of it, says
//! nothing new, and sets of obligations are kept without such: fewer boundaries
//! are told apart then. `1..` leaves many of them behind.
//!
//! Cost: a pair of states is looked at once, together with the pairs that it leads
//! to, up to limits for a question and for all; beyond them, nothing is called
//! needless.

use rustc_hash::FxHashMap;

use crate::LexerState;
use crate::combined::Combined;

/// What is known of pairs of obligations.
#[derive(Default)]
pub(crate) struct Subsumption {
    known: FxHashMap<(LexerState, LexerState), bool>,
    looked_at: usize,
}

/// Pairs that are looked at for one question.
const MAX_PAIRS: usize = 2_000;

/// Pairs that are looked at for all questions of one lexer.
const MAX_LOOKED_AT: usize = 500_000;

impl Subsumption {
    /// Drops what others in the set make needless.
    pub(crate) fn reduce(
        &mut self,
        combined: &Combined,
        extends: &[bool],
        obligations: &mut Vec<LexerState>,
    ) {
        let mut at = 0;
        while at < obligations.len() && obligations.len() > 1 {
            let less = obligations[at];
            let others = obligations.iter().filter(|&&more| more != less);
            let is_needless = others
                .clone()
                .any(|&more| self.is_subsumed(combined, extends, less, more));
            match is_needless {
                true => drop(obligations.remove(at)),
                false => at += 1,
            }
        }
    }

    /// Whether whatever `less` forbids, `more` forbids too.
    fn is_subsumed(
        &mut self,
        combined: &Combined,
        extends: &[bool],
        less: LexerState,
        more: LexerState,
    ) -> bool {
        if let Some(&known) = self.known.get(&(less, more)) {
            return known;
        }
        // A greatest fixed point: all pairs that are reached, but for those from
        // which a pair is reached that refutes it.
        let asked = (less, more);
        if self.looked_at > MAX_LOOKED_AT {
            return false;
        }
        let mut pairs = vec![asked];
        let mut places = FxHashMap::from_iter([((less, more), 0usize)]);
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        let mut refuted = Vec::new();
        let mut at = 0;
        while let Some(&(less, more)) = pairs.get(at) {
            for class in 0..combined.representatives.len() {
                let Some(less) = combined.next(less, class) else {
                    continue;
                };
                let (accepted, goes_on) = (combined.is_accepting(less), extends[less as usize]);
                match combined.next(more, class) {
                    Some(more) if combined.is_accepting(more) => {}
                    Some(more) if !accepted && goes_on => {
                        let fresh = pairs.len();
                        let place = *places.entry((less, more)).or_insert(fresh);
                        if place == fresh {
                            pairs.push((less, more));
                            before.push(Vec::new());
                        }
                        before[place].push(at);
                    }
                    _ if accepted || goes_on => {
                        refuted.push(at);
                        break;
                    }
                    _ => {}
                }
            }
            at += 1;
            self.looked_at += 1;
            if pairs.len() > MAX_PAIRS {
                self.known.insert(asked, false);
                return false;
            }
        }
        let mut holds = vec![true; pairs.len()];
        while let Some(at) = refuted.pop() {
            if std::mem::replace(&mut holds[at], false) {
                refuted.extend(&before[at]);
            }
        }
        self.known
            .extend(pairs.into_iter().zip(holds.iter().copied()));
        holds[0]
    }
}
