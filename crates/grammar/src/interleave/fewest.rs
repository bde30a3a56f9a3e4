//! What is missing in an interleave, found without the sets in between.

use super::{Interleave, Item, Progress};
use crate::automaton::SHORTCUTS;

/// An item and one of its ways, by their numbers.
pub type Choice = (usize, usize);

/// For sets of conditions met, in order, a list of items that meets just these.
type Lists = Vec<(u32, Vec<Choice>)>;

/// An interleave whatever its forms are, so that what is missing is looked for by one function.
trait Formless {
    /// Fewest and most items, and the conditions that are wanted.
    fn bounds(&self) -> (u32, Option<u32>, u32);
    fn items(&self) -> usize;
    /// The ways of an item, whether it stands at most once, and whether it is required.
    fn item(&self, item: usize) -> (usize, bool, bool);
    /// The conditions that a way of an item meets.
    fn meets(&self, item: usize, way: usize) -> u32;
}

impl<W> Formless for Interleave<W> {
    fn bounds(&self) -> (u32, Option<u32>, u32) {
        (self.min, self.max, self.wanted)
    }

    fn items(&self) -> usize {
        self.items.len()
    }

    fn item(&self, item: usize) -> (usize, bool, bool) {
        let Item {
            ways,
            is_once,
            is_required,
        } = &self.items[item];
        (ways.len(), *is_once, *is_required)
    }

    fn meets(&self, item: usize, way: usize) -> u32 {
        self.items[item].ways[way].meets & self.wanted
    }
}

/// Where the list of a set of conditions is, or would be.
fn place_of(lists: &Lists, met: u32) -> Result<usize, usize> {
    lists.binary_search_by_key(&met, |&(known, _)| known)
}

impl<W> Interleave<W> {
    /// The fewest items that make a text complete; `None` if none do.
    pub fn fewest(&self) -> Option<Vec<Choice>> {
        self.missing(&self.start(), 0)
    }

    /// The fewest items of a text whose forms all hold; `None` where there is none.
    pub fn fewest_that(&self, holds: impl Fn(&W) -> bool) -> Option<usize>
    where
        W: Clone,
    {
        if self.wanted != 0 {
            return self.restricted(holds).fewest().map(|items| items.len());
        }
        let (mut required, mut once, mut repeats) = (0, 0, false);
        for item in &self.items {
            match item.ways.iter().any(|way| holds(&way.text)) {
                true => {
                    required += usize::from(item.is_required);
                    once += 1;
                    repeats |= !item.is_once;
                }
                false if item.is_required => return None,
                false => {}
            }
        }
        let count = required.max(self.min as usize);
        let fits = self.max.is_none_or(|max| count <= max as usize);
        (fits && (repeats || count <= once)).then_some(count)
    }

    /// The items to put where some were hidden, so that the text may end; as many
    /// as there are such places at least.
    pub fn hidden_items(&self, progress: &Progress) -> Option<Vec<Choice>> {
        self.missing(progress, progress.hidden as usize)
    }

    /// An item that may stand any number of times.
    pub fn repeating(&self) -> Option<Choice> {
        let mut items = self.items.iter();
        let found = items.position(|item| !item.is_once && !item.ways.is_empty());
        found.map(|item| (item, 0))
    }

    /// The required items that were not seen.
    pub fn required_left(&self, progress: &Progress) -> impl Iterator<Item = usize> {
        let items = self.items.iter().enumerate();
        let left = items.filter(|(at, item)| item.is_required && !progress.has_seen(*at));
        left.map(|(at, _)| at)
    }

    /// Whether there are [items to put](Self::hidden_items) where some were hidden.
    pub(super) fn can_reveal(&self, progress: &Progress) -> bool {
        if !SHORTCUTS || self.wanted != 0 {
            return self.hidden_items(progress).is_some();
        }
        let (mut required, mut left, mut repeats) = (0u32, 0u32, false);
        for (at, item) in self.items.iter().enumerate() {
            let is_owed = item.is_required && !progress.has_seen(at);
            if is_owed && item.ways.is_empty() {
                return false;
            }
            required += u32::from(is_owed);
            left += u32::from(!item.ways.is_empty() && !self.is_spent(progress, at));
            repeats |= !item.is_once && !item.ways.is_empty();
        }
        let short = self.min.saturating_sub(progress.count);
        let needed = required.max(short).max(progress.hidden);
        let fits = |max| progress.count.saturating_add(needed) <= max;
        self.max.is_none_or(fits) && (repeats || left >= needed)
    }

    fn missing(&self, progress: &Progress, at_least: usize) -> Option<Vec<Choice>> {
        missing(self, progress, at_least)
    }

