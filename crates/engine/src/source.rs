//! A grammar text and its dialect.

use lacuna_grammar::constrain::constrain;
use lacuna_grammar::json_schema::SchemaOptions;
#[cfg(feature = "shortcuts")]
use lacuna_grammar::json_schema::Validator;
use lacuna_grammar::lint::{LintOptions, lint};
use lacuna_grammar::nesting::limit_nesting;
use lacuna_grammar::quoted;
use lacuna_grammar::source_text;
use lacuna_grammar::{
    Diagnostics, Filling, Grammar, Linted, OpenGrammar, Place, Slots, TokenTexts, gbnf,
    json_schema, lark, regex,
};
use lacuna_lexer::Vocabulary;

use crate::blame::blame;
use crate::fault::TOO_LARGE;
use crate::{Fault, Finding, SchemaChoices};

/// The dialects that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// llama.cpp's GBNF.
    Gbnf,
    /// Lark's notation, with lexemes.
    Lark,
    /// A regular expression that the whole text matches.
    Regex,
    /// A JSON Schema.
    JsonSchema,
}

impl Dialect {
    /// The dialect that a file's ending names.
    ///
    /// # Errors
    /// A [`Fault`] that lists the endings, if this one is none of them.
    pub fn of_file(name: &str) -> Result<Self, Fault> {
        let endings = [
            (".gbnf", Self::Gbnf),
            (".lark", Self::Lark),
            (".regex", Self::Regex),
            (".schema.json", Self::JsonSchema),
        ];
        let known = endings.iter().find(|(ending, _)| name.ends_with(ending));
        known.map(|(_, dialect)| *dialect).ok_or_else(|| {
            let message = format!(
                "{name}: a grammar's file ends in .gbnf, .lark, .regex or .schema.json, which says \
                 its kind"
            );
            Fault::new("unknown-dialect", message)
        })
    }

    /// The dialect with this name in the JavaScript surface.
    ///
    /// # Errors
    /// A [`Fault`] that lists the names, if this one is none of them.
    pub fn of_name(name: &str) -> Result<Self, Fault> {
        match name {
            "gbnf" => Ok(Self::Gbnf),
            "lark" => Ok(Self::Lark),
            "regex" => Ok(Self::Regex),
            "jsonSchema" => Ok(Self::JsonSchema),
            _ => Err(Fault::new(
                "unknown-dialect",
                format!(
                    "unknown kind of grammar {}: use gbnf, lark, regex or jsonSchema",
                    quoted(name)
                ),
            )),
        }
    }
}

/// What a schema is compiled for; other dialects have one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To write: declared order of properties, compact, canonical spellings.
    Writing,
    /// To judge: JSON Schema validity, any order, any white space.
    Judging,
}

/// How much of what a JSON Schema asks for its grammar is to say; other dialects say all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it, or it is refused.
    Exact,
    /// What it can: it admits more, and whole texts are judged.
    #[cfg(feature = "shortcuts")]
    Wide,
}

/// A grammar text with its dialect and what fills its slots.
///
/// Reading fills slots at once. Where the same grammar is filled again and again,
/// [`lacuna_grammar::lark::open`] and [`json_schema::open`] read it once.
#[derive(Clone, Debug)]
pub struct GrammarSource {
    /// How to read the text.
    pub dialect: Dialect,
    /// The grammar.
    pub text: String,
    /// Texts that `x-spanOf` may name, or a Lark grammar's `%slot`. One that the
    /// grammar does not ask for is left aside: the request is always offered.
    pub texts: Vec<(String, String)>,
    /// Lists that `x-oneOf` may name, or a Lark grammar's `%slot`. One that the
    /// grammar does not ask for is an error.
    pub lists: Vec<(String, Vec<String>)>,
    /// Texts that are nested deeper do not belong (see
    /// [`lacuna_grammar::nesting`]); without it, nesting has no bound.
    pub max_depth: Option<u32>,
    /// Texts that do not match this regular expression as a whole do not belong (see
    /// [`lacuna_grammar::constrain`]).
    pub matching: Option<String>,
    /// How a JSON Schema is taken.
    pub schema: SchemaChoices,
}

impl GrammarSource {
    /// A text alone, with nothing handed over and everything as it is by default.
    pub fn new(dialect: Dialect, text: impl Into<String>) -> Self {
        Self {
            dialect,
            text: text.into(),
            texts: Vec::new(),
            lists: Vec::new(),
            max_depth: None,
            matching: None,
            schema: SchemaChoices::default(),
        }
    }

