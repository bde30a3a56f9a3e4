//! From definitions of terminals to automata.
//!
//! Terminals are compiled in an order in which none comes before what it refers
//! to, each once; a reference is then a finished automaton. A terminal in which
//! a lazy quantifier stands, itself or in what it refers to, is read as
//! [`Dfa::leftmost_first`] has it, with alternatives in Lark's order: those that
//! can be longer first.

use std::sync::Arc;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use super::ast::{Flags, Name, Node, Span};
use super::definitions::{Definitions, Module};
use super::{LIMITS, MAX_TERMINAL_STATES, python};
use crate::automaton::{AutomatonError, Dfa};
use crate::characters::ANY_CHARACTER;
use crate::regex::{PatternFlags, expression, read_hir};
use crate::{Diagnostic, Expr};

/// Largest pattern that is tried as a backtracking matcher would, in nodes.
const MAX_PATTERN: usize = 100_000;

/// A terminal's language, and what else must be known of it.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub language: Arc<Dfa>,
    /// What it is, if it is no more than that.
    pub spelled: Option<Spelled>,
    pattern: Option<Pattern>,
}

/// What makes two terminals the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spelled {
    Literal { text: String, ignore_case: bool },
    Regex { source: String, flags: Flags },
    Range { low: char, high: char },
}

impl Spelled {
    pub(super) fn of(node: &Node) -> Option<Self> {
        match node {
            Node::Literal {
                text, ignore_case, ..
            } => Some(Spelled::Literal {
                text: text.clone(),
                ignore_case: *ignore_case,
            }),
            Node::Regex(regex) => Some(Spelled::Regex {
                source: regex.source.clone(),
                flags: regex.flags,
            }),
            Node::Range { low, high, .. } => Some(Spelled::Range {
                low: *low,
                high: *high,
            }),
            _ => None,
        }
    }
}

/// All defined terminals that could be compiled, by index.
#[derive(Debug)]
pub(super) struct Terminals<'a> {
    definitions: &'a Definitions,
    compiled: Vec<Option<Compiled>>,
    /// Whether another terminal refers to it.
    pub referred_to: Vec<bool>,
    states: usize,
}

impl<'a> Terminals<'a> {
    /// What is wrong goes to `findings`; names that are missing only where the
    /// text is `complete`.
    pub(super) fn compile(
        definitions: &'a Definitions,
        complete: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let count = definitions.terminals.len();
        let mut terminals = Self {
            definitions,
            compiled: vec![None; count],
            referred_to: vec![false; count],
            states: 0,
        };
        let references = terminals.references(complete, findings);
        for index in order(&references, definitions, findings) {
            let definition = &definitions.terminals[index];
            let mut parts = Vec::new();
            for (module, body) in &definition.bodies {
                parts.push(terminals.part(body, *module, findings));
            }
            let part = match parts.len() {
                1 => parts.remove(0),
                _ => parts
                    .into_iter()
                    .collect::<Option<Vec<_>>>()
                    .map(Part::choice),
            };
            if let Some(part) = part {
                match terminals.finish(part, definition.name.span) {
                    Ok(compiled) => terminals.compiled[index] = Some(compiled),
                    Err(finding) => findings.push(*finding),
                }
            }
        }
        terminals
    }

    pub(super) fn get(&self, index: usize) -> Option<&Compiled> {
        self.compiled[index].as_ref()
    }

