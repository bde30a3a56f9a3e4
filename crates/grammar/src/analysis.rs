//! What can be said of a grammar's rules before any automaton is built: which
//! are reachable, which derive a text at all, which derive the empty one.
//!
//! Each is a fixpoint over the rules, found with a work list: a rule is
//! looked at again only when a rule that it mentions has changed.

use std::collections::VecDeque;

use crate::characters::any_character_in;
use crate::{Diagnostic, Diagnostics, Expr, Grammar, Place, Rule, RuleId};

/// For each rule, whether the start rule leads to it.
pub fn reachable(grammar: &Grammar) -> Vec<bool> {
    reachable_from(grammar, grammar.start)
}

/// For each rule, whether a rule is it or leads to it.
pub fn reachable_from(grammar: &Grammar, rule: RuleId) -> Vec<bool> {
    let mut reached = vec![false; grammar.rules.len()];
    reached[rule.0 as usize] = true;
    let mut stack = vec![rule];
    while let Some(rule) = stack.pop() {
        grammar.rule(rule).body.for_each_rule(&mut |next| {
            if !std::mem::replace(&mut reached[next.0 as usize], true) {
                stack.push(next);
            }
        });
    }
    reached
}

/// For each rule, whether it derives any text.
pub fn productive(grammar: &Grammar) -> Vec<bool> {
    fixpoint(grammar, is_productive)
}

/// Whether the start rule derives any text.
pub(crate) fn is_inhabited(grammar: &Grammar) -> bool {
    let rules = &grammar.rules;
    let mut found = vec![false; rules.len()];
    // Rules mostly mention later ones, so once is mostly enough.
    for at in (0..rules.len()).rev() {
        found[at] = is_productive(&rules[at].body, &found);
    }
    found[grammar.start.0 as usize] || productive(grammar)[grammar.start.0 as usize]
}

/// For each rule, whether it derives the empty text.
pub fn nullable(grammar: &Grammar) -> Vec<bool> {
    fixpoint(grammar, is_nullable)
}

/// Whether an expression derives any text, given that of the rules.
pub fn is_productive(expr: &Expr, rules: &[bool]) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Chars(ranges) => any_character_in(ranges),
        Expr::Sequence(parts) => parts.iter().all(|part| is_productive(part, rules)),
        Expr::Choice(parts) => parts.iter().any(|part| is_productive(part, rules)),
        Expr::Repeat { item, min, max } => {
            max.is_none_or(|max| *min <= max) && (*min == 0 || is_productive(item, rules))
        }
        Expr::Rule(rule) => rules[rule.0 as usize],
        Expr::Interleave(interleave) => {
            let fewest = interleave.fewest_that(|text| is_productive(text, rules));
            fewest.is_some_and(|count| count < 2 || is_productive(&interleave.separator, rules))
        }
        Expr::Automaton(dfa) => !dfa.is_empty(),
        Expr::Counted(counted) => !counted.is_empty(),
        Expr::Terminal(_) => true,
    }
}

/// Whether an expression derives the empty text, given that of the rules.
pub fn is_nullable(expr: &Expr, rules: &[bool]) -> bool {
    match expr {
        Expr::Literal(bytes) => bytes.is_empty(),
        Expr::Chars(_) | Expr::Terminal(_) => false,
        Expr::Sequence(parts) => parts.iter().all(|part| is_nullable(part, rules)),
        Expr::Choice(parts) => parts.iter().any(|part| is_nullable(part, rules)),
        Expr::Repeat { item, min, max } => {
            max.is_none_or(|max| *min <= max) && (*min == 0 || is_nullable(item, rules))
        }
        Expr::Rule(rule) => rules[rule.0 as usize],
        Expr::Interleave(interleave) => {
            let fewest = interleave.fewest_that(|text| is_nullable(text, rules));
            fewest.is_some_and(|count| count < 2 || is_nullable(&interleave.separator, rules))
        }
        Expr::Automaton(dfa) => dfa.accepts(b""),
        Expr::Counted(counted) => counted.holds_empty_text(),
    }
}

/// Warnings about rules that the start rule does not lead to, and about those
/// that no text matches; `place_of` says where a rule is named.
pub(crate) fn lints(grammar: &Grammar, place_of: impl Fn(usize) -> Place) -> Vec<Diagnostic> {
    let (reachable, productive) = (reachable(grammar), productive(grammar));
    let lint = |(index, rule): (usize, &Rule)| {
        let (kind, message) = match (reachable[index], productive[index]) {
            (false, _) => (
                "unreachable-rule",
                format!("nothing that the start rule leads to uses {}", rule.name),
            ),
            (true, false) => (
                "unproductive-rule",
                format!("no text matches {}", rule.name),
            ),
            (true, true) => return None,
        };
        Some(Diagnostic::warning(kind, place_of(index), message))
    };
    grammar.rules.iter().enumerate().filter_map(lint).collect()
}

/// An error at `place` when no text belongs to the grammar.
pub(crate) fn refuse_empty_language(grammar: &Grammar, place: Place) -> Result<(), Diagnostics> {
    if is_inhabited(grammar) {
        return Ok(());
    }
    let message = "no text belongs to this grammar";
    Err(Diagnostic::error("empty-language", place, message)
        .with_note("some rule needs itself, or a class without characters, in every alternative")
        .into())
}

fn fixpoint(grammar: &Grammar, holds: fn(&Expr, &[bool]) -> bool) -> Vec<bool> {
    settle(grammar, false, holds)
}

/// What `of` says of each rule's body, given that of the rules it mentions, when nothing
/// changes any more; at first that is `bottom`, and from there it only goes one way.
pub(crate) fn settle<T: Copy + PartialEq>(
    grammar: &Grammar,
    bottom: T,
    of: impl Fn(&Expr, &[T]) -> T,
) -> Vec<T> {
    let mut found = vec![bottom; grammar.rules.len()];
    let mut open = Open::new(grammar);
    while let Some(rule) = open.next() {
        let next = of(&grammar.rules[rule].body, &found);
        if next != found[rule] {
            found[rule] = next;
            open.changed(rule);
        }
    }
    found
}

/// Rules to look at: first come, first looked at, and each once in the queue, so who
/// mentions many rules is looked at again when most of them are settled.
struct Open {
    mentioned_by: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
}

impl Open {
    fn new(grammar: &Grammar) -> Self {
        let count = grammar.rules.len();
        let mut mentioned_by: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, rule) in grammar.rules.iter().enumerate() {
            rule.body.for_each_rule(&mut |RuleId(mentioned)| {
                let users = &mut mentioned_by[mentioned as usize];
                if users.last() != Some(&index) {
                    users.push(index);
                }
            });
        }
        Self {
            mentioned_by,
            // Rules mostly mention later ones.
            queue: (0..count).rev().collect(),
            is_queued: vec![true; count],
        }
    }

    fn next(&mut self) -> Option<usize> {
        let rule = self.queue.pop_front()?;
        self.is_queued[rule] = false;
        Some(rule)
    }

    fn changed(&mut self, rule: usize) {
        for &user in &self.mentioned_by[rule] {
            if !std::mem::replace(&mut self.is_queued[user], true) {
                self.queue.push_back(user);
            }
        }
    }
}
