//! From the syntax tree to the shared grammar.

use rustc_hash::FxHashMap;

use super::ast::{Node, Rule};
use crate::characters::{self, ANY_CHARACTER};
use crate::{Diagnostic, Expr, Grammar, Place, RuleId, ir};

/// `None` where there is no start rule; what is wrong goes to `findings`.
pub(super) fn lower(
    rules: &[Rule],
    text_length: usize,
    findings: &mut Vec<Diagnostic>,
) -> Option<Grammar> {
    // Where the text could not be read, rules may seem to be missing.
    let complete = findings.is_empty();
    let mut ids: FxHashMap<&str, RuleId> = FxHashMap::default();
    for (index, rule) in rules.iter().enumerate() {
        let first = *ids.entry(&rule.name.text).or_insert(RuleId(index as u32));
        if first.0 as usize != index {
            findings.push(
                Diagnostic::error(
                    "duplicate-rule",
                    rule.name.place(),
                    format!("{} has been defined before", rule.name.text),
                )
                .with_note("join the two with |"),
            );
        }
    }
    let mut lowering = Lowering {
        ids: &ids,
        complete,
        findings,
    };
    let lowered = rules
        .iter()
        .map(|rule| ir::Rule {
            name: rule.name.text.clone(),
            body: lowering.expression(&rule.body),
        })
        .collect();
    let start = ids.get("root").copied();
    if start.is_none() && complete {
        let place = Place::Span {
            start: 0,
            end: text_length,
        };
        findings.push(
            Diagnostic::error("missing-root", place, "there is no rule named root")
                .with_note("a whole text must match the rule root"),
        );
    }
    Some(Grammar::new(lowered, start?))
}

struct Lowering<'a> {
    ids: &'a FxHashMap<&'a str, RuleId>,
    complete: bool,
    findings: &'a mut Vec<Diagnostic>,
}

impl Lowering<'_> {
    fn expression(&mut self, node: &Node) -> Expr {
        match node {
            Node::Literal(text) => Expr::literal(text),
            Node::Class { negated, ranges } => {
                let ranges = characters::normalise(ranges.clone());
                let ranges = if *negated {
                    characters::complement(&ranges)
                } else {
                    ranges
                };
                Expr::Chars(ranges.into())
            }
            Node::AnyCharacter => Expr::Chars(Box::new([ANY_CHARACTER])),
            Node::Mention(name) => match self.ids.get(name.text.as_str()) {
                Some(&id) => Expr::Rule(id),
                None => {
                    if self.complete {
                        let message = format!("there is no rule named {}", name.text);
                        self.findings.push(Diagnostic::error(
                            "unknown-rule",
                            name.place(),
                            message,
                        ));
                    }
                    Expr::never()
                }
            },
            Node::Sequence(items) => {
                Expr::Sequence(items.iter().map(|item| self.expression(item)).collect())
            }
            Node::Choice(items) => {
                Expr::Choice(items.iter().map(|item| self.expression(item)).collect())
            }
            Node::Repeat { item, min, max } => Expr::Repeat {
                item: Box::new(self.expression(item)),
                min: *min,
                max: *max,
            },
        }
    }
}
