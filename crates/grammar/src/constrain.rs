//! Conjunction: of a grammar's texts, those that a regular expression takes too.
//!
//! Any dialect's grammar can be narrowed so; Lark has notation of its own for it
//! (`%constrain`). The checker runs the constraint's automaton beside the lexer, so
//! the grammar is not multiplied out.

use std::sync::Arc;

use crate::automaton::{AutomatonError, Dfa, Limits};
use crate::{Diagnostic, Diagnostics, Grammar, Place, RuleId, regex};

const LIMITS: Limits = Limits {
    nfa_states: 100_000,
    dfa_states: 10_000,
};

/// Narrows a grammar to the texts that match a regular expression as a whole, in
/// [`regex`]'s syntax.
///
/// ```
/// use lacuna_grammar::{constrain::constrain, gbnf, recognize::recognize};
/// let mut lists = gbnf::parse(r#"root ::= "[" (root ("," root)*)? "]""#).unwrap();
/// constrain(&mut lists, ".{4,}").unwrap();
/// assert!(recognize(&lists, b"[[]]"));
/// assert!(!recognize(&lists, b"[]"));
/// ```
///
/// # Errors
/// What is wrong with the expression, with places in it; that it is too large, or
/// that no text satisfies it together with a constraint that the grammar has.
pub fn constrain(grammar: &mut Grammar, pattern: &str) -> Result<(), Diagnostics> {
    let whole = Place::Span {
        start: 0,
        end: pattern.len(),
    };
    let too_large = |error: AutomatonError| {
        let message = format!("the constraint is too large: {error}");
        Diagnostics::from(Diagnostic::error("too-large", whole.clone(), message))
    };
    let expression = regex::parse(pattern)?;
    let language = Dfa::from_expr(&expression.rule(RuleId(0)).body, &LIMITS).map_err(too_large)?;
    let all = match &grammar.constraint {
        Some(before) => before.intersect(&language, &LIMITS).map_err(too_large)?,
        None => language,
    };
    if all.is_empty() {
        let message = "no text satisfies this together with the constraints of the grammar";
        return Err(Diagnostic::error("empty-language", whole.clone(), message).into());
    }
    grammar.constraint = Some(Arc::new(all));
    Ok(())
}
