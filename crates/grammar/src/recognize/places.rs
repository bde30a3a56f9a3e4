//! Sets of places in a text, as bits: in an ambiguous text most places are in most sets.

/// A set of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The last word has a bit.
    words: Vec<u64>,
}

impl Places {
    pub fn insert(&mut self, place: usize) {
        let word = place / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (place % 64);
    }

    pub fn contains(&self, place: usize) -> bool {
        let word = self.words.get(place / 64);
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds those of another set.
    pub fn join(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Takes away those of another set.
    pub fn subtract(&mut self, other: &Self) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
        let used = self.words.iter().rposition(|&word| word != 0);
        self.words.truncate(used.map_or(0, |last| last + 1));
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = (0..).step_by(64).zip(&self.words);
        words.flat_map(|(first, &word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| first + bit)
        })
    }
}

impl FromIterator<usize> for Places {
    fn from_iter<T: IntoIterator<Item = usize>>(places: T) -> Self {
        let mut set = Self::default();
        for place in places {
            set.insert(place);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn they_are_sets_of_numbers() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..500 {
            let mut draw = || -> BTreeSet<usize> {
                let most = random.usize(1..200);
                (0..random.usize(..12))
                    .map(|_| random.usize(..most))
                    .collect()
            };
            let (a, b) = (draw(), draw());
            let of = |places: &BTreeSet<usize>| places.iter().copied().collect::<Places>();
            let numbers = |places: &Places| places.iter().collect::<BTreeSet<usize>>();
            assert_eq!(numbers(&of(&a)), a);
            assert!((0..210).all(|place| of(&a).contains(place) == a.contains(&place)));
            let (mut both, mut left) = (of(&a), of(&a));
            both.join(&of(&b));
            left.subtract(&of(&b));
            assert_eq!(both, of(&(&a | &b)));
            assert_eq!(left, of(&(&a - &b)));
            assert_eq!(left.is_empty(), a.is_subset(&b));
        }
    }
}
