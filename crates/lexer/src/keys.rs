//! Four numbers as one: sorted lists of these are sorted in one way, whatever they hold, and
//! one way takes less room in a module than many.

/// The numbers as one, the first counting most.
pub fn key(parts: [u32; 4]) -> u128 {
    let parts = parts.iter();
    parts.fold(0, |key, &part| key << 32 | u128::from(part))
}

/// Of sorted keys those whose first numbers are these, as many of them as are given.
pub fn keys_of<const N: usize>(keys: &[u128], first: [u32; N]) -> &[u128] {
    let shift = 32 * (4 - N);
    let first = first.iter();
    let first = first.fold(0, |key, &part| key << 32 | u128::from(part)) << shift;
    let begin = keys.partition_point(|&known| known < first);
    let keys = &keys[begin..];
    // Whoever asks goes through them all.
    let end = keys
        .iter()
        .position(|&known| known >> shift != first >> shift);
    &keys[..end.unwrap_or(keys.len())]
}
