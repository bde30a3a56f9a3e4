//! Numbers: their spellings, and bounds as automata over digits.
//!
//! A plain spelling is `-? whole (. fraction)?`. Comparing one with a bound
//! needs no arithmetic: more digits before the point is more, else the first
//! digit that differs decides. Bounds are exact on plain spellings; spellings
//! with an exponent belong only where there is no bound.

use std::sync::Arc;

use super::node::{Bound, LIMITS};
use super::value::Decimal;
use crate::Expr;
use crate::automaton::{AutomatonError, Dfa};

/// Which spellings of numbers belong to the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSpelling {
    /// No exponent, no `-0`; an integer has no point.
    Plain,
    /// All of JSON's, except: a number with bounds, and one in `enum` or
    /// `const`, has no exponent; an integer is written without exponent
    /// (`2`, `2.0`) or without point and with an exponent that is not negative
    /// (`2e3`).
    Any,
}

/// The numbers within the bounds; `None` where there are none.
pub(super) fn numbers(
    integers_only: bool,
    lower: Option<&Bound>,
    upper: Option<&Bound>,
    spelling: NumberSpelling,
) -> Result<Option<Expr>, AutomatonError> {
    if lower.is_none() && upper.is_none() && spelling == NumberSpelling::Any {
        return Ok(Some(unbounded(integers_only)));
    }
    let negated = |bound: &Bound| Bound {
        value: bound.value.negated(),
        ..bound.clone()
    };
    let mut negative_lower = upper.map(negated);
    if spelling == NumberSpelling::Plain {
        let zero = Decimal {
            negative: false,
            whole: "0".into(),
            fraction: String::new(),
        };
        let positive = Bound {
            value: zero,
            exclusive: true,
        };
        super::node::tighten_lower(&mut negative_lower, positive);
    }
    let negative_upper = lower.map(negated);
    let positive = magnitudes(integers_only, lower, upper, spelling)?;
    let negative = magnitudes(
        integers_only,
        negative_lower.as_ref(),
        negative_upper.as_ref(),
        spelling,
    )?;
    let mut choices = Vec::new();
    if !positive.is_empty() {
        choices.push(Expr::Automaton(Arc::new(positive)));
    }
    if !negative.is_empty() {
        let magnitudes = Expr::Automaton(Arc::new(negative));
        choices.push(Expr::Sequence(vec![Expr::literal("-"), magnitudes]));
    }
    Ok((!choices.is_empty()).then_some(Expr::Choice(choices)))
}

/// The spellings of one number.
pub(super) fn constant(value: &Decimal, spelling: NumberSpelling) -> Expr {
    let plain = Expr::literal(value.plain());
    if spelling == NumberSpelling::Plain {
        return plain;
    }
    let zeros = digits(b'0', b'0');
    let tail = match value.is_integer() {
        true => point_and(zeros.clone(), Expr::Sequence(vec![zeros.clone().star()])),
        false => zeros.star(),
    };
    let sign = match value.is_zero() {
        true => Expr::literal("-").optional(),
        false => Expr::empty(),
    };
    Expr::Sequence(vec![sign, plain, tail])
}

/// `(. first rest)?`
fn point_and(first: Expr, rest: Expr) -> Expr {
    Expr::Sequence(vec![Expr::literal("."), first, rest]).optional()
}

fn unbounded(integers_only: bool) -> Expr {
    let sign = Expr::literal("-").optional();
    let signs = Expr::Chars(Box::new([(0x2B, 0x2B), (0x2D, 0x2D)])).optional();
    let mark = || Expr::Chars(Box::new([(0x45, 0x45), (0x65, 0x65)]));
    let tail = match integers_only {
        true => {
            let zeros = point_and(digits(b'0', b'0'), digits(b'0', b'0').star());
            let plus = Expr::literal("+").optional();
            let exponent = Expr::Sequence(vec![mark(), plus, any_digit(), any_digit().star()]);
            Expr::Choice(vec![zeros, exponent])
        }
        false => {
            let exponent = Expr::Sequence(vec![mark(), signs, any_digit(), any_digit().star()]);
            Expr::Sequence(vec![fraction(), exponent.optional()])
        }
    };
    Expr::Sequence(vec![sign, whole(), tail])
}

