//! Which parts of a text are of which rules: facts, in the order in which they follow
//! from one another.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::reach::{Places, reach};
use super::{Input, NoDerivation};
use crate::RuleId;

/// A rule, and where a text of it should begin.
type Question = (RuleId, usize);

/// For each rule and place where it was asked for, where its texts end, and the number of
/// that fact.
#[derive(Default)]
pub(super) struct Facts {
    ends: FxHashMap<Question, Vec<(usize, u32)>>,
    count: u32,
}

impl Facts {
    /// All facts that the start rule asks for at the beginning.
    pub(super) fn collect(input: &mut Input<'_>) -> Result<Self, NoDerivation> {
        let grammar = input.grammar;
        let mut facts = Self::default();
        let mut readers: FxHashMap<Question, BTreeSet<Question>> = FxHashMap::default();
        let whole = (grammar.start, 0);
        let mut work = vec![whole];
        facts.ends.insert(whole, Vec::new());
        while let Some(asked) = work.pop() {
            let (rule, start) = asked;
            let mut unknown = Vec::new();
            let mut look_up = |rule: RuleId, start: usize| {
                let question = (rule, start);
                readers.entry(question).or_default().insert(asked);
                match facts.ends.get(&question) {
                    Some(ends) => ends.iter().map(|&(end, _)| end).collect(),
                    None => {
                        unknown.push(question);
                        Places::new()
                    }
                }
            };
            let body = &grammar.rule(rule).body;
            let found = reach(input, body, &Places::from([start]), &mut look_up)?;
            let known = facts.ends.entry(asked).or_default();
            let before = known.len();
            for end in found {
                if !known.iter().any(|&(known, _)| known == end) {
                    known.push((end, facts.count));
                    facts.count += 1;
                }
            }
            if known.len() > before {
                let readers = readers.get(&asked).into_iter().flatten();
                work.extend(readers.copied());
            }
            for question in unknown {
                if facts.ends.insert(question, Vec::new()).is_none() {
                    work.push(question);
                }
            }
        }
        Ok(facts)
    }

    /// The number of a fact, if it is one.
    pub(super) fn number(&self, rule: RuleId, start: usize, end: usize) -> Option<u32> {
        let ends = self.ends.get(&(rule, start))?;
        let found = ends.iter().find(|&&(known, _)| known == end);
        found.map(|&(_, number)| number)
    }

    /// Where texts of a rule end, by facts with numbers below `below`.
    pub(super) fn ends(&self, rule: RuleId, start: usize, below: u32) -> Places {
        let ends = self.ends.get(&(rule, start)).into_iter().flatten();
        let ends = ends.filter(|&&(_, number)| number < below);
        ends.map(|&(end, _)| end).collect()
    }
}
