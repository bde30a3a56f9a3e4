//! How deep the texts of a grammar are nested, and grammars cut at a depth.
//!
//! A mention of a rule *nests* if it can lead back to where it stands and what
//! comes before it must be remembered until what comes after: `"(" value ")"`
//! nests, the list `item ("," item)*` and recursion at one end of a rule
//! (`list: list "," item`) do not. Precisely, mentions are left out of the
//! grammar's graph in two steps, and the graph without them has only regular
//! components:
//!
//! 1. those on a cycle, with something before and something after them, or
//!    repeated;
//! 2. of what is still on cycles of several rules, where some mentions stand at
//!    the beginning and others at the end (`a: "x" b`, `b: a "y"`), those at the
//!    beginning.
//!
//! The nesting of a derivation is the largest number of such mentions on a path
//! down its tree. [`limit_nesting`] keeps the texts that have a derivation
//! nested at most so deep, and cuts the others off: the result has no recursion
//! but regular one. It has a copy of each rule for each depth at which it occurs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{productive, reachable};
use crate::{Diagnostic, Expr, Grammar, Linted, Rule, RuleId};

/// Most rules of a grammar that was cut.
pub const MAX_RULES: usize = 100_000;

/// The rules with nesting mentions, the first of each group of rules that lead
/// to each other. Rules that no text needs are left aside.
pub fn unbounded_nesting(grammar: &Grammar) -> Vec<RuleId> {
    let graph = Graph::new(grammar);
    let components = graph.components(&FxHashSet::default());
    let nesting = graph.nesting();
    // By component, which is named by a rule of it.
    let mut first = vec![usize::MAX; components.len()];
    for &(rule, at) in &nesting {
        let to = graph.mentions[rule][at].to;
        let least = &mut first[components[rule]];
        *least = (*least).min(rule.min(to));
    }
    let reachable = reachable(grammar);
    let found = first
        .iter()
        .filter(|&&rule| reachable.get(rule) == Some(&true));
    let mut found: Vec<RuleId> = found.map(|&rule| RuleId(rule as u32)).collect();
    found.sort_unstable();
    found
}

/// The texts that are nested at most `depth` deep.
///
/// ```
/// use lacuna_grammar::{gbnf, nesting::limit_nesting, recognize::recognize};
/// let lists = gbnf::lint(r#"root ::= "[" (root ("," root)*)? "]""#).unwrap();
/// let flat = limit_nesting(&lists, 1).unwrap().grammar;
/// assert!(recognize(&flat, b"[[],[],[]]"));
/// assert!(!recognize(&flat, b"[[[]]]"));
/// ```
///
/// # Errors
/// `too-large` when it needs more than [`MAX_RULES`] rules, and `too-deep` when
/// all texts are nested deeper.
pub fn limit_nesting(linted: &Linted, depth: u32) -> Result<Linted, Box<Diagnostic>> {
    let grammar = &linted.grammar;
    let graph = Graph::new(grammar);
    let place = |rule: RuleId| linted.places[rule.0 as usize].clone();
    let mut cut = Cut {
        nesting: graph.nesting(),
        depth,
        ids: FxHashMap::default(),
        copies: Vec::new(),
    };
    cut.copy(grammar.start, 0);
    let mut rules = Vec::new();
    while let Some(&(rule, level)) = cut.copies.get(rules.len()) {
        if rules.len() >= MAX_RULES {
            let message = format!("to a depth of {depth} the grammar has over {MAX_RULES} rules");
            return Err(Box::new(
                Diagnostic::error("too-large", place(rule), message)
                    .with_note("a smaller depth will do with fewer"),
            ));
        }
        let mut at = 0;
        let body = cut.expression(&grammar.rule(rule).body, rule.0 as usize, level, &mut at);
        let name = grammar.rule(rule).name.clone();
        rules.push(Rule { name, body });
    }
    let places = cut.copies.iter().map(|&(rule, _)| place(rule)).collect();
    let limited = Grammar {
        rules,
        start: RuleId(0),
        lexicon: grammar.lexicon.clone(),
        constraint: grammar.constraint.clone(),
        tokens: grammar.tokens.clone(),
    };
    if !productive(&limited)[0] {
        let message = format!("every text of this grammar is nested more than {depth} deep");
        let finding = Diagnostic::error("too-deep", place(grammar.start), message);
        return Err(Box::new(finding));
    }
    Ok(Linted {
        grammar: limited,
        warnings: linted.warnings.clone(),
        places,
        terminals: linted.terminals.clone(),
    })
}

/// A mention, by its rule and its place among the rule's mentions.
type MentionId = (usize, usize);

struct Cut {
    nesting: FxHashSet<MentionId>,
    depth: u32,
    ids: FxHashMap<(RuleId, u32), RuleId>,
    /// The rule and the depth that each new rule is a copy for.
    copies: Vec<(RuleId, u32)>,
}

impl Cut {
    fn copy(&mut self, rule: RuleId, level: u32) -> RuleId {
        let fresh = RuleId(self.copies.len() as u32);
        let id = *self.ids.entry((rule, level)).or_insert(fresh);
        if id == fresh {
            self.copies.push((rule, level));
        }
        id
    }

