//! What is known at a node of the graph: entries, and where they come from.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::gap_group::Member;
use crate::graph::{Edge, Point};
use crate::sets::{Costed, GroupId, NOTHING, PassedId, SetId};

pub(crate) type NodeId = u32;

/// The rank of a node that was dropped.
pub(super) const FREED: u32 = u32::MAX;

pub(super) const NOT_QUEUED: u32 = u32::MAX;

/// Entries of one node from which on they are found by a table.
const INDEXED_FROM: usize = 16;

/// All states at a node that began at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub origin: NodeId,
    /// What edges and completions brought here.
    pub came: Costed,
    /// That, with all that follows at this node.
    pub settled: Costed,
    /// Whether it, or what waited where it began, has changed since it was settled.
    pub is_stale: bool,
    /// Whether it has changed since edges were taken from it.
    pub is_unread: bool,
}

impl Entry {
    pub(crate) fn new(origin: NodeId, came: Costed) -> Self {
        Self {
            origin,
            came,
            settled: Costed {
                set: NOTHING,
                cost: 0,
            },
            is_stale: true,
            is_unread: true,
        }
    }
}

/// A completion that was handed on over several levels at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skipped {
    /// What was complete, and where it began.
    pub passed: PassedId,
    pub cost: u32,
    pub origin: NodeId,
}

/// A node of the graph with all that is known there.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub point: Point,
    /// [`FREED`] once the node was dropped.
    pub rank: u32,
    /// The highest rank that its edges were found by looking at.
    pub reach: u32,
    pub edges: Option<Arc<[Edge]>>,
    /// Edges that stay inside a gap of any length, where its boundaries are too many
    /// to be worked out as a group.
    pub inside: Option<Arc<[Edge]>>,
    /// The boundaries of the gap of any length that it stands in.
    pub gap: Option<InGap>,
    pub entries: Vec<Entry>,
    /// What edges brought here since it was settled, by origin.
    pub arrivals: Vec<(NodeId, Costed)>,
    by_origin: FxHashMap<NodeId, u32>,
    /// The states of all that entries predict.
    pub predicted: SetId,
    /// The states of all that may begin here.
    pub begun: SetId,
    pub is_begun_unread: bool,
    /// Where edges come from.
    pub before: Vec<NodeId>,
    /// Nodes that have an entry whose origin is this one.
    pub users: Vec<NodeId>,
    pub skipped: Vec<Skipped>,
    /// Where completions of what began here come out, if they are only handed on.
    pub(super) tops: FxHashMap<PassedId, Option<Top>>,
    /// The least cost at which it waits to be settled.
    pub queued: u32,
    pub is_settled: bool,
}

/// A node's place among the boundaries of a gap.
#[derive(Clone, Debug)]
pub(crate) struct InGap {
    pub group: GroupId,
    pub member: Member,
    /// The nodes of all members.
    pub nodes: Arc<[NodeId]>,
}

/// Where a chain of completions that only hand on comes out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    pub origin: NodeId,
    pub costed: Costed,
}

impl Node {
    pub(super) fn new(point: Point, rank: u32) -> Self {
        Self {
            point,
            rank,
            reach: 0,
            edges: None,
            inside: None,
            gap: None,
            entries: Vec::new(),
            arrivals: Vec::new(),
            by_origin: FxHashMap::default(),
            predicted: NOTHING,
            begun: NOTHING,
            is_begun_unread: true,
            before: Vec::new(),
            users: Vec::new(),
            skipped: Vec::new(),
            tops: FxHashMap::default(),
            queued: NOT_QUEUED,
            is_settled: false,
        }
    }

    pub(super) fn place(&self, origin: NodeId) -> Option<usize> {
        if self.entries.len() < INDEXED_FROM {
            return self.entries.iter().position(|e| e.origin == origin);
        }
        self.by_origin.get(&origin).map(|&at| at as usize)
    }

    pub(crate) fn insert(&mut self, entry: Entry) {
        if self.entries.len() + 1 == INDEXED_FROM {
            let all = self.entries.iter().map(|entry| entry.origin);
            self.by_origin = all.zip(0..).collect();
        }
        if self.entries.len() + 1 >= INDEXED_FROM {
            let at = self.entries.len() as u32;
            self.by_origin.insert(entry.origin, at);
        }
        self.entries.push(entry);
    }

    /// The settled states here that began at a node.
    pub(crate) fn began_at(&self, origin: NodeId) -> Option<Costed> {
        self.place(origin).map(|at| self.entries[at].settled)
    }
}
