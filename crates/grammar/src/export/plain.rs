//! A grammar as all dialects have it: texts, classes of characters, sequences, choices,
//! repetitions and rules; no automata, no items in any order, no lexemes.

use crate::analysis::{productive, reachable};
use crate::automaton::{Dfa, Limits, SHORTCUTS};
use crate::characters::normalise;
use crate::interleave::replace;
use crate::{Diagnostics, Expr, Grammar, Linted, Place, RuleId};

use super::solve::{Solved, solve};
use super::{MAX_DEPTH, MAX_NODES, Target, characters, free, obstacle};

/// Sets of items seen up to which items in any order are written out as rules.
const MAX_ORDERS: usize = 300;

/// Parts of an expression that whole texts must match.
const MAX_CONDITION: usize = 5_000;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// No text.
    Never,
    /// Exactly this text.
    Text(String),
    /// One character of these ranges: sorted, disjoint, no surrogates.
    Class(Vec<(u32, u32)>),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Rule(usize),
}

/// A rule, and where the one that it stands for is defined.
#[derive(Clone, Debug)]
pub(super) struct PlainRule {
    pub name: String,
    pub body: Node,
    pub place: Place,
}

/// A grammar; the first rule is the start.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub rules: Vec<PlainRule>,
    /// A further condition on whole texts.
    pub constraint: Option<Node>,
}

const FIRST_SURROGATE: u32 = 0xD800;
const LAST_SURROGATE: u32 = 0xDFFF;

impl Node {
    pub(super) fn empty() -> Self {
        Node::Sequence(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Node::Sequence(parts) if parts.is_empty())
    }

    /// A class of characters; surrogates are none.
    pub(super) fn class(ranges: Vec<(u32, u32)>) -> Self {
        let whole = normalise(ranges);
        let parts = whole.into_iter().flat_map(|(low, high)| {
            let below = (low, high.min(FIRST_SURROGATE - 1));
            let above = (low.max(LAST_SURROGATE + 1), high);
            [below, above]
                .into_iter()
                .filter(|&(low, high)| low <= high)
        });
        let ranges: Vec<(u32, u32)> = parts.collect();
        match ranges.as_slice() {
            [] => Node::Never,
            &[(low, high)] if low == high => match char::from_u32(low) {
                Some(only) => Node::Text(only.to_string()),
                None => Node::Never,
            },
            _ => Node::Class(ranges),
        }
    }

    pub(super) fn sequence(parts: impl IntoIterator<Item = Node>) -> Self {
        let mut joined: Vec<Node> = Vec::new();
        let mut push = |part: Node| match (joined.last_mut(), part) {
            (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
            (_, Node::Text(text)) if text.is_empty() => {}
            (_, part) => joined.push(part),
        };
        for part in parts {
            match part {
                Node::Never => return Node::Never,
                // Those inside were made here, and hold no further ones.
                Node::Sequence(parts) => parts.into_iter().for_each(&mut push),
                part => push(part),
            }
        }
        match joined.len() {
            1 => joined.remove(0),
            _ => Node::Sequence(joined),
        }
    }

    pub(super) fn choice(parts: impl IntoIterator<Item = Node>) -> Self {
        let (mut others, mut ranges, mut classes) = (Vec::new(), Vec::new(), 0);
        let mut is_optional = false;
        let mut todo: Vec<Node> = parts.into_iter().collect();
        todo.reverse();
        while let Some(part) = todo.pop() {
            match part {
                Node::Never => {}
                Node::Choice(parts) => todo.extend(parts.into_iter().rev()),
                Node::Repeat(item, 0, Some(1)) => {
                    is_optional = true;
                    todo.push(*item);
                }
                Node::Class(more) => {
                    classes += 1;
                    ranges.extend(more);
                }
                Node::Text(text) if text.chars().count() == 1 => {
                    classes += 1;
                    ranges.extend(text.chars().map(|it| (u32::from(it), u32::from(it))));
                }
                part if part.is_empty() => is_optional = true,
                part if others.contains(&part) => {}
                part => others.push(part),
            }
        }
        if classes > 0 {
            others.insert(0, Node::class(ranges));
        }
        let chosen = match others.len() {
            0 if is_optional => return Node::empty(),
            0 => Node::Never,
            1 => others.remove(0),
            _ => Node::Choice(others),
        };
        match is_optional {
            true => Node::repeat(chosen, 0, Some(1)),
            false => chosen,
        }
    }

    pub(super) fn repeat(item: Node, min: u32, max: Option<u32>) -> Self {
        if max.is_some_and(|max| max < min) {
            return Node::Never;
        }
        match (item, min, max) {
            (Node::Never, 0, _) | (_, _, Some(0)) => Node::empty(),
            (Node::Never, ..) => Node::Never,
            (item, 1, Some(1)) => item,
            (item, ..) if item.is_empty() => item,
            // x?, x+ and x*, any number of times.
            (Node::Repeat(item, 0 | 1, max), 0, None) if max.is_none_or(|max| max == 1) => {
                Node::repeat(*item, 0, None)
            }
            (Node::Repeat(item, 0, None), 0, Some(1)) => Node::Repeat(item, 0, None),
            (Node::Repeat(item, 1, None), 0, Some(1)) => Node::Repeat(item, 0, None),
            (Node::Repeat(item, 0, Some(1)), 0, Some(1)) => Node::Repeat(item, 0, Some(1)),
            (item, min, max) => Node::Repeat(Box::new(item), min, max),
        }
    }

    /// Parts, itself included.
    pub(super) fn size(&self) -> usize {
        match self {
            Node::Never | Node::Text(_) | Node::Class(_) | Node::Rule(_) => 1,
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().map(Node::size).sum::<usize>() + 1
            }
            Node::Repeat(item, ..) => item.size() + 1,
        }
    }