/// Spellings without sign of the numbers from 0 on that are within bounds,
/// which may themselves be negative.
fn magnitudes(
    integers_only: bool,
    lower: Option<&Bound>,
    upper: Option<&Bound>,
    spelling: NumberSpelling,
) -> Result<Dfa, AutomatonError> {
    let tail = match (integers_only, spelling) {
        (false, _) => fraction(),
        (true, NumberSpelling::Plain) => Expr::empty(),
        (true, NumberSpelling::Any) => point_and(digits(b'0', b'0'), digits(b'0', b'0').star()),
    };
    let mut found = Dfa::from_expr(&Expr::Sequence(vec![whole(), tail]), &LIMITS)?;
    if let Some(lower) = lower.filter(|lower| !lower.value.negative) {
        found = found.intersect(&Dfa::from_expr(&at_least(lower), &LIMITS)?, &LIMITS)?;
    }
    if let Some(upper) = upper {
        found = found.intersect(&Dfa::from_expr(&at_most(upper), &LIMITS)?, &LIMITS)?;
    }
    Ok(found)
}

fn at_least(bound: &Bound) -> Expr {
    let (whole, after) = (
        bound.value.whole.as_bytes(),
        bound.value.fraction.as_bytes(),
    );
    let longer = Expr::Sequence(vec![
        digits(b'1', b'9'),
        Expr::Repeat {
            item: Box::new(any_digit()),
            min: whole.len() as u32,
            max: None,
        },
        fraction(),
    ]);
    let mut choices = vec![longer];
    for (at, &digit) in whole.iter().enumerate() {
        if digit < b'9' {
            let rest = whole.len() - at - 1;
            let parts = [
                Expr::literal(&whole[..at]),
                digits(digit + 1, b'9'),
                exactly(rest),
            ];
            choices.push(Expr::Sequence(
                parts.into_iter().chain([fraction()]).collect(),
            ));
        }
    }
    // Equal before the point.
    let mut tails = Vec::new();
    if after.is_empty() && !bound.exclusive {
        tails.push(fraction());
    }
    for (at, &digit) in after.iter().enumerate() {
        if digit < b'9' {
            tails.push(after_point(
                &after[..at],
                vec![digits(digit + 1, b'9'), any_digit().star()],
            ));
        }
    }
    let further = match bound.exclusive {
        true => vec![
            digits(b'0', b'0').star(),
            digits(b'1', b'9'),
            any_digit().star(),
        ],
        false => vec![any_digit().star()],
    };
    if bound.exclusive || !after.is_empty() {
        tails.push(after_point(after, further));
    }
    choices.push(Expr::Sequence(vec![
        Expr::literal(whole),
        Expr::Choice(tails),
    ]));
    Expr::Choice(choices)
}

