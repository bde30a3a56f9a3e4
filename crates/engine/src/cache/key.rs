//! What a compiled grammar depends on, as two hashes.

use std::fmt;
use std::str::FromStr;

use lacuna_checker::CheckerLimits;
use lacuna_grammar::TokenTexts;
use lacuna_lexer::{TokenId, Vocabulary};
use sha2::{Digest, Sha256};

use crate::{Dialect, GrammarSource, Purpose};

/// The name of a compiled grammar: hashes of the grammar, with all that is done to
/// it, and of the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey {
    grammar: [u8; 32],
    tokenizer: [u8; 32],
}

impl CacheKey {
    /// The key of a source under limits; `tokenizer` as [`hash_tokenizer`] gives it.
    pub(crate) fn new(
        source: &GrammarSource,
        purpose: Purpose,
        tokenizer: [u8; 32],
        limits: &CheckerLimits,
    ) -> Self {
        Self {
            grammar: hash_source(source, purpose, limits),
            tokenizer,
        }
    }

    pub(crate) fn bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&self.grammar);
        bytes[32..].copy_from_slice(&self.tokenizer);
        bytes
    }
}

/// Both hashes in hexadecimal, with a hyphen between them: 129 characters that any
/// file system and address can hold.
impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>, hash: &[u8; 32]| {
            hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
        };
        hex(f, &self.grammar)?;
        f.write_str("-")?;
        hex(f, &self.tokenizer)
    }
}

/// The text is not that of a [`CacheKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a compiled grammar")]
pub struct NoKey;

impl FromStr for CacheKey {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, NoKey> {
        let (grammar, tokenizer) = text.split_once('-').ok_or(NoKey)?;
        Ok(Self {
            grammar: unhex(grammar)?,
            tokenizer: unhex(tokenizer)?,
        })
    }
}

fn unhex(text: &str) -> Result<[u8; 32], NoKey> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(NoKey),
    };
    let mut hash = [0; 32];
    if text.len() != 64 {
        return Err(NoKey);
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = digit(digits[0])? << 4 | digit(digits[1])?;
    }
    Ok(hash)
}

/// A hash of parts, each with its length, so that no two lists of parts are one.
struct Parts(Sha256);

impl Parts {
    fn new(what: &str) -> Self {
        let mut parts = Self(Sha256::new());
        parts.add(what);
        parts
    }

    fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.number(part.len() as u64);
        self.0.update(part);
    }

    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

fn hash_source(source: &GrammarSource, purpose: Purpose, limits: &CheckerLimits) -> [u8; 32] {
    let mut parts = Parts::new("grammar");
    parts.add(match source.dialect {
        Dialect::Gbnf => "gbnf",
        Dialect::Lark => "lark",
        Dialect::Regex => "regex",
        Dialect::JsonSchema => "jsonSchema",
    });
    parts.add(match (source.dialect, purpose) {
        (Dialect::JsonSchema, Purpose::Judging) => "judging",
        (Dialect::JsonSchema, Purpose::Writing) => "writing",
        // Other dialects have one meaning.
        _ => "",
    });
    parts.add(&source.text);
    let texts: Vec<_> = source.texts_that_matter().collect();
    parts.number(texts.len() as u64);
    for (name, text) in texts {
        parts.add(name);
        parts.add(text);
    }
    parts.number(source.lists.len() as u64);
    for (name, list) in &source.lists {
        parts.add(name);
        parts.number(list.len() as u64);
        list.iter().for_each(|literal| parts.add(literal));
    }
    parts.number(u64::from(source.max_depth.is_some()));
    parts.number(u64::from(source.max_depth.unwrap_or(0)));
    parts.number(u64::from(source.matching.is_some()));
    parts.add(source.matching.as_deref().unwrap_or_default());
    if source.dialect == Dialect::JsonSchema {
        source
            .schema
            .numbers()
            .into_iter()
            .for_each(|number| parts.number(number));
        parts.number(source.schema.documents.len() as u64);
        for (uri, text) in &source.schema.documents {
            parts.add(uri);
            parts.add(text);
        }
    }
    for automata in [&limits.automata, &limits.approximations] {
        parts.number(automata.nfa_states as u64);
        parts.number(automata.dfa_states as u64);
    }
    parts.number(limits.copied_states as u64);
    parts.number(limits.copied_states_in_cells as u64);
    parts.number(limits.contexts.states as u64);
    parts.number(limits.contexts.counting_states as u64);
    parts.number(limits.contexts.wide.into());
    parts.finish()
}

