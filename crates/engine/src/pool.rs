//! Checkers that runs have used, for the next run under the same grammar.
//!
//! A checker's memos fill with use, and the first questions of an empty one cost most of
//! a short run. So a few are kept, the ones used last, each with the grammar and the
//! vocabulary that it is of. What a checker answers does not depend on what it was asked
//! before, but for where a budget runs out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lacuna_checker::Checker;
use lacuna_decoder::GrammarGuard;
use lacuna_lexer::Vocabulary;

use crate::cache::CompiledGrammar;

/// Checkers that are kept.
const MOST: usize = 4;

/// A checker that waits for its next run.
struct Kept {
    grammar: Arc<CompiledGrammar>,
    /// The vocabulary that was asked for.
    vocabulary: Arc<Vocabulary>,
    checker: Checker,
}

/// Checkers that wait for their next run, the one used last at the end.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Kept>>>);

impl Pool {
    /// A guard for the grammar whose checker comes from the pool, if there is one, and
    /// goes back; and the vocabulary that it counts in.
    pub fn guard(
        &self,
        grammar: &Arc<CompiledGrammar>,
        vocabulary: &Arc<Vocabulary>,
    ) -> (GrammarGuard, Arc<Vocabulary>) {
        let of_same = |kept: &Kept| {
            Arc::ptr_eq(&kept.grammar, grammar) && Arc::ptr_eq(&kept.vocabulary, vocabulary)
        };
        let mut all = self.lock();
        let found = all.iter().rposition(of_same).map(|at| all.remove(at));
        drop(all);
        let checker = match found {
            Some(kept) => kept.checker,
            None => grammar.checker(Some(Arc::clone(vocabulary))),
        };
        let counted = Arc::clone(checker.vocabulary().unwrap_or(vocabulary));
        let (pool, grammar) = (self.clone(), Arc::clone(grammar));
        let vocabulary = Arc::clone(vocabulary);
        let guard = GrammarGuard::new(checker, Arc::clone(&counted));
        let keep = move |checker| {
            let mut all = pool.lock();
            all.push(Kept {
                grammar,
                vocabulary,
                checker,
            });
            if all.len() > MOST {
                all.remove(0);
            }
        };
        (guard.keeping(keep), counted)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
