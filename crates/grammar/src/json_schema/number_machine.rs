//! Reads a plain spelling of a number digit by digit.
//!
//! A state is how the digits so far compare with each bound and each exception,
//! and what they leave when divided. No arithmetic is needed to compare: more
//! digits before the point is more, else the first digit that differs decides.

use std::cmp::Ordering;

use super::decimal::Decimal;
use super::numbers::NumberSpelling;
use super::remainders::{MAX_REMAINDERS, Remainders};
use super::shape::Numbers;
use super::types::Types;
use crate::automaton::{AutomatonError, SHORTCUTS};

/// Reads a plain spelling.
pub(super) struct Machine<'n> {
    types: Types,
    numbers: &'n Numbers,
    spelling: NumberSpelling,
    /// What the number is compared with: the bounds, then the exceptions.
    marks: Vec<&'n Decimal>,
    divisors: Vec<Divisor>,
}

/// A number of the form `size / 10^places`.
struct Divisor {
    remainders: Remainders,
    places: u32,
    holds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Start,
    Sign,
    /// The whole part is 0.
    Zero,
    Whole,
    Point,
    /// All digits after the point are zeros.
    Zeros,
    Fraction,
}

/// How far a spelling has been read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    part: Part,
    is_negative: bool,
    /// All digits are zeros.
    is_zero: bool,
    marks: Vec<Compared>,
    rests: Vec<Rest>,
}

/// How the digits so far compare with those of a mark, both without sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Compared {
    /// So many digits before the point, of the mark's number at most one more.
    Whole(u32, Ordering),
    /// Equal up to this place behind the point.
    Fraction(u32),
    Known(Ordering),
}

/// The class of what is left over when divided, and how many places behind the point were
/// read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Rest {
    Is(u64, u32),
    /// There is a digit behind the divisor's last place.
    Beyond,
}

impl<'n> Machine<'n> {
    pub(super) fn new(
        types: Types,
        numbers: &'n Numbers,
        spelling: NumberSpelling,
    ) -> Result<Self, AutomatonError> {
        let bounds = numbers
            .lower
            .iter()
            .chain(&numbers.upper)
            .map(|bound| &bound.value);
        let whole = !types.meets(Types::FRACTION);
        let mut divisors = Vec::new();
        for (divisor, holds) in &numbers.multiples {
            divisors.push(Divisor::new(divisor, *holds, whole)?);
        }
        Ok(Self {
            types,
            numbers,
            spelling,
            marks: bounds.chain(&numbers.except).collect(),
            divisors,
        })
    }

    pub(super) fn start(&self) -> State {
        State {
            part: Part::Start,
            is_negative: false,
            is_zero: true,
            marks: vec![Compared::Whole(0, Ordering::Equal); self.marks.len()],
            rests: vec![Rest::Is(0, 0); self.divisors.len()],
        }
    }

    pub(super) fn step(&self, state: &State, byte: u8) -> Option<State> {
        let mut next = state.clone();
        next.part = match (state.part, byte) {
            (Part::Start, b'-') => Part::Sign,
            (Part::Start | Part::Sign, b'0') => Part::Zero,
            (Part::Start | Part::Sign | Part::Whole, b'0'..=b'9') => Part::Whole,
            (Part::Zero | Part::Whole, b'.') if self.may_have_point() => Part::Point,
            (Part::Point | Part::Zeros, b'0') => Part::Zeros,
            (Part::Point | Part::Zeros | Part::Fraction, b'0'..=b'9') => Part::Fraction,
            _ => return None,
        };
        next.is_negative |= byte == b'-';
        next.is_zero &= !matches!(byte, b'1'..=b'9');
        if next.part == Part::Fraction && !self.types.meets(Types::FRACTION) {
            return None;
        }
        let is_behind = matches!(next.part, Part::Zeros | Part::Fraction);
        for (compared, mark) in next.marks.iter_mut().zip(&self.marks) {
            *compared = match byte {
                b'-' => *compared,
                b'.' => compared.at_point(mark),
                digit => compared.digit(mark, digit),
            };
        }
        for (rest, divisor) in next.rests.iter_mut().zip(&self.divisors) {
            if byte.is_ascii_digit() {
                *rest = rest.digit(divisor, byte - b'0', is_behind);
            } else if SHORTCUTS && byte == b'.' {
                *rest = rest.at_point(divisor);
            }
        }
        if SHORTCUTS && next.marks.is_empty() {
            // A sign counts before a 0 only.
            next.is_negative &= next.is_zero;
        }
        Some(next)
    }

    fn may_have_point(&self) -> bool {
        let only_integers = !self.types.meets(Types::FRACTION);
        !only_integers || self.spelling == NumberSpelling::Any && !self.numbers.without_point
    }

