//! Names in the order in which they were said, each once: as a rule a few, in some schemas tens of
//! thousands.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashSet;

/// So many are looked through one by one.
const FEW: usize = 16;

/// Names, each once, in order. Two are alike that have the same in the same order.
#[derive(Clone, Debug, Default)]
pub(super) struct NameList<'a> {
    names: Vec<&'a str>,
    /// The same, where they are more than a few.
    known: FxHashSet<&'a str>,
}

impl<'a> NameList<'a> {
    /// Adds a name that is not there yet.
    pub(super) fn add(&mut self, name: &'a str) {
        if self.contains(name) {
            return;
        }
        self.names.push(name);
        match self.names.len() {
            0..=FEW => {}
            _ if self.known.is_empty() => self.known.extend(&self.names),
            _ => drop(self.known.insert(name)),
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        match self.known.is_empty() {
            true => self.names.contains(&name),
            false => self.known.contains(name),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.names.iter().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

impl PartialEq for NameList<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl Hash for NameList<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.names.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::NameList;

    #[test]
    fn a_name_is_there_once_however_many_there_are() {
        let names: Vec<String> = (0..100).map(|at| format!("n{}", at * 7 % 50)).collect();
        let mut list = NameList::default();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(list.contains(name), at >= 50, "{name}");
            list.add(name);
            assert!(list.contains(name));
            assert_eq!(list.len(), (at + 1).min(50));
        }
        assert!(list.iter().eq(names[..50].iter().map(String::as_str)));
        assert!(!list.contains("n50"));
    }
}
