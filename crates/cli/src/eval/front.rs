//! Free text before the text that is judged, as a region of its own: what a model gains by
//! writing something first, or loses by being held to nothing else.

use std::sync::Arc;

use lacuna_decoder::{Canvas, Cell, GrammarGuard, RegionGuard};
use lacuna_engine::Engine;
use lacuna_lexer::Vocabulary;

use super::Arguments;
use crate::error::CommandError;

/// A region of masks without grammar, and one of fixed text.
pub struct Front {
    free: usize,
    fixed: Vec<Cell>,
}

impl Front {
    /// What the command's options ask for.
    pub fn of(arguments: &Arguments, engine: &Engine) -> Result<Option<Self>, CommandError> {
        let Some(free) = arguments.free else {
            return Ok(None);
        };
        let fixed = engine.encode(&arguments.between)?;
        let fixed = fixed.into_iter().map(Some).collect();
        Ok(Some(Self { free, fixed }))
    }

    /// How many cells it has.
    pub fn cells(&self) -> usize {
        self.free.saturating_add(self.fixed.len())
    }

    /// The canvas before so many masks.
    pub fn canvas(&self, length: usize) -> Canvas {
        Canvas::joined([
            vec![None; self.free],
            self.fixed.clone(),
            vec![None; length],
        ])
    }

    /// A guard of the whole by that of the text.
    pub fn before(
        &self,
        length: usize,
        guard: GrammarGuard,
        vocabulary: &Arc<Vocabulary>,
    ) -> RegionGuard {
        let regions = [
            (self.free, None),
            (self.fixed.len(), None),
            (length, Some(guard)),
        ];
        RegionGuard::of_guards(regions, vocabulary)
    }

    /// The text behind it.
    pub fn text(canvas: &Canvas, vocabulary: &Vocabulary) -> Vec<u8> {
        let last = canvas.regions().last().cloned().unwrap_or(0..0);
        Canvas::new(canvas.cells()[last].to_vec()).text(vocabulary)
    }
}
