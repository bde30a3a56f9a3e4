//! Rewrites that keep the language and make more of it visibly regular.
//!
//! - Immediate left recursion becomes repetition: `e ::= e a | b` is `b a*`.
//! - A rule that is recursive only in tail position is regular; its body
//!   becomes its automaton.
//! - A text that is cut into lexemes, but is always one lexeme, is not cut.
//! - Items in any order, where they are few, become rules for what was seen.
//! - What it costs to write a rule out without mentions is known beforehand, so
//!   that nothing blows up while trying.

use std::sync::Arc;

use lacuna_grammar::automaton::Limits;
use lacuna_grammar::interleave::replace;
use lacuna_grammar::{Expr, Grammar, Lexicon, Rule, RuleId};

use crate::unroll::{Below, MAX_NESTING, write_out};

/// Rules cheaper than this (in automaton states, written out) are terminals'
/// material; larger ones stay rules of their own.
const WRITTEN_OUT_LIMIT: usize = 500;

/// Sets of items seen up to which items in any order are written out as rules.
const FEW_ORDERS: usize = 64;

/// A grammar with what is known of its rules.
#[derive(Clone, Debug)]
pub(crate) struct Normalized {
    pub grammar: Grammar,
    /// Whether the rule derives a regular language that is affordable to write
    /// out without mentioning rules.
    pub regular: Vec<bool>,
    /// Whether the rule is regular and no part of a larger terminal.
    pub apart: Vec<bool>,
    /// Whether the rule can come to mention itself.
    pub recursive: Vec<bool>,
    /// States that writing out the start rule takes; the most there is where it is
    /// recursive, or holds items in any order.
    pub cost: usize,
    /// For each rule whether that is what it takes.
    endless: Vec<bool>,
}

impl Normalized {
    /// Whether an expression mentions what is recursive, or holds what no automaton of bytes
    /// says.
    pub(crate) fn is_endless(&self, expr: &Expr) -> bool {
        expr.has_part(&|part| match part {
            Expr::Rule(rule) => self.endless[rule.0 as usize],
            part => matches!(part, Expr::Terminal(_) | Expr::Interleave(_)),
        })
    }
}

/// Rules whose copies would have more than `copied` states in terminals are terminals of
/// their own.
pub(crate) fn normalize(grammar: &Grammar, copied: usize) -> Normalized {
    let mut grammar = one_lexeme(grammar).unwrap_or_else(|| grammar.clone());
    if grammar.lexicon.is_some() {
        // Rules over terminals are the parser's, as they are.
        return Normalized {
            regular: vec![false; grammar.rules.len()],
            apart: vec![false; grammar.rules.len()],
            recursive: vec![true; grammar.rules.len()],
            endless: vec![true; grammar.rules.len()],
            cost: usize::MAX,
            grammar,
        };
    }
    write_out_few_orders(&mut grammar);
    for (id, rule) in grammar.rules.iter_mut().enumerate() {
        remove_left_recursion(RuleId(id as u32), &mut rule.body);
    }
    let recursive = recursive_rules(&grammar);
    let limits = Limits {
        nfa_states: WRITTEN_OUT_LIMIT,
        dfa_states: WRITTEN_OUT_LIMIT,
    };
    let automata: Vec<_> = (0..grammar.rules.len())
        .map(|rule| {
            if !recursive[rule] {
                return None;
            }
            let rule = RuleId(rule as u32);
            let written = write_out(&grammar, rule, &recursive, &Below::Nothing, &limits).ok()?;
            written.mentions.is_empty().then_some(written.dfa)
        })
        .collect();
    for (rule, dfa) in grammar.rules.iter_mut().zip(automata) {
        if let Some(dfa) = dfa {
            rule.body = Expr::Automaton(Arc::new(dfa));
        }
    }
    let recursive = recursive_rules(&grammar);
    let (cost, order) = costs(&grammar, &recursive);
    let (regular, apart) = terminals_material(&grammar, &cost, &order, copied);
    Normalized {
        cost: cost[grammar.start.0 as usize],
        endless: cost.iter().map(|&cost| cost == usize::MAX).collect(),
        grammar,
        regular,
        apart,
        recursive,
    }
}

