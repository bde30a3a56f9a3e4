//! What tuning found of a card, kept for the next time.
//!
//! Which tile of a matrix product is the fastest is measured, in a second or so. Where that
//! can be kept it is done once for each adapter and shape of model; where it cannot, a rule of
//! thumb stands.

/// Where tunings are kept; losing one costs a second.
pub trait Tunings: Send + Sync {
    /// What was put under this name of an adapter and a shape.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps it, in place of what there was.
    fn put(&self, key: &str, tuning: &str);
}
