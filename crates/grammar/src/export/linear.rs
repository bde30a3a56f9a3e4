//! A grammar without rules: what they stand for, written in place of them.
//!
//! Rules that lead to each other are equations. Where they mention one another only at
//! the end of what they derive, or only at the beginning, the equations are linear, and
//! Arden's rule solves them: `A = x A | y` is `x* y`.

use std::collections::BTreeMap;

use crate::Diagnostics;

use super::plain::{Node, Plain};
use super::{MAX_DEPTH, MAX_NODES, obstacle};

/// The start rule as one expression.
pub(super) fn without_rules(plain: &Plain) -> Result<Node, Diagnostics> {
    let mut solving = Solving {
        plain,
        solved: BTreeMap::new(),
    };
    for group in groups(plain) {
        solving.group(&group)?;
    }
    Ok(solving.solved.remove(&0).unwrap_or(Node::Never))
}

struct Solving<'a> {
    plain: &'a Plain,
    solved: BTreeMap<usize, Node>,
}

/// The side on which rules of the group are mentioned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    End,
    Beginning,
}

impl Side {
    fn join(self, outer: Node, inner: Node) -> Node {
        match self {
            Side::End => Node::sequence([outer, inner]),
            Side::Beginning => Node::sequence([inner, outer]),
        }
    }
}

/// What a rule is: what stands beside each rule of the group, and what is without them.
#[derive(Clone, Default)]
struct Equation {
    beside: BTreeMap<usize, Node>,
    rest: Option<Node>,
}

impl Equation {
    fn add(&mut self, rule: Option<usize>, node: Node) {
        let known = match rule {
            Some(rule) => self.beside.remove(&rule),
            None => self.rest.take(),
        };
        let node = Node::choice(known.into_iter().chain([node]));
        match rule {
            Some(rule) => drop(self.beside.insert(rule, node)),
            None => self.rest = Some(node),
        }
    }

    fn is_too_large(&self) -> bool {
        let parts = || self.beside.values().chain(&self.rest);
        parts().map(Node::size).sum::<usize>() > MAX_NODES
            || parts().any(|part| part.depth() > MAX_DEPTH)
    }
}

impl Solving<'_> {
    fn group(&mut self, group: &[usize]) -> Result<(), Diagnostics> {
        let mut bodies = BTreeMap::new();
        for &rule in group {
            bodies.insert(rule, self.substituted(rule)?);
        }
        let mentions = |node: &Node| {
            let mut found = false;
            node.for_each_rule(&mut |_| found = true);
            found
        };
        if let [rule] = group
            && let Some(body) = bodies.get(rule).filter(|body| !mentions(body))
        {
            self.solved.insert(*rule, body.clone());
            return Ok(());
        }
        let equations = [Side::End, Side::Beginning].into_iter().find_map(|side| {
            let equations = bodies.iter().map(|(&rule, body)| {
                let mut equation = Equation::default();
                linear(body, side, &mentions, &Node::empty(), &mut equation)?;
                Some((rule, equation))
            });
            Some((side, equations.collect::<Option<BTreeMap<_, _>>>()?))
        });
        let Some((side, equations)) = equations else {
            let culprit = &self.plain.rules[group.first().copied().unwrap_or_default()];
            let message = format!(
                "the rule {} is recursive, and not only at the end or only at the beginning of rules",
                culprit.name
            );
            let finding = obstacle("export-recursion", &culprit.place, message);
            let note = "with a limit of nesting (--max-depth) it would be regular";
            return Err(finding.with_note(note).into());
        };
        self.solve(group, equations, side)
    }

    /// Arden's rule for one rule after the other.
    fn solve(
        &mut self,
        group: &[usize],
        mut equations: BTreeMap<usize, Equation>,
        side: Side,
    ) -> Result<(), Diagnostics> {
        for &rule in group {
            let mut equation = equations.remove(&rule).unwrap_or_default();
            if let Some(own) = equation.beside.remove(&rule) {
                let again = Node::repeat(own, 0, None);
                let parts = equation.beside.values_mut().chain(equation.rest.as_mut());
                for part in parts {
                    let old = std::mem::replace(part, Node::Never);
                    *part = side.join(again.clone(), old);
                }
            }
            for other in equations.values_mut() {
                let Some(outer) = other.beside.remove(&rule) else {
                    continue;
                };
                let inner = equation
                    .beside
                    .iter()
                    .map(|(&rule, node)| (Some(rule), node));
                for (rule, node) in inner.chain(equation.rest.iter().map(|node| (None, node))) {
                    other.add(rule, side.join(outer.clone(), node.clone()));
                }
                if other.is_too_large() {
                    return Err(self.too_large(rule));
                }
            }
            equations.insert(rule, equation);
        }
        // Backwards, each mentions only rules behind it.
        for &rule in group.iter().rev() {
            let Equation { beside, rest } = equations.remove(&rule).unwrap_or_default();
            let known = beside.into_iter().map(|(rule, outer)| {
                let inner = self.solved.get(&rule).cloned().unwrap_or(Node::Never);
                side.join(outer, inner)
            });
            let solved = Node::choice(known.chain(rest));
            if solved.size() > MAX_NODES || solved.depth() > MAX_DEPTH {
                return Err(self.too_large(rule));
            }
            self.solved.insert(rule, solved);
        }
        Ok(())
    }

    /// A rule's body, with what is solved in place of its rules.
    fn substituted(&self, rule: usize) -> Result<Node, Diagnostics> {
        let mut budget = MAX_NODES;
        let body = self.put_in(&self.plain.rules[rule].body, &mut budget);
        let body = body.filter(|body| body.depth() <= MAX_DEPTH);
        body.ok_or_else(|| self.too_large(rule))
    }

    fn put_in(&self, node: &Node, budget: &mut usize) -> Option<Node> {
        *budget = budget.checked_sub(1)?;
        Some(match node {
            Node::Rule(rule) => match self.solved.get(rule) {
                Some(solved) => {
                    *budget = budget.checked_sub(solved.size())?;
                    solved.clone()
                }
                None => Node::Rule(*rule),
            },
            Node::Sequence(parts) => {
                let parts: Option<Vec<Node>> =
                    parts.iter().map(|part| self.put_in(part, budget)).collect();
                Node::sequence(parts?)
            }
            Node::Choice(parts) => {
                let parts: Option<Vec<Node>> =
                    parts.iter().map(|part| self.put_in(part, budget)).collect();
                Node::choice(parts?)
            }
            Node::Repeat(item, min, max) => Node::repeat(self.put_in(item, budget)?, *min, *max),
            Node::Never | Node::Text(_) | Node::Class(_) => node.clone(),
        })
    }

    fn too_large(&self, rule: usize) -> Diagnostics {
        let rule = &self.plain.rules[rule];
        let message = format!(
            "the rule {} alone would take more than {MAX_NODES} parts as a regular expression, or \
             some {MAX_DEPTH} deep in one another",
            rule.name
        );
        obstacle("export-too-large", &rule.place, message).into()
    }
}

