//! Why a run could not begin, or could not go on.

use lacuna_lexer::TokenId;

use crate::{DenoiserError, counted};

/// The masked cells, gap by gap, of a text that has what is fixed, were gaps of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Room {
    /// No text takes fewer in all gaps together.
    Shortest(Vec<usize>),
    /// Some text takes so many; perhaps a shorter one is there.
    Enough(Vec<usize>),
    /// None has what is fixed, however long the gaps.
    Nowhere,
}

/// Why a run could not begin, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The language has no text that fits the canvas.
    #[error("{}", no_member_message(*.length, *.shortest))]
    NoMember {
        /// Cells of the canvas.
        length: usize,
        /// Cells below which there is certainly no text, where known.
        shortest: Option<usize>,
    },
    /// No text of the language has the fixed cells and fits the masked ones.
    #[error("{}", no_filling_message(*.masked, .room.as_ref()))]
    NoFilling {
        /// Masked cells.
        masked: usize,
        /// What gaps of other lengths would have room for, where known.
        room: Option<Room>,
    },
    /// The fixed cells have text behind an end, or a token that is no text.
    #[error("the canvas has text behind an end of text, or a special token in it")]
    Malformed,
    /// Whether a text fits could not be decided within the budget.
    #[error("the checker ran out of its budget of {limit} {what} before the first step")]
    Exhausted {
        /// What ran out.
        what: &'static str,
        /// The limit in force.
        limit: usize,
    },
    /// The options make no sense.
    #[error("{0}")]
    Invalid(&'static str),
    /// An option names a token that is not there.
    #[error("{option} names token {token}, but the vocabulary has {tokens} tokens, counted from 0")]
    UnknownToken {
        /// What the option is for.
        option: &'static str,
        /// The token's id.
        token: TokenId,
        /// Tokens of the vocabulary.
        tokens: usize,
    },
    /// The model and the grammar engine disagree about the vocabulary.
    #[error(
        "the model gives {} a cell, but the vocabulary has {}",
        counted(*.logits, "logit"),
        counted(*.tokens, "token")
    )]
    VocabularyMismatch {
        /// Logits a cell.
        logits: usize,
        /// Tokens of the vocabulary.
        tokens: usize,
    },
    /// A pause said that the run is not to go on.
    #[error("the run was given up")]
    GivenUp,
    /// The model failed.
    #[error(transparent)]
    Denoiser(#[from] DenoiserError),
}

fn no_filling_message(masked: usize, room: Option<&Room>) -> String {
    if room == Some(&Room::Nowhere) {
        return "no text of the grammar has what is fixed, however long the gaps".to_owned();
    }
    let of_gaps = |cells: &[usize]| {
        let cells: Vec<String> = cells.iter().map(usize::to_string).collect();
        cells.join(" and ")
    };
    let takes = match room {
        Some(Room::Shortest(cells)) => format!(": the shortest takes {}", of_gaps(cells)),
        Some(Room::Enough(cells)) => format!(": one would take {}", of_gaps(cells)),
        Some(Room::Nowhere) | None => String::new(),
    };
    format!(
        "no text of the grammar goes with what is fixed and fits the {}{takes}",
        counted(masked, "masked cell")
    )
}

fn no_member_message(length: usize, shortest: Option<usize>) -> String {
    let needs = shortest.map_or(String::new(), |cells| {
        format!(": it needs at least {cells}")
    });
    let cells = counted(length, "cell");
    format!("no text of the grammar fits a canvas of {cells}{needs}")
}
