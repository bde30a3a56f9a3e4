//! The grammar as productions over terminals.
//!
//! With a lexicon, these are its terminals. Without one, terminals are the
//! largest regular parts of the rules, so that the parser
//! sees only what recursion needs: a string, a number, `"," white space` are
//! one terminal each (and a regular grammar is one terminal as a whole). Parts
//! that would make large automata stay rules. This keeps the language, because any segmentation of a
//! text into lexemes counts. Terminals do not hold the empty text; a part that
//! does becomes optional.

use std::collections::VecDeque;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use lacuna_grammar::interleave::{Choice, Interleave};
use lacuna_grammar::{Expr, RuleId, analysis};
use lacuna_lexer::{Lexer, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

/// Index of a nonterminal.
pub type NonterminalId = u32;

/// One symbol of a production's right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A lexeme of this terminal.
    Terminal(TerminalId),
    /// What this nonterminal derives.
    Nonterminal(NonterminalId),
    /// The end of a production of this nonterminal.
    End(NonterminalId),
    /// The end of the text, behind ignored lexemes at most.
    EndOfText,
}

/// A nonterminal that derives items in any order.
///
/// Its only production is a shortest list of items, for whoever asks what it costs;
/// the parser reads the items themselves ([`dots`](crate::dots)).
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The nonterminal.
    pub nonterminal: NonterminalId,
    /// One that derives any list of the items, and stands in no production.
    pub hidden: NonterminalId,
    /// What is read; the ways' symbols all differ.
    pub items: Interleave<Symbol>,
}

/// Productions over terminals, right-hand sides one after the other.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// All right-hand sides, each closed by [`Symbol::End`]. An index into this
    /// is a dotted production.
    pub symbols: Vec<Symbol>,
    /// For each nonterminal, where its productions begin.
    pub productions: Vec<Vec<u32>>,
    /// The nonterminals whose items stand in any order.
    pub interleaves: Vec<Interleaved>,
    /// The dotted production that every text begins with: the start symbol and
    /// [`Symbol::EndOfText`].
    pub goal: u32,
    /// The terminals as one automaton.
    pub lexer: Lexer,
}

impl Cfg {
    /// Lowers a grammar.
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub(crate) fn new(normalized: &Normalized, limits: &Limits) -> Result<Self, AutomatonError> {
        if let Some(cfg) = Self::of_one_terminal(normalized, limits)? {
            return Ok(cfg);
        }
        let mut lowering = Lowering {
            normalized,
            limits,
            symbols: Vec::new(),
            productions: Vec::new(),
            interleaves: Vec::new(),
            productive: analysis::productive(&normalized.grammar),
            rules: FxHashMap::default(),
            queue: Vec::new(),
            terminals: Vec::new(),
            known_terminals: FxHashMap::default(),
            known_parts: FxHashMap::default(),
        };
        let start = lowering.rule(normalized.grammar.start);
        while let Some((rule, nonterminal)) = lowering.queue.pop() {
            let body = &normalized.grammar.rule(rule).body;
            for sequence in lowering.alternatives(body)? {
                lowering.production(nonterminal, &sequence);
            }
        }
        lowering.write_lists();
        let grammar = &normalized.grammar;
        let constraint = grammar.constraint.as_deref();
        let lexer = match &grammar.lexicon {
            Some(lexicon) => {
                let mut wanted = vec![false; lexicon.terminals.len()];
                for symbol in &lowering.symbols {
                    if let Symbol::Terminal(terminal) = symbol {
                        wanted[*terminal as usize] = true;
                    }
                }
                Lexer::munching(lexicon, &wanted, constraint, limits)?
            }
            None => Lexer::free(&lowering.terminals, constraint, limits)?,
        };
        let goal = lowering.symbols.len() as u32;
        let whole = [Symbol::Nonterminal(start), Symbol::EndOfText];
        lowering.symbols.extend(whole);
        Ok(Self {
            symbols: lowering.symbols,
            productions: lowering.productions,
            interleaves: lowering.interleaves,
            goal,
            lexer,
        })
    }

