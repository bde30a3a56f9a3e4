//! Rules over terminals as rules over their lexemes, with ignored text where it may stand,
//! and where it must: between two lexemes that would be one without it.
//!
//! Which lexemes must be kept apart depends on the one before, so each rule is written
//! once for each class of lexemes that may stand before it, and each that may end it: the
//! product of the grammar with the automaton whose states are those classes (Bar-Hillel's
//! construction). Grammars whose lexemes need no keeping apart have one class, and stay as
//! they are.
//!
//! Cost: rules × classes², those that occur.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::{Expr, Grammar, Place, Rule, RuleId};

/// Rules that are written, at most.
const MAX_RULES: usize = 20_000;

/// What stands for each terminal.
pub(super) struct Lexemes {
    /// The text of each terminal's lexemes.
    pub terminals: Vec<Expr>,
    /// Rules that those mention, behind which others are put.
    pub rules: Vec<Rule>,
    pub places: Vec<Place>,
    /// Ignored text, perhaps none, and at least some.
    pub run: Expr,
    pub some: Expr,
    /// Terminals that must be kept apart from one before them.
    pub apart: BTreeSet<(usize, usize)>,
}

/// The texts of a grammar over terminals, and the places of its rules; `None` if it takes
/// too many rules.
pub(super) fn separate(
    grammar: &Grammar,
    places: &[Place],
    lexemes: Lexemes,
) -> Option<(Grammar, Vec<Place>)> {
    let mut product = Product::new(grammar, places, lexemes);
    product.find_outcomes();
    let first = 0;
    let start = grammar.start.0 as usize;
    let ends: Vec<Class> = product
        .outcomes
        .get(&(start, first))?
        .iter()
        .copied()
        .collect();
    let whole: Vec<Expr> = ends
        .into_iter()
        .map(|last| product.named(Task::Rule(start), first, last, start))
        .collect();
    while let Some((id, task, from, to, within)) = product.todo.pop() {
        let body = product.body(task, from, to, within);
        product.rules[id].body = body;
        if product.rules.len() > MAX_RULES {
            return None;
        }
    }
    let run = product.lexemes.run.clone();
    let name = grammar.rule(grammar.start).name.clone();
    let body = Expr::Sequence(vec![Expr::Choice(whole), run]);
    product.add(name, body, start);
    let start = RuleId(product.rules.len() as u32 - 1);
    let mut free = Grammar::new(product.rules, start);
    free.constraint.clone_from(&grammar.constraint);
    Some((free, product.places))
}

/// Lexemes that the same others must be kept apart from; 0 is before everything.
type Class = usize;

