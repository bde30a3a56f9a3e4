//! Where a grammar is too large, when the checker says only that it is.
//!
//! Limits are met deep inside the construction of automata, after rules have been
//! joined and rewritten. What is to blame is found from outside: a rule that is
//! too large alone although no rule that it uses is; or, of the terminals of a
//! lexer, one without which it is small enough. Each is asked by building again, so
//! this costs a few times what failed, and only where something failed.

use lacuna_checker::{CheckerLimits, Compiled};
use lacuna_grammar::{Diagnostic, Grammar, Lexicon, Linted, Place, RuleId, TerminalId};

/// Grammars that are tried.
const MAX_TRIALS: usize = 12;

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
    /// Goes down from the start as long as a rule that is used is too large alone.
    fn rule(&mut self) -> Option<(Place, String)> {
        let grammar = &self.linted.grammar;
        let mut culprit = grammar.start;
        let mut seen = vec![culprit];
        loop {
            let mut used = Vec::new();
            grammar
                .rule(culprit)
                .body
                .for_each_rule(&mut |rule| used.push(rule));
            used.dedup();
            let next = used.into_iter().find(|&rule| {
                !seen.contains(&rule) && {
                    seen.push(rule);
                    self.is_too_large(&alone(grammar, rule))
                }
            });
            match next {
                Some(rule) => culprit = rule,
                None => break,
            }
        }
        // Not even the whole is, by itself: the fault lies elsewhere.
        if self.left == 0 || (culprit == grammar.start && !self.is_too_large(grammar)) {
            return None;
        }
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

/// The language of one rule.
fn alone(grammar: &Grammar, rule: RuleId) -> Grammar {
    Grammar {
        start: rule,
        constraint: None,
        ..grammar.clone()
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
