//! EPIC's regular cover: the grammar's transition network with returns forgotten
//! (section 4.3 and D.3).
//!
//! Every nonterminal has an entry and an exit, every dotted production a state. A
//! nonterminal behind the dot is called by going to its entry, and its exit leads on
//! behind *every* place that calls it. Flattened so, the network is a finite
//! automaton that accepts every text of the grammar, and others: parentheses need
//! not match. What has no path in it and in the ε-NFA at once is no completion.
//!
//! What reads nothing is closed over beforehand, once for all states that lead to each
//! other so. A state is then a terminal at its place in a production, just read, and all
//! that is left of the network is which places can be read next. Sets of places are
//! bitsets, one at each node of the ε-NFA, which grow until nothing changes; only what is
//! new at a node is sent on.
//!
//! Making it takes the network's edges times a bitset. A grammar of some ten thousand
//! places has none: there its tables would be larger than all else.

use crate::cfg::{Cfg, Symbol};
use crate::{Enfa, Node, Stopped, TerminalId, Ticker};

/// The flattened network.
#[derive(Clone, Debug)]
pub struct Cover {
    /// For each place, the places that can be read next; the last row is that of
    /// the beginning.
    follow: Vec<Bits>,
    /// For each terminal, its places.
    places: Vec<Bits>,
    /// The places behind which a text may end.
    last: Bits,
    /// Whether the empty text belongs.
    nullable: bool,
}

type Bits = Box<[u64]>;

/// Bytes that the bitsets of all of a network's states may take.
const BYTES: usize = 64 << 20;

impl Cover {
    /// The cover of a grammar over so many terminals; `None` if it would be too large.
    pub fn new(cfg: &Cfg, terminals: usize) -> Option<Self> {
        let network = Network::new(cfg);
        // Behind the places, one for the end of a text.
        let end = network.read.len();
        let width = (end + 1).div_ceil(64);
        if network.silent.len() > BYTES / size_of::<u64>() / width {
            return None;
        }
        let (closed, closure) = network.closed(network.exit(cfg.start), end, width);
        let none: Bits = vec![0; width].into();
        let mut cover = Self {
            follow: Vec::with_capacity(end + 1),
            places: vec![none.clone(); terminals],
            last: none,
            nullable: false,
        };
        for (place, &(terminal, behind)) in network.read.iter().enumerate() {
            insert(&mut cover.places[terminal as usize], place);
            let follow = &closure[width * closed[behind as usize] as usize..][..width];
            if has(follow, end) {
                insert(&mut cover.last, place);
            }
            cover.follow.push(follow.into());
        }
        let beginning = closed[network.entry(cfg.start) as usize] as usize;
        let first = &closure[width * beginning..][..width];
        cover.nullable = has(first, end);
        cover.follow.push(first.into());
        Some(cover)
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.follow.len()
    }

    /// Whether some path of the ε-NFA is accepted.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn meets(&self, enfa: &Enfa, ticker: &mut Ticker<'_>) -> Result<bool, Stopped> {
        let order = topological(enfa);
        let set = 2 * (size_of::<Set>() + size_of_val(&*self.last));
        ticker.hold(set * enfa.len())?;
        let mut at = vec![Set::of(self.last.len()); enfa.len()];
        at[enfa.start as usize].begins = true;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &node in &order {
                changed |= self.send(enfa, node, &mut at, ticker)?;
            }
        }
        let accepts = |node: Node| {
            let Set { places, begins, .. } = &at[node as usize];
            let met = places
                .iter()
                .zip(&self.last)
                .any(|(one, other)| one & other != 0);
            met || (*begins && self.nullable)
        };
        Ok(order
            .iter()
            .any(|&node| enfa.is_accepting(node) && accepts(node)))
    }

    /// Sends what has newly come to a node along its edges, loops until nothing new
    /// comes; whether anything was sent.
    fn send(
        &self,
        enfa: &Enfa,
        node: Node,
        at: &mut [Set],
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Stopped> {
        let mut any = false;
        while at[node as usize].is_fresh() {
            any = true;
            let (places, begins) = at[node as usize].take_fresh();
            let mut next: Bits = vec![0; places.len()].into();
            for place in ones(&places) {
                ticker.spend(next.len())?;
                union(&mut next, &self.follow[place]);
            }
            if begins && let Some(first) = self.follow.last() {
                union(&mut next, first);
            }
            for &(label, to) in enfa.edges(node) {
                let to = &mut at[to as usize];
                match label {
                    None => {
                        union(&mut to.places, &places);
                        to.begins |= begins;
                    }
                    Some(terminal) => {
                        let read = next.iter().zip(&self.places[terminal as usize]);
                        for (word, (next, of_terminal)) in to.places.iter_mut().zip(read) {
                            *word |= next & of_terminal;
                        }
                    }
                }
            }
        }
        Ok(any)
    }
}

