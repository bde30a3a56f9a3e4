//! Earley's algorithm over a completion graph.
//!
//! Words: an *item* is a dotted production with the node where it began (its
//! origin), sitting at the node reached so far; the set of items at a node is
//! the textbook's Earley set. The textbook scans one word to the next set; here
//! an item that expects a terminal travels along unlabelled edges while its
//! terminal is alive in the lexer state, and advances on an edge that ends it.
//! Graphs have cycles (gaps of any length), so items are settled by a work list
//! and completions are remembered at their origin, which also covers nullable
//! symbols. The most recent item is settled first: a witness tends to be found
//! long before the graph is exhausted.
//!
//! Each item remembers how it first came to be; following that back from the
//! goal spells the witness. Cost: O(nodes² · dotted productions) items at
//! worst, bounded by a budget.

use lacuna_lexer::TerminalId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::graph::{CompletionGraph, Emit, NodeId};

/// What a parse found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// A path to the end, as what it adds to the gaps, in order.
    Found(Vec<Emit>),
    /// There is none.
    Nothing,
    /// More items than the budget allows.
    Exhausted,
}

/// Looks for a path through the graph that the grammar derives, settling at
/// most `budget` items.
pub fn parse(cfg: &Cfg, graph: &mut CompletionGraph<'_>, budget: usize) -> Parse {
    let mut parser = Parser {
        cfg,
        graph,
        items: Vec::new(),
        known: FxHashSet::default(),
        predicted: FxHashSet::default(),
        waiting: FxHashMap::default(),
        completed: FxHashMap::default(),
        agenda: Vec::new(),
    };
    parser.run(budget)
}

/// Steps of a derivation that a witness may take to write.
const MAX_SPELLED: usize = 4_000_000;

type ItemId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Item {
    dot: u32,
    origin: NodeId,
    at: NodeId,
}

/// How an item first came to be.
#[derive(Clone, Copy)]
enum Reason {
    Predicted,
    /// The item before, and what the edge added.
    Edge(ItemId, Emit),
    /// The item before, and the completed item of the nonterminal passed.
    Completed(ItemId, ItemId),
}

struct Parser<'a, 'g> {
    cfg: &'a Cfg,
    graph: &'a mut CompletionGraph<'g>,
    items: Vec<(Item, Reason)>,
    known: FxHashSet<Item>,
    predicted: FxHashSet<(NonterminalId, NodeId)>,
    waiting: FxHashMap<(NonterminalId, NodeId), Vec<ItemId>>,
    completed: FxHashMap<(NonterminalId, NodeId), Vec<ItemId>>,
    agenda: Vec<ItemId>,
}

impl Parser<'_, '_> {
    fn run(&mut self, budget: usize) -> Parse {
        let start = self.graph.start();
        let goal = Item {
            dot: self.cfg.goal,
            origin: start,
            at: start,
        };
        self.add(goal, Reason::Predicted);
        while let Some(id) = self.agenda.pop() {
            if self.items.len() > budget {
                return Parse::Exhausted;
            }
            let item = self.items[id as usize].0;
            match self.cfg.symbols[item.dot as usize] {
                Symbol::Terminal(terminal) => self.scan(id, item, terminal),
                Symbol::Nonterminal(nonterminal) => self.wait(id, item, nonterminal),
                Symbol::End(nonterminal) => self.complete(id, item, nonterminal),
                Symbol::EndOfText if self.graph.is_final(item.at) => {
                    return self.spell(id).map_or(Parse::Exhausted, Parse::Found);
                }
                Symbol::EndOfText => self.pass_ignored(id, item),
            }
        }
        Parse::Nothing
    }

    fn add(&mut self, item: Item, reason: Reason) {
        if self.known.insert(item) {
            self.agenda.push(self.items.len() as ItemId);
            self.items.push((item, reason));
        }
    }

    fn predict(&mut self, nonterminal: NonterminalId, at: NodeId) {
        if self.predicted.insert((nonterminal, at)) {
            for &dot in self.cfg.productions[nonterminal as usize].iter().rev() {
                self.add(
                    Item {
                        dot,
                        origin: at,
                        at,
                    },
                    Reason::Predicted,
                );
            }
        }
    }

    fn scan(&mut self, id: ItemId, item: Item, terminal: TerminalId) {
        for edge in self.graph.edges(item.at).iter() {
            let dot = match edge.label {
                Some(label) if label == terminal => item.dot + 1,
                None if self.graph.is_alive(edge.to, terminal) => item.dot,
                _ => continue,
            };
            self.add(
                Item {
                    dot,
                    at: edge.to,
                    ..item
                },
                Reason::Edge(id, edge.emit),
            );
        }
    }

    /// On towards the end of the text, over ignored lexemes only.
    fn pass_ignored(&mut self, id: ItemId, item: Item) {
        for edge in self.graph.edges(item.at).iter() {
            if edge.label.is_none() && self.graph.may_end(edge.to) {
                let next = Item {
                    at: edge.to,
                    ..item
                };
                self.add(next, Reason::Edge(id, edge.emit));
            }
        }
    }

    fn wait(&mut self, id: ItemId, item: Item, nonterminal: NonterminalId) {
        self.waiting
            .entry((nonterminal, item.at))
            .or_default()
            .push(id);
        self.predict(nonterminal, item.at);
        let done = self
            .completed
            .get(&(nonterminal, item.at))
            .cloned()
            .unwrap_or_default();
        for completed in done {
            self.advance(id, completed);
        }
    }

    fn complete(&mut self, id: ItemId, item: Item, nonterminal: NonterminalId) {
        self.completed
            .entry((nonterminal, item.origin))
            .or_default()
            .push(id);
        let waiting = self
            .waiting
            .get(&(nonterminal, item.origin))
            .cloned()
            .unwrap_or_default();
        for waiting in waiting {
            self.advance(waiting, id);
        }
    }

    fn advance(&mut self, waiting: ItemId, completed: ItemId) {
        let item = self.items[waiting as usize].0;
        let at = self.items[completed as usize].0.at;
        let next = Item {
            dot: item.dot + 1,
            at,
            ..item
        };
        self.add(next, Reason::Completed(waiting, completed));
    }

    /// What the derivation of an item adds to the gaps, in order; `None` if that
    /// is too long to write (items are shared, so it can be exponentially longer
    /// than the chart).
    fn spell(&self, goal: ItemId) -> Option<Vec<Emit>> {
        let mut visited = 0;
        let mut emits = Vec::new();
        let mut stack = vec![goal];
        while let Some(id) = stack.pop() {
            visited += 1;
            if visited > MAX_SPELLED {
                return None;
            }
            match self.items[id as usize].1 {
                Reason::Predicted => {}
                Reason::Edge(before, emit) => {
                    if emit != Emit::Nothing {
                        emits.push(emit);
                    }
                    stack.push(before);
                }
                Reason::Completed(before, completed) => {
                    stack.push(before);
                    stack.push(completed);
                }
            }
        }
        emits.reverse();
        Some(emits)
    }
}
