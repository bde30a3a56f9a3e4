//! Objects: members in the declared order, or in any.
//!
//! Where nothing is counted, an object in declared order is an expression. Else
//! a rule stands for each state: which named members were seen, how many there
//! are of the others, which conditions are met.
//!
//! In any order the set of members seen is part of the state, so the grammar is
//! exponential in the number of members that are tracked. Up to
//! [`MAX_TRACKED`] all named ones are, so that none stands twice. With more, the
//! ones that need not be there are no longer tracked: such a name may repeat. In
//! a grammar that is large already that begins earlier.

use std::collections::HashMap;

use super::lower::Lowering;
use super::members::Member;
use super::shape::Objects;
use super::syntax::between;
use crate::{Expr, RuleId};

/// Most named members that are all tracked in any order.
pub(super) const MAX_TRACKED: usize = 8;
/// As [`MAX_TRACKED`], in a grammar that has over [`MANY_RULES`].
const MAX_TRACKED_IN_MANY: usize = 0;
const MANY_RULES: usize = 20_000;
/// Most required members in any order.
pub(super) const MAX_REQUIRED: usize = 14;
/// Most states of an object whose members are counted.
const MAX_STATES: usize = 20_000;
/// Most optional members that one nested expression holds.
const MAX_NESTED: usize = 32;

/// How far an object has come.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// In declared order, the next member; tracked ones seen, as bits, in any.
    seen: u64,
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
            (false, false) => in_order(members),
            _ => self.in_states(&members, (min, max), objects.some.len())?,
        };
        let inside = match may_be_empty(&inside) {
            // The empty object may hold blanks, the others have them already.
            true => Expr::Choice(vec![self.blanks(), inside]),
            false => inside,
        };
        Some(between([Expr::literal("{"), Expr::literal("}")], inside))
    }

    /// A rule for each state that members lead to.
    fn in_states(
        &mut self,
        members: &[Member],
        (min, max): (u32, Option<u32>),
        conditions: usize,
    ) -> Option<Expr> {
        let Some(tracked) = self.tracked(members) else {
            let message = format!(
                "an object with over {MAX_REQUIRED} required properties cannot be read in any \
                 order"
            );
            self.refuse_here("too-many-properties", &message);
            return None;
        };
        let members = self.as_rules(members);
        let walk = Walk {
            all_met: (1u32 << conditions) - 1,
            counted_to: max.map_or(min, |max| max.max(min)),
            required: required(&members, &tracked),
            any_order: self.any_order(),
            members,
            tracked,
            min,
            max,
        };
        let start = State {
            seen: 0,
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
                    true => with_comma(member),
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
                false => Expr::Sequence(vec![one_of(again).star(), choices]),
            };
            self.rules[rules[&state].0 as usize].body = body;
        }
        Some(match is_empty_possible {
            // As an expression, so that blanks inside can be told apart.
            true => Expr::Rule(first).optional(),
            false => Expr::Rule(first),
        })
    }

    /// For each member whether it is tracked by a bit; in declared order none is.
    fn tracked(&self, members: &[Member]) -> Option<Vec<Option<u32>>> {
        let named = members.iter().filter(|member| member.is_named).count();
        let mut bits = 0..;
        let most = match self.rules.len() > MANY_RULES {
            true => MAX_TRACKED_IN_MANY,
            false => MAX_TRACKED,
        };
        let all = named <= most;
        let tracked: Vec<Option<u32>> = members
            .iter()
            .map(|member| {
                let wanted = self.any_order() && (member.is_required || all && member.is_named);
                wanted.then(|| bits.next()).flatten()
            })
            .collect();
        let count = tracked.iter().flatten().count();
        (count <= MAX_TRACKED.max(MAX_REQUIRED)).then_some(tracked)
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

/// How members lead from state to state.
struct Walk {
    members: Vec<Member>,
    tracked: Vec<Option<u32>>,
    /// The bits of required members.
    required: u64,
    any_order: bool,
    min: u32,
    max: Option<u32>,
    /// Counts from here on are alike.
    counted_to: u32,
    all_met: u32,
}

impl Walk {
    fn may_end(&self, state: &State) -> bool {
        let complete = match self.any_order {
            true => state.seen & self.required == self.required,
            false => {
                let mut left = self.members[state.seen as usize..].iter();
                !left.any(|member| member.is_required)
            }
        };
        complete && state.count >= self.min && state.met == self.all_met
    }

    /// The members that may come next, and where they lead.
    fn steps(&self, state: &State) -> Vec<(Expr, State)> {
        if self.max.is_some_and(|max| state.count >= max) {
            return Vec::new();
        }
        let mut steps = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let seen = match (self.any_order, self.tracked[index]) {
                (true, Some(bit)) if state.seen & (1 << bit) != 0 => continue,
                (true, Some(bit)) => state.seen | 1 << bit,
                (true, None) => state.seen,
                (false, _) if (index as u64) < state.seen => continue,
                (false, _) if member.is_named => index as u64 + 1,
                (false, _) => index as u64,
            };
            for (bits, way) in &member.ways {
                let next = State {
                    seen: match self.any_order {
                        true => seen,
                        // Members beside the named ones come in any order.
                        false => seen.min(self.first_free()),
                    },
                    count: (state.count + 1).min(self.counted_to),
                    met: state.met | bits,
                    is_begun: true,
                };
                steps.push((way.clone(), next));
            }
            if !self.any_order && member.is_required {
                break;
            }
        }
        steps
    }

    fn first_free(&self) -> u64 {
        let named = self.members.iter().filter(|member| member.is_named);
        named.count() as u64
    }
}

