//! Vocabularies: which keywords each has, and by what identifiers drafts 2019-09 and 2020-12 know
//! them (core specification, section 8.1).

use super::draft::Draft;

/// A set of vocabularies, as bits. What only annotates never matters.
pub(super) type Vocabularies = u8;

const CORE: Vocabularies = 1;
const APPLICATOR: Vocabularies = 2;
const UNEVALUATED: Vocabularies = 4;
const VALIDATION: Vocabularies = 8;
/// Formats constrain.
pub(super) const FORMATS: Vocabularies = 16;

/// Those of a draft as it is.
pub(super) const USUAL: Vocabularies = CORE | APPLICATOR | UNEVALUATED | VALIDATION;
/// What is there whatever is named.
pub(super) const NONE: Vocabularies = CORE;

/// The vocabulary of a keyword.
pub(super) fn of_keyword(keyword: &str, draft: Draft) -> Vocabularies {
    match keyword {
        "unevaluatedItems" | "unevaluatedProperties" if draft >= Draft::Twenty => UNEVALUATED,
        "unevaluatedItems"
        | "unevaluatedProperties"
        | "prefixItems"
        | "items"
        | "additionalItems"
        | "contains"
        | "additionalProperties"
        | "properties"
        | "patternProperties"
        | "dependentSchemas"
        | "propertyNames"
        | "if"
        | "then"
        | "else"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not" => APPLICATOR,
        "type" | "enum" | "const" | "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum"
        | "exclusiveMinimum" | "maxLength" | "minLength" | "pattern" | "maxItems" | "minItems"
        | "uniqueItems" | "maxContains" | "minContains" | "maxProperties" | "minProperties"
        | "required" | "dependentRequired" => VALIDATION,
        _ => CORE,
    }
}

/// What is behind the identifier of a vocabulary, if a draft has it.
pub(super) fn named(uri: &str, draft: Draft, is_required: bool) -> Option<Vocabularies> {
    let (prefix, is_latest) = match draft {
        Draft::Nineteen => ("https://json-schema.org/draft/2019-09/vocab/", false),
        _ => ("https://json-schema.org/draft/2020-12/vocab/", true),
    };
    Some(match uri.strip_prefix(prefix)? {
        "core" | "meta-data" | "content" => CORE,
        "applicator" => APPLICATOR,
        "validation" => VALIDATION,
        "unevaluated" if is_latest => UNEVALUATED,
        "format-annotation" if is_latest => CORE,
        "format-assertion" if is_latest => FORMATS,
        "format" if !is_latest && is_required => FORMATS,
        "format" if !is_latest => CORE,
        _ => return None,
    })
}
