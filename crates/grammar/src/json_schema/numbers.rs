//! Numbers: their spellings, and what bounds and multiples leave of them.
//!
//! A plain spelling is `-? whole (. fraction)?`. What is asked of one is checked
//! digit by digit, by a machine that carries how the digits so far compare with
//! each bound and what they leave when divided; its states are explored to an
//! automaton. So bounds, multiples and exceptions are exact on plain spellings.
//! Others, with an exponent, belong only where nothing is asked.

use std::sync::Arc;

use super::LIMITS;
use super::decimal::Decimal;
use super::number_machine::Machine;
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
