//! Patterns that bound how long a text is, as patterns without the bound and the numbers of
//! characters it stands for.
//!
//! `[a-z]{1,128}` holds the texts of `[a-z]+` that have at most 128 characters, and
//! `x[a-z]{1,128}` those of `x[a-z]+` that have at most 129: where all else is of one length,
//! how often something is repeated says how long the whole is. So it can be counted beside an
//! automaton of few states ([`Counted`](super::Counted)).
//!
//! Cost: a walk over the expression.

use std::borrow::Cow;

use super::lengths::Bounds;
use crate::Expr;

/// So few repetitions that there must be remain as they are: a bound from below is one more
/// thing to count.
const KEPT: u32 = 8;

/// An expression whose texts within bounds are those of another.
pub(crate) struct Uncounted {
    pub expr: Expr,
    pub bounds: Bounds,
}

impl Uncounted {
    /// Of an expression that bounds its texts by repeating something; `None` where it does not,
    /// or where it is not only the length that says which texts these are.
    pub(crate) fn of(expr: &Expr) -> Option<Self> {
        let (expr, min, max) = uncounted(expr)?;
        let max = Some(max);
        Some(Self {
            expr,
            bounds: Bounds { min, max },
        })
    }
}

/// The expression without bounds, the fewest characters and the most.
fn uncounted(expr: &Expr) -> Option<(Expr, u32, u32)> {
    match expr {
        Expr::Repeat {
            item,
            min: 0,
            max: Some(1),
        } => {
            let (inside, min, max) = uncounted(item)?;
            // The empty text is none of the others.
            let expr = Expr::Repeat {
                item: Box::new(inside),
                min: 0,
                max: Some(1),
            };
            (min == 0).then_some((expr, 0, max))
        }
        &Expr::Repeat {
            ref item,
            min,
            max: Some(max),
        } if min < max && length(item) == Some(1) => {
            let (kept, counted) = if min > KEPT { (0, min) } else { (min, 0) };
            let expr = Expr::Repeat {
                item: item.clone(),
                min: kept,
                max: None,
            };
            Some((expr, counted, max))
        }
        Expr::Sequence(parts) => sequence(parts),
        Expr::Choice(ways) => choice(ways),
        _ => None,
    }
}

/// All parts but one are of one length.
fn sequence(parts: &[Expr]) -> Option<(Expr, u32, u32)> {
    let mut fixed = 0u32;
    let mut found = None;
    for (at, part) in parts.iter().enumerate() {
        match length(part) {
            Some(length) => fixed = fixed.checked_add(length)?,
            None if found.is_some() => return None,
            None => found = Some((at, uncounted(part)?)),
        }
    }
    let (at, (inside, min, max)) = found?;
    let mut parts = parts.to_vec();
    parts[at] = inside;
    let min = if min > 0 { min.checked_add(fixed)? } else { 0 };
    Some((Expr::Sequence(parts), min, max.checked_add(fixed)?))
}

/// Some are bounded alike, and the others are never as long.
fn choice(ways: &[Expr]) -> Option<(Expr, u32, u32)> {
    let mut bound = None;
    let mut found = Vec::with_capacity(ways.len());
    for way in ways {
        found.push(match uncounted(way) {
            Some((inside, 0, max)) if bound.is_none_or(|bound| bound == max) => {
                bound = Some(max);
                Cow::Owned(inside)
            }
            _ => Cow::Borrowed(way),
        });
    }
    let bound = bound?;
    let is_within = |way: &Cow<'_, Expr>| match way {
        Cow::Owned(_) => true,
        Cow::Borrowed(way) => most(way).is_some_and(|most| most <= bound),
    };
    let ways = found.iter().all(is_within).then_some(found)?;
    let ways = ways.into_iter().map(Cow::into_owned).collect();
    Some((Expr::Choice(ways), 0, bound))
}

