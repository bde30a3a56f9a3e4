//! What may be wrong with a grammar although it says what was meant: texts
//! nested without bound, and no short texts.
//!
//! These lints look at the whole language, whatever its dialect; those that look
//! at how a grammar is written are its front end's.

use crate::analysis::settle;
use crate::nesting::unbounded_nesting;
use crate::{Diagnostic, Expr, Grammar, Linted, Place};

/// What is worth a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintOptions {
    /// A shortest text longer than this many bytes.
    pub shortest: u64,
    /// Nesting without bound.
    pub nesting: bool,
}

impl Default for LintOptions {
    fn default() -> Self {
        Self {
            shortest: 256,
            nesting: true,
        }
    }
}

/// Warnings about the language of a grammar.
///
/// ```
/// use lacuna_grammar::{gbnf, lint::{LintOptions, lint}};
/// let nested = gbnf::lint(r#"root ::= "(" root ")" | "x"{300}"#).unwrap();
/// let kinds: Vec<_> = lint(&nested, &LintOptions::default())
///     .iter()
///     .map(|warning| warning.kind)
///     .collect();
/// assert_eq!(kinds, ["long-texts", "unbounded-nesting"]);
/// ```
pub fn lint(linted: &Linted, options: &LintOptions) -> Vec<Diagnostic> {
    let Linted {
        grammar, places, ..
    } = linted;
    let mut warnings = Vec::new();
    let start = grammar.start.0 as usize;
    if let Some(shortest) = shortest_text(grammar).filter(|&length| length > options.shortest) {
        let message = format!("every text of this grammar has at least {shortest} bytes");
        warnings.push(
            Diagnostic::warning("long-texts", places[start].clone(), message)
                .with_note("a canvas with too few cells for it cannot be filled"),
        );
    }
    if options.nesting {
        warnings.extend(unbounded_nesting(grammar).into_iter().map(|rule| {
            let name = &grammar.rule(rule).name;
            let message = format!("the texts of {name} are nested without bound");
            Diagnostic::warning(
                "unbounded-nesting",
                places[rule.0 as usize].clone(),
                message,
            )
            .with_note(
                "deep nesting is parsed with a budget; a depth limit leaves regular recursion only",
            )
        }));
    }
    warnings
}

/// A warning that no text belongs, although every rule has texts of its own.
///
/// What lexemes and constraints leave is only known when the grammar is compiled.
pub fn no_text(linted: &Linted) -> Diagnostic {
    let place = linted.start().clone();
    Diagnostic::warning("empty-language", place, "no text belongs to this grammar").with_note(
        "what the rules allow is nowhere cut into the lexemes that they ask for, each the longest \
         that fits, or the constraints leave none of it",
    )
}

/// A warning that no text fits a canvas of so many cells: each has at least
/// `tokens` tokens. `place` is that of the rule that texts start from.
///
/// Tokens are counted by whoever has a vocabulary; this crate has none.
pub fn no_text_fits(place: Place, cells: usize, tokens: usize) -> Diagnostic {
    let message = format!(
        "every text of this grammar has at least {tokens} tokens, and the canvas {cells} cells"
    );
    Diagnostic::warning("long-texts", place, message)
        .with_note(format!("a canvas of {tokens} cells or more may do"))
}

/// The bytes of a shortest text, or a lower bound where texts are cut into
/// lexemes (blanks between them may be needed) or constrained as a whole.
///
/// From no text at all on, lengths of texts of ever higher derivations, until none is
/// shorter.
pub fn shortest_text(grammar: &Grammar) -> Option<u64> {
    let terminals = grammar.lexicon.iter().flat_map(|it| &it.terminals);
    let terminals: Vec<u64> = terminals
        .map(|terminal| shortest_member(&terminal.language).unwrap_or(0))
        .collect();
    let settled = settle(grammar, None, |body, rules| length(body, rules, &terminals));
    let constrained = grammar.constraint.as_deref().and_then(shortest_member);
    let free = settled[grammar.start.0 as usize]?;
    Some(free.max(constrained.unwrap_or(0)))
}

fn shortest_member(language: &crate::automaton::Dfa) -> Option<u64> {
    language.shortest_member().map(|text| text.len() as u64)
}

fn length(expr: &Expr, rules: &[Option<u64>], terminals: &[u64]) -> Option<u64> {
    match expr {
        Expr::Literal(bytes) => Some(bytes.len() as u64),
        Expr::Chars(ranges) => ranges
            .iter()
            .find(|&&(low, high)| low < 0xD800 || high > 0xDFFF)
            .map(|&(low, _)| match low {
                0..0x80 => 1,
                0x80..0x800 => 2,
                0x800..0xD800 | 0xE000..0x10000 => 3,
                0xD800..0xE000 => 3,
                _ => 4,
            }),
        Expr::Sequence(parts) => parts.iter().try_fold(0u64, |sum, part| {
            Some(sum.saturating_add(length(part, rules, terminals)?))
        }),
        Expr::Choice(parts) => parts
            .iter()
            .filter_map(|part| length(part, rules, terminals))
            .min(),
        Expr::Repeat { min: 0, .. } => Some(0),
        Expr::Repeat { item, min, .. } => {
            let once = length(item, rules, terminals)?;
            Some(once.saturating_mul(u64::from(*min)))
        }
        Expr::Rule(rule) => rules[rule.0 as usize],
        Expr::Interleave(interleave) => interleave.lightest(|text| length(text, rules, terminals)),
        Expr::Automaton(dfa) => shortest_member(dfa),
        Expr::Counted(counted) => counted.shortest().map(|bytes| bytes as u64),
        Expr::Terminal(terminal) => Some(terminals[terminal.0 as usize]),
    }
}
