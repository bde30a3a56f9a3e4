//! Classes of characters that no two of which overlap, such that each class of a grammar
//! is some of them.

use std::collections::BTreeMap;

use crate::characters::normalise;

use super::plain::{Node, Plain};

/// Ranges of characters.
type Ranges = Vec<(u32, u32)>;

/// The atoms of a grammar, and which of them its classes are.
pub(super) struct Atoms {
    pub ranges: Vec<Ranges>,
    of_class: BTreeMap<Ranges, Vec<usize>>,
}

impl Atoms {
    /// Cuts all characters at the ends of all classes, and puts together what belongs to
    /// the same classes.
    pub(super) fn of(plain: &Plain) -> Self {
        let mut classes: BTreeMap<Ranges, usize> = BTreeMap::new();
        for rule in &plain.rules {
            rule.body.for_each(&mut |node| {
                let mut add = |ranges: Ranges| {
                    let next = classes.len();
                    classes.entry(ranges).or_insert(next);
                };
                match node {
                    Node::Class(ranges) => add(ranges.clone()),
                    Node::Text(text) => text.chars().for_each(|it| add(one(it))),
                    _ => {}
                }
            });
        }
        // At each place the classes that begin or end there.
        let mut changes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (ranges, &class) in &classes {
            for &(low, high) in ranges {
                changes.entry(low).or_default().push(class);
                changes.entry(high + 1).or_default().push(class);
            }
        }
        let mut members: BTreeMap<Vec<usize>, Ranges> = BTreeMap::new();
        let mut open: Vec<usize> = Vec::new();
        let mut begun = 0;
        for (at, changed) in changes {
            if !open.is_empty() {
                members
                    .entry(open.clone())
                    .or_default()
                    .push((begun, at - 1));
            }
            for class in changed {
                match open.binary_search(&class) {
                    Ok(found) => drop(open.remove(found)),
                    Err(place) => open.insert(place, class),
                }
            }
            begun = at;
        }
        let mut ordered: Vec<(Ranges, Vec<usize>)> = members
            .into_iter()
            .map(|(of, ranges)| (normalise(ranges), of))
            .collect();
        ordered.sort();
        let mut atoms_of = vec![Vec::new(); classes.len()];
        for (atom, (_, of)) in ordered.iter().enumerate() {
            of.iter().for_each(|&class| atoms_of[class].push(atom));
        }
        let of_class = classes.into_iter().map(|(ranges, class)| {
            let atoms = std::mem::take(&mut atoms_of[class]);
            (ranges, atoms)
        });
        Self {
            of_class: of_class.collect(),
            ranges: ordered.into_iter().map(|(ranges, _)| ranges).collect(),
        }
    }

    /// The atoms of a class.
    pub(super) fn of_class(&self, ranges: &[(u32, u32)]) -> &[usize] {
        self.of_class
            .get(ranges)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// A character as a class.
pub(super) fn one(it: char) -> Ranges {
    vec![(u32::from(it), u32::from(it))]
}
