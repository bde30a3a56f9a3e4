//! Where a text of an expression may end that begins at one of some places.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, NoDerivation};
use crate::automaton::SHORTCUTS;
use crate::interleave::{Interleave, Progress};
use crate::{Expr, RuleId};

pub(super) type Places = BTreeSet<usize>;

/// Where a text of a rule may end that begins at a place, as far as is known.
pub(super) type Rules<'a> = dyn FnMut(RuleId, usize) -> Places + 'a;

/// Where a text of `expr` may end that begins at one of `starts`.
pub(super) fn reach(
    input: &mut Input<'_>,
    expr: &Expr,
    starts: &Places,
    rules: &mut Rules<'_>,
) -> Result<Places, NoDerivation> {
    let mut ends = Places::new();
    match expr {
        Expr::Sequence(parts) => {
            let mut places = starts.clone();
            for part in parts {
                places = reach(input, part, &places, rules)?;
            }
            ends = places;
        }
        Expr::Choice(parts) => {
            for part in parts {
                ends.append(&mut reach(input, part, starts, rules)?);
            }
        }
        Expr::Repeat { item, min, max } => {
            for &start in starts {
                let rounds = Rounds::run(input, item, (*min, *max), start, rules)?;
                ends.extend(rounds.ends());
            }
        }
        Expr::Interleave(all) => {
            for &start in starts {
                let lists = Lists::run(input, all, start, rules)?;
                ends.extend(lists.ends());
            }
        }
        Expr::Rule(rule) => {
            for &start in starts {
                let mut found = rules(*rule, start);
                input.steps(1 + found.len())?;
                ends.append(&mut found);
            }
        }
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Automaton(_)
        | Expr::Counted(_)
        | Expr::Terminal(_) => {
            for &start in starts {
                input.step()?;
                read_text(input, expr, start, &mut ends);
            }
        }
    }
    Ok(ends)
}

/// What is text or a lexeme by itself.
fn read_text(input: &Input<'_>, expr: &Expr, start: usize, ends: &mut Places) {
    let rest = input.text.get(start..).unwrap_or_default();
    match expr {
        Expr::Literal(bytes) => {
            ends.extend(rest.starts_with(bytes).then_some(start + bytes.len()));
        }
        Expr::Chars(ranges) => {
            let character = rest
                .utf8_chunks()
                .next()
                .and_then(|it| it.valid().chars().next());
            let fits = |&character: &char| {
                let code = u32::from(character);
                let mut ranges = ranges.iter();
                ranges.any(|&(low, high)| (low..=high).contains(&code))
            };
            ends.extend(character.filter(fits).map(|it| start + it.len_utf8()));
        }
        Expr::Automaton(dfa) => {
            let mut state = dfa.start();
            ends.extend(dfa.is_accepting(state).then_some(start));
            for (at, &byte) in rest.iter().enumerate() {
                match dfa.next(state, byte) {
                    Some(next) => state = next,
                    None => break,
                }
                ends.extend(dfa.is_accepting(state).then_some(start + at + 1));
            }
        }
        Expr::Counted(counted) if SHORTCUTS => {
            let mut place = counted.start();
            ends.extend(counted.is_accepting(place).then_some(start));
            for (at, &byte) in rest.iter().enumerate() {
                match counted.next(place, byte) {
                    Some(next) => place = next,
                    None => break,
                }
                ends.extend(counted.is_accepting(place).then_some(start + at + 1));
            }
        }
        Expr::Terminal(terminal) => {
            let lexeme = input.lexemes.as_ref().and_then(|all| all.get(start));
            let fits = lexeme.is_some_and(|lexeme| lexeme.terminal == *terminal);
            ends.extend(fits.then_some(start + 1));
        }
        Expr::Counted(_)
        | Expr::Sequence(_)
        | Expr::Choice(_)
        | Expr::Repeat { .. }
        | Expr::Interleave(_)
        | Expr::Rule(_) => {}
    }
}

/// The repetitions of an item, one behind the other: for each place, the place
/// before it.
///
/// The first `min` rounds are kept apart; behind them a place counts once, where it was
/// reached first, because fewer repetitions leave more.
pub(super) struct Rounds {
    start: usize,
    needed: Vec<BTreeMap<usize, usize>>,
    further: BTreeMap<usize, Option<usize>>,
}

