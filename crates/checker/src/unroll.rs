//! Regular languages below, above, or equal to a context-free one.
//!
//! A rule is written out as a transition network: mentions of other rules are
//! inlined, once for each continuation they can have. So a recursive mention in
//! *tail position* (its continuation is that of the rule it stands in) only
//! jumps: tail recursion costs nothing and is exact, and rules that share their
//! tails are not multiplied. Any other recursive mention becomes the automaton that
//! the level below gave that rule. Level 0 is either nothing, and then every
//! level holds at most the language, or the *cover*, the rule's network with
//! returns forgotten (EPIC, section 4.3 and appendix D.3), and then every level
//! holds at least the language and is tighter than the one below.
//!
//! Automata are minimised level by level, so a level costs the states it has,
//! not the number of ways to reach them.

use std::sync::Arc;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, Nfa, NfaBuilder, NfaState};
use lacuna_grammar::{Expr, Grammar, RuleId};
use rustc_hash::FxHashMap;

/// Rules written out inside one another, so that the native stack is bounded.
pub(crate) const MAX_NESTING: usize = 300;

/// What a recursive mention outside tail position becomes.
#[derive(Clone, Debug)]
pub enum Below {
    /// It is cut off.
    Nothing,
    /// It is an error.
    Refused,
    /// One copy of the rule for all mentions, that forgets where it returns to.
    Shared,
    /// These automata, one for each rule that is mentioned so.
    Level(FxHashMap<RuleId, Arc<Dfa>>),
}

/// A rule written out.
#[derive(Clone, Debug)]
pub struct WrittenOut {
    /// The automaton.
    pub dfa: Dfa,
    /// Recursive mentions outside tail position; without any, the automaton is
    /// the rule's language itself.
    pub mentions: Vec<RuleId>,
}

/// Writes out a rule over the level below.
///
/// # Errors
/// When the automaton outgrows the limits.
pub fn write_out(
    grammar: &Grammar,
    rule: RuleId,
    recursive: &[bool],
    below: &Below,
    limits: &Limits,
) -> Result<WrittenOut, AutomatonError> {
    let (nfa, mentions) = network(grammar, rule, recursive, below, limits)?;
    let dfa = nfa.determinize(limits)?.minimize();
    Ok(WrittenOut { dfa, mentions })
}

/// The same before it is made deterministic.
fn network(
    grammar: &Grammar,
    rule: RuleId,
    recursive: &[bool],
    below: &Below,
    limits: &Limits,
) -> Result<(Nfa, Vec<RuleId>), AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    let (from, to) = (builder.state()?, builder.state()?);
    let mut network = Network::new(grammar, recursive, below, to);
    network.mention(&mut builder, rule, from, to)?;
    let mentions = network.mentions;
    Ok((builder.finish(from, to), mentions))
}

/// The automaton of an expression whose rules are not recursive.
///
/// # Errors
/// When it outgrows the limits, or mentions a recursive rule.
pub(crate) fn write_out_expression(
    grammar: &Grammar,
    expr: &Expr,
    recursive: &[bool],
    limits: &Limits,
) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    let (from, to) = (builder.state()?, builder.state()?);
    let mut network = Network::new(grammar, recursive, &Below::Refused, to);
    let mut mention =
        |builder: &mut NfaBuilder, rule, from, to| network.mention(builder, rule, from, to);
    builder.expression(expr, from, to, &mut mention)?;
    Ok(builder.finish(from, to).determinize(limits)?.minimize())
}

/// The start rule written out as many levels deep as the limits hold.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The automaton: below or above the language, as `bottom` was.
    pub dfa: Dfa,
    /// Levels of recursion written out.
    pub levels: usize,
}

