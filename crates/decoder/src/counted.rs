//! Numbers with their nouns, for messages.

/// A number with its noun, which is a plural where it is not one: `1 cell`, `2 cells`.
///
/// ```
/// assert_eq!(lacuna_decoder::counted(1, "cell"), "1 cell");
/// assert_eq!(lacuna_decoder::counted(0, "masked cell"), "0 masked cells");
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
