//! From the ε-NFA to the minimal deterministic automaton over terminals, which the
//! search for an intersection works on: the subset construction, and Hopcroft's
//! algorithm.
//!
//! The subset construction can double with every node, which time and memory end. States
//! from which no path accepts are left out.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::enfa::Closure;
use crate::{Enfa, Node, Stopped, TerminalId, Ticker};

/// Index of a state.
pub type State = u32;

/// A deterministic automaton over terminals; no edge is no path.
#[derive(Clone, Debug, Default)]
pub struct TerminalDfa {
    /// For each state, its edges in order of terminals.
    pub edges: Vec<Vec<(TerminalId, State)>>,
    /// Where paths may end.
    pub accepting: Vec<bool>,
    /// Where paths begin.
    pub start: State,
}

impl TerminalDfa {
    /// The minimal automaton of an ε-NFA; `None` if nothing is accepted.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn minimal(enfa: &Enfa, ticker: &mut Ticker<'_>) -> Result<Option<Self>, Stopped> {
        let whole = determinize(enfa, ticker)?;
        match whole.trimmed() {
            Some(trimmed) => Ok(Some(minimize(&trimmed, ticker)?)),
            None => Ok(None),
        }
    }

    /// Without the states that lead nowhere; `None` if nothing is accepted.
    fn trimmed(&self) -> Option<Self> {
        let mut before: Vec<Vec<State>> = vec![Vec::new(); self.edges.len()];
        for (state, edges) in (0..).zip(&self.edges) {
            for &(_, to) in edges {
                before[to as usize].push(state);
            }
        }
        let mut live = self.accepting.clone();
        let accepting = (0..live.len() as State).filter(|&state| live[state as usize]);
        let mut work: Vec<State> = accepting.collect();
        while let Some(state) = work.pop() {
            for &earlier in &before[state as usize] {
                if !std::mem::replace(&mut live[earlier as usize], true) {
                    work.push(earlier);
                }
            }
        }
        if !live[self.start as usize] {
            return None;
        }
        let mut names = vec![State::MAX; live.len()];
        let kept = live.iter().enumerate().filter(|(_, live)| **live);
        for (name, (state, _)) in (0..).zip(kept) {
            names[state] = name;
        }
        let kept = |state: usize| names[state] != State::MAX;
        let edges = self
            .edges
            .iter()
            .enumerate()
            .filter(|(state, _)| kept(*state));
        let edges = edges.map(|(_, edges)| {
            let edges = edges.iter().filter(|(_, to)| kept(*to as usize));
            edges
                .map(|&(label, to)| (label, names[to as usize]))
                .collect()
        });
        let accepting = self.accepting.iter().enumerate();
        let accepting = accepting.filter(|(state, _)| kept(*state)).map(|(_, &a)| a);
        Some(Self {
            edges: edges.collect(),
            accepting: accepting.collect(),
            start: names[self.start as usize],
        })
    }
}

/// Bytes of a subset beside its nodes: its entries in lists and tables, here and where the
/// automaton is minimised.
const SUBSET: usize = 128;

/// Bytes of an edge, here and where the automaton is minimised.
const EDGE: usize = 3 * size_of::<(TerminalId, State)>();

