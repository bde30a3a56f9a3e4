//! An ε-NFA over terminals: all lexings of all completions of a text with gaps.

use crate::TerminalId;

/// Index of a node.
pub type Node = u32;

/// The automaton. Edges without a terminal read nothing.
#[derive(Clone, Debug, Default)]
pub struct Enfa {
    edges: Vec<Vec<(Option<TerminalId>, Node)>>,
    accepting: Vec<bool>,
    /// Where all paths begin.
    pub start: Node,
}

impl Enfa {
    /// Bytes of an edge.
    pub(crate) const EDGE: usize = size_of::<(Option<TerminalId>, Node)>();

    /// A new node.
    pub fn node(&mut self) -> Node {
        self.edges.push(Vec::new());
        self.accepting.push(false);
        self.edges.len() as Node - 1
    }

    /// An edge; `None` reads nothing.
    pub fn edge(&mut self, from: Node, label: Option<TerminalId>, to: Node) {
        self.edges[from as usize].push((label, to));
    }

    /// Lets paths end here.
    pub fn accept(&mut self, node: Node) {
        self.accepting[node as usize] = true;
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Whether paths may end in the node itself.
    pub fn is_accepting(&self, node: Node) -> bool {
        self.accepting[node as usize]
    }

    /// The edges of a node.
    pub fn edges(&self, node: Node) -> &[(Option<TerminalId>, Node)] {
        &self.edges[node as usize]
    }

    /// Without the nodes from which no path is accepted.
    pub fn trimmed(&self) -> Self {
        let mut before: Vec<Vec<Node>> = vec![Vec::new(); self.len()];
        for (node, edges) in (0..).zip(&self.edges) {
            for &(_, to) in edges {
                before[to as usize].push(node);
            }
        }
        let mut live = self.accepting.clone();
        let accepting = (0..self.len() as Node).filter(|&node| live[node as usize]);
        let mut work: Vec<Node> = accepting.collect();
        while let Some(node) = work.pop() {
            for &earlier in &before[node as usize] {
                if !std::mem::replace(&mut live[earlier as usize], true) {
                    work.push(earlier);
                }
            }
        }
        live[self.start as usize] = true;
        let mut trimmed = Self::default();
        let names: Vec<Option<Node>> = live
            .iter()
            .map(|&live| live.then(|| trimmed.node()))
            .collect();
        for (node, name) in names.iter().enumerate() {
            let Some(name) = *name else { continue };
            trimmed.accepting[name as usize] = self.accepting[node];
            let edges = self.edges[node].iter();
            let kept = edges.filter_map(|&(label, to)| Some((label, names[to as usize]?)));
            trimmed.edges[name as usize] = kept.collect();
        }
        trimmed.start = names[self.start as usize].unwrap_or_default();
        trimmed
    }
}

/// Finds what can be reached without reading.
pub(crate) struct Closure<'a> {
    enfa: &'a Enfa,
    /// The round in which a node was last met.
    met: Vec<u32>,
    round: u32,
}

impl<'a> Closure<'a> {
    pub(crate) fn new(enfa: &'a Enfa) -> Self {
        Self {
            enfa,
            met: vec![0; enfa.len()],
            round: 0,
        }
    }

    /// Adds to the nodes all that can be reached from them without reading, and
    /// sorts them.
    pub(crate) fn close(&mut self, nodes: &mut Vec<Node>) {
        self.round += 1;
        for &node in &*nodes {
            self.met[node as usize] = self.round;
        }
        let mut done = 0;
        while done < nodes.len() {
            for &(label, to) in self.enfa.edges(nodes[done]) {
                let met = &mut self.met[to as usize];
                if label.is_none() && std::mem::replace(met, self.round) != self.round {
                    nodes.push(to);
                }
            }
            done += 1;
        }
        nodes.sort_unstable();
    }
}
