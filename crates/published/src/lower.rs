//! From [`Grammar`] to [`Language`].

use std::collections::HashMap;
use std::sync::Arc;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use lacuna_grammar::interleave::replace;
use lacuna_grammar::{Expr, Grammar, Lexicon, RuleId};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::{Discipline, Language, Terminal, TerminalId};

/// Most sets of items seen, of items in any order.
const MAX_ORDERS: usize = 4096;

/// Rules up to this size can be parts of terminals: leaves, written out, and levels.
const SMALL: usize = 64;

pub(crate) fn lower(grammar: &Grammar, limits: &Limits) -> Result<Language, AutomatonError> {
    if let Some(language) = one_lexeme(grammar, limits)? {
        return Ok(language);
    }
    // The papers know no items in any order but as rules.
    let mut written_out = grammar.clone();
    replace(&mut written_out, |interleave, name, rules| {
        interleave.written_out(name, rules, MAX_ORDERS)
    });
    let grammar = &written_out;
    let mut lowering = Lowering {
        small: small_rules(grammar),
        grammar,
        limits,
        cfg: Cfg::default(),
        rules: HashMap::new(),
        queue: Vec::new(),
        terminals: Vec::new(),
        known: HashMap::new(),
        lexemes: Vec::new(),
        symbols: 0,
    };
    let discipline = match &grammar.lexicon {
        None => Discipline::Free,
        Some(lexicon) => {
            lowering.lexicon(lexicon)?;
            Discipline::Munch
        }
    };
    lowering.cfg.start = lowering.rule(grammar.start);
    while let Some((rule, left)) = lowering.queue.pop() {
        let body = &grammar.rule(rule).body;
        for right in lowering.alternatives(body)? {
            lowering.add(left, right)?;
        }
    }
    Ok(Language {
        cfg: lowering.cfg,
        terminals: lowering.terminals,
        discipline,
        constraint: grammar.constraint.clone(),
    })
}

/// A grammar whose texts are one lexeme of its only terminal: maximal munch then
/// asks nothing, and a constraint on the text is one on the lexeme.
fn one_lexeme(grammar: &Grammar, limits: &Limits) -> Result<Option<Language>, AutomatonError> {
    let Some(Lexicon { terminals }) = &grammar.lexicon else {
        return Ok(None);
    };
    let ([terminal], Expr::Terminal(_)) = (terminals.as_slice(), &grammar.rule(grammar.start).body)
    else {
        return Ok(None);
    };
    if terminal.ignored {
        return Ok(None);
    }
    let language = match &grammar.constraint {
        Some(constraint) => Arc::new(terminal.language.intersect(constraint, limits)?),
        None => Arc::clone(&terminal.language),
    };
    let mut cfg = Cfg::default();
    cfg.start = cfg.nonterminal();
    cfg.add(cfg.start, vec![Symbol::Terminal(0)]);
    Ok(Some(Language {
        cfg,
        terminals: vec![Terminal::new(language, false)],
        discipline: Discipline::Free,
        constraint: None,
    }))
}

/// For each rule that is not recursive and small when written out, the rule that it
/// stands for: itself, unless it is another's name.
fn small_rules(grammar: &Grammar) -> Vec<Option<RuleId>> {
    let mut small = vec![None; grammar.rules.len()];
    if grammar.lexicon.is_some() {
        return small;
    }
    let mut sizes: Vec<Option<Size>> = vec![None; grammar.rules.len()];
    // A rule is looked at once all that it mentions are small; recursive ones never are.
    let mut missing = vec![0; grammar.rules.len()];
    let mut mentioned_by: Vec<Vec<usize>> = vec![Vec::new(); grammar.rules.len()];
    for (index, rule) in grammar.rules.iter().enumerate() {
        rule.body.for_each_rule(&mut |mentioned| {
            missing[index] += 1;
            mentioned_by[mentioned.0 as usize].push(index);
        });
    }
    let ready = (0..missing.len()).filter(|&rule| missing[rule] == 0);
    let mut work: Vec<usize> = ready.collect();
    while let Some(rule) = work.pop() {
        let body = &grammar.rules[rule].body;
        sizes[rule] = Size::of(body, &sizes).filter(|size| size.is_small());
        if sizes[rule].is_none() {
            continue;
        }
        small[rule] = match body {
            Expr::Rule(other) => small[other.0 as usize],
            _ => Some(RuleId(rule as u32)),
        };
        for &by in &mentioned_by[rule] {
            missing[by] -= 1;
            if missing[by] == 0 {
                work.push(by);
            }
        }
    }
    small
}

/// How large an expression is, written out.
#[derive(Clone, Copy)]
struct Size {
    /// Parts without parts; at least one, so that what doubles with every rule grows.
    leaves: usize,
    /// Parts within each other; a rule that is another's name is none.
    levels: usize,
}

