//! How a JSON Schema is taken, beside its text.

use lacuna_grammar::json_schema::{PropertyOrder, SchemaOptions, WhiteSpace};

/// Choices in place of those that the purpose makes; other dialects have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaChoices {
    /// Other documents that references may lead to, by their identifiers.
    pub documents: Vec<(String, String)>,
    /// The order of an object's properties.
    pub order: Option<PropertyOrder>,
    /// Where white space stands.
    pub white_space: Option<WhiteSpace>,
    /// The steps that compiling may take; more are the error `too-much-work`.
    pub effort: Option<u32>,
}

impl SchemaChoices {
    /// Puts the choices in their place.
    pub(crate) fn apply(&self, options: &mut SchemaOptions) {
        options.documents.clone_from(&self.documents);
        options.order = self.order.unwrap_or(options.order);
        options.white_space = self.white_space.unwrap_or(options.white_space);
        options.effort = self.effort.map_or(options.effort, u64::from);
    }

    /// The choices as numbers, each another.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        let order = match self.order {
            None => 0,
            Some(PropertyOrder::Declared) => 1,
            Some(PropertyOrder::Any) => 2,
        };
        let white_space = match self.white_space {
            None => 0,
            Some(WhiteSpace::Compact) => 1,
            Some(WhiteSpace::Any) => 2,
            Some(WhiteSpace::Indented(width)) => 3 + u64::from(width),
        };
        let effort = self.effort.map_or(0, |steps| 1 + u64::from(steps));
        [order, white_space, effort]
    }
}
