//! The terminals that rules use, and the order in which they win ties.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{Name, Node, Span};
use super::definitions::{Definitions, Module};
use super::terminals::{Compiled, Spelled, Terminals};
use super::{LIMITS, MAX_TERMINALS};
use crate::automaton::{AutomatonError, Dfa};
use crate::{Diagnostic, Lexicon, Place, Terminal, TerminalId};

/// Most terminals that are found to shadow one together.
const MAX_ROUNDS: usize = 50;

/// A terminal that may come into the lexicon.
#[derive(Debug)]
struct Candidate {
    name: String,
    span: Span,
    language: Arc<Dfa>,
    /// Sorted by, smaller first: priority (turned), the kind, nameless ones after
    /// named ones, then the order of definition.
    rank: (i64, Kind, bool, usize),
    /// For a slot, the number of its definition; its language is a placeholder.
    slot: Option<usize>,
    ignored: bool,
}

/// What a terminal is, those that win ties first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Literal,
    Slot,
    Pattern,
}

/// The lexicon of the terminals that are used.
#[derive(Debug)]
pub(super) struct Settled {
    pub lexicon: Lexicon,
    /// Where its terminals are defined.
    pub places: Vec<Place>,
    /// The final id of each provisional one.
    pub ids: Vec<Option<TerminalId>>,
    /// The terminals that are slots, and the numbers of their definitions.
    pub slots: Vec<(TerminalId, usize)>,
}

