//! Arrays in which no item repeats (`uniqueItems`), of values that can be listed.
//!
//! Where each position may hold the same values, they are an [`Interleave`], each at most
//! once. Where positions differ, a rule stands for each state: the position and the values
//! seen. Of values without number no grammar says it.

use rustc_hash::FxHashMap as HashMap;

use super::arrays::Positions;
use super::decimal::Decimal;
use super::keyword::SchemaId;
use super::lower::Lowering;
use super::shape::{Arrays, Goals, Numbers, Strings};
use super::syntax::between;
use super::types::Types;
use crate::interleave::{Interleave, Item, Way};
use crate::{Expr, RuleId};

/// Most values of which none may repeat, where positions have values of their own.
const MAX_VALUES: usize = 12;
/// The same where all positions have the same ones.
const MAX_ALIKE: usize = 1_000;

impl<'a> Lowering<'a> {
    /// Whether no two items can be equal whatever they are.
    pub(super) fn are_apart(&mut self, positions: &Positions) -> bool {
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
    pub(super) fn without_repeats(
        &mut self,
        arrays: &Arrays,
        positions: &Positions,
        schema: SchemaId,
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
        if many || !arrays.contained.is_empty() {
            let message = format!(
                "items that differ from each other are supported only where they have at most \
                 {MAX_ALIKE} scalar values ({MAX_VALUES} where positions differ), and without \
                 contains"
            );
            if self.expander.is_wide() {
                self.expander.admit_more(schema, "/uniqueItems", &message);
                return self.with_repeats(arrays, positions);
            }
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
    Number(Decimal, bool),
    Many,
}
