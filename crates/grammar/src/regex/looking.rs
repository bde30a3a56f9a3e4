//! Patterns that look around, wherever they do: what [`super::anchored`] does not say.

use rustc_hash::FxHashMap;

use super::anchored::{Outside, Pattern, is_plain, language};
use crate::automaton::{AutomatonError, Condition, Conditions, Language, Limits, NfaState};
use crate::{Diagnostic, Expr, Place};

/// What an automaton of such a pattern may need.
const LIMITS: Limits = Limits {
    nfa_states: 50_000,
    dfa_states: 20_000,
};

/// The texts in which a pattern of so many bytes matches somewhere.
pub(super) fn search(pattern: &Pattern, length: usize) -> Result<Language, Diagnostic> {
    let too_large = |message: String| {
        let place = Place::Span {
            start: 0,
            end: length,
        };
        Diagnostic::error("too-large", place, message)
    };
    let mut expressions = Vec::new();
    collect(pattern, &mut expressions);
    let failed = |error: AutomatonError| too_large(error.to_string());
    let conditions = Conditions::new(expressions.into_iter(), &LIMITS).map_err(failed)?;
    let Some(mut conditions) = conditions else {
        let message = "a pattern that looks around tells too many characters apart";
        return Err(too_large(message.to_owned()));
    };
    refuse_ahead_in_behind(pattern, false)?;
    let start = conditions.builder.state().map_err(failed)?;
    let anything = conditions.anything();
    let mut looks = Looks::default();
    connect(&mut conditions, &mut looks, pattern, start, anything).map_err(failed)?;
    conditions.searched(start, &LIMITS).map_err(failed)
}

/// The conditions of what looks around, by the addresses of the parts: what is repeated
/// asks the same each time.
type Looks = FxHashMap<*const Pattern, Condition>;

fn collect<'p>(pattern: &'p Pattern, found: &mut Vec<&'p Expr>) {
    match pattern {
        Pattern::Plain(expr) => found.push(expr),
        Pattern::Sequence(parts) | Pattern::Choice(parts) => {
            parts.iter().for_each(|part| collect(part, found));
        }
        Pattern::Repeat { item: inside, .. } | Pattern::Look { inside, .. } => {
            collect(inside, found);
        }
        Pattern::Beginning { .. } | Pattern::End { .. } | Pattern::Boundary { .. } => {}
    }
}

/// What is looked behind for is over; what it says of what is to come is refused.
fn refuse_ahead_in_behind(pattern: &Pattern, is_behind: bool) -> Result<(), Diagnostic> {
    match pattern {
        Pattern::Sequence(parts) | Pattern::Choice(parts) => {
            let mut parts = parts.iter();
            parts.try_for_each(|part| refuse_ahead_in_behind(part, is_behind))
        }
        Pattern::Repeat { item, .. } => refuse_ahead_in_behind(item, is_behind),
        &Pattern::Look {
            ref inside,
            behind,
            start,
            end,
            ..
        } => match is_behind && !behind {
            true => Err(refused(start, end)),
            false => refuse_ahead_in_behind(inside, is_behind || behind),
        },
        &(Pattern::End { start, end } | Pattern::Boundary { start, end, .. }) if is_behind => {
            Err(refused(start, end))
        }
        _ => Ok(()),
    }
}

fn refused(start: usize, end: usize) -> Diagnostic {
    let message = "what looks behind cannot ask what comes next";
    Diagnostic::error("look-around", Place::Span { start, end }, message)
}

/// Connects two states by what a pattern says.
fn connect(
    to_be: &mut Conditions,
    looks: &mut Looks,
    pattern: &Pattern,
    from: NfaState,
    to: NfaState,
) -> Result<(), AutomatonError> {
    if is_plain(pattern)
        && let Ok(expr) = language(pattern, Outside::Nothing)
    {
        return to_be.expression(&expr, from, to);
    }
    match pattern {
        Pattern::Plain(expr) => to_be.expression(expr, from, to)?,
        Pattern::Beginning { .. } => to_be.condition(Condition::Beginning, from, to),
        Pattern::End { .. } => to_be.condition(Condition::End, from, to),
        &Pattern::Boundary { negated, .. } => {
            to_be.condition(Condition::Boundary { negated }, from, to);
        }
        Pattern::Look {
            inside,
            behind,
            negated,
            ..
        } => {
            let known = looks.get(&std::ptr::from_ref(pattern)).copied();
            let condition = match known {
                Some(known) => known,
                None => look(to_be, looks, inside, (*behind, *negated))?,
            };
            looks.insert(pattern, condition);
            to_be.condition(condition, from, to);
        }
        Pattern::Sequence(parts) => {
            let mut at = from;
            for part in parts {
                let next = to_be.builder.state()?;
                connect(to_be, looks, part, at, next)?;
                at = next;
            }
            to_be.builder.empty_edge(at, to);
        }
        Pattern::Choice(parts) => {
            for part in parts {
                connect(to_be, looks, part, from, to)?;
            }
        }
        Pattern::Repeat { item, min, max } => {
            let mut at = from;
            for _ in 0..*min {
                let next = to_be.builder.state()?;
                connect(to_be, looks, item, at, next)?;
                at = next;
            }
            let Some(max) = max else {
                let [hub, back] = [to_be.builder.state()?, to_be.builder.state()?];
                to_be.builder.empty_edge(at, hub);
                connect(to_be, looks, item, hub, back)?;
                to_be.builder.empty_edge(back, hub);
                to_be.builder.empty_edge(hub, to);
                return Ok(());
            };
            for _ in *min..*max {
                to_be.builder.empty_edge(at, to);
                let next = to_be.builder.state()?;
                connect(to_be, looks, item, at, next)?;
                at = next;
            }
            to_be.builder.empty_edge(at, to);
        }
    }
    Ok(())
}

fn look(
    to_be: &mut Conditions,
    looks: &mut Looks,
    inside: &Pattern,
    (behind, negated): (bool, bool),
) -> Result<Condition, AutomatonError> {
    let from = to_be.builder.state()?;
    let end = match behind {
        true => to_be.builder.state()?,
        false => to_be.anything(),
    };
    connect(to_be, looks, inside, from, end)?;
    Ok(match behind {
        true => Condition::Behind {
            number: to_be.look_behind(from, end),
            negated,
        },
        false => Condition::Ahead { from, negated },
    })
}
