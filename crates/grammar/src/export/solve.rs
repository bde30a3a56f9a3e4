//! An automaton as an expression, by taking its states away one by one (Brzozowski and
//! McCluskey); those first through which the least goes.

use std::collections::{BTreeMap, BTreeSet};

use super::MAX_DEPTH;
use super::characters::State;
use super::plain::Node;

/// What came of it.
pub(super) enum Solved {
    Expression(Node),
    /// It would have more parts than asked for.
    TooLong,
}

/// How much more may be written on the way than stays in the end.
const WASTE: usize = 20;

/// What leads from a state to another, and how many parts that has.
#[derive(Clone)]
struct Edge {
    node: Node,
    size: usize,
    depth: usize,
}

impl Edge {
    fn new(node: Node) -> Self {
        let (size, depth) = (node.size(), node.depth());
        Self { node, size, depth }
    }
}

/// What leads out of each state, and which states lead into it.
struct Edges {
    out: Vec<BTreeMap<usize, Edge>>,
    into: Vec<BTreeSet<usize>>,
}

impl Edges {
    fn insert(&mut self, from: usize, to: usize, edge: Edge) {
        self.out[from].insert(to, edge);
        self.into[to].insert(from);
    }

    fn remove(&mut self, from: usize, to: usize) -> Option<Edge> {
        self.into[to].remove(&from);
        self.out[from].remove(&to)
    }

    /// How much is written anew when a state is taken away, about.
    fn weight(&self, state: usize) -> usize {
        let size = |from: usize, to: usize| self.out[from].get(&to).map_or(0, |edge| edge.size);
        let own = size(state, state);
        let out: usize = self.out[state].values().map(|edge| edge.size).sum();
        let into: usize = self.into[state].iter().map(|&from| size(from, state)).sum();
        (into + own).saturating_mul(out + own)
    }
}

/// The texts of the automaton as one expression of at most `most` parts.
pub(super) fn solve(states: &[State], most: usize) -> Solved {
    // Each state leaves a part at least.
    if states.len() > most {
        return Solved::TooLong;
    }
    let (start, end) = (states.len(), states.len() + 1);
    let mut edges = Edges {
        out: vec![BTreeMap::new(); states.len() + 2],
        into: vec![BTreeSet::new(); states.len() + 2],
    };
    edges.insert(start, 0, Edge::new(Node::empty()));
    for (from, state) in states.iter().enumerate() {
        if state.accepts {
            edges.insert(from, end, Edge::new(Node::empty()));
        }
        for (ranges, to) in &state.steps {
            edges.insert(from, *to, Edge::new(Node::class(ranges.clone())));
        }
    }
    let mut weights: Vec<usize> = (0..states.len()).map(|state| edges.weight(state)).collect();
    let mut left: BTreeSet<(usize, usize)> = weights.iter().copied().zip(0..).collect();
    let mut size = 0usize;
    while let Some((_, state)) = left.pop_first() {
        let own = edges.remove(state, state);
        let around = Node::repeat(own.map_or(Node::Never, |own| own.node), 0, None);
        let (into, out) = (edges.into[state].clone(), edges.out[state].clone());
        let mut touched = BTreeSet::new();
        for from in into {
            let Some(before) = edges.remove(from, state) else {
                continue;
            };
            for (&to, after) in &out {
                let path = [before.node.clone(), around.clone(), after.node.clone()];
                let known = edges.remove(from, to).map(|known| known.node);
                let path = known.into_iter().chain([Node::sequence(path)]);
                let edge = Edge::new(Node::choice(path));
                size = size.saturating_add(edge.size);
                if size > most.saturating_mul(WASTE) || edge.depth > MAX_DEPTH {
                    return Solved::TooLong;
                }
                edges.insert(from, to, edge);
                touched.extend([from, to]);
            }
        }
        for to in out.into_keys() {
            edges.remove(state, to);
        }
        for state in touched {
            if let Some(weight) = weights.get_mut(state)
                && left.remove(&(*weight, state))
            {
                *weight = edges.weight(state);
                left.insert((*weight, state));
            }
        }
    }
    match edges.remove(start, end) {
        Some(whole) if whole.size > most => Solved::TooLong,
        Some(whole) => Solved::Expression(whole.node),
        None => Solved::Expression(Node::Never),
    }
}
