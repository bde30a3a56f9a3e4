//! Interleaves as plain expressions and rules: exactly where they are small, and
//! below and above otherwise.

use rustc_hash::FxHashMap;

use super::fewest::Choice;
use super::{Interleave, Item, Progress};
use crate::{Expr, Rule, RuleId};

/// Most optional items that one nested expression holds.
const MAX_NESTED: usize = 32;

impl Interleave {
    /// Texts in which the items stand in declared order, those that may repeat
    /// last: all of them, or only one where items are counted or conditions wanted.
    pub fn in_order(&self) -> Expr {
        let is_counted = self.min > self.required() || self.max.is_some() || self.wanted != 0;
        if is_counted {
            return match self.fewest() {
                Some(items) => self.sequence(&items),
                None => Expr::never(),
            };
        }
        let can_be = |item: &&Item| item.is_required || !item.ways.is_empty();
        let (once, again): (Vec<&Item>, Vec<&Item>) = self
            .items
            .iter()
            .filter(can_be)
            .partition(|item| item.is_once);
        // One that is required and may repeat stands once, and then among the others.
        let required = again.iter().copied().filter(|item| item.is_required);
        let named: Vec<(Expr, bool)> = once
            .into_iter()
            .chain(required)
            .map(|item| (any_way(item), item.is_required))
            .collect();
        let free = (!again.is_empty()).then(|| one_of(again.into_iter().map(any_way).collect()));
        let more = match &free {
            None => Expr::empty(),
            Some(item) => self.further(item.clone()).star(),
        };
        let Some(anchor) = named.iter().position(|(_, required)| *required) else {
            let mut optional: Vec<Expr> = named.into_iter().map(|(item, _)| item).collect();
            optional.extend(free.map(|item| Expr::Sequence(vec![item, more])));
            return match optional.is_empty() {
                true => Expr::empty(),
                false => self.some_of(&optional).optional(),
            };
        };
        // A required item needs no care about separators: what is before it is
        // followed by one, what is after it is preceded by one. So each item stands
        // in the expression once, and at most twice (a few times more, if there are
        // very many) where none is required.
        let mut parts = Vec::new();
        for (index, (item, required)) in named.into_iter().enumerate() {
            parts.push(match (index < anchor, required) {
                (true, _) => Expr::Sequence(vec![item, self.separator.clone()]).optional(),
                _ if index == anchor => item,
                (_, true) => self.further(item),
                (_, false) => self.further(item).optional(),
            });
        }
        parts.push(more);
        Expr::Sequence(parts)
    }

    /// Items in any number: more than there are.
    pub fn any_number(&self) -> Expr {
        let item = one_of(self.items.iter().map(any_way).collect());
        let more = self.further(item.clone()).star();
        let some = Expr::Sequence(vec![item, more]);
        match self.may_end(&self.start()) {
            true => some.optional(),
            false => some,
        }
    }

    /// The same as rules, one for each progress; `None` if they are more than
    /// `most`. Rules are added behind those that there are, and called `name`.
    pub fn written_out(&self, name: &str, rules: &mut Vec<Rule>, most: usize) -> Option<Expr> {
        let kept = rules.len();
        let add = |rules: &mut Vec<Rule>| {
            let name = format!("{name} items {}", rules.len() - kept);
            let body = Expr::never();
            rules.push(Rule { name, body });
            RuleId(rules.len() as u32 - 1)
        };
        // An item stands behind many others; each is written once.
        let texts: Vec<Vec<Expr>> = self
            .items
            .iter()
            .map(|item| {
                let texts = item.ways.iter().map(|way| match &way.text {
                    small @ (Expr::Rule(_) | Expr::Automaton(_) | Expr::Counted(_)) => {
                        small.clone()
                    }
                    text => {
                        let rule = add(rules);
                        rules[rule.0 as usize].body = text.clone();
                        Expr::Rule(rule)
                    }
                });
                texts.collect()
            })
            .collect();
        // Whether a separator comes first, and what came.
        let first = (false, self.start());
        let mut known = FxHashMap::from_iter([(first.clone(), add(rules))]);
        let mut todo = vec![first.clone()];
        while let Some(place) = todo.pop() {
            let (is_begun, progress) = &place;
            let (mut again, mut choices) = (Vec::new(), Vec::new());
            if self.may_end(progress) {
                choices.push(Expr::empty());
            }
            for (next, item, way) in self.steps(progress) {
                let text = texts[item][way].clone();
                let item = match is_begun {
                    false => text,
                    true => self.further(text),
                };
                let next = (true, next);
                if next == place {
                    again.push(item);
                    continue;
                }
                let rest = match known.get(&next) {
                    Some(&rest) => rest,
                    None if known.len() >= most => {
                        rules.truncate(kept);
                        return None;
                    }
                    None => {
                        let rest = add(rules);
                        known.insert(next.clone(), rest);
                        todo.push(next);
                        rest
                    }
                };
                choices.push(Expr::Sequence(vec![item, Expr::Rule(rest)]));
            }
            let choices = Expr::Choice(choices);
            rules[known[&place].0 as usize].body = match again.is_empty() {
                true => choices,
                false => Expr::Sequence(vec![one_of(again).star(), choices]),
            };
        }
        Some(Expr::Rule(known[&first]))
    }

    /// The items that can come next, each in one of its ways, and what has come then.
    fn steps(&self, progress: &Progress) -> impl Iterator<Item = (Progress, usize, usize)> {
        let items = self.items.iter().enumerate();
        items.flat_map(move |(at, item)| {
            let ways = 0..item.ways.len();
            ways.filter_map(move |way| Some((self.after(progress, at, way)?, at, way)))
        })
    }

    fn sequence(&self, items: &[Choice]) -> Expr {
        let mut parts = Vec::new();
        for (at, &(item, way)) in items.iter().enumerate() {
            if at > 0 {
                parts.push(self.separator.clone());
            }
            parts.push(self.items[item].ways[way].text.clone());
        }
        Expr::Sequence(parts)
    }

    fn required(&self) -> u32 {
        self.items.iter().filter(|item| item.is_required).count() as u32
    }

    fn further(&self, item: Expr) -> Expr {
        Expr::Sequence(vec![self.separator.clone(), item])
    }

    /// At least one of `items`, in order.
    fn some_of(&self, items: &[Expr]) -> Expr {
        let optional = |item: &Expr| self.further(item.clone()).optional();
        if items.len() > MAX_NESTED {
            let (front, back) = items.split_at(items.len() / 2);
            let mut begun = vec![self.some_of(front)];
            begun.extend(back.iter().map(optional));
            return Expr::Choice(vec![Expr::Sequence(begun), self.some_of(back)]);
        }
        let mut found: Option<Expr> = None;
        for item in items {
            found = Some(match found {
                None => item.clone(),
                Some(before) => {
                    let begun = Expr::Sequence(vec![before, optional(item)]);
                    Expr::Choice(vec![begun, item.clone()])
                }
            });
        }
        found.unwrap_or_else(Expr::empty)
    }
}

fn any_way(item: &Item) -> Expr {
    one_of(item.ways.iter().map(|way| way.text.clone()).collect())
}

fn one_of(mut choices: Vec<Expr>) -> Expr {
    match choices.len() {
        1 => choices.remove(0),
        _ => Expr::Choice(choices),
    }
}