fn determinize(enfa: &Enfa, ticker: &mut Ticker<'_>) -> Result<TerminalDfa, Stopped> {
    let mut start = vec![enfa.start];
    let mut closure = Closure::new(enfa);
    closure.close(&mut start);
    let mut ids: FxHashMap<Rc<[Node]>, State> = FxHashMap::default();
    let mut subsets: Vec<Rc<[Node]>> = vec![start.into()];
    ids.insert(Rc::clone(&subsets[0]), 0);
    let mut dfa = TerminalDfa::default();
    let mut done = 0;
    while done < subsets.len() {
        let subset = &subsets[done];
        dfa.accepting
            .push(subset.iter().any(|&node| enfa.is_accepting(node)));
        let mut moves: Vec<(TerminalId, Node)> = Vec::new();
        for &node in &**subset {
            let edges = enfa.edges(node).iter();
            moves.extend(edges.filter_map(|&(label, to)| Some((label?, to))));
        }
        moves.sort_unstable();
        moves.dedup();
        let mut edges = Vec::new();
        for targets in moves.chunk_by(|one, other| one.0 == other.0) {
            let mut next: Vec<Node> = targets.iter().map(|&(_, to)| to).collect();
            closure.close(&mut next);
            ticker.spend(1 + next.len())?;
            let id = match ids.get(next.as_slice()) {
                Some(&known) => known,
                None => {
                    ticker.hold(size_of_val(next.as_slice()) + SUBSET)?;
                    let (fresh, next) = (subsets.len() as State, Rc::from(next));
                    subsets.push(Rc::clone(&next));
                    ids.insert(next, fresh);
                    fresh
                }
            };
            edges.push((targets[0].0, id));
        }
        ticker.hold(EDGE * edges.len())?;
        dfa.edges.push(edges);
        done += 1;
    }
    Ok(dfa)
}

/// Hopcroft's algorithm: splits blocks by where edges of one terminal come from,
/// each time with the smaller half. Missing edges lead to one dead state, which is a
/// block of its own that nothing need be split by.
fn minimize(dfa: &TerminalDfa, ticker: &mut Ticker<'_>) -> Result<TerminalDfa, Stopped> {
    let count = dfa.edges.len();
    let mut into: Vec<Vec<(TerminalId, State)>> = vec![Vec::new(); count];
    for (state, edges) in (0..).zip(&dfa.edges) {
        for &(label, to) in edges {
            into[to as usize].push((label, state));
        }
    }
    let mut blocks = Blocks::new(&dfa.accepting);
    let mut work: Vec<u32> = (0..blocks.bounds.len() as u32).collect();
    let mut queued = vec![true; work.len()];
    while let Some(splitter) = work.pop() {
        queued[splitter as usize] = false;
        let mut sources: Vec<(TerminalId, State)> = blocks
            .members(splitter)
            .iter()
            .flat_map(|&state| into[state as usize].iter().copied())
            .collect();
        sources.sort_unstable();
        for group in sources.chunk_by(|one, other| one.0 == other.0) {
            ticker.tick()?;
            for (old, new) in blocks.split(group.iter().map(|&(_, state)| state)) {
                queued.resize(blocks.bounds.len(), false);
                // Both halves, if the whole waits; else the smaller.
                let wanted = match queued[old as usize] {
                    true => new,
                    false if blocks.members(old).len() < blocks.members(new).len() => old,
                    false => new,
                };
                if !std::mem::replace(&mut queued[wanted as usize], true) {
                    work.push(wanted);
                }
            }
        }
    }
    Ok(blocks.quotient(dfa))
}

/// A partition of states that is refined in place.
struct Blocks {
    /// States, block by block.
    order: Vec<State>,
    /// Where in `order` a state stands.
    place: Vec<u32>,
    block_of: Vec<u32>,
    /// For each block, where in `order` it begins and ends.
    bounds: Vec<(u32, u32)>,
}

impl Blocks {
    fn new(accepting: &[bool]) -> Self {
        let count = accepting.len() as State;
        let mut order: Vec<State> = (0..count).collect();
        order.sort_by_key(|&state| accepting[state as usize]);
        let refused = accepting.iter().filter(|accepting| !**accepting).count() as u32;
        let bounds = [(0, refused), (refused, count)].into_iter();
        let bounds: Vec<(u32, u32)> = bounds.filter(|(from, to)| from < to).collect();
        let mut blocks = Self {
            place: vec![0; order.len()],
            block_of: vec![0; order.len()],
            order,
            bounds,
        };
        for (block, &(from, to)) in (0..).zip(&blocks.bounds) {
            for place in from..to {
                let state = blocks.order[place as usize] as usize;
                blocks.place[state] = place;
                blocks.block_of[state] = block;
            }
        }
        blocks
    }

    fn members(&self, block: u32) -> &[State] {
        let (from, to) = self.bounds[block as usize];
        &self.order[from as usize..to as usize]
    }

