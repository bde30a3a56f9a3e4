//! A grammar on the workbench: what a playground asks besides completability.
//!
//! Here gaps of any length and gaps of so many cells may stand in one text, also at its
//! end, where the cells count exactly. Completions tell which part of them each gap
//! became, derivations which rule each part is of and where that is defined.

use std::ops::Range;
use std::sync::Arc;

use lacuna_checker::{Filling, Gap, Pattern, Segment, Witness};
use lacuna_grammar::Linted;
use lacuna_grammar::derivation::{Derivation, NoDerivation, derive};
use lacuna_grammar::export::{Target, export};
use lacuna_grammar::json_schema::WHOLE_TEXTS;
use lacuna_lexer::Vocabulary;

use crate::cache::CompiledGrammar;
use crate::{Explanation, Fault, GrammarSession, GrammarSource, Purpose};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What is written.
    Text(Vec<u8>),
    /// A gap of any length.
    Any,
    /// A gap of so many cells.
    Cells(usize),
}

/// A completed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The whole text.
    pub text: Vec<u8>,
    /// Where in it each gap was, in order.
    pub fillings: Vec<Range<usize>>,
}

/// Cells that a gap may have: more than anyone looks at, and few enough that an answer
/// comes at once.
const MAX_CELLS: usize = 10_000;

/// A grammar that is being worked on.
#[derive(Clone, Debug)]
pub struct Workbench {
    source: GrammarSource,
    linted: Linted,
    compiled: CompiledGrammar,
    session: GrammarSession,
}

impl Workbench {
    /// Compiles a source; cells hold tokens of the vocabulary. Where no grammar says all that a
    /// schema asks for, which a warning of the kind `whole-texts` says, completions are judged by
    /// its keywords.
    ///
    /// # Errors
    /// A [`Fault`] with every finding.
    pub fn open(
        source: GrammarSource,
        purpose: Purpose,
        vocabulary: &Arc<Vocabulary>,
    ) -> Result<Self, Fault> {
        let (compiled, linted) = CompiledGrammar::with_linted(&source, purpose, vocabulary)?;
        let session = compiled.session(Some(Arc::clone(vocabulary)));
        Ok(Self {
            source,
            linted,
            compiled,
            session,
        })
    }

    /// The grammar, with the places of its rules.
    pub fn linted(&self) -> &Linted {
        &self.linted
    }

    /// What was compiled.
    pub fn compiled(&self) -> &CompiledGrammar {
        &self.compiled
    }

    /// A completed text, if there is one.
    ///
    /// # Errors
    /// When a gap has too many cells, or a budget runs out.
    pub fn complete(&mut self, pieces: &[Piece]) -> Result<Option<Completion>, Fault> {
        let (pattern, parts) = pattern(pieces)?;
        let witness = self.session.witness(&pattern)?;
        Ok(witness.map(|witness| self.completion(pieces, &witness, &parts)))
    }

