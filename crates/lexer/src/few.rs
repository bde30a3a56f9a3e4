//! Sorting what is short as a rule.
//!
//! The standard library sorts a short list by insertion, too, unless it is built for size, as it is
//! for the browser: there the sort of each kind of item is a tenth of what is loaded otherwise.

use lacuna_grammar::automaton::SHORTCUTS;

/// Items up to which insertion is fastest.
const FEW: usize = 20;

/// Lists that are mostly short.
pub trait SortFew<T> {
    /// Sorts them, like `sort_unstable`.
    fn sort_few(&mut self)
    where
        T: Ord;

    /// Sorts them by keys, like `sort_unstable_by_key`.
    fn sort_few_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K);
}

impl<T: Copy> SortFew<T> for [T] {
    fn sort_few(&mut self)
    where
        T: Ord,
    {
        match SHORTCUTS && self.len() <= FEW {
            true => insert_each(self, |one, other| one < other),
            false => self.sort_unstable(),
        }
    }

    fn sort_few_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        match SHORTCUTS && self.len() <= FEW {
            true => insert_each(self, |one, other| key(one) < key(other)),
            false => self.sort_unstable_by_key(key),
        }
    }
}

fn insert_each<T: Copy>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let item = items[end];
        let mut at = end;
        while at > 0 && is_less(&item, &items[at - 1]) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle: the standard library's sort.
    #[test]
    fn lists_of_any_length_are_sorted() {
        let mut state = 1u32;
        for length in 0..64 {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 28
            };
            let mut list: Vec<(u32, u32)> = (0..length).map(|_| (next(), next())).collect();
            let (mut sorted, mut by_key) = (list.clone(), list.clone());
            sorted.sort_unstable();
            by_key.sort_few_by_key(|&(first, second)| (second, first));
            assert!(by_key.is_sorted_by_key(|&(first, second)| (second, first)));
            list.sort_few();
            assert_eq!(list, sorted);
        }
    }
}