    /// A terminal that has no name.
    pub(super) fn anonymous(
        &mut self,
        body: &Node,
        place: Span,
        complete: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Compiled> {
        let definitions = self.definitions;
        for_each_mention(
            body,
            &mut |name| match definitions.terminal_named(Module::Own, &name.text) {
                Some(index) => self.referred_to[index] = true,
                None => findings.extend(unknown(definitions, name, complete)),
            },
        );
        let part = self.part(body, Module::Own, findings)?;
        match self.finish(part, place) {
            Ok(compiled) => Some(compiled),
            Err(finding) => {
                findings.push(*finding);
                None
            }
        }
    }

    /// For each terminal, those that it mentions.
    fn references(&mut self, complete: bool, findings: &mut Vec<Diagnostic>) -> Vec<Vec<usize>> {
        let definitions = self.definitions;
        let mut references = Vec::new();
        for definition in &definitions.terminals {
            let mut mentioned = Vec::new();
            for (module, body) in &definition.bodies {
                for_each_mention(body, &mut |name| {
                    if let Some(index) = definitions.terminal_named(*module, &name.text) {
                        mentioned.push(index);
                        self.referred_to[index] = true;
                    } else if let Some(finding) = unknown(definitions, name, complete) {
                        findings.push(finding);
                    }
                });
            }
            references.push(mentioned);
        }
        references
    }

    /// `None` if something in it is wrong and has been said to be.
    fn part(&self, node: &Node, module: Module, findings: &mut Vec<Diagnostic>) -> Option<Part> {
        match node {
            Node::Literal {
                text, ignore_case, ..
            } => Some(Part::literal(text, *ignore_case)),
            Node::Range { low, high, .. } => {
                let ranges = [ClassUnicodeRange::new(*low, *high)];
                let class = Hir::class(Class::Unicode(ClassUnicode::new(ranges)));
                let expr = Expr::Chars(Box::new([(u32::from(*low), u32::from(*high))]));
                let mut part = Part::new(expr, class, 1, false);
                part.spelled = Spelled::of(node);
                Some(part)
            }
            Node::Regex(regex) => match python::read(regex) {
                Ok(hir) => {
                    let expr = expression(&hir)
                        .map_err(|finding| findings.push(finding))
                        .ok()?;
                    let lazy = is_lazy(&hir);
                    let mut part = Part::new(expr, hir, regex.source.len(), lazy);
                    part.spelled = Spelled::of(node);
                    Some(part)
                }
                Err(found) => {
                    findings.extend(found);
                    None
                }
            },
            Node::Mention(name) => {
                let index = self.definitions.terminal_named(module, &name.text)?;
                let compiled = self.compiled[index].as_ref()?;
                let expr = Expr::Automaton(compiled.language.clone());
                Some(match &compiled.pattern {
                    Some(pattern) => Part {
                        expr,
                        pattern: Some(pattern.clone()),
                        lazy: pattern.lazy,
                        spelled: compiled.spelled.clone(),
                    },
                    None => Part::opaque(expr),
                })
            }
            Node::Usage { name, .. } => {
                let message = "a terminal cannot use a template";
                findings.push(Diagnostic::error(
                    "terminal-template",
                    name.span.place(),
                    message,
                ));
                None
            }
            Node::Sequence(nodes) | Node::Choice(nodes) => {
                let mut parts = Vec::new();
                for node in nodes {
                    parts.push(self.part(node, module, findings));
                }
                let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
                Some(match node {
                    Node::Sequence(_) => Part::sequence(parts),
                    _ => Part::choice(parts),
                })
            }
            Node::Repeat { item, min, max } => {
                let part = self.part(item, module, findings)?;
                Some(part.repeat(*min, *max))
            }
            Node::Both { parts, span } => {
                let mut automata = Vec::new();
                for part in parts {
                    let part = self.part(part, module, findings);
                    automata.push(part.and_then(|part| set(part, *span, findings)));
                }
                let mut automata = automata
                    .into_iter()
                    .collect::<Option<Vec<_>>>()?
                    .into_iter();
                let first = automata.next()?;
                let all = automata.try_fold(first, |all, next| all.intersect(&next, &LIMITS));
                within_limits(all, *span, findings)
            }
            Node::Not { item, span } => {
                let part = self.part(item, module, findings)?;
                let excluded = set(part, *span, findings)?;
                within_limits(complement(&excluded), *span, findings)
            }
        }
    }

    fn finish(&mut self, part: Part, place: Span) -> Result<Compiled, Box<Diagnostic>> {
        let language = match (&part.pattern, part.lazy) {
            (Some(pattern), true) => Dfa::leftmost_first(&pattern.hir, &LIMITS),
            (None, true) => return Err(Box::new(lazy_operand(place))),
            _ => Dfa::from_expr(&part.expr, &LIMITS),
        };
        let language = language.map_err(|error| Box::new(too_large(&error, place)))?;
        self.states += language.state_count();
        if self.states > MAX_TERMINAL_STATES {
            let message =
                format!("all terminals together need more than {MAX_TERMINAL_STATES} states");
            return Err(Box::new(Diagnostic::error(
                "too-large",
                place.place(),
                message,
            )));
        }
        Ok(Compiled {
            language: Arc::new(language),
            spelled: part.spelled,
            pattern: part.pattern.filter(|pattern| pattern.size <= MAX_PATTERN),
        })
    }
}

/// What the language lacks of all texts.
pub(super) fn complement(excluded: &Dfa) -> Result<Dfa, AutomatonError> {
    let any = Expr::Chars(Box::new([ANY_CHARACTER])).star();
    Dfa::from_expr(&any, &LIMITS)?.minus(excluded, &LIMITS)
}

pub(super) fn too_large(error: &AutomatonError, place: Span) -> Diagnostic {
    Diagnostic::error("too-large", place.place(), error.to_string())
        .with_note("counted repetitions and & make automata large")
}

/// A part of a terminal: as a language, and as a pattern to be tried in order.
struct Part {
    expr: Expr,
    /// `None` where `&` and `~` leave no order of trying.
    pattern: Option<Pattern>,
    lazy: bool,
    spelled: Option<Spelled>,
}

#[derive(Clone, Debug)]
struct Pattern {
    hir: Hir,
    size: usize,
    lazy: bool,
}

impl Part {
    fn new(expr: Expr, hir: Hir, size: usize, lazy: bool) -> Self {
        Self {
            expr,
            pattern: Some(Pattern { hir, size, lazy }),
            lazy,
            spelled: None,
        }
    }