fn at_most(bound: &Bound) -> Expr {
    if bound.value.negative {
        return Expr::never();
    }
    let (whole, after) = (
        bound.value.whole.as_bytes(),
        bound.value.fraction.as_bytes(),
    );
    let mut choices = Vec::new();
    if whole.len() > 1 {
        let max = Some(whole.len() as u32 - 2);
        let shorter = Expr::Sequence(vec![
            digits(b'1', b'9'),
            Expr::Repeat {
                item: Box::new(any_digit()),
                min: 0,
                max,
            },
        ]);
        let shorter = Expr::Choice(vec![Expr::literal("0"), shorter]);
        choices.push(Expr::Sequence(vec![shorter, fraction()]));
    }
    for (at, &digit) in whole.iter().enumerate() {
        let least = if at == 0 && whole.len() > 1 {
            b'1'
        } else {
            b'0'
        };
        if digit > least {
            let rest = whole.len() - at - 1;
            let parts = [
                Expr::literal(&whole[..at]),
                digits(least, digit - 1),
                exactly(rest),
            ];
            choices.push(Expr::Sequence(
                parts.into_iter().chain([fraction()]).collect(),
            ));
        }
    }
    // Equal before the point.
    let mut tails = Vec::new();
    for (at, &digit) in after.iter().enumerate() {
        if digit > b'0' {
            tails.push(after_point(
                &after[..at],
                vec![digits(b'0', digit - 1), any_digit().star()],
            ));
        }
        // A proper part of the bound's digits is less, since its last is not 0.
        match at {
            0 => tails.push(Expr::empty()),
            _ => tails.push(after_point(&after[..at], Vec::new())),
        }
    }
    if !bound.exclusive {
        let zeros = digits(b'0', b'0');
        tails.push(match after.is_empty() {
            true => point_and(zeros.clone(), zeros.star()),
            false => after_point(after, vec![zeros.star()]),
        });
    }
    choices.push(Expr::Sequence(vec![
        Expr::literal(whole),
        Expr::Choice(tails),
    ]));
    Expr::Choice(choices)
}

fn after_point(digits: &[u8], rest: Vec<Expr>) -> Expr {
    let mut parts = vec![Expr::literal("."), Expr::literal(digits)];
    parts.extend(rest);
    Expr::Sequence(parts)
}

fn whole() -> Expr {
    let long = Expr::Sequence(vec![digits(b'1', b'9'), any_digit().star()]);
    Expr::Choice(vec![Expr::literal("0"), long])
}

fn fraction() -> Expr {
    point_and(any_digit(), any_digit().star())
}

fn exactly(count: usize) -> Expr {
    Expr::Repeat {
        item: Box::new(any_digit()),
        min: count as u32,
        max: Some(count as u32),
    }
}

fn any_digit() -> Expr {
    digits(b'0', b'9')
}

fn digits(low: u8, high: u8) -> Expr {
    Expr::Chars(Box::new([(low as u32, high as u32)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(thousandths: i64) -> Decimal {
        let text = format!("{}e-3", thousandths);
        match super::super::value::read(&text).unwrap() {
            super::super::value::Json::Number(number) => number,
            _ => unreachable!(),
        }
    }

    /// Every bound in a grid against every number in a finer one.
    #[test]
    fn bounds_agree_with_arithmetic() {
        let grid = [
            -12345, -10000, -1500, -1000, -250, -5, 0, 5, 90, 250, 999, 1000, 1010, 10500,
        ];
        for (bound, exclusive) in grid.into_iter().flat_map(|b| [(b, false), (b, true)]) {
            let bound_at = Bound {
                value: decimal(bound),
                exclusive,
            };
            for is_lower in [true, false] {
                let (lower, upper) = match is_lower {
                    true => (Some(&bound_at), None),
                    false => (None, Some(&bound_at)),
                };
                for integers_only in [true, false] {
                    let expr = numbers(integers_only, lower, upper, NumberSpelling::Any).unwrap();
                    let dfa = Dfa::from_expr(&expr.unwrap(), &LIMITS).unwrap();
                    for value in grid.iter().flat_map(|value| value - 11..value + 11) {
                        let within = match (is_lower, exclusive) {
                            (true, false) => value >= bound,
                            (true, true) => value > bound,
                            (false, false) => value <= bound,
                            (false, true) => value < bound,
                        } && (!integers_only || value % 1000 == 0);
                        let plain = decimal(value).plain();
                        let zeros = if plain.contains('.') { "00" } else { ".0" };
                        for text in [plain.clone(), format!("{plain}{zeros}")] {
                            assert_eq!(
                                dfa.accepts(text.as_bytes()),
                                within,
                                "{text} with bound {bound_at:?}, lower: {is_lower}"
                            );
                        }
                    }
                }
            }
        }
    }
}
