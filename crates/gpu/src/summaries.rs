//! What the kernel `summarize` wrote, as the types of `lacuna_logits`.

use crate::kernel::{SCORED_WORDS, SUMMARY_WORDS};
use crate::workspace::summary_words;
use lacuna_logits::{RowSummary, Scored};

/// The summaries; none if a row had logits that are not finite.
pub(crate) fn parse(words: &[u32], top: usize) -> Option<Vec<RowSummary>> {
    words
        .chunks_exact(summary_words(top))
        .map(|row| match parse_row(row) {
            (summary, 0) => Some(summary),
            _ => None,
        })
        .collect()
}

/// One summary, and how many logits of the row are not finite.
pub(crate) fn parse_row(row: &[u32]) -> (RowSummary, u32) {
    let summary = RowSummary {
        best: candidates(row),
        highest: f32::from_bits(row[0]),
        sum: f32::from_bits(row[1]),
        entropy: f32::from_bits(row[2]),
    };
    (summary, row[3])
}

/// The candidates of one row.
pub(crate) fn candidates(row: &[u32]) -> Vec<Scored> {
    row[SUMMARY_WORDS..]
        .chunks_exact(SCORED_WORDS)
        .take_while(|words| words[0] != u32::MAX)
        .map(|words| Scored {
            token: words[0],
            logit: f32::from_bits(words[1]),
            score: f32::from_bits(words[2]),
        })
        .collect()
}
