//! Sets of tokens as 32-bit words, the form that a shader reads.

/// A set of tokens of a vocabulary; bit `t % 32` of word `t / 32` is token `t`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenSet {
    words: Vec<u32>,
}

impl TokenSet {
    /// No token, with room for `size`.
    pub fn empty(size: usize) -> Self {
        Self {
            words: vec![0; size.div_ceil(32)],
        }
    }

    /// The tokens below `size` that `holds` says yes to.
    pub fn from_fn(size: usize, holds: impl Fn(u32) -> bool) -> Self {
        let mut set = Self::empty(size);
        (0..size as u32)
            .filter(|&token| holds(token))
            .for_each(|token| set.insert(token));
        set
    }

    /// Adds a token; one beyond the set's room is ignored.
    pub fn insert(&mut self, token: u32) {
        if let Some(word) = self.words.get_mut(token as usize / 32) {
            *word |= 1 << (token % 32);
        }
    }

    /// Takes a token out.
    pub fn remove(&mut self, token: u32) {
        if let Some(word) = self.words.get_mut(token as usize / 32) {
            *word &= !(1 << (token % 32));
        }
    }

    /// Whether the token is in the set.
    pub fn contains(&self, token: u32) -> bool {
        self.words
            .get(token as usize / 32)
            .is_some_and(|word| word & (1 << (token % 32)) != 0)
    }

    /// Keeps only what `other` has too.
    pub fn intersect(&mut self, other: &Self) {
        for (at, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(at).copied().unwrap_or(0);
        }
    }

    /// Whether no token is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The words, lowest tokens first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_in_and_out() {
        let mut set = TokenSet::from_fn(70, |token| token % 7 == 0);
        assert!(set.contains(63) && !set.contains(64) && !set.contains(700));
        set.remove(63);
        set.insert(64);
        set.insert(7000);
        assert!(!set.contains(63) && set.contains(64));
        assert_eq!(set.words().len(), 3);
        set.intersect(&TokenSet::from_fn(70, |token| token == 64));
        assert_eq!(set, TokenSet::from_fn(70, |token| token == 64));
        set.remove(64);
        assert!(set.is_empty());
    }
}