/// What a rule is made for.
#[derive(Clone, Copy)]
enum Task<'a> {
    Rule(usize),
    /// What is left of a sequence.
    Rest(&'a [Expr]),
    /// An item so many times.
    Times(&'a Expr, u32, Option<u32>),
}

/// Tells tasks apart: expressions by where they are.
type Key = (u8, usize, usize, u32, Option<u32>, Class, Class);

struct Product<'a> {
    grammar: &'a Grammar,
    given: &'a [Place],
    lexemes: Lexemes,
    /// The class that each terminal leaves.
    class_of: Vec<Class>,
    /// For each class, what must be kept apart.
    kept_apart: Vec<BTreeSet<usize>>,
    outcomes: BTreeMap<(usize, Class), BTreeSet<Class>>,
    rules: Vec<Rule>,
    places: Vec<Place>,
    ids: FxHashMap<Key, usize>,
    todo: Vec<(usize, Task<'a>, Class, Class, usize)>,
}

impl<'a> Product<'a> {
    fn new(grammar: &'a Grammar, given: &'a [Place], mut lexemes: Lexemes) -> Self {
        let mut kept_apart = vec![BTreeSet::new()];
        let count = lexemes.terminals.len();
        let class_of = (0..count).map(|terminal| {
            let pairs = lexemes
                .apart
                .iter()
                .filter(|(before, _)| *before == terminal);
            let apart: BTreeSet<usize> = pairs.map(|&(_, after)| after).collect();
            kept_apart
                .iter()
                .position(|known| *known == apart)
                .unwrap_or_else(|| {
                    kept_apart.push(apart);
                    kept_apart.len() - 1
                })
        });
        Self {
            class_of: class_of.collect(),
            kept_apart,
            grammar,
            given,
            outcomes: BTreeMap::new(),
            rules: std::mem::take(&mut lexemes.rules),
            places: std::mem::take(&mut lexemes.places),
            lexemes,
            ids: FxHashMap::default(),
            todo: Vec::new(),
        }
    }

    /// Which classes a rule may end with, for each that may stand before it.
    fn find_outcomes(&mut self) {
        self.outcomes
            .insert((self.grammar.start.0 as usize, 0), BTreeSet::new());
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (rule, from) in self.outcomes.keys().copied().collect::<Vec<_>>() {
                let mut asked = BTreeSet::new();
                let found = self.ends(&self.grammar.rules[rule].body, from, &mut asked);
                for question in asked {
                    changed |= !self.outcomes.contains_key(&question);
                    self.outcomes.entry(question).or_default();
                }
                let known = self.outcomes.entry((rule, from)).or_default();
                let before = known.len();
                known.extend(found);
                changed |= known.len() > before;
            }
        }
    }

    /// The classes that `expr` may end with, as far as is known.
    fn ends(
        &self,
        expr: &Expr,
        from: Class,
        asked: &mut BTreeSet<(usize, Class)>,
    ) -> BTreeSet<Class> {
        match expr {
            Expr::Terminal(terminal) => BTreeSet::from([self.class_of[terminal.0 as usize]]),
            Expr::Rule(rule) => {
                let question = (rule.0 as usize, from);
                asked.insert(question);
                self.outcomes.get(&question).cloned().unwrap_or_default()
            }
            Expr::Sequence(parts) => parts.iter().fold(BTreeSet::from([from]), |places, part| {
                let ends = places
                    .into_iter()
                    .flat_map(|place| self.ends(part, place, asked));
                ends.collect()
            }),
            Expr::Choice(parts) => {
                let ends = parts.iter().flat_map(|part| self.ends(part, from, asked));
                ends.collect()
            }
            Expr::Repeat { item, min, max } => self.times(item, (*min, *max), from, asked),
            // Where there are lexemes, rules are about nothing else.
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Interleave(_) => BTreeSet::new(),
        }
    }

    fn times(
        &self,
        item: &Expr,
        (min, max): (u32, Option<u32>),
        from: Class,
        asked: &mut BTreeSet<(usize, Class)>,
    ) -> BTreeSet<Class> {
        if max.is_some_and(|max| max < min) {
            return BTreeSet::new();
        }
        let mut step = |places: &BTreeSet<Class>| -> BTreeSet<Class> {
            let ends = places
                .iter()
                .flat_map(|&place| self.ends(item, place, asked));
            ends.collect()
        };
        let mut here = BTreeSet::from([from]);
        // Sets of classes come again after few rounds, and stay in turn from then on.
        let rounds = min.min(2 * (1 << self.kept_apart.len().min(12)) + min % 2);
        for _ in 0..rounds {
            let next = step(&here);
            if next == here {
                break;
            }
            here = next;
        }
        let mut found = here.clone();
        let mut left = max.map(|max| max - min);
        while !here.is_empty() && left != Some(0) {
            here = &step(&here) - &found;
            found.extend(&here);
            left = left.map(|left| left - 1);
        }
        found
    }

    /// A mention of the rule for a task.
    fn named(&mut self, task: Task<'a>, from: Class, to: Class, within: usize) -> Expr {
        let (kind, first, second, min, max) = match task {
            Task::Rule(rule) => (0, rule, 0, 0, None),
            Task::Rest(parts) => (1, parts.as_ptr() as usize, parts.len(), 0, None),
            Task::Times(item, min, max) => (2, std::ptr::from_ref(item) as usize, 0, min, max),
        };
        let key = (kind, first, second, min, max, from, to);
        let id = match self.ids.get(&key) {
            Some(&id) => id,
            None => {
                let name = self.grammar.rules[within].name.clone();
                let id = self.add(name, Expr::never(), within);
                self.ids.insert(key, id);
                self.todo.push((id, task, from, to, within));
                id
            }
        };
        Expr::Rule(RuleId(id as u32))
    }

    fn add(&mut self, name: String, body: Expr, within: usize) -> usize {
        let nowhere = Place::Span { start: 0, end: 0 };
        self.places
            .push(self.given.get(within).cloned().unwrap_or(nowhere));
        self.rules.push(Rule { name, body });
        self.rules.len() - 1
    }

    fn body(&mut self, task: Task<'a>, from: Class, to: Class, within: usize) -> Expr {
        match task {
            Task::Rule(rule) => {
                let grammar = self.grammar;
                self.build(&grammar.rules[rule].body, from, to, rule)
            }
            Task::Rest(parts) => self.sequence(parts, from, to, within),
            Task::Times(item, min, max) => self.once_more(item, (min, max), from, to, within),
        }
    }

    fn ends_known(&self, expr: &Expr, from: Class) -> BTreeSet<Class> {
        self.ends(expr, from, &mut BTreeSet::new())
    }

    /// The texts of `expr` behind one class that end with another.
    fn build(&mut self, expr: &'a Expr, from: Class, to: Class, within: usize) -> Expr {
        match expr {
            Expr::Terminal(terminal) => {
                let terminal = terminal.0 as usize;
                if self.class_of[terminal] != to {
                    return Expr::never();
                }
                let before = match self.kept_apart[from].contains(&terminal) {
                    true => self.lexemes.some.clone(),
                    false => self.lexemes.run.clone(),
                };
                Expr::Sequence(vec![before, self.lexemes.terminals[terminal].clone()])
            }
            Expr::Rule(rule) => {
                let rule = rule.0 as usize;
                let ends = self.outcomes.get(&(rule, from));
                match ends.is_some_and(|ends| ends.contains(&to)) {
                    true => self.named(Task::Rule(rule), from, to, rule),
                    false => Expr::never(),
                }
            }
            Expr::Choice(parts) => {
                let parts = parts.iter().map(|part| self.build(part, from, to, within));
                Expr::Choice(parts.collect())
            }
            Expr::Sequence(parts) => self.sequence(parts, from, to, within),
            Expr::Repeat { item, min, max } => self.repeat(item, (*min, *max), from, to, within),
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Interleave(_) => Expr::never(),
        }
    }

    fn sequence(
        &mut self,
        mut parts: &'a [Expr],
        mut from: Class,
        to: Class,
        within: usize,
    ) -> Expr {
        let mut written = Vec::new();
        while let Some((first, rest)) = parts.split_first() {
            let mut middles = self.ends_known(first, from);
            if middles.len() > 1 {
                middles.retain(|&middle| self.leads_on(rest, middle, to));
            }
            // One way on is written in place; of several, each would be written again.
            if let (1, Some(&middle)) = (middles.len(), middles.first()) {
                written.push(self.build(first, from, middle, within));
                (parts, from) = (rest, middle);
                continue;
            }
            let ways = middles.into_iter().map(|middle| {
                let first = self.build(first, from, middle, within);
                let rest = self.named(Task::Rest(rest), middle, to, within);
                Expr::Sequence(vec![first, rest])
            });
            written.push(Expr::Choice(ways.collect()));
            return Expr::Sequence(written);
        }
        match from == to {
            true => Expr::Sequence(written),
            false => Expr::never(),
        }
    }

    /// Whether parts may lead from one class to another.
    fn leads_on(&self, parts: &[Expr], from: Class, to: Class) -> bool {
        let ends = parts.iter().fold(BTreeSet::from([from]), |places, part| {
            let ends = places
                .into_iter()
                .flat_map(|place| self.ends_known(part, place));
            ends.collect()
        });
        ends.contains(&to)
    }

    fn repeat(
        &mut self,
        item: &'a Expr,
        (min, max): (u32, Option<u32>),
        from: Class,
        to: Class,
        within: usize,
    ) -> Expr {
        if !self
            .times(item, (min, max), from, &mut BTreeSet::new())
            .contains(&to)
        {
            return Expr::never();
        }
        if max == Some(0) {
            return Expr::empty();
        }
        let ends = self.ends_known(item, from);
        if ends.iter().all(|&end| end == from) {
            let item = Box::new(self.build(item, from, from, within));
            return Expr::Repeat { item, min, max };
        }
        self.named(Task::Times(item, min, max), from, to, within)
    }

    /// No item, or one and the others behind it.
    fn once_more(
        &mut self,
        item: &'a Expr,
        (min, max): (u32, Option<u32>),
        from: Class,
        to: Class,
        within: usize,
    ) -> Expr {
        let mut ways = Vec::new();
        if min == 0 && from == to {
            ways.push(Expr::empty());
        }
        let left = (min.saturating_sub(1), max.map(|max| max.saturating_sub(1)));
        for middle in self.ends_known(item, from) {
            let first = self.build(item, from, middle, within);
            let rest = self.repeat(item, left, middle, to, within);
            ways.push(Expr::Sequence(vec![first, rest]));
        }
        Expr::Choice(ways)
    }
}
