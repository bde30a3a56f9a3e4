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

/// The texts of the automaton as one expression of at most `most` parts.
pub(super) fn solve(states: &[State], most: usize) -> Solved {
    let (start, end) = (states.len(), states.len() + 1);
    let mut edges: BTreeMap<(usize, usize), Node> = BTreeMap::new();
    edges.insert((start, 0), Node::empty());
    for (from, state) in states.iter().enumerate() {
        if state.accepts {
            edges.insert((from, end), Node::empty());
        }
        for (ranges, to) in &state.steps {
            edges.insert((from, *to), Node::class(ranges.clone()));
        }
    }
    let mut left: Vec<usize> = (0..states.len()).collect();
    let mut size = 0usize;
    while let Some(at) = cheapest(&edges, &left) {
        let state = left.swap_remove(at);
        let own = edges.remove(&(state, state));
        let around = Node::repeat(own.unwrap_or(Node::Never), 0, None);
        let into = taken(&mut edges, |(_, to)| to == state);
        let out = taken(&mut edges, |(from, _)| from == state);
        for ((from, _), before) in &into {
            for ((_, to), after) in &out {
                let path = Node::sequence([before.clone(), around.clone(), after.clone()]);
                size += path.size();
                if size > most.saturating_mul(20) {
                    return Solved::TooLong;
                }
                let known = edges.remove(&(*from, *to));
                edges.insert((*from, *to), Node::choice(known.into_iter().chain([path])));
            }
        }
    }
    let whole = edges.remove(&(start, end)).unwrap_or(Node::Never);
    match whole.size() > most {
        true => Solved::TooLong,
        false => Solved::Expression(whole),
    }
}

/// Where in `left` the state stands that costs least to take away.
fn cheapest(edges: &BTreeMap<(usize, usize), Node>, left: &[usize]) -> Option<usize> {
    let mut weights: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for (&(from, to), node) in edges {
        let size = node.size();
        if from == to {
            weights.entry(from).or_default().2 += size;
            continue;
        }
        weights.entry(from).or_default().1 += size;
        weights.entry(to).or_default().0 += size;
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
    edges: &mut BTreeMap<(usize, usize), Node>,
    is_wanted: impl Fn((usize, usize)) -> bool,
) -> Vec<((usize, usize), Node)> {
    let keys: Vec<(usize, usize)> = edges
        .keys()
        .copied()
        .filter(|&key| is_wanted(key))
        .collect();
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        found.extend(edges.remove(&key).map(|node| (key, node)));
    }
    found
}
