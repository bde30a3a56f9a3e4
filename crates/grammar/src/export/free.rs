//! Grammars with lexemes, without them: where cutting a text into the longest lexemes
//! comes to the same as cutting it anywhere.
//!
//! A text that follows from the rules, each terminal being any of its lexemes, is cut so
//! by maximal munch too, if two things hold. No lexeme belongs to a terminal that goes
//! before; this is made so, by leaving such lexemes out. And of two terminals that may
//! stand side by side, no lexeme of the first, followed by what the second begins with,
//! is a longer lexeme of any terminal. That is looked for in the product of their
//! automata. Where it is always one (a keyword before a name), the two are kept apart by
//! ignored text ([`separate`]); where it may or may not be one, both are named. Ignored
//! lexemes count as terminals that may stand anywhere; one that goes on with itself (a run
//! of blanks) stands once.
//!
//! Cost: pairs of neighbours × terminals × what two automata read in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::productive;
use crate::automaton::{AutomatonError, Dfa, Limits, StateId};
use crate::{Diagnostic, Diagnostics, Expr, Grammar, Lexicon, Linted, Place, Rule, RuleId};

use super::separate::{Lexemes, separate};
use super::{Target, obstacle};

const LIMITS: Limits = Limits {
    nfa_states: 100_000,
    dfa_states: 20_000,
};

/// The same texts without a lexicon.
pub(super) fn without_lexemes(linted: &Linted, target: Target) -> Result<Linted, Diagnostics> {
    let Some(lexicon) = &linted.grammar.lexicon else {
        return Ok(linted.clone());
    };
    let nowhere = Place::Span { start: 0, end: 0 };
    let start = linted.places.get(linted.grammar.start.0 as usize);
    let start = start.unwrap_or(&nowhere);
    let too_large = |error: AutomatonError| {
        Diagnostics::from(obstacle("export-too-large", start, error.to_string()))
    };
    let languages = winning(lexicon).map_err(too_large)?;
    let ignored: Vec<usize> = (0..languages.len())
        .filter(|&at| lexicon.terminals[at].ignored)
        .collect();
    let goes_on = match ignored.as_slice() {
        &[only] => follows_itself(&languages[only]).map_err(too_large)?,
        _ => false,
    };
    let all = lexicon.terminals.iter();
    let all = all.map(|terminal| Expr::Automaton(Arc::clone(&terminal.language)));
    let any = Dfa::from_expr(&Expr::Choice(all.collect()), &LIMITS).map_err(too_large)?;
    let neighbours = Neighbours::of(&linted.grammar, &ignored, goes_on);
    let mut apart = BTreeSet::new();
    for &(before, after) in &neighbours.pairs {
        let [first, second] = [before, after].map(|at| &languages[at]);
        if !may_grow(first, second, &any) {
            continue;
        }
        let is_ignored = ignored.contains(&before) || ignored.contains(&after);
        if is_ignored || ignored.is_empty() || !always_grows(first, second, &any) {
            let mut longer = lexicon.terminals.iter();
            let longer = longer.position(|it| may_grow(first, second, &it.language));
            let names = (before, after, longer.unwrap_or(before));
            return Err(conflict(linted, lexicon, target, names).into());
        }
        apart.insert((before, after));
    }
    let lexemes = lexemes(linted, &languages, &ignored, goes_on, apart);
    let Some((grammar, places)) = separate(&linted.grammar, &linted.places, lexemes) else {
        let message = "keeping lexemes apart takes too many rules".to_owned();
        return Err(obstacle("export-too-large", start, message).into());
    };
    Ok(Linted {
        grammar,
        places,
        warnings: Vec::new(),
        terminals: Vec::new(),
    })
}

fn conflict(
    linted: &Linted,
    lexicon: &Lexicon,
    target: Target,
    (before, after, longer): (usize, usize, usize),
) -> Diagnostic {
    let name = |at: usize| &lexicon.terminals[at].name;
    let message = format!(
        "{} may stand before {}, and the beginning of both can be one {}: that the longest lexeme \
         counts cannot be said in {}",
        name(before),
        name(after),
        name(longer),
        target.name()
    );
    let nowhere = Place::Span { start: 0, end: 0 };
    let place = linted.terminals.get(before).unwrap_or(&nowhere);
    obstacle("export-lexemes", place, message)
}

/// Of each terminal the lexemes that do not belong to one before it.
fn winning(lexicon: &Lexicon) -> Result<Vec<Dfa>, AutomatonError> {
    let mut languages: Vec<Dfa> = Vec::with_capacity(lexicon.terminals.len());
    for (at, terminal) in lexicon.terminals.iter().enumerate() {
        let mut own = Dfa::clone(&terminal.language);
        for earlier in lexicon.terminals.iter().take(at) {
            let both = own.intersect(&earlier.language, &LIMITS)?;
            if !both.is_empty() {
                own = own.minus(&earlier.language, &LIMITS)?;
            }
        }
        languages.push(own);
    }
    Ok(languages)
}

