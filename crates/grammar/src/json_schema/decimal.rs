//! Decimal numbers, exact: a schema means the numbers that it writes.

use std::cmp::Ordering;

/// Most digits before or after the point, written without exponent.
pub(super) const MAX_DIGITS: usize = 400;

/// An exact decimal number. Zero has no sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub negative: bool,
    /// Digits before the point, without leading zeros, at least one.
    pub whole: String,
    /// Digits after the point, without trailing zeros, possibly none.
    pub fraction: String,
}

impl Decimal {
    pub(super) fn zero() -> Self {
        Self {
            negative: false,
            whole: "0".into(),
            fraction: String::new(),
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        self.fraction.is_empty()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.whole == "0" && self.fraction.is_empty()
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self.clone()
        }
    }

    /// Plain notation, without exponent.
    pub(super) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let point = if self.fraction.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{}", self.whole, self.fraction)
    }

    /// Whether this is an integer times `divisor`, which is over 0.
    pub(super) fn is_multiple_of(&self, divisor: &Self) -> bool {
        let places = divisor.fraction.len();
        if self.fraction.len() > places {
            return false;
        }
        let scaled = |number: &Self| {
            let mut digits = format!("{}{}", number.whole, number.fraction);
            digits.push_str(&"0".repeat(places - number.fraction.len()));
            digits
        };
        let (dividend, divisor) = (scaled(self), scaled(divisor));
        let divisor = divisor.trim_start_matches('0').as_bytes();
        // Long division, of which only the remainder is kept.
        let mut rest: Vec<u8> = Vec::new();
        for digit in dividend.bytes() {
            if !rest.is_empty() || digit != b'0' {
                rest.push(digit);
            }
            while (rest.len(), rest.as_slice()) >= (divisor.len(), divisor) {
                subtract(&mut rest, divisor);
            }
        }
        rest.is_empty()
    }

    /// The least integer from here on, this one left out if `exclusive`.
    pub(super) fn first_integer(&self, exclusive: bool) -> Self {
        self.negated().last_integer(exclusive).negated()
    }

    /// The greatest integer up to here, this one left out if `exclusive`.
    pub(super) fn last_integer(&self, exclusive: bool) -> Self {
        let mut whole = self.whole.clone().into_bytes();
        let mut negative = self.negative;
        let down = match self.is_integer() {
            true => exclusive,
            false => self.negative,
        };
        if down && self.is_zero() {
            (negative, whole) = (true, b"1".to_vec());
        } else if down && negative {
            increment(&mut whole);
        } else if down {
            let mut rest = std::mem::take(&mut whole);
            subtract(&mut rest, b"1");
            whole = match rest.is_empty() {
                true => b"0".to_vec(),
                false => rest,
            };
        }
        let whole = String::from_utf8(whole).unwrap_or_default();
        Self {
            negative: negative && whole != "0",
            whole,
            fraction: String::new(),
        }
    }

    /// From JSON's notation; `None` when there would be too many digits.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent),
            None => (text, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = format!("{whole}{fraction}");
        if digits.bytes().all(|digit| digit == b'0') {
            return Some(Self::zero());
        }
        let exponent: i64 = exponent
            .parse()
            .ok()
            .filter(|e: &i64| e.unsigned_abs() < 1 << 32)?;
        let mut point = whole.len() as i64 + exponent;
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..zeros);
        point -= zeros as i64;
        digits.truncate(digits.trim_end_matches('0').len());
        if point > MAX_DIGITS as i64 || digits.len() as i64 - point > MAX_DIGITS as i64 {
            return None;
        }
        if point <= 0 {
            digits.insert_str(0, &"0".repeat((1 - point) as usize));
            point = 1;
        }
        let missing = (point as usize).saturating_sub(digits.len());
        digits.push_str(&"0".repeat(missing));
        let fraction = digits.split_off(point as usize);
        Some(Self {
            negative,
            whole: digits,
            fraction,
        })
    }
}

/// Digits without leading zeros, none for zero: `minuend` less `subtrahend`, which
/// is not greater.
fn subtract(minuend: &mut Vec<u8>, subtrahend: &[u8]) {
    let mut borrowed = 0;
    let shift = minuend.len() - subtrahend.len();
    for at in (0..minuend.len()).rev() {
        let taken = match at.checked_sub(shift) {
            Some(at) => subtrahend[at] - b'0',
            None => 0,
        } + borrowed;
        borrowed = u8::from(minuend[at] - b'0' < taken);
        minuend[at] = minuend[at] + 10 * borrowed - taken;
    }
    let zeros = minuend.iter().take_while(|digit| **digit == b'0').count();
    minuend.drain(..zeros);
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = |a: &Self, b: &Self| {
            (a.whole.len(), &a.whole, &a.fraction).cmp(&(b.whole.len(), &b.whole, &b.fraction))
        };
        match (self.negative, other.negative) {
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_around_a_number() {
        for (number, exclusive, first, last) in [
            ("1.2", false, "2", "1"),
            ("-1.2", true, "-1", "-2"),
            ("3", false, "3", "3"),
            ("3", true, "4", "2"),
            ("0", true, "1", "-1"),
            ("-1", true, "0", "-2"),
            ("9.5", false, "10", "9"),
            ("-10", true, "-9", "-11"),
            ("0.5", false, "1", "0"),
            ("-0.5", false, "0", "-1"),
            ("1", true, "2", "0"),
        ] {
            let number = Decimal::read(number).unwrap();
            assert_eq!(number.first_integer(exclusive).plain(), first, "{number:?}");
            assert_eq!(number.last_integer(exclusive).plain(), last, "{number:?}");
        }
    }

    #[test]
    fn multiples() {
        for (number, divisor, is_multiple) in [
            ("0", "3", true),
            ("-9", "3", true),
            ("10", "3", false),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("35", "1.5", false),
            ("4.5", "1.5", true),
            ("12391239123", "1e-8", true),
            ("1e308", "0.123456789", false),
            ("1e20", "1e18", true),
        ] {
            let [number, divisor] = [number, divisor].map(|text| Decimal::read(text).unwrap());
            assert_eq!(
                number.is_multiple_of(&divisor),
                is_multiple,
                "{number:?} {divisor:?}"
            );
        }
    }

    #[test]
    fn numbers_are_exact() {
        for (text, plain) in [
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("1e3", "1000"),
            ("-1.25e1", "-12.5"),
            ("1.25e-3", "0.00125"),
            ("0.001e3", "1"),
            ("100e-2", "1"),
        ] {
            assert_eq!(Decimal::read(text).unwrap().plain(), plain);
        }
        assert!(Decimal::read("1e999999999999999999999").is_none());
        assert!(Decimal::read("1e-401").is_none());
        let order: Vec<Decimal> = [
            "-10", "-9.5", "-0.1", "0", "0.09", "0.1", "0.11", "9", "10", "10.5",
        ]
        .map(|text| Decimal::read(text).unwrap())
        .into();
        assert!(order.is_sorted());
    }
}
