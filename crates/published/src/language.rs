//! A grammar as the papers take it: productions over terminals, terminals over
//! bytes.

use std::sync::Arc;

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};

use crate::cfg::Cfg;
use crate::lower;
use crate::{Discipline, Terminal};

/// How the fragments of a text with gaps become an ε-NFA over terminals; see the
/// crate's page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexicalMap {
    /// As the papers describe it: every way for a lexeme to have begun in a gap.
    #[default]
    Described,
    /// As the code published with them does it: of each terminal the longest way.
    Released,
    /// All completions that maximal munch allows, and no others.
    Exact,
}

/// Why a grammar cannot be given to a published method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishedError {
    /// An automaton outgrew its limits.
    #[error(transparent)]
    Automaton(#[from] AutomatonError),
    /// Whole texts are constrained by a regular language, and are of more than one
    /// lexeme: the papers have nothing of the kind. [`LexicalMap::Exact`] has.
    #[error(
        "the published methods know no constraint on whole texts (%constrain) of several lexemes"
    )]
    Constraint,
}

/// The grammar, lowered.
#[derive(Clone, Debug)]
pub struct Language {
    /// Productions over terminals.
    pub cfg: Cfg,
    /// The terminals, those that win ties first.
    pub terminals: Vec<Terminal>,
    /// How lexemes are cut.
    pub discipline: Discipline,
    /// A regular language that whole texts must belong to besides.
    pub constraint: Option<Arc<Dfa>>,
}

impl Language {
    /// Lowers a grammar.
    ///
    /// With a lexicon, its terminals are the terminals, made disjoint by its order
    /// (the papers' disambiguation: where the language of one terminal lies within
    /// another's, the overlap is taken from the larger). Without one, terminals are
    /// the largest parts of rules that mention no rule, small rules that are not
    /// recursive counted in, and any segmentation counts.
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub fn new(grammar: &Grammar, limits: &Limits) -> Result<Self, PublishedError> {
        Ok(lower::lower(grammar, limits)?)
    }

    /// Refuses what the lexical map cannot honour.
    pub(crate) fn accept(self, map: LexicalMap) -> Result<Self, PublishedError> {
        match (&self.constraint, map) {
            (Some(_), LexicalMap::Described | LexicalMap::Released) => {
                Err(PublishedError::Constraint)
            }
            _ => Ok(self),
        }
    }
}
