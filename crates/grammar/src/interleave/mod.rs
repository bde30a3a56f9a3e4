//! Items in any order, as one operator of the grammar.
//!
//! The members of a JSON object may stand in any order, none twice, some
//! required. As rules that is exponential: one for each set of members seen. Here
//! it stays one expression, and whoever reads a text carries a [`Progress`]: the
//! set of what was seen, and counts as far as they matter. Steps make one progress
//! of another, so only those that a text leads to ever exist. It is SGML's `&`, or
//! RELAX NG's interleave where items are not interrupted, with a separator and
//! counts.
//!
//! [`Interleave::fewest`] says what a text lacks without looking at the sets in
//! between; [`written_out`](Interleave::written_out) makes rules of small ones, and
//! [`in_order`](Interleave::in_order) and [`any_number`](Interleave::any_number)
//! expressions below and above.
//!
//! Cost: a step, the words of the set; what is missing, items × 2^conditions.

mod fewest;
mod replace;
mod spelled;

pub use fewest::Choice;
pub use replace::replace;

use crate::Expr;

/// Items in any order, a separator between each two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interleave<W = Expr> {
    /// What may stand, in declared order.
    pub items: Vec<Item<W>>,
    /// What stands between.
    pub separator: W,
    /// Fewest items.
    pub min: u32,
    /// Most items, or no limit.
    pub max: Option<u32>,
    /// Conditions, as bits, each of which some item must meet.
    pub wanted: u32,
}

/// An item of an [`Interleave`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<W = Expr> {
    /// What it may be.
    pub ways: Vec<Way<W>>,
    /// Whether it stands at most once.
    pub is_once: bool,
    /// Whether it stands at least once.
    pub is_required: bool,
}

/// One form of an [`Item`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way<W = Expr> {
    /// The conditions, as bits, that it meets.
    pub meets: u32,
    /// What is read.
    pub text: W,
}

/// How far a text of an interleave has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Progress {
    /// The items seen that stand at most once, or are required, as bits.
    seen: Box<[u64]>,
    /// Items so far, up to where nobody minds.
    count: u32,
    /// Conditions met, as bits.
    met: u32,
    /// Places in gaps where at least one item stands, nobody knows which yet.
    hidden: u32,
}

impl Progress {
    /// Whether an item was seen, as far as that matters.
    pub fn has_seen(&self, item: usize) -> bool {
        self.seen[item / 64] >> (item % 64) & 1 == 1
    }

    /// Number of items seen, as far as that matters.
    pub fn seen(&self) -> u32 {
        self.seen.iter().map(|bits| bits.count_ones()).sum()
    }

    /// Words that the set takes.
    pub fn words(&self) -> usize {
        self.seen.len()
    }

    /// How often items were hidden.
    pub fn hidden(&self) -> u32 {
        self.hidden
    }
}

impl<W> Interleave<W> {
    /// Before the first item.
    pub fn start(&self) -> Progress {
        Progress {
            seen: vec![0; self.items.len().div_ceil(64)].into(),
            count: 0,
            met: 0,
            hidden: 0,
        }
    }

    /// Behind one item more, in one of its ways; `None` where it cannot stand.
    pub fn after(&self, progress: &Progress, item: usize, way: usize) -> Option<Progress> {
        let known = &self.items[item];
        if !self.may_follow(progress, item) {
            return None;
        }
        let mut next = progress.clone();
        if known.is_once || known.is_required {
            next.seen[item / 64] |= 1 << (item % 64);
        }
        next.count = (next.count + 1).min(self.counted_to());
        next.met |= known.ways[way].meets & self.wanted;
        Some(next)
    }

    /// Whether an item may stand there.
    pub fn may_follow(&self, progress: &Progress, item: usize) -> bool {
        let is_full = self.max.is_some_and(|max| progress.count >= max);
        let is_spent = self.items[item].is_once && progress.has_seen(item);
        !is_full && !is_spent
    }

    /// Behind items, one or more, of which it is left open which they are: those
    /// that are missed at the end. `None` where none are left.
    pub fn after_hidden(&self, progress: &Progress) -> Option<Progress> {
        let mut next = progress.clone();
        // Where items may repeat without end, one place is like many.
        next.hidden = match self.max.is_none() && self.repeating().is_some() {
            true => 1,
            false => progress.hidden.saturating_add(1),
        };
        self.can_hide(&next).then_some(next)
    }