/// The grammar without its lexicon, where a text can only be one lexeme of its
/// only terminal: then the longest match is the whole text or nothing.
fn one_lexeme(grammar: &Grammar) -> Option<Grammar> {
    let Some(Lexicon { terminals }) = &grammar.lexicon else {
        return None;
    };
    let ([terminal], Expr::Terminal(_)) = (terminals.as_slice(), &grammar.rule(grammar.start).body)
    else {
        return None;
    };
    if terminal.ignored {
        return None;
    }
    let whole = Rule {
        name: terminal.name.clone(),
        body: Expr::Automaton(Arc::clone(&terminal.language)),
    };
    let mut without = Grammar::new(vec![whole], RuleId(0));
    without.constraint.clone_from(&grammar.constraint);
    Some(without)
}

/// Rules for items in any order, where these are few and not recursive: then they
/// may be part of an automaton.
fn write_out_few_orders(grammar: &mut Grammar) {
    if !grammar.rules.iter().any(|rule| rule.body.has_interleave()) {
        return;
    }
    let recursive = recursive_rules(grammar);
    replace(grammar, |interleave, name, rules| {
        let mut is_recursive = false;
        for form in interleave.forms() {
            form.for_each_rule(&mut |rule| {
                is_recursive |= recursive.get(rule.0 as usize).is_some_and(|it| *it);
            });
        }
        match is_recursive {
            true => None,
            false => interleave.written_out(name, rules, FEW_ORDERS),
        }
    });
}

fn remove_left_recursion(rule: RuleId, body: &mut Expr) {
    let starts_with_itself = |expr: &Expr| match expr {
        Expr::Rule(first) => *first == rule,
        Expr::Sequence(parts) => matches!(parts.first(), Some(Expr::Rule(first)) if *first == rule),
        _ => false,
    };
    let Expr::Choice(alternatives) = body else {
        return;
    };
    if !alternatives.iter().any(starts_with_itself) {
        return;
    }
    let mut bases = Vec::new();
    let mut steps = Vec::new();
    for alternative in std::mem::take(alternatives) {
        match alternative {
            // `e ::= e` adds nothing.
            Expr::Rule(first) if first == rule => {}
            Expr::Sequence(mut parts) if matches!(parts.first(), Some(Expr::Rule(first)) if *first == rule) =>
            {
                parts.remove(0);
                steps.push(Expr::Sequence(parts));
            }
            other => bases.push(other),
        }
    }
    *body = Expr::Sequence(vec![Expr::Choice(bases), Expr::Choice(steps).star()]);
}

