//! What is left for the values inside of values: items and members.

use std::sync::Arc;

use super::expansion::Expander;
use super::keyword::SchemaId;
use super::shape::{Arrays, Goals, Literal, Names, Objects, Scopes, Shape};
use super::types::Types;
use crate::automaton::Language;

/// Positions looked at for a contradiction.
const MOST_POSITIONS: u32 = 64;

/// Names that all keywords treat alike.
#[derive(Clone, Copy)]
pub(super) enum Class<'c, 'a> {
    /// One name.
    Named(&'a str),
    /// Names that nobody names, which are in these languages or outside.
    Free(&'c [(Arc<Language>, bool)]),
}

impl Class<'_, '_> {
    /// Whether the names are in one of the languages that tell classes apart.
    fn is_in(&self, texts: &Arc<Language>) -> bool {
        match self {
            Class::Named(name) => texts.accepts(name),
            Class::Free(languages) => {
                let mut languages = languages.iter();
                languages.any(|(other, within)| *within && Arc::ptr_eq(other, texts))
            }
        }
    }
}

impl<'a> Expander<'a> {
    /// Drops types of which, looking into the values, surely nothing is left;
    /// `false` where no type is.
    pub(super) fn narrow(&mut self, shape: &mut Shape<'a>) -> bool {
        if shape.types.meets(Types::STRING) && self.has_no_string(shape) {
            shape.types = shape.types.without(Types::STRING);
        }
        if shape.types.meets(Types::ARRAY) && self.has_no_array(&shape.arrays) {
            shape.types = shape.types.without(Types::ARRAY);
        }
        if shape.types.meets(Types::OBJECT) && self.has_no_object(&shape.objects) {
            shape.types = shape.types.without(Types::OBJECT);
        }
        shape.types != Types::NONE
    }

    fn has_no_string(&mut self, shape: &Shape<'a>) -> bool {
        let strings = &shape.strings;
        let bounded = strings.min > 0 || strings.max.is_some();
        let denied = strings.texts.iter().any(|(_, within)| !within);
        match (strings.texts.as_slice(), strings.words.is_some()) {
            _ if !strings.asks.is_empty() => false,
            // Listed words were looked at one by one.
            (_, true) | ([], _) => false,
            ([(only, true)], _) if !bounded => only.is_empty(),
            ([_], _) if !bounded && !denied => false,
            _ => {
                let texts = self.language(&strings.of_any_length());
                let bounds = strings.bounds();
                texts.is_ok_and(|texts| {
                    let lengths = texts.lengths();
                    texts.is_empty() || lengths.is_some_and(|lengths| lengths.are_none(bounds))
                })
            }
        }
    }

    fn has_no_array(&mut self, arrays: &Arrays) -> bool {
        let positions = arrays.min.min(MOST_POSITIONS);
        (0..positions).any(|at| self.item_alternatives(arrays, Some(at)).is_empty())
            || arrays.contained.iter().any(|contained| {
                let goals = self.goals([contained.goal]);
                contained.min > 0 && goals.is_none_or(|goals| !self.may_hold(&goals))
            })
    }

    fn has_no_object(&mut self, objects: &Objects<'a>) -> bool {
        let mut required = objects.required.iter();
        required.any(|name| {
            self.member_goals(objects, Class::Named(name), &[])
                .is_none()
        }) || objects.some.iter().any(|(_, goal)| {
            let goals = self.goals(*goal);
            goals.is_none_or(|goals| !self.may_hold(&goals))
        })
    }

    /// What may stand at a position, or, without one, beyond those that any
    /// keyword tells apart.
    pub(super) fn item_alternatives(&mut self, arrays: &Arrays, at: Option<u32>) -> Vec<Goals> {
        let mut base: Vec<Literal> = Vec::new();
        for (items, _) in &arrays.items {
            let own = at.and_then(|at| items.prefix.get(at as usize).copied());
            base.extend(own.or(items.rest).map(|schema| (schema, true)));
        }
        let here = arrays.at.iter().filter(|(index, _)| Some(*index) == at);
        base.extend(here.map(|(_, literal)| *literal));
        let mut alternatives = vec![base];
        for unevaluated in &arrays.unevaluated {
            if is_evaluated(arrays, at, unevaluated.scope) {
                continue;
            }
            let finders = arrays.contained.iter();
            let finders = finders.filter(|found| found.scopes & unevaluated.scope != 0);
            let mut options: Vec<Literal> = finders.map(|found| found.goal).collect();
            options.push((unevaluated.schema, true));
            let with = |literals: &Vec<Literal>| {
                let literals = literals.clone();
                let options = options.clone().into_iter();
                options.map(move |option| {
                    let mut literals = literals.clone();
                    literals.push(option);
                    literals
                })
            };
            alternatives = alternatives.iter().flat_map(with).collect();
        }
        self.possible(alternatives)
    }

    /// The literals that may hold, as goals.
    pub(super) fn possible(&mut self, alternatives: Vec<Vec<Literal>>) -> Vec<Goals> {
        let mut found: Vec<Goals> = Vec::new();
        for literals in alternatives {
            if let Some(goals) = self.goals(literals)
                && !found.contains(&goals)
                && self.may_hold(&goals)
            {
                found.push(goals);
            }
        }
        match found.iter().any(Vec::is_empty) {
            true => vec![Goals::new()],
            false => found,
        }
    }

    /// What must hold for the value of a member; `None` where the member cannot
    /// be.
    pub(super) fn member_goals(
        &mut self,
        objects: &Objects<'a>,
        class: Class<'_, 'a>,
        more: &[Literal],
    ) -> Option<Goals> {
        let mut literals: Vec<Literal> = more.to_vec();
        if let Class::Named(name) = class {
            if objects.forbidden.contains(&name) {
                return None;
            }
            let here = objects.at.iter().filter(|(other, _)| *other == name);
            literals.extend(here.map(|(_, literal)| *literal));
        }
        for (members, _) in &objects.members {
            let speak = spoken(members, class);
            let is_named = !speak.is_empty();
            literals.extend(speak.into_iter().map(|schema| (schema, true)));
            if let Some(additional) = members.additional.filter(|_| !is_named) {
                literals.push((additional, true));
            }
        }
        for unevaluated in &objects.unevaluated {
            if !is_member_evaluated(objects, class, unevaluated.scope) {
                literals.push((unevaluated.schema, true));
            }
        }
        for &schema in &objects.names {
            let language = self.name_language(schema);
            if !class.is_in(&language) {
                return None;
            }
        }
        let goals = self.goals(literals)?;
        self.may_hold(&goals).then_some(goals)
    }

    /// Whether a class is among some names.
    pub(super) fn is_among(
        &mut self,
        objects: &Objects<'a>,
        class: Class<'_, 'a>,
        names: &Names<'a>,
    ) -> bool {
        match names {
            Names::Unevaluated(scope) => !is_member_evaluated(objects, class, *scope),
            Names::Matching(texts) => class.is_in(texts),
            Names::Beside(members) => spoken(members, class).is_empty(),
            Names::Denied(schema) => {
                let language = self.name_language(*schema);
                !class.is_in(&language)
            }
        }
    }

    /// The languages that tell names apart.
    pub(super) fn languages_of_names(&mut self, objects: &Objects<'a>) -> Vec<Arc<Language>> {
        let mut found: Vec<Arc<Language>> = Vec::new();
        let patterns = |members: &super::keyword::Members<'a>| -> Vec<Arc<Language>> {
            members
                .patterns
                .iter()
                .map(|(texts, _)| texts.clone())
                .collect()
        };
        for (members, _) in &objects.members {
            found.extend(patterns(members));
        }
        for (names, _) in &objects.some {
            match names {
                Names::Matching(texts) => found.push(texts.clone()),
                Names::Beside(members) => found.extend(patterns(members)),
                Names::Denied(schema) => found.push(self.name_language(*schema)),
                Names::Unevaluated(_) => {}
            }
        }
        for &schema in &objects.names {
            found.push(self.name_language(schema));
        }
        let mut once: Vec<Arc<Language>> = Vec::new();
        for language in found {
            if !once.iter().any(|known| Arc::ptr_eq(known, &language)) {
                once.push(language);
            }
        }
        once
    }
}

/// What `properties` and `patternProperties` say of a class of names.
fn spoken(members: &super::keyword::Members<'_>, class: Class<'_, '_>) -> Vec<SchemaId> {
    let own = match class {
        Class::Named(name) => members.of(name),
        Class::Free(_) => None,
    };
    let matching = members
        .patterns
        .iter()
        .filter(|(texts, _)| class.is_in(texts));
    own.into_iter()
        .chain(matching.map(|(_, schema)| *schema))
        .collect()
}

fn is_evaluated(arrays: &Arrays, at: Option<u32>, scope: Scopes) -> bool {
    let mut items = arrays
        .items
        .iter()
        .filter(|(_, scopes)| scopes & scope != 0);
    let by_items = items.any(|(items, _)| {
        items.rest.is_some() || at.is_some_and(|at| (at as usize) < items.prefix.len())
    });
    by_items
        || arrays
            .unevaluated
            .iter()
            .any(|other| other.outer & scope != 0)
}

fn is_member_evaluated(objects: &Objects<'_>, class: Class<'_, '_>, scope: Scopes) -> bool {
    let mut members = objects
        .members
        .iter()
        .filter(|(_, scopes)| scopes & scope != 0);
    let by_members = members
        .any(|(members, _)| members.additional.is_some() || !spoken(members, class).is_empty());
    by_members
        || objects
            .unevaluated
            .iter()
            .any(|other| other.outer & scope != 0)
}
