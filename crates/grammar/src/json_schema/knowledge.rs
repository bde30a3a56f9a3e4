//! What can be known of a schema at a glance: never wrong, but less than all.

use super::expansion::{Expander, MAX_CHAIN};
use super::keyword::{Keyword, SchemaId};
use super::types::Types;

impl Expander<'_> {
    /// The types of values for which a schema may hold; others are certain not
    /// to be.
    pub(super) fn possible_types(&mut self, schema: SchemaId) -> Types {
        if let Some(&known) = self.types.get(&schema) {
            return known;
        }
        // What leads back here says no more.
        self.types.insert(schema, Types::ALL);
        let node = self.document.node(schema);
        let mut types = match node.never {
            true => Types::NONE,
            false => Types::ALL,
        };
        for keyword in &node.keywords {
            types = types.and(match keyword {
                Keyword::Types(types) => *types,
                Keyword::Values(values) => {
                    let mut any = values.names;
                    for (kind, empty) in [
                        (Types::STRING, values.words.is_empty()),
                        (Types::NUMBER, values.numbers.is_empty()),
                        (Types::ARRAY.or(Types::OBJECT), values.composites.is_empty()),
                    ] {
                        any = if empty { any } else { any.or(kind) };
                    }
                    any
                }
                Keyword::All(list) => list.iter().fold(Types::ALL, |types, &part| {
                    types.and(self.possible_types(part))
                }),
                Keyword::Any(list) | Keyword::One(list) => {
                    list.iter().fold(Types::NONE, |types, &part| {
                        types.or(self.possible_types(part))
                    })
                }
                Keyword::Same(target) => self.possible_types(*target),
                _ => Types::ALL,
            });
        }
        self.types.insert(schema, types);
        types
    }

    /// Whether a schema, or one in place in it, may speak of members or items.
    pub(super) fn may_evaluate(&mut self, schema: SchemaId) -> bool {
        if let Some(&known) = self.evaluates.get(&schema) {
            return known;
        }
        self.evaluates.insert(schema, true);
        let node = self.document.node(schema);
        let mut found = false;
        for keyword in &node.keywords {
            found |= match keyword {
                Keyword::Items(_)
                | Keyword::Members(_)
                | Keyword::Contains { .. }
                | Keyword::UnevaluatedItems(_)
                | Keyword::UnevaluatedProperties(_) => true,
                Keyword::Not(_) => false,
                other => other
                    .in_place()
                    .into_iter()
                    .any(|part| self.may_evaluate(part)),
            };
        }
        self.evaluates.insert(schema, found);
        found
    }

    /// Whether a schema never leads back to itself without a step into a value.
    pub(super) fn is_grounded(&mut self, schema: SchemaId) -> bool {
        if self.grounded.contains(&schema) {
            return true;
        }
        let mut path: Vec<(SchemaId, Vec<SchemaId>)> = vec![(schema, self.in_place(schema))];
        while let Some((id, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                self.grounded.insert(*id);
                path.pop();
                continue;
            };
            if self.grounded.contains(&next) {
                continue;
            }
            let again = path.iter().any(|(on_path, _)| *on_path == next);
            if again {
                let message = "this schema refers to itself for the same value";
                self.refuse("endless-reference", next, "", message);
                return false;
            }
            if path.len() >= MAX_CHAIN {
                let message = format!("over {MAX_CHAIN} references in a row");
                self.refuse("too-deep", next, "", &message);
                return false;
            }
            let below = self.in_place(next);
            path.push((next, below));
        }
        true
    }

    /// Last first.
    fn in_place(&mut self, schema: SchemaId) -> Vec<SchemaId> {
        let node = self.document.node(schema);
        let mut found: Vec<SchemaId> = node.keywords.iter().flat_map(Keyword::in_place).collect();
        found.reverse();
        found
    }
}