/// Whether a lexeme behind another one is one with it.
fn follows_itself(language: &Dfa) -> Result<bool, AutomatonError> {
    let once = Expr::Automaton(Arc::new(language.clone()));
    let twice = Dfa::from_expr(&Expr::Sequence(vec![once.clone(), once]), &LIMITS)?;
    Ok(twice.minus(language, &LIMITS)?.is_empty())
}

/// Whether a text of `before`, with more that begins as `after` does, can be one of
/// `longer`; sometimes also where what comes behind `after` rules it out.
fn may_grow(before: &Dfa, after: &Dfa, longer: &Dfa) -> bool {
    let first = (before.start(), longer.start());
    let borders = together(before, longer, BTreeSet::from([first]));
    let mut starts = BTreeSet::new();
    for (state, reached) in borders {
        if before.is_accepting(state) {
            starts.insert((after.start(), reached));
        }
    }
    let mut begun = BTreeSet::new();
    for &(state, reached) in &starts {
        begun.extend(next(after, longer, state, reached));
    }
    let mut reached = together(after, longer, begun).into_iter();
    reached.any(|(state, reached)| longer.is_accepting(reached) || after.is_accepting(state))
}

/// Whether every text of `before`, with every one of `after` behind it, begins with a
/// longer one of `any`, so that the two are never cut side by side.
fn always_grows(before: &Dfa, after: &Dfa, any: &Dfa) -> bool {
    let first = (before.start(), any.start());
    let borders = together(before, any, BTreeSet::from([first])).into_iter();
    let mut todo: Vec<(StateId, StateId)> = borders
        .filter(|&(state, _)| before.is_accepting(state))
        .map(|(_, reached)| (after.start(), reached))
        .collect();
    let mut seen: BTreeSet<(StateId, StateId)> = todo.iter().copied().collect();
    while let Some((state, reached)) = todo.pop() {
        for byte in 0..=255u8 {
            let Some(state) = after.next(state, byte) else {
                continue;
            };
            let Some(reached) = any.next(reached, byte) else {
                return false;
            };
            if any.is_accepting(reached) {
                continue;
            }
            if after.is_accepting(state) {
                return false;
            }
            if seen.insert((state, reached)) {
                todo.push((state, reached));
            }
        }
    }
    true
}

/// All pairs of states that texts lead to from these on.
fn together(
    one: &Dfa,
    other: &Dfa,
    from: BTreeSet<(StateId, StateId)>,
) -> BTreeSet<(StateId, StateId)> {
    let mut todo: Vec<(StateId, StateId)> = from.iter().copied().collect();
    let mut found = from;
    while let Some((state, reached)) = todo.pop() {
        for pair in next(one, other, state, reached) {
            if found.insert(pair) {
                todo.push(pair);
            }
        }
    }
    found
}

fn next(
    one: &Dfa,
    other: &Dfa,
    state: StateId,
    reached: StateId,
) -> impl Iterator<Item = (StateId, StateId)> {
    let read = move |byte: u8| Some((one.next(state, byte)?, other.next(reached, byte)?));
    (0..=255u8).filter_map(read)
}

/// Which terminals may stand side by side.
struct Neighbours {
    pairs: BTreeSet<(usize, usize)>,
    /// Those that stand anywhere.
    used: BTreeSet<usize>,
}

/// What an expression may begin and end with.
#[derive(Clone, Default, PartialEq, Eq)]
struct Ends {
    nullable: bool,
    first: BTreeSet<usize>,
    last: BTreeSet<usize>,
}

