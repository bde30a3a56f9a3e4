//! Objects: members in the declared order, or in any.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::MAX_UNORDERED_PROPERTIES;
use super::lower::{Lowering, between, in_quotes};
use super::node::{self, LIMITS, Node, NodeId};
use crate::automaton::{AutomatonError, Dfa};
use crate::characters::ANY_CHARACTER;
use crate::{Expr, RuleId};

/// Most optional members that one nested expression holds.
const MAX_NESTED: usize = 32;

/// Members beside the named ones.
pub(super) enum Additional {
    None,
    /// Any number of these.
    Some(Expr),
}

impl<'a> Lowering<'a> {
    pub(super) fn object(&mut self, nodes: &[Rc<Node<'a>>], rule: RuleId) -> Expr {
        let mut names: Vec<&'a str> = Vec::new();
        let mut known = HashSet::new();
        let declared = nodes
            .iter()
            .flat_map(|node| node.properties.iter().map(|(name, _)| *name));
        let required = nodes.iter().flat_map(|node| node.required.iter().copied());
        for name in declared.chain(required) {
            if known.insert(name) {
                names.push(name);
            }
        }
        let required: HashSet<&str> = nodes
            .iter()
            .flat_map(|node| node.required.iter().copied())
            .collect();
        let mut members = Vec::new();
        for &name in &names {
            let schemas: Vec<NodeId> = nodes
                .iter()
                .filter_map(|node| node.property_ids.get(name).copied().or(node.additional))
                .collect();
            let alternatives = self.alternatives(&schemas);
            let is_required = required.contains(name);
            match (alternatives.is_empty(), is_required) {
                (true, true) => {
                    let message = format!("the property {name:?} is required and forbidden");
                    return self.nothing_left(nodes, &message);
                }
                (true, false) => continue,
                (false, _) => {}
            }
            let value = self.rule_of_alternatives(alternatives);
            let key = self.options.strings.literal(name);
            members.push((self.member(key, value), is_required));
        }
        let additional = match self.additional(nodes, names) {
            Ok(additional) => additional,
            Err(error) => return self.too_large(nodes, &error),
        };
        let name = self.rules[rule.0 as usize].name.clone();
        let pointer = nodes.first().map_or("", |node| &node.pointer);
        self.members(members, additional, &name, pointer)
    }

    fn additional(
        &mut self,
        nodes: &[Rc<Node<'a>>],
        mut names: Vec<&'a str>,
    ) -> Result<Additional, AutomatonError> {
        let schemas: Vec<NodeId> = nodes.iter().filter_map(|node| node.additional).collect();
        let alternatives = self.alternatives(&schemas);
        if alternatives.is_empty() {
            return Ok(Additional::None);
        }
        let value = self.rule_of_alternatives(alternatives);
        let key = match names.is_empty() {
            true => self.options.strings.any_character().star(),
            false => {
                names.sort_unstable();
                Expr::Automaton(self.names_beside(names)?)
            }
        };
        Ok(Additional::Some(self.member(in_quotes(key), value)))
    }

    fn names_beside(&mut self, names: Vec<&'a str>) -> Result<Arc<Dfa>, AutomatonError> {
        if let Some(known) = self.other_names.get(&names) {
            return Ok(known.clone());
        }
        let any = Expr::Chars(Box::new([ANY_CHARACTER])).star();
        let named = Expr::Choice(names.iter().map(Expr::literal).collect());
        let others =
            Dfa::from_expr(&any, &LIMITS)?.minus(&Dfa::from_expr(&named, &LIMITS)?, &LIMITS)?;
        let spelled = Arc::new(self.options.strings.spell(&others, &LIMITS)?);
        self.other_names.insert(names, spelled.clone());
        Ok(spelled)
    }

    /// The object of the given members, each with whether it is required.
    pub(super) fn members(
        &mut self,
        members: Vec<(Expr, bool)>,
        additional: Additional,
        name: &str,
        pointer: &str,
    ) -> Expr {
        let more = match &additional {
            Additional::None => Expr::empty(),
            Additional::Some(member) => with_comma(member.clone()).star(),
        };
        let kinds = members.len() + usize::from(matches!(additional, Additional::Some(_)));
        let inside = if self.any_order() && kinds > 1 && !members.is_empty() {
            if members.len() > MAX_UNORDERED_PROPERTIES {
                let message = format!(
                    "an object with over {MAX_UNORDERED_PROPERTIES} named properties cannot be \
                     read in any order"
                );
                self.document
                    .findings
                    .push(node::error("too-many-properties", pointer, message));
                return Expr::never();
            }
            self.in_any_order(members, additional, more, name)
        } else {
            in_order(members, additional, more)
        };
        let inside = match may_be_empty(&inside) {
            // The empty object may hold blanks, the others have them already.
            true => Expr::Choice(vec![self.blanks(), inside]),
            false => inside,
        };
        between([Expr::literal("{"), Expr::literal("}")], inside)
    }

    /// A rule for each set of members seen: what may follow them.
    fn in_any_order(
        &mut self,
        members: Vec<(Expr, bool)>,
        additional: Additional,
        more: Expr,
        name: &str,
    ) -> Expr {
        let required: usize = members
            .iter()
            .enumerate()
            .map(|(index, (_, required))| usize::from(*required) << index)
            .sum();
        let members: Vec<Expr> = members
            .into_iter()
            .enumerate()
            .map(|(index, (member, _))| {
                Expr::Rule(self.add_rule(format!("{name} member {index}"), member))
            })
            .collect();
        let sets = 1usize << members.len();
        let first = self.rules.len() as u32;
        let after = |seen: usize| Expr::Rule(RuleId(first + seen as u32));
        for seen in 0..sets {
            let mut choices = Vec::new();
            if seen & required == required {
                choices.push(Expr::empty());
            }
            for (index, member) in members.iter().enumerate() {
                if seen & (1 << index) == 0 {
                    let rest = after(seen | 1 << index);
                    choices.push(Expr::Sequence(vec![
                        Expr::literal(","),
                        member.clone(),
                        rest,
                    ]));
                }
            }
            let body = Expr::Sequence(vec![more.clone(), Expr::Choice(choices)]);
            self.add_rule(format!("{name} after {seen:b}"), body);
        }
        let mut choices = Vec::new();
        if required == 0 {
            choices.push(Expr::empty());
        }
        for (index, member) in members.iter().enumerate() {
            choices.push(Expr::Sequence(vec![member.clone(), after(1 << index)]));
        }
        if let Additional::Some(member) = additional {
            choices.push(Expr::Sequence(vec![member, after(0)]));
        }
        Expr::Choice(choices)
    }
}

/// The members in order, those not required possibly left out.
///
/// A required member needs no care about commas: what is before it is followed
/// by one, what is after it is preceded by one. Each member stands in the
/// expression once then, and at most twice (a few times more, if there are very
/// many) where none is required.
fn in_order(members: Vec<(Expr, bool)>, additional: Additional, more: Expr) -> Expr {
    let Some(anchor) = members.iter().position(|(_, required)| *required) else {
        let mut optional: Vec<Expr> = members.into_iter().map(|(member, _)| member).collect();
        if let Additional::Some(member) = additional {
            optional.push(Expr::Sequence(vec![member, more]));
        }
        return match optional.is_empty() {
            true => Expr::empty(),
            false => some_of(&optional).optional(),
        };
    };
    let mut parts = Vec::new();
    for (index, (member, required)) in members.into_iter().enumerate() {
        parts.push(match (index < anchor, required) {
            (true, _) => Expr::Sequence(vec![member, Expr::literal(",")]).optional(),
            _ if index == anchor => member,
            (_, true) => with_comma(member),
            (_, false) => with_comma(member).optional(),
        });
    }
    parts.push(more);
    Expr::Sequence(parts)
}

/// At least one of `members`, in order, with commas between.
fn some_of(members: &[Expr]) -> Expr {
    let with_commas = |members: &[Expr]| {
        Expr::Sequence(
            members
                .iter()
                .map(|m| with_comma(m.clone()).optional())
                .collect(),
        )
    };
    if members.len() > MAX_NESTED {
        let (front, back) = members.split_at(members.len() / 2);
        let begun = Expr::Sequence(vec![some_of(front), with_commas(back)]);
        return Expr::Choice(vec![begun, some_of(back)]);
    }
    let mut found: Option<Expr> = None;
    for member in members {
        found = Some(match found {
            None => member.clone(),
            Some(before) => {
                let further = with_comma(member.clone()).optional();
                Expr::Choice(vec![Expr::Sequence(vec![before, further]), member.clone()])
            }
        });
    }
    found.unwrap_or_else(Expr::empty)
}

fn with_comma(member: Expr) -> Expr {
    Expr::Sequence(vec![Expr::literal(","), member])
}

/// Whether the members' expression admits nothing at all; rules do not matter,
/// as a member always has its quotes.
fn may_be_empty(inside: &Expr) -> bool {
    match inside {
        Expr::Sequence(parts) => parts.iter().all(may_be_empty),
        Expr::Choice(parts) => parts.iter().any(may_be_empty),
        Expr::Repeat { item, min, .. } => *min == 0 || may_be_empty(item),
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Rule(_)
        | Expr::Automaton(_)
        | Expr::Terminal(_) => false,
    }
}
