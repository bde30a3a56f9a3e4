//! How much a memo spares.

/// How often a memo was asked, and how often the answer had to be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoUse {
    /// Questions.
    pub asked: u64,
    /// Answers that were not known.
    pub made: u64,
}

impl MemoUse {
    /// The share of questions whose answer was known, the hit rate; `None` before the
    /// first.
    ///
    /// ```
    /// use lacuna_lexer::MemoUse;
    ///
    /// assert_eq!(MemoUse { asked: 8, made: 2 }.hit_rate(), Some(0.75));
    /// assert_eq!(MemoUse::default().hit_rate(), None);
    /// ```
    pub fn hit_rate(self) -> Option<f64> {
        (self.asked > 0).then(|| self.known() as f64 / self.asked as f64)
    }

    /// Answers that were known.
    pub fn known(self) -> u64 {
        self.asked.saturating_sub(self.made)
    }

    /// What came after an earlier count.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            asked: self.asked.saturating_sub(before.asked),
            made: self.made.saturating_sub(before.made),
        }
    }
}

impl std::ops::Add for MemoUse {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            made: self.made + other.made,
        }
    }
}

impl std::ops::AddAssign for MemoUse {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
