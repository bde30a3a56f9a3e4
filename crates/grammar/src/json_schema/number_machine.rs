//! Reads a plain spelling of a number digit by digit.
//!
//! A state is how the digits so far compare with each bound and each exception,
//! and what they leave when divided. No arithmetic is needed to compare: more
//! digits before the point is more, else the first digit that differs decides. Remainders that
//! the same further digits make a multiple of are one: of a million seven are left.

use std::cmp::Ordering;

use rustc_hash::FxHashMap as HashMap;

use super::decimal::Decimal;
use super::numbers::NumberSpelling;
use super::shape::Numbers;
use super::types::Types;
use crate::automaton::AutomatonError;

/// Most remainders of a divisor, in its last place, that further digits tell apart.
const MAX_REMAINDERS: usize = 20_000;
/// Largest divisor, in its last place, so that products fit.
const MAX_DIVISOR: u64 = u32::MAX as u64;

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
    /// What each digit makes of a class of remainders. The first class is 0 alone.
    steps: Vec<[u32; 10]>,
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
    Is(u32, u32),
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
            *rest = match byte {
                b'-' => *rest,
                b'.' => rest.at_point(divisor),
                digit => rest.digit(divisor, (digit - b'0') as usize, is_behind),
            };
        }
        // A sign counts where something is compared, and before a 0.
        next.is_negative &= next.is_zero || !next.marks.is_empty();
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
        let size = digits.parse().ok().filter(|&size| size <= MAX_DIVISOR);
        let steps = size.and_then(steps).ok_or(AutomatonError::TooLarge {
            what: "remainders of a division",
            limit: MAX_REMAINDERS,
        })?;
        Ok(Self {
            steps,
            places,
            holds,
        })
    }
}

/// What each digit makes of the classes of remainders of a division by `size`; `None` where these
/// are too many.
///
/// Behind a remainder `r`, *k* more digits lead to a multiple if they say `-r * 10^k`, modulo
/// `size`, which they cannot if that has more digits. Remainders of which this is the same for all
/// *k* are one class; from where `10^k` is no less than `size` it says no more.
fn steps(size: u64) -> Option<Vec<[u32; 10]>> {
    let wanted = |rest: u64| -> Vec<Option<u64>> {
        let powers = std::iter::successors(Some(1), |power| (*power < size).then(|| power * 10));
        let said = powers.map(|power| {
            let missing = (size - rest * (power % size) % size) % size;
            (missing < power).then_some(missing)
        });
        said.collect()
    };
    let mut classes = HashMap::from_iter([(wanted(0), 0)]);
    let (mut remainders, mut steps) = (vec![0], Vec::new());
    while let Some(&rest) = remainders.get(steps.len()) {
        let mut step = [0; 10];
        for (digit, class) in step.iter_mut().enumerate() {
            let next = (rest * 10 + digit as u64) % size;
            *class = *classes.entry(wanted(next)).or_insert_with(|| {
                remainders.push(next);
                remainders.len() as u32 - 1
            });
        }
        if remainders.len() > MAX_REMAINDERS {
            return None;
        }
        steps.push(step);
    }
    Some(steps)
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
    fn digit(self, divisor: &Divisor, digit: usize, is_behind: bool) -> Self {
        match self {
            Rest::Is(class, places) if !is_behind || places < divisor.places => {
                let class = divisor.steps[class as usize][digit];
                Rest::Is(class, places + u32::from(is_behind))
            }
            rest if digit == 0 => rest,
            _ => Rest::Beyond,
        }
    }

    fn is_none_left(self, divisor: &Divisor) -> bool {
        match self {
            Rest::Is(class, places) => {
                let missing = places..divisor.places;
                missing.fold(class, |class, _| divisor.steps[class as usize][0]) == 0
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
