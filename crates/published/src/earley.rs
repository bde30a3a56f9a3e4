//! EPIC's Algorithm 3: Earley's algorithm on an ε-NFA in place of a text.
//!
//! An item is a dotted production, the node at which the production began, and the
//! node that was reached. Prediction adds the productions of the nonterminal behind
//! the dot, scanning follows edges of the terminal behind it, completion goes on
//! with the items that wait for a nonterminal at the node where it began. Since a
//! gap's loops can complete a nonterminal after others have come to wait for it, who
//! waits and where it has ended are both kept, and each new one meets the other's.
//! The parse ends when the start symbol is complete at a node where paths may end.
//!
//! Edges that read nothing are closed over node by node, when a node is first
//! scanned from.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::enfa::Closure;
use crate::reading::{Piece, text};
use crate::{Enfa, Node, Stopped, TerminalId, Ticker};

/// A grammar's productions as dots on one line.
#[derive(Clone, Debug)]
pub struct Dotted {
    /// All right-hand sides, each closed by what it derives.
    symbols: Vec<Dot>,
    /// For each nonterminal, where its right-hand sides begin.
    productions: Vec<Vec<u32>>,
    start: NonterminalId,
}

#[derive(Clone, Copy, Debug)]
enum Dot {
    Before(Symbol),
    Behind(NonterminalId),
}

impl Dotted {
    /// The productions of a grammar.
    pub fn new(cfg: &Cfg) -> Self {
        let mut dotted = Self {
            symbols: Vec::new(),
            productions: vec![Vec::new(); cfg.nonterminals as usize],
            start: cfg.start,
        };
        for production in &cfg.productions {
            let begin = dotted.symbols.len() as u32;
            dotted.productions[production.left as usize].push(begin);
            let right = production.right.iter().map(|&symbol| Dot::Before(symbol));
            dotted.symbols.extend(right);
            dotted.symbols.push(Dot::Behind(production.left));
        }
        dotted
    }
}

/// A text that the grammar derives and that labels an accepting path; `None` if
/// there is none.
///
/// # Errors
/// When the time or the memory is over.
pub fn parse(
    grammar: &Dotted,
    enfa: &Enfa,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Vec<TerminalId>>, Stopped> {
    let mut parser = Parser {
        grammar,
        enfa,
        closure: Closure::new(enfa),
        closed: vec![None; enfa.len()],
        chart: Chart::default(),
        constituents: FxHashMap::default(),
        complete: FxHashSet::default(),
    };
    parser.predict(grammar.start, enfa.start, ticker)?;
    let mut done = 0;
    while done < parser.chart.items.len() {
        ticker.tick()?;
        if parser.advance(done as u32, ticker)? {
            return parser.chart.text(done as u32, ticker).map(Some);
        }
        done += 1;
    }
    Ok(None)
}

/// Bytes of an item: in the chart, in what is known, and where it waits or ends something.
const ITEM: usize =
    size_of::<Item>() + 2 * size_of::<(u32, Node, Node)>() + size_of::<(Node, u32)>();

#[derive(Clone, Copy)]
struct Item {
    dot: u32,
    origin: Node,
    node: Node,
    why: Why,
}

/// Where an item comes from; numbers are those of other items.
#[derive(Clone, Copy)]
enum Why {
    Predicted,
    Scanned { before: u32, terminal: TerminalId },
    Completed { before: u32, part: u32 },
}

/// What is known of a nonterminal that begins at a node.
#[derive(Default)]
struct Constituent {
    /// Items that wait for it.
    waiting: Vec<u32>,
    /// Where it ends, each with the item that says so.
    ends: Vec<(Node, u32)>,
}

struct Parser<'a> {
    grammar: &'a Dotted,
    enfa: &'a Enfa,
    closure: Closure<'a>,
    /// For each node, what can be read from it, and whether paths may end.
    closed: Vec<Option<Scannable>>,
    chart: Chart,
    constituents: FxHashMap<(NonterminalId, Node), Constituent>,
    /// What is known to end somewhere, whichever production says so.
    complete: FxHashSet<(NonterminalId, Node, Node)>,
}

/// All items.
#[derive(Default)]
struct Chart {
    known: FxHashSet<(u32, Node, Node)>,
    /// In the order found; also the queue.
    items: Vec<Item>,
}

impl Chart {
    fn predict(&mut self, dot: u32, node: Node, ticker: &mut Ticker<'_>) -> Result<(), Stopped> {
        let (origin, why) = (node, Why::Predicted);
        self.add(
            Item {
                dot,
                origin,
                node,
                why,
            },
            ticker,
        )
    }