impl Size {
    /// `None` where a rule is mentioned that has no size.
    fn of(expr: &Expr, rules: &[Option<Self>]) -> Option<Self> {
        let leaves = |leaves: usize| {
            let leaves = leaves.max(1);
            Some(Self { leaves, levels: 1 })
        };
        match expr {
            Expr::Literal(bytes) => leaves(bytes.len()),
            Expr::Chars(_) => leaves(1),
            Expr::Sequence(parts) | Expr::Choice(parts) => {
                let mut whole = Self {
                    leaves: 0,
                    levels: 1,
                };
                for part in parts {
                    let part = Self::of(part, rules)?;
                    whole.leaves = whole.leaves.saturating_add(part.leaves);
                    whole.levels = whole.levels.max(part.levels + 1);
                }
                whole.leaves = whole.leaves.max(1);
                Some(whole)
            }
            Expr::Repeat { item, min, max } => {
                let copies = max.unwrap_or(*min).max(1) as usize;
                let item = Self::of(item, rules)?;
                Some(Self {
                    leaves: item.leaves.saturating_mul(copies),
                    levels: item.levels + 1,
                })
            }
            Expr::Rule(rule) => rules[rule.0 as usize],
            Expr::Automaton(dfa) => leaves(dfa.state_count()),
            // As many states as there are counts, which the published methods have.
            Expr::Counted(counted) => {
                let (min, max) = counted.bounds();
                let counts = max.unwrap_or(min) as usize;
                leaves(counted.state_count().saturating_mul(counts))
            }
            Expr::Terminal(_) | Expr::Interleave(_) => None,
        }
    }

    fn is_small(self) -> bool {
        self.leaves <= SMALL && self.levels <= SMALL
    }
}

/// What tells a language from any other: the states of its minimal automaton, in
/// the order in which they are met.
type Canonical = Vec<(bool, Vec<(u8, u8, u32)>)>;

struct Lowering<'a> {
    grammar: &'a Grammar,
    limits: &'a Limits,
    /// Of each small rule, the one that it stands for.
    small: Vec<Option<RuleId>>,
    cfg: Cfg,
    rules: HashMap<RuleId, NonterminalId>,
    queue: Vec<(RuleId, NonterminalId)>,
    terminals: Vec<Terminal>,
    known: HashMap<Canonical, TerminalId>,
    /// For each terminal of the lexicon, ours; `None` if others win all its lexemes.
    lexemes: Vec<Option<TerminalId>>,
    /// Symbols of right-hand sides so far, those of productions and those on their way
    /// there.
    symbols: usize,
}