impl Rounds {
    pub(super) fn run(
        input: &mut Input<'_>,
        item: &Expr,
        (min, max): (u32, Option<u32>),
        start: usize,
        rules: &mut Rules<'_>,
    ) -> Result<Self, NoDerivation> {
        let mut rounds = Self {
            start,
            needed: Vec::new(),
            further: BTreeMap::new(),
        };
        if max.is_some_and(|max| max < min) {
            return Ok(rounds);
        }
        let mut fresh = Places::from([start]);
        for _ in 0..min {
            let mut round = BTreeMap::new();
            for &from in &fresh {
                input.step()?;
                for to in reach(input, item, &Places::from([from]), rules)? {
                    round.entry(to).or_insert(from);
                }
            }
            fresh = round.keys().copied().collect();
            rounds.needed.push(round);
        }
        rounds
            .further
            .extend(fresh.iter().map(|&place| (place, None)));
        let mut left = max.map(|max| max - min);
        while !fresh.is_empty() && left != Some(0) {
            let mut next = Places::new();
            for &from in &fresh {
                input.step()?;
                for to in reach(input, item, &Places::from([from]), rules)? {
                    rounds.further.entry(to).or_insert_with(|| {
                        next.insert(to);
                        Some(from)
                    });
                }
            }
            fresh = next;
            left = left.map(|left| left - 1);
        }
        Ok(rounds)
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        self.further.keys().copied()
    }

    /// The repetitions that lead to `end`, each as where it begins and ends.
    pub(super) fn path(&self, end: usize) -> Vec<(usize, usize)> {
        let (mut path, mut at) = (Vec::new(), end);
        while let Some(&Some(from)) = self.further.get(&at) {
            path.push((from, at));
            at = from;
        }
        for round in self.needed.iter().rev() {
            let from = round.get(&at).copied().unwrap_or(self.start);
            path.push((from, at));
            at = from;
        }
        path.reverse();
        path
    }
}

/// Lists of an interleave's items, as far as they differ in what may follow them.
pub(super) struct Lists {
    found: Vec<Listed>,
    complete: Vec<usize>,
}

/// A list that is one item longer than another one.
struct Listed {
    end: usize,
    progress: Progress,
    /// The list before the item, where the item begins, which it is, and its way.
    last: Option<(usize, usize, usize, usize)>,
}

/// An item in a list.
pub(super) struct Entry {
    /// Where the separator before it begins, if there is one.
    pub separator: Option<usize>,
    pub start: usize,
    pub end: usize,
    pub item: usize,
    pub way: usize,
}

impl Lists {
    pub(super) fn run(
        input: &mut Input<'_>,
        all: &Interleave,
        start: usize,
        rules: &mut Rules<'_>,
    ) -> Result<Self, NoDerivation> {
        let mut lists = Self {
            found: vec![Listed {
                end: start,
                progress: all.start(),
                last: None,
            }],
            complete: Vec::new(),
        };
        let mut known = BTreeSet::from([(start, false, all.start())]);
        let mut at = 0;
        while let Some(listed) = lists.found.get(at) {
            let (end, is_begun) = (listed.end, listed.last.is_some());
            let progress = listed.progress.clone();
            if all.may_end(&progress) {
                lists.complete.push(at);
            }
            let mut places = Places::from([end]);
            if is_begun {
                places = reach(input, &all.separator, &places, rules)?;
            }
            for from in places {
                for (item, known_item) in all.items.iter().enumerate() {
                    for (way, form) in known_item.ways.iter().enumerate() {
                        let Some(next) = all.after(&progress, item, way) else {
                            continue;
                        };
                        input.step()?;
                        for to in reach(input, &form.text, &Places::from([from]), rules)? {
                            if known.insert((to, true, next.clone())) {
                                lists.found.push(Listed {
                                    end: to,
                                    progress: next.clone(),
                                    last: Some((at, from, item, way)),
                                });
                            }
                        }
                    }
                }
            }
            at += 1;
        }
        Ok(lists)
    }

    fn ends(&self) -> impl Iterator<Item = usize> {
        let complete = self.complete.iter();
        complete.filter_map(|&at| self.found.get(at).map(|listed| listed.end))
    }

    /// The items of a complete list that ends at `end`.
    pub(super) fn path(&self, end: usize) -> Vec<Entry> {
        let mut complete = self.complete.iter().filter_map(|&at| self.found.get(at));
        let mut at = complete.find(|listed| listed.end == end);
        let mut path = Vec::new();
        while let Some(listed) = at
            && let Some((before, start, item, way)) = listed.last
        {
            at = self.found.get(before);
            let separator = at.filter(|before| before.last.is_some());
            path.push(Entry {
                separator: separator.map(|before| before.end),
                start,
                end: listed.end,
                item,
                way,
            });
        }
        path.reverse();
        path
    }
}
