//! The exact parse: Earley's algorithm over a completion graph, on sets of LR(0)
//! states.
//!
//! An *entry* of a node is a set of parser states ([`sets`](crate::sets)) with the
//! node where their productions began (its origin). Where the textbook moves
//! single items from word to word, here all that has one origin moves along an
//! edge of the graph, which is a lexeme, in one look-up. Nodes are settled in the
//! order of their places; at one place, what began last completes first, so a
//! completion finds all that waits for it settled. Where edges lead in circles
//! (inside a gap of any length, unless one node stands for all its boundaries), a
//! node is settled again when something new or cheaper reaches it.
//!
//! Costs are what a derivation writes into gaps, and each state of an entry carries
//! the least one: a path that cheapest explains the goal's is a shortest witness
//! ([`derivation`](crate::derivation)).
//!
//! Right recursion would pile up completions, one for each level, at every lexeme.
//! Those that only hand on to the next are skipped (Leo, "A general context-free
//! parsing algorithm running in linear time on every LR(k) grammar without using
//! lookahead", Theoretical Computer Science 82, 1991): see `top`.
//!
//! The chart is kept: the next pattern is parsed from the first place on at which
//! it differs from the last one.
//!
//! Cost: an entry for each origin still open, at each node; a node in plain text
//! behind plain text has a handful. Bounded by a budget of entries, of states in
//! sets not met before, and of points walked.

mod complete;
mod gaps;
mod node;
mod parser;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashMap;

use crate::Pattern;
use crate::cfg::Cfg;
use crate::cover::Cover;
use crate::graph::{Addition, CompletionGraph, Label, Point, Step, common_rank};
use crate::lookahead::Lookahead;
use crate::sets::{Costed, SetId, StateSets};

pub(crate) use complete::handed_on;
pub(crate) use node::{Entry, Node, NodeId};
use node::{FREED, NOT_QUEUED};
use parser::Parser;

/// What a parse found.
#[derive(Clone, Debug)]
pub enum Parse {
    /// A path to the end.
    Found(Found),
    /// There is none.
    Nothing,
    /// More work than the budget allows.
    Exhausted,
}

/// A path through the graph.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its edges, in order.
    pub path: Vec<Step>,
    /// What it adds to the gaps.
    pub additions: Vec<Addition>,
}

#[cfg_attr(
    not(feature = "shortcuts"),
    expect(dead_code, reason = "to write terminals in cells")
)]
impl Found {
    /// The terminals of its lexemes, ignored ones left out.
    pub fn terminals(&self) -> Vec<TerminalId> {
        let labels = self.path.iter().map(|step| step.label);
        let terminals = labels.filter_map(|label| match label {
            Label::Lexeme(terminal) => Some(terminal),
            Label::Within | Label::End => None,
        });
        terminals.collect()
    }
}

/// A chart, with what it was made for.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub(crate) nodes: Vec<Node>,
    ids: FxHashMap<Point, NodeId>,
    free: Vec<NodeId>,
    /// The nodes in each gap of any length.
    in_gaps: FxHashMap<u32, Vec<NodeId>>,
    queue: BinaryHeap<Reverse<(u32, u32, u32, NodeId)>>,
    /// Of the last parse.
    pub(crate) work: usize,
    /// Nodes from which the text can end, with the cost of getting there.
    ends: Vec<(NodeId, u32)>,
    last: Option<Last>,
    /// What the rest of the pattern asks for.
    ahead: Option<Box<Lookahead>>,
}

#[derive(Clone, Debug)]
struct Last {
    pattern: Pattern,
    parse: Parse,
    /// Below this rank every consequence has been drawn.
    settled_below: u32,
}

impl Chart {
    /// Looks for a path through the graph that the grammar derives, within a
    /// budget of work. A chart serves one grammar, one vocabulary and one `sets`.
    pub fn parse(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        graph: &mut CompletionGraph<'_>,
        ahead: Option<(Box<Lookahead>, &Cover)>,
        budget: usize,
    ) -> Parse {
        let (ahead, cover) = ahead.unzip();
        let mut kept = match self.last.take() {
            Some(last)
                if last.pattern == *graph.pattern() && !matches!(last.parse, Parse::Exhausted) =>
            {
                let parse = last.parse.clone();
                self.last = Some(last);
                return parse;
            }
            Some(last) => common_rank(&last.pattern, graph.pattern()).min(last.settled_below),
            None => 0,
        };
        kept = match (&self.ahead, &ahead) {
            (Some(before), Some(ahead)) => before.differs(ahead, kept),
            (None, None) => kept,
            // What was left out for the rest of one pattern may be asked for by another's.
            (Some(_), None) | (None, Some(_)) => 0,
        };
        self.work = 0;
        sets.take_work();
        let again = self.forget(kept);
        self.ahead = ahead;
        let mut parser = Parser {
            chart: self,
            cfg,
            sets,
            graph,
            cover,
            budget,
            overrun: None,
        };
        let (mut parse, mut settled_below) = parser.run(again);
        parser.sets.limit(usize::MAX);
        if let Some(overrun) = parser.overrun {
            settled_below = settled_below.min(overrun);
            // Edges are missing: only a path that was found anyway is an answer.
            if matches!(parse, Parse::Nothing) {
                parse = Parse::Exhausted;
            }
        }
        self.last = Some(Last {
            pattern: graph.pattern().clone(),
            parse: parse.clone(),
            settled_below,
        });
        parse
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops all that stands at a rank or above it, or was found by looking
    /// there; the nodes that are left whose edges led to what was dropped.
    fn forget(&mut self, changed: u32) -> Vec<NodeId> {
        self.queue.clear();
        self.ends.clear();
        let looked_at = self.nodes.iter().filter(|node| node.rank < changed);
        let looked_at = looked_at.filter(|node| node.reach >= changed);
        // What lies behind a node whose edges must be found again may be wrong.
        let kept = looked_at.map(|node| node.rank + 1).min();
        let kept = kept.unwrap_or(changed).min(changed);
        if kept == 0 {
            self.clear();
            return Vec::new();
        }
        let gone: Vec<bool> = self.nodes.iter().map(|node| node.rank >= kept).collect();
        for nodes in self.in_gaps.values_mut() {
            nodes.retain(|&id| !gone[id as usize]);
        }
        let mut again = Vec::new();
        for (id, node) in (0..).zip(&mut self.nodes) {
            if gone[id as usize] {
                if node.rank != FREED {
                    self.ids.remove(&node.point);
                    self.free.push(id);
                    node.rank = FREED;
                    node.entries.clear();
                    node.arrivals.clear();
                }
                continue;
            }
            node.users.retain(|&user| !gone[user as usize]);
            node.before.retain(|&before| !gone[before as usize]);
            node.queued = NOT_QUEUED;
            if node.reach >= kept {
                node.edges = None;
                again.push(id);
                node.is_begun_unread = true;
                for entry in &mut node.entries {
                    entry.is_unread = true;
                }
            }
        }
        again
    }
}

fn plain(set: SetId) -> Costed {
    Costed { set, cost: 0 }
}
