//! Dialects: what `$schema` says that a schema is read by.
//!
//! Most often it names a draft. It may also name a schema of schemas that was handed over as a
//! document, whose own `$schema` names the draft; then its `$vocabulary` says which keywords
//! mean something, from 2019-09 on ([`vocabularies`](super::vocabularies)). What a vocabulary has
//! that is not named there is an annotation. The grammar engine alone knows drafts only, for size.

use super::draft::Draft;
#[cfg(feature = "shortcuts")]
use super::uri::split_fragment;
use super::value::Json;
#[cfg(feature = "shortcuts")]
use super::vocabularies::{self, Vocabularies};

/// How many schemas of schemas may stand behind one another until one names a draft.
const MAX_CHAIN: usize = 8;

/// What a schema is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub draft: Draft,
    #[cfg(feature = "shortcuts")]
    vocabularies: Vocabularies,
}

/// Why there is no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown<'a> {
    /// `$schema` names neither a draft nor a document.
    Draft,
    /// What it names asks for a vocabulary that nobody knows here.
    #[cfg_attr(
        not(feature = "shortcuts"),
        expect(dead_code, reason = "nothing is read that has any")
    )]
    Vocabulary(&'a String),
}

impl Dialect {
    /// A draft with its own vocabularies.
    pub(super) fn of(draft: Draft) -> Self {
        Self {
            draft,
            #[cfg(feature = "shortcuts")]
            vocabularies: vocabularies::USUAL,
        }
    }

    /// What `$schema` says, if it is there.
    pub(super) fn declared<'a>(
        json: &Json,
        documents: &'a [(String, Json)],
    ) -> Option<Result<Self, Unknown<'a>>> {
        Some(Self::named(json.get("$schema")?, documents, MAX_CHAIN))
    }

    fn named<'a>(
        schema: &Json,
        documents: &'a [(String, Json)],
        chain: usize,
    ) -> Result<Self, Unknown<'a>> {
        let Json::Text(uri) = schema else {
            return Err(Unknown::Draft);
        };
        match Draft::named(uri) {
            Some(draft) => Ok(Self::of(draft)),
            None => Self::of_document(uri, documents, chain),
        }
    }

    #[cfg(not(feature = "shortcuts"))]
    fn of_document<'a>(
        _uri: &str,
        _documents: &'a [(String, Json)],
        _chain: usize,
    ) -> Result<Self, Unknown<'a>> {
        Err(Unknown::Draft)
    }

    /// What a schema of schemas says that was handed over.
    #[cfg(feature = "shortcuts")]
    fn of_document<'a>(
        uri: &str,
        documents: &'a [(String, Json)],
        chain: usize,
    ) -> Result<Self, Unknown<'a>> {
        let name = split_fragment(uri).0;
        let is_it = |(handed_over, json): &&(String, Json)| {
            let own = [json.get("$id"), json.get("id")].into_iter().flatten();
            let mut own = own.filter_map(|own| match own {
                Json::Text(own) => Some(split_fragment(own).0),
                _ => None,
            });
            split_fragment(handed_over).0 == name || own.any(|own| own == name)
        };
        let document = documents.iter().find(is_it).filter(|_| chain > 0);
        let (_, document) = document.ok_or(Unknown::Draft)?;
        // Vocabularies are not handed down.
        let mut dialect = Self::of(match document.get("$schema") {
            Some(schema) => Self::named(schema, documents, chain - 1)?.draft,
            None => Draft::Twenty,
        });
        if let Some(Json::Object(named)) = document.get("$vocabulary")
            && dialect.draft >= Draft::Nineteen
        {
            dialect.vocabularies = vocabularies::NONE;
            for (uri, required) in named.iter() {
                let is_required = *required == Json::Bool(true);
                match vocabularies::named(uri, dialect.draft, is_required) {
                    Some(known) => dialect.vocabularies |= known,
                    None if is_required => return Err(Unknown::Vocabulary(uri)),
                    None => {}
                }
            }
        }
        Ok(dialect)
    }

    /// Whether a keyword that the draft knows means something.
    #[cfg(feature = "shortcuts")]
    pub(super) fn has(self, keyword: &str) -> bool {
        self.vocabularies & vocabularies::of_keyword(keyword, self.draft) != 0
    }

    #[cfg(not(feature = "shortcuts"))]
    pub(super) fn has(self, _keyword: &str) -> bool {
        true
    }

    /// Whether `format` constrains.
    pub(super) fn asserts_formats(self) -> bool {
        #[cfg(feature = "shortcuts")]
        return self.vocabularies & vocabularies::FORMATS != 0;
        #[cfg(not(feature = "shortcuts"))]
        false
    }
}
