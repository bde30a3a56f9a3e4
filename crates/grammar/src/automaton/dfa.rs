//! Deterministic automata: the representation and what can be asked of it.

use std::collections::VecDeque;

use super::{AutomatonError, Grouped, Limits, NfaBuilder};
use crate::Expr;

/// Index of a state of a [`Dfa`].
pub type StateId = u32;

/// The first and the last byte that lead to a state.
pub type ByteRange = (u8, u8, StateId);

/// No transition.
pub(super) const DEAD: StateId = StateId::MAX;

/// A deterministic automaton over bytes.
///
/// Invariant: *trimmed*. Every state is reachable from the start and reaches an
/// accepting state, except that the start is kept when the language is empty.
#[derive(Clone, Debug)]
pub struct Dfa {
    /// Byte → class; bytes of one class behave alike in every state.
    pub(super) classes: Box<[u8; 256]>,
    pub(super) class_count: usize,
    /// `state * class_count + class` → state, or [`DEAD`].
    pub(super) table: Vec<StateId>,
    pub(super) accepting: Vec<bool>,
    pub(super) start: StateId,
}

impl Dfa {
    /// The automaton of the empty language.
    pub fn nothing() -> Self {
        Self {
            classes: Box::new([0; 256]),
            class_count: 1,
            table: vec![DEAD],
            accepting: vec![false],
            start: 0,
        }
    }

    /// The language of an expression that mentions no rule.
    ///
    /// ```
    /// use lacuna_grammar::{automaton::{Dfa, Limits}, Expr};
    /// let letters = Expr::Chars(Box::new([(0x61, 0x7A)])).star();
    /// let dfa = Dfa::from_expr(&letters, &Limits::default()).unwrap();
    /// assert!(dfa.accepts(b"abc") && !dfa.accepts(b"a1"));
    /// ```
    ///
    /// # Errors
    /// [`AutomatonError::MentionsRule`], or a limit.
    pub fn from_expr(expr: &Expr, limits: &Limits) -> Result<Self, AutomatonError> {
        let mut builder = NfaBuilder::new(limits);
        let (start, accept) = (builder.state()?, builder.state()?);
        builder.expression(expr, start, accept, &mut |_, rule, _, _| {
            Err(AutomatonError::MentionsRule(rule.0))
        })?;
        Ok(builder
            .finish(start, accept)
            .determinize(limits)?
            .minimize())
    }

    /// The language of a text alone.
    pub fn of_text(text: &[u8]) -> Self {
        let mut classes = Box::new([0u8; 256]);
        // Bytes that are not in it are one class; if all are, the last has that for itself.
        let mut class_count = 1;
        for &byte in text {
            let class = &mut classes[byte as usize];
            if *class == 0 && class_count < 256 {
                *class = class_count as u8;
                class_count += 1;
            }
        }
        let mut table = vec![DEAD; (text.len() + 1) * class_count];
        for (state, &byte) in text.iter().enumerate() {
            table[state * class_count + classes[byte as usize] as usize] = state as StateId + 1;
        }
        let mut accepting = vec![false; text.len() + 1];
        accepting[text.len()] = true;
        Self {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        }
    }

