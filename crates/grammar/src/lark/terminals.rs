//! From definitions of terminals to automata.
//!
//! Terminals are compiled in an order in which none comes before what it refers
//! to, each once; a reference is then a finished automaton. A terminal in which
//! a lazy quantifier stands, itself or in what it refers to, is read as
//! [`Dfa::leftmost_first`] has it, with alternatives in Lark's order: those that
//! can be longer first.

use std::cell::Cell;
use std::sync::Arc;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use super::ast::{Flags, Node, Span};
use super::definitions::{Definitions, Module, slot_in_terminal};
use super::{LIMITS, MAX_TERMINAL_STATES, python, references};
use crate::automaton::{AutomatonError, Dfa};
use crate::characters::ANY_CHARACTER;
use crate::regex::{PatternFlags, expression, read_hir};
use crate::{Diagnostic, Expr};

/// Most nodes of all patterns that are tried as a backtracking matcher would.
const MAX_PATTERN_NODES: usize = 1_000_000;
/// Deepest such pattern, with what it refers to.
const MAX_PATTERN_DEPTH: usize = 400;

/// A terminal's language, and what else must be known of it.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub language: Arc<Dfa>,
    /// What it is, if it is no more than that.
    pub spelled: Option<Spelled>,
    lazy: bool,
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
    /// States of all automata made so far, those of operands too.
    states: Cell<usize>,
    /// Nodes of patterns made so far.
    tried: usize,
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
            states: Cell::new(0),
            tried: 0,
        };
        let references = references::collect(definitions, complete, findings);
        for &index in references.iter().flatten() {
            terminals.referred_to[index] = true;
        }
        for index in references::order(&references, definitions, findings) {
            let definition = &definitions.terminals[index];
            if definition.slot.is_some() {
                continue;
            }
            let bodies = definition.bodies.iter();
            let bodies: Vec<_> = bodies.map(|(module, body)| (*module, &**body)).collect();
            let found = terminals.language(&bodies, definition.name.span, findings);
            terminals.compiled[index] = found;
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
        references::for_each_mention(body, &mut |name| match definitions
            .terminal_named(Module::Own, &name.text)
        {
            Some(index) if definitions.terminals[index].slot.is_some() => {
                self.referred_to[index] = true;
                findings.push(*slot_in_terminal(name));
            }
            Some(index) => self.referred_to[index] = true,
            None => findings.extend(references::unknown(definitions, name, complete)),
        });
        self.language(&[(Module::Own, body)], place, findings)
    }

    /// Any of `bodies`.
    fn language(
        &mut self,
        bodies: &[(Module, &Node)],
        place: Span,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Compiled> {
        if self.states.get() > MAX_TERMINAL_STATES {
            // It has been said before; more would take time.
            return None;
        }
        let mut parts = Vec::new();
        for (module, body) in bodies {
            parts.push(self.part(body, *module, findings));
        }
        let mut parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        let part = match parts.len() {
            1 => parts.remove(0),
            _ => Part::joined(parts, Expr::Choice),
        };
        let finished = self.finish(part, bodies, place);
        finished.map_err(|finding| findings.push(*finding)).ok()
    }

    /// `None` if something in it is wrong and has been said to be.
    fn part(&self, node: &Node, module: Module, findings: &mut Vec<Diagnostic>) -> Option<Part> {
        match node {
            Node::Literal { .. } | Node::Range { .. } | Node::Regex(_) => {
                let hir = leaf(node).map_err(|found| findings.extend(found)).ok()?;
                let expr = expression(&hir).map_err(|finding| findings.push(finding));
                Some(Part {
                    expr: expr.ok()?,
                    lazy: is_lazy(&hir),
                    spelled: Spelled::of(node),
                })
            }
            Node::Mention(name) => {
                let index = self.definitions.terminal_named(module, &name.text)?;
                let compiled = self.compiled[index].as_ref()?;
                Some(Part {
                    expr: Expr::Automaton(compiled.language.clone()),
                    lazy: compiled.lazy,
                    spelled: compiled.spelled.clone(),
                })
            }
            Node::Usage { name, .. } => {
                let message = "a terminal cannot use a template";
                let place = name.span.place();
                findings.push(Diagnostic::error("terminal-template", place, message));
                None
            }
            Node::Sequence(nodes) | Node::Choice(nodes) => {
                let parts: Vec<Option<Part>> = nodes
                    .iter()
                    .map(|node| self.part(node, module, findings))
                    .collect();
                let join = match node {
                    Node::Sequence(_) => Expr::Sequence,
                    _ => Expr::Choice,
                };
                let parts = parts.into_iter().collect::<Option<_>>()?;
                Some(Part::joined(parts, join))
            }
            Node::Repeat { item, min, max } => {
                let part = self.part(item, module, findings)?;
                let expr = Expr::Repeat {
                    item: Box::new(part.expr),
                    min: *min,
                    max: *max,
                };
                Some(Part {
                    lazy: part.lazy,
                    ..Part::plain(expr)
                })
            }
            Node::Both { parts, span } => {
                let mut all: Option<Dfa> = None;
                for part in parts {
                    let next = self.operand(part, module, *span, findings)?;
                    all = Some(match all {
                        None => next,
                        Some(all) => {
                            let product = all.intersect(&next, &LIMITS);
                            let product = self.counted(product, *span);
                            product.map_err(|finding| findings.push(*finding)).ok()?
                        }
                    });
                }
                all.map(Part::automaton)
            }
            Node::Not { item, span } => {
                let excluded = self.operand(item, module, *span, findings)?;
                let rest = self.counted(complement(&excluded), *span);
                let rest = rest.map_err(|finding| findings.push(*finding));
                rest.ok().map(Part::automaton)
            }
        }
    }

    /// An operand of `&` or `~`.
    fn operand(
        &self,
        node: &Node,
        module: Module,
        span: Span,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Dfa> {
        let part = self.part(node, module, findings)?;
        if part.lazy {
            findings.push(lazy_operand(span));
            return None;
        }
        let made = self.counted(Dfa::from_expr(&part.expr, &LIMITS), span);
        made.map_err(|finding| findings.push(*finding)).ok()
    }

    fn finish(
        &mut self,
        part: Part,
        bodies: &[(Module, &Node)],
        place: Span,
    ) -> Result<Compiled, Box<Diagnostic>> {
        let language = match part.lazy {
            true => Dfa::leftmost_first(&self.pattern(bodies, 0, place)?, &LIMITS),
            false => Dfa::from_expr(&part.expr, &LIMITS),
        };
        let language = self.counted(language, place)?;
        Ok(Compiled {
            language: Arc::new(language),
            spelled: part.spelled,
            lazy: part.lazy,
        })
    }

    /// An automaton within the limits, counted among all.
    pub(super) fn counted(
        &self,
        made: Result<Dfa, AutomatonError>,
        place: Span,
    ) -> Result<Dfa, Box<Diagnostic>> {
        let states = self.states.get();
        let message = match made {
            Ok(dfa) if states + dfa.state_count() <= MAX_TERMINAL_STATES => {
                self.states.set(states + dfa.state_count());
                return Ok(dfa);
            }
            Ok(_) => format!("all terminals together need more than {MAX_TERMINAL_STATES} states"),
            Err(error) => error.to_string(),
        };
        // What failed was costly too: nothing more is made.
        self.states.set(MAX_TERMINAL_STATES + 1);
        let finding = Diagnostic::error("too-large", place.place(), message);
        Err(Box::new(
            finding.with_note("counted repetitions and & make automata large"),
        ))
    }

    /// What a backtracking matcher would try, references replaced by what they
    /// mean: any of `bodies`, in Lark's order.
    fn pattern(
        &mut self,
        bodies: &[(Module, &Node)],
        depth: usize,
        place: Span,
    ) -> Result<Hir, Box<Diagnostic>> {
        self.tried += 1;
        if depth > MAX_PATTERN_DEPTH || self.tried > MAX_PATTERN_NODES {
            let message = "with what it refers to, this terminal is too large to hold lazy \
                           quantifiers";
            let finding = Diagnostic::error("too-large", place.place(), message);
            return Err(Box::new(
                finding.with_note("write a class such as [^\"]* in their place"),
            ));
        }
        if let [(module, node)] = *bodies {
            return self.pattern_of(node, module, depth + 1, place);
        }
        let mut alternatives = Vec::new();
        for &(module, body) in bodies {
            alternatives.push(self.pattern_of(body, module, depth + 1, place)?);
        }
        alternatives.sort_by_key(|alternative| std::cmp::Reverse(characters(alternative)));
        Ok(Hir::alternation(alternatives))
    }

    fn pattern_of(
        &mut self,
        node: &Node,
        module: Module,
        depth: usize,
        place: Span,
    ) -> Result<Hir, Box<Diagnostic>> {
        match node {
            Node::Choice(nodes) => {
                let bodies: Vec<_> = nodes.iter().map(|node| (module, node)).collect();
                self.pattern(&bodies, depth, place)
            }
            Node::Sequence(nodes) => {
                let mut parts = Vec::new();
                for node in nodes {
                    parts.push(self.pattern(&[(module, node)], depth, place)?);
                }
                Ok(Hir::concat(parts))
            }
            Node::Repeat { item, min, max } => Ok(Hir::repetition(Repetition {
                min: *min,
                max: *max,
                greedy: true,
                sub: Box::new(self.pattern(&[(module, item)], depth, place)?),
            })),
            Node::Mention(name) => {
                let definitions = self.definitions;
                let index = definitions.terminal_named(module, &name.text);
                let bodies = index.map(|index| definitions.terminals[index].bodies.iter());
                let bodies = bodies.into_iter().flatten();
                let bodies: Vec<_> = bodies.map(|(module, body)| (*module, &**body)).collect();
                self.pattern(&bodies, depth, place)
            }
            Node::Both { span, .. } | Node::Not { span, .. } => {
                // A reference may lead into an imported or another definition.
                let span = if module == Module::Own { *span } else { place };
                Err(Box::new(lazy_operand(span)))
            }
            // What is wrong with these has been said before.
            _ => Ok(leaf(node).unwrap_or_else(|_| Hir::fail())),
        }
    }
}

/// The most and the fewest characters of what a pattern matches; of what has no bound as many as
/// there can be.
fn characters(pattern: &Hir) -> (u32, u32) {
    let (parts, is_choice) = match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => return (0, 0),
        HirKind::Class(_) => return (1, 1),
        HirKind::Literal(literal) => {
            let begins = literal.0.iter().filter(|byte| **byte & 0xC0 != 0x80);
            let count = begins.count() as u32;
            return (count, count);
        }
        HirKind::Repetition(repetition) => {
            let (most, fewest) = characters(&repetition.sub);
            let turns = repetition.max.unwrap_or(u32::MAX);
            return (
                most.saturating_mul(turns),
                fewest.saturating_mul(repetition.min),
            );
        }
        HirKind::Capture(capture) => return characters(&capture.sub),
        HirKind::Concat(parts) => (parts, false),
        HirKind::Alternation(parts) => (parts, true),
    };
    let mut found = parts.iter().map(characters);
    let first = found.next().unwrap_or_default();
    found.fold(first, |(most, fewest), (more, fewer)| match is_choice {
        true => (most.max(more), fewest.min(fewer)),
        false => (most.saturating_add(more), fewest.saturating_add(fewer)),
    })
}

