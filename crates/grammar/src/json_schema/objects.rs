//! Objects: members in the declared order, or in any.
//!
//! An object is an interleave of its members ([`Interleave`]): in any order that is
//! the expression itself, whose reader carries the set of what was seen. In
//! declared order it is a plain expression where nothing is counted; else a rule
//! stands for each state: the next member, how many there are, which conditions are
//! met.

use std::collections::HashMap;

use super::lower::Lowering;
use super::members::Member;
use super::shape::Objects;
use super::syntax::between;
use crate::interleave::{Interleave, Item, Way};
use crate::{Expr, RuleId};

/// Most states of an object whose members are counted in declared order.
const MAX_STATES: usize = 20_000;

/// How far an object has come in declared order.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The next member.
    next: usize,
    /// Members so far, up to where nobody minds.
    count: u32,
    /// Conditions met, as bits.
    met: u32,
    /// Whether a comma comes first.
    is_begun: bool,
}

impl<'a> Lowering<'a> {
    /// The objects of a shape; `None` where there are none.
    pub(super) fn object(&mut self, objects: &Objects<'a>) -> Option<Expr> {
        let members = self.members_of(objects)?;
        let named = members.iter().filter(|member| member.is_named).count() as u32;
        let required = members.iter().filter(|member| member.is_required).count() as u32;
        let is_closed = members.len() as u32 == named;
        if is_closed && named < objects.min || objects.max.is_some_and(|max| max < required) {
            return None;
        }
        let min = if objects.min > required {
            objects.min
        } else {
            0
        };
        let max = objects.max.filter(|&max| !is_closed || max < named);
        let is_counted = min > 0 || max.is_some() || !objects.some.is_empty();
        let inside = match (is_counted, self.any_order()) {
            (true, false) => {
                let members = self.as_rules(&members);
                let wanted = (1u32 << objects.some.len()) - 1;
                self.in_states(interleave(members, (min, max), wanted))?
            }
            (false, false) => interleave(members, (0, None), 0).in_order(),
            (_, true) => {
                let wanted = (1u32 << objects.some.len()) - 1;
                Expr::Interleave(Box::new(interleave(members, (min, max), wanted)))
            }
        };
        let inside = match may_be_empty(&inside) {
            // The empty object may hold blanks, the others have them already.
            true => Expr::Choice(vec![self.blanks(), inside]),
            false => inside,
        };
        Some(between([Expr::literal("{"), Expr::literal("}")], inside))
    }

    /// A rule for each state that members in declared order lead to.
    fn in_states(&mut self, members: Interleave) -> Option<Expr> {
        let walk = Walk {
            named: members.items.iter().filter(|item| item.is_once).count(),
            counted_to: members.max.map_or(members.min, |max| max.max(members.min)),
            members,
        };
        let start = State {
            next: 0,
            count: 0,
            met: 0,
            is_begun: false,
        };
        let is_empty_possible = walk.may_end(&start);
        let name = self.here();
        let mut rules: HashMap<State, RuleId> = HashMap::new();
        let mut todo = vec![start.clone()];
        let first = self.add_rule(format!("{name} members"), Expr::never());
        rules.insert(start, first);
        while let Some(state) = todo.pop() {
            let mut choices = Vec::new();
            if walk.may_end(&state) {
                choices.push(Expr::empty());
            }
            let mut again = Vec::new();
            for (member, next) in walk.steps(&state) {
                let member = match state.is_begun {
                    true => Expr::Sequence(vec![Expr::literal(","), member]),
                    false => member,
                };
                if next == state {
                    again.push(member);
                    continue;
                }
                let rest = match rules.get(&next) {
                    Some(&known) => known,
                    None => {
                        if rules.len() > MAX_STATES {
                            let message =
                                format!("counting members takes over {MAX_STATES} states");
                            self.refuse_here("too-large", &message);
                            return None;
                        }
                        let number = rules.len();
                        let rule = format!("{name} members {number}");
                        let rule = self.add_rule(rule, Expr::never());
                        rules.insert(next.clone(), rule);
                        todo.push(next);
                        rule
                    }
                };
                choices.push(Expr::Sequence(vec![member, Expr::Rule(rest)]));
            }
            let choices = Expr::Choice(choices);
            let body = match again.is_empty() {
                true => choices,
                false => Expr::Sequence(vec![Expr::Choice(again).star(), choices]),
            };
            self.rules[rules[&state].0 as usize].body = body;
        }
        Some(match is_empty_possible {
            // As an expression, so that blanks inside can be told apart.
            true => Expr::Rule(first).optional(),
            false => Expr::Rule(first),
        })
    }

    /// Each way of a member as a rule, where it will be mentioned often.
    fn as_rules(&mut self, members: &[Member]) -> Vec<Member> {
        let name = self.here();
        let mut shared = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let ways = member.ways.iter().map(|(bits, way)| {
                let rule = self.add_rule(format!("{name} member {index} {bits:b}"), way.clone());
                (*bits, Expr::Rule(rule))
            });
            shared.push(Member {
                ways: ways.collect(),
                is_named: member.is_named,
                is_required: member.is_required,
            });
        }
        shared
    }
}

fn interleave(members: Vec<Member>, (min, max): (u32, Option<u32>), wanted: u32) -> Interleave {
    let items = members.into_iter().map(|member| Item {
        ways: member
            .ways
            .into_iter()
            .map(|(meets, text)| Way { meets, text })
            .collect(),
        is_once: member.is_named,
        is_required: member.is_required,
    });
    Interleave {
        items: items.collect(),
        separator: Expr::literal(","),
        min,
        max,
        wanted,
    }
}

/// How members in declared order lead from state to state.
struct Walk {
    members: Interleave,
    /// Members that stand once; the others come behind them in any order.
    named: usize,
    /// Counts from here on are alike.
    counted_to: u32,
}

impl Walk {
    fn may_end(&self, state: &State) -> bool {
        let mut left = self.members.items[state.next..].iter();
        !left.any(|member| member.is_required)
            && state.count >= self.members.min
            && state.met == self.members.wanted
    }

    /// The members that may come next, and where they lead.
    fn steps(&self, state: &State) -> Vec<(Expr, State)> {
        if self.members.max.is_some_and(|max| state.count >= max) {
            return Vec::new();
        }
        let mut steps = Vec::new();
        for (index, member) in self.members.items.iter().enumerate().skip(state.next) {
            let behind = match member.is_once {
                true => index + 1,
                false => index,
            };
            for way in &member.ways {
                let next = State {
                    next: behind.min(self.named),
                    count: (state.count + 1).min(self.counted_to),
                    met: state.met | way.meets,
                    is_begun: true,
                };
                steps.push((way.text.clone(), next));
            }
            if member.is_required {
                break;
            }
        }
        steps
    }
}

/// Whether the members' expression admits nothing at all; rules do not matter,
/// as a member always has its quotes.
fn may_be_empty(inside: &Expr) -> bool {
    match inside {
        Expr::Sequence(parts) => parts.iter().all(may_be_empty),
        Expr::Choice(parts) => parts.iter().any(may_be_empty),
        Expr::Repeat { item, min, .. } => *min == 0 || may_be_empty(item),
        Expr::Interleave(members) => members.may_end(&members.start()),
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Rule(_)
        | Expr::Automaton(_)
        | Expr::Terminal(_) => false,
    }
}
