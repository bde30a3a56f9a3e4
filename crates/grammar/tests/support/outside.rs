//! The outside validator that verdicts are compared with.

use boon::{CompileError, Compiler, Format, SchemaIndex, Schemas};
use serde_json::Value;

const FORMATS: [&str; 23] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "period",
    "regex",
    "relative-json-pointer",
    "semver",
    "time",
    "unknown",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
];

/// A schema as the outside validator understands it.
pub struct Outside {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Outside {
    /// Reads a schema, or the part of it that a JSON pointer leads to, and documents that it may
    /// refer to with their identifiers.
    pub fn new<'d>(
        schema: &Value,
        pointer: &str,
        documents: impl IntoIterator<Item = (&'d String, &'d Value)>,
        asserts_formats: bool,
    ) -> Result<Self, Box<CompileError>> {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        match asserts_formats {
            true => compiler.enable_format_assertions(),
            // It asserts those of early drafts unasked.
            false => FORMATS.iter().for_each(|name| {
                let func = |_: &Value| Ok(());
                compiler.register_format(Format { name, func });
            }),
        }
        for (uri, document) in documents {
            compiler.add_resource(uri, document.clone())?;
        }
        let own = schema.get("$id").or(schema.get("id"));
        let own = own.and_then(Value::as_str).unwrap_or("schema.json");
        compiler.add_resource(own, schema.clone())?;
        let index = match pointer.is_empty() {
            true => compiler.compile(own, &mut schemas)?,
            false => compiler.compile(&format!("{own}#{pointer}"), &mut schemas)?,
        };
        Ok(Self { schemas, index })
    }

    /// Whether a value is valid under the schema.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }
}
