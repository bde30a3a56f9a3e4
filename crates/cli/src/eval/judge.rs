//! Judges from outside: another project's JSON Schema validator (`boon`), and the plain
//! recogniser, which shares no code with the checker.

use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use crate::error::CommandError;

/// A JSON Schema validator.
pub struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    /// The validator of a schema file, and of documents that it refers to by their identifiers.
    pub fn new(
        path: &Path,
        schema: &str,
        documents: &[(String, String)],
    ) -> Result<Self, CommandError> {
        let invalid = |message: String| CommandError::content(path, message);
        let schema: Value =
            serde_json::from_str(schema).map_err(|error| invalid(error.to_string()))?;
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        for (id, document) in documents {
            let document = serde_json::from_str(document)
                .map_err(|error| invalid(format!("{id}: {error}")))?;
            let added = compiler.add_resource(id, document);
            added.map_err(|error| invalid(error.to_string()))?;
        }
        const NAME: &str = "schema.json";
        compiler
            .add_resource(NAME, schema)
            .map_err(|error| invalid(error.to_string()))?;
        let index = compiler
            .compile(NAME, &mut schemas)
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { schemas, index })
    }

    /// Whether it accepts a value.
    pub fn accepts(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }
}