    /// Where every text begins.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.accepting.len()
    }

    /// Whether a text that ends here belongs to the language.
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state as usize]
    }

    /// The state after one more byte; `None` where no text of the language
    /// goes on so.
    #[inline]
    pub fn next(&self, state: StateId, byte: u8) -> Option<StateId> {
        let class = self.classes[byte as usize] as usize;
        let next = self.table[state as usize * self.class_count + class];
        (next != DEAD).then_some(next)
    }

    /// The state after several bytes.
    pub fn read(&self, state: StateId, bytes: &[u8]) -> Option<StateId> {
        bytes
            .iter()
            .try_fold(state, |state, &byte| self.next(state, byte))
    }

    /// Whether the text belongs to the language.
    pub fn accepts(&self, text: &[u8]) -> bool {
        self.read(self.start, text)
            .is_some_and(|state| self.is_accepting(state))
    }

    /// Whether no text belongs to the language.
    pub fn is_empty(&self) -> bool {
        !self.accepting.iter().any(|&accepting| accepting)
    }

    /// The transitions of a state as byte ranges, in order of bytes.
    pub fn byte_ranges(&self, state: StateId) -> Vec<ByteRange> {
        let mut ranges = Grouped::default();
        self.ranges_along(&self.runs(), state, &mut ranges);
        ranges.of(0).to_vec()
    }

    /// Those of every state.
    pub fn ranges(&self) -> Grouped<ByteRange> {
        let runs = self.runs();
        let mut ranges = Grouped::default();
        for state in 0..self.state_count() as StateId {
            self.ranges_along(&runs, state, &mut ranges);
        }
        ranges
    }

    fn ranges_along(&self, runs: &[(u8, u8)], state: StateId, ranges: &mut Grouped<ByteRange>) {
        let row = self.row(state);
        let open = ranges.open();
        let (mut first, mut target) = (0, DEAD);
        for &(low, class) in runs {
            let next = row[class as usize];
            if next != target {
                if target != DEAD {
                    open.push((first, low - 1, target));
                }
                (first, target) = (low, next);
            }
        }
        if target != DEAD {
            open.push((first, u8::MAX, target));
        }
        ranges.close();
    }

    /// Where bytes of one class that are beside one another begin, and the class.
    fn runs(&self) -> Vec<(u8, u8)> {
        let mut runs: Vec<(u8, u8)> = Vec::new();
        for (byte, &class) in (0..=u8::MAX).zip(self.classes.iter()) {
            if runs.last().is_none_or(|&(_, last)| last != class) {
                runs.push((byte, class));
            }
        }
        runs
    }

    /// The same automaton over other bytes, of which it is said which ones they were.
    pub(super) fn renamed(&self, bytes: &[u8]) -> Self {
        // What stands for nothing is like the first, for whoever pairs classes.
        let first = bytes.first().map_or(0, |&byte| self.classes[byte as usize]);
        let mut classes = Box::new([first; 256]);
        for (class, &byte) in classes.iter_mut().zip(bytes) {
            *class = self.classes[byte as usize];
        }
        Self {
            classes,
            ..self.clone()
        }
    }

    /// The automaton of a table (`state * class_count + class`, [`Self::NOWHERE`] for no
    /// transition), all of whose states can be reached and reach acceptance.
    pub(crate) fn of_table(
        classes: Box<[u8; 256]>,
        class_count: usize,
        table: Vec<StateId>,
        accepting: Vec<bool>,
        start: StateId,
    ) -> Self {
        Self {
            classes,
            class_count,
            table,
            accepting,
            start,
        }
    }

    /// What stands in a table for no transition.
    pub(crate) const NOWHERE: StateId = DEAD;

    /// Byte → class of bytes that no state tells apart, and how many classes there are.
    pub fn classes(&self) -> (&[u8; 256], usize) {
        (&self.classes, self.class_count)
    }

    /// For each state, a shortest run of bytes to acceptance, as the first byte
    /// of it; `None` where the state accepts.
    pub fn first_bytes_to_acceptance(&self) -> Vec<Option<u8>> {
        let mut predecessors: Vec<Vec<(StateId, u8)>> = vec![Vec::new(); self.state_count()];
        for state in 0..self.state_count() as StateId {
            for (low, _, next) in self.byte_ranges(state) {
                predecessors[next as usize].push((state, low));
            }
        }
        let mut first = vec![None; self.state_count()];
        let mut seen = self.accepting.clone();
        let mut queue: VecDeque<StateId> = (0..self.state_count() as StateId)
            .filter(|&s| self.is_accepting(s))
            .collect();
        while let Some(state) = queue.pop_front() {
            for &(before, byte) in &predecessors[state as usize] {
                if !std::mem::replace(&mut seen[before as usize], true) {
                    first[before as usize] = Some(byte);
                    queue.push_back(before);
                }
            }
        }
        first
    }

    /// A shortest member of the language. Costs the states that shorter texts lead to.
    pub fn shortest_member(&self) -> Option<Vec<u8>> {
        if self.is_empty() {
            return None;
        }
        let mut bytes = vec![0; self.class_count];
        for byte in u8::MIN..=u8::MAX {
            bytes[self.classes[byte as usize] as usize] = byte;
        }
        // Where each state was come to from, and by which byte.
        let mut before: Vec<Option<(StateId, u8)>> = vec![None; self.state_count()];
        let mut queue = VecDeque::from([self.start]);
        while let Some(mut state) = queue.pop_front() {
            if self.is_accepting(state) {
                let mut text = Vec::new();
                while state != self.start {
                    let (earlier, byte) = before[state as usize]?;
                    text.push(byte);
                    state = earlier;
                }
                text.reverse();
                return Some(text);
            }
            for (&next, &byte) in self.row(state).iter().zip(&bytes) {
                if next != DEAD && next != self.start && before[next as usize].is_none() {
                    before[next as usize] = Some((state, byte));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The same without states that no text needs, for automata made elsewhere.
    pub(crate) fn trimmed(self) -> Self {
        self.trim()
    }

    pub(super) fn row(&self, state: StateId) -> &[StateId] {
        &self.table[state as usize * self.class_count..][..self.class_count]
    }

    /// Which states reach acceptance.
    fn live(&self) -> Vec<bool> {
        let count = self.state_count() as StateId;
        // Mostly all do, which two looks at what states lead to tell.
        let mut live = self.accepting.clone();
        for state in (0..count).rev().chain(0..count) {
            let at = state as usize;
            if !live[at] {
                let mut row = self.row(state).iter();
                live[at] = row.any(|&next| next != DEAD && live[next as usize]);
            }
        }
        if live.iter().all(|&live| live) {
            return live;
        }
        // Classes beside one another often lead to one state.
        let leads = |state| {
            let row = self.row(state).chunk_by(|one, other| one == other);
            row.map(|run| run[0]).filter(|&next| next != DEAD)
        };
        // The states before each, in one list.
        let mut ends = vec![0u32; count as usize + 1];
        for next in (0..count).flat_map(leads) {
            ends[next as usize + 1] += 1;
        }
        for state in 0..count as usize {
            ends[state + 1] += ends[state];
        }
        let mut places = ends.clone();
        let mut before = vec![0; ends[count as usize] as usize];
        for state in 0..count {
            for next in leads(state) {
                let place = &mut places[next as usize];
                before[*place as usize] = state;
                *place += 1;
            }
        }
        let mut stack: Vec<StateId> = (0..count).filter(|&state| live[state as usize]).collect();
        while let Some(state) = stack.pop() {
            let (from, to) = (ends[state as usize], ends[state as usize + 1]);
            for &state in &before[from as usize..to as usize] {
                if !std::mem::replace(&mut live[state as usize], true) {
                    stack.push(state);
                }
            }
        }
        live
    }

    /// Keeps the states that lie on a path from the start to acceptance.
    pub(super) fn trim(self) -> Self {
        let count = self.state_count();
        let mut live = self.live();
        let is_whole = live.iter().all(|&live| live);
        live[self.start as usize] = true;
        let mut order = vec![self.start];
        let mut renamed = vec![DEAD; count];
        renamed[self.start as usize] = 0;
        let mut done = 0;
        while let Some(&state) = order.get(done) {
            let mut last = DEAD;
            for &next in self.row(state) {
                // Classes beside one another often lead to one state.
                if std::mem::replace(&mut last, next) == next || next == DEAD {
                    continue;
                }
                if live[next as usize] && renamed[next as usize] == DEAD {
                    renamed[next as usize] = order.len() as StateId;
                    order.push(next);
                }
            }
            done += 1;
        }
        if is_whole && order.len() == count {
            return self;
        }
        let mut table = Vec::with_capacity(order.len() * self.class_count);
        for &state in &order {
            let row = self.row(state).iter();
            table.extend(row.map(|&next| match next {
                DEAD => DEAD,
                next if !live[next as usize] => DEAD,
                next => renamed[next as usize],
            }));
        }
        let accepting = order
            .iter()
            .map(|&state| self.accepting[state as usize])
            .collect();
        Self {
            classes: self.classes,
            class_count: self.class_count,
            table,
            accepting,
            start: 0,
        }
    }
}