/// What is known at a node.
#[derive(Clone)]
struct Set {
    /// The places that may have been read last.
    places: Bits,
    /// Those that were sent on.
    sent: Bits,
    /// Whether nothing need have been read.
    begins: bool,
    /// Whether that was sent on.
    begun: bool,
}

impl Set {
    fn of(words: usize) -> Self {
        Self {
            places: vec![0; words].into(),
            sent: vec![0; words].into(),
            begins: false,
            begun: false,
        }
    }

    fn is_fresh(&self) -> bool {
        self.places != self.sent || self.begins != self.begun
    }

    /// What was not sent on, which it is now.
    fn take_fresh(&mut self) -> (Bits, bool) {
        let pairs = self.places.iter().zip(&self.sent);
        let fresh = pairs.map(|(here, sent)| here & !sent).collect();
        self.sent.clone_from(&self.places);
        let begun = std::mem::replace(&mut self.begun, self.begins);
        (fresh, self.begins && !begun)
    }
}

fn insert(bits: &mut [u64], member: usize) {
    bits[member / 64] |= 1 << (member % 64);
}

fn has(bits: &[u64], member: usize) -> bool {
    bits[member / 64] & 1 << (member % 64) != 0
}

fn union(bits: &mut [u64], more: &[u64]) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}

fn ones(bits: &Bits) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| {
            let rest = word & (word - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |word| 64 * at + word.trailing_zeros() as usize)
    })
}

