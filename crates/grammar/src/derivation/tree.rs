//! The tree, read off from the facts: each part is explained by facts with smaller
//! numbers than the fact that it is.

use super::facts::Facts;
use super::reach::{Lists, Places, Rounds, reach};
use super::{By, Derivation, Input, NoDerivation, Node};
use crate::{Expr, RuleId};

/// Reads the tree of the whole text.
pub(super) fn read(input: &mut Input<'_>, facts: &Facts) -> Result<Derivation, NoDerivation> {
    let (start, end) = (input.grammar.start, input.end());
    if facts.number(start, 0, end).is_none() {
        return Err(NoDerivation::NotMember);
    }
    let mut tree = Tree {
        input,
        facts,
        nodes: Vec::new(),
        todo: vec![Todo {
            parent: None,
            rule: start,
            start: 0,
            end,
        }],
    };
    while let Some(todo) = tree.todo.pop() {
        tree.rule(todo)?;
    }
    let nodes = in_order(tree.nodes);
    Ok(Derivation { nodes })
}

/// A rule whose part of the text is still to be explained.
struct Todo {
    parent: Option<usize>,
    rule: RuleId,
    start: usize,
    end: usize,
}

struct Tree<'i, 'a> {
    input: &'i mut Input<'a>,
    facts: &'i Facts,
    nodes: Vec<Node>,
    todo: Vec<Todo>,
}

/// A part of a rule's text: whose node it belongs to, and the number of its fact.
#[derive(Clone, Copy)]
struct Within {
    node: usize,
    below: u32,
}

impl Tree<'_, '_> {
    fn rule(&mut self, todo: Todo) -> Result<(), NoDerivation> {
        let Todo {
            parent,
            rule,
            start,
            end,
        } = todo;
        let below = self.facts.number(rule, start, end);
        let below = below.ok_or(NoDerivation::NotMember)?;
        let (first, last) = self.input.bytes(start, end);
        let node = self.nodes.len();
        self.nodes.push(Node {
            parent,
            by: By::Rule(rule),
            start: first,
            end: last,
        });
        let body = &self.input.grammar.rule(rule).body;
        self.part(body, start, end, Within { node, below })
    }

    /// Explains a part that is known to be of `expr`.
    fn part(
        &mut self,
        expr: &Expr,
        start: usize,
        end: usize,
        within: Within,
    ) -> Result<(), NoDerivation> {
        self.input.step()?;
        match expr {
            Expr::Rule(rule) => self.todo.push(Todo {
                parent: Some(within.node),
                rule: *rule,
                start,
                end,
            }),
            Expr::Terminal(terminal) => self.leaf(By::Terminal(*terminal), start, end, within),
            Expr::Literal(_) | Expr::Chars(_) | Expr::Automaton(_) | Expr::Counted(_) => {
                self.leaf(By::Text, start, end, within);
            }
            Expr::Choice(parts) => {
                for part in parts {
                    if self.ends(part, start, within)?.contains(&end) {
                        return self.part(part, start, end, within);
                    }
                }
            }
            Expr::Sequence(parts) => {
                for (part, start, end) in self.split(parts, start, end, within)? {
                    self.part(part, start, end, within)?;
                }
            }
            Expr::Repeat { item, min, max } => {
                let facts = self.facts;
                let mut rules = |rule, start| facts.ends(rule, start, within.below);
                let rounds = Rounds::run(self.input, item, (*min, *max), start, &mut rules)?;
                for (start, end) in rounds.path(end) {
                    self.part(item, start, end, within)?;
                }
            }
            Expr::Interleave(all) => {
                let facts = self.facts;
                let mut rules = |rule, start| facts.ends(rule, start, within.below);
                let lists = Lists::run(self.input, all, start, &mut rules)?;
                for entry in lists.path(end) {
                    if let Some(before) = entry.separator {
                        self.part(&all.separator, before, entry.start, within)?;
                    }
                    let form = all.items.get(entry.item);
                    if let Some(way) = form.and_then(|item| item.ways.get(entry.way)) {
                        self.part(&way.text, entry.start, entry.end, within)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn ends(&mut self, expr: &Expr, start: usize, within: Within) -> Result<Places, NoDerivation> {
        let facts = self.facts;
        let mut rules = |rule, start| facts.ends(rule, start, within.below);
        reach(self.input, expr, &Places::from([start]), &mut rules)
    }

    /// The parts of a sequence, those in front as long as they can be.
    fn split<'e>(
        &mut self,
        parts: &'e [Expr],
        start: usize,
        end: usize,
        within: Within,
    ) -> Result<Vec<(&'e Expr, usize, usize)>, NoDerivation> {
        let mut before = vec![Places::from([start])];
        for part in parts {
            let mut next = Places::new();
            for &place in before.last().into_iter().flatten() {
                next.append(&mut self.ends(part, place, within)?);
            }
            before.push(next);
        }
        before.pop();
        let (mut split, mut at) = (Vec::with_capacity(parts.len()), end);
        for (part, places) in parts.iter().zip(&before).rev() {
            for &from in places.iter().rev() {
                if self.ends(part, from, within)?.contains(&at) {
                    split.push((part, from, at));
                    at = from;
                    break;
                }
            }
        }
        split.reverse();
        Ok(split)
    }

    /// Text; what follows on text of the same rule belongs to it.
    fn leaf(&mut self, by: By, start: usize, end: usize, within: Within) {
        if start == end {
            return;
        }
        let (start, end) = self.input.bytes(start, end);
        if let Some(last) = self.nodes.last_mut()
            && (by, last.by) == (By::Text, By::Text)
            && last.parent == Some(within.node)
            && last.end == start
        {
            // Only if no rule of empty text stands between the two.
            let mut empty = self.todo.iter().rev();
            let is_between = |todo: &Todo| todo.start >= start;
            let is_between = empty
                .next()
                .is_some_and(|todo| todo.parent == Some(within.node) && is_between(todo));
            if !is_between {
                last.end = end;
                return;
            }
        }
        self.nodes.push(Node {
            parent: Some(within.node),
            by,
            start,
            end,
        });
    }
}

/// The nodes with each part directly behind what it is part of, in the order of the text.
fn in_order(nodes: Vec<Node>) -> Vec<Node> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let Some(list) = node.parent.and_then(|parent| children.get_mut(parent)) {
            list.push(at);
        }
    }
    for list in &mut children {
        let place = |&at: &usize| nodes.get(at).map(|node| (node.start, node.end));
        list.sort_by_key(place);
    }
    let mut ordered: Vec<Node> = Vec::with_capacity(nodes.len());
    let mut todo: Vec<(usize, Option<usize>)> = vec![(0, None)];
    while let Some((at, parent)) = todo.pop() {
        let (Some(node), Some(list)) = (nodes.get(at), children.get(at)) else {
            continue;
        };
        let place = ordered.len();
        ordered.push(Node {
            parent,
            ..node.clone()
        });
        todo.extend(list.iter().rev().map(|&child| (child, Some(place))));
    }
    ordered
}
