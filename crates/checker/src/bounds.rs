//! Regular approximations of a grammar, or its language itself.
//!
//! Where a grammar is not regular they decide little that a short search does not decide as
//! soon, and take as long to make as half of all the rest. So they are made when such a search
//! was not enough (a text that is put together in thousands of ways is nothing to them), or when
//! something asks that only they can say: what a cell may hold at most, how many cells the
//! shortest text takes at least, which text of little recursion weighs most.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use lacuna_grammar::automaton::{Dfa, Limits, SHORTCUTS};
use lacuna_grammar::interleave::{Interleave, replace};
use lacuna_grammar::{Expr, Grammar};

use crate::CheckerLimits;
use crate::normalize::Normalized;
use crate::unroll::{Below, unroll, write_out_expression};

/// Automata below and above a language that is not regular, as far as the limits
/// hold them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    /// Holds at most the language.
    pub inner: Option<Arc<Dfa>>,
    /// Holds at least the language.
    pub cover: Option<Arc<Dfa>>,
    /// Levels of recursion that `inner` writes out.
    pub levels: usize,
}

/// Bounds that are made when they are first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct LazyBounds {
    /// What they are made from, where there are any.
    source: Option<Box<(Normalized, Limits)>>,
    made: OnceLock<Bounds>,
}

impl LazyBounds {
    /// Those of a grammar; none where it is plain that limits will not hold them, nor in the
    /// grammar engine alone, which is small before it is fast: checks find what they would say.
    pub(crate) fn of(normalized: Normalized, limits: &Limits) -> Self {
        let is_possible = SHORTCUTS
            && normalized.grammar.lexicon.is_none()
            && size_of(&normalized) <= LARGER_GRAMMARS * limits.nfa_states;
        Self {
            source: is_possible.then(|| Box::new((normalized, *limits))),
            made: OnceLock::new(),
        }
    }

    pub(crate) fn get(&self) -> &Bounds {
        self.made.get_or_init(|| match self.source.as_deref() {
            Some((normalized, limits)) if SHORTCUTS => Bounds::new(normalized, limits),
            _ => Bounds::default(),
        })
    }

    /// Bytes of memory that they take now, closely.
    pub(crate) fn heap_bytes(&self) -> usize {
        let source = self.source.as_deref().filter(|_| SHORTCUTS);
        let source = source.map_or(0, |(normalized, _)| BYTES_OF_A_STATE * size_of(normalized));
        let made = self.made.get().map_or(0, |bounds| {
            let automata = [&bounds.inner, &bounds.cover].into_iter().flatten();
            automata.map(|dfa| dfa.heap_bytes()).sum()
        });
        source + made
    }
}

impl From<Bounds> for LazyBounds {
    fn from(bounds: Bounds) -> Self {
        Self {
            source: None,
            made: bounds.into(),
        }
    }
}

