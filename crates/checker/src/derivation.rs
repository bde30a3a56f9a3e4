//! The witness: a cheapest derivation, read off a chart.
//!
//! Every state of an entry carries its least cost, so how it came to be can be
//! found again from the costs alone: an edge, a completion or a step of a loop
//! explains it if the costs add up exactly. Explanations never go in circles: each either
//! costs less, or covers less of the text; the exception, rules that derive one
//! another and nothing else, is searched breadth first.
//!
//! Cost: the entries at the nodes that the derivation passes, each with what is complete in it
//! times what waits for that; where a state completes many nonterminals at once, what waits is
//! ordered by what it waits for ([`Derivation::arrivals`]), once for each goal's state.

use std::collections::VecDeque;
use std::rc::Rc;

use lacuna_grammar::automaton::SHORTCUTS;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::chart::{Entry, Node, NodeId, handed_on};
use crate::graph::{Label, Step};
use crate::lr::StateId;
use crate::sets::{Costed, SetId, StateSets};

/// How much more than it is known to cost a goal may cost: of items in any order those are
/// forgotten whose future others have too, and these may have cost more.
const SLACK: u32 = 256;

/// Steps of a derivation that a witness may take to write.
const MAX_STEPS: usize = 4_000_000;

/// Members of sets that may be looked at for all of them: about a second of work.
const MAX_WORK: usize = 1 << 28;

/// The chart of a finished parse, and all that it was made from.
pub(crate) struct Derivation<'a> {
    pub nodes: &'a mut [Node],
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    /// The place of the entry that explained the last goal.
    pub last: usize,
    /// Members of sets that were looked at, and sets.
    pub work: usize,
    /// Who waits in a set for what leads to a state: by the nonterminal, with the costs.
    pub arrivals: FxHashMap<(SetId, StateId), Rc<[Arrival]>>,
}

/// What leads to a state, from which, and what that one costs.
type Arrival = (NonterminalId, StateId, u32);

/// Nonterminals that a state may complete at once and be looked for one by one in all that waits.
const FEW_COMPLETE: usize = 8;

/// Entries of a node up to which they are gone through from the first on for one that completes a
/// goal.
const FEW_ENTRIES: usize = 64;

/// A state of an entry, with the cost that it is reached at.
#[derive(Clone, Copy, Debug)]
struct Goal {
    node: NodeId,
    origin: NodeId,
    state: StateId,
    cost: u32,
    /// The state in which its productions are complete.
    complete_in: StateId,
}

/// What explains a goal.
enum Explanation {
    /// Nothing is written or read between its origin and its node.
    Begun,
    /// An edge from this goal on.
    Edge(Goal, Label),
    /// A whole nonterminal inside the gap of the goal's node.
    Text(Goal, NonterminalId),
    /// A nonterminal: what waited for it, and what completed it.
    Completed(Goal, Goal),
}

