//! What constrains nothing though somebody may have meant it to: keywords that no draft has, and
//! formats that are not asserted. The specification has it so, and a slip (`minlength`, `min`)
//! or a wish (`"format": "email"`) would go unnoticed; so each name is warned of, once, where it
//! is met first.

use super::document::step;
use super::draft::holder;
use super::finding::Finding;
use super::formats;
use super::reading::Reader;
use super::value::Json;
use crate::quoted;

/// Keywords that are to constrain nothing or say where a schema is, those that are read with
/// others, and a few that OpenAPI and editors add.
const ANNOTATIONS: &str = "\
    title description default examples deprecated readOnly writeOnly contentEncoding \
    contentMediaType $schema $vocabulary $id id $anchor $dynamicAnchor $recursiveAnchor \
    $comment minContains maxContains example externalDocs discriminator xml \
    markdownDescription $ref $defs definitions format";

/// Whether a keyword says nothing where it stands, and is not meant to.
pub(super) fn is_annotation(keyword: &str) -> bool {
    let mut annotations = ANNOTATIONS.as_bytes().split(|&byte| byte == b' ');
    annotations.any(|it| it == keyword.as_bytes())
        || keyword.starts_with("x-") && !matches!(keyword, "x-spanOf" | "x-oneOf")
}

impl Reader<'_, '_> {
    /// Passes by a keyword that has no meaning of its own.
    pub(super) fn pass_by(&mut self, keyword: &str) {
        if is_annotation(keyword) || holder(keyword).is_some() {
            return;
        }
        let message = format!("the keyword {} is unknown", quoted(keyword));
        let note = meant(keyword);
        self.ignore("unknown-keyword", keyword, &message, &note);
    }

    /// Passes by a format that is not asserted, where that leaves strings free.
    pub(super) fn pass_by_format(&mut self, format: &str) {
        let is_of_others = matches!(self.json.get("type"), Some(Json::Text(it)) if it != "string");
        if is_of_others || self.json.get("pattern").is_some() {
            return;
        }
        let message = format!("the format {} is not asserted", quoted(format));
        let note = match formats::can_be_asserted(format) {
            true => "\"x-assertFormats\": true at the root asserts it",
            false => "a pattern can say what it admits",
        };
        self.ignore("unasserted-format", "format", &message, note);
    }

    /// Warns of a keyword that constrains nothing, as the specification says.
    pub(super) fn ignore(&mut self, kind: &'static str, keyword: &str, message: &str, note: &str) {
        let message = format!("{message} and constrains nothing");
        let mut warnings = self.document.warnings.iter();
        if warnings.any(|it| it.message == message) {
            return;
        }
        let place = format!("{}/{}", self.document.pointer(self.id), step(keyword));
        let finding = Finding::new(kind, message).with_note(note);
        self.document.warn(finding, &place);
    }
}

/// What somebody who wrote an unknown keyword may have meant. The grammar engine alone does not
/// guess which, for size.
fn meant(keyword: &str) -> String {
    #[cfg(feature = "shortcuts")]
    if let Some(nearest) = nearest(keyword) {
        return format!("did you mean {nearest}?");
    }
    let _ = keyword;
    "a keyword of your own begins with x-".to_owned()
}

/// The keyword that one with a slip in it is nearest to.
#[cfg(feature = "shortcuts")]
fn nearest(keyword: &str) -> Option<&'static str> {
    /// Keywords that constrain in some draft, and those that hold schemas.
    const KEYWORDS: &str = "\
        type enum const required minItems maxItems minLength maxLength pattern minimum \
        exclusiveMinimum maximum exclusiveMaximum multipleOf minProperties maxProperties \
        uniqueItems dependentRequired $dynamicRef $recursiveRef additionalProperties \
        propertyNames contains not if then else unevaluatedItems unevaluatedProperties \
        additionalItems contentSchema allOf anyOf oneOf prefixItems items properties \
        patternProperties $defs definitions dependentSchemas dependencies x-spanOf x-oneOf \
        format";
    /// Letters that may be wrong, and a third of a word at most.
    const SLIPS: usize = 2;
    let plain = keyword.replace(['-', '_'], "").to_lowercase();
    let distance = |of: &&'static str| strsim::osa_distance(&plain, &of.to_lowercase());
    let nearest = KEYWORDS.split(' ').min_by_key(distance)?;
    (distance(&nearest) <= SLIPS.min(plain.len() / 3)).then_some(nearest)
}

#[cfg(all(test, feature = "shortcuts"))]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_words_of_ones_own() {
        let cases = [
            ("minlength", Some("minLength")),
            ("requried", Some("required")),
            ("propeties", Some("properties")),
            ("additional_properties", Some("additionalProperties")),
            ("one-of", Some("oneOf")),
            ("max", None),
            ("nullable", None),
            ("widget", None),
        ];
        for (keyword, expected) in cases {
            assert_eq!(nearest(keyword), expected, "{keyword}");
        }
    }
}
