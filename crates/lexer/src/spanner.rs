//! What tokens do to a lexer state: the spanner table, a row at a time.
//!
//! GreatGramma (Park et al. 2025, section 3) tabulates, for every lexer state
//! and token, the terminals the token finishes and the state it ends in. Here a
//! row belongs to a lexer state *and a node of the token trie*: a token that
//! finishes a terminal half-way is picked up at that node, between lexemes. What a
//! row says are the states that tokens can land in, and the terminals that they
//! can finish first, each with the row of what follows. Rows that say the same are
//! one row, so what a cell can hold is a small graph of terminals and rows, the
//! same for each cell; its paths are the classes of tokens.
//!
//! Rows are made only for states that a check asks about; one costs at most a walk
//! of the trie. Which token takes a path is found where a witness asks for it.

use crate::few::SortFew;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::classes::{TokenClasses, Walk};
use crate::{Lexer, LexerState, MemoUse, StateSet, TerminalId, TokenId, TrieNode, Vocabulary};

/// Index of a row; 0 is none.
pub type RowId = u32;

/// No row: nothing that a token goes on with.
pub const NO_ROW: RowId = 0;

/// What tokens do from one lexer state and trie node, ignored lexemes left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Row {
    /// The states that tokens can land in without finishing a terminal.
    pub landings: Box<[LexerState]>,
    /// The terminals that can be finished first with bytes of the token left, each
    /// with what these bytes do.
    pub exits: Box<[(TerminalId, RowId)]>,
}

/// A way of a token: the state before it, the terminals that it finishes, and the
/// state behind it.
type Passage = (LexerState, Box<[(TerminalId, RowId)]>, LexerState);

/// Rows of the spanner table, memoised.
#[derive(Clone, Debug)]
pub struct Spanner {
    vocabulary: Arc<Vocabulary>,
    places: FxHashMap<(TrieNode, LexerState), RowId>,
    ids: FxHashMap<Arc<Row>, RowId>,
    rows: Vec<Arc<Row>>,
    tokens: FxHashMap<Passage, Option<TokenId>>,
    classes: FxHashMap<LexerState, Arc<TokenClasses>>,
    entries: usize,
    work: usize,
    memo_use: MemoUse,
    may_skip: bool,
}