    /// Compiles the text.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding.
    pub fn compile(&self, purpose: Purpose) -> Result<Grammar, Fault> {
        self.compile_with(purpose, None)
    }

    /// As [`Self::compile`], with the tokenizer whose tokens a GBNF grammar may name.
    ///
    /// # Errors
    /// The same.
    pub fn compile_with(
        &self,
        purpose: Purpose,
        tokens: Option<&dyn TokenTexts>,
    ) -> Result<Grammar, Fault> {
        let linted = self.read(purpose, tokens, Extent::Exact)?;
        Ok(linted.grammar)
    }

    /// Compiles the text, and says what looks wrong with it although it can be
    /// used.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding.
    pub fn lint(&self, purpose: Purpose) -> Result<Linted, Fault> {
        let mut linted = self.read(purpose, None, Extent::Exact)?;
        let warnings = lint(&linted, &LintOptions::default());
        linted.warnings.extend(warnings);
        Ok(linted)
    }

    /// Where the rule is defined that texts start from; a GBNF grammar may name tokens of the
    /// vocabulary.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding.
    pub fn start(&self, purpose: Purpose, vocabulary: Option<&Vocabulary>) -> Result<Place, Fault> {
        if self.dialect == Dialect::JsonSchema {
            return Ok(Place::Pointer(String::new()));
        }
        let tokens = vocabulary.map(|vocabulary| vocabulary as &dyn TokenTexts);
        let linted = self.read(purpose, tokens, Extent::Exact)?;
        Ok(linted.start().clone())
    }

