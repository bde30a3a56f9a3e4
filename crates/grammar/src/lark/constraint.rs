//! `%constrain` and `%forbid`: one regular language for whole texts.
//!
//! The automata are multiplied, so the number of states may be the product of
//! theirs; the limits of a terminal hold for the result, and all states count
//! among those of the terminals.

use std::sync::Arc;

use super::LIMITS;
use super::definitions::Definitions;
use super::lexicon::Candidates;
use super::terminals::complement;
use crate::Diagnostic;
use crate::automaton::Dfa;

pub(super) fn compile(
    definitions: &Definitions,
    candidates: &mut Candidates<'_>,
    complete: bool,
    findings: &mut Vec<Diagnostic>,
) -> Option<Arc<Dfa>> {
    let mut all: Option<Arc<Dfa>> = None;
    for constraint in &definitions.constraints {
        let span = constraint.span;
        let language = candidates.language(&constraint.body, span, complete, findings)?;
        let joined = match (&all, constraint.forbidden) {
            (None, false) => Ok(Dfa::clone(&language)),
            (None, true) => complement(&language),
            (Some(all), false) => all.intersect(&language, &LIMITS),
            (Some(all), true) => all.minus(&language, &LIMITS),
        };
        match candidates.counted(joined, span) {
            Ok(joined) if joined.is_empty() => {
                let message = "no text satisfies this together with the constraints before it";
                let finding = Diagnostic::error("empty-language", span.place(), message);
                findings.push(finding.with_note("a constraint is about the whole text"));
                return None;
            }
            Ok(joined) => all = Some(Arc::new(joined)),
            Err(finding) => {
                findings.push(*finding);
                return None;
            }
        }
    }
    all
}
