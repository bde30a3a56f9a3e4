//! Which terminal refers to which, and an order to compile them in.

use super::ast::{Name, Node};
use super::definitions::{Definitions, slot_in_terminal};
use crate::Diagnostic;

/// For each terminal, those that it mentions. Names that are missing are said to
/// be where the text is `complete`.
pub(super) fn collect(
    definitions: &Definitions,
    complete: bool,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Vec<usize>> {
    let mut references = Vec::new();
    for definition in &definitions.terminals {
        let mut mentioned = Vec::new();
        for (module, body) in &definition.bodies {
            for_each_mention(
                body,
                &mut |name| match definitions.terminal_named(*module, &name.text) {
                    Some(index) if definitions.terminals[index].slot.is_some() => {
                        findings.push(*slot_in_terminal(name));
                    }
                    Some(index) => mentioned.push(index),
                    None => findings.extend(unknown(definitions, name, complete)),
                },
            );
        }
        references.push(mentioned);
    }
    references
}

pub(super) fn for_each_mention(node: &Node, visit: &mut dyn FnMut(&Name)) {
    match node {
        Node::Mention(name) => visit(name),
        Node::Sequence(nodes) | Node::Choice(nodes) | Node::Both { parts: nodes, .. } => {
            nodes.iter().for_each(|node| for_each_mention(node, visit));
        }
        Node::Repeat { item, .. } | Node::Not { item, .. } => for_each_mention(item, visit),
        Node::Literal { .. } | Node::Regex(_) | Node::Range { .. } | Node::Usage { .. } => {}
    }
}

/// What is wrong with a name in a terminal that is no terminal's.
pub(super) fn unknown(
    definitions: &Definitions,
    name: &Name,
    complete: bool,
) -> Option<Diagnostic> {
    let place = name.span.place();
    if !name.is_terminal() {
        let message = format!("a terminal cannot mention a rule, such as {}", name.text);
        let finding = Diagnostic::error("rule-in-terminal", place, message);
        let known = definitions.rule_named(&name.text).is_some();
        return Some(match known {
            true => finding.with_note("make the rule a terminal, or this terminal a rule"),
            false => finding,
        });
    }
    let message = format!("there is no terminal named {}", name.text);
    complete.then(|| Diagnostic::error("unknown-terminal", place, message))
}

/// The terminals in an order in which references point back; those that refer
/// to themselves are reported and left out.
pub(super) fn order(
    references: &[Vec<usize>],
    definitions: &Definitions,
    findings: &mut Vec<Diagnostic>,
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Fresh,
        Open,
        Done,
    }
    let mut marks = vec![Mark::Fresh; references.len()];
    let (mut order, mut cyclic) = (Vec::new(), vec![false; references.len()]);
    for root in 0..references.len() {
        if marks[root] != Mark::Fresh {
            continue;
        }
        marks[root] = Mark::Open;
        let mut path = vec![(root, 0)];
        while let Some(&mut (index, ref mut next)) = path.last_mut() {
            let Some(&to) = references[index].get(*next) else {
                marks[index] = Mark::Done;
                path.pop();
                if !cyclic[index] {
                    order.push(index);
                }
                continue;
            };
            *next += 1;
            match marks[to] {
                Mark::Done => {}
                Mark::Fresh => {
                    marks[to] = Mark::Open;
                    path.push((to, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|&(at, _)| at == to).unwrap_or(0);
                    let cycle: Vec<usize> = path[from..].iter().map(|&(at, _)| at).collect();
                    cycle.iter().for_each(|&at| cyclic[at] = true);
                    findings.push(recursion(&cycle, definitions));
                }
            }
        }
    }
    order
}

fn recursion(cycle: &[usize], definitions: &Definitions) -> Diagnostic {
    let name = |index: usize| &definitions.terminals[index].name;
    let names: Vec<&str> = cycle
        .iter()
        .take(8)
        .map(|&at| name(at).text.as_str())
        .collect();
    let message = format!(
        "a terminal cannot refer to itself: {} → {}{}",
        names.join(" → "),
        if cycle.len() > names.len() {
            "… → "
        } else {
            ""
        },
        names[0]
    );
    Diagnostic::error("recursive-terminal", name(cycle[0]).span.place(), message)
        .with_note("only rules may be recursive; rules have names in small letters")
}