    /// The productions of a regular grammar: one terminal, or nothing, or both.
    /// `None` if the grammar is not regular, or its automaton is not small.
    fn of_one_terminal(
        normalized: &Normalized,
        limits: &Limits,
    ) -> Result<Option<Self>, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = normalized;
        if grammar.lexicon.is_some()
            || (ONE_TERMINAL.nfa_states..usize::MAX).contains(&normalized.cost)
        {
            return Ok(None);
        }
        let start = &Expr::Rule(grammar.start);
        let Ok(whole) = write_out_expression(grammar, start, recursive, &ONE_TERMINAL) else {
            return Ok(None);
        };
        let constraint = grammar.constraint.as_deref();
        Self::of_terminal(&whole, constraint, limits).map(Some)
    }

    /// The productions of a regular language, as one terminal.
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub(crate) fn of_language(language: &Dfa, limits: &Limits) -> Result<Self, AutomatonError> {
        Self::of_terminal(language, None, limits)
    }

    fn of_terminal(
        whole: &Dfa,
        constraint: Option<&Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let nullable = whole.is_accepting(whole.start());
        let terminal = whole.clone().without_empty_text();
        let mut cfg = Self {
            symbols: Vec::new(),
            productions: vec![Vec::new()],
            interleaves: Vec::new(),
            goal: 0,
            lexer: Lexer::free(std::slice::from_ref(&terminal), constraint, limits)?,
        };
        let alternatives = [
            (nullable, None),
            (!terminal.is_empty(), Some(Symbol::Terminal(0))),
        ];
        for (_, symbol) in alternatives.iter().filter(|(there, _)| *there) {
            cfg.productions[0].push(cfg.symbols.len() as u32);
            cfg.symbols.extend(*symbol);
            cfg.symbols.push(Symbol::End(0));
        }
        cfg.goal = cfg.symbols.len() as u32;
        let whole = [Symbol::Nonterminal(0), Symbol::EndOfText];
        cfg.symbols.extend(whole);
        Ok(cfg)
    }

    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let productions = self.productions.iter();
        let productions = productions.map(|starts| size_of_val(starts.as_slice()) + 24);
        let symbols = size_of_val(self.symbols.as_slice());
        let interleaves = self.interleaves.iter();
        let interleaves = interleaves.map(|it| 24 * it.items.forms().count());
        let interleaves = interleaves.sum::<usize>();
        symbols + productions.sum::<usize>() + interleaves + self.lexer.heap_bytes()
    }
}

type CanonicalTerminal = Vec<(bool, Vec<(u8, u8, u32)>)>;

struct Lowering<'a> {
    normalized: &'a Normalized,
    limits: &'a Limits,
    symbols: Vec<Symbol>,
    productions: Vec<Vec<u32>>,
    interleaves: Vec<Interleaved>,
    /// For each rule, whether it derives any text.
    productive: Vec<bool>,
    rules: FxHashMap<RuleId, NonterminalId>,
    queue: Vec<(RuleId, NonterminalId)>,
    terminals: Vec<Dfa>,
    known_terminals: FxHashMap<CanonicalTerminal, TerminalId>,
    /// Alternatives of parts met before, by their spelling.
    known_parts: FxHashMap<Vec<u64>, Vec<Vec<Symbol>>>,
}