    /// The item with its dot moved on, at another node.
    fn advance(
        &mut self,
        item: Item,
        node: Node,
        why: Why,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        let (dot, origin) = (item.dot + 1, item.origin);
        self.add(
            Item {
                dot,
                origin,
                node,
                why,
            },
            ticker,
        )
    }

    fn add(&mut self, item: Item, ticker: &mut Ticker<'_>) -> Result<(), Stopped> {
        if self.known.insert((item.dot, item.origin, item.node)) {
            ticker.hold(ITEM)?;
            self.items.push(item);
        }
        Ok(())
    }

    fn text(&self, number: u32, ticker: &mut Ticker<'_>) -> Result<Vec<TerminalId>, Stopped> {
        let pieces = |number: u32| match self.items[number as usize].why {
            Why::Predicted => [None, None],
            Why::Scanned { before, terminal } => {
                [Some(Piece::Of(before)), Some(Piece::Terminal(terminal))]
            }
            Why::Completed { before, part } => [Some(Piece::Of(before)), Some(Piece::Of(part))],
        };
        text(number, pieces, ticker)
    }
}

#[derive(Clone)]
struct Scannable {
    /// In order of terminals.
    edges: std::rc::Rc<[(TerminalId, Node)]>,
    accepting: bool,
}

impl Parser<'_> {
    /// Does all that follows from an item; whether it completes the whole.
    fn advance(&mut self, number: u32, ticker: &mut Ticker<'_>) -> Result<bool, Stopped> {
        let item = self.chart.items[number as usize];
        match self.grammar.symbols[item.dot as usize] {
            Dot::Before(Symbol::Terminal(terminal)) => {
                let edges = self.scannable(item.node, ticker)?.edges;
                let from = edges.partition_point(|&(label, _)| label < terminal);
                let same = edges[from..].iter().take_while(|edge| edge.0 == terminal);
                for &(_, to) in same {
                    let before = number;
                    let why = Why::Scanned { before, terminal };
                    self.chart.advance(item, to, why, ticker)?;
                }
            }
            Dot::Before(Symbol::Nonterminal(wanted)) => {
                let Some(constituent) = self.constituents.get_mut(&(wanted, item.node)) else {
                    let constituent = self.predict(wanted, item.node, ticker)?;
                    constituent.waiting.push(number);
                    return Ok(false);
                };
                constituent.waiting.push(number);
                for &(to, part) in &constituent.ends {
                    ticker.tick()?;
                    let before = number;
                    let why = Why::Completed { before, part };
                    self.chart.advance(item, to, why, ticker)?;
                }
            }
            Dot::Behind(left) => {
                let whole = left == self.grammar.start && item.origin == self.enfa.start;
                if whole && self.scannable(item.node, ticker)?.accepting {
                    return Ok(true);
                }
                if !self.complete.insert((left, item.origin, item.node)) {
                    return Ok(false);
                }
                let constituent = self.constituents.entry((left, item.origin)).or_default();
                constituent.ends.push((item.node, number));
                for &before in &constituent.waiting {
                    ticker.tick()?;
                    let waiting = self.chart.items[before as usize];
                    let part = number;
                    let why = Why::Completed { before, part };
                    self.chart.advance(waiting, item.node, why, ticker)?;
                }
            }
        }
        Ok(false)
    }

    fn predict(
        &mut self,
        nonterminal: NonterminalId,
        node: Node,
        ticker: &mut Ticker<'_>,
    ) -> Result<&mut Constituent, Stopped> {
        for &dot in &self.grammar.productions[nonterminal as usize] {
            ticker.tick()?;
            self.chart.predict(dot, node, ticker)?;
        }
        ticker.hold(size_of::<((NonterminalId, Node), Constituent)>())?;
        Ok(self.constituents.entry((nonterminal, node)).or_default())
    }

    fn scannable(&mut self, node: Node, ticker: &mut Ticker<'_>) -> Result<Scannable, Stopped> {
        if let Some(known) = &self.closed[node as usize] {
            return Ok(known.clone());
        }
        let mut nodes = vec![node];
        self.closure.close(&mut nodes);
        let edges = nodes.iter().flat_map(|&node| self.enfa.edges(node));
        let mut edges: Vec<(TerminalId, Node)> = edges
            .filter_map(|&(label, to)| Some((label?, to)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        ticker.spend(nodes.len() + edges.len())?;
        ticker.hold(size_of_val(edges.as_slice()))?;
        let scannable = Scannable {
            edges: edges.into(),
            accepting: nodes.iter().any(|&node| self.enfa.is_accepting(node)),
        };
        self.closed[node as usize] = Some(scannable.clone());
        Ok(scannable)
    }
}