    fn is_spent(&self, progress: &Progress, item: usize) -> bool {
        self.items[item].is_once && progress.has_seen(item)
    }

    /// At most the weight of a lightest text, and exactly that where no condition is
    /// wanted; `None` if there is no text.
    pub fn lightest(&self, weight: impl Fn(&W) -> Option<u64>) -> Option<u64> {
        let mut total = 0u64;
        let mut count = 0u32;
        let mut once = Vec::new();
        let mut repeating: Option<u64> = None;
        for item in &self.items {
            let ways = item.ways.iter();
            let least = ways.filter_map(|way| weight(&way.text)).min();
            if item.is_required {
                total = total.saturating_add(least?);
                count += 1;
            } else if item.is_once {
                once.extend(least);
            }
            if !item.is_once {
                repeating = [repeating, least].into_iter().flatten().min();
            }
        }
        once.sort_unstable();
        let mut once = once.into_iter().peekable();
        while count < self.min {
            let next = match (once.peek(), repeating) {
                (Some(&item), Some(again)) => item.min(again),
                (item, again) => item.copied().or(again)?,
            };
            once.next_if_eq(&next);
            total = total.saturating_add(next);
            count += 1;
        }
        if self.max.is_some_and(|max| count > max) {
            return None;
        }
        match u64::from(count.saturating_sub(1)) {
            0 => Some(total),
            between => Some(total.saturating_add(weight(&self.separator)?.saturating_mul(between))),
        }
    }
}
/// The fewest items, at least so many, behind which the text may end.
///
/// For each set of conditions met, the shortest list of items that meets it:
/// first the required ones, each in one of its ways, then others that meet more.
fn missing(of: &dyn Formless, progress: &Progress, at_least: usize) -> Option<Vec<Choice>> {
    let (min, max, wanted) = of.bounds();
    let mut best: Lists = vec![(progress.met & wanted, Vec::new())];
    for item in 0..of.items() {
        let (ways, _, is_required) = of.item(item);
        if !is_required || progress.has_seen(item) {
            continue;
        }
        let mut with_it = Lists::new();
        for (met, items) in &best {
            for way in 0..ways {
                let met = met | of.meets(item, way);
                if let Err(place) = place_of(&with_it, met) {
                    let mut items = items.clone();
                    items.push((item, way));
                    with_it.insert(place, (met, items));
                }
            }
        }
        best = with_it;
    }
    if place_of(&best, wanted).is_err() {
        meet_more(of, progress, &mut best);
    }
    let place = place_of(&best, wanted).ok()?;
    let (_, mut items) = best.swap_remove(place);
    let short = min.saturating_sub(progress.count) as usize;
    fill(of, progress, &mut items, short.max(at_least))?;
    let total = u64::from(progress.count) + items.len() as u64;
    let fits = max.is_none_or(|max| total <= u64::from(max));
    fits.then_some(items)
}

fn meet_more(of: &dyn Formless, progress: &Progress, best: &mut Lists) {
    for item in 0..of.items() {
        let (ways, is_once, is_required) = of.item(item);
        let is_seen = progress.has_seen(item);
        if is_once && (is_required || is_seen) {
            continue;
        }
        let before = best.clone();
        for way in 0..ways {
            // One that may repeat can stand in several ways.
            let from = match is_once {
                true => before.clone(),
                false => best.clone(),
            };
            for (met, mut items) in from {
                items.push((item, way));
                let met = met | of.meets(item, way);
                match place_of(best, met) {
                    Ok(place) if items.len() < best[place].1.len() => best[place].1 = items,
                    Ok(_) => {}
                    Err(place) => best.insert(place, (met, items)),
                }
            }
        }
    }
}

fn fill(
    of: &dyn Formless,
    progress: &Progress,
    items: &mut Vec<Choice>,
    wanted: usize,
) -> Option<()> {
    if items.len() >= wanted {
        return Some(());
    }
    let may_repeat = |&item: &usize| matches!(of.item(item), (1.., false, _));
    if let Some(again) = (0..of.items()).find(may_repeat) {
        items.resize(wanted, (again, 0));
        return Some(());
    }
    let mut taken = vec![false; of.items()];
    items.iter().for_each(|&(item, _)| taken[item] = true);
    for (item, taken) in taken.into_iter().enumerate() {
        let (ways, is_once, _) = of.item(item);
        let free = !taken && ways > 0 && !(is_once && progress.has_seen(item));
        if free && items.len() < wanted {
            items.push((item, 0));
        }
    }
    (items.len() >= wanted).then_some(())
}