impl Neighbours {
    /// Those of the rules' texts, ignored lexemes anywhere in between.
    fn of(grammar: &Grammar, ignored: &[usize], goes_on: bool) -> Self {
        let is_needed = needed(grammar);
        let is_productive = productive(grammar);
        let mut rules = vec![Ends::default(); grammar.rules.len()];
        let mut neighbours = Self {
            pairs: BTreeSet::new(),
            used: ignored.iter().copied().collect(),
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, rule) in grammar.rules.iter().enumerate() {
                if is_needed[at] && is_productive[at] {
                    let ends = neighbours.ends(&rule.body, &rules);
                    changed |= ends != rules[at];
                    rules[at] = ends;
                }
            }
        }
        for &here in ignored {
            for &other in &neighbours.used {
                if other != here || !goes_on {
                    neighbours.pairs.extend([(here, other), (other, here)]);
                }
            }
        }
        neighbours
    }

    fn ends(&mut self, expr: &Expr, rules: &[Ends]) -> Ends {
        match expr {
            Expr::Terminal(terminal) => {
                let only = BTreeSet::from([terminal.0 as usize]);
                self.used.extend(&only);
                Ends {
                    nullable: false,
                    first: only.clone(),
                    last: only,
                }
            }
            Expr::Rule(rule) => rules.get(rule.0 as usize).cloned().unwrap_or_default(),
            Expr::Sequence(parts) => {
                let mut all = Ends {
                    nullable: true,
                    ..Ends::default()
                };
                for part in parts {
                    let ends = self.ends(part, rules);
                    self.join(&all, &ends);
                    if all.nullable {
                        all.first.extend(&ends.first);
                    }
                    if !ends.nullable {
                        all.last.clear();
                    }
                    all.last.extend(&ends.last);
                    all.nullable &= ends.nullable;
                }
                all
            }
            Expr::Choice(parts) => {
                let mut all = Ends::default();
                for part in parts {
                    let ends = self.ends(part, rules);
                    all.nullable |= ends.nullable;
                    all.first.extend(&ends.first);
                    all.last.extend(&ends.last);
                }
                all
            }
            Expr::Repeat { max: Some(0), .. } => Ends {
                nullable: true,
                ..Ends::default()
            },
            Expr::Repeat { item, min, max } => {
                let mut ends = self.ends(item, rules);
                if max.is_none_or(|max| max > 1) {
                    self.join(&ends, &ends);
                }
                ends.nullable |= *min == 0;
                ends
            }
            // Where there are lexemes, rules are about nothing else.
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Interleave(_) => Ends::default(),
        }
    }

    fn join(&mut self, before: &Ends, after: &Ends) {
        for &last in &before.last {
            self.pairs
                .extend(after.first.iter().map(|&first| (last, first)));
        }
    }
}

/// Which rules texts are made by: a rule that is repeated no times is only named.
fn needed(grammar: &Grammar) -> Vec<bool> {
    fn mentioned(expr: &Expr, found: &mut Vec<usize>) {
        match expr {
            Expr::Rule(rule) => found.push(rule.0 as usize),
            Expr::Sequence(parts) | Expr::Choice(parts) => {
                parts.iter().for_each(|part| mentioned(part, found));
            }
            Expr::Repeat { max: Some(0), .. } => {}
            Expr::Repeat { item, .. } => mentioned(item, found),
            Expr::Interleave(all) => all.forms().for_each(|form| mentioned(form, found)),
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Terminal(_) => {}
        }
    }
    let mut needed = vec![false; grammar.rules.len()];
    let mut todo = vec![grammar.start.0 as usize];
    while let Some(rule) = todo.pop() {
        if !std::mem::replace(&mut needed[rule], true) {
            mentioned(&grammar.rules[rule].body, &mut todo);
        }
    }
    needed
}

/// What stands for the terminals: literals in place, others by rules of their own.
fn lexemes(
    linted: &Linted,
    languages: &[Dfa],
    ignored: &[usize],
    goes_on: bool,
    apart: BTreeSet<(usize, usize)>,
) -> Lexemes {
    let (mut rules, mut places) = (Vec::new(), Vec::new());
    let mut add = |name: &str, body: Expr, place: Option<&Place>| {
        let name = name.to_owned();
        rules.push(Rule { name, body });
        places.push(place.cloned().unwrap_or(Place::Span { start: 0, end: 0 }));
        Expr::Rule(RuleId(rules.len() as u32 - 1))
    };
    let lexicon = linted.grammar.lexicon.iter();
    let named = lexicon.flat_map(|lexicon| &lexicon.terminals).enumerate();
    let terminals = named
        .zip(languages)
        .map(|((at, terminal), language)| match text(language) {
            Expr::Literal(bytes) => Expr::Literal(bytes),
            longer => add(&terminal.name, longer, linted.terminals.get(at)),
        });
    let terminals: Vec<Expr> = terminals.collect();
    let [run, some] = match ignored {
        [] => [Expr::empty(), Expr::never()],
        all => {
            let any = all.iter().map(|&at| terminals[at].clone()).collect();
            let once = add("ignored", Expr::Choice(any), None);
            match goes_on {
                true => [once.clone().optional(), once],
                false => {
                    let many = once.clone().star();
                    [many.clone(), Expr::Sequence(vec![once, many])]
                }
            }
        }
    };
    Lexemes {
        terminals,
        rules,
        places,
        run,
        some,
        apart,
    }
}

/// A language as an expression: a literal, if it has only one text.
fn text(language: &Dfa) -> Expr {
    let mut bytes = Vec::new();
    let mut state = language.start();
    while !language.is_accepting(state) {
        match language.byte_ranges(state).as_slice() {
            &[(low, high, to)] if low == high => {
                bytes.push(low);
                state = to;
            }
            _ => return Expr::Automaton(Arc::new(language.clone())),
        }
    }
    match language.byte_ranges(state).is_empty() {
        true => Expr::literal(bytes),
        false => Expr::Automaton(Arc::new(language.clone())),
    }
}
