//! A plain recogniser: the judge in tests of everything cleverer.
//!
//! For each rule and each place in the text where it is asked for, it keeps the
//! set of places where a text of the rule may end, and recomputes sets until
//! none grows (so left recursion and loops over the empty text need no care).
//! It works on [`Expr`] as written and shares no code with automata
//! construction or with the checker. Where the grammar has a lexicon, the text
//! is first cut by running every terminal's automaton from each lexeme's start,
//! and places are counted in lexemes. What is asked of later places is settled first,
//! since most is made of that. Time and memory grow with rules × text², and with text³
//! where texts are put together in many ways: made for texts of a few kilobytes.

use std::collections::{BTreeMap, BTreeSet};

use places::Places;

use crate::automaton::SHORTCUTS;
use crate::interleave::Interleave;
use crate::{Expr, Grammar, Lexicon, RuleId, Terminal, TerminalId};

mod places;

/// Whether the whole text belongs to the grammar.
///
/// ```
/// use lacuna_grammar::{gbnf, recognize::recognize};
/// let sums = gbnf::parse(r#"root ::= root "+" root | [0-9]"#).unwrap();
/// assert!(recognize(&sums, b"1+2+3"));
/// assert!(!recognize(&sums, b"1+"));
/// ```
pub fn recognize(grammar: &Grammar, text: &[u8]) -> bool {
    let lexemes = match &grammar.lexicon {
        None => None,
        Some(lexicon) => match lexemes(lexicon, text) {
            Some(lexemes) => Some(lexemes),
            None => return false,
        },
    };
    let constrained = grammar.constraint.as_ref();
    if constrained.is_some_and(|constraint| !constraint.accepts(text)) {
        return false;
    }
    let end = lexemes.as_ref().map_or(text.len(), Vec::len);
    let mut recogniser = Recogniser {
        grammar,
        text,
        lexemes: lexemes.unwrap_or_default(),
        ends: BTreeMap::new(),
        readers: BTreeMap::new(),
        work: BTreeSet::new(),
    };
    let whole = (grammar.start, 0);
    recogniser.ends_of(whole, whole);
    while let Some((place, rule)) = recogniser.work.pop_last() {
        let asked = (rule, place);
        let starts = Places::from_iter([asked.1]);
        let found = recogniser.match_from(&grammar.rule(asked.0).body, &starts, asked);
        let known = recogniser.ends.entry(asked).or_default();
        // They only grow.
        if found != *known {
            *known = found;
            let readers = recogniser.readers.get(&asked).into_iter().flatten();
            let readers = readers.map(|&(rule, place)| (place, rule));
            recogniser.work.extend(readers);
        }
    }
    recogniser.ends[&whole].contains(end)
}

/// The lexemes of a text that are not ignored; `None` if it has no lexing.
pub fn lexemes(lexicon: &Lexicon, text: &[u8]) -> Option<Vec<TerminalId>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let longest = |terminal: &Terminal| {
            let (language, mut end) = (&terminal.language, None);
            let mut state = language.start();
            for (at, &byte) in text.iter().enumerate().skip(start) {
                state = match language.next(state, byte) {
                    Some(next) => next,
                    None => break,
                };
                if language.is_accepting(state) {
                    end = Some(at + 1);
                }
            }
            end
        };
        let mut best: Option<(usize, u32)> = None;
        for (id, terminal) in (0..).zip(&lexicon.terminals) {
            if let Some(end) = longest(terminal)
                && best.is_none_or(|(longest, _)| end > longest)
            {
                best = Some((end, id));
            }
        }
        let (end, id) = best?;
        if !lexicon.terminals[id as usize].ignored {
            found.push(TerminalId(id));
        }
        start = end;
    }
    Some(found)
}

/// A rule and the place in the text where a text of it should begin.
type Question = (RuleId, usize);

/// Items of an interleave that were read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    end: usize,
    is_begun: bool,
    items: BTreeSet<usize>,
    count: usize,
    met: u32,
}

impl Listed {
    fn at(start: usize) -> Self {
        Self {
            end: start,
            is_begun: false,
            items: BTreeSet::new(),
            count: 0,
            met: 0,
        }
    }
}

struct Recogniser<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    lexemes: Vec<TerminalId>,
    /// What is known so far; sets only grow.
    ends: BTreeMap<Question, Places>,
    /// Who has used an answer and must look again when it grows.
    readers: BTreeMap<Question, BTreeSet<Question>>,
    /// Those to be looked at, by their places.
    work: BTreeSet<(usize, RuleId)>,
}

