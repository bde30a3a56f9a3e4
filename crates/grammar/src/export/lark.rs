//! Lark: a lexeme for each character.

use std::collections::BTreeMap;

use crate::Diagnostics;

use super::atoms::{Atoms, one};
use super::gbnf::{numbered, shorter, write_into};
use super::names::names;
use super::plain::{Node, Plain};
use super::regex;

/// Writes all rules, and the terminals that they are made of.
pub(super) fn write(plain: &Plain) -> Result<String, Diagnostics> {
    let given = plain.rules.iter().map(|rule| rule.name.as_str());
    let atoms = Atoms::of(plain);
    let mut writer = Writer {
        names: names(given, "start", '_'),
        terminals: terminals(&atoms),
        atoms,
        classes: BTreeMap::new(),
    };
    let mut text =
        "// Each character is a lexeme by itself, so that none is ever longer.\n".to_owned();
    for (at, rule) in plain.rules.iter().enumerate() {
        text.push_str(&writer.names[at].clone());
        text.push_str(": ");
        writer.choice(&rule.body, &mut text);
        text.push('\n');
    }
    for (class, name) in &writer.classes {
        write_into(&mut text, format_args!("{name}: "));
        for (at, atom) in writer.atoms.of_class(class).iter().enumerate() {
            text.push_str(if at > 0 { " | " } else { "" });
            text.push_str(&writer.terminals[*atom]);
        }
        text.push('\n');
    }
    for (name, ranges) in writer.terminals.iter().zip(&writer.atoms.ranges) {
        if !name.starts_with('"') {
            write_into(&mut text, format_args!("{name}: /"));
            class(ranges, &mut text);
            text.push_str("/\n");
        }
    }
    if let Some(constraint) = &plain.constraint {
        text.push_str("%constrain /");
        regex::python(constraint, &mut text);
        text.push_str("/\n");
    }
    Ok(text)
}

/// What each atom is called: a character by itself, others by a name.
fn terminals(atoms: &Atoms) -> Vec<String> {
    let named = atoms
        .ranges
        .iter()
        .enumerate()
        .map(|(at, ranges)| match ranges.as_slice() {
            &[(low, high)] if low == high => {
                let mut text = "\"".to_owned();
                if let Some(it) = char::from_u32(low) {
                    literal(it, &mut text);
                }
                text.push('"');
                text
            }
            _ => format!("C{at}"),
        });
    named.collect()
}

struct Writer {
    names: Vec<String>,
    /// What is written for each atom.
    terminals: Vec<String>,
    atoms: Atoms,
    /// Rules for classes of several atoms.
    classes: BTreeMap<Vec<(u32, u32)>, String>,
}

impl Writer {
    fn choice(&mut self, node: &Node, text: &mut String) {
        let Node::Choice(parts) = node else {
            return self.sequence(node, text);
        };
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at > 0 { " | " } else { "" });
            self.sequence(part, text);
        }
    }

    fn sequence(&mut self, node: &Node, text: &mut String) {
        let Node::Sequence(parts) = node else {
            return self.item(node, text);
        };
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at > 0 { " " } else { "" });
            self.item(part, text);
        }
    }

    fn item(&mut self, node: &Node, text: &mut String) {
        match node {
            Node::Text(written) => {
                for (at, it) in written.chars().enumerate() {
                    text.push_str(if at > 0 { " " } else { "" });
                    let atom = self.atoms.of_class(&one(it)).first().copied();
                    text.push_str(atom.map_or("", |atom| &self.terminals[atom]));
                }
            }
            Node::Class(ranges) => match self.atoms.of_class(ranges) {
                &[atom] => text.push_str(&self.terminals[atom]),
                _ => {
                    let count = self.classes.len();
                    let name = self.classes.entry(ranges.clone());
                    text.push_str(name.or_insert_with(|| fresh(&self.names, count)));
                }
            },
            Node::Rule(rule) => text.push_str(&self.names[*rule]),
            Node::Repeat(item, min, max) => self.repeat(item, *min, *max, text),
            Node::Sequence(_) | Node::Choice(_) => self.group(node, text),
            // Left out wherever it might stand.
            Node::Never => {}
        }
    }

    fn repeat(&mut self, item: &Node, min: u32, max: Option<u32>, text: &mut String) {
        let once = |writer: &mut Self, text: &mut String| match item {
            Node::Class(_) | Node::Rule(_) => writer.item(item, text),
            Node::Text(one) if one.chars().count() == 1 => writer.item(item, text),
            _ => writer.group(item, text),
        };
        match (min, max) {
            (2.., None) => {
                once(self, text);
                write_into(text, format_args!("~{min} "));
                once(self, text);
                text.push('*');
            }
            (0, Some(1)) => {
                once(self, text);
                text.push('?');
            }
            (_, None) => {
                once(self, text);
                text.push(if min == 0 { '*' } else { '+' });
            }
            (min, Some(max)) => {
                once(self, text);
                match min == max {
                    true => write_into(text, format_args!("~{min}")),
                    false => write_into(text, format_args!("~{min}..{max}")),
                }
            }
        }
    }

    fn group(&mut self, node: &Node, text: &mut String) {
        text.push('(');
        self.choice(node, text);
        text.push(')');
    }
}

/// A name for a rule of characters that no other rule has.
fn fresh(names: &[String], count: usize) -> String {
    let mut name = format!("chars_{count}");
    while names.contains(&name) {
        name.push('_');
    }
    name
}

fn literal(it: char, text: &mut String) {
    match it {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '"' | '\\' => text.extend(['\\', it]),
        ' '..='~' => text.push(it),
        it if it.is_alphanumeric() => text.push(it),
        it => numbered(it, text),
    }
}

/// A class in Python's notation, between slashes.
pub(super) fn class(ranges: &[(u32, u32)], text: &mut String) {
    let (negated, ranges) = shorter(ranges);
    text.push_str(if negated { "[^" } else { "[" });
    for (low, high) in ranges {
        let ends = [low, high].into_iter().take(1 + usize::from(low != high));
        for (at, end) in ends.filter_map(char::from_u32).enumerate() {
            text.push_str(if at > 0 { "-" } else { "" });
            character(end, text);
        }
    }
    text.push(']');
}

/// A character of an expression in Python's notation, between slashes.
pub(super) fn character(it: char, text: &mut String) {
    match it {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        it if it == '/' || regex_syntax::is_meta_character(it) => text.extend(['\\', it]),
        '!'..='~' => text.push(it),
        it if it.is_alphanumeric() => text.push(it),
        it => numbered(it, text),
    }
}
