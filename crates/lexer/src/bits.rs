//! A fixed-size set of small integers.

/// A set of integers below a fixed bound, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitSet(Box<[u64]>);

impl BitSet {
    /// The empty set of integers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)].into())
    }

    /// Adds a member; whether it was new.
    pub fn insert(&mut self, member: usize) -> bool {
        let word = &mut self.0[member / 64];
        let bit = 1 << (member % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Whether `member` is in the set.
    pub fn contains(&self, member: usize) -> bool {
        self.0
            .get(member / 64)
            .is_some_and(|word| word >> (member % 64) & 1 == 1)
    }

    /// Whether the set has no member.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Adds the members of a set of the same bound; whether any was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        let mut grown = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }

    /// The members as bits.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// The members as bits, to change them.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Bytes of memory that the set takes besides itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |word| {
                let rest = word & (word - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |word| at * 64 + word.trailing_zeros() as usize)
        })
    }
}
