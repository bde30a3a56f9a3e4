//! How much of a reference a text has, in tokens.

use lacuna_lexer::TokenId;

/// Twice the longest common subsequence over the sum of both lengths (Dice): 1 for the
/// same tokens, 0 for none in common, and a text that is shifted by a token loses no more
/// than that token.
pub fn agreement(text: &[TokenId], reference: &[TokenId]) -> f64 {
    let all = text.len() + reference.len();
    if all == 0 {
        return 1.0;
    }
    // Of each front of the reference, the longest common with the text so far.
    let mut longest = vec![0usize; reference.len() + 1];
    for token in text {
        let mut diagonal = 0;
        for (at, wanted) in reference.iter().enumerate() {
            let above = longest[at + 1];
            longest[at + 1] = match token == wanted {
                true => diagonal + 1,
                false => above.max(longest[at]),
            };
            diagonal = above;
        }
    }
    2.0 * longest[reference.len()] as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: every subsequence of the text, by brute force.
    fn by_trying(text: &[TokenId], reference: &[TokenId]) -> f64 {
        let is_within = |part: &[TokenId]| {
            let mut rest = reference.iter();
            part.iter().all(|token| rest.any(|other| other == token))
        };
        let parts = (0..1u32 << text.len()).map(|mask| {
            let chosen = (0..text.len()).filter(|at| mask >> at & 1 == 1);
            chosen.map(|at| text[at]).collect::<Vec<_>>()
        });
        let longest = parts.filter(|part| is_within(part)).map(|part| part.len());
        2.0 * longest.max().unwrap_or(0) as f64 / (text.len() + reference.len()) as f64
    }

    #[test]
    fn agreement_is_that_of_the_longest_common_subsequence() {
        assert_eq!(agreement(&[], &[]), 1.0);
        assert_eq!(agreement(&[1, 2, 3], &[1, 2, 3]), 1.0);
        assert_eq!(agreement(&[1, 2], &[3]), 0.0);
        let mut state = 7u32;
        let mut drawn = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % most
        };
        for _ in 0..300 {
            let mut tokens = |least| {
                let length = least + drawn(8);
                (0..length).map(|_| drawn(4)).collect::<Vec<_>>()
            };
            let (text, reference) = (tokens(0), tokens(1));
            assert_eq!(agreement(&text, &reference), by_trying(&text, &reference));
        }
    }
}
