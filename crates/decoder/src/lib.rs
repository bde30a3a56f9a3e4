//! The denoising loop that commits only what the grammar allows.
//!
//! A [`Run`] starts from a canvas of masks. Each [`Run::step`] asks the
//! [`Denoiser`] for a summary of every masked cell, proposes the step's quota of
//! tokens, most confident first, lets the checker decide, commits or refuses, and
//! reports [`Event`]s. A run over a grammar keeps a witness of the canvas at all times,
//! so it always ends in a text of the language: [`Run::new`] says beforehand if
//! there is none that fits.
//!
//! The decoder knows models only as the trait [`Denoiser`], does no I/O, and
//! reads no clock but the one it is given.

mod canvas;
mod denoiser;
mod error;
mod event;
mod options;
mod propose;
mod run;
mod schedule;

pub use canvas::Canvas;
pub use denoiser::{DenoiseRequest, Denoiser, DenoiserError, Move, NarrowRequest};
pub use error::DecodeError;
pub use event::{Commit, Event, How, Outcome, Reason, Refusal, Timings};
pub use options::Options;
pub use run::Run;
pub use schedule::quota;