fn required(members: &[Member], tracked: &[Option<u32>]) -> u64 {
    let bits = members.iter().zip(tracked);
    let bits = bits.filter(|(member, _)| member.is_required);
    bits.filter_map(|(_, bit)| *bit)
        .fold(0, |all, bit| all | 1 << bit)
}

/// The members in order, those not required possibly left out; no conditions.
///
/// A required member needs no care about commas: what is before it is followed
/// by one, what is after it is preceded by one. Each member stands in the
/// expression once then, and at most twice (a few times more, if there are very
/// many) where none is required.
fn in_order(members: Vec<Member>) -> Expr {
    let mut named = Vec::new();
    let mut free = Vec::new();
    for member in members {
        let way = one_of(member.ways.into_iter().map(|(_, way)| way).collect());
        match member.is_named {
            true => named.push((way, member.is_required)),
            false => free.push(way),
        }
    }
    let free = (!free.is_empty()).then(|| one_of(free));
    let more = match &free {
        None => Expr::empty(),
        Some(member) => with_comma(member.clone()).star(),
    };
    let Some(anchor) = named.iter().position(|(_, required)| *required) else {
        let mut optional: Vec<Expr> = named.into_iter().map(|(member, _)| member).collect();
        optional.extend(free.map(|member| Expr::Sequence(vec![member, more])));
        return match optional.is_empty() {
            true => Expr::empty(),
            false => some_of(&optional).optional(),
        };
    };
    let mut parts = Vec::new();
    for (index, (member, required)) in named.into_iter().enumerate() {
        parts.push(match (index < anchor, required) {
            (true, _) => Expr::Sequence(vec![member, Expr::literal(",")]).optional(),
            _ if index == anchor => member,
            (_, true) => with_comma(member),
            (_, false) => with_comma(member).optional(),
        });
    }
    parts.push(more);
    Expr::Sequence(parts)
}

/// At least one of `members`, in order, with commas between.
fn some_of(members: &[Expr]) -> Expr {
    let with_commas = |members: &[Expr]| {
        let optional = |member: &Expr| with_comma(member.clone()).optional();
        Expr::Sequence(members.iter().map(optional).collect())
    };
    if members.len() > MAX_NESTED {
        let (front, back) = members.split_at(members.len() / 2);
        let begun = Expr::Sequence(vec![some_of(front), with_commas(back)]);
        return Expr::Choice(vec![begun, some_of(back)]);
    }
    let mut found: Option<Expr> = None;
    for member in members {
        found = Some(match found {
            None => member.clone(),
            Some(before) => {
                let further = with_comma(member.clone()).optional();
                Expr::Choice(vec![Expr::Sequence(vec![before, further]), member.clone()])
            }
        });
    }
    found.unwrap_or_else(Expr::empty)
}

fn one_of(mut choices: Vec<Expr>) -> Expr {
    match choices.len() {
        1 => choices.remove(0),
        _ => Expr::Choice(choices),
    }
}

fn with_comma(member: Expr) -> Expr {
    Expr::Sequence(vec![Expr::literal(","), member])
}

/// Whether the members' expression admits nothing at all; rules do not matter,
/// as a member always has its quotes.
fn may_be_empty(inside: &Expr) -> bool {
    match inside {
        Expr::Sequence(parts) => parts.iter().all(may_be_empty),
        Expr::Choice(parts) => parts.iter().any(may_be_empty),
        Expr::Repeat { item, min, .. } => *min == 0 || may_be_empty(item),
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Rule(_)
        | Expr::Automaton(_)
        | Expr::Terminal(_) => false,
    }
}
