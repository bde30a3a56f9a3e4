//! GBNF, the grammar notation of llama.cpp.
//!
//! ```text
//! # a comment
//! root  ::= "{" pair ("," pair)* "}"
//! pair  ::= name ":" [0-9]{1,3}
//! name  ::= [a-z] [a-z0-9_]*
//! ```
//!
//! A rule ends at the end of its line, except inside parentheses, after `::=`
//! and after `|`. Literals and classes are over Unicode characters, which the
//! grammar spells in UTF-8; their escapes are `\n \r \t \\ \" \[ \] \xNN \uNNNN
//! \UNNNNNNNN`. `.` is any character, line ends too. A repetition (`*`, `+`,
//! `?`, `{m}`, `{m,}`, `{m,n}`) applies to the whole item before it, a literal
//! of several characters too. The grammar is scannerless: any way of reading a
//! text counts.
//!
//! `<name>` and `<[12]>` are the text of a token of one tokenizer, `!<name>` and
//! `!<[12]>` that of any other token; so a grammar that has them is read with a
//! tokenizer ([`read`]).
//!
//! Where this differs from llama.cpp: left recursion is welcome; and a rule given
//! twice is an error (there the last one wins). `docs/gbnf.md` lists it all.

mod ast;
mod literals;
mod lower;
mod parser;
mod tokens;

use crate::{Diagnostic, Diagnostics, Grammar, Linted, Place, TokenTexts, analysis};

/// Longest grammar text that is read, in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Deepest nesting of parentheses.
pub const MAX_NESTING: usize = 128;
/// Largest number in `{m,n}`.
pub const MAX_REPETITION: u32 = 100_000;

/// Reads a grammar; the start rule is `root`.
///
/// ```
/// use lacuna_grammar::{gbnf, recognize::recognize};
/// let grammar = gbnf::parse(r#"root ::= "(" root ")" | [^()]*"#).unwrap();
/// assert!(recognize(&grammar, "((é))".as_bytes()));
///
/// let wrong = gbnf::parse("root ::= a | b\na ::= \"x\"").unwrap_err();
/// assert_eq!(wrong.0[0].kind, "unknown-rule");
/// ```
///
/// # Errors
/// All that is wrong: after a wrong literal or class reading goes on behind it, after
/// another syntax error at the next rule.
pub fn parse(text: &str) -> Result<Grammar, Diagnostics> {
    lint(text).map(|linted| linted.grammar)
}

/// Reads a grammar, and says what looks wrong with it.
///
/// # Errors
/// All that is wrong, as in [`parse`].
pub fn lint(text: &str) -> Result<Linted, Diagnostics> {
    read(text, None)
}

/// As [`lint`], with a tokenizer whose tokens the grammar may name.
///
/// # Errors
/// All that is wrong, as in [`parse`]; without a tokenizer every token that is
/// named is wrong.
pub fn read(text: &str, tokens: Option<&dyn TokenTexts>) -> Result<Linted, Diagnostics> {
    if text.len() > MAX_TEXT {
        let place = Place::Span {
            start: MAX_TEXT,
            end: text.len(),
        };
        let message = format!("the grammar is longer than {MAX_TEXT} bytes");
        return Err(Diagnostic::error("too-large", place, message).into());
    }
    let reading = parser::parse(text);
    let (rules, mut findings) = (reading.rules, reading.findings);
    let grammar = lower::lower(&rules, text.len(), reading.complete, tokens, &mut findings);
    match grammar {
        Some(grammar) if findings.is_empty() => {
            let root = &rules[grammar.start.0 as usize].name;
            analysis::refuse_empty_language(&grammar, root.place())?;
            let warnings = analysis::lints(&grammar, |rule| rules[rule].name.place());
            let places = rules.iter().map(|rule| rule.name.place()).collect();
            Ok(Linted {
                grammar,
                warnings,
                places,
                terminals: Vec::new(),
            })
        }
        _ => {
            findings.sort_by_key(|finding| match finding.place {
                Place::Span { start, .. } => start,
                Place::Pointer(_) => 0,
            });
            Err(Diagnostics(findings))
        }
    }
}
