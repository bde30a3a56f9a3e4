//! What is left over when a number is divided, digit by digit.
//!
//! Remainders that the same further digits make a multiple of are one class: of a million seven
//! are left, of 65,536 some 2,800, of a prime all. A grammar engine alone, whose code is to be
//! small, takes each remainder for a class.

/// Most classes.
pub(super) const MAX_REMAINDERS: usize = 20_000;
/// Largest divisor, so that products fit.
#[cfg(feature = "shortcuts")]
const MAX_DIVISOR: u64 = u32::MAX as u64;

/// The classes of remainders of a division; the first, 0, is of what is a multiple alone.
#[cfg(feature = "shortcuts")]
pub(super) struct Remainders {
    /// What each of the ten digits makes of each class.
    steps: Vec<u32>,
}

#[cfg(feature = "shortcuts")]
impl Remainders {
    /// `None` where there are too many.
    ///
    /// Behind a remainder `r`, *k* more digits lead to a multiple if they say `-r * 10^k`, modulo
    /// `size`, which they cannot if that has more digits. Remainders of which this is the same for
    /// all *k* are one class; from where `10^k` is no less than `size` it says no more.
    pub(super) fn new(size: u64) -> Option<Self> {
        if size > MAX_DIVISOR {
            return None;
        }
        let wanted = |rest: u64| -> Vec<Option<u64>> {
            let powers =
                std::iter::successors(Some(1), |power| (*power < size).then(|| power * 10));
            let said = powers.map(|power| {
                let missing = (size - rest * (power % size) % size) % size;
                (missing < power).then_some(missing)
            });
            said.collect()
        };
        let mut classes = rustc_hash::FxHashMap::from_iter([(wanted(0), 0)]);
        let (mut remainders, mut steps) = (vec![0], Vec::new());
        while let Some(&rest) = remainders.get(steps.len() / 10) {
            for digit in 0..10 {
                let next = (rest * 10 + digit) % size;
                steps.push(*classes.entry(wanted(next)).or_insert_with(|| {
                    remainders.push(next);
                    remainders.len() as u32 - 1
                }));
            }
            if remainders.len() > MAX_REMAINDERS {
                return None;
            }
        }
        Some(Self { steps })
    }

    pub(super) fn step(&self, class: u64, digit: u8) -> u64 {
        u64::from(self.steps[class as usize * 10 + digit as usize])
    }
}

#[cfg(not(feature = "shortcuts"))]
pub(super) struct Remainders {
    size: u64,
}

#[cfg(not(feature = "shortcuts"))]
impl Remainders {
    pub(super) fn new(size: u64) -> Option<Self> {
        (size <= MAX_REMAINDERS as u64).then_some(Self { size })
    }

    pub(super) fn step(&self, class: u64, digit: u8) -> u64 {
        (class * 10 + u64::from(digit)) % self.size
    }
}
