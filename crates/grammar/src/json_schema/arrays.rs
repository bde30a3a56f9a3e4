//! Arrays: items by position, counts, items that must be there.
//!
//! What only bounds the positions is an expression. Where items are counted by
//! what they are (`contains`), a rule stands for each state: the position and the counts.

use rustc_hash::FxHashMap as HashMap;

use super::indentation::Mark;
use super::lower::Lowering;
use super::shape::{Arrays, Goals, Literal};
use super::syntax::between;
use crate::automaton::SHORTCUTS;
use crate::{Expr, RuleId};

/// Most states of an array whose items are counted or remembered.
const MAX_STATES: usize = 20_000;
/// Most positions that have alternatives of their own.
const MAX_POSITIONS: u32 = 2_000;

/// The items of an array, by position.
pub(super) struct Positions {
    /// Those that keywords tell apart.
    pub front: Vec<Vec<Goals>>,
    pub rest: Vec<Goals>,
    pub min: u32,
    pub max: Option<u32>,
}

impl Positions {
    fn at(&self, index: u32) -> &Vec<Goals> {
        self.front.get(index as usize).unwrap_or(&self.rest)
    }
}

/// How far an array with counted items has come.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Counted {
    index: u32,
    counts: Vec<u32>,
}

impl<'a> Lowering<'a> {
    /// The arrays of a shape; `None` where there are none.
    pub(super) fn array(&mut self, arrays: &Arrays) -> Option<Expr> {
        let positions = self.positions(arrays)?;
        if let Some(schema) = arrays.unique
            && positions.max.is_none_or(|max| max > 1)
            && !self.are_apart(&positions)
        {
            return self.without_repeats(arrays, &positions, schema);
        }
        self.with_repeats(arrays, &positions)
    }

    /// Arrays whatever repeats.
    pub(super) fn with_repeats(&mut self, arrays: &Arrays, positions: &Positions) -> Option<Expr> {
        match arrays.contained.is_empty() {
            true => Some(self.in_positions(positions)),
            false => self.counted(arrays, positions),
        }
    }

    fn positions(&mut self, arrays: &Arrays) -> Option<Positions> {
        let prefixes = arrays
            .items
            .iter()
            .map(|(items, _)| items.prefix.len() as u32);
        let at = arrays.at.iter().map(|(index, _)| index + 1);
        let from = arrays.contained.iter().map(|contained| contained.from);
        let told_apart = prefixes.chain(at).chain(from).max().unwrap_or(0);
        let told_apart = told_apart.min(arrays.max.unwrap_or(u32::MAX));
        let (mut front, mut max) = (Vec::new(), arrays.max);
        if told_apart > MAX_POSITIONS {
            let message = format!("over {MAX_POSITIONS} positions of an array differ");
            self.refuse_here("too-large", &message);
            return None;
        }
        for index in 0..told_apart {
            let alternatives = self.expander.item_alternatives(arrays, Some(index));
            if alternatives.is_empty() {
                max = Some(index);
                break;
            }
            front.push(alternatives);
        }
        let full = max.is_some_and(|max| max <= front.len() as u32);
        let rest = match full {
            true => Vec::new(),
            false => self.expander.item_alternatives(arrays, None),
        };
        if rest.is_empty() {
            let count = front.len() as u32;
            max = Some(max.map_or(count, |max| max.min(count)));
        }
        let possible = max.is_none_or(|max| arrays.min <= max);
        possible.then_some(Positions {
            front,
            rest,
            min: arrays.min,
            max,
        })
    }

    fn in_positions(&mut self, positions: &Positions) -> Expr {
        if positions.front.is_empty() {
            let item = self.rule_of_alternatives(positions.rest.clone());
            return self.repeated_items(item, positions.min, positions.max);
        }
        // From the last position to the first: what follows it.
        let count = positions.front.len() as u32;
        let mut tail = match positions.rest.is_empty() {
            true => Expr::empty(),
            false => {
                let item = self.rule_of_alternatives(positions.rest.clone());
                Expr::Repeat {
                    item: Box::new(self.further(item)),
                    min: positions.min.saturating_sub(count),
                    max: positions.max.map(|max| max - count),
                }
            }
        };
        for (index, alternatives) in positions.front.iter().enumerate().rev() {
            let item = self.rule_of_alternatives(alternatives.clone());
            let item = match index {
                0 => self.surrounded(item),
                _ => self.further(item),
            };
            let parts = match tail {
                Expr::Sequence(mut parts) => {
                    parts.insert(0, item);
                    parts
                }
                tail => vec![item, tail],
            };
            tail = Expr::Sequence(parts);
            if index == 0 {
                tail = self.filled(tail);
            }
            if index as u32 >= positions.min {
                tail = match index {
                    0 => Expr::Choice(vec![self.blanks(), tail]),
                    _ => tail.optional(),
                };
            }
        }
        between([Expr::literal("["), Expr::literal("]")], tail)
    }

