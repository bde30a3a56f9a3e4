//! In how many tokens a text can be written.
//!
//! Where every byte is a token and every longer token can be split in two, those
//! counts are an interval; in pruned vocabularies they are any set. So the set is
//! computed, by dynamic programming over the text's positions: a bit for each
//! count. Cost: bytes × longest token × counts / 64.

use crate::{TokenId, Vocabulary};

/// A text's spellings in tokens, up to a number of them.
#[derive(Clone, Debug)]
pub struct Spellings<'a> {
    vocabulary: &'a Vocabulary,
    text: &'a [u8],
    /// For each position, the numbers of tokens that spell the text from there
    /// on, as bits.
    counts: Vec<Box<[u64]>>,
    most: usize,
}

impl<'a> Spellings<'a> {
    /// The spellings of `text` in at most `most` tokens.
    pub fn new(vocabulary: &'a Vocabulary, text: &'a [u8], most: usize) -> Self {
        let words = most / 64 + 1;
        let mut counts = vec![vec![0u64; words].into_boxed_slice(); text.len() + 1];
        counts[text.len()][0] = 1;
        for at in (0..text.len()).rev() {
            let mut found = std::mem::take(&mut counts[at]);
            for (length, _) in vocabulary.trie().prefixes(&text[at..]) {
                // One token more than what is behind it.
                let mut carry = 0;
                for (word, &behind) in found.iter_mut().zip(&counts[at + length]) {
                    *word |= behind << 1 | carry;
                    carry = behind >> 63;
                }
            }
            counts[at] = found;
        }
        Self {
            vocabulary,
            text,
            counts,
            most,
        }
    }

    /// Whether some spelling has so many tokens.
    pub fn has(&self, count: usize) -> bool {
        count <= self.most && self.bit(0, count)
    }

    /// The fewest tokens that spell the text.
    pub fn fewest(&self) -> Option<usize> {
        (0..=self.most).find(|&count| self.bit(0, count))
    }

    /// A spelling of so many tokens, those of the most bytes first.
    pub fn spell(&self, count: usize) -> Option<Vec<TokenId>> {
        if !self.has(count) {
            return None;
        }
        let (mut at, mut left) = (0, count);
        let mut tokens = Vec::with_capacity(count);
        while at < self.text.len() {
            left = left.checked_sub(1)?;
            let prefixes = self.vocabulary.trie().prefixes(&self.text[at..]);
            let (length, token) = prefixes
                .filter(|&(length, _)| self.bit(at + length, left))
                .last()?;
            tokens.push(token);
            at += length;
        }
        Some(tokens)
    }

    fn bit(&self, at: usize, count: usize) -> bool {
        self.counts[at][count / 64] >> (count % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(words: &[&str]) -> Vocabulary {
        let tokens = [None, None]
            .into_iter()
            .chain(words.iter().map(|word| Some(word.as_bytes().to_vec())))
            .collect();
        Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary")
    }

    /// All numbers of tokens that spell `text`, by trying.
    fn counts(vocabulary: &Vocabulary, text: &[u8]) -> Vec<usize> {
        if text.is_empty() {
            return vec![0];
        }
        let mut found: Vec<usize> = (0..vocabulary.len() as TokenId)
            .filter_map(|token| text.strip_prefix(vocabulary.bytes(token)?))
            .flat_map(|rest| counts(vocabulary, rest).into_iter().map(|count| count + 1))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn counts_and_spellings_agree_with_trying() {
        for words in [
            &["a", "b", "ab", "aba"][..],
            &["ab", "ba", "aab"],
            &["a", "aaa"],
            &["b"],
        ] {
            let vocabulary = vocabulary(words);
            for text in ["", "a", "ab", "aab", "abab", "aaaa", "abaabab", "bbb"] {
                let text = text.as_bytes();
                let expected = counts(&vocabulary, text);
                let spellings = Spellings::new(&vocabulary, text, 70);
                assert_eq!(spellings.fewest(), expected.first().copied());
                for count in 0..=70 {
                    let tokens = spellings.spell(count);
                    assert_eq!(tokens.is_some(), expected.contains(&count));
                    if let Some(tokens) = tokens {
                        let parts = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
                        assert_eq!(parts.collect::<Vec<_>>().concat(), text);
                        assert_eq!(tokens.len(), count);
                    }
                }
            }
        }
    }

    #[test]
    fn counts_go_beyond_a_word() {
        let vocabulary = vocabulary(&["a", "aa"]);
        let text = [b'a'; 200];
        let spellings = Spellings::new(&vocabulary, &text, 150);
        let expected: Vec<usize> = (100..=150).collect();
        let found: Vec<usize> = (0..=200).filter(|&count| spellings.has(count)).collect();
        assert_eq!(found, expected);
    }
}