impl Lowering<'_> {
    fn lexicon(&mut self, lexicon: &Lexicon) -> Result<(), AutomatonError> {
        for (index, terminal) in lexicon.terminals.iter().enumerate() {
            let mut language = Arc::clone(&terminal.language);
            for earlier in &lexicon.terminals[..index] {
                if !language
                    .intersect(&earlier.language, self.limits)?
                    .is_empty()
                {
                    language = Arc::new(language.minus(&earlier.language, self.limits)?);
                }
            }
            let id = self.terminals.len() as TerminalId;
            let wins = !language.is_empty();
            self.lexemes.push(wins.then_some(id));
            if wins {
                self.terminals
                    .push(Terminal::new(language, terminal.ignored));
            }
        }
        Ok(())
    }

    fn rule(&mut self, rule: RuleId) -> NonterminalId {
        if let Some(&known) = self.rules.get(&rule) {
            return known;
        }
        let id = self.cfg.nonterminal();
        self.rules.insert(rule, id);
        self.queue.push((rule, id));
        id
    }

    /// Counts symbols before they are written down: what repetitions multiply can be
    /// more than any memory holds.
    fn count(&mut self, symbols: usize) -> Result<(), AutomatonError> {
        self.symbols = self.symbols.saturating_add(symbols);
        match self.symbols > self.limits.nfa_states {
            true => Err(AutomatonError::TooLarge {
                what: "symbols in productions",
                limit: self.limits.nfa_states,
            }),
            false => Ok(()),
        }
    }

    fn add(&mut self, left: NonterminalId, right: Vec<Symbol>) -> Result<(), AutomatonError> {
        // What derives is a symbol as well.
        self.count(1)?;
        self.cfg.add(left, right);
        Ok(())
    }

    /// Whether all of the expression can be one terminal.
    fn is_lexical(&self, expr: &Expr) -> bool {
        let mut lexical = self.grammar.lexicon.is_none() && !expr.has_interleave();
        expr.for_each_rule(&mut |rule| lexical &= self.small[rule.0 as usize].is_some());
        lexical
    }

    /// The right-hand sides of a nonterminal that derives `expr`.
    fn alternatives(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        self.count(1)?;
        match expr {
            expr if self.is_lexical(expr) => self.lexemes_of(expr),
            Expr::Choice(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    found.extend(self.alternatives(part)?);
                }
                Ok(found)
            }
            Expr::Terminal(terminal) => {
                let known = self.lexemes[terminal.0 as usize];
                Ok(known
                    .map(|id| vec![Symbol::Terminal(id)])
                    .into_iter()
                    .collect())
            }
            Expr::Rule(rule) => Ok(vec![vec![Symbol::Nonterminal(self.rule(*rule))]]),
            Expr::Sequence(parts) => self.sequence(parts),
            Expr::Repeat { item, min, max } => self.repetition(item, *min, *max),
            Expr::Interleave(_) => Err(AutomatonError::MentionsInterleave),
            // What mentions no rule is lexical where there is no lexicon, and
            // elsewhere does not occur.
            Expr::Literal(_) | Expr::Chars(_) | Expr::Automaton(_) | Expr::Counted(_) => {
                Ok(Vec::new())
            }
        }
    }

    fn sequence(&mut self, mut parts: &[Expr]) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let mut right = Vec::new();
        while !parts.is_empty() {
            let lexical = parts
                .iter()
                .take_while(|part| self.is_lexical(part))
                .count();
            let (part, rest) = parts.split_at(lexical.max(1));
            let symbols = match part {
                [one] => self.symbols(one)?,
                several => self.symbols(&Expr::Sequence(several.to_vec()))?,
            };
            right.extend(symbols);
            parts = rest;
        }
        Ok(vec![right])
    }

    /// Symbols that derive `expr`, with a nonterminal of their own where there is
    /// a choice.
    fn symbols(&mut self, expr: &Expr) -> Result<Vec<Symbol>, AutomatonError> {
        let mut alternatives = self.alternatives(expr)?;
        if alternatives.len() == 1 {
            return Ok(alternatives.swap_remove(0));
        }
        let left = self.cfg.nonterminal();
        for right in alternatives {
            self.add(left, right)?;
        }
        self.count(1)?;
        Ok(vec![Symbol::Nonterminal(left)])
    }

    fn repetition(
        &mut self,
        item: &Expr,
        min: u32,
        max: Option<u32>,
    ) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        if max.is_some_and(|max| max < min) {
            return Ok(Vec::new());
        }
        let once = self.symbols(item)?;
        let copies = max.unwrap_or(min) as usize;
        self.count(once.len().saturating_mul(copies))?;
        let mut right = once.repeat(min as usize);
        match max {
            None => {
                let many = self.cfg.nonterminal();
                let again = [&[Symbol::Nonterminal(many)], once.as_slice()].concat();
                self.add(many, Vec::new())?;
                self.add(many, again)?;
                right.push(Symbol::Nonterminal(many));
            }
            Some(max) => {
                let mut rest: Vec<Symbol> = Vec::new();
                for _ in min..max {
                    let longer = self.cfg.nonterminal();
                    self.add(longer, Vec::new())?;
                    self.add(longer, [once.as_slice(), &rest].concat())?;
                    rest = vec![Symbol::Nonterminal(longer)];
                }
                right.extend(rest);
            }
        }
        Ok(vec![right])
    }

    /// The alternatives of a lexical expression: its terminal, or nothing, or both.
    fn lexemes_of(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let mut builder = NfaBuilder::new(self.limits);
        let (start, accept) = (builder.state()?, builder.state()?);
        self.write_out(&mut builder, expr, start, accept)?;
        let whole = builder
            .finish(start, accept)
            .determinize(self.limits)?
            .minimize();
        let empty = Dfa::from_expr(&Expr::empty(), self.limits)?;
        let lexemes = whole.minus(&empty, self.limits)?;
        let mut alternatives = Vec::new();
        if whole.is_accepting(whole.start()) {
            alternatives.push(Vec::new());
        }
        if !lexemes.is_empty() {
            let states = 0..lexemes.state_count() as u32;
            let canonical = states
                .map(|state| (lexemes.is_accepting(state), lexemes.byte_ranges(state)))
                .collect();
            let terminals = &mut self.terminals;
            let id = *self.known.entry(canonical).or_insert_with(|| {
                terminals.push(Terminal::new(Arc::new(lexemes), false));
                terminals.len() as TerminalId - 1
            });
            alternatives.push(vec![Symbol::Terminal(id)]);
        }
        Ok(alternatives)
    }

    fn write_out(
        &self,
        builder: &mut NfaBuilder,
        expr: &Expr,
        from: u32,
        to: u32,
    ) -> Result<(), AutomatonError> {
        // Small rules are not recursive, so this ends, and have few levels, so it is not
        // deep.
        builder.expression(expr, from, to, &mut |builder, rule, from, to| {
            let rule = self.small[rule.0 as usize].unwrap_or(rule);
            self.write_out(builder, &self.grammar.rule(rule).body, from, to)
        })
    }
}
