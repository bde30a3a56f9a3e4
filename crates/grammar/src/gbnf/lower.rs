//! From the syntax tree to the shared grammar.

use rustc_hash::FxHashMap;

use super::ast::{NamedToken, Node, Rule};
use super::tokens::{Tokens, Uses};
use crate::characters::{self, ANY_CHARACTER};
use crate::{Diagnostic, Expr, Grammar, Place, RuleId, TokenTexts, ir};

/// `None` where there is no start rule; what is wrong goes to `findings`. Where rules
/// are not `complete`, none is said to be missing.
pub(super) fn lower(
    rules: &[Rule],
    text_length: usize,
    complete: bool,
    tokens: Option<&dyn TokenTexts>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Grammar> {
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
        tokens: Tokens::new(tokens),
        complete,
        findings,
    };
    let lowered: Vec<ir::Rule> = rules
        .iter()
        .map(|rule| ir::Rule {
            name: rule.name.text.clone(),
            body: lowering.expression(&rule.body),
        })
        .collect();
    let tokens = lowering.tokens.named();
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
    Some(Grammar {
        tokens,
        ..Grammar::new(lowered, start?)
    })
}

struct Lowering<'a> {
    ids: &'a FxHashMap<&'a str, RuleId>,
    tokens: Tokens<'a>,
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
            Node::Token {
                negated,
                named,
                place,
            } => {
                let tokens = &mut self.tokens;
                let read = tokens.read(named, place).and_then(|ids| match negated {
                    false => tokens.text(ids),
                    true => tokens.any_other(ids, Uses::Once, place),
                });
                self.found(read)
            }
            Node::Repeat {
                item,
                min,
                max: None,
            } if let Some((named, place)) = negated_token(item) => {
                let tokens = &mut self.tokens;
                let read = tokens.read(named, place);
                let read = read.and_then(|ids| tokens.any_other(ids, Uses::Unbounded, place));
                Expr::Repeat {
                    item: Box::new(self.found(read)),
                    min: *min,
                    max: None,
                }
            }
            Node::Repeat { item, min, max } => Expr::Repeat {
                item: Box::new(self.expression(item)),
                min: *min,
                max: *max,
            },
        }
    }

    fn found(&mut self, read: Result<Expr, Box<Diagnostic>>) -> Expr {
        read.unwrap_or_else(|finding| {
            self.findings.push(*finding);
            Expr::never()
        })
    }
}

/// The token of `!<…>`, if that is what the node is.
fn negated_token(node: &Node) -> Option<(&NamedToken, &Place)> {
    match node {
        Node::Token {
            negated: true,
            named,
            place,
        } => Some((named, place)),
        _ => None,
    }
}
