//! Reading inputs: grammars, tokens, patterns.

use lacuna_checker::{Gap, Pattern, Segment};
use lacuna_grammar::automaton::Dfa;
use lacuna_grammar::{Expr, Grammar, gbnf, lark};

/// The parts of an input, if it is text and has so many.
pub fn parts<const N: usize>(input: &[u8]) -> Option<[&str; N]> {
    let text = std::str::from_utf8(input).ok()?;
    let parts: Vec<&str> = text.splitn(N, "\n---\n").collect();
    parts.try_into().ok()
}

/// A grammar that the plain recogniser can judge in no time: GBNF, or Lark where
/// a line begins with `start:`.
pub fn small_grammar(text: &str) -> Option<Grammar> {
    let is_lark = text.lines().any(|line| line.starts_with("start:"));
    let grammar = match is_lark {
        true => lark::parse(text).ok()?,
        false => gbnf::parse(text).ok()?,
    };
    let rules = grammar.rules.iter().map(|rule| size(&rule.body));
    let terminals = grammar.lexicon.iter().flat_map(|it| &it.terminals);
    let states = |dfa: &Dfa| dfa.state_count() as u64;
    let terminals = terminals.map(|terminal| states(&terminal.language));
    (rules.chain(terminals).fold(0, u64::saturating_add) <= 2000).then_some(grammar)
}

/// Parts of an expression with repetitions written out.
fn size(expr: &Expr) -> u64 {
    let total = |parts: &[Expr]| parts.iter().map(size).fold(1, u64::saturating_add);
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => total(parts),
        Expr::Repeat { item, min, max } => {
            let times = u64::from(max.unwrap_or(*min).max(1));
            size(item).saturating_mul(times).saturating_add(1)
        }
        Expr::Interleave(interleave) => {
            let forms = interleave.forms().map(size);
            forms.fold(1, u64::saturating_add)
        }
        Expr::Literal(bytes) => bytes.len() as u64,
        Expr::Automaton(dfa) => dfa.state_count() as u64,
        Expr::Counted(counted) => counted.state_count() as u64,
        Expr::Chars(_) | Expr::Rule(_) | Expr::Terminal(_) => 1,
    }
}

/// Tokens, one a line: the first ends the text and the second is the mask, and
/// neither has bytes.
pub fn tokens(lines: &str) -> Vec<Option<Vec<u8>>> {
    let written = lines.lines().filter(|line| !line.is_empty()).take(8);
    let written = written.map(|line| Some(line.as_bytes().to_vec()));
    [None, None].into_iter().chain(written).collect()
}

/// Text in which `_` is a masked cell and `~` a gap of any length.
pub fn pattern(text: &str) -> Pattern {
    let pieces = text.chars().map(|character| match character {
        '_' => Segment::Gap(Gap::Cells(1)),
        '~' => Segment::Gap(Gap::Any),
        other => Segment::Text(other.to_string().into_bytes()),
    });
    Pattern::with_open_tail(pieces)
}
