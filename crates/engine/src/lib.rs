//! Grammar, model and decoder put together: what the command line and the
//! JavaScript surface both call, so that they cannot differ.
//!
//! - [`GrammarSource`]: a grammar text and its dialect, compiled for writing or
//!   for judging.
//! - [`GrammarSession`]: completability of texts with gaps, no model needed.
//! - [`Engine`] (feature `model`): a loaded model; [`Engine::start`] begins a
//!   run.
//! - [`Fault`]: every error of the layers below, as data with a kind.

#[cfg(feature = "model")]
mod engine;
mod fault;
mod session;
mod source;
mod task;

#[cfg(feature = "model")]
pub use engine::{Engine, GenerateRequest, ModelRun, Summary};
pub use fault::{Fault, Finding};
pub use session::{Answer, GrammarSession};
pub use source::{Dialect, GrammarSource, Purpose};
pub use task::task_line;