impl Lowering<'_> {
    fn rule(&mut self, rule: RuleId) -> NonterminalId {
        if let Some(&known) = self.rules.get(&rule) {
            return known;
        }
        let id = self.nonterminal();
        self.rules.insert(rule, id);
        self.queue.push((rule, id));
        id
    }

    fn nonterminal(&mut self) -> NonterminalId {
        self.productions.push(Vec::new());
        self.productions.len() as NonterminalId - 1
    }

    fn production(&mut self, nonterminal: NonterminalId, sequence: &[Symbol]) {
        self.productions[nonterminal as usize].push(self.symbols.len() as u32);
        self.symbols.extend_from_slice(sequence);
        self.symbols.push(Symbol::End(nonterminal));
    }

    /// The right-hand sides of a nonterminal that derives `expr`.
    fn alternatives(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        if self.is_regular(expr) || self.is_apart(expr) {
            return self.terminal(expr);
        }
        match expr {
            Expr::Choice(parts) => {
                let (regular, other): (Vec<_>, Vec<_>) = parts
                    .iter()
                    .cloned()
                    .partition(|part| self.is_regular(part));
                let mut found = Vec::new();
                if !regular.is_empty() {
                    found.extend(self.terminal(&Expr::Choice(regular))?);
                }
                for part in other {
                    found.extend(self.alternatives(&part)?);
                }
                Ok(found)
            }
            other => {
                let mut sequence = Vec::new();
                self.append(other, &mut sequence)?;
                Ok(vec![sequence])
            }
        }
    }

    /// Appends symbols that derive `expr`.
    fn append(&mut self, expr: &Expr, sequence: &mut Vec<Symbol>) -> Result<(), AutomatonError> {
        match expr {
            Expr::Sequence(parts) if !self.is_regular(expr) => {
                let mut parts = parts.as_slice();
                while let Some(first) = parts.first() {
                    let run = parts
                        .iter()
                        .take_while(|part| self.is_regular(part))
                        .count();
                    if run > 0 {
                        self.append(&Expr::Sequence(parts[..run].to_vec()), sequence)?;
                    } else {
                        self.append(first, sequence)?;
                    }
                    parts = &parts[run.max(1)..];
                }
                Ok(())
            }
            Expr::Rule(rule) if !self.is_regular(expr) && !self.is_apart(expr) => {
                let nonterminal = self.rule(*rule);
                sequence.push(Symbol::Nonterminal(nonterminal));
                Ok(())
            }
            Expr::Repeat { item, min, max } if !self.is_regular(expr) => {
                self.repetition(item, *min, *max, sequence)
            }
            Expr::Interleave(interleave) => {
                let nonterminal = self.interleave(interleave)?;
                sequence.push(Symbol::Nonterminal(nonterminal));
                Ok(())
            }
            Expr::Terminal(terminal) => {
                sequence.push(Symbol::Terminal(terminal.0));
                Ok(())
            }
            _ => {
                let mut alternatives = self.alternatives(expr)?;
                if alternatives.len() == 1 {
                    sequence.append(&mut alternatives[0]);
                    return Ok(());
                }
                let nonterminal = self.nonterminal();
                for alternative in &alternatives {
                    self.production(nonterminal, alternative);
                }
                sequence.push(Symbol::Nonterminal(nonterminal));
                Ok(())
            }
        }
    }

    fn repetition(
        &mut self,
        item: &Expr,
        min: u32,
        max: Option<u32>,
        sequence: &mut Vec<Symbol>,
    ) -> Result<(), AutomatonError> {
        let mut once = Vec::new();
        self.append(item, &mut once)?;
        let copies = max.unwrap_or(min) as usize;
        if self.symbols.len() + copies.saturating_mul(once.len() + 2) > self.limits.nfa_states {
            return Err(AutomatonError::TooLarge {
                what: "symbols in productions",
                limit: self.limits.nfa_states,
            });
        }
        for _ in 0..min {
            sequence.extend_from_slice(&once);
        }
        match max {
            None => {
                // Left recursion, which Earley's algorithm reads in linear time.
                let many = self.nonterminal();
                self.production(many, &[]);
                once.insert(0, Symbol::Nonterminal(many));
                self.production(many, &once);
                sequence.push(Symbol::Nonterminal(many));
            }
            Some(max) => {
                let mut rest: Option<NonterminalId> = None;
                for _ in min..max {
                    let longer = self.nonterminal();
                    self.production(longer, &[]);
                    let mut next = once.clone();
                    next.extend(rest.map(Symbol::Nonterminal));
                    self.production(longer, &next);
                    rest = Some(longer);
                }
                sequence.extend(rest.map(Symbol::Nonterminal));
            }
        }
        Ok(())
    }

    fn interleave(&mut self, interleave: &Interleave) -> Result<NonterminalId, AutomatonError> {
        let left = interleave.restricted(|text| analysis::is_productive(text, &self.productive));
        let mut known = FxHashSet::default();
        let items = left.try_map(|text| {
            let symbol = self.symbol(text)?;
            if known.insert(symbol) {
                return Ok(symbol);
            }
            // Alike, but to be told apart.
            let another = self.nonterminal();
            self.production(another, &[symbol]);
            Ok(Symbol::Nonterminal(another))
        })?;
        let nonterminal = self.nonterminal();
        let hidden = self.nonterminal();
        let item = self.nonterminal();
        for way in items.items.iter().flat_map(|item| &item.ways) {
            self.production(item, &[way.text]);
        }
        let item = Symbol::Nonterminal(item);
        self.production(hidden, &[item]);
        self.production(
            hidden,
            &[Symbol::Nonterminal(hidden), items.separator, item],
        );
        self.interleaves.push(Interleaved {
            nonterminal,
            hidden,
            items,
        });
        Ok(nonterminal)
    }

    /// A production for each interleave: a list of its items, such that texts of all of
    /// them are known to be finite without it.
    fn write_lists(&mut self) {
        if self.interleaves.is_empty() {
            return;
        }
        let count = self.productions.len();
        let mut used_by: Vec<Vec<NonterminalId>> = vec![Vec::new(); count];
        let mut use_by = |symbol: &Symbol, user| {
            if let Symbol::Nonterminal(used) = symbol {
                used_by[*used as usize].push(user);
            }
        };
        for (user, productions) in (0..).zip(&self.productions) {
            for &first in productions {
                let symbols = right_hand_side(&self.symbols, first);
                symbols.iter().for_each(|symbol| use_by(symbol, user));
            }
        }
        let interleaves = std::mem::take(&mut self.interleaves);
        let mut interleave_of: FxHashMap<NonterminalId, usize> = FxHashMap::default();
        for (at, interleaved) in interleaves.iter().enumerate() {
            interleave_of.insert(interleaved.nonterminal, at);
            let forms = interleaved.items.forms();
            forms.for_each(|symbol| use_by(symbol, interleaved.nonterminal));
        }
        let mut finite = vec![false; count];
        let mut queue: VecDeque<NonterminalId> = (0..count as NonterminalId).collect();
        while let Some(nonterminal) = queue.pop_front() {
            if finite[nonterminal as usize] {
                continue;
            }
            let is_finite = |symbol: &Symbol| match symbol {
                Symbol::Nonterminal(nonterminal) => finite[*nonterminal as usize],
                Symbol::Terminal(_) | Symbol::End(_) | Symbol::EndOfText => true,
            };
            let mut productions = self.productions[nonterminal as usize].iter();
            let mut found = productions
                .any(|&first| right_hand_side(&self.symbols, first).iter().all(is_finite));
            if let Some(&at) = interleave_of.get(&nonterminal) {
                let items = interleaves[at].items.restricted(is_finite);
                let list = items.fewest().map(|fewest| list(&items, &fewest));
                if let Some(list) = list.filter(|list| list.iter().all(is_finite)) {
                    self.production(nonterminal, &list);
                    found = true;
                }
            }
            if found {
                finite[nonterminal as usize] = true;
                queue.extend(&used_by[nonterminal as usize]);
            }
        }
        self.interleaves = interleaves;
    }

    /// One symbol that derives `expr`.
    fn symbol(&mut self, expr: &Expr) -> Result<Symbol, AutomatonError> {
        let mut sequence = Vec::new();
        self.append(expr, &mut sequence)?;
        if let [symbol] = sequence[..] {
            return Ok(symbol);
        }
        let nonterminal = self.nonterminal();
        self.production(nonterminal, &sequence);
        Ok(Symbol::Nonterminal(nonterminal))
    }

    fn is_regular(&self, expr: &Expr) -> bool {
        // Rules over terminals have nothing to say about bytes.
        let mut regular = self.normalized.grammar.lexicon.is_none() && !expr.has_interleave();
        expr.for_each_rule(&mut |rule| {
            let rule = rule.0 as usize;
            regular &= self.normalized.regular[rule] && !self.normalized.apart[rule];
        });
        regular
    }

    /// Whether it mentions a rule that is a terminal of its own.
    fn is_apart(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Rule(rule) if self.normalized.apart[rule.0 as usize])
    }

    /// The alternatives of a regular part: its terminal, or nothing, or both.
    fn terminal(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let mut spelled = Vec::new();
        spell(expr, &mut spelled);
        if let Some(known) = self.known_parts.get(&spelled) {
            return Ok(known.clone());
        }
        let alternatives = self.new_terminal(expr)?;
        self.known_parts.insert(spelled, alternatives.clone());
        Ok(alternatives)
    }

    fn new_terminal(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = self.normalized;
        let mut text = Vec::new();
        // Longer ones are too large either way, and said to be before they are made.
        let whole = match is_text(expr, &mut text) && text.len() < self.limits.dfa_states {
            true => Dfa::of_text(&text),
            false => write_out_expression(grammar, expr, recursive, self.limits)?,
        };
        let nullable = whole.is_accepting(whole.start());
        let terminal = whole.without_empty_text();
        let mut alternatives = Vec::new();
        if nullable {
            alternatives.push(Vec::new());
        }
        if !terminal.is_empty() {
            let ranges = terminal.ranges().into_iter();
            let canonical: CanonicalTerminal = (0..)
                .zip(ranges)
                .map(|(state, ranges)| (terminal.is_accepting(state), ranges))
                .collect();
            let terminals = &mut self.terminals;
            let id = *self.known_terminals.entry(canonical).or_insert_with(|| {
                terminals.push(terminal);
                terminals.len() as TerminalId - 1
            });
            alternatives.push(vec![Symbol::Terminal(id)]);
        }
        Ok(alternatives)
    }
}

