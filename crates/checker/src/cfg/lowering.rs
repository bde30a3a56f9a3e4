//! Rules become productions; what is regular in them becomes terminals.

use lacuna_grammar::automaton::{AutomatonError, Limits, Ranged, SHORTCUTS};
use lacuna_grammar::{Expr, RuleId, analysis};
use lacuna_lexer::{Counts, TerminalId};
use rustc_hash::FxHashMap;

use super::terminals::{Part, Regular};
use super::{Interleaved, NonterminalId, Symbol};
use crate::normalize::Normalized;

/// States of patterns that are counted which are copied for the texts before them.
const COPIED: usize = 20_000;

/// The parts of a sequence, of those within it too if these are to be `deep`.
fn inline<'e>(parts: &'e [Expr], deep: bool, inlined: &mut Vec<&'e Expr>) {
    for part in parts {
        match part {
            Expr::Sequence(parts) if deep => inline(parts, deep, inlined),
            part => inlined.push(part),
        }
    }
}

/// The parts of sequences within one another, texts beside one another as one.
fn flat(parts: &[Expr]) -> Vec<Expr> {
    fn add(parts: &[Expr], flat: &mut Vec<Expr>, text: &mut Vec<u8>) {
        for part in parts {
            match part {
                Expr::Sequence(parts) => add(parts, flat, text),
                Expr::Literal(more) => text.extend_from_slice(more),
                part => {
                    end(flat, text);
                    flat.push(part.clone());
                }
            }
        }
    }
    fn end(flat: &mut Vec<Expr>, text: &mut Vec<u8>) {
        if !text.is_empty() {
            flat.push(Expr::Literal(std::mem::take(text).into()));
        }
    }
    let (mut flat, mut text) = (Vec::new(), Vec::new());
    add(parts, &mut flat, &mut text);
    end(&mut flat, &mut text);
    flat
}

/// From where on a text is counted with what follows, all or as little as may be. What is written
/// as several characters for one is not, as others count it so.
fn enclosing(text: &[u8], all: bool) -> usize {
    let escaped = text.iter().rposition(|&byte| byte == b'\\');
    let mut from = escaped.map_or(0, |at| match text.get(at + 1) {
        Some(b'u') => text.len().min(at + 6),
        _ => text.len().min(at + 2),
    });
    while text.get(from).is_some_and(|&byte| byte & 0xC0 == 0x80) {
        from += 1;
    }
    match all {
        true => from,
        false => from.max(text.len() - usize::from(text.last().is_some_and(u8::is_ascii))),
    }
}

