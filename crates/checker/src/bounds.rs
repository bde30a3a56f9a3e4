//! Regular approximations of a grammar, or its language itself.

use std::borrow::Cow;

use lacuna_grammar::automaton::{Dfa, Limits};
use lacuna_grammar::interleave::{Interleave, replace};
use lacuna_grammar::{Expr, Grammar};

use crate::CheckerLimits;
use crate::normalize::Normalized;
use crate::unroll::{Below, unroll, write_out_expression};

/// Automata below and above a language that is not regular, as far as the limits
/// hold them.
#[derive(Default)]
pub(crate) struct Bounds {
    /// Holds at most the language.
    pub inner: Option<Dfa>,
    /// Holds at least the language.
    pub cover: Option<Dfa>,
    /// Levels of recursion that `inner` writes out.
    pub levels: usize,
}

impl Bounds {
    pub(crate) fn new(normalized: &Normalized, limits: &CheckerLimits) -> Self {
        let Normalized {
            grammar, recursive, ..
        } = normalized;
        if grammar.lexicon.is_some() {
            return Self::default();
        }
        let constrained = |dfa: Dfa| constrained(dfa, grammar, &limits.approximations);
        let approximations = &limits.approximations;
        let below = with_orders(grammar, Interleave::in_order);
        let inner = unroll(&below, recursive, Below::Nothing, approximations);
        // Where texts without recursion need too many states, all of them will; but not where
        // items in one order stand for items in any.
        let is_hopeless = inner.is_none() && matches!(below, Cow::Borrowed(_));
        let cover = (!is_hopeless).then(|| {
            let above = with_orders(grammar, Interleave::any_number);
            unroll(&above, recursive, Below::Shared, approximations)
        });
        Self {
            levels: inner.as_ref().map_or(0, |inner| inner.levels),
            inner: inner.and_then(|inner| constrained(inner.dfa)),
            cover: cover.flatten().and_then(|cover| constrained(cover.dfa)),
        }
    }
}

/// The grammar with other expressions for items in any order.
fn with_orders(grammar: &Grammar, of: fn(&Interleave) -> Expr) -> Cow<'_, Grammar> {
    let mut grammar = Cow::Borrowed(grammar);
    if grammar.rules.iter().any(|rule| rule.body.has_interleave()) {
        replace(grammar.to_mut(), |interleave, _, _| Some(of(interleave)));
    }
    grammar
}

/// The automaton of the language, if that is regular and visibly so. It may use
/// the larger limits, since it is all that is needed then.
pub(crate) fn regular_language(normalized: &Normalized, limits: &CheckerLimits) -> Option<Dfa> {
    let Normalized {
        grammar, recursive, ..
    } = normalized;
    if grammar.lexicon.is_some() {
        return None;
    }
    let (start, limits) = (&Expr::Rule(grammar.start), &limits.automata);
    // Many are too large, which is known before their automata are begun.
    if (limits.nfa_states..usize::MAX).contains(&normalized.cost) {
        return None;
    }
    let language = write_out_expression(grammar, start, recursive, limits);
    constrained(language.ok()?, grammar, limits)
}

/// What is left of an approximation under the constraint on whole texts.
fn constrained(dfa: Dfa, grammar: &Grammar, limits: &Limits) -> Option<Dfa> {
    match &grammar.constraint {
        Some(constraint) => dfa.intersect(constraint, limits).ok(),
        None => Some(dfa),
    }
}
