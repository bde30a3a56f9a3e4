//! The methods that are compared, behind one question.

use std::sync::Arc;
use std::time::Duration;

use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, MemoUses, Verdict};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_lexer::TokenId;
use lacuna_published::{Answer, Epic, EpicParts, LexicalMap, Mundler};
use serde_json::{Value, json};

use super::clock::Started;
use super::memory;
use super::vocabulary::Encoder;
use super::workload::any_length;

/// One method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Ours, gaps of any length.
    Any,
    /// Ours, gaps of so many cells.
    Fits,
    /// The same, in use: one that has met other canvases of the workload.
    InUse,
    /// EPIC, all parts on.
    Epic,
    /// Mündler and others.
    Mundler,
}

impl Method {
    /// All, ours first.
    pub const ALL: [Method; 5] = [
        Method::Any,
        Method::Fits,
        Method::InUse,
        Method::Epic,
        Method::Mundler,
    ];

    /// What to call it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::Any => "any",
            Method::Fits => "fits",
            Method::InUse => "in-use",
            Method::Epic => "epic",
            Method::Mundler => "mundler",
        }
    }

    /// What to call it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::Any => "lacuna",
            Method::Fits => "lacuna, `fits`",
            Method::InUse => "lacuna, `fits`, in use",
            Method::Epic => "epic",
            Method::Mundler => "mundler",
        }
    }
}

/// What one check took and said.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// From the pattern to the answer.
    pub time: Duration,
    /// Bytes held at most, above what was held before.
    pub peak: usize,
    /// `None`: the time or a budget ran out.
    pub answer: Option<bool>,
    /// Which tier decided, if it is ours.
    pub tier: String,
    /// How its memos were used, if it is ours.
    pub memos: MemoUses,
}

impl Outcome {
    /// As `{micros, answer, tier}`; `answer` is null where there was none.
    pub fn json(&self) -> Value {
        let micros = self.time.as_secs_f64() * 1e6;
        json!({ "micros": micros, "answer": self.answer, "tier": self.tier })
    }
}

/// A method ready for one grammar.
pub enum Compiled {
    /// Ours.
    Ours(Box<Checker>, Method),
    /// EPIC.
    Epic(Box<Epic>),
    /// Mündler and others.
    Mundler(Box<Mundler>),
}

impl Compiled {
    /// Compiles a grammar; `Err` says why the method cannot take it.
    pub fn new(method: Method, grammar: &Grammar, encoder: &Encoder) -> Result<Self, String> {
        let (limits, map) = (Limits::default(), LexicalMap::Described);
        Ok(match method {
            Method::Any | Method::Fits | Method::InUse => {
                let vocabulary = Some(Arc::clone(&encoder.vocabulary));
                let checker = Checker::new(grammar, vocabulary, CheckerLimits::default());
                Self::Ours(Box::new(checker.map_err(|e| e.to_string())?), method)
            }
            Method::Epic => {
                let epic = Epic::new(grammar, map, EpicParts::default(), &limits);
                Self::Epic(Box::new(epic.map_err(|e| e.to_string())?))
            }
            Method::Mundler => {
                let mundler = Mundler::new(grammar, map, &limits);
                Self::Mundler(Box::new(mundler.map_err(|e| e.to_string())?))
            }
        })
    }

    /// One that has met no canvas: memos and charts are empty, and so are automata that
    /// are made as they are used. One in use is the same each time.
    pub fn fresh(&mut self) -> Fresh<'_> {
        match self {
            Self::Ours(checker, Method::InUse) => Fresh::InUse(checker),
            Self::Ours(checker, method) => Fresh::Ours(Box::new((**checker).clone()), *method),
            Self::Epic(epic) => {
                epic.forget();
                Fresh::Epic(epic)
            }
            Self::Mundler(mundler) => {
                mundler.forget();
                Fresh::Mundler(mundler)
            }
        }
    }
}

/// A method that begins without having met a canvas.
pub enum Fresh<'a> {
    Ours(Box<Checker>, Method),
    InUse(&'a mut Checker),
    Epic(&'a mut Epic),
    Mundler(&'a mut Mundler),
}

impl Fresh<'_> {
    fn memo_uses(&self) -> MemoUses {
        match self {
            Self::Ours(checker, _) => checker.memo_uses(),
            Self::InUse(checker) => checker.memo_uses(),
            Self::Epic(_) | Self::Mundler(_) => MemoUses::default(),
        }
    }

    /// Checks a canvas; the references stop after `limit`.
    pub fn check(
        &mut self,
        cells: &[Option<TokenId>],
        encoder: &Encoder,
        limit: Duration,
    ) -> Outcome {
        let pattern = any_length(cells, encoder);
        let known = self.memo_uses();
        let held = memory::start();
        let started = Started::now();
        let stop = move || started.elapsed() > limit;
        let (answer, tier) = match self {
            Self::Ours(checker, Method::Any) => {
                let (verdict, tier) = checker.check(&pattern);
                let answer = match verdict {
                    Verdict::Completable(_) => Some(true),
                    Verdict::Impossible => Some(false),
                    Verdict::Exhausted { .. } => None,
                };
                (answer, format!("{tier:?}").to_lowercase())
            }
            Self::Ours(checker, _) => fits(checker, cells),
            Self::InUse(checker) => fits(checker, cells),
            Self::Epic(epic) => (decided(&epic.check(&pattern, &stop)), String::new()),
            Self::Mundler(mundler) => (decided(&mundler.check(&pattern, &stop)), String::new()),
        };
        Outcome {
            time: started.elapsed(),
            peak: memory::peak_since(held),
            memos: self.memo_uses().since(known),
            answer,
            tier,
        }
    }
}

fn fits(checker: &mut Checker, cells: &[Option<TokenId>]) -> (Option<bool>, String) {
    let (verdict, tier) = checker.check_canvas(cells);
    let answer = match verdict {
        CanvasVerdict::Completable(_) => Some(true),
        CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => Some(false),
        CanvasVerdict::Exhausted { .. } => None,
    };
    (answer, format!("{tier:?}").to_lowercase())
}

fn decided(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Completable(_) => Some(true),
        Answer::Impossible => Some(false),
        Answer::Stopped(_) => None,
    }
}
