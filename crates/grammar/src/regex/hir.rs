//! The `regex` crate's notation, through its own parser.

use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::anchored::{Outside, Pattern, language};
use super::{MAX_NESTING, MAX_REPETITION, MAX_TEXT};
use crate::analysis::refuse_empty_language;
use crate::automaton::SHORTCUTS;
use crate::{Diagnostic, Diagnostics, Expr, Grammar, Place, Rule, RuleId};

/// Reads a pattern that the whole text must match.
///
/// ```
/// use lacuna_grammar::{recognize::recognize, regex};
/// let date = regex::parse(r"^\d{4}-\d{2}-\d{2}$").unwrap();
/// assert!(recognize(&date, b"2024-02-29"));
/// assert!(!recognize(&date, b"on 2024-02-29"));
/// let file = regex::parse("a|b\r\n").unwrap();
/// assert!(recognize(&file, b"b") && !recognize(&file, b"b\r"));
/// assert_eq!(regex::parse(r"a(?=b)").unwrap_err().0[0].kind, "look-around");
/// ```
///
/// # Errors
/// What the syntax does not know, and what looks around.
pub fn parse(pattern: &str) -> Result<Grammar, Diagnostics> {
    let whole = Place::Span {
        start: 0,
        end: pattern.len(),
    };
    if pattern.len() > MAX_TEXT {
        let message = format!("the pattern is longer than {MAX_TEXT} bytes");
        return Err(Diagnostic::error("too-large", whole, message).into());
    }
    // A final line end is the file's, not the pattern's.
    let ends = ["\r\n", "\n"];
    let mut bare = ends.iter().filter_map(|end| pattern.strip_suffix(end));
    let pattern = bare.next().unwrap_or(pattern);
    let hir = read_hir(pattern, PatternFlags::default()).map_err(Diagnostics)?;
    let body = language(&lower(&hir, pattern.len()), Outside::Nothing)?;
    let rule = Rule {
        name: "pattern".to_owned(),
        body,
    };
    let grammar = Grammar::new(vec![rule], RuleId(0));
    refuse_empty_language(&grammar, whole)?;
    Ok(grammar)
}

/// Flags that hold from the beginning of a pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PatternFlags {
    /// `i`
    pub ignore_case: bool,
    /// `s`
    pub dot_all: bool,
    /// `x`
    pub verbose: bool,
}

/// The pattern's meaning, where all of it is supported.
pub(crate) fn read_hir(pattern: &str, flags: PatternFlags) -> Result<Hir, Vec<Diagnostic>> {
    let tree = ast::parse::ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .ignore_whitespace(flags.verbose)
        .build()
        .parse(pattern)
        .map_err(|error| vec![syntax_error(&error)])?;
    let mut refused = Vec::new();
    refuse_unsupported(&tree, true, true, &mut refused);
    if !refused.is_empty() {
        return Err(refused);
    }
    TranslatorBuilder::new()
        .utf8(true)
        .unicode(true)
        .case_insensitive(flags.ignore_case)
        .dot_matches_new_line(flags.dot_all)
        .build()
        .translate(pattern, &tree)
        .map_err(|error| {
            let place = place(error.span());
            vec![Diagnostic::error(
                "unsupported-class",
                place,
                error.kind().to_string(),
            )]
        })
}

/// The language of a pattern that asks for no ends of the text.
pub(crate) fn expression(hir: &Hir) -> Result<Expr, Diagnostic> {
    language(&lower(hir, 0), Outside::Nothing)
}

fn lower(hir: &Hir, length: usize) -> Pattern {
    match hir.kind() {
        HirKind::Empty => Pattern::Plain(Expr::empty()),
        HirKind::Literal(literal) => Pattern::Plain(Expr::Literal(literal.0.clone())),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class
                .ranges()
                .iter()
                .map(|r| (r.start() as u32, r.end() as u32));
            Pattern::Plain(Expr::Chars(ranges.collect()))
        }
        // With `utf8(true)` a class of bytes holds ASCII only.
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class
                .ranges()
                .iter()
                .map(|r| (r.start() as u32, r.end() as u32));
            Pattern::Plain(Expr::Chars(ranges.collect()))
        }
        HirKind::Look(Look::Start | Look::StartLF | Look::StartCRLF) => Pattern::Beginning {
            start: 0,
            end: length,
        },
        // The others were refused on the syntax tree.
        HirKind::Look(_) => Pattern::End {
            start: 0,
            end: length,
        },
        HirKind::Repetition(repetition) => Pattern::Repeat {
            item: Box::new(lower(&repetition.sub, length)),
            min: repetition.min,
            max: repetition.max,
        },
        HirKind::Capture(capture) => lower(&capture.sub, length),
        HirKind::Concat(parts) => {
            Pattern::Sequence(parts.iter().map(|part| lower(part, length)).collect())
        }
        HirKind::Alternation(parts) => {
            Pattern::Choice(parts.iter().map(|part| lower(part, length)).collect())
        }
    }
}

