//! Rules become productions; what is regular in them becomes terminals.

use lacuna_grammar::automaton::{AutomatonError, Limits, Ranged};
use lacuna_grammar::{Expr, RuleId, analysis};
use lacuna_lexer::{Counts, TerminalId};
use rustc_hash::FxHashMap;

use super::terminals::{Part, Regular};
use super::{Interleaved, NonterminalId, Symbol};
use crate::normalize::Normalized;

/// A grammar being lowered.
pub(super) struct Lowering<'a> {
    pub normalized: &'a Normalized,
    pub limits: &'a Limits,
    pub symbols: Vec<Symbol>,
    pub productions: Vec<Vec<u32>>,
    pub interleaves: Vec<Interleaved>,
    /// For each rule, whether it derives any text.
    pub productive: Vec<bool>,
    /// For each rule, its nonterminal, once it has one.
    rules: Vec<Option<NonterminalId>>,
    queue: Vec<(RuleId, NonterminalId)>,
    /// Symbols that repetitions wrote.
    repeated: usize,
    pub terminals: Vec<Ranged>,
    /// Those whose characters are counted.
    pub counts: Vec<(TerminalId, Counts)>,
    /// Regular parts met before.
    pub parts: Vec<Part>,
    /// Which part an expression is, and which terminal an automaton, by spellings that
    /// begin with different numbers.
    pub known: FxHashMap<Box<[u32]>, u32>,
}

impl<'a> Lowering<'a> {
    pub fn new(normalized: &'a Normalized, limits: &'a Limits) -> Self {
        Self {
            normalized,
            limits,
            symbols: Vec::new(),
            productions: Vec::new(),
            interleaves: Vec::new(),
            productive: analysis::productive(&normalized.grammar),
            rules: vec![None; normalized.grammar.rules.len()],
            queue: Vec::new(),
            repeated: 0,
            terminals: Vec::new(),
            counts: Vec::new(),
            parts: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Lowers all that the start needs, and gives its nonterminal.
    pub fn run(&mut self) -> Result<NonterminalId, AutomatonError> {
        let normalized = self.normalized;
        let start = self.rule(normalized.grammar.start);
        while let Some((rule, nonterminal)) = self.queue.pop() {
            let body = &normalized.grammar.rule(rule).body;
            for sequence in self.alternatives(body)? {
                self.production(nonterminal, &sequence);
            }
        }
        self.write_lists();
        Ok(start)
    }

    fn rule(&mut self, rule: RuleId) -> NonterminalId {
        if let Some(known) = self.rules[rule.0 as usize] {
            return known;
        }
        let id = self.nonterminal();
        self.rules[rule.0 as usize] = Some(id);
        self.queue.push((rule, id));
        id
    }

    pub fn nonterminal(&mut self) -> NonterminalId {
        self.productions.push(Vec::new());
        self.productions.len() as NonterminalId - 1
    }

    pub fn production(&mut self, nonterminal: NonterminalId, sequence: &[Symbol]) {
        self.productions[nonterminal as usize].push(self.symbols.len() as u32);
        self.symbols.extend_from_slice(sequence);
        self.symbols.push(Symbol::End(nonterminal));
    }

    /// The right-hand sides of a nonterminal that derives `expr`.
    fn alternatives(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        match self.is_regular(expr) {
            true => self.terminal(Regular::One(expr)),
            false => self.irregular_alternatives(expr),
        }
    }

    /// The same where it is known not to be regular, but for rules that stand apart.
    fn irregular_alternatives(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        match expr {
            Expr::Choice(parts) => {
                let (regular, others): (Vec<&Expr>, Vec<&Expr>) =
                    parts.iter().partition(|part| self.is_regular(part));
                let mut found = Vec::new();
                if !regular.is_empty() {
                    found = self.terminal(Regular::AnyOf(&regular))?;
                }
                for part in others {
                    found.extend(self.irregular_alternatives(part)?);
                }
                Ok(found)
            }
            expr if self.is_apart(expr) => self.terminal(Regular::One(expr)),
            Expr::Counted(counted) => self.counted(counted),
            expr => {
                let mut sequence = Vec::new();
                self.append_irregular(expr, &mut sequence)?;
                Ok(vec![sequence])
            }
        }
    }

    /// Appends symbols that derive `expr`.
    fn append(&mut self, expr: &Expr, sequence: &mut Vec<Symbol>) -> Result<(), AutomatonError> {
        if self.is_regular(expr) {
            let alternatives = self.terminal(Regular::One(expr))?;
            self.one_of(alternatives, sequence);
            return Ok(());
        }
        self.append_irregular(expr, sequence)
    }

    /// The same where it is known not to be regular, but for rules that stand apart.
    fn append_irregular(
        &mut self,
        expr: &Expr,
        sequence: &mut Vec<Symbol>,
    ) -> Result<(), AutomatonError> {
        match expr {
            Expr::Sequence(parts) => {
                let mut parts = parts.as_slice();
                while let Some(first) = parts.first() {
                    let run = parts
                        .iter()
                        .take_while(|part| self.is_regular(part))
                        .count();
                    if run > 0 {
                        let alternatives = self.terminal(Regular::InTurn(&parts[..run]))?;
                        self.one_of(alternatives, sequence);
                    } else {
                        self.append_irregular(first, sequence)?;
                    }
                    parts = &parts[run.max(1)..];
                }
                Ok(())
            }
            Expr::Rule(rule) if !self.is_apart(expr) => {
                let nonterminal = self.rule(*rule);
                sequence.push(Symbol::Nonterminal(nonterminal));
                Ok(())
            }
            Expr::Repeat { item, min, max } => self.repetition(item, *min, *max, sequence),
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
                let alternatives = self.irregular_alternatives(expr)?;
                self.one_of(alternatives, sequence);
                Ok(())
            }
        }
    }

    /// Appends what derives any of several.
    fn one_of(&mut self, mut alternatives: Vec<Vec<Symbol>>, sequence: &mut Vec<Symbol>) {
        if let [only] = &mut *alternatives {
            sequence.append(only);
            return;
        }
        let nonterminal = self.nonterminal();
        for alternative in &alternatives {
            self.production(nonterminal, alternative);
        }
        sequence.push(Symbol::Nonterminal(nonterminal));
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
        let written = copies.saturating_mul(once.len() + 2);
        self.repeated = self.repeated.saturating_add(written);
        if self.repeated > self.limits.nfa_states {
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

    /// One symbol that derives `expr`.
    pub fn symbol(&mut self, expr: &Expr) -> Result<Symbol, AutomatonError> {
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
        let Normalized {
            grammar,
            regular,
            apart,
            ..
        } = self.normalized;
        match expr {
            // Rules over terminals have nothing to say about bytes.
            _ if grammar.lexicon.is_some() => false,
            Expr::Literal(_) | Expr::Chars(_) | Expr::Automaton(_) | Expr::Terminal(_) => true,
            Expr::Sequence(parts) | Expr::Choice(parts) => {
                parts.iter().all(|part| self.is_regular(part))
            }
            Expr::Repeat { item, .. } => self.is_regular(item),
            Expr::Rule(rule) => regular[rule.0 as usize] && !apart[rule.0 as usize],
            Expr::Interleave(_) | Expr::Counted(_) => false,
        }
    }

    /// Whether it mentions a rule that is a terminal of its own.
    fn is_apart(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Rule(rule) if self.normalized.apart[rule.0 as usize])
    }
}