    /// How deep parts stand in parts.
    pub(super) fn depth(&self) -> usize {
        match self {
            Node::Never | Node::Text(_) | Node::Class(_) | Node::Rule(_) => 1,
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().map(Node::depth).max().unwrap_or_default() + 1
            }
            Node::Repeat(item, ..) => item.depth() + 1,
        }
    }

    /// Calls `visit` with every rule that is mentioned.
    pub(super) fn for_each_rule(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Node::Rule(rule) => visit(*rule),
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().for_each(|part| part.for_each_rule(visit));
            }
            Node::Repeat(item, ..) => item.for_each_rule(visit),
            Node::Never | Node::Text(_) | Node::Class(_) => {}
        }
    }

    /// Calls `visit` with itself and every part.
    pub(super) fn for_each(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        match self {
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().for_each(|part| part.for_each(visit));
            }
            Node::Repeat(item, ..) => item.for_each(visit),
            Node::Never | Node::Text(_) | Node::Class(_) | Node::Rule(_) => {}
        }
    }
}

/// Lowers a grammar to what `target` can be written from.
pub(super) fn lower(linted: &Linted, target: Target) -> Result<Plain, Diagnostics> {
    let free = free::without_lexemes(linted, target)?;
    let linted = &free;
    let mut grammar = free.grammar.clone();
    let start_place = place(linted, linted.grammar.start);
    if grammar.constraint.is_some() && target != Target::Lark {
        let message = format!(
            "{} has no way to say that whole texts must match an expression besides",
            target.name()
        );
        return Err(obstacle("export-constraint", start_place, message).into());
    }
    let mut too_many = Vec::new();
    let count = grammar.rules.len();
    replace(&mut grammar, |items, name, rules| {
        let written = items.written_out(name, rules, MAX_ORDERS);
        if written.is_none() {
            too_many.push((name.to_owned(), items.items.len()));
        }
        written
    });
    if !too_many.is_empty() {
        let findings = too_many.into_iter().map(|(name, items)| {
            let rule = grammar
                .rules
                .iter()
                .take(count)
                .position(|it| it.name == name);
            let rule = rule.map_or(grammar.start, |at| RuleId(at as u32));
            let message = format!(
                "the {items} items of {name} may stand in any order, which takes more than \
                 {MAX_ORDERS} rules to write out"
            );
            let finding = obstacle("export-any-order", place(linted, rule), message);
            finding.with_note("with the properties in declared order it can be written")
        });
        return Err(Diagnostics(findings.collect()));
    }
    let mut lowering = Lowering {
        linted,
        target,
        productive: productive(&grammar),
        numbers: vec![None; grammar.rules.len()],
        plain: Plain {
            rules: Vec::new(),
            constraint: None,
        },
        size: 0,
    };
    lowering.grammar(&grammar)?;
    Ok(lowering.plain)
}

fn place(linted: &Linted, rule: RuleId) -> &Place {
    static NOWHERE: Place = Place::Span { start: 0, end: 0 };
    linted.places.get(rule.0 as usize).unwrap_or(&NOWHERE)
}

struct Lowering<'a> {
    linted: &'a Linted,
    target: Target,
    productive: Vec<bool>,
    /// The number of each rule that is kept.
    numbers: Vec<Option<usize>>,
    plain: Plain,
    size: usize,
}