/// The hash of a tokenizer: what each token is in a text, whether it may fill a
/// cell, and what the ends and the mask are.
pub(crate) fn hash_tokenizer(vocabulary: Option<&Vocabulary>) -> [u8; 32] {
    let mut parts = Parts::new("tokenizer");
    let Some(vocabulary) = vocabulary else {
        return parts.finish();
    };
    parts.number(vocabulary.len() as u64);
    for token in 0..vocabulary.len() as TokenId {
        let text = TokenTexts::text(vocabulary, token);
        parts.number(u64::from(text.is_some()) << 1 | u64::from(vocabulary.is_fillable(token)));
        parts.add(text.unwrap_or_default());
    }
    parts.number(u64::from(vocabulary.mask()));
    let ends = vocabulary.ends().iter();
    ends.for_each(|&end| parts.number(u64::from(end)));
    parts.finish()
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::json_schema::{PropertyOrder, WhiteSpace};

    use super::*;
    use crate::SchemaChoices;

    fn source() -> GrammarSource {
        GrammarSource::new(Dialect::Gbnf, "root ::= \"a\"")
    }

    fn vocabulary(words: &[&str], end: TokenId, mask: TokenId) -> Vocabulary {
        let special = [None, None, None].into_iter();
        let tokens = special.chain(words.iter().map(|word| Some(word.as_bytes().to_vec())));
        Vocabulary::new(tokens.collect(), vec![end], mask).expect("a vocabulary")
    }

    #[test]
    fn keys_differ_where_anything_differs() {
        type Change = fn(&mut GrammarSource);
        let list = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        let changes: [Change; 10] = [
            |_| {},
            |source| source.text.push(' '),
            |source| source.dialect = Dialect::Lark,
            |source| source.max_depth = Some(0),
            |source| source.max_depth = Some(1),
            |source| source.matching = Some(String::new()),
            |source| source.matching = Some("a".to_owned()),
            |source| source.dialect = Dialect::Regex,
            |source| source.dialect = Dialect::JsonSchema,
            |source| source.text.clear(),
        ];
        let mut sources: Vec<GrammarSource> = changes
            .iter()
            .map(|change| {
                let mut source = source();
                change(&mut source);
                source
            })
            .collect();
        let schema = |text: &str, choices: SchemaChoices| GrammarSource {
            dialect: Dialect::JsonSchema,
            text: text.to_owned(),
            schema: choices,
            ..source()
        };
        let chosen = |order, white_space| SchemaChoices {
            order,
            white_space,
            ..SchemaChoices::default()
        };
        for choices in [
            chosen(Some(PropertyOrder::Any), None),
            chosen(Some(PropertyOrder::Declared), None),
            chosen(None, Some(WhiteSpace::Any)),
            chosen(None, Some(WhiteSpace::Compact)),
            chosen(None, Some(WhiteSpace::Indented(0))),
            chosen(None, Some(WhiteSpace::Indented(2))),
            SchemaChoices {
                effort: Some(0),
                ..SchemaChoices::default()
            },
            SchemaChoices {
                documents: [("a".to_owned(), "{}".to_owned())].into(),
                ..SchemaChoices::default()
            },
            SchemaChoices {
                documents: [("a{".to_owned(), "}".to_owned())].into(),
                ..SchemaChoices::default()
            },
        ] {
            sources.push(schema("{}", choices));
        }
        // A text counts where the schema or a document spells its name.
        for text in ["b", "c"] {
            for of_document in [false, true] {
                let asks = r#"{"x-spanOf": "text"}"#;
                let refers = r#"{"$ref": "urn:s"}"#;
                let documents = [("urn:s".to_owned(), asks.to_owned())].into();
                let choices = SchemaChoices {
                    documents,
                    ..SchemaChoices::default()
                };
                sources.push(GrammarSource {
                    texts: vec![("text".to_owned(), text.to_owned())],
                    ..match of_document {
                        false => schema(asks, SchemaChoices::default()),
                        true => schema(refers, choices),
                    }
                });
            }
        }
        for lists in [
            vec![("a", list(&["b", "c"]))],
            vec![("a", list(&["bc"]))],
            vec![("a", list(&["b"])), ("c", list(&[]))],
            vec![("ab", list(&["c"]))],
        ] {
            let lists = lists
                .into_iter()
                .map(|(name, list)| (name.to_owned(), list));
            sources.push(GrammarSource {
                lists: lists.collect(),
                ..source()
            });
        }
        let limits = CheckerLimits::default();
        let mut smaller = limits;
        smaller.approximations.dfa_states -= 1;
        let mut keys = Vec::new();
        for source in &sources {
            for limits in [&limits, &smaller] {
                keys.push(CacheKey::new(source, Purpose::Judging, [0; 32], limits));
            }
        }
        let vocabularies = [
            vocabulary(&["a", "b"], 0, 1),
            vocabulary(&["ab"], 0, 1),
            vocabulary(&["b", "a"], 0, 1),
            vocabulary(&["a", "b"], 2, 1),
            vocabulary(&["a", "b"], 0, 2),
            vocabulary(&["a", "b"], 0, 1).with_special([(2, "<x>")]),
        ];
        let tokenizers = vocabularies.iter().map(Some).chain([None]);
        keys.extend(tokenizers.map(|vocabulary| {
            let tokenizer = hash_tokenizer(vocabulary);
            CacheKey::new(&source(), Purpose::Judging, tokenizer, &limits)
        }));
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn a_purpose_matters_to_schemas_only() {
        let key = |source: &GrammarSource, purpose| {
            CacheKey::new(source, purpose, [0; 32], &CheckerLimits::default())
        };
        let both = |source: &GrammarSource| {
            [Purpose::Judging, Purpose::Writing].map(|purpose| key(source, purpose))
        };
        let [judging, writing] = both(&source());
        assert_eq!(judging, writing);
        let [judging, writing] = both(&GrammarSource {
            dialect: Dialect::JsonSchema,
            ..source()
        });
        assert_ne!(judging, writing);
    }

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let key = CacheKey {
            grammar: std::array::from_fn(|at| at as u8 * 7),
            tokenizer: [0xF0; 32],
        };
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in [
            "",
            "-",
            &key.to_string()[1..],
            &key.to_string().to_uppercase(),
        ] {
            assert_eq!(wrong.parse::<CacheKey>(), Err(NoKey), "{wrong}");
        }
    }
}
