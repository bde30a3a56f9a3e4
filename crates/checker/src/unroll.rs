//! Regular languages below, above, or equal to a context-free one.
//!
//! Rules are written out in place, as a transition network whose calls are
//! inlined. A call in *tail position* (its continuation is the continuation of
//! the rule it stands in) only jumps, so tail recursion costs nothing and is
//! exact. Other recursive calls are written out to a given depth; what is
//! [`Beyond`] it is either cut off, which leaves a subset of the language, or
//! goes to one shared copy of the rule that forgets where it was called from,
//! which leaves a superset: the regular cover of EPIC (section 4.3, appendix
//! D.3), made tighter by the levels above it.

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, NfaBuilder, NfaState};
use lacuna_grammar::{Grammar, RuleId};
use rustc_hash::FxHashMap;

/// Rules written out inside one another, so that the native stack is bounded.
pub(crate) const MAX_NESTING: usize = 300;

/// What recursion deeper than the limit becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It is cut off: the result holds at most the language.
    Nothing,
    /// Returns are forgotten: the result holds at least the language.
    Anything,
}

/// The result of [`unroll`].
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The automaton.
    pub dfa: Dfa,
    /// Whether no call lay beyond the depth, so that it is the language itself.
    pub exact: bool,
}

/// Writes out `start` with recursion to `depth` levels.
///
/// # Errors
/// When the automaton outgrows the limits.
pub fn unroll(
    grammar: &Grammar,
    start: RuleId,
    recursive: &[bool],
    depth: usize,
    beyond: Beyond,
    limits: &Limits,
) -> Result<Unrolled, AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    let (from, to) = (builder.state()?, builder.state()?);
    let mut unroller = Unroller {
        grammar,
        recursive,
        depth,
        beyond,
        frames: vec![Frame {
            exit: to,
            entries: Vec::new(),
        }],
        shared: FxHashMap::default(),
        nesting: 0,
        exact: true,
    };
    unroller.call(&mut builder, start, from, to)?;
    let dfa = builder.finish(from, to).determinize(limits)?.minimize();
    Ok(Unrolled {
        dfa,
        exact: unroller.exact,
    })
}

/// One level of inlined recursion: rules that end at `exit` when they end.
struct Frame {
    exit: NfaState,
    entries: Vec<(RuleId, NfaState)>,
}

struct Unroller<'a> {
    grammar: &'a Grammar,
    recursive: &'a [bool],
    depth: usize,
    beyond: Beyond,
    frames: Vec<Frame>,
    shared: FxHashMap<RuleId, (NfaState, NfaState)>,
    nesting: usize,
    exact: bool,
}

impl Unroller<'_> {
    fn call(
        &mut self,
        builder: &mut NfaBuilder,
        rule: RuleId,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        if !self.recursive[rule.0 as usize] {
            return self.body(builder, rule, from, to);
        }
        let level = self.frames.len() - 1;
        if to == self.frames[level].exit {
            let known = self.frames[level]
                .entries
                .iter()
                .find(|(known, _)| *known == rule);
            if let Some(&(_, entry)) = known {
                builder.empty_edge(from, entry);
                return Ok(());
            }
            let entry = builder.state()?;
            builder.empty_edge(from, entry);
            self.frames[level].entries.push((rule, entry));
            return self.body(builder, rule, entry, to);
        }
        if level < self.depth {
            let entry = builder.state()?;
            builder.empty_edge(from, entry);
            self.frames.push(Frame {
                exit: to,
                entries: vec![(rule, entry)],
            });
            let result = self.body(builder, rule, entry, to);
            self.frames.pop();
            return result;
        }
        self.exact = false;
        match self.beyond {
            Beyond::Nothing => Ok(()),
            Beyond::Anything => self.call_shared(builder, rule, from, to),
        }
    }

    fn call_shared(
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
                // At the depth limit, so that what is inside is shared too.
                let frame = Frame {
                    exit: ends.1,
                    entries: vec![(rule, ends.0)],
                };
                let outer = std::mem::take(&mut self.frames);
                self.frames
                    .extend((0..self.depth).map(|_| Frame::unreachable()));
                self.frames.push(frame);
                let result = self.body(builder, rule, ends.0, ends.1);
                self.frames = outer;
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
        let mut call =
            |builder: &mut NfaBuilder, rule, from, to| self.call(builder, rule, from, to);
        let result = builder.expression(&grammar.rule(rule).body, from, to, &mut call);
        self.nesting -= 1;
        result
    }
}

impl Frame {
    /// A frame that only counts as a level.
    fn unreachable() -> Self {
        Self {
            exit: NfaState::MAX,
            entries: Vec::new(),
        }
    }
}
