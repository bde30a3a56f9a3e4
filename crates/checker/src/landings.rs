//! Lexemes under way that are alike before a text.
//!
//! A token may end in the middle of hundreds of lexemes: in every keyword, and in any name. If
//! text follows, most of them are the same from there on, because the first byte tells: they end
//! as the same terminals, and that byte leads them to the same state. One node of the graph
//! stands for all of these, and there is none for those that the text refuses.
//!
//! Cost: for each place and state, what may end there, and a step of the lexer.

use lacuna_lexer::LexerState;
use lacuna_lexer::SortFew;
use rustc_hash::FxHashMap;

use crate::Segment;
use crate::at_place::AtPlace;
use crate::graph::{CompletionGraph, Edge, LOOKAHEAD, Point};

/// What is known of the nodes before the texts of one pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landings {
    /// The class of each; [`NOWHERE`] where nothing goes on.
    known: FxHashMap<Point, u32>,
    at_place: AtPlace,
    /// By what is told apart.
    classes: FxHashMap<Box<[u32]>, u32>,
    /// The node that stands for each class, and the last of the nodes that it was added for.
    stand_ins: Vec<(Point, u32)>,
    /// The states of each class.
    members: Vec<Vec<LexerState>>,
    /// Nodes whose edges were added.
    added: u32,
}

/// In place of a terminal where a byte was read.
const READ: u32 = u32::MAX;

/// In place of a class.
const NOWHERE: u32 = u32::MAX;

impl Landings {
    /// Leads the edges of a node, those from `first` on, to nodes that stand for those before a
    /// text: each once, and none to where nothing goes on. `reach` grows by what was looked at.
    pub fn lead(
        &mut self,
        graph: &CompletionGraph<'_>,
        edges: &mut Vec<Edge>,
        first: usize,
        reach: &mut u32,
    ) {
        self.added += 1;
        let mut led = first;
        for at in first..edges.len() {
            let mut edge = edges[at];
            if let Some(byte) = next_byte(graph, edge.to) {
                *reach = (*reach).max(graph.rank(edge.to) + LOOKAHEAD);
                let known = self.at_place.get(edge.to);
                let class = known.unwrap_or_else(|| self.class(graph, edge.to, byte));
                if class == NOWHERE {
                    continue;
                }
                let (stand_in, last) = &mut self.stand_ins[class as usize];
                if std::mem::replace(last, self.added) == self.added {
                    continue;
                }
                edge.to = *stand_in;
            }
            edges[led] = edge;
            led += 1;
        }
        edges.truncate(led);
    }

    /// The node that stands for another: itself, where no edge to it was added.
    pub fn stand_in(&self, point: Point) -> Point {
        let class = self.known.get(&point).filter(|&&class| class != NOWHERE);
        class.map_or(point, |&class| self.stand_ins[class as usize].0)
    }

    /// The states of all nodes that one stands for, or another of its class.
    pub fn members(&self, point: Point) -> &[LexerState] {
        let class = self.known.get(&point).filter(|&&class| class != NOWHERE);
        class.map_or(&[], |&class| &self.members[class as usize])
    }

    fn class(&mut self, graph: &CompletionGraph<'_>, point: Point, byte: u8) -> u32 {
        let known = self.known.get(&point).copied();
        let class = known.unwrap_or_else(|| self.new_class(graph, point, byte));
        self.at_place.put(point, class);
        class
    }

    fn new_class(&mut self, graph: &CompletionGraph<'_>, point: Point, byte: u8) -> u32 {
        let mut class = NOWHERE;
        let told = told_apart(graph, point, byte);
        if !told.is_empty() {
            let place = [point.segment, point.offset];
            let told = place.into_iter().chain(told).collect();
            let fresh = self.stand_ins.len() as u32;
            class = *self.classes.entry(told).or_insert(fresh);
            if class == fresh {
                self.stand_ins.push((point, 0));
                self.members.push(Vec::new());
            }
            self.members[class as usize].push(point.state);
        }
        self.known.insert(point, class);
        class
    }
}

/// The byte behind a node at which a lexeme is under way, if text follows.
fn next_byte(graph: &CompletionGraph<'_>, point: Point) -> Option<u8> {
    match graph.pattern.segments.get(point.segment as usize) {
        Some(Segment::Text(text)) if point.within => text.get(point.offset as usize).copied(),
        _ => None,
    }
}

/// What tells a node from others before a text that begins with `byte`: what may end, and the
/// states that the byte leads to. Nothing, if neither is there.
fn told_apart(graph: &CompletionGraph<'_>, point: Point, byte: u8) -> Vec<u32> {
    let lexer = graph.lexer;
    let mut states = vec![point.state];
    let mut told = Vec::new();
    let mut at = 0;
    while let Some(&state) = states.get(at) {
        at += 1;
        for finish in lexer.finishes(state) {
            let boundary = Point {
                state: finish.to,
                within: false,
                ..point
            };
            let Some(boundary) = graph.redeem(boundary, &mut 0) else {
                continue;
            };
            match finish.terminal {
                Some(terminal) => told.push((terminal, boundary.state)),
                None if states.contains(&boundary.state) => {}
                None => states.push(boundary.state),
            }
        }
    }
    let read = states.iter().filter_map(|&state| lexer.next(state, byte));
    told.extend(read.map(|state| (READ, state)));
    told.sort_few();
    told.dedup();
    let told = told.into_iter();
    told.flat_map(|(terminal, state)| [terminal, state])
        .collect()
}
