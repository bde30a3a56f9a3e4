//! The denoising loop that commits only what the grammar allows.
//!
//! A [`Run`] starts from a canvas of masks, or one that is filled in part. Each
//! [`Run::step`] asks the [`Denoiser`] for a summary of every masked cell, proposes the
//! step's quota of tokens, lets the [`Guard`] decide, commits or refuses, and reports
//! [`Event`]s. A run over a grammar keeps a completion of the canvas at all times, so it
//! always ends in a text of the language: [`Run::new`] says beforehand if there is none
//! that fits.
//!
//! Every decision is a small trait with the published choices built in ([`Options`]
//! names them, [`Decisions`] replaces them):
//!
//! - [`Schedule`]: how many cells a step commits;
//! - [`Order`]: which cells come first;
//! - [`Sampler`]: which candidates of a cell come first;
//! - [`BatchCommit`]: how a step's candidates are committed together;
//! - [`Recovery`]: what becomes of a step whose refusals have run out;
//! - [`Guard`]: what is allowed at all.
//!
//! The decoder knows models only as the trait [`Denoiser`], does no I/O, and
//! reads no clock but the one it is given.

mod asking;
mod blocks;
mod board;
mod canvas;
mod commit;
mod counted;
mod denoiser;
mod error;
mod event;
mod foresight;
mod guard;
mod keeping;
mod left_to_right;
mod options;
mod order;
mod overlap;
mod propose;
mod recover;
mod refuted;
mod regions;
mod remask;
mod run;
mod sampler;
mod schedule;
mod template;
mod trigger;

pub use lacuna_checker::Weights;

pub use asking::Pause;
pub use canvas::{Canvas, Cell};
pub use commit::{Attempt, Batch, BatchCommit};
pub use counted::counted;
pub use denoiser::{DenoiseRequest, Denoiser, DenoiserError, KeptCells, Move, NarrowRequest};
pub use error::{DecodeError, Needs, Room};
pub use event::{Commit, Event, How, Outcome, Reason, Refusal, Timings};
pub use guard::{Completion, GrammarGuard, Guard, NoGuard, Refused};
pub use left_to_right::{LeftToRight, NextToken};
pub use options::{
    CommitKind, KeyCache, Options, OrderKind, RecoveryKind, ScheduleKind, Truncation,
};
pub use order::{CellView, Order};
pub use propose::Candidate;
pub use recover::Recovery;
pub use regions::RegionGuard;
pub use remask::Remask;
pub use run::{Decisions, Run};
pub use sampler::{Change, Sampler};
pub use schedule::{Schedule, StepView, quota};
pub use template::{Piece, Template, TemplateError};
pub use trigger::TriggerGuard;