impl Recogniser<'_> {
    /// Where a text of `expr` that begins at one of `starts` may end.
    fn match_from(&mut self, expr: &Expr, starts: &Places, reader: Question) -> Places {
        match expr {
            Expr::Literal(bytes) => starts
                .iter()
                .filter(|&start| self.text[start..].starts_with(bytes))
                .map(|start| start + bytes.len())
                .collect(),
            Expr::Chars(ranges) => starts
                .iter()
                .filter_map(|start| {
                    let character = first_character(&self.text[start..])?;
                    let code = character as u32;
                    ranges
                        .iter()
                        .any(|&(low, high)| low <= code && code <= high)
                        .then_some(start + character.len_utf8())
                })
                .collect(),
            Expr::Sequence(parts) => parts.iter().fold(starts.clone(), |places, part| {
                self.match_from(part, &places, reader)
            }),
            Expr::Choice(parts) => parts.iter().fold(Places::default(), |mut ends, part| {
                ends.join(&self.match_from(part, starts, reader));
                ends
            }),
            Expr::Repeat { item, min, max } => self.repeat(item, *min, *max, starts, reader),
            Expr::Interleave(interleave) => self.interleave(interleave, starts, reader),
            Expr::Rule(rule) => starts.iter().fold(Places::default(), |mut ends, start| {
                ends.join(self.ends_of((*rule, start), reader));
                ends
            }),
            Expr::Terminal(terminal) => starts
                .iter()
                .filter(|&start| self.lexemes.get(start) == Some(terminal))
                .map(|start| start + 1)
                .collect(),
            Expr::Counted(_) if !SHORTCUTS => Places::default(),
            Expr::Counted(counted) => self.run(
                starts,
                counted.start(),
                |state| counted.is_accepting(state),
                |state, byte| counted.next(state, byte),
            ),
            Expr::Automaton(dfa) => self.run(
                starts,
                dfa.start(),
                |state| dfa.is_accepting(state),
                |state, byte| dfa.next(state, byte),
            ),
        }
    }

    /// Where an automaton accepts that begins at one of `starts`.
    fn run<S: Copy>(
        &self,
        starts: &Places,
        first: S,
        is_accepting: impl Fn(S) -> bool,
        next: impl Fn(S, u8) -> Option<S>,
    ) -> Places {
        let mut ends = Places::default();
        for start in starts.iter() {
            let mut state = Some(first);
            for end in start..=self.text.len() {
                let Some(here) = state else { break };
                if is_accepting(here) {
                    ends.insert(end);
                }
                state = self.text.get(end).and_then(|&byte| next(here, byte));
            }
        }
        ends
    }

    fn repeat(
        &mut self,
        item: &Expr,
        min: u32,
        max: Option<u32>,
        starts: &Places,
        reader: Question,
    ) -> Places {
        if max.is_some_and(|max| max < min) {
            return Places::default();
        }
        let mut places = starts.clone();
        for _ in 0..min {
            let next = self.match_from(item, &places, reader);
            if next == places {
                break;
            }
            places = next;
        }
        let mut found = places.clone();
        let mut fresh = places;
        let mut left = max.map(|max| max - min);
        while !fresh.is_empty() && left != Some(0) {
            // A place reached before was reached with more repetitions left.
            fresh = self.match_from(item, &fresh, reader);
            fresh.subtract(&found);
            found.join(&fresh);
            left = left.map(|left| left - 1);
        }
        found
    }

    /// All lists of items that stand behind one another, as far as they differ in
    /// what may follow them.
    fn interleave(&mut self, all: &Interleave, starts: &Places, reader: Question) -> Places {
        let enough = all.max.map_or(all.min, |max| max.max(all.min)) as usize;
        let mut ends = Places::default();
        let mut known: BTreeSet<Listed> = BTreeSet::new();
        let mut work: Vec<Listed> = starts.iter().map(Listed::at).collect();
        while let Some(listed) = work.pop() {
            if !known.insert(listed.clone()) {
                continue;
            }
            let mut items = all.items.iter().enumerate();
            let complete = listed.count >= all.min as usize
                && all.wanted & !listed.met == 0
                && items.all(|(at, item)| !item.is_required || listed.items.contains(&at));
            if complete {
                ends.insert(listed.end);
            }
            if all.max.is_some_and(|max| listed.count >= max as usize) {
                continue;
            }
            let mut places = Places::from_iter([listed.end]);
            if listed.is_begun {
                places = self.match_from(&all.separator, &places, reader);
            }
            for (at, item) in all.items.iter().enumerate() {
                if item.is_once && listed.items.contains(&at) {
                    continue;
                }
                for way in &item.ways {
                    for end in self.match_from(&way.text, &places, reader).iter() {
                        let mut next = listed.clone();
                        next.end = end;
                        next.is_begun = true;
                        next.count = (next.count + 1).min(enough);
                        next.met |= way.meets;
                        next.items.insert(at);
                        work.push(next);
                    }
                }
            }
        }
        ends
    }

    fn ends_of(&mut self, asked: Question, reader: Question) -> &Places {
        debug_assert!((asked.0.0 as usize) < self.grammar.rules.len());
        self.readers.entry(asked).or_default().insert(reader);
        self.ends.entry(asked).or_insert_with(|| {
            self.work.insert((asked.1, asked.0));
            Places::default()
        })
    }
}

fn first_character(text: &[u8]) -> Option<char> {
    let length = text.len().min(4);
    (1..=length)
        .find_map(|length| std::str::from_utf8(&text[..length]).ok())?
        .chars()
        .next()
}