    /// Whether the text may end here.
    pub fn may_end(&self, progress: &Progress) -> bool {
        match progress.hidden {
            0 => {
                progress.count >= self.min
                    && progress.met & self.wanted == self.wanted
                    && self.required_left(progress).next().is_none()
            }
            _ => self.can_reveal(progress),
        }
    }

    /// Whether all that can follow one progress can follow another one: that has seen
    /// less, and can hide what it lacks.
    pub fn serves(&self, better: &Progress, progress: &Progress) -> bool {
        let both = better.seen.iter().zip(&progress.seen);
        let is_within = both.clone().all(|(better, seen)| better & !seen == 0);
        let met = progress.met & !better.met == 0;
        if !is_within || !met || better.count < progress.count {
            return false;
        }
        if self.max.is_some() && (&better.seen, better.count) != (&progress.seen, progress.count) {
            return false;
        }
        let mut less = self
            .items
            .iter()
            .enumerate()
            .filter(|(at, _)| progress.has_seen(*at) && !better.has_seen(*at));
        match better.hidden {
            0 => progress.hidden == 0 && !less.any(|(_, item)| item.is_required),
            hidden => {
                let less = both.map(|(better, seen)| (seen & !better).count_ones());
                self.max.is_none() && self.repeating().is_some()
                    || less.sum::<u32>().saturating_add(progress.hidden) >= hidden
            }
        }
    }

    /// Whether enough items are left for the places where some are hidden.
    fn can_hide(&self, progress: &Progress) -> bool {
        let total = progress.count.saturating_add(progress.hidden);
        if self.max.is_some_and(|max| total > max) {
            return false;
        }
        let items = self.items.iter().enumerate();
        let left = items.filter(|(at, item)| {
            let is_spent = item.is_once && progress.has_seen(*at);
            !is_spent && !item.ways.is_empty()
        });
        self.repeating().is_some() || left.count() >= progress.hidden as usize
    }

    /// Counts from here on are alike.
    fn counted_to(&self) -> u32 {
        self.max.map_or(self.min, |max| max.max(self.min))
    }

    /// The same with other forms.
    pub fn map<V>(&self, mut form: impl FnMut(&W) -> V) -> Interleave<V> {
        let Ok(mapped) = self.try_map(|text| Ok::<V, std::convert::Infallible>(form(text)));
        mapped
    }

    /// The same with other forms, if all can be made.
    ///
    /// # Errors
    /// Those of `form`.
    pub fn try_map<V, E>(
        &self,
        mut form: impl FnMut(&W) -> Result<V, E>,
    ) -> Result<Interleave<V>, E> {
        let mut items = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let mut ways = Vec::with_capacity(item.ways.len());
            for way in &item.ways {
                ways.push(Way {
                    meets: way.meets,
                    text: form(&way.text)?,
                });
            }
            items.push(Item {
                ways,
                is_once: item.is_once,
                is_required: item.is_required,
            });
        }
        Ok(Interleave {
            items,
            separator: form(&self.separator)?,
            min: self.min,
            max: self.max,
            wanted: self.wanted,
        })
    }

    /// All forms, the separator last, in the order of [`map`](Self::map).
    pub fn forms(&self) -> impl Iterator<Item = &W> {
        let ways = self.items.iter().flat_map(|item| &item.ways);
        ways.map(|way| &way.text).chain([&self.separator])
    }

    /// The same, to be changed.
    pub fn forms_mut(&mut self) -> impl Iterator<Item = &mut W> {
        let ways = self.items.iter_mut().flat_map(|item| &mut item.ways);
        ways.map(|way| &mut way.text).chain([&mut self.separator])
    }
}

impl<W: Clone> Interleave<W> {
    /// The same without ways that do not hold.
    pub fn restricted(&self, holds: impl Fn(&W) -> bool) -> Self {
        let items = self.items.iter().map(|item| {
            let ways = item.ways.iter().filter(|way| holds(&way.text));
            Item {
                ways: ways.cloned().collect(),
                ..*item
            }
        });
        Self {
            items: items.collect(),
            separator: self.separator.clone(),
            ..*self
        }
    }
}
