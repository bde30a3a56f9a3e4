//! Other spellings of a value, kind by kind, and which of them may be left out.

use std::fmt;

use serde_json::{Number, Value};

use crate::asking::Asked;
use crate::mutation::plain;

/// What is unusual in a spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    WhiteSpace,
    Escapes,
    /// `2.0`, `2.50`, `-0`.
    Zeros,
    /// `2e3`, `20E+0`.
    WholeExponent,
    /// `1.5e1`, `150e-1` for an integer.
    IntegerExponent,
    /// `25e-2`, `0.025e1` for what is none.
    FractionExponent,
    /// A key that stands twice with the same value.
    Repeated,
}

pub const KINDS: [Kind; 7] = [
    Kind::WhiteSpace,
    Kind::Escapes,
    Kind::Zeros,
    Kind::WholeExponent,
    Kind::IntegerExponent,
    Kind::FractionExponent,
    Kind::Repeated,
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteSpace => "white space",
            Self::Escapes => "escapes in strings",
            Self::Zeros => "zeros behind the point, -0",
            Self::WholeExponent => "integers as 2e3",
            Self::IntegerExponent => "integers as 1.5e1",
            Self::FractionExponent => "fractions as 25e-2",
            Self::Repeated => "a key twice",
        })
    }
}

impl Kind {
    /// Whether the documentation says that a text with such a spelling may be left out,
    /// valid as it is, where this is asked of its numbers; `is_four`: by a schema of
    /// draft 4.
    pub fn may_be_left_out(self, is_four: bool, asked: Asked) -> bool {
        match self {
            Self::WhiteSpace | Self::Escapes => false,
            Self::Zeros => is_four && asked.of_type,
            Self::WholeExponent => asked.of_size || is_four && asked.of_type,
            Self::IntegerExponent | Self::FractionExponent => asked.of_size || asked.of_type,
            Self::Repeated => true,
        }
    }
}

/// The value, spelled so in at least one place; `None` where there is no place for it.
pub fn spell(value: &Value, kind: Kind, rng: &mut fastrand::Rng) -> Option<String> {
    const TRIES: usize = 3;
    (0..TRIES).find_map(|_| {
        let mut speller = Speller {
            kind,
            rng,
            text: String::new(),
            is_unusual: false,
        };
        speller.value(value);
        speller.is_unusual.then_some(speller.text)
    })
}

struct Speller<'r> {
    kind: Kind,
    rng: &'r mut fastrand::Rng,
    text: String,
    is_unusual: bool,
}

impl Speller<'_> {
    /// Whether this is one of the places.
    fn takes(&mut self, kind: Kind) -> bool {
        let takes = self.kind == kind && self.rng.u8(..3) > 0;
        self.is_unusual |= takes;
        takes
    }

    fn value(&mut self, value: &Value) {
        self.blanks();
        match value {
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    self.value(item);
                }
                self.blanks();
                self.text.push(']');
            }
            Value::Object(members) => {
                self.text.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    // More than one would be several questions.
                    if self.kind == Kind::Repeated && !self.is_unusual && self.takes(self.kind) {
                        self.member(name, value);
                        self.text.push(',');
                    }
                    self.member(name, value);
                }
                self.blanks();
                self.text.push('}');
            }
            Value::String(string) => self.string(string),
            Value::Number(number) => self.number(number),
            other => self.text.push_str(&other.to_string()),
        }
        self.blanks();
    }

    fn member(&mut self, name: &str, value: &Value) {
        self.blanks();
        self.string(name);
        self.blanks();
        self.text.push(':');
        self.value(value);
    }

    fn blanks(&mut self) {
        if self.takes(Kind::WhiteSpace) {
            for _ in 0..self.rng.u8(1..3) {
                self.text
                    .push_str([" ", "\n", "\t", "\r"][self.rng.usize(..4)]);
            }
        }
    }

    fn string(&mut self, string: &str) {
        self.text.push('"');
        for character in string.chars() {
            if !self.takes(Kind::Escapes) {
                let quoted = serde_json::to_string(&character).unwrap();
                self.text.push_str(&quoted[1..quoted.len() - 1]);
                continue;
            }
            let short = match character {
                '"' | '\\' | '/' => Some(character),
                '\u{8}' => Some('b'),
                '\u{c}' => Some('f'),
                '\n' => Some('n'),
                '\r' => Some('r'),
                '\t' => Some('t'),
                _ => None,
            };
            match short {
                Some(short) if self.rng.bool() => self.text.extend(['\\', short]),
                _ => self.by_code(character),
            }
        }
        self.text.push('"');
    }

    fn by_code(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            self.text.push_str("\\u");
            for digit in format!("{unit:04x}").chars() {
                self.text.push(match self.rng.bool() {
                    true => digit.to_ascii_uppercase(),
                    false => digit,
                });
            }
        }
    }

    fn number(&mut self, number: &Number) {
        let plain = plain(number);
        let (sign, unsigned) = match plain.strip_prefix('-') {
            Some(unsigned) => ("-", unsigned),
            None => ("", plain.as_str()),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let fraction = fraction.trim_end_matches('0');
        let kind = self.kind;
        let is_place = match kind {
            Kind::Zeros => true,
            Kind::WholeExponent | Kind::IntegerExponent => fraction.is_empty(),
            Kind::FractionExponent => !fraction.is_empty(),
            Kind::WhiteSpace | Kind::Escapes | Kind::Repeated => false,
        };
        if !is_place || !self.takes(kind) {
            self.text.push_str(&plain);
            return;
        }
        if kind == Kind::Zeros {
            let is_zero = whole == "0" && fraction.is_empty();
            let sign = if is_zero && self.rng.bool() {
                "-"
            } else {
                sign
            };
            let zeros = "0".repeat(self.rng.usize(1..3));
            self.text
                .push_str(&match is_zero && sign == "-" && self.rng.bool() {
                    true => "-0".to_owned(),
                    false => format!("{sign}{whole}.{fraction}{zeros}"),
                });
            return;
        }
        let mark = ["e", "E"][self.rng.usize(..2)];
        let plus = ["", "+", "0", "+0"][self.rng.usize(..4)];
        self.text.push_str(sign);
        if kind == Kind::WholeExponent {
            let zeros = whole.len() - whole.trim_end_matches('0').len();
            // Of 0 the digit stays.
            let moved = self.rng.usize(..=zeros.min(whole.len() - 1));
            let kept = &whole[..whole.len() - moved];
            self.text.push_str(&format!("{kept}{mark}{plus}{moved}"));
            return;
        }
        // The point moves to the left, which the exponent makes good, or to the right.
        let places = self.rng.usize(1..4);
        let digits = format!("{whole}{fraction}");
        self.text.push_str(&match self.rng.bool() {
            true => {
                let digits = format!("{:0>width$}", digits, width = digits.len() + places);
                let at = whole.len();
                let (front, back) = digits.split_at(at);
                let front = front.trim_start_matches('0');
                let front = if front.is_empty() { "0" } else { front };
                format!("{front}.{back}{mark}{plus}{places}")
            }
            false => {
                let digits = format!("{whole}{fraction:0<places$}");
                let (front, back) = digits.split_at(whole.len() + places);
                let front = front.trim_start_matches('0');
                let front = if front.is_empty() { "0" } else { front };
                let point = if back.is_empty() { "" } else { "." };
                format!("{front}{point}{back}{mark}-{places}")
            }
        });
    }
}