/// What a literal, a range or a regular expression matches.
fn leaf(node: &Node) -> Result<Hir, Vec<Diagnostic>> {
    match node {
        Node::Literal {
            text, ignore_case, ..
        } => {
            let flags = PatternFlags {
                ignore_case: *ignore_case,
                ..PatternFlags::default()
            };
            read_hir(&regex_syntax::escape(text), flags)
        }
        Node::Range { low, high, .. } => {
            let range = ClassUnicodeRange::new(*low, *high);
            Ok(Hir::class(Class::Unicode(ClassUnicode::new([range]))))
        }
        Node::Regex(regex) => python::read(regex),
        _ => Ok(Hir::fail()),
    }
}

/// What the language lacks of all texts.
pub(super) fn complement(excluded: &Dfa) -> Result<Dfa, AutomatonError> {
    let any = Expr::Chars(Box::new([ANY_CHARACTER])).star();
    Dfa::from_expr(&any, &LIMITS)?.minus(excluded, &LIMITS)
}

/// A part of a terminal.
struct Part {
    expr: Expr,
    /// Whether a lazy quantifier stands in it.
    lazy: bool,
    spelled: Option<Spelled>,
}

impl Part {
    fn plain(expr: Expr) -> Self {
        Self {
            expr,
            lazy: false,
            spelled: None,
        }
    }

    fn automaton(dfa: Dfa) -> Self {
        Self::plain(Expr::Automaton(Arc::new(dfa)))
    }

    fn joined(parts: Vec<Part>, join: fn(Vec<Expr>) -> Expr) -> Self {
        let lazy = parts.iter().any(|part| part.lazy);
        let exprs = parts.into_iter().map(|part| part.expr).collect();
        Self {
            lazy,
            ..Self::plain(join(exprs))
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