    /// `at` counts the rule's mentions, in the order of [`Expr::for_each_rule`].
    fn expression(&mut self, expr: &Expr, rule: usize, level: u32, at: &mut usize) -> Expr {
        match expr {
            Expr::Rule(to) => {
                let nests = self.nesting.contains(&(rule, *at));
                *at += 1;
                match level + u32::from(nests) {
                    level if level > self.depth => Expr::never(),
                    level => Expr::Rule(self.copy(*to, level)),
                }
            }
            Expr::Sequence(parts) => {
                let parts = parts.iter();
                Expr::Sequence(
                    parts
                        .map(|part| self.expression(part, rule, level, at))
                        .collect(),
                )
            }
            Expr::Choice(parts) => {
                let parts = parts.iter();
                Expr::Choice(
                    parts
                        .map(|part| self.expression(part, rule, level, at))
                        .collect(),
                )
            }
            Expr::Repeat { item, min, max } => Expr::Repeat {
                item: Box::new(self.expression(item, rule, level, at)),
                min: *min,
                max: *max,
            },
            Expr::Interleave(interleave) => {
                let copied = interleave.map(|form| self.expression(form, rule, level, at));
                Expr::Interleave(Box::new(copied))
            }
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Terminal(_) => expr.clone(),
        }
    }
}

/// What stands around a mention in its rule.
#[derive(Clone, Copy, Debug)]
struct Mention {
    to: usize,
    before: bool,
    after: bool,
}

/// Who mentions whom, and where.
struct Graph {
    mentions: Vec<Vec<Mention>>,
}

impl Graph {
    fn new(grammar: &Grammar) -> Self {
        let rules = grammar.rules.iter().map(|rule| {
            let mut found = Vec::new();
            collect(&rule.body, false, false, &mut found);
            found
        });
        Self {
            mentions: rules.collect(),
        }
    }

    fn nesting(&self) -> FxHashSet<MentionId> {
        let mut left_out = FxHashSet::default();
        let components = self.components(&left_out);
        left_out.extend(self.on_cycles(&components, |mention| mention.before && mention.after));
        let components = self.components(&left_out);
        let within = |wanted: fn(&Mention) -> bool| -> Vec<MentionId> {
            self.on_cycles(&components, wanted)
                .filter(|id| !left_out.contains(id))
                .collect()
        };
        let at_beginnings = within(|mention| !mention.before && mention.after);
        let at_ends = within(|mention| mention.before && !mention.after);
        let component = |&(rule, _): &MentionId| components[rule];
        let (mut mixed, mut sizes) = (vec![false; components.len()], vec![0; components.len()]);
        at_ends.iter().for_each(|id| mixed[component(id)] = true);
        components
            .iter()
            .for_each(|&component| sizes[component] += 1);
        let nesting = at_beginnings.into_iter().filter(|id| {
            let component = component(id);
            sizes[component] > 1 && mixed[component]
        });
        let nesting: Vec<MentionId> = nesting.collect();
        left_out.extend(nesting);
        left_out
    }

    fn on_cycles(
        &self,
        components: &[usize],
        wanted: impl Fn(&Mention) -> bool,
    ) -> impl Iterator<Item = MentionId> {
        self.mentions
            .iter()
            .enumerate()
            .flat_map(move |(rule, mentions)| {
                let found = mentions.iter().enumerate().filter(|(_, mention)| {
                    components[rule] == components[mention.to] && wanted(mention)
                });
                let found: Vec<MentionId> = found.map(|(at, _)| (rule, at)).collect();
                found
            })
    }

    /// For each rule the number of its strongly connected component, mentions in
    /// `left_out` aside (Kosaraju's algorithm).
    fn components(&self, left_out: &FxHashSet<MentionId>) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let count = self.mentions.len();
        let (mut forward, mut backward) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (rule, mentions) in self.mentions.iter().enumerate() {
            for (at, mention) in mentions.iter().enumerate() {
                if !left_out.contains(&(rule, at)) {
                    forward[rule].push(mention.to);
                    backward[mention.to].push(rule);
                }
            }
        }
        let mut seen = vec![false; count];
        let mut order = Vec::new();
        for root in 0..count {
            let mut path = Vec::new();
            if !std::mem::replace(&mut seen[root], true) {
                path.push((root, 0));
            }
            while let Some((rule, next)) = path.last_mut() {
                let to = forward[*rule].get(*next).copied();
                *next += 1;
                match to {
                    None => {
                        order.push(*rule);
                        path.pop();
                    }
                    Some(to) if !std::mem::replace(&mut seen[to], true) => path.push((to, 0)),
                    Some(_) => {}
                }
            }
        }
        let mut components = vec![NONE; count];
        for &root in order.iter().rev() {
            let mut stack = vec![root];
            while let Some(rule) = stack.pop() {
                if components[rule] == NONE {
                    components[rule] = root;
                    stack.extend(&backward[rule]);
                }
            }
        }
        components
    }
}

/// In the order of [`Expr::for_each_rule`].
fn collect(expr: &Expr, before: bool, after: bool, found: &mut Vec<Mention>) {
    match expr {
        Expr::Rule(to) => found.push(Mention {
            to: to.0 as usize,
            before,
            after,
        }),
        Expr::Sequence(parts) => {
            let says = |part: &Expr| !matches!(part, Expr::Sequence(parts) if parts.is_empty());
            for (at, part) in parts.iter().enumerate() {
                let before = before || parts[..at].iter().any(says);
                let after = after || parts[at + 1..].iter().any(says);
                collect(part, before, after, found);
            }
        }
        Expr::Choice(parts) => {
            let parts = parts.iter();
            parts.for_each(|part| collect(part, before, after, found));
        }
        Expr::Repeat { item, max, .. } => {
            let again = max.is_none_or(|max| max > 1);
            collect(item, before || again, after || again, found);
        }
        // Others may stand before each item, and behind it.
        Expr::Interleave(interleave) => {
            interleave
                .forms()
                .for_each(|form| collect(form, true, true, found));
        }
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Automaton(_)
        | Expr::Counted(_)
        | Expr::Terminal(_) => {}
    }
}
