//! Whether one given value is valid: for lists of values beside other keywords.

use super::lower::{Lowering, MAX_CHAIN};
use super::node::{self, Node, NodeId, Types};
use super::value::Json;

/// Deepest recursion, over the value and over references.
const MAX_DEPTH: usize = 4 * MAX_CHAIN;
/// Most schemas looked at for one document.
const MAX_VALIDATIONS: usize = 2_000_000;

impl<'a> Lowering<'a> {
    /// Whether the node's keywords hold for the value, `$ref`, `allOf` and
    /// `anyOf` left aside.
    pub(super) fn holds(&mut self, node: &Node<'a>, value: &Json) -> bool {
        self.keywords_hold(node, value, 0)
    }

    fn is_valid(&mut self, schema: NodeId, value: &Json, depth: usize) -> bool {
        if !self.is_grounded(schema) {
            return false;
        }
        self.validations += 1;
        let excess = if depth > MAX_DEPTH {
            Some(("too-deep", "references and values are nested too deep here"))
        } else if self.validations > MAX_VALIDATIONS {
            Some(("too-large", "the listed values take too long to check here"))
        } else {
            None
        };
        if let Some((kind, message)) = excess {
            let finding = node::error(kind, self.document.pointer(schema), message);
            if self.document.findings.last() != Some(&finding) {
                self.document.findings.push(finding);
            }
            return false;
        }
        let node = self.document.node(schema);
        let depth = depth + 1;
        self.keywords_hold(&node, value, depth)
            && node
                .also
                .iter()
                .all(|&also| self.is_valid(also, value, depth))
            && node.any_of.as_ref().is_none_or(|branches| {
                branches
                    .iter()
                    .any(|&branch| self.is_valid(branch, value, depth))
            })
    }

    fn keywords_hold(&mut self, node: &Node<'a>, value: &Json, depth: usize) -> bool {
        if node.never || !node.types.has(Types::of(value)) {
            return false;
        }
        if node
            .values
            .as_ref()
            .is_some_and(|values| !values.contains(&value))
        {
            return false;
        }
        match value {
            Json::Null | Json::Bool(_) => true,
            Json::Number(number) => {
                let above = node.lower.as_ref().is_none_or(|bound| {
                    *number > bound.value || *number == bound.value && !bound.exclusive
                });
                let below = node.upper.as_ref().is_none_or(|bound| {
                    *number < bound.value || *number == bound.value && !bound.exclusive
                });
                above && below
            }
            Json::Text(_) if !node.asks.is_empty() => {
                let message = "a listed string cannot be judged while a slot beside it is open";
                let finding = node::error("open-slot", &node.pointer, message)
                    .with_note("hand the list or the text over with the schema");
                if !self.document.findings.contains(&finding) {
                    self.document.findings.push(finding);
                }
                false
            }
            Json::Text(text) => {
                within(text.chars().count(), node.length)
                    && node
                        .texts
                        .iter()
                        .all(|texts| texts.accepts(text.as_bytes()))
            }
            Json::Array(items) => {
                within(items.len(), node.item_count)
                    && node.items.is_none_or(|schema| {
                        items
                            .iter()
                            .all(|item| self.is_valid(schema, item, depth + 1))
                    })
            }
            Json::Object(members) => {
                node.required.iter().all(|name| value.get(name).is_some())
                    && members.iter().all(|(name, value)| {
                        let schema = node.property_ids.get(name.as_str()).copied();
                        schema
                            .or(node.additional)
                            .is_none_or(|schema| self.is_valid(schema, value, depth + 1))
                    })
            }
        }
    }
}

fn within(count: usize, (min, max): (u32, Option<u32>)) -> bool {
    count >= min as usize && max.is_none_or(|max| count <= max as usize)
}