/// The nodes that the start leads to, sources before targets but for loops.
fn topological(enfa: &Enfa) -> Vec<Node> {
    let mut met = vec![false; enfa.len()];
    let mut order = Vec::new();
    let mut work = vec![(enfa.start, 0)];
    met[enfa.start as usize] = true;
    while let Some((node, edge)) = work.pop() {
        match enfa.edges(node).get(edge) {
            None => order.push(node),
            Some(&(_, to)) => {
                work.push((node, edge + 1));
                if !std::mem::replace(&mut met[to as usize], true) {
                    work.push((to, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

/// The network before what reads nothing is closed over. The entry of nonterminal
/// `n` is state `2 n`, its exit `2 n + 1`; dotted productions follow.
struct Network {
    silent: Vec<Vec<u32>>,
    /// For each state, the place that is read from it.
    place: Vec<Option<u32>>,
    /// For each place, its terminal and the state behind it.
    read: Vec<(TerminalId, u32)>,
}

impl Network {
    fn new(cfg: &Cfg) -> Self {
        let fixed = 2 * cfg.nonterminals as usize;
        let mut network = Self {
            silent: vec![Vec::new(); fixed],
            place: vec![None; fixed],
            read: Vec::new(),
        };
        for production in &cfg.productions {
            let mut here = network.entry(production.left);
            for &symbol in &production.right {
                let (at, next) = (network.state(), network.state());
                network.silent[here as usize].push(at);
                match symbol {
                    Symbol::Terminal(terminal) => {
                        network.place[at as usize] = Some(network.read.len() as u32);
                        network.read.push((terminal, next));
                    }
                    Symbol::Nonterminal(called) => {
                        let (entry, exit) = (network.entry(called), network.exit(called));
                        network.silent[at as usize].push(entry);
                        network.silent[exit as usize].push(next);
                    }
                }
                here = next;
            }
            let exit = network.exit(production.left);
            network.silent[here as usize].push(exit);
        }
        network
    }

    fn state(&mut self) -> u32 {
        self.silent.push(Vec::new());
        self.place.push(None);
        self.silent.len() as u32 - 1
    }

    fn entry(&self, nonterminal: u32) -> u32 {
        2 * nonterminal
    }

    fn exit(&self, nonterminal: u32) -> u32 {
        2 * nonterminal + 1
    }

    /// What can be reached without reading: for each state the number of its set, and the
    /// sets, so many words each. A set holds places, and `end` if `exit` can be reached.
    fn closed(&self, exit: u32, end: usize, width: usize) -> (Vec<u32>, Vec<u64>) {
        let components = self.components();
        let mut closed = vec![0; self.silent.len()];
        let mut sets = vec![0; width * components.len()];
        for (number, members) in components.iter().enumerate() {
            for &state in members {
                closed[state as usize] = number as u32;
            }
            // What the states lead to was numbered before.
            let (before, set) = sets.split_at_mut(width * number);
            let set = &mut set[..width];
            for &state in members {
                if let Some(place) = self.place[state as usize] {
                    insert(set, place as usize);
                }
                if state == exit {
                    insert(set, end);
                }
                for &next in &self.silent[state as usize] {
                    let next = closed[next as usize] as usize;
                    if next != number {
                        union(set, &before[width * next..][..width]);
                    }
                }
            }
        }
        (closed, sets)
    }

    /// The states that lead to each other without reading, each group behind those that
    /// it leads to: Tarjan's algorithm.
    fn components(&self) -> Vec<Vec<u32>> {
        let count = self.silent.len();
        let mut components = Vec::new();
        // When a state was met, and the earliest that it is known to lead back to.
        let (mut met, mut back) = (vec![u32::MAX; count], vec![0; count]);
        let mut settled = vec![false; count];
        let (mut clock, mut waiting) = (0, Vec::new());
        for root in 0..count as u32 {
            let mut work = vec![(root, 0)];
            while let Some((state, edge)) = work.pop() {
                let at = state as usize;
                if edge == 0 {
                    if met[at] != u32::MAX {
                        continue;
                    }
                    (met[at], back[at]) = (clock, clock);
                    clock += 1;
                    waiting.push(state);
                }
                if let Some(&next) = self.silent[at].get(edge) {
                    work.push((state, edge + 1));
                    match met[next as usize] {
                        u32::MAX => work.push((next, 0)),
                        earlier if !settled[next as usize] => back[at] = back[at].min(earlier),
                        _ => {}
                    }
                    continue;
                }
                if let Some(&(before, _)) = work.last() {
                    back[before as usize] = back[before as usize].min(back[at]);
                }
                if back[at] == met[at] {
                    let first = waiting.iter().rposition(|&other| other == state);
                    let members = waiting.split_off(first.unwrap_or_default());
                    members.iter().for_each(|&one| settled[one as usize] = true);
                    components.push(members);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::never;

    /// S → ( S ) | x
    fn parentheses() -> Cfg {
        let mut cfg = Cfg::default();
        cfg.start = cfg.nonterminal();
        let s = Symbol::Nonterminal(cfg.start);
        cfg.add(cfg.start, vec![Symbol::Terminal(0), s, Symbol::Terminal(1)]);
        cfg.add(cfg.start, vec![Symbol::Terminal(2)]);
        cfg
    }

    fn covers(text: &[TerminalId]) -> bool {
        let mut enfa = Enfa::default();
        let mut here = enfa.node();
        enfa.start = here;
        for &terminal in text {
            let next = enfa.node();
            enfa.edge(here, Some(terminal), next);
            here = next;
        }
        enfa.accept(here);
        let cover = Cover::new(&parentheses(), 3).expect("a small cover");
        cover.meets(&enfa, &mut Ticker::new(&never)).expect("time")
    }

    #[test]
    fn holds_all_texts() {
        assert!(covers(&[2]) && covers(&[0, 2, 1]) && covers(&[0, 0, 2, 1, 1]));
    }

    #[test]
    fn forgets_returns_and_nothing_else() {
        assert!(covers(&[0, 2]) && covers(&[2, 1]));
        assert!(!covers(&[]) && !covers(&[1, 2]) && !covers(&[0, 1]) && !covers(&[2, 2]));
    }
}
