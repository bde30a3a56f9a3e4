//! The integration tests in one program: each more takes seconds to link.

mod adversaries;
mod foresight;
mod judged;
mod orders;
mod overlap;
mod regions;
mod strategies;
mod support;
