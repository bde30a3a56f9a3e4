//! Lark's notation, for grammars over lexemes.
//!
//! ```text
//! start: "let" NAME "=" sum ";"
//! sum: product (("+" | "-") product)*
//! product: NUMBER | NAME | "(" sum ")"
//! NAME: /[a-z]\w*/
//! %import common.NUMBER
//! %ignore " "
//! ```
//!
//! Names in small letters are rules, names in capitals terminals. A text is
//! first cut into lexemes, each as long as any terminal allows ([`Lexicon`]);
//! ties are won by the higher priority (`NAME.2: …`), then by a literal over a
//! pattern, then by what is defined first, literals of rules last. Only
//! terminals that reachable rules use, or that are ignored, take part. What is
//! ignored may stand between lexemes, never inside one.
//!
//! Taken are Lark's rules, terminals, literals, ranges, regular expressions in
//! Python's notation, groups, `[maybe]`, operators, priorities, templates,
//! `%ignore`, `%import common.…`, `%override` and `%extend`; modifiers (`?`, `!`,
//! `_`) and aliases shape trees and change nothing here. Of llguidance's
//! additions `{m,n}`, and in terminals `&` and `~`. Of our own, `%constrain`
//! and `%forbid` name a regular language that whole texts must, or must not,
//! belong to, and `%slot` a terminal whose values are given at run time. `docs/lark.md` lists it all, with what is refused, and where
//! Lark's and llguidance's lexers decide otherwise.
//!
//! The steps: [`parser`] makes a tree (with [`body`] for what stands
//! after colons), [`definitions`] gives names to things,
//! [`terminals`] makes automata (through [`python`], where regular expressions
//! are concerned, and in an order that [`references`] finds), [`rules`] lowers bodies and makes templates into rules, and
//! [`lexicon`] orders the terminals that are used.
//!
//! [`Lexicon`]: crate::Lexicon

mod ast;
mod body;
mod constraint;
mod cursor;
mod definitions;
mod lexicon;
mod parser;
mod python;
mod references;
mod rules;
mod terminals;

use crate::automaton::Limits;
use crate::slots::{Ask, Recipe, Target, Way};
use crate::{
    Diagnostic, Diagnostics, Filling, Grammar, Linted, OpenGrammar, Place, Slot, Slots, TerminalId,
};
use definitions::Definitions;
use lexicon::Candidates;
use rules::Lowering;
use terminals::Terminals;

/// Longest grammar text that is read, in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Deepest nesting of groups.
pub const MAX_NESTING: usize = 128;
/// Largest number in a repetition.
pub const MAX_REPETITION: u32 = 100_000;
/// Most rules that templates may become.
pub const MAX_INSTANCES: usize = 1000;
/// Most terminals in a lexicon.
pub const MAX_TERMINALS: usize = 10_000;
/// Most states of all automata together: terminals', operands', constraints'.
pub const MAX_TERMINAL_STATES: usize = 100_000;
/// What one terminal's automaton may need.
pub const LIMITS: Limits = Limits {
    nfa_states: 100_000,
    dfa_states: 20_000,
};
/// Findings after which the parser gives up.
const MAX_FINDINGS: usize = 50;

/// What a grammar text leaves open.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rule that a whole text must match.
    pub start: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            start: "start".to_owned(),
        }
    }
}

/// Reads a grammar whose start rule is `start`.
///
/// ```
/// use lacuna_grammar::{lark, recognize::recognize};
/// let grammar = lark::parse(r#"
///     start: NAME ("," NAME)*
///     NAME: /[a-z]+/
///     %ignore " "
/// "#).unwrap();
/// assert!(recognize(&grammar, b"ab, cd"));
/// assert!(!recognize(&grammar, b"ab cd"));
///
/// let wrong = lark::parse("start: a B\na: \"x\"").unwrap_err();
/// assert_eq!(wrong.0[0].kind, "unknown-terminal");
/// ```
///
/// # Errors
/// All that is wrong: after a syntax error reading goes on at the next
/// definition.
pub fn parse(text: &str) -> Result<Grammar, Diagnostics> {
    parse_with(text, &Options::default()).map(|linted| linted.grammar)
}

/// Reads a grammar, and says what looks wrong with it.
///
/// # Errors
/// All that is wrong, as in [`parse`]; slots, which [`open`] reads.
pub fn parse_with(text: &str, options: &Options) -> Result<Linted, Diagnostics> {
    open(text, options)?.fill(&Slots::default())
}

/// Reads a grammar whose slots (`%slot`) are still to be filled.
///
/// # Errors
/// All that is wrong, as in [`parse`].
pub fn open(text: &str, options: &Options) -> Result<OpenGrammar, Diagnostics> {
    if text.len() > MAX_TEXT {
        let place = Place::Span {
            start: MAX_TEXT,
            end: text.len(),
        };
        let message = format!("the grammar is longer than {MAX_TEXT} bytes");
        return Err(Diagnostic::error("too-large", place, message).into());
    }
    let (items, mut findings) = parser::parse(text);
    // Where the text could not be read, definitions may seem to be missing.
    let complete = findings.is_empty();
    let definitions = Definitions::collect(items, &mut findings);
    let complete = complete && findings.is_empty();
    let terminals = Terminals::compile(&definitions, complete, &mut findings);
    let mut candidates = Candidates::new(text, &definitions, terminals);
    let constraint = constraint::compile(&definitions, &mut candidates, complete, &mut findings);
    let lowering = Lowering::new(&definitions, candidates, complete, &mut findings);
    match lowering.grammar(options, text.len()) {
        Some((mut linted, slots)) if findings.is_empty() => {
            linted.grammar.constraint = constraint;
            in_order(&mut linted.warnings);
            Ok(with_slots(linted, &definitions, &slots))
        }
        _ => {
            in_order(&mut findings);
            Err(Diagnostics(findings))
        }
    }
}

/// `used` are the terminals that are slots, with the numbers of their definitions.
fn with_slots(
    linted: Linted,
    definitions: &Definitions,
    used: &[(TerminalId, usize)],
) -> OpenGrammar {
    let mut open = OpenGrammar::closed(linted, Place::Span { start: 0, end: 0 });
    for (index, definition) in definitions.terminals.iter().enumerate() {
        let Some(ways) = &definition.slot else {
            continue;
        };
        let (name, place) = (definition.name.text.clone(), definition.name.span.place());
        let way = |way: &ast::SlotWay| Way {
            asks: vec![Ask {
                name: name.clone(),
                filling: Filling::Any,
                ignore_case: way.ignore_case,
            }],
            within: Vec::new(),
            spelling: way.spelling,
        };
        if let Some((id, _)) = used.iter().find(|(_, used)| *used == index) {
            open.holes.push((Target::Terminal(*id), open.recipes.len()));
            open.recipes.push(Recipe {
                place: place.clone(),
                ways: ways.iter().map(way).collect(),
            });
        }
        open.slots.push(Slot {
            name,
            filling: Filling::Any,
            place,
        });
    }
    open
}

fn in_order(findings: &mut Vec<Diagnostic>) {
    findings.sort_by_key(|finding| match finding.place {
        Place::Span { start, .. } => start,
        Place::Pointer(_) => 0,
    });
    findings.dedup();
    findings.truncate(MAX_FINDINGS);
}
