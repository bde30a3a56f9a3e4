//! Time, which whoever calls brings along.

use std::sync::Arc;

/// Milliseconds from any origin.
pub type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;
