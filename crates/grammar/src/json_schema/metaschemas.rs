//! The schemas of schemas that json-schema.org publishes: a reference to one finds it without
//! its being handed over. The grammar engine alone is built without them, for size.
//!
//! Cost: those of one draft are read when one of them is first asked for, once.

#[cfg(feature = "shortcuts")]
use super::value;
use super::value::Json;

/// Documents by their identifiers.
pub(super) type Published = [(String, Json)];

#[cfg(not(feature = "shortcuts"))]
pub(super) fn of(_uri: &str) -> Option<&'static Published> {
    None
}

/// All documents of the draft that one with this identifier, without a fragment, may belong to.
#[cfg(feature = "shortcuts")]
pub(super) fn of(uri: &str) -> Option<&'static Published> {
    let name = uri.split_once("://json-schema.org/")?.1;
    let draft = DRAFTS.iter().find(|draft| name.starts_with(draft.prefix))?;
    Some(draft.read.get_or_init(|| {
        let documents = draft.texts.iter().filter_map(|(name, text)| {
            let uri = format!("{}://json-schema.org/{}{name}", draft.scheme, draft.prefix);
            Some((uri, value::read(text).ok()?))
        });
        documents.collect()
    }))
}

#[cfg(feature = "shortcuts")]
struct Draft {
    scheme: &'static str,
    prefix: &'static str,
    /// What follows the prefix in the identifiers of documents, and they.
    texts: &'static [(&'static str, &'static str)],
    read: std::sync::OnceLock<Vec<(String, Json)>>,
}

#[cfg(feature = "shortcuts")]
macro_rules! draft {
    ($scheme:literal, $prefix:literal, $($name:literal: $file:literal),*) => {
        Draft {
            scheme: $scheme,
            prefix: $prefix,
            texts: &[$(($name, include_str!(concat!("metaschemas/", $file)))),*],
            read: std::sync::OnceLock::new(),
        }
    };
}

#[cfg(feature = "shortcuts")]
static DRAFTS: [Draft; 5] = [
    draft!("http", "draft-04/", "schema": "draft-04.json"),
    draft!("http", "draft-06/", "schema": "draft-06.json"),
    draft!("http", "draft-07/", "schema": "draft-07.json"),
    draft!(
        "https", "draft/2019-09/",
        "schema": "draft-2019-09/schema.json",
        "meta/core": "draft-2019-09/core.json",
        "meta/applicator": "draft-2019-09/applicator.json",
        "meta/validation": "draft-2019-09/validation.json",
        "meta/meta-data": "draft-2019-09/meta-data.json",
        "meta/format": "draft-2019-09/format.json",
        "meta/content": "draft-2019-09/content.json"
    ),
    draft!(
        "https", "draft/2020-12/",
        "schema": "draft-2020-12/schema.json",
        "meta/core": "draft-2020-12/core.json",
        "meta/applicator": "draft-2020-12/applicator.json",
        "meta/unevaluated": "draft-2020-12/unevaluated.json",
        "meta/validation": "draft-2020-12/validation.json",
        "meta/meta-data": "draft-2020-12/meta-data.json",
        "meta/format-annotation": "draft-2020-12/format-annotation.json",
        "meta/content": "draft-2020-12/content.json"
    ),
];

#[cfg(all(test, feature = "shortcuts"))]
mod tests {
    use super::*;

    /// Each is read, and says of itself that it has the identifier by which it is found.
    #[test]
    fn each_has_its_identifier() {
        for draft in &DRAFTS {
            let uri = format!("http://json-schema.org/{}schema", draft.prefix);
            let documents = of(&uri).unwrap_or_default();
            assert_eq!(documents.len(), draft.texts.len(), "{uri}");
            for (uri, json) in documents {
                let id = json.get("$id").or_else(|| json.get("id"));
                let Some(Json::Text(id)) = id else {
                    panic!("{uri} has no identifier");
                };
                assert_eq!(id.trim_end_matches('#'), uri);
            }
        }
    }
}