impl Bounds {
    fn new(normalized: &Normalized, approximations: &Limits) -> Self {
        let Normalized {
            grammar, recursive, ..
        } = normalized;
        let constrained = |dfa: Dfa| constrained(dfa, grammar, approximations).map(Arc::new);
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

/// So many times the states that automata of rules may have, a grammar may have: what is
/// recursive is not written out in all of them.
const LARGER_GRAMMARS: usize = 8;

/// What a state of an expression takes in memory, about.
const BYTES_OF_A_STATE: usize = 64;

/// About the states that all rules take, each once.
fn size_of(normalized: &Normalized) -> usize {
    let rules = normalized.grammar.rules.iter();
    rules.map(|rule| size(&rule.body)).sum()
}

/// The same of an expression, rules aside.
fn size(expr: &Expr) -> usize {
    match expr {
        Expr::Automaton(dfa) => dfa.state_count(),
        Expr::Counted(counted) => counted.state_count(),
        Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter().map(size).sum(),
        Expr::Repeat { item, .. } => size(item),
        Expr::Interleave(interleave) => interleave.forms().map(size).sum(),
        Expr::Literal(bytes) => bytes.len(),
        Expr::Chars(_) | Expr::Rule(_) | Expr::Terminal(_) => 1,
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
    let start = &Expr::Rule(grammar.start);
    let limits = &match grammar.rules.len() {
        1 => limits.automata,
        _ => Limits {
            dfa_states: limits.language_states.min(limits.automata.dfa_states),
            ..limits.automata
        },
    };
    // Most are too large or refused, which is known before their automata are begun.
    let is_too_large = match normalized.cost {
        usize::MAX => SHORTCUTS && !jumps_only(normalized),
        cost if grammar.rules.len() == 1 => cost >= limits.nfa_states,
        cost => cost >= limits.nfa_states.min(WRITTEN_FOR_EACH * limits.dfa_states),
    };
    if is_too_large {
        return None;
    }
    let language = write_out_expression(grammar, start, recursive, limits);
    constrained(language.ok()?, grammar, limits)
}

/// So many states of a grammar written out are about one of its automaton, at most: where
/// strings are counted, say. With more the work is lost as a rule.
const WRITTEN_FOR_EACH: usize = 4;

/// Whether all recursion stands in tail position, where a mention is a jump.
fn jumps_only(normalized: &Normalized) -> bool {
    let grammar = &normalized.grammar;
    let mut seen = vec![false; grammar.rules.len()];
    let mut open = vec![grammar.start];
    while let Some(rule) = open.pop() {
        if std::mem::replace(&mut seen[rule.0 as usize], true) {
            continue;
        }
        let mut parts = vec![&grammar.rule(rule).body];
        while let Some(part) = parts.pop() {
            let inside: &[Expr] = match part {
                Expr::Rule(rule) => {
                    open.push(*rule);
                    continue;
                }
                Expr::Choice(cases) => {
                    parts.extend(cases);
                    continue;
                }
                Expr::Sequence(inside) => match inside.split_last() {
                    Some((last, inside)) => {
                        parts.push(last);
                        inside
                    }
                    None => continue,
                },
                inside => std::slice::from_ref(inside),
            };
            if inside.iter().any(|part| normalized.is_endless(part)) {
                return false;
            }
        }
    }
    true
}

/// What is left of an approximation under the constraint on whole texts.
fn constrained(dfa: Dfa, grammar: &Grammar, limits: &Limits) -> Option<Dfa> {
    match &grammar.constraint {
        Some(constraint) => dfa.intersect(constraint, limits).ok(),
        None => Some(dfa),
    }
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::gbnf;

    use super::*;
    use crate::normalize::normalize;

    /// Texts of so many states that no rule becomes an automaton of its own.
    const LONG: &str = "[a-z]{600}";

    fn is_regular(source: &str) -> bool {
        let limits = CheckerLimits::default();
        let grammar = gbnf::parse(source).unwrap();
        let normalized = normalize(&grammar, limits.copied_states);
        regular_language(&normalized, &limits).is_some()
    }

    #[test]
    fn recursion_at_the_end_is_regular_and_no_other_is() {
        let first = format!("root ::= item (\",\" root | \".\")\nitem ::= \"x\" {LONG}");
        assert!(is_regular(&first));
        let in_turns = format!(
            "root ::= \"a\" other | {LONG}\nother ::= {LONG} (\"b\" root | \"c\" other | \"d\")"
        );
        assert!(is_regular(&in_turns));
        for inside in ["root \")\"", "(root)? \")\"", "mention", "root{2}"] {
            let source =
                format!("root ::= \"(\" ({inside}) | {LONG}\nmention ::= \"m\" root \"n\" | \"o\"");
            assert!(!is_regular(&source), "{source}");
        }
    }

    #[test]
    fn what_would_be_too_large_is_not_begun() {
        let sizes = |most: u32| format!("root ::= \"x\" any\nany ::= [^x]{{0,{most}}} \"x\"");
        assert!(is_regular(&sizes(1_000)));
        assert!(!is_regular(&sizes(10_000)));
    }
}