/// Unrolls the start rule from `bottom` (nothing, or shared), at most
/// [`MAX_LEVELS`] levels; `None` if the limits do not even hold the bottom.
pub fn unroll(
    grammar: &Grammar,
    recursive: &[bool],
    bottom: Below,
    limits: &Limits,
) -> Option<Unrolled> {
    let write = |rule, below: &Below| write_out(grammar, rule, recursive, below, limits);
    let mentions = |rule| {
        let flat = network(grammar, rule, recursive, &Below::Nothing, limits);
        flat.ok().map(|(_, mentions)| mentions)
    };
    let rules = mentioned(mentions(grammar.start)?, mentions)?;
    let mut best = Unrolled {
        dfa: write(grammar.start, &bottom).ok()?.dfa,
        levels: 0,
    };
    let mut below = bottom;
    // Where nothing is mentioned, all levels are the same.
    let most = if rules.is_empty() { 0 } else { MAX_LEVELS };
    for levels in 1..=most {
        let automata = rules
            .iter()
            .map(|&rule| write(rule, &below).map(|written| (rule, Arc::new(written.dfa))));
        let Ok(level) = automata.collect::<Result<_, _>>() else {
            break;
        };
        below = Below::Level(level);
        let Ok(start) = write(grammar.start, &below) else {
            break;
        };
        best = Unrolled {
            dfa: start.dfa,
            levels,
        };
    }
    Some(best)
}

/// Levels that [`unroll`] goes up at most.
pub const MAX_LEVELS: usize = 32;

/// All rules that come to be mentioned outside tail position.
fn mentioned(
    mut open: Vec<RuleId>,
    mentions: impl Fn(RuleId) -> Option<Vec<RuleId>>,
) -> Option<Vec<RuleId>> {
    let mut found = Vec::new();
    while let Some(rule) = open.pop() {
        if !found.contains(&rule) {
            found.push(rule);
            open.extend(mentions(rule)?);
        }
    }
    Some(found)
}

struct Network<'a> {
    grammar: &'a Grammar,
    recursive: &'a [bool],
    below: &'a Below,
    /// Where the rule being written out ends.
    exit: NfaState,
    /// Entry of each rule written out before some continuation.
    entries: FxHashMap<(RuleId, NfaState), NfaState>,
    shared: FxHashMap<RuleId, (NfaState, NfaState)>,
    mentions: Vec<RuleId>,
    nesting: usize,
}

impl<'a> Network<'a> {
    fn new(grammar: &'a Grammar, recursive: &'a [bool], below: &'a Below, exit: NfaState) -> Self {
        Self {
            grammar,
            recursive,
            below,
            exit,
            entries: FxHashMap::default(),
            shared: FxHashMap::default(),
            mentions: Vec::new(),
            nesting: 0,
        }
    }

    fn mention(
        &mut self,
        builder: &mut NfaBuilder,
        rule: RuleId,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        if let Some(&entry) = self.entries.get(&(rule, to)) {
            builder.empty_edge(from, entry);
            return Ok(());
        }
        if !self.recursive[rule.0 as usize] || to == self.exit {
            let entry = builder.state()?;
            builder.empty_edge(from, entry);
            self.entries.insert((rule, to), entry);
            return self.body(builder, rule, entry, to);
        }
        if !self.mentions.contains(&rule) {
            self.mentions.push(rule);
        }
        match self.below {
            Below::Nothing => Ok(()),
            Below::Refused => Err(AutomatonError::MentionsRule(rule.0)),
            Below::Shared => self.mention_shared(builder, rule, from, to),
            Below::Level(automata) => match automata.get(&rule) {
                Some(dfa) => builder.automaton(dfa, from, to),
                None => Err(AutomatonError::MentionsRule(rule.0)),
            },
        }
    }

    fn mention_shared(
        &mut self,
        builder: &mut NfaBuilder,
        rule: RuleId,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let (entry, exit) = match self.shared.get(&rule) {
            Some(&ends) => ends,
            None => {
                let ends = (builder.state()?, builder.state()?);
                self.shared.insert(rule, ends);
                self.entries.insert((rule, ends.1), ends.0);
                let outer = std::mem::replace(&mut self.exit, ends.1);
                let result = self.body(builder, rule, ends.0, ends.1);
                self.exit = outer;
                result?;
                ends
            }
        };
        builder.empty_edge(from, entry);
        builder.empty_edge(exit, to);
        Ok(())
    }

    fn body(
        &mut self,
        builder: &mut NfaBuilder,
        rule: RuleId,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        if self.nesting == MAX_NESTING {
            return Err(AutomatonError::TooLarge {
                what: "nested rules",
                limit: MAX_NESTING,
            });
        }
        self.nesting += 1;
        let grammar = self.grammar;
        let mut mention =
            |builder: &mut NfaBuilder, rule, from, to| self.mention(builder, rule, from, to);
        let result = builder.expression(&grammar.rule(rule).body, from, to, &mut mention);
        self.nesting -= 1;
        result
    }
}
