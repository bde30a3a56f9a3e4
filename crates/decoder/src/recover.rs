//! Finishing a step, or the run, when refusals have run out.
//!
//! The guard's completion is always there, so recovery always succeeds; it is a first
//! derivation that was found, and no text that the model would write. A
//! [`Recovery`] says how much of the model's will is tried before it is taken, and
//! whether the heaviest completion under the model's weights is sought instead.

use lacuna_lexer::TokenId;
use lacuna_logits::TokenSet;

use crate::asking::Asking;
use crate::board::Board;
use crate::commit::Attempt;
use crate::guard::Completion;
use crate::propose::Proposals;
use crate::{Candidate, DecodeError, Denoiser, Event, RecoveryKind};

/// How a step is finished when refusals have run out.
pub trait Recovery {
    /// Whether the whole text is taken from the completion and the run ends.
    fn ends_run(&self) -> bool {
        false
    }

    /// Candidates of a cell that are tried, of those that the guard does not rule out,
    /// before the completion's token is taken.
    fn tries(&self) -> usize {
        0
    }

    /// How many of each cell's tokens keep their own weights where the heaviest
    /// completion is sought; with 0 the completion at hand is taken.
    fn width(&self) -> usize {
        0
    }
}

#[derive(Default)]
struct FromCompletion {
    ends_run: bool,
    tries: usize,
    width: usize,
}

impl Recovery for FromCompletion {
    fn ends_run(&self) -> bool {
        self.ends_run
    }

    fn tries(&self) -> usize {
        self.tries
    }

    fn width(&self) -> usize {
        self.width
    }
}

/// Candidates of a cell that guided recovery tries.
const TRIES: usize = 8;

/// Tokens of a cell that are weighed for the best completion.
const WIDTH: usize = 32;

impl RecoveryKind {
    /// The recovery of this name.
    pub fn recovery(self) -> Box<dyn Recovery> {
        let of_completion = FromCompletion::default();
        Box::new(match self {
            Self::Guided => FromCompletion {
                tries: TRIES,
                ..of_completion
            },
            Self::Best => FromCompletion {
                width: WIDTH,
                ..of_completion
            },
            Self::Witness => of_completion,
            Self::Finish => FromCompletion {
                ends_run: true,
                ..of_completion
            },
        })
    }
}

/// Fills so many of the cells, those whose completion's token the model likes best
/// first, each with the best candidate that is allowed among a few that were not refused
/// before, or else with that token. What was written, in order.
pub(crate) async fn recover<D: Denoiser>(
    (step, cells): (usize, usize),
    proposals: &mut [Proposals],
    recovery: &dyn Recovery,
    asking: &mut Asking<D>,
    board: &mut Board,
    events: &mut Vec<Event>,
) -> Result<Vec<Candidate>, DecodeError> {
    if recovery.width() > 0 {
        let mut weights = vec![None; board.canvas.cells().len()];
        for row in proposals.iter() {
            let tokens = board.vocabulary.len();
            weights[row.cell()] = Some(row.weights(recovery.width(), tokens));
        }
        // If it is found, it is the completion from here on.
        board.best(&weights);
    }
    // Where nothing is refused there is none; then the text ends.
    let completion = match board.completion() {
        Some(Completion::Cells(completion)) => completion,
        Some(Completion::Text(_)) | None => Vec::new(),
    };
    let order = {
        let choices = fillings(step, proposals, &completion, asking, board, events).await?;
        let mut order: Vec<(usize, Candidate)> = choices.into_iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| b.probability.total_cmp(&a.probability));
        order
    };
    let mut written = Vec::new();
    for (at, fallback) in order.into_iter().take(cells) {
        let row = &mut proposals[at];
        let mut chosen = None;
        if recovery.tries() > 0
            && let Some(possible) = board.possible(row.cell())
        {
            row.keep(&possible);
        }
        for _ in 0..recovery.tries() {
            asking.replenish(step, row, board, events).await?;
            let Some(candidate) = row.best() else { break };
            if board.commit(&[candidate]).is_ok() {
                chosen = Some(candidate);
                break;
            }
            row.refuse();
        }
        let candidate = match chosen {
            Some(candidate) => candidate,
            None => {
                // What was committed since may have changed the completion.
                let token = match board.completion() {
                    Some(Completion::Cells(cells)) if !board.is_free(row.cell()) => {
                        cells.get(row.cell()).copied().unwrap_or(fallback.token)
                    }
                    _ => fallback.token,
                };
                board.write_from_completion(row.cell(), token);
                Candidate { token, ..fallback }
            }
        };
        written.push(candidate);
    }
    board.timings.recovered += written.len();
    Ok(written)
}

/// The completion's token of each cell, with the probability that the model gives it.
async fn fillings<D: Denoiser>(
    step: usize,
    proposals: &[Proposals],
    completion: &[TokenId],
    asking: &mut Asking<D>,
    board: &mut Board,
    events: &mut Vec<Event>,
) -> Result<Vec<Candidate>, DecodeError> {
    let (end, size) = (board.vocabulary.end(), board.vocabulary.len());
    // Where nothing is refused the model is followed.
    let of_model = |row: &Proposals| row.best().filter(|_| board.is_free(row.cell()));
    let of_completion = |row: &Proposals| completion.get(row.cell()).copied().unwrap_or(end);
    let tokens = proposals.iter().map(|row| match of_model(row) {
        Some(best) => best.token,
        None => of_completion(row),
    });
    let tokens: Vec<TokenId> = tokens.collect();
    let rows = proposals.iter().zip(&tokens);
    let asks = rows.clone().map(|(row, &token)| {
        let mut alone = TokenSet::empty(size);
        alone.insert(token);
        (row.row(), alone)
    });
    let answers = asking.narrow(step, asks.collect(), board, events).await?;
    Ok(rows
        .zip(answers)
        .map(|((row, &token), scored)| match scored.first() {
            Some(scored) => row.candidate(&row.changed(*scored)),
            None => Candidate {
                cell: row.cell(),
                token,
                probability: 0.0,
            },
        })
        .collect())
}
