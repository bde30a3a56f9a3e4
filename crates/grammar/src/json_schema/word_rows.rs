//! Automata of listed words of plain ASCII, row by row.
//!
//! A character stands for itself or, where all spellings count, is `\\u00` and two
//! digits. So a node of the tree of words has at most a handful of states: itself, and
//! those inside of an escape. Each is a row of the automaton of all texts in which what
//! leads to a child is another; without other texts, one in which nothing else leads
//! anywhere.

use super::strings::StringSpelling;
use super::words::Tree;
use crate::automaton::{Dfa, StateId};

/// Whether a character stands for itself in a string and is of ASCII.
pub(super) fn is_plain(character: char) -> bool {
    matches!(character, ' '..='~') && character != '"' && character != '\\'
}

/// The spellings of the words, or of all other texts, of which `beside` are the
/// spellings; not trimmed then.
pub(super) fn spelled(tree: &Tree, spelling: StringSpelling, beside: Option<&Dfa>) -> Dfa {
    let mut rows = Rows::new(tree, spelling, beside);
    rows.reserve(tree, spelling);
    // Nodes come behind those that they lead to.
    let mut places: Vec<StateId> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let mut children: Vec<(u8, StateId)> = Vec::with_capacity(node.children.len());
        let own = node.children.iter();
        children.extend(own.map(|&(c, child)| (c as u8, places[child as usize])));
        let like = beside.map(|all| (all, node.like));
        let escape = match spelling {
            StringSpelling::Any if !children.is_empty() => {
                let others = like.map(|(all, state)| Others::behind(all, state));
                Some(rows.escape(&others.unwrap_or_default(), &children))
            }
            _ => None,
        };
        let accepts = like.map_or(node.is_end, |(all, state)| {
            all.is_accepting(state) && !node.is_end
        });
        let place = rows.add(like.map(|(_, state)| state), accepts);
        for (byte, child) in children {
            rows.lead(place, byte, child);
        }
        if let Some(escape) = escape {
            rows.lead(place, b'\\', escape);
        }
        places.push(place);
    }
    let start = places.last().copied().unwrap_or_default();
    rows.finish(start)
}

/// States of the automaton of all texts inside of an escape.
#[derive(Default)]
struct Others {
    escape: Option<StateId>,
    /// Behind `\u`, `\u0`, `\u00`.
    unit: [Option<StateId>; 3],
    /// Behind `\u00` and each digit.
    last: [Option<StateId>; 8],
}

impl Others {
    /// Those behind a state between characters.
    fn behind(all: &Dfa, state: StateId) -> Self {
        let read = |bytes: &[u8]| all.read(state, bytes);
        Self {
            escape: read(b"\\"),
            unit: [read(b"\\u"), read(b"\\u0"), read(b"\\u00")],
            last: std::array::from_fn(|digit| read(&[b'\\', b'u', b'0', b'0', b'0' + digit as u8])),
        }
    }
}

/// An automaton in the making.
struct Rows {
    classes: Box<[u8; 256]>,
    class_count: usize,
    table: Vec<StateId>,
    accepting: Vec<bool>,
}

impl Rows {
    /// Begins with the states of the other texts.
    fn new(tree: &Tree, spelling: StringSpelling, beside: Option<&Dfa>) -> Self {
        let (mut classes, mut class_count) = match beside {
            Some(all) => {
                let (classes, count) = all.classes();
                (Box::new(*classes), count)
            }
            None => (Box::new([0; 256]), 1),
        };
        let mut of_words = [false; 256];
        let characters = tree.nodes.iter().flat_map(|node| &node.children);
        for &(character, _) in characters {
            of_words[character as usize] = true;
        }
        if spelling == StringSpelling::Any {
            for byte in *b"\\u0123456789abcdefABCDEF" {
                of_words[byte as usize] = true;
            }
        }
        for byte in 0..256 {
            if of_words[byte] {
                classes[byte] = class_count as u8;
                class_count += 1;
            }
        }
        let mut rows = Self {
            classes,
            class_count,
            table: Vec::new(),
            accepting: Vec::new(),
        };
        let Some(all) = beside else {
            return rows;
        };
        let mut shown: Vec<Option<u8>> = vec![None; class_count];
        for byte in 0..=255u8 {
            shown[rows.classes[byte as usize] as usize] = Some(byte);
        }
        for state in 0..all.state_count() as StateId {
            let leads = shown.iter().map(|byte| all.next(state, (*byte)?));
            rows.table
                .extend(leads.map(|next| next.unwrap_or(Dfa::NOWHERE)));
            rows.accepting.push(all.is_accepting(state));
        }
        rows
    }

    /// Makes room for the states of a tree.
    fn reserve(&mut self, tree: &Tree, spelling: StringSpelling) {
        let own = |node: &super::words::Node| match (spelling, node.children.len()) {
            (StringSpelling::Any, count @ 1..) => 5 + count.min(6),
            _ => 1,
        };
        let states = tree.nodes.iter().map(own).sum::<usize>();
        self.accepting.reserve_exact(states);
        self.table.reserve_exact(states * self.class_count);
    }

    /// A state more, with the transitions of another one.
    fn add(&mut self, like: Option<StateId>, accepts: bool) -> StateId {
        let fresh = self.accepting.len() as StateId;
        self.accepting.push(accepts);
        match like {
            Some(like) => {
                let from = like as usize * self.class_count;
                self.table.extend_from_within(from..from + self.class_count);
            }
            None => {
                let filled = self.table.len() + self.class_count;
                self.table.resize(filled, Dfa::NOWHERE);
            }
        }
        fresh
    }

    fn lead(&mut self, from: StateId, byte: u8, to: StateId) {
        let class = self.classes[byte as usize] as usize;
        self.table[from as usize * self.class_count + class] = to;
    }

    /// The state behind a backslash, from which escapes of these characters, which are
    /// in order, lead where they do.
    fn escape(&mut self, others: &Others, children: &[(u8, StateId)]) -> StateId {
        let mut by_digit = Vec::new();
        for group in children.chunk_by(|(one, _), (other, _)| one >> 4 == other >> 4) {
            let digit = group[0].0 >> 4;
            let last = self.add(others.last[digit as usize], false);
            for &(byte, child) in group {
                for spelled in digits(byte & 0xF) {
                    self.lead(last, spelled, child);
                }
            }
            by_digit.push((b'0' + digit, last));
        }
        let [unit, one, two] = others.unit;
        let mut behind = self.add(two, false);
        for (byte, last) in by_digit {
            self.lead(behind, byte, last);
        }
        for (like, byte) in [(one, b'0'), (unit, b'0'), (others.escape, b'u')] {
            let before = self.add(like, false);
            self.lead(before, byte, behind);
            behind = before;
        }
        if let Some(&(_, child)) = children.iter().find(|(byte, _)| *byte == b'/') {
            self.lead(behind, b'/', child);
        }
        behind
    }

    fn finish(self, start: StateId) -> Dfa {
        let Self {
            classes,
            class_count,
            table,
            accepting,
        } = self;
        Dfa::of_table(classes, class_count, table, accepting, start)
    }
}

/// The digits of either case.
fn digits(value: u8) -> [u8; 2] {
    match value {
        0..=9 => [b'0' + value; 2],
        _ => [b'A' + value - 10, b'a' + value - 10],
    }
}