/// A grammar being lowered.
pub(super) struct Lowering<'a> {
    pub normalized: &'a Normalized,
    pub limits: &'a Limits,
    /// Whether what counts characters is one terminal with the texts beside it, and regular parts
    /// beside one another are one terminal whatever sequences they stand in: what follows a
    /// member's name is a context then, as white space behind it belongs to it.
    encloses: bool,
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
    /// States of what counts characters that were copied.
    copied: usize,
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
    pub fn new(normalized: &'a Normalized, encloses: bool, limits: &'a Limits) -> Self {
        Self {
            normalized,
            encloses,
            limits,
            symbols: Vec::new(),
            productions: Vec::new(),
            interleaves: Vec::new(),
            productive: analysis::productive(&normalized.grammar),
            rules: vec![None; normalized.grammar.rules.len()],
            queue: Vec::new(),
            repeated: 0,
            copied: 0,
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
            Expr::Sequence(parts)
                if SHORTCUTS && self.encloses && parts.iter().any(Expr::counts) =>
            {
                self.append_counting(parts, sequence)
            }
            Expr::Sequence(parts) => {
                let mut inlined = Vec::new();
                inline(parts, SHORTCUTS && self.encloses, &mut inlined);
                let mut parts = inlined.as_slice();
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

    /// Appends parts one behind the other of which some count characters. These are one terminal
    /// with the texts beside them: by the name of its member a pattern is told from others at
    /// once, and no lexeme ends in every character of it.
    fn append_counting(
        &mut self,
        parts: &[Expr],
        sequence: &mut Vec<Symbol>,
    ) -> Result<(), AutomatonError> {
        let mut run: Vec<Expr> = Vec::new();
        let mut rest = flat(parts).into_iter().peekable();
        while let Some(part) = rest.next() {
            let Expr::Counted(counted) = &part else {
                if matches!(&part, Expr::Literal(text) if text.is_empty()) {
                    continue;
                }
                if self.is_regular(&part) {
                    run.push(part);
                } else {
                    self.append_run(&mut run, sequence)?;
                    self.append_irregular(&part, sequence)?;
                }
                continue;
            };
            let mut before = Vec::new();
            if let Some(Expr::Literal(text)) = run.last() {
                let all = self.copied + counted.state_count() <= COPIED;
                let from = enclosing(text, all);
                before = text[from..].to_vec();
                let left: Box<[u8]> = text[..from].into();
                run.pop();
                if !left.is_empty() {
                    run.push(Expr::Literal(left));
                }
            }
            let mut behind = Vec::new();
            if let Some(Expr::Literal(text)) = rest.peek_mut()
                && text[0].is_ascii()
                && text[0] != b'\\'
            {
                behind.push(text[0]);
                *text = text[1..].into();
            }
            self.append_run(&mut run, sequence)?;
            let (before, behind) = (before.as_slice(), behind.as_slice());
            let next = self.terminals.len() as TerminalId;
            match self.enclosed(before, counted, behind) {
                Some(terminal) => {
                    if terminal == next && before.len() > 1 {
                        self.copied += counted.state_count();
                    }
                    sequence.push(Symbol::Terminal(terminal));
                }
                None => {
                    self.append_run(&mut vec![Expr::Literal(before.into())], sequence)?;
                    let alternatives = self.counted(counted)?;
                    self.one_of(alternatives, sequence);
                    self.append_run(&mut vec![Expr::Literal(behind.into())], sequence)?;
                }
            }
        }
        self.append_run(&mut run, sequence)
    }

    /// Appends regular parts one behind the other, as one.
    fn append_run(
        &mut self,
        run: &mut Vec<Expr>,
        sequence: &mut Vec<Symbol>,
    ) -> Result<(), AutomatonError> {
        let parts = std::mem::take(run);
        let is_empty = |part: &Expr| matches!(part, Expr::Literal(text) if text.is_empty());
        if !parts.iter().all(is_empty) {
            let alternatives = self.terminal(Regular::InTurn(&parts.iter().collect::<Vec<_>>()))?;
            self.one_of(alternatives, sequence);
        }
        Ok(())
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
        let (item, min) = of_repetitions(item, min, max);
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

/// What is repeated without a bound, and at least how often, repetitions of repetitions being one.
fn of_repetitions(mut item: &Expr, mut min: u32, max: Option<u32>) -> (&Expr, u32) {
    while let Expr::Repeat {
        item: inner,
        min: fewest @ (0 | 1),
        max: None | Some(1),
    } = item
        && min <= 1
        && max.is_none()
    {
        item = inner;
        min *= fewest;
    }
    (item, min)
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::Expr;

    use super::{enclosing, of_repetitions};

    #[test]
    fn repetitions_of_repetitions_are_one_where_they_say_the_same() {
        let repeat = |item: &Expr, min, max| Expr::Repeat {
            item: Box::new(item.clone()),
            min,
            max,
        };
        let a = Expr::literal("a");
        let (some, any, maybe) = (
            repeat(&a, 1, None),
            repeat(&a, 0, None),
            repeat(&a, 0, Some(1)),
        );
        for (item, min, fewest) in [
            (&some, 1, 1),
            (&some, 0, 0),
            (&any, 1, 0),
            (&maybe, 1, 0),
            (&repeat(&some, 1, None), 1, 1),
        ] {
            let (found, min) = of_repetitions(item, min, None);
            assert!(matches!(found, Expr::Literal(_)), "{item:?}");
            assert_eq!(min, fewest, "{item:?}");
        }
        let two = repeat(&a, 2, None);
        for (item, min, max) in [(&two, 0, None), (&some, 2, None), (&some, 0, Some(1))] {
            let (found, fewest) = of_repetitions(item, min, max);
            assert!(std::ptr::eq(found, item) && fewest == min, "{item:?}");
        }
    }

    #[test]
    fn what_is_escaped_is_not_counted_with_what_follows() {
        let split = |text: &'static str, all: bool| {
            let from = enclosing(text.as_bytes(), all);
            (&text[..from], &text[from..])
        };
        assert_eq!(split("\"a\":\"", true), ("", "\"a\":\""));
        assert_eq!(split("\"a\":\"", false), ("\"a\":", "\""));
        assert_eq!(split("\"a\\nb\":\"", true), ("\"a\\n", "b\":\""));
        assert_eq!(split("\"\\u00e9b\":\"", true), ("\"\\u00e9", "b\":\""));
        assert_eq!(split("\"\\\\é\":\"", true), ("\"\\\\é", "\":\""));
        assert_eq!(split("\"\\u00", true), ("\"\\u00", ""));
        assert_eq!(split("\"é", false), ("\"é", ""));
    }
}
