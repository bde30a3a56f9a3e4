//! Who is called what: definitions, imports, overrides and extensions.
//!
//! A body is kept together with the module whose names it uses, so that an
//! imported terminal means the same whatever the importing grammar defines.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::ast::{Definition, How, Import, Item, Name, Node, SlotWay, Span};
use super::parser;
use crate::Diagnostic;

/// What `%import common.NAME` brings. The names are Lark's; the definitions are written so
/// that the longest match is the one meant, without looking around. Strings and comments
/// end at the first of what ends them that is not escaped.
const COMMON: &str = include_str!("common.lark");

/// Whose names a body uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Module {
    /// The grammar itself.
    Own,
    /// What `%import common.…` brings.
    Common,
}

/// A terminal as defined, not yet compiled.
#[derive(Debug)]
pub(super) struct TerminalDefinition {
    pub name: Name,
    pub module: Module,
    pub priority: i32,
    /// Any of these.
    pub bodies: Vec<(Module, Rc<Node>)>,
    /// For what `%slot` names, which has no body: how its values are written.
    pub slot: Option<Vec<SlotWay>>,
}

/// A rule, or a template of rules.
#[derive(Debug)]
pub(super) struct RuleDefinition {
    pub name: Name,
    pub parameters: Vec<Name>,
    /// Any of these.
    pub bodies: Vec<Node>,
}

/// `%constrain` or `%forbid`.
#[derive(Debug)]
pub(super) struct Constraint {
    pub forbidden: bool,
    pub body: Node,
    pub span: Span,
}

/// All that a grammar text defines.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub terminals: Vec<TerminalDefinition>,
    pub rules: Vec<RuleDefinition>,
    pub ignored: Vec<Node>,
    pub constraints: Vec<Constraint>,
    terminal_names: FxHashMap<(Module, String), usize>,
    rule_names: FxHashMap<String, usize>,
}

impl Definitions {
    /// What is wrong goes to `findings`.
    pub(super) fn collect(items: Vec<Item>, findings: &mut Vec<Diagnostic>) -> Self {
        let mut definitions = Self::default();
        for item in items {
            match item {
                Item::Definition { how, definition } => {
                    let defined = match definition.name.is_terminal() {
                        true => definitions.terminal(how, definition, Module::Own),
                        false => definitions.rule(how, definition),
                    };
                    findings.extend(defined.err().map(|finding| *finding));
                }
                Item::Ignore(body) => definitions.ignored.push(body),
                Item::Slot {
                    name,
                    priority,
                    ways,
                } => {
                    let defined = definitions.slot(name, priority, ways);
                    findings.extend(defined.err().map(|finding| *finding));
                }
                Item::Constraint {
                    forbidden,
                    body,
                    span,
                } => definitions.constraints.push(Constraint {
                    forbidden,
                    body,
                    span,
                }),
                Item::Import { module, names } if module.text == "common" => {
                    definitions.load_common();
                    for import in names {
                        let imported = definitions.import(import);
                        findings.extend(imported.err().map(|finding| *finding));
                    }
                }
                Item::Import { module, .. } => {
                    let message = format!("there is no module {}", module.text);
                    findings.push(
                        Diagnostic::error("unknown-module", module.span.place(), message)
                            .with_note("the only module is common; copy other definitions"),
                    );
                }
            }
        }
        definitions
    }

    pub(super) fn terminal_named(&self, module: Module, name: &str) -> Option<usize> {
        self.terminal_names.get(&(module, name.to_owned())).copied()
    }

    pub(super) fn rule_named(&self, name: &str) -> Option<usize> {
        self.rule_names.get(name).copied()
    }

    fn terminal(
        &mut self,
        how: How,
        definition: Definition,
        module: Module,
    ) -> Result<(), Box<Diagnostic>> {
        let Definition {
            name,
            priority,
            body,
            ..
        } = definition;
        let known = self.terminal_named(module, &name.text);
        match (known, how) {
            (None, How::New) => {
                self.add_terminal(TerminalDefinition {
                    name,
                    module,
                    priority,
                    bodies: vec![(module, Rc::new(body))],
                    slot: None,
                });
            }
            (Some(index), How::Override) => {
                let terminal = &mut self.terminals[index];
                terminal.slot = None;
                terminal.priority = priority;
                terminal.bodies = vec![(module, Rc::new(body))];
            }
            (Some(index), How::Extend) if self.terminals[index].slot.is_some() => {
                return Err(slot_in_terminal(&name));
            }
            (Some(index), How::Extend) => self.terminals[index]
                .bodies
                .insert(0, (module, Rc::new(body))),
            (known, _) => return Err(misplaced(&name, known.is_some())),
        }
        Ok(())
    }

