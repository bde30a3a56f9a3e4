//! Numbers: their spellings, and what bounds and multiples leave of them.
//!
//! A plain spelling is `-? whole (. fraction)?`. What is asked of one is checked
//! digit by digit, by a machine that carries how the digits so far compare with
//! each bound and what they leave when divided; its states are explored to an
//! automaton. So bounds, multiples and exceptions are exact on plain spellings.
//! Others, with an exponent, belong only where nothing is asked.

use std::cmp::Ordering;
use std::sync::Arc;

use super::LIMITS;
use super::decimal::Decimal;
use super::shape::Numbers;
use super::types::Types;
use crate::Expr;
use crate::automaton::{AutomatonError, Dfa};

/// Which spellings of numbers belong to the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSpelling {
    /// No exponent, no `-0`; an integer has no point.
    Plain,
    /// All of JSON's, except: a number with bounds, one that must (or must not)
    /// be a multiple, and one in `enum` or `const`, has no exponent; an integer
    /// is written without exponent (`2`, `2.0`) or without point and with an
    /// exponent that is not negative (`2e3`).
    Any,
}

/// Largest remainder that a divisor may leave, in its last place.
const MAX_REMAINDER: u64 = 20_000;

const SYMBOLS: &[u8] = b"-.0123456789";

/// The spellings of numbers of the given types; `None` where there are none.
pub(super) fn numbers(
    types: Types,
    numbers: &Numbers,
    spelling: NumberSpelling,
) -> Result<Option<Expr>, AutomatonError> {
    let types = types.and(Types::NUMBER);
    if let Some(listed) = &numbers.listed {
        let is_of_type = |number: &Decimal| match number.is_integer() {
            true => types.meets(Types::INTEGER),
            false => types.meets(Types::FRACTION),
        };
        let left = listed
            .iter()
            .filter(|number| is_of_type(number) && numbers.admits(number));
        let spelled: Vec<Expr> = left
            .map(|number| constant(number, spelling, numbers.without_point))
            .collect();
        return Ok((!spelled.is_empty()).then_some(Expr::Choice(spelled)));
    }
    let free = Numbers {
        without_point: numbers.without_point,
        ..Numbers::default()
    };
    if *numbers == free && types.meets(Types::INTEGER) && spelling == NumberSpelling::Any {
        let integers_only = !types.meets(Types::FRACTION);
        return Ok(Some(unbounded(integers_only, numbers.without_point)));
    }
    let machine = Machine::new(types, numbers, spelling)?;
    let found = Dfa::explore(
        machine.start(),
        SYMBOLS,
        |state, byte| machine.step(state, byte),
        |state| machine.accepts(state),
        &LIMITS,
    )?;
    Ok((!found.is_empty()).then(|| Expr::Automaton(Arc::new(found))))
}

/// The spellings of one number.
fn constant(value: &Decimal, spelling: NumberSpelling, without_point: bool) -> Expr {
    let plain = Expr::literal(value.plain());
    if spelling == NumberSpelling::Plain {
        return plain;
    }
    let zeros = digits(b'0', b'0');
    let tail = match value.is_integer() {
        true if without_point => Expr::empty(),
        true => point_and(zeros.clone(), zeros.clone().star()),
        false => zeros.star(),
    };
    let sign = match value.is_zero() {
        true => Expr::literal("-").optional(),
        false => Expr::empty(),
    };
    Expr::Sequence(vec![sign, plain, tail])
}

fn unbounded(integers_only: bool, without_point: bool) -> Expr {
    let sign = Expr::literal("-").optional();
    let signs = Expr::Chars(Box::new([(0x2B, 0x2B), (0x2D, 0x2D)])).optional();
    let mark = || Expr::Chars(Box::new([(0x45, 0x45), (0x65, 0x65)]));
    let any_digit = || digits(b'0', b'9');
    let long = Expr::Sequence(vec![digits(b'1', b'9'), any_digit().star()]);
    let whole = Expr::Choice(vec![Expr::literal("0"), long]);
    let tail = match integers_only {
        true if without_point => Expr::empty(),
        true => {
            let zeros = point_and(digits(b'0', b'0'), digits(b'0', b'0').star());
            let plus = Expr::literal("+").optional();
            let exponent = Expr::Sequence(vec![mark(), plus, any_digit(), any_digit().star()]);
            Expr::Choice(vec![zeros, exponent])
        }
        false => {
            let fraction = point_and(any_digit(), any_digit().star());
            let exponent = Expr::Sequence(vec![mark(), signs, any_digit(), any_digit().star()]);
            Expr::Sequence(vec![fraction, exponent.optional()])
        }
    };
    Expr::Sequence(vec![sign, whole, tail])
}

/// `(. first rest)?`
fn point_and(first: Expr, rest: Expr) -> Expr {
    Expr::Sequence(vec![Expr::literal("."), first, rest]).optional()
}

fn digits(low: u8, high: u8) -> Expr {
    Expr::Chars(Box::new([(low as u32, high as u32)]))
}

/// Reads a plain spelling.
struct Machine<'n> {
    types: Types,
    numbers: &'n Numbers,
    spelling: NumberSpelling,
    /// What the number is compared with: the bounds, then the exceptions.
    marks: Vec<&'n Decimal>,
    divisors: Vec<Divisor>,
}

