//! An automaton as an expression, by taking its states away one by one (Brzozowski and
//! McCluskey); those first through which the least goes.

use std::collections::BTreeMap;

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
}

impl Edge {
    fn new(node: Node) -> Self {
        let size = node.size();
        Self { node, size }
    }
}

type Edges = BTreeMap<(usize, usize), Edge>;

/// The texts of the automaton as one expression of at most `most` parts.
pub(super) fn solve(states: &[State], most: usize) -> Solved {
    // Each state leaves a part at least.
    if states.len() > most {
        return Solved::TooLong;
    }
    let (start, end) = (states.len(), states.len() + 1);
    let mut edges = Edges::new();
    edges.insert((start, 0), Edge::new(Node::empty()));
    for (from, state) in states.iter().enumerate() {
        if state.accepts {
            edges.insert((from, end), Edge::new(Node::empty()));
        }
        for (ranges, to) in &state.steps {
            edges.insert((from, *to), Edge::new(Node::class(ranges.clone())));
        }
    }
    let mut left: Vec<usize> = (0..states.len()).collect();
    let mut size = edges.len();
    while let Some(at) = cheapest(&edges, &left) {
        if size > most.saturating_mul(WASTE) {
            return Solved::TooLong;
        }
        let state = left.swap_remove(at);
        let own = edges.remove(&(state, state));
        let around = Node::repeat(own.map_or(Node::Never, |own| own.node), 0, None);
        let into = taken(&mut edges, |(_, to)| to == state);
        let out = taken(&mut edges, |(from, _)| from == state);
        for ((from, _), before) in &into {
            for ((_, to), after) in &out {
                let path = [before.node.clone(), around.clone(), after.node.clone()];
                let path = Node::sequence(path);
                let known = edges.remove(&(*from, *to)).map(|known| known.node);
                let edge = Edge::new(Node::choice(known.into_iter().chain([path])));
                size = size.saturating_add(edge.size);
                if size > most.saturating_mul(WASTE) {
                    return Solved::TooLong;
                }
                edges.insert((*from, *to), edge);
            }
        }
    }
    match edges.remove(&(start, end)) {
        Some(whole) if whole.size > most => Solved::TooLong,
        Some(whole) => Solved::Expression(whole.node),
        None => Solved::Expression(Node::Never),
    }
}

/// Where in `left` the state stands that costs least to take away.
fn cheapest(edges: &Edges, left: &[usize]) -> Option<usize> {
    let mut weights: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for (&(from, to), edge) in edges {
        if from == to {
            weights.entry(from).or_default().2 += edge.size;
            continue;
        }
        weights.entry(from).or_default().1 += edge.size;
        weights.entry(to).or_default().0 += edge.size;
    }
    let weight = |state: &usize| {
        let (into, out, own) = weights.get(state).copied().unwrap_or_default();
        (into + own).saturating_mul(out + own)
    };
    let numbered = left.iter().enumerate();
    let least = numbered.min_by_key(|(_, state)| (weight(state), **state));
    least.map(|(at, _)| at)
}

fn taken(
    edges: &mut Edges,
    is_wanted: impl Fn((usize, usize)) -> bool,
) -> Vec<((usize, usize), Edge)> {
    let keys = edges.keys().copied();
    let keys: Vec<(usize, usize)> = keys.filter(|&key| is_wanted(key)).collect();
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        found.extend(edges.remove(&key).map(|edge| (key, edge)));
    }
    found
}