    /// A comma and an item.
    fn further(&self, item: Expr) -> Expr {
        Expr::Sequence(vec![self.comma(), self.surrounded(item)])
    }

    /// An item at a position, with what comes before it.
    pub(super) fn item_at(&self, index: u32, item: Expr) -> Expr {
        match (index, self.mark(Mark::Open)) {
            (0, Some(open)) => Expr::Sequence(vec![open, item]),
            (0, None) => self.surrounded(item),
            _ => self.further(item),
        }
    }

    /// What stands where an array ends behind so many items.
    pub(super) fn end_at(&self, index: u32) -> Expr {
        match (index, self.mark(Mark::Close)) {
            (0, _) => self.blanks(),
            (_, Some(close)) => close,
            (_, None) => Expr::empty(),
        }
    }

    /// Arrays of which some items are counted.
    fn counted(&mut self, arrays: &Arrays, positions: &Positions) -> Option<Expr> {
        let start = Counted {
            index: 0,
            counts: vec![0; arrays.contained.len()],
        };
        // From here on positions are alike; only the first has no comma.
        let front = positions.front.len().max(1) as u32;
        let settled = front.max(positions.min).max(positions.max.unwrap_or(0));
        let mut states: HashMap<Counted, RuleId> = HashMap::default();
        let mut todo = vec![start.clone()];
        let name = self.here();
        let add = |lowering: &mut Self, states: &mut HashMap<Counted, RuleId>, state: &Counted| {
            let number = states.len();
            let rule = lowering.add_rule(format!("{name} items {number}"), Expr::never());
            states.insert(state.clone(), rule);
            rule
        };
        let first = add(self, &mut states, &start);
        while let Some(state) = todo.pop() {
            let mut choices = Vec::new();
            if self.may_end(arrays, positions, &state) {
                choices.push(self.end_at(state.index));
            }
            for (goals, counts) in self.counted_items(arrays, positions, &state) {
                let next = Counted {
                    index: (state.index + 1).min(settled),
                    counts,
                };
                let rest = match states.get(&next) {
                    Some(&known) => known,
                    None => {
                        if states.len() > MAX_STATES {
                            let message = format!("counting items takes over {MAX_STATES} states");
                            self.refuse_here("too-large", &message);
                            return None;
                        }
                        todo.push(next.clone());
                        add(self, &mut states, &next)
                    }
                };
                let item = self.rule_of_alternatives(vec![goals]);
                let item = self.item_at(state.index, item);
                choices.push(Expr::Sequence(vec![item, Expr::Rule(rest)]));
            }
            self.rules[states[&state].0 as usize].body = Expr::Choice(choices);
        }
        let inside = Expr::Rule(first);
        Some(between([Expr::literal("["), Expr::literal("]")], inside))
    }

    fn may_end(&self, arrays: &Arrays, positions: &Positions, state: &Counted) -> bool {
        let mut counted = arrays.contained.iter().zip(&state.counts);
        state.index >= positions.min && counted.all(|(contained, &count)| count >= contained.min)
    }

    /// What may stand next, each with the counts after it.
    fn counted_items(
        &mut self,
        arrays: &Arrays,
        positions: &Positions,
        state: &Counted,
    ) -> Vec<(Goals, Vec<u32>)> {
        if positions.max.is_some_and(|max| state.index >= max) {
            return Vec::new();
        }
        let mut options: Vec<(Vec<Literal>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
        for (contained, &count) in arrays.contained.iter().zip(&state.counts) {
            let (schema, holds) = contained.goal;
            let counts_here = state.index >= contained.from;
            let is_enough = count >= contained.min && contained.max.is_none();
            if !counts_here || is_enough {
                options
                    .iter_mut()
                    .for_each(|(_, counts)| counts.push(count));
                continue;
            }
            let mut both = Vec::new();
            for (literals, counts) in options {
                if contained.max.is_none_or(|max| count < max) {
                    let (mut literals, mut counts) = (literals.clone(), counts.clone());
                    literals.push((schema, holds));
                    counts.push(count + 1);
                    both.push((literals, counts));
                }
                let (mut literals, mut counts) = (literals, counts);
                // Without an upper bound nobody minds one that is not counted.
                if contained.max.is_some() {
                    literals.push((schema, !holds));
                }
                counts.push(count);
                both.push((literals, counts));
            }
            options = both;
            // There are two ways for each that is still counted.
            if SHORTCUTS && options.len() > MAX_STATES {
                self.refuse_here("too-large", "counting items takes too many cases for one");
                return Vec::new();
            }
        }
        let mut found = Vec::new();
        for base in positions.at(state.index).clone() {
            for (literals, counts) in &options {
                let all = base.iter().chain(literals).copied();
                let goes_on = !SHORTCUTS || self.expander.spend(literals.len() as u64);
                if goes_on
                    && let Some(goals) = self.expander.goals(all)
                    && self.expander.may_hold(&goals)
                {
                    found.push((goals, counts.clone()));
                }
            }
        }
        found
    }
}