/// Collects terminals while rules are lowered; [`TerminalId`]s are provisional
/// until [`Candidates::settle`] has chosen and ordered those that stay.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    text: &'a str,
    definitions: &'a Definitions,
    terminals: Terminals<'a>,
    candidates: Vec<Candidate>,
    /// For each definition, whether it could be used, and as which candidate.
    named: Vec<Option<Option<TerminalId>>>,
    nameless: FxHashMap<Spelled, Option<TerminalId>>,
    /// Definitions that are no more than something that can stand in a rule; a map of the
    /// same kind as the last, though each has a place.
    synonyms: FxHashMap<Spelled, Option<u32>>,
    full: bool,
    /// Stands for the languages of slots.
    nothing: Arc<Dfa>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(
        text: &'a str,
        definitions: &'a Definitions,
        terminals: Terminals<'a>,
    ) -> Self {
        let mut synonyms: FxHashMap<Spelled, Option<u32>> = FxHashMap::default();
        for (index, definition) in definitions.terminals.iter().enumerate() {
            let spelled = terminals.get(index).and_then(|it| it.spelled.clone());
            if let Some(spelled) = spelled.filter(|_| definition.module == Module::Own) {
                let first = synonyms.entry(spelled).or_default();
                let known = first.map(|first| definitions.terminals[first as usize].priority);
                if known.is_none_or(|known| definition.priority > known) {
                    *first = Some(index as u32);
                }
            }
        }
        Self {
            text,
            definitions,
            candidates: Vec::new(),
            named: vec![None; definitions.terminals.len()],
            terminals,
            nameless: FxHashMap::default(),
            synonyms,
            full: false,
            nothing: Arc::new(Dfa::nothing()),
        }
    }

    /// The terminal with that name; `None` if there is none that can be used.
    pub(super) fn named(
        &mut self,
        name: &Name,
        complete: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<TerminalId> {
        match self.definitions.terminal_named(Module::Own, &name.text) {
            Some(index) => self.defined(index, findings),
            None => {
                if complete {
                    let message = format!("there is no terminal named {}", name.text);
                    let place = name.span.place();
                    findings.push(Diagnostic::error("unknown-terminal", place, message));
                }
                None
            }
        }
    }

    /// A literal, a range or a regular expression in a rule: the terminal that
    /// is defined as that, or a terminal of its own.
    pub(super) fn nameless(
        &mut self,
        node: &Node,
        span: Span,
        complete: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<TerminalId> {
        let spelled = Spelled::of(node);
        if let Some(spelled) = &spelled {
            if let Some(&Some(index)) = self.synonyms.get(spelled) {
                return self.defined(index as usize, findings);
            }
            if let Some(&known) = self.nameless.get(spelled) {
                return known;
            }
        }
        let compiled = self.terminals.anonymous(node, span, complete, findings);
        let name = self.text[span.start..span.end].to_owned();
        let order = (true, self.candidates.len());
        let id = compiled.and_then(|compiled| self.add(name, span, 0, order, &compiled, findings));
        if let Some(spelled) = spelled {
            self.nameless.insert(spelled, id);
        }
        id
    }

    pub(super) fn ignore(&mut self, id: TerminalId) {
        self.candidates[id.0 as usize].ignored = true;
    }

    pub(super) fn is_ignored(&self, id: TerminalId) -> bool {
        self.candidates[id.0 as usize].ignored
    }

    pub(super) fn name(&self, id: TerminalId) -> &str {
        &self.candidates[id.0 as usize].name
    }

    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    /// The language of `%constrain` and its like: of any expression.
    pub(super) fn language(
        &mut self,
        body: &Node,
        span: Span,
        complete: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Arc<Dfa>> {
        let compiled = self.terminals.anonymous(body, span, complete, findings);
        compiled.map(|compiled| compiled.language)
    }

    /// See [`Terminals::counted`].
    pub(super) fn counted(
        &self,
        made: Result<Dfa, AutomatonError>,
        place: Span,
    ) -> Result<Dfa, Box<Diagnostic>> {
        self.terminals.counted(made, place)
    }

    /// Warnings about definitions that nothing uses.
    pub(super) fn unused(&self, warnings: &mut Vec<Diagnostic>) {
        for (index, definition) in self.definitions.terminals.iter().enumerate() {
            let used = self.named[index].is_some() || self.terminals.referred_to[index];
            if definition.module == Module::Own && !used {
                let message = format!("nothing uses {}", definition.name.text);
                let place = definition.name.span.place();
                warnings.push(Diagnostic::warning("unused-terminal", place, message));
            }
        }
    }

    /// The lexicon of the terminals that are `used` or ignored.
    pub(super) fn settle(self, used: &[bool], warnings: &mut Vec<Diagnostic>) -> Settled {
        let mut slots = Vec::new();
        let mut ids = vec![None; self.candidates.len()];
        let mut kept: Vec<(usize, Candidate)> = self
            .candidates
            .into_iter()
            .enumerate()
            .filter(|(index, candidate)| used[*index] || candidate.ignored)
            .collect();
        kept.sort_unstable_by_key(|&(index, ref candidate)| (candidate.rank, index));
        for (place, (index, candidate)) in kept.iter().enumerate() {
            ids[*index] = Some(TerminalId(place as u32));
            if let Some(definition) = candidate.slot {
                slots.push((TerminalId(place as u32), definition));
                continue;
            }
            let before = &kept[..place];
            if let Some(others) = shadows(&candidate.language, before) {
                let message = format!(
                    "{} is never matched: each of its texts is taken by {}",
                    candidate.name,
                    others.join(" or ")
                );
                let finding =
                    Diagnostic::warning("shadowed-terminal", candidate.span.place(), message);
                warnings.push(finding.with_note(
                    "of two terminals that match the same text the one with the higher \
                     priority wins, then the literal, then the one defined first",
                ));
            }
        }
        let places = kept.iter().map(|(_, candidate)| candidate.span.place());
        let places = places.collect();
        let terminals = kept.into_iter().map(|(_, candidate)| Terminal {
            name: candidate.name,
            language: candidate.language,
            ignored: candidate.ignored,
        });
        let terminals = terminals.collect();
        Settled {
            lexicon: Lexicon { terminals },
            places,
            ids,
            slots,
        }
    }

    fn defined(&mut self, index: usize, findings: &mut Vec<Diagnostic>) -> Option<TerminalId> {
        if let Some(known) = self.named[index] {
            return known;
        }
        let definition = &self.definitions.terminals[index];
        let name = definition.name.text.clone();
        let (span, priority) = (definition.name.span, definition.priority);
        if definition.slot.is_some() {
            self.candidates.push(Candidate {
                name,
                span,
                language: Arc::clone(&self.nothing),
                rank: (-i64::from(priority), Kind::Slot, false, index),
                ignored: false,
                slot: Some(index),
            });
            let id = Some(TerminalId(self.candidates.len() as u32 - 1));
            self.named[index] = Some(id);
            return id;
        }
        let compiled = self.terminals.get(index).cloned();
        let id = compiled.and_then(|compiled| {
            self.add(name, span, priority, (false, index), &compiled, findings)
        });
        self.named[index] = Some(id);
        id
    }

    fn add(
        &mut self,
        name: String,
        span: Span,
        priority: i32,
        order: (bool, usize),
        compiled: &Compiled,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<TerminalId> {
        let mut error = |kind, message: String, note: &str| {
            findings.push(Diagnostic::error(kind, span.place(), message).with_note(note));
            None
        };
        if compiled.language.accepts(b"") {
            let message = format!("{name} matches the empty text");
            let note = "a lexeme has at least one character: write + for *, and make the \
                        terminal optional where rules mention it";
            return error("empty-terminal", message, note);
        }
        if compiled.language.is_empty() {
            let message = format!("no text matches {name}");
            return error(
                "empty-language",
                message,
                "a class in it, or what parts joined by & have in common, is empty",
            );
        }
        if self.candidates.len() >= MAX_TERMINALS {
            let first = !std::mem::replace(&mut self.full, true);
            let message = format!("there are more than {MAX_TERMINALS} terminals");
            return match first {
                true => error(
                    "too-large",
                    message,
                    "a terminal can be a choice of many words",
                ),
                false => None,
            };
        }
        let kind = match compiled.spelled {
            Some(Spelled::Literal { .. }) => Kind::Literal,
            _ => Kind::Pattern,
        };
        self.candidates.push(Candidate {
            name,
            span,
            language: compiled.language.clone(),
            rank: (-i64::from(priority), kind, order.0, order.1),
            ignored: false,
            slot: None,
        });
        Some(TerminalId(self.candidates.len() as u32 - 1))
    }
}

/// The terminals that together match whatever `language` does, if some do.
///
/// Each round takes a shortest text that is left and whoever takes that, so a
/// terminal that is not shadowed mostly costs one look at the others. What needs
/// more rounds than [`MAX_ROUNDS`] goes unsaid.
fn shadows<'c>(language: &Dfa, before: &'c [(usize, Candidate)]) -> Option<Vec<&'c str>> {
    let mut left = language.clone();
    let mut others = Vec::new();
    while let Some(text) = left.shortest_member() {
        if others.len() == MAX_ROUNDS {
            return None;
        }
        let taker = before
            .iter()
            .find(|(_, other)| other.language.accepts(&text));
        let (_, other) = taker?;
        left = left.minus(&other.language, &LIMITS).ok()?;
        others.push(other.name.as_str());
    }
    Some(others)
}
