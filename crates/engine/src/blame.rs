//! Where a grammar is too large, when the checker says only that it is.
//!
//! Limits are met deep inside the construction of automata, after rules have been
//! joined and rewritten. What is to blame is found from outside: a rule that is
//! too large alone although none that it leads to was found to be; or, of the terminals
//! of a lexer, one without which it is small enough. Each is asked by building again, those
//! that have the most written in them first, so this costs a few times what failed, and
//! only where something failed.

use std::cmp::Reverse;

use lacuna_checker::{CheckerLimits, Compiled};
use lacuna_grammar::{Diagnostic, Expr, Grammar, Lexicon, Linted, Place, Rule, RuleId, TerminalId};

/// Grammars that are tried.
const MAX_TRIALS: usize = 12;
/// Rules that are looked at.
const MAX_SUSPECTS: usize = 100;
/// What all grammars that are tried may say together, as they are written.
const MAX_WRITTEN: usize = 500_000;

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
        let sizes = |repeats: bool| -> Vec<usize> {
            let rules = grammar.rules.iter();
            rules.map(|rule| size(&rule.body, repeats)).collect()
        };
        let (written, written_out) = (sizes(false), sizes(true));
        let whole = reached_from(grammar, grammar.start);
        // Where texts are constrained as a whole, the rules may not be to blame.
        let mut culprit = match grammar.constraint {
            Some(_) => None,
            None => Some(grammar.start),
        };
        let mut suspects = whole.clone();
        suspects.sort_by_key(|rule| Reverse(written_out[rule.0 as usize]));
        let mut left = MAX_WRITTEN;
        let mut within = whole;
        let mut is_found = false;
        for suspect in suspects.into_iter().take(MAX_SUSPECTS) {
            if culprit == Some(suspect) || !within.contains(&suspect) {
                continue;
            }
            let reached = reached_from(grammar, suspect);
            // Of rules that lead to each other, that with the most written in it.
            if is_found && culprit.is_some_and(|culprit| reached.contains(&culprit)) {
                continue;
            }
            let total = reached.iter().map(|rule| written[rule.0 as usize]).sum();
            let Some(rest) = left.checked_sub(total) else {
                continue;
            };
            left = rest;
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
        let states = |at: usize| lexicon.terminals[at].language.state_count();
        let mut largest: Vec<usize> = (0..lexicon.terminals.len()).collect();
        largest.sort_by_key(|&at| std::cmp::Reverse(states(at)));
        let culprit = largest.iter().copied().find(|&at| {
            let without = without_terminal(&self.linted.grammar, TerminalId(at as u32));
            self.left > 0 && !self.is_too_large(&without)
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

/// The rules that a rule leads to, itself first.
fn reached_from(grammar: &Grammar, rule: RuleId) -> Vec<RuleId> {
    let mut is_reached = vec![false; grammar.rules.len()];
    is_reached[rule.0 as usize] = true;
    let mut reached = vec![rule];
    let mut done = 0;
    while let Some(&rule) = reached.get(done) {
        grammar.rule(rule).body.for_each_rule(&mut |next| {
            if !std::mem::replace(&mut is_reached[next.0 as usize], true) {
                reached.push(next);
            }
        });
        done += 1;
    }
    reached
}

/// The language of one rule, which leads to these.
fn alone(grammar: &Grammar, rule: RuleId, reached: &[RuleId]) -> Grammar {
    let nothing = Rule {
        name: String::new(),
        body: Expr::never(),
    };
    let mut rules = vec![nothing; grammar.rules.len()];
    for &RuleId(at) in reached {
        rules[at as usize].clone_from(&grammar.rules[at as usize]);
    }
    Grammar {
        tokens: grammar.tokens.clone(),
        ..Grammar::new(rules, rule)
    }
}

/// How much an expression says; with `repeats`, what is repeated as often as it is.
fn size(expr: &Expr, repeats: bool) -> usize {
    let all = |parts: &[Expr]| {
        let sizes = parts.iter().map(|part| size(part, repeats));
        sizes.fold(1, usize::saturating_add)
    };
    match expr {
        Expr::Literal(bytes) => bytes.len(),
        Expr::Chars(ranges) => ranges.len(),
        Expr::Sequence(parts) | Expr::Choice(parts) => all(parts),
        Expr::Repeat { item, min, max } => {
            let copies = match repeats {
                true => max.unwrap_or(*min).max(*min).max(1),
                false => 1,
            };
            size(item, repeats).saturating_mul(copies as usize)
        }
        Expr::Automaton(dfa) => dfa.state_count(),
        Expr::Interleave(interleave) => {
            let forms = interleave.forms().map(|form| size(form, repeats));
            forms.fold(1, usize::saturating_add)
        }
        Expr::Rule(_) | Expr::Terminal(_) => 1,
    }
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
