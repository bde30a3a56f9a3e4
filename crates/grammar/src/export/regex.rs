//! Regular expressions: in the notation of `regex-syntax`, and in Python's between
//! slashes, as Lark's grammars have them.

use crate::Diagnostics;

use super::gbnf::{repetition, shorter, write_into};
use super::plain::{Node, Plain};
use super::{lark, linear};

/// The grammar as one expression.
pub(super) fn write(plain: &Plain) -> Result<String, Diagnostics> {
    let whole = linear::without_rules(plain)?;
    let mut text = String::new();
    Writer { character, class }.choice(&whole, &mut text);
    Ok(text)
}

/// An expression without rules, in Python's notation.
pub(super) fn python(node: &Node, text: &mut String) {
    let writer = Writer {
        character: lark::character,
        class: lark::class,
    };
    writer.choice(node, text);
}

/// What notations differ in.
struct Writer {
    character: fn(char, &mut String),
    class: fn(&[(u32, u32)], &mut String),
}

impl Writer {
    fn choice(&self, node: &Node, text: &mut String) {
        let Node::Choice(parts) = node else {
            return self.sequence(node, text);
        };
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at > 0 { "|" } else { "" });
            self.sequence(part, text);
        }
    }

    fn sequence(&self, node: &Node, text: &mut String) {
        match node {
            Node::Sequence(parts) => parts.iter().for_each(|part| self.item(part, text)),
            _ => self.item(node, text),
        }
    }

    fn item(&self, node: &Node, text: &mut String) {
        match node {
            Node::Text(literal) => literal.chars().for_each(|it| (self.character)(it, text)),
            Node::Class(ranges) => (self.class)(ranges, text),
            Node::Repeat(repeated, min, max) => {
                match &**repeated {
                    Node::Class(_) => self.item(repeated, text),
                    Node::Text(one) if one.chars().count() == 1 => self.item(repeated, text),
                    _ => self.group(repeated, text),
                }
                repetition(*min, *max, text);
            }
            Node::Sequence(_) | Node::Choice(_) => self.group(node, text),
            // Rules were solved, and what has no text was left out.
            Node::Rule(_) | Node::Never => {}
        }
    }

    fn group(&self, node: &Node, text: &mut String) {
        text.push_str("(?:");
        self.choice(node, text);
        text.push(')');
    }
}

fn class(ranges: &[(u32, u32)], text: &mut String) {
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

fn character(it: char, text: &mut String) {
    match it {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        it if regex_syntax::is_meta_character(it) => text.extend(['\\', it]),
        ' '..='~' => text.push(it),
        it if it.is_alphanumeric() => text.push(it),
        it => write_into(text, format_args!("\\x{{{:X}}}", u32::from(it))),
    }
}