/// Collects what the grammar cannot express, with its place, which the later
/// form no longer knows. `first` and `last`: the part is at that end of the
/// pattern.
fn refuse_unsupported(tree: &Ast, first: bool, last: bool, refused: &mut Vec<Diagnostic>) {
    match tree {
        Ast::Assertion(assertion) => {
            use ast::AssertionKind::*;
            let message = match assertion.kind {
                StartLine | StartText if first => return,
                EndLine | EndText if last => return,
                StartLine | StartText | EndLine | EndText => {
                    "^ and $ are supported only at the ends of the pattern"
                }
                _ => "word boundaries are not supported",
            };
            let kind = match assertion.kind {
                StartLine | StartText | EndLine | EndText => "inner-anchor",
                _ => "look-around",
            };
            refused.push(Diagnostic::error(kind, place(&assertion.span), message));
        }
        Ast::Repetition(repetition) => {
            let largest = match &repetition.op.kind {
                ast::RepetitionKind::Range(ast::RepetitionRange::Exactly(count))
                | ast::RepetitionKind::Range(ast::RepetitionRange::AtLeast(count))
                | ast::RepetitionKind::Range(ast::RepetitionRange::Bounded(_, count)) => *count,
                _ => 0,
            };
            if largest > MAX_REPETITION {
                let message = format!("more than {MAX_REPETITION} repetitions");
                refused.push(Diagnostic::error(
                    "too-large",
                    place(&repetition.op.span),
                    message,
                ));
            }
            if let (Ast::Repetition(_), ast::RepetitionKind::OneOrMore) =
                (&*repetition.ast, &repetition.op.kind)
            {
                let place = place(&repetition.op.span);
                refused.push(Diagnostic::error("atomic-group", place, NOT_KEPT));
            }
            refuse_unsupported(&repetition.ast, false, false, refused);
        }
        Ast::Group(group) => {
            if let ast::GroupKind::NonCapturing(flags) = &group.kind {
                refuse_flags(flags, refused);
            }
            refuse_unsupported(&group.ast, first, last, refused);
        }
        Ast::Flags(flags) => refuse_flags(&flags.flags, refused),
        Ast::Alternation(alternation) => {
            for part in &alternation.asts {
                refuse_unsupported(part, first, last, refused);
            }
        }
        Ast::Concat(concat) => {
            let mut parts = concat.asts.iter();
            let begins = parts.position(|part| !is_silent(part, true)).unwrap_or(0);
            let mut parts = concat.asts.iter();
            let ends = parts.rposition(|part| !is_silent(part, false));
            let ends = ends.unwrap_or(concat.asts.len());
            for (index, part) in concat.asts.iter().enumerate() {
                refuse_unsupported(
                    part,
                    first && index <= begins,
                    last && index >= ends,
                    refused,
                );
            }
        }
        Ast::Empty(_)
        | Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => {}
    }
}

const NO_REFERENCES: &str = "backreferences are not supported";
const NOT_KEPT: &str = "nothing can be kept from being given back";

/// Whether a part reads nothing and says nothing but, of an end of the pattern, that it is there:
/// flags, and anchors of that end.
fn is_silent(part: &Ast, is_start: bool) -> bool {
    use ast::AssertionKind::*;
    match part {
        Ast::Flags(_) | Ast::Empty(_) => true,
        Ast::Assertion(assertion) => match assertion.kind {
            StartLine | StartText => is_start,
            EndLine | EndText => !is_start,
            _ => false,
        },
        _ => false,
    }
}

fn refuse_flags(flags: &ast::Flags, refused: &mut Vec<Diagnostic>) {
    for item in &flags.items {
        if let ast::FlagsItemKind::Flag(ast::Flag::CRLF) = item.kind {
            let message = "recursion is not supported";
            refused.push(Diagnostic::error(
                "unsupported-flag",
                place(&item.span),
                message,
            ));
        }
    }
}

fn syntax_error(error: &ast::Error) -> Diagnostic {
    use ast::ErrorKind::*;
    // The grammar engine alone says most of it in general.
    if SHORTCUTS && let Some((kind, message)) = told(error) {
        return Diagnostic::error(kind, place(error.span()), message);
    }
    let kind = match error.kind() {
        UnsupportedLookAround => "look-around",
        UnsupportedBackreference => "back-reference",
        FlagUnrecognized if error.pattern()[error.span().start.offset..].starts_with("P=") => {
            return Diagnostic::error("back-reference", place(error.span()), NO_REFERENCES);
        }
        NestLimitExceeded(_) => "too-deep",
        _ => "syntax",
    };
    Diagnostic::error(kind, place(error.span()), error.kind().to_string())
}

/// What the parser says in general, of what other notations have.
fn told(error: &ast::Error) -> Option<(&'static str, String)> {
    use ast::ErrorKind::*;
    let (before, here) = error.pattern().split_at(error.span().start.offset);
    let begins = |what: &str| here.starts_with(what);
    let is_group = before.ends_with("(?");
    let (kind, message) = match error.kind() {
        UnsupportedBackreference if begins("\\0") => {
            ("syntax", "octal numbers are not supported: write \\x00")
        }
        EscapeUnrecognized if begins("\\k") || begins("\\g") => ("back-reference", NO_REFERENCES),
        FlagUnrecognized if is_group && begins("(") => ("back-reference", NO_REFERENCES),
        FlagUnrecognized if is_group && begins(">") => ("atomic-group", NOT_KEPT),
        NestLimitExceeded(limit) => {
            let message = format!("groups, repetitions and classes are over {limit} deep");
            return Some(("too-deep", message));
        }
        _ => return None,
    };
    Some((kind, message.to_owned()))
}

fn place(span: &ast::Span) -> Place {
    Place::Span {
        start: span.start.offset,
        end: span.end.offset,
    }
}
