//! From definitions of rules to the shared grammar.
//!
//! A template becomes a rule for each list of arguments that it is used with.
//! Arguments are rules and terminals by then, so an instance is as large as its
//! template, and their number is bounded.

use rustc_hash::FxHashMap;

use super::ast::{Name, Node, Span};
use super::definitions::Definitions;
use super::lexicon::Candidates;
use super::{MAX_INSTANCES, Options};
use crate::analysis;
use crate::{Diagnostic, Expr, Grammar, Linted, Rule, RuleId, TerminalId};

/// What a template's parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Argument {
    Rule(RuleId),
    Terminal(TerminalId),
    /// A template, to be used with arguments of its own.
    Template(usize),
    /// Something wrong, which has been said.
    Nothing,
}

type Bindings = FxHashMap<String, Argument>;

pub(super) struct Lowering<'a, 'f> {
    definitions: &'a Definitions,
    candidates: Candidates<'a>,
    complete: bool,
    findings: &'f mut Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    rules: Vec<Rule>,
    /// Where each rule is defined.
    places: Vec<Span>,
    /// The id of each definition that is no template.
    plain: Vec<Option<RuleId>>,
    instances: FxHashMap<(usize, Vec<Argument>), RuleId>,
    /// Instances whose bodies are still to be lowered.
    work: Vec<(RuleId, usize, Bindings)>,
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn new(
        definitions: &'a Definitions,
        candidates: Candidates<'a>,
        complete: bool,
        findings: &'f mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            definitions,
            candidates,
            complete,
            findings,
            warnings: Vec::new(),
            rules: Vec::new(),
            places: Vec::new(),
            plain: vec![None; definitions.rules.len()],
            instances: FxHashMap::default(),
            work: Vec::new(),
        }
    }

    /// The grammar without its constraint, with the terminals that are slots
    /// (and the numbers of their definitions); `None` where something is wrong,
    /// which goes to the findings.
    pub(super) fn grammar(
        mut self,
        options: &Options,
        text_length: usize,
    ) -> Option<(Linted, Vec<(TerminalId, usize)>)> {
        self.ignored();
        for (index, definition) in self.definitions.rules.iter().enumerate() {
            if definition.parameters.is_empty() {
                let name = definition.name.text.clone();
                let id = self.add(name, definition.name.span);
                self.plain[index] = Some(id);
                self.work.push((id, index, Bindings::default()));
            }
            for parameter in &definition.parameters {
                if self.definitions.rule_named(&parameter.text).is_some() {
                    let message = format!("{} is the name of a rule too", parameter.text);
                    let place = parameter.span.place();
                    self.findings
                        .push(Diagnostic::error("bad-parameter", place, message));
                }
            }
        }
        // In the order of the text, so that nameless terminals are numbered so.
        self.work.reverse();
        while let Some((id, index, bindings)) = self.work.pop() {
            let bodies = &self.definitions.rules[index].bodies;
            let mut lowered: Vec<Expr> = bodies
                .iter()
                .map(|body| self.expression(body, &bindings))
                .collect();
            self.rules[id.0 as usize].body = match lowered.len() {
                1 => lowered.remove(0),
                _ => Expr::Choice(lowered),
            };
        }
        let start = self.start(options, text_length);
        let start = start.filter(|_| self.findings.is_empty())?;
        self.settle(start)
    }

    fn ignored(&mut self) {
        for body in &self.definitions.ignored {
            let found = match body {
                Node::Mention(name) if name.is_terminal() => {
                    self.candidates.named(name, self.complete, self.findings)
                }
                _ => {
                    let span = span_of(body);
                    self.candidates
                        .nameless(body, span, self.complete, self.findings)
                }
            };
            if let Some(id) = found {
                self.candidates.ignore(id);
            }
        }
    }

    fn start(&mut self, options: &Options, text_length: usize) -> Option<RuleId> {
        let index = self.definitions.rule_named(&options.start);
        let id = index.and_then(|index| self.plain[index]);
        if id.is_none() && self.complete {
            let place = match index {
                Some(index) => self.definitions.rules[index].name.span,
                None => Span {
                    start: 0,
                    end: text_length,
                },
            };
            let message = match index {
                Some(_) => format!("{} is a template", options.start),
                None => format!("there is no rule named {}", options.start),
            };
            self.findings.push(
                Diagnostic::error("missing-start", place.place(), message).with_note(format!(
                    "a whole text must match the rule {}",
                    options.start
                )),
            );
        }
        id
    }

    fn expression(&mut self, node: &Node, bindings: &Bindings) -> Expr {
        match node {
            Node::Literal { span, .. } | Node::Range { span, .. } => self.nameless(node, *span),
            Node::Regex(_) => self.nameless(node, span_of(node)),
            Node::Mention(_) | Node::Usage { .. } => match self.argument(node, bindings) {
                Argument::Rule(id) => Expr::Rule(id),
                Argument::Terminal(id) => self.terminal(id, span_of(node)),
                Argument::Template(index) => {
                    let name = &self.definitions.rules[index].name.text;
                    let message = format!("{name} is a template and needs arguments");
                    let place = span_of(node).place();
                    self.findings
                        .push(Diagnostic::error("bad-arguments", place, message));
                    Expr::never()
                }
                Argument::Nothing => Expr::never(),
            },
            Node::Sequence(nodes) => Expr::Sequence(
                nodes
                    .iter()
                    .map(|node| self.expression(node, bindings))
                    .collect(),
            ),
            Node::Choice(nodes) => Expr::Choice(
                nodes
                    .iter()
                    .map(|node| self.expression(node, bindings))
                    .collect(),
            ),
            Node::Repeat { item, min, max } => Expr::Repeat {
                item: Box::new(self.expression(item, bindings)),
                min: *min,
                max: *max,
            },
            Node::Both { span, .. } | Node::Not { span, .. } => {
                let message = "& and ~ join terminals, and this is a rule";
                let finding = Diagnostic::error("operator-in-rule", span.place(), message);
                self.findings
                    .push(finding.with_note("define a terminal, with a name in capitals"));
                Expr::never()
            }
        }
    }

    fn nameless(&mut self, node: &Node, span: Span) -> Expr {
        let found = self
            .candidates
            .nameless(node, span, self.complete, self.findings);
        found.map_or(Expr::never(), |id| self.terminal(id, span))
    }

    /// Lexemes of ignored terminals never reach the rules.
    fn terminal(&mut self, id: TerminalId, span: Span) -> Expr {
        if !self.candidates.is_ignored(id) {
            return Expr::Terminal(id);
        }
        let name = self.candidates.name(id);
        let message = format!("{name} is ignored, so it cannot be matched here");
        let finding = Diagnostic::warning("ignored-in-rule", span.place(), message);
        self.warnings.push(
            finding.with_note("ignore what is not part of it, or give this a terminal of its own"),
        );
        Expr::never()
    }

    /// What a name or the use of a template stands for.
    fn argument(&mut self, node: &Node, bindings: &Bindings) -> Argument {
        match node {
            Node::Mention(name) => match bindings.get(&name.text) {
                Some(bound) => bound.clone(),
                None if name.is_terminal() => {
                    let found = self.candidates.named(name, self.complete, self.findings);
                    found.map_or(Argument::Nothing, Argument::Terminal)
                }
                None => match self.definitions.rule_named(&name.text) {
                    Some(index) => {
                        self.plain[index].map_or(Argument::Template(index), Argument::Rule)
                    }
                    None => self.unknown_rule(name),
                },
            },
            Node::Usage { name, arguments } => {
                let index = match bindings.get(&name.text) {
                    Some(Argument::Template(index)) => *index,
                    Some(Argument::Nothing) => return Argument::Nothing,
                    Some(_) => return self.wrong_arguments(name, 0, arguments.len()),
                    None => match self.definitions.rule_named(&name.text) {
                        Some(index) => index,
                        None => return self.unknown_rule(name),
                    },
                };
                let parameters = &self.definitions.rules[index].parameters;
                if parameters.len() != arguments.len() {
                    return self.wrong_arguments(name, parameters.len(), arguments.len());
                }
                let arguments: Vec<Argument> = arguments
                    .iter()
                    .map(|argument| self.argument(argument, bindings))
                    .collect();
                self.instance(index, arguments, name)
            }
            Node::Literal { .. } | Node::Range { .. } | Node::Regex(_) => {
                let span = span_of(node);
                let found = self
                    .candidates
                    .nameless(node, span, self.complete, self.findings);
                found.map_or(Argument::Nothing, Argument::Terminal)
            }
            // A group: a rule without a name.
            Node::Sequence(_) | Node::Choice(_) | Node::Repeat { .. } => {
                let body = self.expression(node, bindings);
                let id = self.add("()".to_owned(), span_of(node));
                self.rules[id.0 as usize].body = body;
                Argument::Rule(id)
            }
            Node::Both { .. } | Node::Not { .. } => {
                self.expression(node, bindings);
                Argument::Nothing
            }
        }
    }

    fn instance(&mut self, index: usize, arguments: Vec<Argument>, used: &Name) -> Argument {
        let definitions = self.definitions;
        let template = &definitions.rules[index];
        let key = (index, arguments);
        if let Some(&known) = self.instances.get(&key) {
            return Argument::Rule(known);
        }
        if self.instances.len() >= MAX_INSTANCES {
            if self.instances.len() == MAX_INSTANCES {
                let message = format!("templates make more than {MAX_INSTANCES} rules");
                let finding = Diagnostic::error("too-large", used.span.place(), message);
                self.findings.push(
                    finding.with_note(
                        "a template that uses itself with ever new arguments has no end",
                    ),
                );
                self.instances.insert(key, RuleId(0));
            }
            return Argument::Nothing;
        }
        let shown: Vec<String> = key.1.iter().map(|argument| self.shown(argument)).collect();
        let mut name = format!("{}{{{}}}", template.name.text, shown.join(","));
        if name.len() > 100 {
            name = format!("{}{{…}}", template.name.text);
        }
        let id = self.add(name, template.name.span);
        let names = template.parameters.iter().map(|name| name.text.clone());
        let bindings = std::iter::zip(names, key.1.iter().cloned()).collect();
        self.work.push((id, index, bindings));
        self.instances.insert(key, id);
        Argument::Rule(id)
    }

    fn shown(&self, argument: &Argument) -> String {
        match argument {
            Argument::Rule(id) => self.rules[id.0 as usize].name.clone(),
            Argument::Terminal(id) => self.candidates.name(*id).to_owned(),
            Argument::Template(index) => self.definitions.rules[*index].name.text.clone(),
            Argument::Nothing => String::new(),
        }
    }

    fn add(&mut self, name: String, place: Span) -> RuleId {
        let body = Expr::never();
        self.places.push(place);
        self.rules.push(Rule { name, body });
        RuleId(self.rules.len() as u32 - 1)
    }

    fn unknown_rule(&mut self, name: &Name) -> Argument {
        if self.complete {
            let message = format!("there is no rule named {}", name.text);
            let place = name.span.place();
            self.findings
                .push(Diagnostic::error("unknown-rule", place, message));
        }
        Argument::Nothing
    }

    fn wrong_arguments(&mut self, name: &Name, wanted: usize, given: usize) -> Argument {
        let message = format!(
            "{} takes {wanted} arguments and is given {given}",
            name.text
        );
        let place = name.span.place();
        self.findings
            .push(Diagnostic::error("bad-arguments", place, message));
        Argument::Nothing
    }

    /// Drops what the start rule does not lead to, and orders the terminals.
    fn settle(mut self, start: RuleId) -> Option<(Linted, Vec<(TerminalId, usize)>)> {
        let whole = Grammar::new(std::mem::take(&mut self.rules), start);
        let reachable = analysis::reachable(&whole);
        let productive = analysis::productive(&whole);
        for (index, definition) in self.definitions.rules.iter().enumerate() {
            let (name, place) = (&definition.name.text, definition.name.span.place());
            let used = match self.plain[index] {
                Some(id) => reachable[id.0 as usize],
                None => self
                    .instances
                    .iter()
                    .any(|((template, _), id)| *template == index && reachable[id.0 as usize]),
            };
            if !used {
                let message = format!("nothing that the start rule leads to uses {name}");
                self.warnings
                    .push(Diagnostic::warning("unreachable-rule", place, message));
            } else if self.plain[index].is_some_and(|id| id != start && !productive[id.0 as usize])
            {
                let message = format!("no text matches {name}");
                self.warnings.push(
                    Diagnostic::warning("unproductive-rule", place, message)
                        .with_note("it needs itself, or what is ignored, in every alternative"),
                );
            }
        }
        self.candidates.unused(&mut self.warnings);
        if !productive[start.0 as usize] {
            let definition = self.definitions.rules.iter().enumerate();
            let span = definition
                .filter(|(index, _)| self.plain[*index] == Some(start))
                .map(|(_, rule)| rule.name.span)
                .next()
                .unwrap_or(Span { start: 0, end: 0 });
            let message = "no text belongs to this grammar";
            self.findings.push(
                Diagnostic::error("empty-language", span.place(), message)
                    .with_note("some rule needs itself, or what is ignored, in every alternative"),
            );
            return None;
        }
        let mut used = vec![false; self.candidates.len()];
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        let mut ids = vec![RuleId(0); whole.rules.len()];
        for (index, rule) in whole.rules.into_iter().enumerate() {
            if reachable[index] {
                ids[index] = RuleId(kept.len() as u32);
                for_each_terminal(&rule.body, &mut |id| used[id.0 as usize] = true);
                kept.push(rule);
                places.push(self.places[index].place());
            }
        }
        let settled = self.candidates.settle(&used, &mut self.warnings);
        for rule in &mut kept {
            renumber(&mut rule.body, &ids, &settled.ids);
        }
        let mut grammar = Grammar::new(kept, ids[start.0 as usize]);
        grammar.lexicon = Some(settled.lexicon);
        let linted = Linted {
            grammar,
            warnings: self.warnings,
            places,
            terminals: settled.places,
        };
        Some((linted, settled.slots))
    }
}

