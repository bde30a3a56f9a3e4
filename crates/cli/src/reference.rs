//! The published methods behind `lacuna check`, for comparison.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use lacuna_checker::{Gap, Pattern, Segment};
use lacuna_engine::{Answer as Said, Fault};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_published::{Answer, Epic, EpicParts, LexicalMap, Mundler, PublishedError, Stopped};

use crate::error::CommandError;
use crate::question::Canvas;

/// Which method decides.
#[derive(Args)]
pub struct ReferenceArguments {
    /// Who decides; the published methods know gaps of any length only, and may
    /// name no witness
    #[arg(long, value_enum, value_name = "NAME", default_value = "lacuna")]
    method: Method,
    /// How a published method lexes [default: described]
    #[arg(long, value_enum, value_name = "HOW")]
    lexing: Option<Lexing>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Lacuna's checker
    Lacuna,
    /// Intersection with a minimal automaton (Mündler and others, ICLR 2026)
    Mundler,
    /// Earley's algorithm on the graph of lexings, which are remembered (EPIC)
    Epic,
}

#[derive(Clone, Copy, ValueEnum)]
enum Lexing {
    /// As the papers describe it
    Described,
    /// As the code released with them does it
    Released,
    /// By definition of maximal munch: slow, and never wrong
    Exact,
}

impl ReferenceArguments {
    /// Whether the method has what is asked of it.
    pub fn validate(&self) -> Result<(), CommandError> {
        match self.lexing.is_some() && !self.is_wanted() {
            true => {
                let message = "--lexing is of published methods: name one with --method";
                Err(Fault::new("invalid-input", message).into())
            }
            false => Ok(()),
        }
    }

    /// Whether a published method is asked.
    pub fn is_wanted(&self) -> bool {
        self.method != Method::Lacuna
    }

    /// The method for a grammar, if a published one is asked.
    pub fn compile(&self, grammar: &Grammar) -> Result<Option<Reference>, Fault> {
        let limits = Limits::default();
        let map = match self.lexing.unwrap_or(Lexing::Described) {
            Lexing::Described => LexicalMap::Described,
            Lexing::Released => LexicalMap::Released,
            Lexing::Exact => LexicalMap::Exact,
        };
        let made = match self.method {
            Method::Lacuna => return Ok(None),
            Method::Mundler => Mundler::new(grammar, map, &limits)
                .map(|mundler| Reference::Mundler(Box::new(mundler))),
            Method::Epic => Epic::new(grammar, map, EpicParts::default(), &limits)
                .map(|epic| Reference::Epic(Box::new(epic))),
        };
        let refused = |error| match error {
            PublishedError::Automaton(error) => Fault::from(error),
            PublishedError::Constraint => Fault::new("unsupported", error.to_string()),
        };
        made.map(Some).map_err(refused)
    }
}

/// How long a published method may take for a line; its memory is bounded by itself.
const LIMIT: Duration = Duration::from_secs(60);

/// A published method for one grammar.
pub enum Reference {
    Mundler(Box<Mundler>),
    Epic(Box<Epic>),
}

impl Reference {
    /// The answer, and the microseconds it took; the witness is looked for
    /// afterwards.
    pub fn check(&mut self, canvas: &Canvas) -> Result<(Said, u128), Fault> {
        let Canvas::Segments {
            segments,
            gaps: None,
        } = canvas
        else {
            let message = "the published methods know gaps of any length only: leave out \
                           \"gaps\" and \"cells\", or --method";
            return Err(Fault::new("invalid-input", message));
        };
        let pieces = segments.iter().map(|segment| match segment {
            Some(text) => Segment::Text(text.clone()),
            None => Segment::Gap(Gap::Any),
        });
        let pattern = Pattern::with_open_tail(pieces);
        let started = Instant::now();
        let stop = || started.elapsed() > LIMIT;
        let answer = match self {
            Self::Mundler(mundler) => mundler.check(&pattern, &stop),
            Self::Epic(epic) => epic.check(&pattern, &stop),
        };
        let micros = started.elapsed().as_micros();
        if let Answer::Stopped(stopped) = answer {
            let message = match stopped {
                Stopped::Time => format!("undecided: out of time after {} s", LIMIT.as_secs()),
                Stopped::Memory => "undecided: out of the memory of one check".to_owned(),
            };
            return Err(Fault::new("budget", message));
        }
        let witness = match self {
            Self::Mundler(mundler) => mundler.witness(&pattern, &answer, &stop),
            Self::Epic(epic) => epic.witness(&pattern, &answer, &stop),
        };
        let said = Said {
            completable: answer.is_completable(),
            witness: witness.map(|witness| witness.text(&pattern, None)),
        };
        Ok((said, micros))
    }
}