/// A number of the form `size / 10^places`.
struct Divisor {
    size: u64,
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

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
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

/// What is left over when divided, and how many places behind the point were
/// read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Rest {
    Is(u64, u32),
    /// There is a digit behind the divisor's last place.
    Beyond,
}

impl<'n> Machine<'n> {
    fn new(
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

    fn start(&self) -> State {
        State {
            part: Part::Start,
            is_negative: false,
            is_zero: true,
            marks: vec![Compared::Whole(0, Ordering::Equal); self.marks.len()],
            rests: vec![Rest::Is(0, 0); self.divisors.len()],
        }
    }

    fn step(&self, state: &State, byte: u8) -> Option<State> {
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
                *rest = rest.digit(divisor, (byte - b'0') as u64, is_behind);
            }
        }
        Some(next)
    }

    fn may_have_point(&self) -> bool {
        let only_integers = !self.types.meets(Types::FRACTION);
        !only_integers || self.spelling == NumberSpelling::Any && !self.numbers.without_point
    }

    fn accepts(&self, state: &State) -> bool {
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
        let size = digits.parse().ok().filter(|&size| size <= MAX_REMAINDER);
        let size = size.ok_or(AutomatonError::TooLarge {
            what: "remainders of a division",
            limit: MAX_REMAINDER as usize,
        })?;
        Ok(Self {
            size,
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
    fn digit(self, divisor: &Divisor, digit: u64, is_behind: bool) -> Self {
        match self {
            Rest::Is(rest, places) if !is_behind => {
                Rest::Is((rest * 10 + digit) % divisor.size, places)
            }
            Rest::Is(rest, places) if places < divisor.places => {
                Rest::Is((rest * 10 + digit) % divisor.size, places + 1)
            }
            rest if digit == 0 => rest,
            _ => Rest::Beyond,
        }
    }

    fn is_none_left(self, divisor: &Divisor) -> bool {
        match self {
            Rest::Is(rest, places) => {
                let missing = places..divisor.places;
                missing.fold(rest, |rest, _| rest * 10 % divisor.size) == 0
            }
            Rest::Beyond => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyword::Bound;
    use super::*;

    fn decimal(thousandths: i64) -> Decimal {
        Decimal::read(&format!("{thousandths}e-3")).unwrap()
    }

    /// Every bound in a grid against every number in a finer one.
    #[test]
    fn bounds_agree_with_arithmetic() {
        let grid = [
            -12345, -10000, -1500, -1000, -250, -5, 0, 5, 90, 250, 999, 1000, 1010, 10500,
        ];
        for (bound, exclusive) in grid.into_iter().flat_map(|b| [(b, false), (b, true)]) {
            let mark = Bound {
                value: decimal(bound),
                exclusive,
            };
            for is_lower in [true, false] {
                let asked = Numbers {
                    lower: is_lower.then(|| mark.clone()),
                    upper: (!is_lower).then(|| mark.clone()),
                    ..Numbers::default()
                };
                for types in [Types::INTEGER, Types::FRACTION, Types::NUMBER] {
                    let found = numbers(types, &asked, NumberSpelling::Any).unwrap();
                    let dfa = Dfa::from_expr(&found.unwrap(), &LIMITS).unwrap();
                    for value in grid.iter().flat_map(|value| value - 11..value + 11) {
                        let of_type = match value % 1000 == 0 {
                            true => types.meets(Types::INTEGER),
                            false => types.meets(Types::FRACTION),
                        };
                        let within = of_type
                            && match (is_lower, exclusive) {
                                (true, false) => value >= bound,
                                (true, true) => value > bound,
                                (false, false) => value <= bound,
                                (false, true) => value < bound,
                            };
                        let plain = decimal(value).plain();
                        let zeros = if plain.contains('.') { "00" } else { ".0" };
                        for text in [plain.clone(), format!("{plain}{zeros}")] {
                            assert_eq!(
                                dfa.accepts(text.as_bytes()),
                                within,
                                "{text} with {asked:?} of {types:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Multiples and exceptions against the decimal's own arithmetic.
    #[test]
    fn multiples_agree_with_division() {
        for divisor in ["3", "0.25", "0.01", "1.5", "7", "100", "1e-8", "0.6", "0.2"] {
            for (holds, types) in [
                (true, Types::NUMBER),
                (false, Types::NUMBER),
                (true, Types::INTEGER),
            ] {
                let divisor = Decimal::read(divisor).unwrap();
                let asked = Numbers {
                    multiples: vec![(divisor.clone(), holds)],
                    except: vec![decimal(21000)],
                    ..Numbers::default()
                };
                let found = numbers(types, &asked, NumberSpelling::Any).unwrap();
                let dfa = Dfa::from_expr(&found.unwrap(), &LIMITS).unwrap();
                for thousandths in (-3000..3000).step_by(5).chain((0..120).map(|n| n * 1000)) {
                    let value = decimal(thousandths);
                    let of_type = value.is_integer() || types == Types::NUMBER;
                    let within =
                        of_type && value.is_multiple_of(&divisor) == holds && thousandths != 21000;
                    let found = dfa.accepts(value.plain().as_bytes());
                    assert_eq!(found, within, "{} by {}", value.plain(), divisor.plain());
                }
            }
        }
        let large = Numbers {
            multiples: vec![(Decimal::read("0.123456789").unwrap(), true)],
            ..Numbers::default()
        };
        assert!(numbers(Types::NUMBER, &large, NumberSpelling::Any).is_err());
    }
}