impl Derivation<'_> {
    /// The cheapest path to `end`, and on to the end of the text; `None` if that is
    /// too long.
    pub(crate) fn path(mut self, end: NodeId, start: NodeId, total: u32) -> Option<Vec<Step>> {
        let node = &self.nodes[end as usize];
        let mut edges = node.edges.iter().flat_map(|edges| edges.iter());
        let last = *edges.find(|edge| edge.label == Label::End)?;
        let (point, settled) = (node.point, node.began_at(start)?);
        let mut reversed = vec![Step {
            from: point,
            label: Label::End,
            to: last.to,
        }];
        let members = self.sets.members(settled.set);
        let state = members.iter().find_map(|&(state, cost)| {
            let total_here = settled.cost.saturating_add(cost).saturating_add(last.cost);
            let ends = self.sets.state(self.cfg, state).ends;
            (ends && total_here == total).then_some(state)
        })?;
        let mut steps = 0;
        let mut stack = vec![Goal {
            node: end,
            origin: start,
            state,
            cost: total - last.cost,
            complete_in: state,
        }];
        while let Some(goal) = stack.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            match self.explain_within_slack(goal, &mut stack)? {
                Explanation::Begun => {}
                Explanation::Edge(before, label) => {
                    self.prepend(before.node, goal.node, label, &mut reversed);
                    stack.push(before);
                }
                Explanation::Text(before, nonterminal) => {
                    let (from, end) = (before.state, before.complete_in);
                    let states = self.sets.states();
                    let symbols = states.read_in_gap(self.cfg, nonterminal, from, end)?;
                    self.prepend_text(before.node, goal.node, &symbols, &mut reversed)?;
                    stack.push(before);
                }
                Explanation::Completed(before, inner) => stack.extend([before, inner]),
            }
        }
        reversed.reverse();
        Some(reversed)
    }

    /// Takes note of members that were looked at, and of a set.
    fn note_work(&mut self, work: usize) {
        if SHORTCUTS {
            self.work += work;
        }
    }

    /// What explains a goal at its cost, as a rule, or at a little more.
    fn explain_within_slack(&mut self, goal: Goal, stack: &mut Vec<Goal>) -> Option<Explanation> {
        if !SHORTCUTS {
            return self.explain(goal, stack);
        }
        for cost in goal.cost..=goal.cost.saturating_add(SLACK) {
            let found = self.explain(Goal { cost, ..goal }, stack);
            if found.is_some() || self.work > MAX_WORK {
                return found;
            }
        }
        None
    }

    fn prepend(&self, from: NodeId, to: NodeId, label: Label, reversed: &mut Vec<Step>) {
        let point = |id: NodeId| self.nodes[id as usize].point;
        let (from, to) = (point(from), point(to));
        reversed.push(Step { from, label, to });
    }

    /// Writes symbols between two nodes of a gap.
    fn prepend_text(
        &mut self,
        from: NodeId,
        to: NodeId,
        symbols: &[Symbol],
        reversed: &mut Vec<Step>,
    ) -> Option<()> {
        let (from, to) = (
            self.nodes[from as usize].gap.clone()?,
            self.nodes[to as usize].gap.clone()?,
        );
        let is_one = matches!(symbols, [Symbol::Nonterminal(_)]);
        let mut way = match SHORTCUTS && !is_one {
            true => self.sets.way(to.group, symbols, from.member, to.member)?,
            // There is one boundary only, or one symbol.
            false => symbols.iter().map(|&symbol| (symbol, to.member)).collect(),
        };
        while let Some((symbol, behind)) = way.pop() {
            let before = way.last().map_or(from.member, |&(_, before)| before);
            let group = self.sets.gap_group(to.group)?;
            for (terminal, before, behind) in group.spell(symbol, before, behind, MAX_STEPS)? {
                let node = |member: u32| to.nodes.get(member as usize).copied();
                let (before, behind) = (node(before)?, node(behind)?);
                self.prepend(before, behind, Label::Lexeme(terminal), reversed);
            }
        }
        Some(())
    }

    /// What explains a goal. Where it is complete and only makes another rule of
    /// the same origin complete, and so on, what waited on the way is put on
    /// `stack`.
    fn explain(&mut self, goal: Goal, stack: &mut Vec<Goal>) -> Option<Explanation> {
        // Unit steps: each goal with the one it explains and what waited there.
        let mut found: Vec<(Goal, usize, Option<Goal>)> = vec![(goal, 0, None)];
        let mut seen = FxHashSet::from_iter([goal.state]);
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            if SHORTCUTS && self.work > MAX_WORK {
                return None;
            }
            let goal = found[at].0;
            if let Some(explanation) = self.explain_directly(goal) {
                let mut at = at;
                let mut waited = Vec::new();
                while let (_, next, Some(waiting)) = found[at] {
                    waited.push(waiting);
                    at = next;
                }
                stack.extend(waited.into_iter().rev());
                return Some(explanation);
            }
            for (waiting, inner) in self.unit_steps(goal) {
                if seen.insert(inner.state) {
                    found.push((inner, at, Some(waiting)));
                    queue.push_back(found.len() - 1);
                }
            }
        }
        None
    }

    fn explain_directly(&mut self, goal: Goal) -> Option<Explanation> {
        if self.nodes[goal.node as usize].point.within {
            return self.by_edge(goal);
        }
        if self.sets.state(self.cfg, goal.state).begins {
            return Some(Explanation::Begun);
        }
        self.by_edge(goal)
            .or_else(|| self.inside_gap(goal))
            .or_else(|| self.by_completion(goal))
    }

    /// The settled states at a node that began at another, or at itself.
    fn settled(&self, node: NodeId, origin: NodeId) -> Option<Costed> {
        let known = self.nodes[node as usize].began_at(origin);
        known.or_else(|| {
            (node == origin).then(|| Costed {
                set: self.nodes[node as usize].begun,
                cost: 0,
            })
        })
    }

    /// All sets at a node that began at another: at itself there can be two.
    fn all_settled(&self, node: NodeId, origin: NodeId) -> Vec<Costed> {
        let mut all = Vec::from_iter(self.settled(node, origin));
        let begun = Costed {
            set: self.nodes[node as usize].begun,
            cost: 0,
        };
        if node == origin && all.first() != Some(&begun) {
            all.push(begun);
        }
        all
    }

    fn by_edge(&mut self, goal: Goal) -> Option<Explanation> {
        let to = self.nodes[goal.node as usize].point;
        for before in self.nodes[goal.node as usize].before.clone() {
            let (edges, inside) = {
                let node = &self.nodes[before as usize];
                (node.edges.clone(), node.inside.clone())
            };
            let edges = edges.iter().chain(&inside).flat_map(|edges| edges.iter());
            for edge in edges.filter(|edge| edge.to == to) {
                let label = edge.label;
                for settled in self.all_settled(before, goal.origin) {
                    let members = self.sets.members(settled.set);
                    self.note_work(1 + members.len());
                    let state = members.iter().find_map(|&(state, cost)| {
                        let cost = settled.cost.saturating_add(cost);
                        if cost.saturating_add(edge.cost) != goal.cost {
                            return None;
                        }
                        let next = match label {
                            Label::Lexeme(terminal) => {
                                let symbol = Symbol::Terminal(terminal);
                                self.sets.states().after(self.cfg, state, symbol)
                            }
                            Label::Within => Some(state),
                            Label::End => None,
                        };
                        (next == Some(goal.state)).then_some((state, cost))
                    });
                    if let Some((state, cost)) = state {
                        let before = Goal {
                            node: before,
                            origin: goal.origin,
                            state,
                            cost,
                            complete_in: goal.complete_in,
                        };
                        return Some(Explanation::Edge(before, label));
                    }
                }
            }
        }
        None
    }

    /// A step of the gap that the goal's node stands in.
    fn inside_gap(&mut self, goal: Goal) -> Option<Explanation> {
        let gap = self.nodes[goal.node as usize].gap.clone()?;
        for (from, &node) in (0..).zip(gap.nodes.iter()) {
            for settled in self.all_settled(node, goal.origin) {
                let members = self.sets.members(settled.set);
                self.note_work(1 + members.len());
                for &(state, cost) in members.iter() {
                    let cost = settled.cost.saturating_add(cost);
                    if cost > goal.cost {
                        continue;
                    }
                    let wanted = (gap.member, goal.cost - cost);
                    let mut read = None;
                    let show = |symbol, target, arrival| {
                        if read.is_none() && target == goal.state && arrival == wanted {
                            read = Some(symbol);
                        }
                    };
                    self.sets
                        .each_inside(self.cfg, gap.group, state, from, show);
                    let before = Goal {
                        node,
                        state,
                        cost,
                        ..goal
                    };
                    match read {
                        Some(Symbol::Nonterminal(nonterminal)) => {
                            return Some(Explanation::Text(before, nonterminal));
                        }
                        Some(Symbol::Terminal(terminal)) => {
                            return Some(Explanation::Edge(before, Label::Lexeme(terminal)));
                        }
                        Some(Symbol::End(_) | Symbol::EndOfText) | None => {}
                    }
                }
            }
        }
        None
    }

    fn by_completion(&mut self, goal: Goal) -> Option<Explanation> {
        let found = self.completions(goal);
        if found.is_some() || self.nodes[goal.node as usize].skipped.is_empty() {
            return found;
        }
        self.write_out_skipped(goal.node);
        self.completions(goal)
    }

    /// A completion by what began behind the goal's origin, or where an entry of its
    /// own waits there, as the first state does.
    fn completions(&mut self, goal: Goal) -> Option<Explanation> {
        let entries = self.nodes[goal.node as usize].entries.len();
        let mut at = match entries <= FEW_ENTRIES {
            true => 0,
            // What is nested in the last one is as a rule beside it.
            false => self.last.saturating_sub(1),
        };
        for _ in 0..entries {
            if at >= entries {
                at = 0;
            }
            let inner = self.nodes[goal.node as usize].entries[at];
            self.note_work(1);
            if let Some(waiting) = self.nodes[inner.origin as usize].began_at(goal.origin) {
                let found = self.completion(goal, inner.origin, inner.settled, waiting);
                if let Some((waiting, inner)) = found {
                    self.last = at;
                    return Some(Explanation::Completed(waiting, inner));
                }
            }
            at += 1;
        }
        None
    }

    /// Completions by what began where the goal did: what waited and what was
    /// complete.
    fn unit_steps(&mut self, goal: Goal) -> Vec<(Goal, Goal)> {
        let Some(inner) = self.nodes[goal.node as usize].began_at(goal.origin) else {
            return Vec::new();
        };
        let waiting = Costed {
            set: self.nodes[goal.origin as usize].begun,
            cost: 0,
        };
        let mut steps = Vec::new();
        for &(state, cost) in self.sets.members(inner.set).iter() {
            let cost = inner.cost.saturating_add(cost);
            let Some(wanted) = goal.cost.checked_sub(cost) else {
                continue;
            };
            if let Some(before) = self.waiting(goal, state, waiting, wanted) {
                let before = Goal {
                    node: goal.origin,
                    origin: goal.origin,
                    state: before,
                    cost: wanted,
                    complete_in: goal.complete_in,
                };
                let inner = Goal {
                    state,
                    cost,
                    complete_in: state,
                    ..goal
                };
                steps.push((before, inner));
            }
        }
        steps
    }

    fn completion(
        &mut self,
        goal: Goal,
        origin: NodeId,
        inner: Costed,
        waiting: Costed,
    ) -> Option<(Goal, Goal)> {
        if inner.cost.saturating_add(waiting.cost) > goal.cost {
            return None;
        }
        for &(state, cost) in self.sets.members(inner.set).iter() {
            let cost = inner.cost.saturating_add(cost);
            let Some(wanted) = goal.cost.checked_sub(cost) else {
                continue;
            };
            if let Some(before) = self.waiting(goal, state, waiting, wanted) {
                let before = Goal {
                    node: origin,
                    origin: goal.origin,
                    state: before,
                    cost: wanted,
                    complete_in: goal.complete_in,
                };
                let inner = Goal {
                    node: goal.node,
                    origin,
                    state,
                    cost,
                    complete_in: state,
                };
                return Some((before, inner));
            }
        }
        None
    }

    /// A state at this cost that what is complete in another leads from to the goal.
    fn waiting(
        &mut self,
        goal: Goal,
        complete: StateId,
        waiting: Costed,
        wanted: u32,
    ) -> Option<StateId> {
        let complete = self.sets.state(self.cfg, complete);
        if SHORTCUTS && complete.completes.len() > FEW_COMPLETE {
            let arrivals = self.arrivals(waiting.set, goal.state);
            self.note_work(complete.completes.len());
            return complete.completes.iter().find_map(|&nonterminal| {
                let from = arrivals.partition_point(|&(known, ..)| known < nonterminal);
                let those = arrivals[from..].iter();
                let mut those = those.take_while(|it| it.0 == nonterminal);
                let at_cost = those.find(|it| waiting.cost.saturating_add(it.2) == wanted);
                at_cost.map(|&(_, state, _)| state)
            });
        }
        let members = self.sets.members(waiting.set);
        self.note_work(1 + members.len());
        let mut members = members.iter();
        let found = members.find(|&&(state, cost)| {
            waiting.cost.saturating_add(cost) == wanted && {
                let states = self.sets.states();
                let mut completes = complete.completes.iter();
                completes.any(|&nonterminal| {
                    let symbol = Symbol::Nonterminal(nonterminal);
                    states.after(self.cfg, state, symbol) == Some(goal.state)
                })
            }
        });
        found.map(|&(state, _)| state)
    }

    /// The states of a set that a nonterminal leads from to a state, by that nonterminal.
    fn arrivals(&mut self, set: SetId, to: StateId) -> Rc<[Arrival]> {
        if let Some(known) = self.arrivals.get(&(set, to)) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        for &(state, cost) in self.sets.members(set).iter() {
            let steps = self.sets.states().listed(self.cfg, state);
            self.work += 1 + steps.nonterminals.len();
            let leads = steps.nonterminals.iter().filter(|step| step.1 == to);
            found.extend(leads.map(|&(nonterminal, _)| (nonterminal, state, cost)));
        }
        found.sort_unstable();
        let found: Rc<[_]> = found.into();
        self.arrivals.insert((set, to), Rc::clone(&found));
        found
    }

    /// Makes entries of the completions at a node that were handed on at once.
    fn write_out_skipped(&mut self, id: NodeId) {
        for skipped in std::mem::take(&mut self.nodes[id as usize].skipped) {
            let (mut at, mut what, mut cost) = (skipped.origin, skipped.passed, skipped.cost);
            while let Some(handed) = handed_on(self.nodes, self.sets, self.cfg, at, what) {
                let costed = Costed {
                    cost: cost.saturating_add(handed.costed.cost),
                    ..handed.costed
                };
                let node = &mut self.nodes[id as usize];
                match node.entries.iter_mut().find(|e| e.origin == handed.origin) {
                    Some(entry) => entry.settled = self.sets.union(entry.settled, costed),
                    None => node.insert(Entry {
                        settled: costed,
                        ..Entry::new(handed.origin, costed)
                    }),
                }
                cost = costed.cost.saturating_add(handed.completes.1);
                (at, what) = (handed.origin, handed.completes.0);
            }
        }
    }
}