impl Spanner {
    /// An empty memo over a vocabulary. Use it with one lexer only.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            vocabulary,
            places: FxHashMap::default(),
            ids: FxHashMap::default(),
            rows: vec![Arc::default()],
            tokens: FxHashMap::default(),
            classes: FxHashMap::default(),
            entries: 0,
            work: 0,
            memo_use: MemoUse::default(),
            may_skip: false,
        }
    }

    /// The same for cells that may stay empty.
    #[must_use]
    pub fn with_empty_cells(self) -> Self {
        Self {
            may_skip: true,
            ..self
        }
    }

    /// Whether cells may stay empty.
    pub fn may_skip(&self) -> bool {
        self.may_skip
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Places, landings and exits of all rows, a measure of the memory.
    pub fn entry_count(&self) -> usize {
        self.entries
    }

    /// The work done since it was last asked for: nodes of the trie walked over.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        *self = Self {
            memo_use: self.memo_use,
            may_skip: self.may_skip,
            ..Self::new(Arc::clone(&self.vocabulary))
        };
    }

    /// How often it was asked what tokens do, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// The row of a lexer state at the beginning of a token.
    pub fn row_of(&mut self, lexer: &Lexer, state: LexerState) -> RowId {
        self.row_at(lexer, 0, state)
    }

    /// What a row says.
    pub fn row(&self, row: RowId) -> &Arc<Row> {
        &self.rows[row as usize]
    }

    /// Number of different rows so far.
    pub fn row_count(&self) -> usize {
        self.rows.len() - 1
    }

    /// A token that finishes these terminals from a state on, with these rows
    /// behind them, and lands in `landing`.
    pub fn token(
        &mut self,
        lexer: &Lexer,
        state: LexerState,
        path: &[(TerminalId, RowId)],
        landing: LexerState,
    ) -> Option<TokenId> {
        let key = (state, path.into(), landing);
        self.memo_use.asked += 1;
        if let Some(&known) = self.tokens.get(&key) {
            return known;
        }
        self.memo_use.made += 1;
        let token = self.find(lexer, 0, state, path, landing);
        self.entries += 4 + path.len();
        self.tokens.insert(key, token);
        token
    }

    /// The tokens that can be read from a lexer state, by what they do.
    pub fn classes(&mut self, lexer: &Lexer, state: LexerState) -> Arc<TokenClasses> {
        self.memo_use.asked += 1;
        if let Some(known) = self.classes.get(&state) {
            return Arc::clone(known);
        }
        self.memo_use.made += 1;
        let classes = Arc::new(Walk::new(self, lexer).classes(state));
        self.entries += classes.size();
        self.classes.insert(state, Arc::clone(&classes));
        classes
    }

    pub(crate) fn row_at(&mut self, lexer: &Lexer, node: TrieNode, state: LexerState) -> RowId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.places.get(&(node, state)) {
            return known;
        }
        self.memo_use.made += 1;
        let walked = self.walk(lexer, node, state);
        let mut landings = walked.landings;
        let mut exits: Vec<(TerminalId, RowId)> = Vec::new();
        for (terminal, node, boundary) in walked.exits {
            // As deep as a token is long.
            let row = self.row_at(lexer, node, boundary);
            match terminal {
                _ if row == NO_ROW => {}
                Some(terminal) => exits.push((terminal, row)),
                None => {
                    let row = &self.rows[row as usize];
                    landings.extend(&row.landings);
                    exits.extend(&row.exits);
                }
            }
        }
        landings.sort_few();
        landings.dedup();
        exits.sort_few();
        exits.dedup();
        let id = self.intern(Row {
            landings: landings.into(),
            exits: exits.into(),
        });
        self.entries += 2;
        self.places.insert((node, state), id);
        id
    }

    fn intern(&mut self, row: Row) -> RowId {
        if row == Row::default() {
            return NO_ROW;
        }
        if let Some(&known) = self.ids.get(&row) {
            return known;
        }
        let fresh = self.rows.len() as RowId;
        self.entries += row.landings.len() + row.exits.len();
        let row = Arc::new(row);
        self.rows.push(Arc::clone(&row));
        self.ids.insert(row, fresh);
        fresh
    }

    fn walk(&mut self, lexer: &Lexer, node: TrieNode, state: LexerState) -> Walked {
        let trie = self.vocabulary.trie();
        let mut landed = StateSet::new(lexer);
        let mut walked = Walked::default();
        let mut steps = 1;
        trie.walk(
            node,
            state,
            |state, byte| {
                steps += 1;
                lexer.next(state, byte)
            },
            |node, state| {
                let tokens = !trie.tokens_at(node).is_empty();
                if tokens && landed.insert(state) {
                    walked.landings.push(state);
                }
                if trie.has_below(node) {
                    let finishes = lexer.finishes(state).iter();
                    let exits = finishes.map(|finish| (finish.terminal, node, finish.to));
                    walked.exits.extend(exits);
                }
            },
        );
        self.work += steps;
        walked
    }

    fn find(
        &mut self,
        lexer: &Lexer,
        node: TrieNode,
        state: LexerState,
        path: &[(TerminalId, RowId)],
        landing: LexerState,
    ) -> Option<TokenId> {
        let vocabulary = Arc::clone(&self.vocabulary);
        let trie = vocabulary.trie();
        let mut token = None;
        let mut exits: Vec<(Option<TerminalId>, TrieNode, LexerState)> = Vec::new();
        trie.walk(
            node,
            state,
            |state, byte| lexer.next(state, byte),
            |node, state| {
                if path.is_empty() && state == landing && token.is_none() {
                    token = trie.tokens_at(node).first().copied();
                }
                if trie.has_below(node) {
                    let finishes = lexer.finishes(state).iter();
                    let finishes = finishes.filter(|finish| {
                        let first = path.first().map(|&(terminal, _)| terminal);
                        finish.terminal.is_none() || finish.terminal == first
                    });
                    exits.extend(finishes.map(|finish| (finish.terminal, node, finish.to)));
                }
            },
        );
        token.or_else(|| {
            exits.into_iter().find_map(|(terminal, node, boundary)| {
                let rest = match (terminal, path) {
                    (None, path) => path,
                    (Some(_), [(_, row), rest @ ..])
                        if self.row_at(lexer, node, boundary) == *row =>
                    {
                        rest
                    }
                    (Some(_), _) => return None,
                };
                self.find(lexer, node, boundary, rest, landing)
            })
        })
    }
}

/// What was met in a walk of the trie.
#[derive(Default)]
struct Walked {
    landings: Vec<LexerState>,
    /// Ends of lexemes half-way through tokens.
    exits: Vec<(Option<TerminalId>, TrieNode, LexerState)>,
}