    /// Splits every block into states of the group and others; the pairs of blocks
    /// that come of it, the old number first.
    fn split(&mut self, group: impl Iterator<Item = State>) -> Vec<(u32, u32)> {
        // Members of the group are moved to the front of their block.
        let mut front: FxHashMap<u32, u32> = FxHashMap::default();
        for state in group {
            let block = self.block_of[state as usize];
            let moved = front.entry(block).or_insert(0);
            let to = self.bounds[block as usize].0 + *moved;
            *moved += 1;
            let from = self.place[state as usize];
            let other = self.order[to as usize];
            self.order.swap(from as usize, to as usize);
            self.place[other as usize] = from;
            self.place[state as usize] = to;
        }
        let mut pairs = Vec::new();
        for (block, moved) in front {
            let (from, to) = self.bounds[block as usize];
            if from + moved == to {
                continue;
            }
            let new = self.bounds.len() as u32;
            self.bounds[block as usize] = (from + moved, to);
            self.bounds.push((from, from + moved));
            for place in from..from + moved {
                self.block_of[self.order[place as usize] as usize] = new;
            }
            pairs.push((block, new));
        }
        pairs
    }

    fn quotient(&self, dfa: &TerminalDfa) -> TerminalDfa {
        let block = |state: State| self.block_of[state as usize];
        let first = |&(from, _): &(u32, u32)| self.order[from as usize] as usize;
        let edges = self.bounds.iter().map(|bounds| {
            let edges = dfa.edges[first(bounds)].iter();
            edges.map(|&(label, to)| (label, block(to))).collect()
        });
        let accepting = self
            .bounds
            .iter()
            .map(|bounds| dfa.accepting[first(bounds)]);
        TerminalDfa {
            edges: edges.collect(),
            accepting: accepting.collect(),
            start: block(dfa.start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::never;

    #[test]
    fn equal_tails_become_one() {
        // (a | b) c: the states behind a and b are the same.
        let mut enfa = Enfa::default();
        let [start, left, right, end] = [(); 4].map(|()| enfa.node());
        enfa.start = start;
        enfa.edge(start, Some(0), left);
        enfa.edge(start, Some(1), right);
        enfa.edge(left, Some(2), end);
        enfa.edge(right, Some(2), end);
        enfa.accept(end);
        let dfa = TerminalDfa::minimal(&enfa, &mut Ticker::new(&never));
        let dfa = dfa.expect("time").expect("paths");
        assert_eq!(dfa.edges.len(), 3);
    }

    #[test]
    fn what_reads_nothing_is_closed_over() {
        // a? b? with edges that read nothing, and a loop of them.
        let mut enfa = Enfa::default();
        let [start, middle, end] = [(); 3].map(|()| enfa.node());
        enfa.start = start;
        enfa.edge(start, Some(0), middle);
        enfa.edge(start, None, middle);
        enfa.edge(middle, Some(1), end);
        enfa.edge(middle, None, end);
        enfa.edge(end, None, end);
        enfa.accept(end);
        let dfa = TerminalDfa::minimal(&enfa, &mut Ticker::new(&never));
        let dfa = dfa.expect("time").expect("paths");
        assert_eq!(dfa.accepting, [true; 3]);
        let reads = |labels: &[TerminalId]| {
            let mut states = Some(dfa.start);
            for label in labels {
                states = states.and_then(|state| {
                    let edges = dfa.edges[state as usize].iter();
                    edges
                        .copied()
                        .find(|(known, _)| known == label)
                        .map(|(_, to)| to)
                });
            }
            states.is_some_and(|state| dfa.accepting[state as usize])
        };
        assert!(reads(&[]) && reads(&[0]) && reads(&[1]) && reads(&[0, 1]));
        assert!(!reads(&[1, 0]) && !reads(&[0, 0]));
    }

    #[test]
    fn dead_ends_are_left_out() {
        let mut enfa = Enfa::default();
        let [start, dead] = [(); 2].map(|()| enfa.node());
        enfa.start = start;
        enfa.edge(start, Some(0), dead);
        let dfa = TerminalDfa::minimal(&enfa, &mut Ticker::new(&never));
        assert!(dfa.expect("time").is_none());
    }
}