    /// Why a text cannot be completed: gaps before the break have any length.
    ///
    /// # Errors
    /// As of [`complete`](Self::complete).
    pub fn explain(&mut self, pieces: &[Piece]) -> Result<Explanation, Fault> {
        let readable = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
        if let Some(Completion { text, .. }) = self.complete(pieces)? {
            let witness = readable(text);
            return Ok(Explanation::Completable { witness });
        }
        let segments = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Any | Piece::Cells(_) => None,
        });
        let segments: Vec<Option<Vec<u8>>> = segments.collect();
        match self.session.explain(&segments, None)? {
            Explanation::Completable { witness } => Ok(Explanation::Cells { witness }),
            explanation => Ok(explanation),
        }
    }

    /// How a text of the grammar follows from its rules.
    ///
    /// # Errors
    /// When the text does not belong, or it takes too long to find out.
    pub fn derive(&self, text: &[u8]) -> Result<Derivation, Fault> {
        let derived = derive(&self.linted.grammar, text);
        derived.map_err(|error| {
            let kind = match error {
                NoDerivation::NotMember => "no-member",
                NoDerivation::TooLong { .. } => "budget",
            };
            Fault::new(kind, error.to_string())
        })
    }

    /// The grammar in another dialect.
    ///
    /// # Errors
    /// A [`Fault`] of kind `export` that tells what that dialect cannot hold.
    pub fn export(&self, target: Target) -> Result<String, Fault> {
        let mut warnings = self.linted.warnings.iter();
        if warnings.any(|warning| warning.kind == WHOLE_TEXTS) {
            let message = "no grammar says all that this schema asks for";
            return Err(Fault::new("export", message));
        }
        let exported = export(&self.linted, target);
        exported.map_err(|obstacles| Fault {
            kind: "export",
            ..Fault::of_grammar(&self.source.text, &obstacles)
        })
    }

    /// Which tokens of a vocabulary the grammar never tells apart: for each its class,
    /// `None` for those that can stand nowhere.
    ///
    /// # Errors
    /// When the grammar's automata outgrow their limits.
    pub fn classes(&self, vocabulary: &Arc<Vocabulary>) -> Result<Vec<Option<u32>>, Fault> {
        let checker = self.compiled.checker(Some(Arc::clone(vocabulary)));
        let partition = checker.token_partition()?;
        Ok(partition
            .map(|partition| partition.of_token)
            .unwrap_or_default())
    }

    fn completion(&self, pieces: &[Piece], witness: &Witness, parts: &[Part]) -> Completion {
        let vocabulary = self.session.vocabulary();
        let (mut text, mut fillings) = (Vec::new(), Vec::new());
        let mut parts = parts.iter();
        for piece in pieces {
            if let Piece::Text(bytes) = piece {
                text.extend(bytes);
                continue;
            }
            let start = text.len();
            let (gap, cells) = match parts.next() {
                None | Some(Part::Empty) => (None, None),
                Some(Part::Whole(gap)) => (witness.gaps.get(*gap), None),
                Some(Part::Cells(gap, cells)) => (witness.gaps.get(*gap), Some(cells.clone())),
            };
            match gap {
                Some(Filling::Bytes(bytes)) => text.extend(bytes),
                Some(Filling::Tokens(tokens)) => {
                    let tokens = cells
                        .and_then(|cells| tokens.get(cells))
                        .unwrap_or_default();
                    let bytes = tokens.iter().filter_map(|&token| vocabulary?.bytes(token));
                    bytes.for_each(|bytes| text.extend(bytes));
                }
                None => {}
            }
            fillings.push(start..text.len());
        }
        Completion { text, fillings }
    }
}

/// What a gap of the pieces is of the pattern's gaps.
#[derive(Clone, Debug)]
enum Part {
    /// Nothing.
    Empty,
    /// All of the gap of that number.
    Whole(usize),
    /// These tokens of it.
    Cells(usize, Range<usize>),
}

/// The pattern of some pieces, neighbouring gaps of a kind as one, and what each gap is of
/// it.
fn pattern(pieces: &[Piece]) -> Result<(Pattern, Vec<Part>), Fault> {
    let (mut segments, mut parts): (Vec<Segment>, Vec<Part>) = (Vec::new(), Vec::new());
    let mut gaps = 0;
    for piece in pieces {
        match (segments.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (_, Piece::Cells(0)) | (Some(Segment::Gap(Gap::Any)), Piece::Any) => {
                parts.push(Part::Empty);
            }
            (Some(Segment::Text(before)), Piece::Text(text)) => before.extend(text),
            (_, Piece::Text(text)) => segments.push(Segment::Text(text.clone())),
            (_, Piece::Any) => {
                parts.push(Part::Whole(gaps));
                segments.push(Segment::Gap(Gap::Any));
                gaps += 1;
            }
            (_, &Piece::Cells(cells)) if cells > MAX_CELLS => {
                let message = format!("a gap may have up to {MAX_CELLS} cells");
                return Err(Fault::new("invalid-input", message));
            }
            (Some(Segment::Gap(Gap::Cells(before))), &Piece::Cells(cells)) => {
                parts.push(Part::Cells(gaps - 1, *before..*before + cells));
                *before += cells;
            }
            (_, &Piece::Cells(cells)) => {
                parts.push(Part::Cells(gaps, 0..cells));
                segments.push(Segment::Gap(Gap::Cells(cells)));
                gaps += 1;
            }
        }
    }
    Ok((Pattern { segments }, parts))
}