    fn opaque(expr: Expr) -> Self {
        Self {
            expr,
            pattern: None,
            lazy: false,
            spelled: None,
        }
    }

    fn literal(text: &str, ignore_case: bool) -> Self {
        let hir = match ignore_case {
            false => Hir::literal(text.as_bytes()),
            true => {
                let flags = PatternFlags {
                    ignore_case,
                    ..PatternFlags::default()
                };
                let escaped = regex_syntax::escape(text);
                read_hir(&escaped, flags).unwrap_or_else(|_| Hir::literal(text.as_bytes()))
            }
        };
        let expr = expression(&hir).unwrap_or_else(|_| Expr::literal(text));
        let mut part = Part::new(expr, hir, text.len(), false);
        part.spelled = Some(Spelled::Literal {
            text: text.to_owned(),
            ignore_case,
        });
        part
    }

    fn sequence(parts: Vec<Part>) -> Self {
        let (exprs, patterns, lazy) = unzip(parts);
        let pattern = patterns.map(|patterns| Pattern {
            size: patterns.iter().map(|pattern| pattern.size).sum::<usize>() + 1,
            hir: Hir::concat(patterns.into_iter().map(|pattern| pattern.hir).collect()),
            lazy,
        });
        Part {
            expr: Expr::Sequence(exprs),
            pattern: pattern.filter(|pattern| pattern.size <= MAX_PATTERN),
            lazy,
            spelled: None,
        }
    }

    fn choice(parts: Vec<Part>) -> Self {
        let (exprs, patterns, lazy) = unzip(parts);
        let pattern = patterns.map(|mut patterns| {
            patterns.sort_by_key(|pattern| {
                let lengths = pattern.hir.properties();
                let longest = lengths.maximum_len().unwrap_or(usize::MAX);
                std::cmp::Reverse((longest, lengths.minimum_len()))
            });
            Pattern {
                size: patterns.iter().map(|pattern| pattern.size).sum::<usize>() + 1,
                hir: Hir::alternation(patterns.into_iter().map(|pattern| pattern.hir).collect()),
                lazy,
            }
        });
        Part {
            expr: Expr::Choice(exprs),
            pattern: pattern.filter(|pattern| pattern.size <= MAX_PATTERN),
            lazy,
            spelled: None,
        }
    }

