//! What a decoder needs to know of rows of logits, and no more.
//!
//! A row over a vocabulary of 50,000 is 200 KB, and a canvas has hundreds of rows; a decoder
//! looks at a handful of candidates of each. So a forward pass hands over [`RowSummary`]s: the
//! best few tokens, the softmax's denominator, and the entropy. Where that is
//! not enough (every candidate was refused), the decoder asks again with a [`TokenSet`] of what
//! it may still take. A graphics card computes the same; [`summarize`] is its plain twin.
//!
//! Sampling is by Gumbel noise (which makes the best of the noisy scores a sample, and their
//! order that of sampling without replacement) from a counter instead of a stream: see
//! [`Noise`].

mod noise;
mod summary;
mod token_set;

pub use noise::{Noise, UNIFORM_BITS, gumbel};
pub use summary::{RowSummary, Scored, best_of, summarize};
pub use token_set::TokenSet;
