//! Arrays: items by position, counts, items that must be there, none twice.
//!
//! What only bounds the positions is an expression. Where items are counted by
//! what they are (`contains`) or remembered (`uniqueItems`, where positions differ), a
//! rule stands for each state: the position, the counts, the values seen. Where each
//! position may hold the same values, none twice, these are an [`Interleave`].

use rustc_hash::FxHashMap as HashMap;

use super::indentation::Mark;
use super::lower::Lowering;
use super::shape::{Arrays, Goals, Literal, Numbers, Strings};
use super::syntax::between;
use super::types::Types;
use crate::interleave::{Interleave, Item, Way};
use crate::{Expr, RuleId};

/// Most states of an array whose items are counted or remembered.
const MAX_STATES: usize = 20_000;
/// Most values of which none may repeat, where positions have values of their own.
const MAX_VALUES: usize = 12;
/// The same where all positions have the same ones.
const MAX_ALIKE: usize = 1_000;
/// Most positions that have alternatives of their own.
const MAX_POSITIONS: u32 = 2_000;

/// The items of an array, by position.
struct Positions {
    /// Those that keywords tell apart.
    front: Vec<Vec<Goals>>,
    rest: Vec<Goals>,
    min: u32,
    max: Option<u32>,
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
    fn with_repeats(&mut self, arrays: &Arrays, positions: &Positions) -> Option<Expr> {
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
    fn item_at(&self, index: u32, item: Expr) -> Expr {
        match (index, self.mark(Mark::Open)) {
            (0, Some(open)) => Expr::Sequence(vec![open, item]),
            (0, None) => self.surrounded(item),
            _ => self.further(item),
        }
    }

    /// What stands where an array ends behind so many items.
    fn end_at(&self, index: u32) -> Expr {
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
        }
        let mut found = Vec::new();
        for base in positions.at(state.index).clone() {
            for (literals, counts) in &options {
                let all = base.iter().chain(literals).copied();
                if let Some(goals) = self.expander.goals(all)
                    && self.expander.may_hold(&goals)
                {
                    found.push((goals, counts.clone()));
                }
            }
        }
        found
    }

