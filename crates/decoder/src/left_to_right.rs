//! Left-to-right models, through the trait of the others.
//!
//! A prefix model knows the next token only. With blocks of one cell
//! ([`Options::left_to_right`](crate::Options::left_to_right)) the loop asks for just
//! that, and the rest of the canvas is one gap at its end: the same checks and masks.

use lacuna_lexer::TokenId;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};

use crate::{DenoiseRequest, Denoiser, DenoiserError, NarrowRequest};

/// A model of the next token.
#[allow(async_fn_in_trait)] // callers name the type: nothing needs the futures to be `Send`
pub trait NextToken {
    /// Number of tokens the model tells apart.
    fn vocabulary_size(&self) -> usize;

    /// The logits of the token behind these.
    ///
    /// # Errors
    /// When the model cannot be run; the run ends with that error.
    async fn next(&mut self, prefix: &[TokenId]) -> Result<Vec<f32>, DenoiserError>;
}

/// A left-to-right model as a [`Denoiser`].
#[derive(Clone, Debug)]
pub struct LeftToRight<M> {
    model: M,
    logits: Vec<f32>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
    position: u32,
}

impl<M: NextToken> LeftToRight<M> {
    /// Takes a model in.
    pub fn new(model: M) -> Self {
        Self {
            model,
            logits: Vec::new(),
            writable: TokenSet::default(),
            top: 0,
            noise: None,
            position: 0,
        }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }
}

impl<M: NextToken> Denoiser for LeftToRight<M> {
    fn vocabulary_size(&self) -> usize {
        self.model.vocabulary_size()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        let prefix: Vec<TokenId> = request.cells.iter().map_while(|cell| *cell).collect();
        let next = prefix.len();
        if request.masked.iter().any(|&cell| cell != next) {
            return Err(DenoiserError {
                message: "a left-to-right model knows the next token only: it takes blocks of one \
                          cell"
                    .to_owned(),
            });
        }
        self.logits = self.model.next(&prefix).await?;
        self.writable.clone_from(request.writable);
        (self.top, self.noise) = (request.top, request.noise);
        self.position = next as u32;
        let noise = self.noise.as_ref();
        let summary = summarize(&self.logits, &self.writable, self.top, noise, self.position);
        Ok(vec![summary; request.masked.len()])
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        let best = |ask: &NarrowRequest<'_>| {
            let noise = self.noise.as_ref();
            let (writable, allowed) = (&self.writable, ask.allowed);
            best_of(
                &self.logits,
                writable,
                allowed,
                self.top,
                noise,
                self.position,
            )
        };
        Ok(asks.iter().map(best).collect())
    }
}