    /// What judges whole texts of a JSON Schema, where its grammar admits more; `None` of other
    /// dialects, and of what cannot be read.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn validator(&self) -> Option<Validator> {
        let is_schema = self.dialect == Dialect::JsonSchema;
        let read = || Validator::new(&self.text, &self.schema_options(Purpose::Judging)).ok();
        is_schema.then(read).flatten()
    }

    /// Any JSON value, as far as what was handed over beside the schema allows it.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn any_value(&self) -> Self {
        Self {
            text: "true".to_owned(),
            texts: Vec::new(),
            lists: Vec::new(),
            ..self.clone()
        }
    }

    /// Bytes of the texts and lists that the grammar may hold parts of.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn held(&self) -> usize {
        let texts = self.texts_that_matter().map(|(_, text)| text.len());
        let lists = self.lists.iter().flat_map(|(_, list)| list);
        texts.sum::<usize>() + lists.map(String::len).sum::<usize>()
    }

    /// Bytes of all that is handed over: the grammar, documents, texts and lists.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn written(&self) -> usize {
        let documents = self.schema.documents.iter().map(|(_, text)| text.len());
        let texts = self.texts.iter().map(|(_, text)| text.len());
        let lists = self.lists.iter().flat_map(|(_, list)| list);
        self.text.len()
            + documents.sum::<usize>()
            + texts.sum::<usize>()
            + lists.map(String::len).sum::<usize>()
    }

    /// The texts that what is compiled may depend on: those that the grammar may ask for.
    pub(crate) fn texts_that_matter(&self) -> impl Iterator<Item = &(String, String)> {
        let texts = self.texts.iter();
        texts.filter(|(name, _)| self.may_ask_for(name))
    }

    /// Whether the grammar, or a document that it may refer to, can ask for a text or a list of
    /// this name: only if it spells the name. In a schema a name may be spelled with escapes; then
    /// it can ask for any.
    pub fn may_ask_for(&self, name: &str) -> bool {
        let mut bytes = name.bytes();
        let is_plain =
            bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let documents = self.schema.documents.iter().map(|(_, text)| text);
        let mut written = documents.chain([&self.text]);
        !is_plain || written.any(|text| text.contains("\\u") || text.contains(name))
    }

    /// The warnings of a grammar that this source was compiled to, for showing.
    pub fn findings(&self, linted: &Linted) -> Vec<Finding> {
        let warnings = linted.warnings.iter();
        warnings
            .map(|warning| Finding::new(&self.text, warning))
            .collect()
    }

    /// A fault of what this source was compiled to; if that is too large, with the
    /// place of what makes it so, as far as that can be known.
    pub fn placed(&self, fault: Fault, purpose: Purpose, vocabulary: Option<&Vocabulary>) -> Fault {
        if fault.kind != TOO_LARGE || !fault.diagnostics.is_empty() {
            return fault;
        }
        let tokens = vocabulary.map(|vocabulary| vocabulary as &dyn TokenTexts);
        let Ok(linted) = self.read(purpose, tokens, Extent::Exact) else {
            return fault;
        };
        let finding = blame(&linted, vocabulary.is_some(), &fault.message);
        Fault {
            kind: fault.kind,
            ..Fault::of_grammar(&self.text, &finding.into())
        }
    }

    pub(crate) fn read(
        &self,
        purpose: Purpose,
        tokens: Option<&dyn TokenTexts>,
        extent: Extent,
    ) -> Result<Linted, Fault> {
        let read = source_text::refuse_mark(&self.text)
            .and_then(|()| self.front_end(purpose, tokens, extent));
        let limited = read.and_then(|linted| match self.max_depth {
            Some(depth) => limit_nesting(&linted, depth).map_err(|finding| (*finding).into()),
            None => Ok(linted),
        });
        let limited = limited.map_err(|diagnostics| Fault::of_grammar(&self.text, &diagnostics));
        limited.and_then(|linted| self.constrained(linted))
    }

    /// Of the grammar's texts those that match what was handed over with it.
    fn constrained(&self, mut linted: Linted) -> Result<Linted, Fault> {
        let Some(pattern) = &self.matching else {
            return Ok(linted);
        };
        match constrain(&mut linted.grammar, pattern) {
            Ok(()) => Ok(linted),
            // Its places are in the expression, not in the grammar.
            Err(diagnostics) => {
                let fault = Fault::of_grammar(pattern, &diagnostics);
                Err(Fault {
                    message: format!("the expression to match: {}", fault.message),
                    diagnostics: Vec::new(),
                    ..fault
                })
            }
        }
    }

    fn front_end(
        &self,
        purpose: Purpose,
        tokens: Option<&dyn TokenTexts>,
        extent: Extent,
    ) -> Result<Linted, Diagnostics> {
        match self.dialect {
            Dialect::Gbnf => gbnf::read(&self.text, tokens)
                .map(OpenGrammar::from)
                .and_then(|open| self.fill(open)),
            Dialect::Lark => {
                lark::open(&self.text, &lark::Options::default()).and_then(|open| self.fill(open))
            }
            Dialect::Regex => regex::parse(&self.text).and_then(|grammar| {
                let whole = Place::Span {
                    start: 0,
                    end: self.text.len(),
                };
                self.fill(Linted::silent(grammar, whole).into())
            }),
            Dialect::JsonSchema => {
                let options = self.schema_options(purpose);
                match extent {
                    #[cfg(feature = "shortcuts")]
                    Extent::Wide => json_schema::widen(&self.text, &options),
                    Extent::Exact => json_schema::lint(&self.text, &options)
                        .map_err(|findings| self.without_what_is_judged(findings, &options)),
                }
            }
        }
    }

    /// What is wrong with a schema besides what whole texts could be judged for: that is no fault
    /// where something else is.
    #[cfg(feature = "shortcuts")]
    fn without_what_is_judged(
        &self,
        findings: Diagnostics,
        options: &SchemaOptions,
    ) -> Diagnostics {
        let mut kinds = findings.0.iter().map(|it| it.kind);
        if findings.0.len() < 2 || kinds.any(|kind| kind == "too-much-work") {
            return findings;
        }
        match json_schema::widen(&self.text, options) {
            Err(fewer) if fewer.0.len() < findings.0.len() => fewer,
            _ => findings,
        }
    }

    /// Where no whole text is judged, all is wrong that no grammar says.
    #[cfg(not(feature = "shortcuts"))]
    fn without_what_is_judged(&self, findings: Diagnostics, _: &SchemaOptions) -> Diagnostics {
        findings
    }

    fn schema_options(&self, purpose: Purpose) -> SchemaOptions {
        let mut options = SchemaOptions {
            texts: self.texts.clone(),
            lists: self.lists.clone(),
            ..match purpose {
                Purpose::Writing => SchemaOptions::generation(),
                Purpose::Judging => SchemaOptions::membership(),
            }
        };
        self.schema.apply(&mut options);
        options
    }

    fn fill(&self, open: OpenGrammar) -> Result<Linted, Diagnostics> {
        let wanted = |name: &str| {
            let mut slots = open.slots().iter();
            slots.any(|slot| slot.name == name && slot.filling != Filling::List)
        };
        let mut texts = self.texts.clone();
        texts.retain(|(name, _)| wanted(name));
        open.filled(&Slots {
            lists: self.lists.clone(),
            texts,
        })
    }
}