fn for_each_terminal(expr: &Expr, visit: &mut dyn FnMut(TerminalId)) {
    match expr {
        Expr::Terminal(id) => visit(*id),
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            parts.iter().for_each(|part| for_each_terminal(part, visit));
        }
        Expr::Repeat { item, .. } => for_each_terminal(item, visit),
        Expr::Interleave(interleave) => {
            let forms = interleave.forms();
            forms.for_each(|form| for_each_terminal(form, visit));
        }
        _ => {}
    }
}

fn renumber(expr: &mut Expr, rules: &[RuleId], terminals: &[Option<TerminalId>]) {
    match expr {
        Expr::Rule(id) => *id = rules[id.0 as usize],
        Expr::Terminal(id) => {
            if let Some(settled) = terminals[id.0 as usize] {
                *id = settled;
            }
        }
        Expr::Sequence(parts) | Expr::Choice(parts) => parts
            .iter_mut()
            .for_each(|part| renumber(part, rules, terminals)),
        Expr::Repeat { item, .. } => renumber(item, rules, terminals),
        Expr::Interleave(interleave) => {
            for form in interleave.forms_mut() {
                renumber(form, rules, terminals);
            }
        }
        Expr::Literal(_) | Expr::Chars(_) | Expr::Automaton(_) | Expr::Counted(_) => {}
    }
}

/// Where a node stands.
pub(super) fn span_of(node: &Node) -> Span {
    // An empty alternative stands nowhere.
    let over = |nodes: &[Node]| {
        let spans = nodes.iter().map(span_of);
        let spans = spans.filter(|span| span.end > span.start);
        let whole = spans.reduce(|whole, span| Span {
            start: whole.start,
            end: span.end,
        });
        whole.unwrap_or(Span { start: 0, end: 0 })
    };
    match node {
        Node::Literal { span, .. }
        | Node::Range { span, .. }
        | Node::Both { span, .. }
        | Node::Not { span, .. } => *span,
        Node::Regex(regex) => Span {
            start: regex.start - 1,
            end: regex.start + regex.source.len() + 1,
        },
        Node::Mention(name) | Node::Usage { name, .. } => name.span,
        Node::Sequence(nodes) | Node::Choice(nodes) => over(nodes),
        Node::Repeat { item, .. } => span_of(item),
    }
}
