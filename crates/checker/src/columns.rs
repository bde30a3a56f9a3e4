//! Earley columns along one path, interned: what a text up to some lexeme can be.
//!
//! A column is the last one of a parse of known lexemes: sets of parser states
//! ([`sets`](crate::sets)), each with the column at which its productions began.
//! Columns that say the same are one column, however the texts came about: behind
//! every complete statement of a block stands the same column. So columns play the
//! part of an LR parser's stacks, made as they are met, and a step of one is a
//! look-up from the second time on, whatever pattern asks for it.
//!
//! Cost: a new step, the sets that the lexeme moves and those that it completes.

use lacuna_lexer::SortFew;
use std::sync::Arc;

use lacuna_lexer::{BitSet, Lexer, LexerState, MemoUse, TerminalId};
use rustc_hash::FxHashMap;

use crate::cfg::Cfg;
use crate::sets::{Costed, NOTHING, SetId, StateSets};

/// Index of a column.
pub type ColumnId = u32;

/// No column.
const NO_COLUMN: ColumnId = ColumnId::MAX;

#[derive(Clone, Debug)]
struct Column {
    /// The settled sets, each with the column where it began; sorted.
    entries: Arc<[(ColumnId, SetId)]>,
    /// The states of all that may begin here.
    begun: SetId,
    /// Levels of columns that entries began at: one more than theirs.
    depth: u32,
    /// Whether the text may end here.
    ends: bool,
    /// The terminals that can be read, once asked for.
    reads: Option<Reads>,
    /// What is innermost, once asked for.
    inner: Option<u32>,
}

/// What can be read at a column.
#[derive(Clone, Debug)]
struct Reads {
    terminals: Arc<BitSet>,
    /// The same number for columns that can read the same, and end alike.
    kind: u32,
}

/// The columns met so far.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    ids: FxHashMap<Arc<[(ColumnId, SetId)]>, ColumnId>,
    /// [`NO_COLUMN`] where there is none.
    steps: FxHashMap<(ColumnId, TerminalId), ColumnId>,
    kinds: FxHashMap<(Arc<BitSet>, bool), u32>,
    /// By kind of what can be read, and by outlook of the lexer's state, if known.
    hopes: Vec<Box<[Option<bool>]>>,
    inners: FxHashMap<Box<[SetId]>, u32>,
    size: usize,
    work: usize,
    memo_use: MemoUse,
}

impl Columns {
    /// The column before the first lexeme.
    pub const START: ColumnId = 0;

    /// Nothing but the column before the first lexeme.
    pub fn new(cfg: &Cfg, sets: &mut StateSets) -> Self {
        let mut columns = Self::default();
        let (mut begun, mut settled) = (NOTHING, NOTHING);
        loop {
            let before = (begun, settled);
            let first = sets.start().set;
            settled = sets.settle(cfg, first, begun);
            begun = sets.facts(cfg, settled).predicts;
            if (begun, settled) == before {
                break;
            }
        }
        // What encloses all productions begins where they do.
        columns.columns.push(Column {
            entries: Arc::new([]),
            begun: sets.union(plain(begun), plain(settled)).set,
            depth: 0,
            ends: sets.facts(cfg, settled).ends.is_some(),
            reads: None,
            inner: None,
        });
        columns
    }

    /// Entries of all columns and memos, a measure of the memory.
    pub fn size(&self) -> usize {
        self.size + 4 * self.columns.len() + self.steps.len()
    }

    /// How often it was asked for a step, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// Entries made since the last call, a measure of the work.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }

    /// Whether the text may end at a column.
    pub fn ends(&self, column: ColumnId) -> bool {
        self.columns[column as usize].ends
    }

    /// The sets at a column, each with the column where it began.
    pub fn entries(&self, column: ColumnId) -> Arc<[(ColumnId, SetId)]> {
        Arc::clone(&self.columns[column as usize].entries)
    }

    /// The states of all that begins at a column.
    pub fn begun(&self, column: ColumnId) -> SetId {
        self.columns[column as usize].begun
    }

    /// What the productions that are open innermost can do, those outside left aside:
    /// the same number for columns that are alike in this.
    pub(crate) fn inner(&mut self, column: ColumnId) -> u32 {
        let known = &self.columns[column as usize];
        if let Some(inner) = known.inner {
            return inner;
        }
        let mut sets: Vec<SetId> = known.entries.iter().map(|&(_, set)| set).collect();
        sets.sort_few();
        sets.dedup();
        let fresh = self.inners.len() as u32;
        let inner = *self.inners.entry(sets.into()).or_insert(fresh);
        self.columns[column as usize].inner = Some(inner);
        inner
    }

    /// Levels of productions that are open at a column, about.
    pub fn depth(&self, column: ColumnId) -> u32 {
        self.columns[column as usize].depth
    }

    /// The column behind one more lexeme; `None` if it cannot follow.
    pub fn step(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        column: ColumnId,
        terminal: TerminalId,
    ) -> Option<ColumnId> {
        // Most terminals can follow few columns: the bits are sooner asked.
        let can_follow = match &self.columns[column as usize].reads {
            Some(reads) => reads.terminals.contains(terminal as usize),
            None => {
                let reads = self.look_at(cfg, sets, column);
                reads.terminals.contains(terminal as usize)
            }
        };
        if !can_follow {
            return None;
        }
        let key = (column, terminal);
        self.memo_use.asked += 1;
        if let Some(&known) = self.steps.get(&key) {
            return (known != NO_COLUMN).then_some(known);
        }
        self.memo_use.made += 1;
        let next = self.after(cfg, sets, column, terminal);
        self.steps.insert(key, next.unwrap_or(NO_COLUMN));
        next
    }

