//! The same lexemes in as many tokens as there are cells.
//!
//! A parse in which gaps have any length is cheap, and says in which terminals the
//! text can be read. Whether lexemes of just these terminals, with ignored ones
//! between them, can be written in the cells is no matter of grammar any more but
//! of the lexer: a search over the graph in which cells are counted, terminal by
//! terminal. Most yeses come about so.
//!
//! Cost: the nodes of the graph between which a lexeme of the next terminal stands,
//! once for each terminal.

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashSet;

use crate::graph::{Addition, CompletionGraph, Label, Point, Step};

/// What writes these terminals into the gaps of a graph that counts cells; `None` if
/// nothing does, or it is not found within the budget.
pub(crate) fn respell(
    graph: &mut CompletionGraph<'_>,
    terminals: &[TerminalId],
    budget: usize,
) -> Option<Vec<Addition>> {
    let mut search = Search {
        reached: vec![(graph.start(), 0, Label::End)],
        level: 0,
        budget,
    };
    let labels = terminals.iter().map(|&terminal| Label::Lexeme(terminal));
    for label in labels.chain([Label::End]) {
        search.next_level(graph, label)?;
    }
    let mut at = search.level;
    let mut path = Vec::new();
    while at != 0 {
        let (to, before, label) = search.reached[at];
        let from = search.reached[before].0;
        path.push(Step { from, label, to });
        at = before;
    }
    path.reverse();
    graph.additions(&path)
}

struct Search {
    /// Nodes reached, each with where from and by what edge; in the order of levels.
    reached: Vec<(Point, usize, Label)>,
    /// Where the last level begins.
    level: usize,
    budget: usize,
}

impl Search {
    /// Goes on from the last level to the nodes behind one lexeme of a terminal, or
    /// to the end.
    fn next_level(&mut self, graph: &mut CompletionGraph<'_>, wanted: Label) -> Option<()> {
        let mut at = self.level;
        let mut within = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(&(point, ..)) = self.reached.get(at) {
            let edges = graph.edges(point, self.budget)?;
            self.budget = self.budget.checked_sub(edges.work + 1)?;
            let inside = match graph.gap(point) {
                Some(_) => graph.edges_inside(point),
                None => Vec::new(),
            };
            for edge in edges.edges.iter().chain(&inside) {
                if edge.label == wanted {
                    if seen.insert(edge.to) {
                        found.push((edge.to, at, wanted));
                    }
                    continue;
                }
                let leads_on = edge.label == Label::Within
                    && match wanted {
                        Label::Lexeme(terminal) => graph.lexer.is_alive(edge.to.state, terminal),
                        Label::Within | Label::End => graph.lexer.may_end(edge.to.state),
                    };
                if leads_on && within.insert(edge.to) {
                    self.reached.push((edge.to, at, Label::Within));
                }
            }
            at += 1;
        }
        self.level = self.reached.len();
        self.reached.append(&mut found);
        (self.level < self.reached.len()).then_some(())
    }
}