    pub(super) fn accepts(&self, state: &State) -> bool {
        let is_integer = match state.part {
            Part::Zero | Part::Whole => true,
            Part::Zeros => !self.numbers.without_point,
            Part::Fraction => false,
            Part::Start | Part::Sign | Part::Point => return false,
        };
        if state.part == Part::Zeros && !is_integer {
            return false;
        }
        if self.spelling == NumberSpelling::Plain && state.is_negative && state.is_zero {
            return false;
        }
        let wanted = match is_integer {
            true => Types::INTEGER,
            false => Types::FRACTION,
        };
        let zero = Decimal::zero();
        let mut orders = state.marks.iter().zip(&self.marks).map(|(compared, mark)| {
            // Zero is compared without its sign.
            let order = compared.end(mark);
            match (state.is_negative, mark.negative) {
                (false, false) => order,
                (true, true) => order.reverse(),
                (true, false) if **mark == zero => order.reverse(),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            }
        });
        let above = self
            .numbers
            .lower
            .as_ref()
            .is_none_or(|bound| match orders.next() {
                Some(Ordering::Equal) => !bound.exclusive,
                order => order == Some(Ordering::Greater),
            });
        let below = self
            .numbers
            .upper
            .as_ref()
            .is_none_or(|bound| match orders.next() {
                Some(Ordering::Equal) => !bound.exclusive,
                order => order == Some(Ordering::Less),
            });
        let apart = orders.all(|order| order != Ordering::Equal);
        let mut rests = state.rests.iter().zip(&self.divisors);
        self.types.meets(wanted)
            && above
            && below
            && apart
            && rests.all(|(rest, divisor)| rest.is_none_left(divisor) == divisor.holds)
    }
}

impl Divisor {
    fn new(divisor: &Decimal, holds: bool, whole: bool) -> Result<Self, AutomatonError> {
        let mut places = divisor.fraction.len() as u32;
        let mut digits = format!("{}{}", divisor.whole, divisor.fraction);
        if whole {
            // An integer times ten to the places is a multiple if the integer is
            // one of what the two have not in common.
            let (mut twos, mut fives) = (places, places);
            while places > 0 && (twos > 0 || fives > 0) {
                if twos > 0
                    && let Some(half) = divided(&digits, 2)
                {
                    (digits, twos) = (half, twos - 1);
                } else if fives > 0
                    && let Some(fifth) = divided(&digits, 5)
                {
                    (digits, fives) = (fifth, fives - 1);
                } else {
                    break;
                }
            }
            places = 0;
        }
        let remainders = digits.parse().ok().and_then(Remainders::new);
        let remainders = remainders.ok_or(AutomatonError::TooLarge {
            what: "remainders of a division",
            limit: MAX_REMAINDERS,
        })?;
        Ok(Self {
            remainders,
            places,
            holds,
        })
    }
}

/// A number's digits divided by a small one, if nothing is left over.
fn divided(digits: &str, by: u8) -> Option<String> {
    let mut rest = 0;
    let mut quotient = String::with_capacity(digits.len());
    for digit in digits.bytes() {
        let here = rest * 10 + (digit - b'0');
        quotient.push((b'0' + here / by) as char);
        rest = here % by;
    }
    let trimmed = quotient.trim_start_matches('0');
    (rest == 0).then(|| trimmed.to_owned())
}

impl Compared {
    fn digit(self, mark: &Decimal, digit: u8) -> Self {
        match self {
            Compared::Whole(count, order) => {
                let length = mark.whole.len() as u32;
                if count >= length {
                    return Compared::Known(Ordering::Greater);
                }
                let own = mark.whole.as_bytes()[count as usize];
                Compared::Whole(count + 1, order.then(digit.cmp(&own)))
            }
            Compared::Fraction(at) => {
                let own = mark.fraction.as_bytes().get(at as usize);
                match digit.cmp(own.unwrap_or(&b'0')) {
                    Ordering::Equal if own.is_none() => self,
                    Ordering::Equal => Compared::Fraction(at + 1),
                    order => Compared::Known(order),
                }
            }
            known => known,
        }
    }

    fn at_point(self, mark: &Decimal) -> Self {
        match self {
            Compared::Whole(count, order) => {
                let length = mark.whole.len() as u32;
                match count.cmp(&length).then(order) {
                    Ordering::Equal => Compared::Fraction(0),
                    order => Compared::Known(order),
                }
            }
            other => other,
        }
    }

    fn end(self, mark: &Decimal) -> Ordering {
        match self.at_point(mark) {
            // The last digit behind a mark's point is not 0.
            Compared::Fraction(at) if (at as usize) < mark.fraction.len() => Ordering::Less,
            Compared::Known(order) => order,
            _ => Ordering::Equal,
        }
    }
}

impl Rest {
    fn digit(self, divisor: &Divisor, digit: u8, is_behind: bool) -> Self {
        match self {
            Rest::Is(class, places) if !is_behind => {
                Rest::Is(divisor.remainders.step(class, digit), places)
            }
            Rest::Is(class, places) if places < divisor.places => {
                Rest::Is(divisor.remainders.step(class, digit), places + 1)
            }
            rest if digit == 0 => rest,
            _ => Rest::Beyond,
        }
    }

    fn is_none_left(self, divisor: &Divisor) -> bool {
        match self {
            Rest::Is(class, places) => {
                let missing = places..divisor.places;
                missing.fold(class, |class, _| divisor.remainders.step(class, 0)) == 0
            }
            Rest::Beyond => false,
        }
    }

    /// What it comes to at the point, if no more digits of the divisor are behind it.
    fn at_point(self, divisor: &Divisor) -> Self {
        match self {
            Rest::Is(1.., _) if divisor.places == 0 => Rest::Beyond,
            rest => rest,
        }
    }
}
