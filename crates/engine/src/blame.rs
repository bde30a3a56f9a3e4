//! Where a grammar is too large, when the checker says only that it is.
//!
//! Limits are met deep inside the construction of automata, after rules have been
//! joined and rewritten. What is to blame is found from outside: a rule that is
//! too large alone although none that it leads to was found to be; or, of the terminals
//! of a lexer, one without which it is small enough. Each is asked by building again, those
//! that have the most written in them first, so this costs a few times what failed, and
//! only where something failed.

use lacuna_checker::{CheckerLimits, Compiled};
use lacuna_grammar::analysis::{reachable, reachable_from};
use lacuna_grammar::{Diagnostic, Expr, Grammar, Lexicon, Linted, Place, Rule, RuleId, TerminalId};

/// Grammars that are tried.
const MAX_TRIALS: usize = 12;
/// Rules that are looked at.
const MAX_SUSPECTS: usize = 100;
/// Rules that all grammars that are tried may have together.
const MAX_RULES: usize = 2_000;

/// A finding about `linted`, which the checker refused with `message`.
pub(crate) fn blame(linted: &Linted, counts_cells: bool, message: &str) -> Diagnostic {
    let mut trials = Trials {
        linted,
        counts_cells,
        left: MAX_TRIALS,
    };
    let found = match &linted.grammar.lexicon {
        Some(lexicon) => trials.terminal(lexicon),
        None => trials.rule(),
    };
    let (place, what) = found.unwrap_or_else(|| {
        let start = linted.grammar.start;
        let name = &linted.grammar.rule(start).name;
        (place_of(&linted.places, start.0), format!("all of {name}"))
    });
    Diagnostic::error(
        "too-large",
        place,
        format!("{what} is too large: {message}"),
    )
    .with_note("a counted repetition is written out, and what it repeats with it")
}

struct Trials<'a> {
    linted: &'a Linted,
    counts_cells: bool,
    left: usize,
}

impl Trials<'_> {
    /// Of rules that are too large alone, those with the most written in them first, one
    /// that each of the others leads to.
    fn rule(&mut self) -> Option<(Place, String)> {
        let grammar = &self.linted.grammar;
        let sizes = grammar.rules.iter().map(|rule| size(&rule.body));
        // Where texts are constrained as a whole, the rules may not be to blame.
        let mut culprit = match grammar.constraint {
            Some(_) => None,
            None => Some(grammar.start),
        };
        let mut left = MAX_RULES;
        let mut within = reachable(grammar);
        let mut is_found = false;
        for at in largest(sizes.collect(), MAX_SUSPECTS) {
            let suspect = RuleId(at as u32);
            if culprit == Some(suspect) || !within[at] {
                continue;
            }
            let reached = reachable_from(grammar, suspect);
            // Of rules that lead to each other, that with the most written in it.
            if is_found && culprit.is_some_and(|culprit| reached[culprit.0 as usize]) {
                continue;
            }
            let count = reached.iter().filter(|it| **it).count();
            if count > left {
                continue;
            }
            left -= count;
            if self.is_too_large(&alone(grammar, suspect, &reached)) {
                culprit = Some(suspect);
                within = reached;
                is_found = true;
            }
        }
        let culprit = culprit.filter(|&culprit| culprit != grammar.start)?;
        let name = format!("the rule {}", grammar.rule(culprit).name);
        Some((place_of(&self.linted.places, culprit.0), name))
    }

    /// The terminals with the most states are tried first.
    fn terminal(&mut self, lexicon: &Lexicon) -> Option<(Place, String)> {
        let states = lexicon.terminals.iter().map(|it| it.language.state_count());
        let culprit = largest(states.collect(), MAX_TRIALS)
            .into_iter()
            .find(|&at| {
                let without = without_terminal(&self.linted.grammar, TerminalId(at as u32));
                !self.is_too_large(&without)
            })?;
        let name = &lexicon.terminals[culprit].name;
        let what = format!("the lexer is small enough without the terminal {name}; with it, it");
        Some((place_of(&self.linted.terminals, culprit as u32), what))
    }

    /// Whether it cannot be compiled; also when nothing more may be tried.
    fn is_too_large(&mut self, grammar: &Grammar) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let limits = CheckerLimits::default();
        let compiled = Compiled::new(grammar, self.counts_cells, &limits);
        compiled.map_or(true, |compiled| compiled.statistics(&limits).is_err())
    }
}

fn place_of(places: &[Place], at: u32) -> Place {
    let nowhere = Place::Pointer(String::new());
    places.get(at as usize).cloned().unwrap_or(nowhere)
}

/// The places of the largest, these first.
fn largest(mut sizes: Vec<usize>, count: usize) -> Vec<usize> {
    let mut found = Vec::new();
    while found.len() < count
        && let Some((at, size)) = sizes.iter_mut().enumerate().max_by_key(|(_, size)| **size)
        && *size > 0
    {
        *size = 0;
        found.push(at);
    }
    found
}

/// The language of one rule, which leads to these.
fn alone(grammar: &Grammar, rule: RuleId, reached: &[bool]) -> Grammar {
    let rules = grammar.rules.iter().zip(reached);
    let rules = rules.map(|(rule, &is_reached)| match is_reached {
        true => rule.clone(),
        false => Rule {
            name: String::new(),
            body: Expr::never(),
        },
    });
    Grammar {
        tokens: grammar.tokens.clone(),
        ..Grammar::new(rules.collect(), rule)
    }
}

/// How much an expression says, what is repeated as often as it is.
fn size(expr: &Expr) -> usize {
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => sum(parts.iter()),
        Expr::Interleave(interleave) => sum(interleave.forms()),
        Expr::Repeat { item, min, max } => {
            let copies = max.unwrap_or(*min).max(*min).max(1) as usize;
            size(item).saturating_mul(copies)
        }
        Expr::Automaton(dfa) => dfa.state_count(),
        Expr::Counted(counted) => counted.state_count(),
        _ => 1,
    }
}

fn sum<'e>(parts: impl Iterator<Item = &'e Expr>) -> usize {
    parts.fold(1, |sum, part| sum.saturating_add(size(part)))
}

/// The grammar whose lexer lacks a terminal.
fn without_terminal(grammar: &Grammar, terminal: TerminalId) -> Grammar {
    let mut without = grammar.clone();
    if let Some(lexicon) = &mut without.lexicon {
        let left_out = &mut lexicon.terminals[terminal.0 as usize];
        left_out.language = std::sync::Arc::new(lacuna_grammar::automaton::Dfa::nothing());
    }
    without
}
