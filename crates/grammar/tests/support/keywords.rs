//! The keywords of the drafts.

use crate::drafts::Draft::{self, Four, Nineteen, Seven, Six, Twenty};

/// A keyword, with the first and the last draft that knows it.
pub type Keyword = (&'static str, Draft, Draft);

/// Those that constrain, and those that tell where what constrains is.
pub const CONSTRAINTS: [Keyword; 50] = [
    ("type", Four, Twenty),
    ("enum", Four, Twenty),
    ("const", Six, Twenty),
    ("minimum", Four, Twenty),
    ("maximum", Four, Twenty),
    ("exclusiveMinimum", Four, Twenty),
    ("exclusiveMaximum", Four, Twenty),
    ("multipleOf", Four, Twenty),
    ("minLength", Four, Twenty),
    ("maxLength", Four, Twenty),
    ("pattern", Four, Twenty),
    ("format", Four, Twenty),
    ("items", Four, Twenty),
    ("prefixItems", Twenty, Twenty),
    ("additionalItems", Four, Nineteen),
    ("minItems", Four, Twenty),
    ("maxItems", Four, Twenty),
    ("uniqueItems", Four, Twenty),
    ("contains", Six, Twenty),
    ("minContains", Nineteen, Twenty),
    ("maxContains", Nineteen, Twenty),
    ("properties", Four, Twenty),
    ("required", Four, Twenty),
    ("additionalProperties", Four, Twenty),
    ("patternProperties", Four, Twenty),
    ("propertyNames", Six, Twenty),
    ("minProperties", Four, Twenty),
    ("maxProperties", Four, Twenty),
    ("dependencies", Four, Seven),
    ("dependentRequired", Nineteen, Twenty),
    ("dependentSchemas", Nineteen, Twenty),
    ("allOf", Four, Twenty),
    ("anyOf", Four, Twenty),
    ("oneOf", Four, Twenty),
    ("not", Four, Twenty),
    ("if", Seven, Twenty),
    ("then", Seven, Twenty),
    ("else", Seven, Twenty),
    ("unevaluatedProperties", Nineteen, Twenty),
    ("unevaluatedItems", Nineteen, Twenty),
    ("$ref", Four, Twenty),
    ("id", Four, Four),
    ("$id", Six, Twenty),
    ("definitions", Four, Twenty),
    ("$defs", Nineteen, Twenty),
    ("$anchor", Nineteen, Twenty),
    ("$recursiveRef", Nineteen, Nineteen),
    ("$recursiveAnchor", Nineteen, Nineteen),
    ("$dynamicRef", Twenty, Twenty),
    ("$dynamicAnchor", Twenty, Twenty),
];

/// Those that say nothing of what is valid.
#[allow(dead_code, reason = "some tests want those that constrain")]
pub const ANNOTATIONS: [Keyword; 11] = [
    ("$comment", Seven, Twenty),
    ("title", Four, Twenty),
    ("description", Four, Twenty),
    ("default", Four, Twenty),
    ("examples", Six, Twenty),
    ("readOnly", Seven, Twenty),
    ("writeOnly", Seven, Twenty),
    ("deprecated", Nineteen, Twenty),
    ("contentEncoding", Seven, Twenty),
    ("contentMediaType", Seven, Twenty),
    ("contentSchema", Nineteen, Twenty),
];
