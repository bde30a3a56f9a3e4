//! GBNF.

use std::fmt::Write;

use crate::characters::complement;

use super::names::names;
use super::plain::{Node, Plain};

/// Writes all rules.
pub(super) fn write(plain: &Plain) -> String {
    let given = plain.rules.iter().map(|rule| rule.name.as_str());
    let writer = Writer {
        names: names(given, "root", '-'),
    };
    let mut text = String::new();
    for (rule, name) in plain.rules.iter().zip(&writer.names) {
        text.push_str(name);
        text.push_str(" ::= ");
        writer.choice(&rule.body, &mut text);
        text.push('\n');
    }
    text
}

struct Writer {
    names: Vec<String>,
}

impl Writer {
    fn choice(&self, node: &Node, text: &mut String) {
        let Node::Choice(parts) = node else {
            return self.sequence(node, text);
        };
        for (at, part) in parts.iter().enumerate() {
            text.push_str(if at > 0 { " | " } else { "" });
            self.sequence(part, text);
        }
    }

    fn sequence(&self, node: &Node, text: &mut String) {
        match node {
            Node::Sequence(parts) if !parts.is_empty() => {
                for (at, part) in parts.iter().enumerate() {
                    text.push_str(if at > 0 { " " } else { "" });
                    self.item(part, text);
                }
            }
            _ => self.item(node, text),
        }
    }

    fn item(&self, node: &Node, text: &mut String) {
        match node {
            Node::Text(literal) => {
                text.push('"');
                literal.chars().for_each(|it| character(it, "\"\\", text));
                text.push('"');
            }
            Node::Class(ranges) => class(ranges, text),
            Node::Rule(rule) => text.push_str(&self.names[*rule]),
            Node::Repeat(item, min, max) => {
                match **item {
                    Node::Text(_) | Node::Class(_) | Node::Rule(_) => self.item(item, text),
                    _ => self.group(item, text),
                }
                repetition(*min, *max, text);
            }
            Node::Sequence(parts) if parts.is_empty() => text.push_str("\"\""),
            Node::Sequence(_) | Node::Choice(_) => self.group(node, text),
            // Left out wherever it might stand.
            Node::Never => text.push_str("[^\\x00-\\U0010FFFF]"),
        }
    }

    fn group(&self, node: &Node, text: &mut String) {
        text.push('(');
        self.choice(node, text);
        text.push(')');
    }
}

/// `?`, `*`, `+` or counts in braces; of expressions and GBNF alike.
pub(super) fn repetition(min: u32, max: Option<u32>, text: &mut String) {
    match (min, max) {
        (0, Some(1)) => text.push('?'),
        (0, None) => text.push('*'),
        (1, None) => text.push('+'),
        (min, None) => write_into(text, format_args!("{{{min},}}")),
        (min, Some(max)) if min == max => write_into(text, format_args!("{{{min}}}")),
        (min, Some(max)) => write_into(text, format_args!("{{{min},{max}}}")),
    }
}

fn class(ranges: &[(u32, u32)], text: &mut String) {
    let (negated, ranges) = shorter(ranges);
    text.push_str(if negated { "[^" } else { "[" });
    for (low, high) in ranges {
        for (at, code) in [low, high]
            .into_iter()
            .enumerate()
            .take(1 + usize::from(low != high))
        {
            text.push_str(if at > 0 { "-" } else { "" });
            if let Some(it) = char::from_u32(code) {
                character(it, "\\[]", text);
            }
        }
    }
    text.push(']');
}

/// The ranges, or those that they leave out, whichever are fewer. Surrogates are on
/// neither side.
pub(super) fn shorter(ranges: &[(u32, u32)]) -> (bool, Vec<(u32, u32)>) {
    let mut all = ranges.to_vec();
    all.push((0xD800, 0xDFFF));
    let outside = complement(&crate::characters::normalise(all));
    match !outside.is_empty() && outside.len() < ranges.len() {
        true => (true, outside),
        false => (false, ranges.to_vec()),
    }
}

/// A character; those of `escaped` behind a backslash, others that cannot be read by
/// number.
fn character(it: char, escaped: &str, text: &mut String) {
    match it {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        it if escaped.contains(it) => text.extend(['\\', it]),
        '-' | '^' if escaped.contains('[') => {
            write_into(text, format_args!("\\x{:02X}", u32::from(it)));
        }
        ' '..='~' => text.push(it),
        it if it.is_alphanumeric() => text.push(it),
        it => numbered(it, text),
    }
}

/// A character by number, as GBNF and Lark write it.
pub(super) fn numbered(it: char, text: &mut String) {
    match u32::from(it) {
        code @ ..0x100 => write_into(text, format_args!("\\x{code:02X}")),
        code @ ..0x1_0000 => write_into(text, format_args!("\\u{code:04X}")),
        code => write_into(text, format_args!("\\U{code:08X}")),
    }
}

/// Writing into a string does not fail.
pub(super) fn write_into(text: &mut String, written: std::fmt::Arguments<'_>) {
    let result = text.write_fmt(written);
    debug_assert!(result.is_ok());
}