    fn slot(
        &mut self,
        name: Name,
        priority: i32,
        ways: Vec<SlotWay>,
    ) -> Result<(), Box<Diagnostic>> {
        if self.terminal_named(Module::Own, &name.text).is_some() {
            return Err(misplaced(&name, true));
        }
        self.add_terminal(TerminalDefinition {
            name,
            module: Module::Own,
            priority,
            bodies: Vec::new(),
            slot: Some(ways),
        });
        Ok(())
    }

    fn add_terminal(&mut self, terminal: TerminalDefinition) {
        let key = (terminal.module, terminal.name.text.clone());
        self.terminal_names.insert(key, self.terminals.len());
        self.terminals.push(terminal);
    }

    fn rule(&mut self, how: How, definition: Definition) -> Result<(), Box<Diagnostic>> {
        let Definition {
            name,
            parameters,
            body,
            ..
        } = definition;
        match (self.rule_named(&name.text), how) {
            (None, How::New) => {
                self.rule_names.insert(name.text.clone(), self.rules.len());
                self.rules.push(RuleDefinition {
                    name,
                    parameters,
                    bodies: vec![body],
                });
            }
            (Some(index), How::Override) => {
                self.rules[index].parameters = parameters;
                self.rules[index].bodies = vec![body];
            }
            (Some(index), How::Extend) => {
                let rule = &mut self.rules[index];
                let same = rule.parameters.len() == parameters.len()
                    && std::iter::zip(&rule.parameters, &parameters).all(|(a, b)| a.text == b.text);
                if !same {
                    let message = format!("{} has other parameters", name.text);
                    let place = name.span.place();
                    return Err(Box::new(Diagnostic::error("bad-parameter", place, message)));
                }
                rule.bodies.insert(0, body);
            }
            (known, _) => return Err(misplaced(&name, known.is_some())),
        }
        Ok(())
    }

    fn import(&mut self, import: Import) -> Result<(), Box<Diagnostic>> {
        let Import { name, alias } = import;
        let error = |kind, place: Span, message: String| {
            Box::new(Diagnostic::error(kind, place.place(), message))
        };
        let Some(index) = self.terminal_named(Module::Common, &name.text) else {
            let message = format!("common has no {}", name.text);
            let known: Vec<&str> = self
                .terminals
                .iter()
                .filter(|terminal| terminal.module == Module::Common)
                .map(|terminal| terminal.name.text.as_str())
                .filter(|name| !name.starts_with('_'))
                .collect();
            let finding = error("unknown-import", name.span, message);
            return Err(Box::new(
                finding.with_note(format!("it has {}", known.join(", "))),
            ));
        };
        if !alias.is_terminal() {
            let message = format!("{} is a terminal: its name here needs capitals", name.text);
            return Err(error("bad-name", alias.span, message));
        }
        if let Some(known) = self.terminal_named(Module::Own, &alias.text) {
            let [known, common] = [known, index].map(|at| self.terminals[at].bodies.first());
            let both = known.zip(common);
            return match both.is_some_and(|(known, common)| Rc::ptr_eq(&known.1, &common.1)) {
                true => Ok(()),
                false => Err(misplaced(&alias, true)),
            };
        }
        let bodies = self.terminals[index].bodies.clone();
        self.add_terminal(TerminalDefinition {
            name: alias,
            module: Module::Own,
            priority: 0,
            bodies,
            slot: None,
        });
        Ok(())
    }

    fn load_common(&mut self) {
        if self.terminal_named(Module::Common, "DIGIT").is_some() {
            return;
        }
        let (items, findings) = parser::parse(COMMON);
        debug_assert!(findings.is_empty(), "{findings:?}");
        for item in items {
            if let Item::Definition { how, definition } = item {
                let defined = self.terminal(how, definition, Module::Common);
                debug_assert!(defined.is_ok());
            }
        }
    }
}

/// A slot's language is not known while terminals are made.
pub(super) fn slot_in_terminal(mention: &Name) -> Box<Diagnostic> {
    let message = format!("{} is a slot, and no part of a terminal", mention.text);
    let finding = Diagnostic::error("slot-in-terminal", mention.span.place(), message);
    Box::new(finding.with_note("mention it in a rule"))
}

fn misplaced(name: &Name, known: bool) -> Box<Diagnostic> {
    let place = name.span.place();
    Box::new(match known {
        true => {
            let message = format!("{} has been defined before", name.text);
            Diagnostic::error("duplicate-definition", place, message)
                .with_note("join the two with |, or begin this one with %override or %extend")
        }
        false => {
            let message = format!("{} has not been defined before", name.text);
            let kind = match name.is_terminal() {
                true => "unknown-terminal",
                false => "unknown-rule",
            };
            Diagnostic::error(kind, place, message)
        }
    })
}