/// Which rules lie on a cycle of mentions (Tarjan's components, iteratively).
fn recursive_rules(grammar: &Grammar) -> Vec<bool> {
    let mentions: Vec<Vec<usize>> = grammar
        .rules
        .iter()
        .map(|rule| {
            let mut found = Vec::new();
            rule.body
                .for_each_rule(&mut |rule| found.push(rule.0 as usize));
            found
        })
        .collect();
    let count = mentions.len();
    let mut recursive = vec![false; count];
    let mut index = vec![usize::MAX; count];
    let mut low = vec![0; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut next_index = 0;
    for root in 0..count {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((rule, child)) = work.pop() {
            if child == 0 {
                index[rule] = next_index;
                low[rule] = next_index;
                next_index += 1;
                stack.push(rule);
                on_stack[rule] = true;
            } else {
                low[rule] = low[rule].min(low[mentions[rule][child - 1]]);
            }
            let mut child = child;
            let mut descended = false;
            while let Some(&next) = mentions[rule].get(child) {
                child += 1;
                if index[next] == usize::MAX {
                    work.push((rule, child));
                    work.push((next, 0));
                    descended = true;
                    break;
                }
                if on_stack[next] {
                    low[rule] = low[rule].min(index[next]);
                }
            }
            if descended || low[rule] != index[rule] {
                continue;
            }
            let from = stack
                .iter()
                .rposition(|&member| member == rule)
                .unwrap_or(0);
            let component = stack.split_off(from);
            let cyclic = component.len() > 1 || mentions[rule].contains(&rule);
            for member in component {
                on_stack[member] = false;
                recursive[member] = cyclic;
            }
        }
    }
    recursive
}

/// What each rule costs to write out, in states, and the rules that are not recursive, each
/// behind all that it mentions.
fn costs(grammar: &Grammar, recursive: &[bool]) -> (Vec<usize>, Vec<usize>) {
    let mut order = Vec::new();
    let mut cost: Vec<Option<usize>> = vec![None; grammar.rules.len()];
    let mut height = vec![0usize; grammar.rules.len()];
    // Mentions of rules that are not recursive form a DAG: settle rules whose
    // mentions are settled until nothing changes. Depth first, iteratively.
    for root in 0..grammar.rules.len() {
        let mut work = vec![root];
        while let Some(&rule) = work.last() {
            if cost[rule].is_some() {
                work.pop();
                continue;
            }
            if recursive[rule] {
                cost[rule] = Some(usize::MAX);
                work.pop();
                continue;
            }
            let mut open = Vec::new();
            let mut above = 0;
            grammar.rules[rule].body.for_each_rule(&mut |mentioned| {
                above = above.max(height[mentioned.0 as usize] + 1);
                if cost[mentioned.0 as usize].is_none() {
                    open.push(mentioned.0 as usize);
                }
            });
            if open.is_empty() {
                height[rule] = above;
                cost[rule] = Some(match above {
                    0..MAX_NESTING => written_out(&grammar.rules[rule].body, &cost),
                    _ => usize::MAX,
                });
                order.push(rule);
                work.pop();
            } else {
                work.extend(open);
            }
        }
    }
    let cost = cost.iter().map(|cost| cost.unwrap_or(usize::MAX));
    (cost.collect(), order)
}

/// The rules that are affordable to write out, and those of them that are mentioned too
/// often to be copied. What mentions one of these is no regular part itself.
fn terminals_material(
    grammar: &Grammar,
    cost: &[usize],
    order: &[usize],
    copied: usize,
) -> (Vec<bool>, Vec<bool>) {
    let mut mentions = vec![0usize; cost.len()];
    for rule in &grammar.rules {
        rule.body
            .for_each_rule(&mut |rule| mentions[rule.0 as usize] += 1);
    }
    let mut apart: Vec<bool> = cost
        .iter()
        .zip(mentions)
        .map(|(&cost, mentions)| {
            cost <= WRITTEN_OUT_LIMIT && cost.saturating_mul(mentions) > copied
        })
        .collect();
    let mut regular: Vec<bool> = cost.iter().map(|&cost| cost <= WRITTEN_OUT_LIMIT).collect();
    for &rule in order
        .iter()
        .filter(|&&rule| cost[rule] <= WRITTEN_OUT_LIMIT)
    {
        let mut is_part = true;
        grammar.rules[rule].body.for_each_rule(&mut |mentioned| {
            let mentioned = mentioned.0 as usize;
            is_part &= regular[mentioned] && !apart[mentioned];
        });
        regular[rule] = is_part;
        apart[rule] &= is_part;
    }
    (regular, apart)
}

/// States that Thompson's construction needs, saturating.
fn written_out(expr: &Expr, cost: &[Option<usize>]) -> usize {
    let total = |parts: &[Expr]| {
        let costs = parts.iter().map(|part| written_out(part, cost));
        costs.fold(1usize, added)
    };
    match expr {
        Expr::Literal(bytes) => bytes.len(),
        Expr::Chars(ranges) => 4 * ranges.len(),
        Expr::Sequence(parts) | Expr::Choice(parts) => total(parts),
        Expr::Repeat { item, min, max } => {
            let copies = max.unwrap_or(*min + 1).max(*min) as usize;
            let once = added(written_out(item, cost), 2);
            match once {
                usize::MAX => once,
                _ => once.saturating_mul(copies).min(LARGE),
            }
        }
        Expr::Rule(rule) => cost[rule.0 as usize].unwrap_or(usize::MAX),
        Expr::Automaton(dfa) => dfa.state_count(),
        // That could be, but would have a state for each count.
        Expr::Counted(_) => LARGE,
        // What is about terminals is not written out in bytes, and neither is what may
        // stand in too many orders.
        Expr::Terminal(_) | Expr::Interleave(_) => usize::MAX,
    }
}

/// The cost of what could be written out, but has too many states for anything.
const LARGE: usize = usize::MAX - 1;

/// What two cost together, without end where one of them does.
fn added(one: usize, other: usize) -> usize {
    match one.max(other) {
        usize::MAX => usize::MAX,
        _ => one.saturating_add(other).min(LARGE),
    }
}