/// The symbols of a production from its first on.
fn right_hand_side(symbols: &[Symbol], first: u32) -> &[Symbol] {
    let rest = &symbols[first as usize..];
    let end = rest
        .iter()
        .position(|symbol| matches!(symbol, Symbol::End(_)));
    &rest[..end.unwrap_or(rest.len())]
}

/// The symbols of these items, with separators.
fn list(items: &Interleave<Symbol>, chosen: &[Choice]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for &(item, way) in chosen {
        symbols.push(items.items[item].ways[way].text);
        symbols.push(items.separator);
    }
    symbols.pop();
    symbols
}

/// Appends what tells an expression from any other: equal expressions over the
/// same rules and automata spell the same numbers.
fn spell(expr: &Expr, numbers: &mut Vec<u64>) {
    let several = |tag: u64, parts: &[Expr], numbers: &mut Vec<u64>| {
        numbers.extend([tag, parts.len() as u64]);
        parts.iter().for_each(|part| spell(part, numbers));
    };
    match expr {
        Expr::Literal(bytes) => {
            numbers.extend([0, bytes.len() as u64]);
            numbers.extend(bytes.iter().map(|&byte| u64::from(byte)));
        }
        Expr::Chars(ranges) => {
            numbers.extend([1, ranges.len() as u64]);
            let ends = ranges.iter().flat_map(|&(low, high)| [low, high]);
            numbers.extend(ends.map(u64::from));
        }
        Expr::Sequence(parts) => several(2, parts, numbers),
        Expr::Choice(parts) => several(3, parts, numbers),
        Expr::Repeat { item, min, max } => {
            let max = max.map_or(u64::MAX, u64::from);
            numbers.extend([4, u64::from(*min), max]);
            spell(item, numbers);
        }
        Expr::Rule(rule) => numbers.extend([5, u64::from(rule.0)]),
        // The grammar keeps its automata alive, so an address stands for one.
        Expr::Automaton(dfa) => numbers.extend([6, std::sync::Arc::as_ptr(dfa) as usize as u64]),
        Expr::Terminal(terminal) => numbers.extend([7, u64::from(terminal.0)]),
        // Never part of a terminal.
        Expr::Interleave(interleave) => {
            numbers.extend([8, std::ptr::from_ref(interleave.as_ref()) as usize as u64]);
        }
    }
}

/// Sizes up to which a regular grammar is one terminal.
const ONE_TERMINAL: Limits = Limits {
    nfa_states: 20_000,
    dfa_states: 20_000,
};

/// Whether an expression is one text, which is written behind `text`.
fn is_text(expr: &Expr, text: &mut Vec<u8>) -> bool {
    match expr {
        Expr::Literal(bytes) => {
            text.extend_from_slice(bytes);
            true
        }
        Expr::Sequence(parts) => parts.iter().all(|part| is_text(part, text)),
        _ => false,
    }
}