    /// Whether a column can read what may become of a lexeme under way.
    pub fn hopes(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        column: ColumnId,
        state: LexerState,
    ) -> bool {
        let lexer: &Lexer = &cfg.lexer;
        let kind = match &self.columns[column as usize].reads {
            Some(reads) => reads.kind,
            None => self.look_at(cfg, sets, column).kind,
        };
        let outlook = lexer.outlook(state) as usize;
        if let Some(known) = self.hopes[kind as usize][outlook] {
            return known;
        }
        let reads = self.reads(cfg, sets, column);
        let hope = (self.ends(column) && lexer.may_end(state))
            || reads
                .iter()
                .any(|terminal| lexer.is_alive(state, terminal as TerminalId));
        self.hopes[kind as usize][outlook] = Some(hope);
        hope
    }

    /// The terminals that can follow a column.
    pub fn reads(&mut self, cfg: &Cfg, sets: &mut StateSets, column: ColumnId) -> Arc<BitSet> {
        match &self.columns[column as usize].reads {
            Some(reads) => Arc::clone(&reads.terminals),
            None => self.look_at(cfg, sets, column).terminals,
        }
    }

    fn look_at(&mut self, cfg: &Cfg, sets: &mut StateSets, column: ColumnId) -> Reads {
        let known = &self.columns[column as usize];
        let mut reads = BitSet::new(cfg.lexer.terminal_count());
        let all = known.entries.iter().map(|&(_, set)| set);
        for set in all.chain([known.begun]) {
            for &(state, _) in sets.members(set).iter() {
                sets.states().each_terminal(cfg, state, |terminal| {
                    reads.insert(terminal as usize);
                });
            }
        }
        let terminals = Arc::new(reads);
        let fresh = self.hopes.len() as u32;
        let key = (Arc::clone(&terminals), known.ends);
        let kind = *self.kinds.entry(key).or_insert(fresh);
        if kind == fresh {
            let outlooks = cfg.lexer.outlooks();
            self.size += outlooks / 8;
            self.hopes.push(vec![None; outlooks].into());
        }
        let reads = Reads { terminals, kind };
        self.columns[column as usize].reads = Some(reads.clone());
        reads
    }

    fn after(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        column: ColumnId,
        terminal: TerminalId,
    ) -> Option<ColumnId> {
        let before = self.columns[column as usize].clone();
        // What came, by where it began; deeper columns first, which complete first.
        let mut came = Came::new();
        let moved = before.entries.iter().copied();
        for (origin, set) in moved.chain([(column, before.begun)]) {
            if let Some(read) = sets.read(cfg, set, terminal) {
                self.add(sets, &mut came, origin, read.set);
            }
        }
        let mut entries = Vec::new();
        let mut begun = NOTHING;
        let mut ends = false;
        while let Some((_, origin, set)) = came.pop() {
            let began = self.columns[origin as usize].clone();
            let settled = sets.settle(cfg, set, began.begun);
            let facts = sets.facts(cfg, settled);
            begun = sets.union(plain(begun), plain(facts.predicts)).set;
            ends |= origin == Self::START && facts.ends.is_some();
            if let Some((passed, _)) = facts.completes {
                for &(outer, waiting) in began.entries.iter() {
                    if let Some(next) = sets.pass(cfg, waiting, passed) {
                        self.add(sets, &mut came, outer, next.set);
                    }
                }
            }
            entries.push((origin, settled));
            self.work += 1;
        }
        if entries.is_empty() {
            return None;
        }
        entries.sort_few();
        Some(self.intern(entries.into(), begun, ends))
    }

    fn intern(&mut self, entries: Arc<[(ColumnId, SetId)]>, begun: SetId, ends: bool) -> ColumnId {
        if let Some(&known) = self.ids.get(&entries) {
            return known;
        }
        let origins = entries.iter().map(|&(origin, _)| origin);
        let origins = origins.map(|origin| &self.columns[origin as usize]);
        let depth = origins.map(|origin| origin.depth + 1).max().unwrap_or(0);
        let id = self.columns.len() as ColumnId;
        self.size += 2 * entries.len();
        self.ids.insert(Arc::clone(&entries), id);
        self.columns.push(Column {
            entries,
            begun,
            depth,
            ends,
            reads: None,
            inner: None,
        });
        id
    }

    fn add(&mut self, sets: &mut StateSets, came: &mut Came, origin: ColumnId, set: SetId) {
        self.work += 1;
        let level = self.columns[origin as usize].depth;
        match came.binary_search_by_key(&(level, origin), |&(level, origin, _)| (level, origin)) {
            Ok(at) => came[at].2 = sets.union(plain(came[at].2), plain(set)).set,
            Err(at) => came.insert(at, (level, origin, set)),
        }
    }
}

/// What came, with the depth of the column where it began and that column; in this order.
type Came = Vec<(u32, ColumnId, SetId)>;

fn plain(set: SetId) -> Costed {
    Costed { set, cost: 0 }
}
