//! Where a model runs: on the processor or on a graphics card.
//!
//! ```text
//! DevicePreference ─▶ choose ─▶ Placement: a pass, and what is needed to begin again elsewhere
//!                       │          │ step, narrow
//!                     probe        └─ a fault ─▶ a fresh card once, else the processor
//! ```
//!
//! Numbers that half precision has no room for are computed again in single precision, and those
//! that a card has no room for on the processor: only what overflows there is the weights' fault.
//!
//! What a step is asked, noise included, is all that its answer depends on. So a
//! step that a device could not answer is asked again on another one, and the run
//! goes on as if nothing had been: with the same text on the processor, and with
//! the same up to the arithmetic's [tolerance](TOLERANCE) between devices.
//!
//! A card's model keeps its weights in memory as well, to begin again from; the
//! processor's does not. While a card is probed the weights are there twice.

#[cfg(feature = "gpu")]
mod alarm;
#[cfg(feature = "gpu")]
mod card;
#[cfg(not(feature = "gpu"))]
#[path = "no_card.rs"]
mod card;
mod choose;
mod pass;
mod placement;
mod precision;
mod probe;
#[cfg(feature = "gpu")]
mod tunings;

use serde::Serialize;

use crate::Clock;

#[cfg(feature = "gpu")]
pub use alarm::Timer;
pub use card::CardOptions;
pub(crate) use placement::{Placement, SharedReport};
pub use probe::TOLERANCE;
#[cfg(feature = "gpu")]
pub use tunings::Tunings;

/// Where a model shall run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DevicePreference {
    /// On the card if it agrees with the processor and is not slower, else on the
    /// processor.
    #[default]
    Auto,
    /// On the processor.
    Cpu,
    /// On the card, whatever it is like.
    Gpu,
}

impl DevicePreference {
    /// All, with the names that the surfaces use.
    pub const NAMES: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("cpu", Self::Cpu), ("gpu", Self::Gpu)];

    /// The preference of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, preference)| *preference)
    }
}

/// How a model is loaded.
pub struct LoadOptions {
    /// Where it shall run.
    pub device: DevicePreference,
    /// How a card is opened.
    pub card: CardOptions,
    /// Milliseconds from any origin, for comparing devices.
    pub clock: Clock,
}

/// Why a model is not on a card.
#[derive(Clone, Debug)]
pub(crate) struct NoCard {
    /// In few words.
    short: String,
    /// In all.
    message: String,
}

impl LoadOptions {
    /// The usual options of a device.
    pub fn new(device: DevicePreference, clock: Clock) -> Self {
        Self {
            device,
            card: CardOptions::default(),
            clock,
        }
    }
}

/// Where a model runs, and why there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceReport {
    /// `cpu`, or the interface that the card is reached by: `webgpu`, `vulkan`, `metal`, `dx12`.
    pub device: String,
    /// The card's name, where it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Threads of the processor that the model uses.
    pub threads: usize,
    /// Half a sentence for people.
    pub why: String,
}