/// The number of characters of all texts, if it is one.
fn length(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Literal(bytes) => u32::try_from(str::from_utf8(bytes).ok()?.chars().count()).ok(),
        Expr::Chars(_) => Some(1),
        Expr::Sequence(parts) => parts
            .iter()
            .try_fold(0u32, |sum, part| sum.checked_add(length(part)?)),
        Expr::Choice(ways) => {
            let (first, others) = ways.split_first()?;
            let first = length(first)?;
            let all = others.iter().all(|way| length(way) == Some(first));
            all.then_some(first)
        }
        Expr::Repeat { item, min, max } if *max == Some(*min) => length(item)?.checked_mul(*min),
        _ => None,
    }
}

/// The number of characters that no text has more of, if there is one.
fn most(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Sequence(parts) => parts
            .iter()
            .try_fold(0u32, |sum, part| sum.checked_add(most(part)?)),
        Expr::Choice(ways) => ways
            .iter()
            .try_fold(0, |largest, way| Some(largest.max(most(way)?))),
        Expr::Repeat { item, max, .. } => most(item)?.checked_mul((*max)?),
        single => length(single),
    }
}

#[cfg(test)]
mod tests {
    use super::Uncounted;
    use crate::automaton::{Dfa, Language, Limits};
    use crate::regex::parse_ecma_search;

    /// Patterns, with the fewest characters and the most that are counted.
    const COUNTED: [(&str, u32, u32); 11] = [
        ("^[a-c]{1,12}$", 0, 12),
        ("^[a-c]{10,12}$", 10, 12),
        ("^[^a]{0,12}$", 0, 12),
        ("^x[a-c]{1,12}yä$", 0, 15),
        ("^x[a-c]{9,12}(?:ab|cd)$", 12, 15),
        ("^(?:[a-c]{2,12})?$", 0, 12),
        ("^[a-c](?:[a-d]{0,9}[a-c])?$", 0, 11),
        ("^(?:[a-c]{1,12}|[x-z]{3,12})$", 0, 12),
        ("^(?:x[a-c]{1,11}|y{2}[x-z]{3,10})$", 0, 12),
        ("^(?:[a-c]{1,12}|[x-z]{2,5})$", 0, 12),
        ("^(?:(?:a|b|ä)){3,12}$", 0, 12),
    ];

    const OTHERS: [&str; 9] = [
        "^(?:[a-c]{1,12}|xy*)$",
        "^[a-c]+$",
        "[a-c]{1,12}",
        "^[a-c]{12}$",
        "^(?:ab){1,12}$",
        "^[a-c]{1,12}[a-b]{0,12}$",
        "^(?:[a-c]{1,12}|[x-z]{1,13})$",
        "^(?:[a-c]{9,12})?$",
        "^(?:[a-c]{1,12}|x+)$",
    ];

    /// The texts within bounds are those of the pattern.
    #[test]
    fn texts_within_bounds_are_the_patterns() {
        let limits = Limits::default();
        for (pattern, min, max) in COUNTED {
            let expr = parse_ecma_search(pattern).unwrap();
            let found = Uncounted::of(&expr).expect(pattern);
            let bounds = (found.bounds.min, found.bounds.max);
            assert_eq!(bounds, (min, Some(max)), "{pattern}");
            let of_any_length = Language::of_expr(&found.expr, &limits).unwrap();
            let lengths = of_any_length.lengths().unwrap();
            let within = lengths.rest(lengths.start(), found.bounds, &limits);
            let counted = within.unwrap().utf8(&limits).unwrap();
            let expected = Dfa::from_expr(&expr, &limits).unwrap();
            for (one, other) in [(&counted, &expected), (&expected, &counted)] {
                let difference = one.minus(other, &limits).unwrap();
                assert!(difference.is_empty(), "{pattern}");
            }
        }
    }

    #[test]
    fn others_are_left_as_they_are() {
        for pattern in OTHERS {
            let expr = parse_ecma_search(pattern).unwrap();
            assert!(Uncounted::of(&expr).is_none(), "{pattern}");
        }
    }
}
