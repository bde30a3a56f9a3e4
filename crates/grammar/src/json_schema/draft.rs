//! The drafts of JSON Schema: how they are named, and where schemas stand in
//! schemas.

/// A draft; later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    Nineteen,
    Twenty,
}

impl Draft {
    /// The draft that `$schema` names.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let name = uri.strip_suffix('#').unwrap_or(uri);
        let name = name
            .strip_prefix("http://")
            .or_else(|| name.strip_prefix("https://"))?;
        Some(match name {
            // Snowplow's self-describing schemas are draft 4 with a name of their own.
            "json-schema.org/draft-04/schema"
            | "iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/1-0-0" => {
                Self::Four
            }
            "json-schema.org/draft-06/schema" => Self::Six,
            "json-schema.org/draft-07/schema" => Self::Seven,
            "json-schema.org/draft/2019-09/schema" => Self::Nineteen,
            // Without a number, the latest.
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => Self::Twenty,
            _ => return None,
        })
    }

    /// The keyword that gives a schema an identifier.
    pub(super) fn identifier(self) -> &'static str {
        match self {
            Self::Four => "id",
            _ => "$id",
        }
    }

    /// Whether what stands beside a `$ref` says nothing.
    pub(super) fn reference_stands_alone(self) -> bool {
        self <= Self::Seven
    }
}

/// How schemas stand in the value of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The value is one.
    One,
    /// A list of them.
    List,
    /// One, or a list of them.
    OneOrList,
    /// An object of them.
    Map,
    /// An object of them and of lists of names.
    MixedMap,
}

/// Where schemas stand in the value of a keyword of any draft.
pub(super) fn holder(keyword: &str) -> Option<Holder> {
    Some(match keyword {
        "additionalProperties"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "additionalItems"
        | "contentSchema" => Holder::One,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holder::List,
        "items" => Holder::OneOrList,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holder::Map
        }
        "dependencies" => Holder::MixedMap,
        _ => return None,
    })
}
