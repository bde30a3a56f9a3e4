//! Why a run could not begin, or could not go on.

use std::ops::RangeInclusive;

use lacuna_lexer::TokenId;

use crate::canvas::Cell;
use crate::{DenoiserError, counted};

/// What is known of the cells that the texts of a language take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No text takes fewer.
    AtLeast(usize),
    /// Some text takes so many; perhaps a shorter one is there.
    Enough(usize),
    /// No text takes so few, or there is none of the tokens that may be written.
    MoreThan(usize),
    /// There is no text.
    Nothing,
}

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
    #[error("{}", no_member_message(*.length, *.needs))]
    NoMember {
        /// Cells of the canvas.
        length: usize,
        /// What texts take, where known.
        needs: Option<Needs>,
    },
    /// No text of the language has the fixed cells and fits the masked ones.
    #[error("{}", no_filling_message(.masked, .room.as_ref()))]
    NoFilling {
        /// Masked cells, the fewest and the most that there may be.
        masked: RangeInclusive<usize>,
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

impl DecodeError {
    /// That no text has the fixed cells of a canvas and fits the masked ones.
    pub fn no_filling(cells: &[Cell]) -> Self {
        let masked = cells.iter().filter(|cell| cell.is_none()).count();
        let (masked, room) = (masked..=masked, None);
        Self::NoFilling { masked, room }
    }
}

fn no_filling_message(masked: &RangeInclusive<usize>, room: Option<&Room>) -> String {
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
    let cells = match (*masked.start(), *masked.end()) {
        (_, 0) => return format!("what is fixed is no text of the grammar{takes}"),
        (least, most) if least == most => format!("the {}", counted(most, "masked cell")),
        (least, most) => format!("{least} to {}", counted(most, "masked cell")),
    };
    format!("no text of the grammar goes with what is fixed and fits {cells}{takes}")
}

fn no_member_message(length: usize, needs: Option<Needs>) -> String {
    let needs = match needs {
        Some(Needs::AtLeast(cells)) => format!(": it needs at least {cells}"),
        Some(Needs::Enough(cells)) => format!(": {cells} would be enough"),
        Some(Needs::MoreThan(cells)) => {
            format!(", nor one of {cells}, with the tokens that may be written")
        }
        Some(Needs::Nothing) => return "the grammar has no text at all".to_owned(),
        None => String::new(),
    };
    let cells = counted(length, "cell");
    format!("no text of the grammar fits a canvas of {cells}{needs}")
}
