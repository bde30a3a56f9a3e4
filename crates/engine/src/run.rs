//! A run of an engine's model.

use std::sync::{Arc, Mutex};

use lacuna_decoder::{Canvas, Event, Outcome, Pause, Run, Timings};
use lacuna_lexer::Vocabulary;
use serde::Serialize;

use crate::cache::Origin;
use crate::prompted::PromptedModel;
use crate::{Fault, Finding, MemoUse};

/// A run of an engine's model.
pub struct ModelRun {
    run: Run<PromptedModel>,
    prompt_tokens: usize,
    vocabulary: Arc<Vocabulary>,
    grammar: Option<Origin>,
    warnings: Vec<GrammarWarning>,
    memo: Option<Arc<Mutex<MemoUse>>>,
}

/// What looks wrong with a grammar of a run, although it can be used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GrammarWarning {
    /// The region whose grammar it is; `None` where one is for all cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<usize>,
    /// What is wrong, and where in the grammar's text.
    #[serde(flatten)]
    pub finding: Finding,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The text, as bytes.
    pub text: Vec<u8>,
    /// How it ended.
    pub outcome: Outcome,
    /// Steps taken.
    pub steps: usize,
    /// Where the time went.
    pub timings: Timings,
}

impl GrammarWarning {
    /// Those of the grammar of a region, or of all cells.
    pub(crate) fn of(region: Option<usize>, warnings: &[Finding]) -> impl Iterator<Item = Self> {
        warnings.iter().map(move |finding| Self {
            region,
            finding: finding.clone(),
        })
    }
}

impl ModelRun {
    pub(crate) fn new(
        run: Run<PromptedModel>,
        prompt_tokens: usize,
        vocabulary: Arc<Vocabulary>,
        memo: Option<Arc<Mutex<MemoUse>>>,
    ) -> Self {
        Self {
            run,
            prompt_tokens,
            vocabulary,
            grammar: None,
            warnings: Vec::new(),
            memo,
        }
    }

    /// The same run, known to be under a compiled grammar that came from somewhere, of which
    /// there are warnings.
    pub(crate) fn of(mut self, grammar: Option<Origin>, warnings: Vec<GrammarWarning>) -> Self {
        (self.grammar, self.warnings) = (grammar, warnings);
        self
    }

    /// The same run with pauses within its steps.
    pub fn pausing(mut self, pause: Pause) -> Self {
        self.run = self.run.pausing(pause);
        self
    }

    /// Where the time has gone so far, and how often the checker was asked.
    pub fn timings(&self) -> Timings {
        self.run.timings()
    }

    /// What has been asked of the method's memos; `None` where it has none.
    pub fn memo(&self) -> Option<MemoUse> {
        let memo = self.memo.as_ref()?;
        memo.lock().ok().map(|uses| *uses)
    }

    /// The vocabulary that the run writes in: the model's, and of its special tokens
    /// those that the grammar names.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Where the compiled grammar came from; `None` without a grammar.
    pub fn grammar_origin(&self) -> Option<Origin> {
        self.grammar
    }

    /// What looks wrong with its grammars: what is in them and constrains nothing, say.
    pub fn grammar_warnings(&self) -> &[GrammarWarning] {
        &self.warnings
    }

    /// Tokens of the prompt.
    pub fn prompt_tokens(&self) -> usize {
        self.prompt_tokens
    }

    /// Steps the run takes at most.
    pub fn steps(&self) -> usize {
        self.run.options().steps
    }

    /// The cells as they stand.
    pub fn canvas(&self) -> &Canvas {
        self.run.canvas()
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.run.is_done()
    }

    /// One denoising step.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn step(&mut self) -> Result<Vec<Event>, Fault> {
        Ok(self.run.step().await?)
    }

    /// All steps that are left; `on_event` sees every event.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn finish(mut self, mut on_event: impl FnMut(&Event)) -> Result<Summary, Fault> {
        loop {
            for event in self.step().await? {
                on_event(&event);
                if let Event::Done {
                    text,
                    outcome,
                    steps,
                    timings,
                } = event
                {
                    return Ok(Summary {
                        text,
                        outcome,
                        steps,
                        timings,
                    });
                }
            }
        }
    }
}
