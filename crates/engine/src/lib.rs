//! Grammar, model and decoder put together: what the command line and the
//! JavaScript surface both call, so that they cannot differ.
//!
//! - [`GrammarSource`]: a grammar text and its dialect, compiled for writing or
//!   for judging.
//! - [`GrammarSession`]: completability of texts with gaps, no model needed; where one
//!   breaks ([`Explanation`]).
//! - [`Workbench`]: a grammar that is being written: completions gap by gap, derivations,
//!   exports.
//! - [`GrammarCache`]: grammars that were compiled before.
//! - [`Engine`] (feature `model`): a loaded model; [`Engine::start`] begins a
//!   run. With the feature `gpu`, it may run on a graphics card
//!   ([`DevicePreference`]).
//! - [`Method`]: what decides in a run, and how; the published methods too
//!   ([`PublishedGuard`]).
//! - [`Fault`]: every error of the layers below, as data with a kind.

mod blame;
pub mod cache;
mod clock;
#[cfg(feature = "model")]
mod device;
#[cfg(feature = "model")]
mod engine;
mod explain;
mod fault;
mod fewest;
#[cfg(feature = "model")]
mod judging;
#[cfg(feature = "model")]
mod method;
#[cfg(feature = "model")]
mod model_fault;
#[cfg(feature = "model")]
mod no_member;
mod notation;
#[cfg(feature = "model")]
mod pool;
#[cfg(feature = "model")]
mod prompted;
#[cfg(feature = "model")]
mod published;
#[cfg(feature = "model")]
mod room;
#[cfg(feature = "model")]
mod run;
mod schema_choices;
mod session;
#[cfg(feature = "model")]
mod shape;
mod source;
mod task;
#[cfg(feature = "shortcuts")]
mod whole_texts;
mod workbench;

pub use cache::GrammarCache;
pub use clock::Clock;
#[cfg(feature = "model")]
pub use device::{CardOptions, DevicePreference, DeviceReport, LoadOptions, TOLERANCE};
#[cfg(feature = "gpu")]
pub use device::{Timer, Tunings};
#[cfg(feature = "model")]
pub use engine::{Engine, GenerateRequest, grammar_source};
pub use explain::Explanation;
#[cfg(feature = "shortcuts")]
pub use explain::Repeat;
pub use fault::{Fault, Finding};
pub use fewest::Fewest;
pub use lacuna_grammar::Place;
pub use lacuna_grammar::derivation::{By, Derivation};
pub use lacuna_grammar::export::Target as ExportTarget;
pub use lacuna_grammar::json_schema::{PropertyOrder, WhiteSpace};
pub use lacuna_grammar::quoted;
#[cfg(feature = "model")]
pub use lacuna_lexer::MemoUse;
#[cfg(feature = "model")]
pub use lacuna_model::WeightFiles;
#[cfg(feature = "model")]
pub use method::{Judge, Method};
#[cfg(all(feature = "model", not(target_arch = "wasm32")))]
pub use pollster::block_on;
#[cfg(feature = "model")]
pub use prompted::PromptedModel;
#[cfg(feature = "model")]
pub use published::{Patience, Published, PublishedGuard};
#[cfg(feature = "model")]
pub use run::{GrammarWarning, ModelRun, Summary};
pub use schema_choices::SchemaChoices;
pub use session::{Answer, GrammarSession};
#[cfg(feature = "model")]
pub use shape::{Content, Region, Shape};
pub use source::{Dialect, GrammarSource, Purpose};
pub use task::{schema_task, task_line};
pub use workbench::{Completion, Piece, Workbench};
