//! Objects: members in the declared order, or in any.
//!
//! An object is an interleave of its members ([`Interleave`]): in any order that is
//! the expression itself, whose reader carries the set of what was seen. In
//! declared order it is a plain expression where nothing is counted; else a rule
//! stands for each state: the next member, how many there are, which conditions are
//! met.

use rustc_hash::FxHashMap as HashMap;

use super::lower::Lowering;
use super::members::Member;
use super::shape::Objects;
use super::syntax::between;
use crate::automaton::SHORTCUTS;
use crate::interleave::{Interleave, Item, Way};
use crate::{Expr, RuleId};

/// Most states of an object whose members are counted in declared order.
const MAX_STATES: usize = 20_000;

/// What is said of more.
const TOO_MANY_STATES: &str = "counting members takes over 20000 states";

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
        if self.is_refused() {
            return Some(Expr::empty());
        }
        let named = members.iter().filter(|member| member.is_named).count() as u32;
        let required = members.iter().filter(|member| member.is_required).count() as u32;
        let is_closed = members.len() as u32 == named;
        if is_closed && named < objects.min || objects.max.is_some_and(|max| max < required) {
            return None;
        }
        // A grammar engine alone has no judge.
        let may_count_twice = objects.min > required + 1 && !is_closed;
        if SHORTCUTS && (may_count_twice || may_lose_a_condition(&members)) {
            self.expander.may_repeat(self.here.1);
        }
        let min = if objects.min > required {
            objects.min
        } else {
            0
        };
        let max = objects.max.filter(|&max| !is_closed || max < named);
        let is_counted = min > 0 || max.is_some() || !objects.some.is_empty();
        let wanted = (1u32 << objects.some.len()) - 1;
        let order = match (self.any_order(), is_counted) {
            (true, _) => Order::Any,
            (false, true) => Order::Counted,
            (false, false) => Order::Declared,
        };
        let members = match order {
            Order::Counted => self.as_rules(&members),
            Order::Any | Order::Declared => members,
        };
        let mut members = self.interleave(members, (min, max), wanted);
        let may_be_empty = members.may_end(&members.start());
        let can_be_filled = !members.items.is_empty() && max != Some(0);
        let mut choices = Vec::new();
        if may_be_empty {
            choices.push(self.blanks());
        }
        if can_be_filled {
            members.min = members.min.max(1);
            let inside = match order {
                Order::Any => Expr::Interleave(Box::new(members)),
                Order::Counted => self.in_states(members)?,
                Order::Declared => {
                    members.min = 0;
                    some_of(members.in_order())
                }
            };
            choices.push(self.filled(inside));
        }
        let inside = match choices.len() {
            1 => choices.remove(0),
            _ => Expr::Choice(choices),
        };
        Some(between([Expr::literal("{"), Expr::literal("}")], inside))
    }

    /// A rule for each state that members in declared order lead to.
    fn in_states(&mut self, mut members: Interleave) -> Option<Expr> {
        let items = members.items.into_iter();
        let (mut items, free): (Vec<Item>, Vec<Item>) = items.partition(|item| item.is_once);
        let named = items.len();
        items.extend(free);
        members.items = items;
        let walk = Walk {
            named,
            counted_to: members.max.map_or(members.min, |max| max.max(members.min)),
            members,
        };
        let start = State {
            next: 0,
            count: 0,
            met: 0,
            is_begun: false,
        };
        let name = self.here();
        let mut rules: HashMap<State, RuleId> = HashMap::default();
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
                let member = match (member, state.is_begun) {
                    (Some(member), true) => Expr::Sequence(vec![self.comma(), member]),
                    (Some(member), false) => member,
                    (None, _) => Expr::empty(),
                };
                if next == state {
                    again.push(member);
                    continue;
                }
                let rest = match rules.get(&next) {
                    Some(&known) => known,
                    None => {
                        if rules.len() > MAX_STATES {
                            self.refuse_here("too-large", TOO_MANY_STATES);
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
        Some(Expr::Rule(first))
    }

    fn interleave(
        &self,
        members: Vec<Member>,
        (min, max): (u32, Option<u32>),
        wanted: u32,
    ) -> Interleave {
        let items = members.into_iter().map(|member| {
            let ways = member.ways.into_iter();
            Item {
                ways: ways.map(|(meets, text)| Way { meets, text }).collect(),
                is_once: member.is_named,
                is_required: member.is_required,
            }
        });
        Interleave {
            items: items.collect(),
            separator: self.comma(),
            min,
            max,
            wanted,
        }
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

/// How the members of an object are spelled.
#[derive(Clone, Copy)]
enum Order {
    Any,
    Declared,
    /// As declared, and counted.
    Counted,
}

/// Whether a name that may stand twice can meet a condition at first and not in the end.
fn may_lose_a_condition(members: &[Member]) -> bool {
    let mut free = members.iter().filter(|member| !member.is_named);
    free.any(|member| member.ways.windows(2).any(|pair| pair[0].0 != pair[1].0))
}

/// What is not empty of members in order, which are an option where all may be
/// missing.
fn some_of(members: Expr) -> Expr {
    match members {
        Expr::Repeat {
            item,
            min: 0,
            max: Some(1),
        } => *item,
        other => other,
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
        state.next == self.named
            && state.count >= self.members.min
            && state.met == self.members.wanted
    }

    /// The members that may come next, or none where one is left out, and where they lead.
    ///
    /// Leaving out is a step of its own, so that the steps are as many as the members and not as
    /// their pairs.
    fn steps(&self, state: &State) -> Vec<(Option<Expr>, State)> {
        let items = &self.members.items;
        let mut steps = Vec::new();
        let is_named = state.next < self.named;
        let (coming, behind) = match is_named {
            true => (&items[state.next..=state.next], state.next + 1),
            false => (&items[self.named..], self.named),
        };
        if is_named && !coming[0].is_required {
            let next = State {
                next: behind,
                ..state.clone()
            };
            steps.push((None, next));
        }
        if self.members.max.is_some_and(|max| state.count >= max) {
            return steps;
        }
        for way in coming.iter().flat_map(|member| &member.ways) {
            let next = State {
                next: behind,
                count: (state.count + 1).min(self.counted_to),
                met: state.met | way.meets,
                is_begun: true,
            };
            steps.push((Some(way.text.clone()), next));
        }
        steps
    }
}