impl Lowering<'_> {
    fn grammar(&mut self, grammar: &Grammar) -> Result<(), Diagnostics> {
        if !self.productive[grammar.start.0 as usize] {
            let place = place(self.linted, self.linted.grammar.start);
            let message = "no text belongs to the grammar".to_owned();
            return Err(obstacle("export-empty", place, message).into());
        }
        let reachable = reachable(grammar);
        let mut kept = vec![grammar.start];
        kept.extend((0..grammar.rules.len() as u32).map(RuleId).filter(|rule| {
            let at = rule.0 as usize;
            *rule != grammar.start && reachable[at] && self.productive[at]
        }));
        for (number, rule) in kept.iter().enumerate() {
            self.numbers[rule.0 as usize] = Some(number);
            self.plain.rules.push(PlainRule {
                name: grammar.rule(*rule).name.clone(),
                body: Node::Never,
                place: place(self.linted, *rule).clone(),
            });
        }
        for (number, rule) in kept.into_iter().enumerate() {
            let body = self.node(&grammar.rule(rule).body, number)?;
            self.size += body.size();
            self.plain.rules[number].body = body;
            if self.size > MAX_NODES || self.plain.rules[number].body.depth() > MAX_DEPTH {
                return Err(self.too_large(number).into());
            }
        }
        if let Some(constraint) = &grammar.constraint {
            self.plain.constraint = Some(self.condition(constraint)?);
        }
        Ok(())
    }

    /// A constraint on whole texts, which cannot be rules.
    fn condition(&self, constraint: &Dfa) -> Result<Node, Diagnostics> {
        let Some(states) = characters::states(constraint) else {
            return Err(self.bytes(0).into());
        };
        match solve(&states, MAX_CONDITION) {
            Solved::Expression(node) => Ok(node),
            Solved::TooLong => {
                let message = format!(
                    "what whole texts must match besides would take more than {MAX_CONDITION} \
                     parts as one expression"
                );
                Err(obstacle("export-constraint", &self.plain.rules[0].place, message).into())
            }
        }
    }

    fn too_large(&self, rule: usize) -> crate::Diagnostic {
        let rule = &self.plain.rules[rule];
        let message = format!(
            "{} would take more than {MAX_NODES} parts to write, or some {MAX_DEPTH} deep in one \
             another, {} among them",
            self.target.name(),
            rule.name
        );
        obstacle("export-too-large", &rule.place, message)
    }

    fn node(&mut self, expr: &Expr, rule: usize) -> Result<Node, Diagnostics> {
        Ok(match expr {
            Expr::Literal(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Node::sequence([Node::Text(text.to_owned())]),
                Err(_) => return Err(self.bytes(rule).into()),
            },
            Expr::Chars(ranges) => Node::class(ranges.to_vec()),
            Expr::Sequence(parts) => Node::sequence(self.nodes(parts, rule)?),
            Expr::Choice(parts) => Node::choice(self.nodes(parts, rule)?),
            Expr::Repeat { item, min, max } => Node::repeat(self.node(item, rule)?, *min, *max),
            Expr::Rule(mentioned) => match self.numbers[mentioned.0 as usize] {
                Some(number) if self.productive[mentioned.0 as usize] => Node::Rule(number),
                _ => Node::Never,
            },
            Expr::Automaton(dfa) => self.automaton(dfa, rule)?,
            Expr::Counted(_) if !SHORTCUTS => Node::Never,
            Expr::Counted(counted) => match counted.written_out(&Limits::default()) {
                Ok(dfa) => self.automaton(&dfa, rule)?,
                Err(_) => return Err(self.too_large(rule).into()),
            },
            // Both were replaced.
            Expr::Interleave(_) | Expr::Terminal(_) => Node::Never,
        })
    }

    fn nodes(&mut self, parts: &[Expr], rule: usize) -> Result<Vec<Node>, Diagnostics> {
        parts.iter().map(|part| self.node(part, rule)).collect()
    }

    fn bytes(&self, rule: usize) -> crate::Diagnostic {
        let rule = &self.plain.rules[rule];
        let message = format!(
            "{} has bytes that are no characters, which {} cannot name",
            rule.name,
            self.target.name()
        );
        obstacle("export-bytes", &rule.place, message)
    }

    /// An automaton as an expression, or, if that is long, as a rule for each state.
    fn automaton(&mut self, dfa: &Dfa, rule: usize) -> Result<Node, Diagnostics> {
        let Some(states) = characters::states(dfa) else {
            return Err(self.bytes(rule).into());
        };
        let most = match self.target {
            Target::Regex => MAX_NODES,
            Target::Gbnf | Target::Lark => 12 * states.len() + 200,
        };
        match solve(&states, most) {
            Solved::Expression(node) => Ok(node),
            Solved::TooLong if self.target == Target::Regex => Err(self.too_large(rule).into()),
            Solved::TooLong => {
                let first = self.plain.rules.len();
                let PlainRule { name, place, .. } = self.plain.rules[rule].clone();
                for (at, state) in states.iter().enumerate() {
                    let steps = state.steps.iter().map(|(ranges, to)| {
                        Node::sequence([Node::class(ranges.clone()), Node::Rule(first + to)])
                    });
                    let end = state.accepts.then(Node::empty);
                    let body = Node::choice(steps.chain(end));
                    self.size += body.size();
                    self.plain.rules.push(PlainRule {
                        name: format!("{name} {at}"),
                        body,
                        place: place.clone(),
                    });
                }
                Ok(Node::Rule(first))
            }
        }
    }
}