    fn repeat(self, min: u32, max: Option<u32>) -> Self {
        let lazy = self.lazy;
        Part {
            expr: Expr::Repeat {
                item: Box::new(self.expr),
                min,
                max,
            },
            pattern: self.pattern.map(|pattern| Pattern {
                hir: Hir::repetition(Repetition {
                    min,
                    max,
                    greedy: true,
                    sub: Box::new(pattern.hir),
                }),
                size: pattern.size + 1,
                lazy,
            }),
            lazy,
            spelled: None,
        }
    }
}

fn unzip(parts: Vec<Part>) -> (Vec<Expr>, Option<Vec<Pattern>>, bool) {
    let lazy = parts.iter().any(|part| part.lazy);
    let mut exprs = Vec::new();
    let mut patterns = Some(Vec::new());
    for part in parts {
        exprs.push(part.expr);
        match (&mut patterns, part.pattern) {
            (Some(patterns), Some(pattern)) => patterns.push(pattern),
            _ => patterns = None,
        }
    }
    (exprs, patterns, lazy)
}

/// An operand of `&` or `~`.
fn set(part: Part, span: Span, findings: &mut Vec<Diagnostic>) -> Option<Dfa> {
    if part.lazy {
        findings.push(lazy_operand(span));
        return None;
    }
    Dfa::from_expr(&part.expr, &LIMITS)
        .map_err(|error| findings.push(too_large(&error, span)))
        .ok()
}

fn within_limits(
    made: Result<Dfa, AutomatonError>,
    span: Span,
    findings: &mut Vec<Diagnostic>,
) -> Option<Part> {
    match made {
        Ok(dfa) => Some(Part::opaque(Expr::Automaton(Arc::new(dfa)))),
        Err(error) => {
            findings.push(too_large(&error, span));
            None
        }
    }
}

fn lazy_operand(span: Span) -> Diagnostic {
    let message =
        "a lazy quantifier cannot stand together with & or ~, nor in a very large pattern";
    Diagnostic::error("lazy-operand", span.place(), message)
        .with_note("which texts match then depends on what follows; write a class such as [^\"]*")
}

fn is_lazy(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            let varies = repetition.max != Some(repetition.min);
            (varies && !repetition.greedy) || is_lazy(&repetition.sub)
        }
        HirKind::Capture(capture) => is_lazy(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(is_lazy),
        _ => false,
    }
}

fn for_each_mention(node: &Node, visit: &mut dyn FnMut(&Name)) {
    match node {
        Node::Mention(name) => visit(name),
        Node::Sequence(nodes) | Node::Choice(nodes) | Node::Both { parts: nodes, .. } => {
            nodes.iter().for_each(|node| for_each_mention(node, visit));
        }
        Node::Repeat { item, .. } | Node::Not { item, .. } => for_each_mention(item, visit),
        Node::Literal { .. } | Node::Regex(_) | Node::Range { .. } | Node::Usage { .. } => {}
    }
}

/// What is wrong with a name in a terminal that is no terminal's.
fn unknown(definitions: &Definitions, name: &Name, complete: bool) -> Option<Diagnostic> {
    let place = name.span.place();
    if !name.is_terminal() {
        let message = format!("a terminal cannot mention a rule, such as {}", name.text);
        let finding = Diagnostic::error("rule-in-terminal", place, message);
        let known = definitions.rule_named(&name.text).is_some();
        return Some(match known {
            true => finding.with_note("make the rule a terminal, or this terminal a rule"),
            false => finding,
        });
    }
    let message = format!("there is no terminal named {}", name.text);
    complete.then(|| Diagnostic::error("unknown-terminal", place, message))
}

/// The terminals in an order in which references point back; those that refer
/// to themselves are reported and left out.
fn order(
    references: &[Vec<usize>],
    definitions: &Definitions,
    findings: &mut Vec<Diagnostic>,
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Fresh,
        Open,
        Done,
    }
    let mut marks = vec![Mark::Fresh; references.len()];
    let (mut order, mut cyclic) = (Vec::new(), vec![false; references.len()]);
    for root in 0..references.len() {
        if marks[root] != Mark::Fresh {
            continue;
        }
        marks[root] = Mark::Open;
        let mut path = vec![(root, 0)];
        while let Some(&mut (index, ref mut next)) = path.last_mut() {
            let Some(&to) = references[index].get(*next) else {
                marks[index] = Mark::Done;
                path.pop();
                if !cyclic[index] {
                    order.push(index);
                }
                continue;
            };
            *next += 1;
            match marks[to] {
                Mark::Done => {}
                Mark::Fresh => {
                    marks[to] = Mark::Open;
                    path.push((to, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|&(at, _)| at == to).unwrap_or(0);
                    let cycle: Vec<usize> = path[from..].iter().map(|&(at, _)| at).collect();
                    cycle.iter().for_each(|&at| cyclic[at] = true);
                    findings.push(recursion(&cycle, definitions));
                }
            }
        }
    }
    order
}

fn recursion(cycle: &[usize], definitions: &Definitions) -> Diagnostic {
    let name = |index: usize| &definitions.terminals[index].name;
    let names: Vec<&str> = cycle
        .iter()
        .take(8)
        .map(|&at| name(at).text.as_str())
        .collect();
    let message = format!(
        "a terminal cannot refer to itself: {} → {}{}",
        names.join(" → "),
        if cycle.len() > names.len() {
            "… → "
        } else {
            ""
        },
        names[0]
    );
    Diagnostic::error("recursive-terminal", name(cycle[0]).span.place(), message)
        .with_note("only rules may be recursive; rules have names in small letters")
}
