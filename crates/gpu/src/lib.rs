//! Lacuna.