    /// Whether no two items can be equal whatever they are.
    fn are_apart(&mut self, positions: &Positions) -> bool {
        if !positions.rest.is_empty() || positions.front.len() > MAX_VALUES {
            return false;
        }
        for (index, first) in positions.front.iter().enumerate() {
            for second in &positions.front[index + 1..] {
                for (left, right) in first
                    .iter()
                    .flat_map(|a| second.iter().map(move |b| (a, b)))
                {
                    let both = left.iter().chain(right).copied();
                    let both = self.expander.goals(both);
                    if both.is_some_and(|goals| self.expander.may_hold(&goals)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Arrays in which none of few values repeats.
    fn without_repeats(
        &mut self,
        arrays: &Arrays,
        positions: &Positions,
        schema: super::keyword::SchemaId,
    ) -> Option<Expr> {
        let mut values: Vec<Value<'a>> = Vec::new();
        let mut at: Vec<Vec<usize>> = Vec::new();
        let all = positions
            .front
            .iter()
            .chain(std::iter::once(&positions.rest));
        for alternatives in all {
            let mut here = Vec::new();
            for value in self
                .few_values(alternatives)
                .unwrap_or_else(|| vec![Value::Many])
            {
                let known = values.iter().position(|known| *known == value);
                here.push(known.unwrap_or(values.len()));
                if known.is_none() {
                    values.push(value);
                }
            }
            here.sort_unstable();
            here.dedup();
            at.push(here);
        }
        let (is_alike, most) = match positions.front.is_empty() {
            true => (true, MAX_ALIKE),
            false => (false, MAX_VALUES),
        };
        let many = values.len() > most || values.contains(&Value::Many);
        if self.expander.wide && (many || !arrays.contained.is_empty()) {
            return self.with_repeats(arrays, positions);
        }
        if many || !arrays.contained.is_empty() {
            let message = format!(
                "items that differ from each other are supported only where they have at most \
                 {MAX_ALIKE} values ({MAX_VALUES} where positions differ), and without contains"
            );
            self.expander
                .refuse("unsupported-keyword", schema, "/uniqueItems", &message);
            return None;
        }
        let spelled: Vec<Expr> = values.iter().map(|value| self.value(value)).collect();
        if is_alike {
            return self.set_of(spelled, positions);
        }
        let name = self.here();
        let mut states: HashMap<(u32, usize), RuleId> = HashMap::default();
        let mut todo = vec![(0, 0)];
        let first = self.add_rule(format!("{name} values"), Expr::never());
        states.insert((0, 0), first);
        while let Some((index, seen)) = todo.pop() {
            let mut choices = Vec::new();
            if index >= positions.min {
                choices.push(self.end_at(index));
            }
            let front = positions.front.len();
            let here = at[(index as usize).min(front)].clone();
            let is_full = positions.max.is_some_and(|max| index >= max);
            for value in here
                .into_iter()
                .filter(|value| !is_full && seen & (1 << value) == 0)
            {
                let next = (index + 1, seen | 1 << value);
                let rest = match states.get(&next) {
                    Some(&known) => known,
                    None => {
                        let rule = format!("{name} values {:b} {}", next.1, next.0);
                        let rule = self.add_rule(rule, Expr::never());
                        states.insert(next, rule);
                        todo.push(next);
                        rule
                    }
                };
                let item = self.item_at(index, spelled[value].clone());
                choices.push(Expr::Sequence(vec![item, Expr::Rule(rest)]));
            }
            self.rules[states[&(index, seen)].0 as usize].body = Expr::Choice(choices);
        }
        let inside = Expr::Rule(first);
        Some(between([Expr::literal("["), Expr::literal("]")], inside))
    }

    /// Arrays of some values in any order, none twice.
    fn set_of(&self, values: Vec<Expr>, positions: &Positions) -> Option<Expr> {
        let most = positions.max.map_or(values.len(), |max| max as usize);
        let max = (most < values.len()).then_some(most as u32);
        let items = values.into_iter().map(|value| Item {
            ways: vec![Way {
                meets: 0,
                text: self.surrounded(value),
            }],
            is_once: true,
            is_required: false,
        });
        let some = Interleave {
            items: items.collect(),
            separator: self.comma(),
            min: positions.min.max(1),
            max,
            wanted: 0,
        };
        let mut choices = Vec::new();
        if positions.min == 0 {
            choices.push(self.blanks());
        }
        if some.fewest().is_some() {
            choices.push(self.filled(Expr::Interleave(Box::new(some))));
        }
        let inside = Expr::Choice(choices);
        Some(between([Expr::literal("["), Expr::literal("]")], inside))
    }

    /// All values of some goals, where they are few and neither arrays nor
    /// objects.
    fn few_values(&mut self, alternatives: &[Goals]) -> Option<Vec<Value<'a>>> {
        let mut found = Vec::new();
        for goals in alternatives {
            for shape in self.expander.expand(goals).iter() {
                if shape.types.meets(Types::ARRAY.or(Types::OBJECT)) {
                    return None;
                }
                for name in [Types::NULL, Types::TRUE, Types::FALSE] {
                    if shape.types.meets(name) {
                        found.push(Value::Name(name));
                    }
                }
                if shape.types.meets(Types::STRING) {
                    let strings = &shape.strings;
                    let words = strings.words.as_ref().filter(|_| strings.asks.is_empty())?;
                    let words = words.iter().filter(|word| strings.admits(word));
                    found.extend(words.map(|word| Value::Word(word)));
                }
                if shape.types.meets(Types::NUMBER) {
                    for number in shape.numbers.few(shape.types, MAX_ALIKE)? {
                        found.push(Value::Number(number, shape.numbers.without_point));
                    }
                }
            }
        }
        Some(found)
    }

    fn value(&mut self, value: &Value<'a>) -> Expr {
        match value {
            Value::Name(Types::NULL) => Expr::literal("null"),
            Value::Name(Types::TRUE) => Expr::literal("true"),
            Value::Name(_) => Expr::literal("false"),
            Value::Word(word) => {
                let strings = Strings {
                    words: Some([*word].into()),
                    ..Strings::default()
                };
                self.strings(&strings).unwrap_or_else(Expr::never)
            }
            Value::Number(number, without_point) => {
                let numbers = Numbers {
                    listed: Some(vec![number.clone()]),
                    without_point: *without_point,
                    ..Numbers::default()
                };
                self.numbers(Types::NUMBER, &numbers)
                    .unwrap_or_else(Expr::never)
            }
            Value::Many => Expr::never(),
        }
    }
}

/// One value, or too many to list.
#[derive(Clone, PartialEq)]
enum Value<'a> {
    Name(Types),
    Word(&'a str),
    Number(super::decimal::Decimal, bool),
    Many,
}
