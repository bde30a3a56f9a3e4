//! What goes into a pass, and what of it has to be computed: the same on every device.

use crate::config::ModelConfig;
use crate::kept::Kept;
use crate::pass::ForwardError;
use std::ops::Range;

/// The input of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Prompt and canvas.
    pub ids: &'a [u32],
    /// The positions whose logits are wanted; they may repeat and come in any order.
    pub rows: &'a [usize],
    /// What is taken from an earlier input, if anything is.
    pub kept: Option<Kept<'a>>,
}

impl Input<'_> {
    /// Whether the model can take it.
    ///
    /// # Errors
    /// [`ForwardError`], with the first thing that is wrong.
    pub fn check(&self, config: &ModelConfig) -> Result<(), ForwardError> {
        let (length, most) = (self.ids.len(), config.max_position_embeddings);
        let vocab = config.vocab_size;
        if length > most {
            return Err(ForwardError::TooLong { length, most });
        }
        let earlier = self.kept.map_or(&[][..], |kept| kept.ids);
        if self.kept.is_some() && earlier.len() != length {
            let kept = earlier.len();
            return Err(ForwardError::KeptOfAnotherLength { kept, length });
        }
        for ids in [self.ids, earlier] {
            if let Some(position) = ids.iter().position(|&id| id as usize >= vocab) {
                return Err(ForwardError::IdOutOfRange {
                    id: ids[position],
                    position,
                    vocab,
                });
            }
        }
        match self.rows.iter().find(|&&row| row >= length) {
            Some(&row) => Err(ForwardError::RowOutOfRange { row, length }),
            None => Ok(()),
        }
    }

    /// The positions at which the network says the wanted logits: one before each row where
    /// the model was trained so.
    pub fn sources(&self, config: &ModelConfig) -> Vec<usize> {
        match config.logits_shift {
            false => self.rows.to_vec(),
            true => self.rows.iter().map(|row| row.saturating_sub(1)).collect(),
        }
    }

    /// The positions that are computed: all, or those that an earlier input does not stand in
    /// for, and whatever the wanted rows need.
    pub fn computed(&self, config: &ModelConfig) -> Range<usize> {
        let length = self.ids.len();
        let Some(kept) = self.kept else {
            return 0..length;
        };
        let sources = self.sources(config);
        let first = sources.iter().copied().chain([kept.start]).min();
        let end = sources.iter().map(|row| row + 1).chain([kept.end]).max();
        let end = end.unwrap_or(length).min(length);
        first.unwrap_or(0).min(end)..end
    }
}