/// Adds what `node` derives beside `outer`; `None` if rules are mentioned elsewhere than
/// on their side.
fn linear(
    node: &Node,
    side: Side,
    mentions: &dyn Fn(&Node) -> bool,
    outer: &Node,
    equation: &mut Equation,
) -> Option<()> {
    if !mentions(node) {
        equation.add(None, side.join(outer.clone(), node.clone()));
        return Some(());
    }
    match node {
        Node::Rule(rule) => equation.add(Some(*rule), outer.clone()),
        Node::Choice(parts) => {
            for part in parts {
                linear(part, side, mentions, outer, equation)?;
            }
        }
        Node::Sequence(parts) => {
            let (last, before) = match side {
                Side::End => parts.split_last()?,
                Side::Beginning => parts.split_first()?,
            };
            if before.iter().any(mentions) {
                return None;
            }
            let outer = side.join(outer.clone(), Node::sequence(before.iter().cloned()));
            linear(last, side, mentions, &outer, equation)?;
        }
        Node::Repeat(item, 0, Some(1)) => {
            equation.add(None, outer.clone());
            linear(item, side, mentions, outer, equation)?;
        }
        _ => return None,
    }
    Some(())
}

/// Rules that lead to each other, those that others use first.
fn groups(plain: &Plain) -> Vec<Vec<usize>> {
    let count = plain.rules.len();
    let mut mentions: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut mentioned_by: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (rule, known) in plain.rules.iter().enumerate() {
        known.body.for_each_rule(&mut |to| {
            mentions[rule].push(to);
            mentioned_by[to].push(rule);
        });
    }
    // Kosaraju's: in the order in which they are left, then backwards from the last.
    let all: Vec<usize> = (0..count).collect();
    let mut left = Vec::new();
    visit(&all, &mentions, |tree| left.extend(tree));
    left.reverse();
    let mut groups = Vec::new();
    visit(&left, &mentioned_by, |mut tree| {
        tree.sort_unstable();
        groups.push(tree);
    });
    groups.reverse();
    groups
}

/// Depth first from each of `order`; hands over what each finds that is new, in the order
/// in which it is left.
fn visit(order: &[usize], edges: &[Vec<usize>], mut found: impl FnMut(Vec<usize>)) {
    let mut seen = vec![false; edges.len()];
    for &first in order {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let (mut tree, mut stack) = (Vec::new(), vec![(first, 0)]);
        while let Some((at, next)) = stack.last_mut() {
            match edges[*at].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    tree.push(*at);
                    stack.pop();
                }
            }
        }
        found(tree);
    }
}
