//! What can be known of a schema at a glance: never wrong, but less than all.

use std::rc::Rc;

use super::expansion::{Expander, MAX_CHAIN};
use super::keyword::{Keyword, Members, Node, SchemaId};
use super::shape::{Literal, Objects, Shape};
use super::steps::Step;
use super::types::Types;

/// What a schema says of strings by a list.
struct Listed<'a> {
    words: Rc<[&'a str]>,
    /// Whether only these can be, or these cannot.
    within: bool,
    /// Whether it says nothing else of strings.
    is_all: bool,
}

impl Listed<'_> {
    /// Whether no string can be both.
    fn excludes(&self, other: &Self) -> bool {
        match (self.within, other.within) {
            (true, true) => self.words.iter().all(|word| !other.has(word)),
            (true, false) => self.words.iter().all(|word| other.has(word)),
            (false, true) => other.excludes(self),
            (false, false) => false,
        }
    }

    /// Whether the other one holds for all of these strings.
    fn implies(&self, other: &Self) -> bool {
        let mut words = self.words.iter();
        self.within && other.is_all && words.all(|word| other.has(word) == other.within)
    }

    fn has(&self, word: &str) -> bool {
        self.words.binary_search(&word).is_ok()
    }
}

impl<'a> Expander<'a> {
    /// The types of values for which a schema may hold; others are certain not
    /// to be.
    pub(super) fn possible_types(&mut self, schema: SchemaId) -> Types {
        if let Some(&known) = self.types.get(&schema) {
            return known;
        }
        // What leads back here says no more.
        self.types.insert(schema, Types::ALL);
        let node = self.document.node(schema);
        let mut types = match node.never {
            true => Types::NONE,
            false => Types::ALL,
        };
        for keyword in &node.keywords {
            types = types.and(match keyword {
                Keyword::Types(types) => *types,
                Keyword::Values(values) => {
                    let mut any = values.names;
                    for (kind, empty) in [
                        (Types::STRING, values.words.is_empty()),
                        (Types::NUMBER, values.numbers.is_empty()),
                        (Types::ARRAY.or(Types::OBJECT), values.composites.is_empty()),
                    ] {
                        any = if empty { any } else { any.or(kind) };
                    }
                    any
                }
                Keyword::All(list) => list.iter().fold(Types::ALL, |types, &part| {
                    types.and(self.possible_types(part))
                }),
                Keyword::Any(list) | Keyword::One(list) => {
                    list.iter().fold(Types::NONE, |types, &part| {
                        types.or(self.possible_types(part))
                    })
                }
                Keyword::Same(target) => self.possible_types(*target),
                _ => Types::ALL,
            });
        }
        self.types.insert(schema, types);
        types
    }

    /// Whether a schema, or one in place in it, may speak of members or items.
    pub(super) fn may_evaluate(&mut self, schema: SchemaId) -> bool {
        if let Some(&known) = self.evaluates.get(&schema) {
            return known;
        }
        self.evaluates.insert(schema, true);
        let node = self.document.node(schema);
        let mut found = false;
        for keyword in &node.keywords {
            found |= match keyword {
                Keyword::Items(_)
                | Keyword::Members(_)
                | Keyword::Contains { .. }
                | Keyword::UnevaluatedItems(_)
                | Keyword::UnevaluatedProperties(_) => true,
                Keyword::Not(_) => false,
                other => other
                    .in_place()
                    .into_iter()
                    .any(|part| self.may_evaluate(part)),
            };
        }
        self.evaluates.insert(schema, found);
        found
    }

    /// Whether a schema never leads back to itself without a step into a value.
    pub(super) fn is_grounded(&mut self, schema: SchemaId) -> bool {
        if self.grounded.contains(&schema) {
            return true;
        }
        let mut path: Vec<(SchemaId, Vec<SchemaId>)> = vec![(schema, self.in_place(schema))];
        while let Some((id, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                self.grounded.insert(*id);
                path.pop();
                continue;
            };
            if self.grounded.contains(&next) {
                continue;
            }
            let again = path.iter().any(|(on_path, _)| *on_path == next);
            if again {
                let message = "this schema refers to itself for the same value";
                self.refuse("endless-reference", next, "", message);
                return false;
            }
            if path.len() >= MAX_CHAIN {
                let message = format!("over {MAX_CHAIN} references in a row");
                self.refuse("too-deep", next, "", &message);
                return false;
            }
            let below = self.in_place(next);
            path.push((next, below));
        }
        true
    }

    /// Last first.
    fn in_place(&mut self, schema: SchemaId) -> Vec<SchemaId> {
        let node = self.document.node(schema);
        let mut found: Vec<SchemaId> = node.keywords.iter().flat_map(Keyword::in_place).collect();
        found.reverse();
        found
    }

    /// Whether a step says nothing more of the values of a shape, or surely leaves none;
    /// who holds in one of `scopes` says more by what it evaluates.
    pub(super) fn is_said(&mut self, shape: &Shape<'a>, step: &Step<'a>) -> Option<bool> {
        let objects = &shape.objects;
        let is_object = shape.types == Types::OBJECT;
        let (truth, holds) = match step {
            Step::Schema((schema, holds), _) => (self.truth(shape, *schema)?, *holds),
            Step::Types(types) => {
                return (shape.types.without(*types) == Types::NONE).then_some(true);
            }
            Step::Required(name) if is_object => (objects.required.contains(name), true),
            Step::Forbidden(name) if is_object => (objects.forbidden.contains(name), true),
            Step::Member(name, (schema, holds)) if is_object => {
                (self.truth_of_member(objects, name, *schema)?, *holds)
            }
            _ => return None,
        };
        match step {
            Step::Required(_) | Step::Forbidden(_) => truth.then_some(true),
            _ => Some(truth == holds),
        }
    }

    /// Whether surely no value is both: objects that both require a member of listed
    /// strings.
    pub(super) fn are_apart_at_a_glance(&mut self, first: SchemaId, second: SchemaId) -> bool {
        let both = self.possible_types(first).and(self.possible_types(second));
        if both != Types::OBJECT {
            return false;
        }
        let [first, second] = [first, second].map(|schema| {
            let schema = self.without_detours(schema);
            self.document.node(schema)
        });
        let required = first.keywords.iter().chain(&second.keywords);
        let required = required.filter_map(|keyword| match keyword {
            Keyword::Required(names) => Some(names),
            _ => None,
        });
        let of = |node: &Node<'a>, name| {
            let mut members = node.keywords.iter().filter_map(|keyword| match keyword {
                Keyword::Members(members) => members.of(name),
                _ => None,
            });
            members.next()
        };
        required.flatten().any(|name| {
            let (Some(one), Some(other)) = (of(&first, name), of(&second, name)) else {
                return false;
            };
            let one = self.listed((one, true));
            one.is_some_and(|one| {
                let other = self.listed((other, true));
                other.is_some_and(|other| one.excludes(&other))
            })
        })
    }

    /// Whether a schema surely holds, or surely does not, for all values of a shape that
    /// are objects or one string.
    fn truth(&mut self, shape: &Shape<'a>, schema: SchemaId) -> Option<bool> {
        if shape.types == Types::STRING
            && let Some([word]) = shape.strings.words.as_deref()
        {
            return self.truth_of_word(word, schema);
        }
        if shape.types != Types::OBJECT {
            return None;
        }
        let schema = self.without_detours(schema);
        let node = self.document.node(schema);
        let objects = &shape.objects;
        let mut truth = Some(!node.never);
        for keyword in &node.keywords {
            let own = match keyword {
                Keyword::Types(types) => Some(types.meets(Types::OBJECT)),
                Keyword::Required(names) => {
                    let mut left = names.iter().filter(|name| !objects.required.contains(name));
                    match left.next() {
                        None => Some(true),
                        Some(name) if objects.forbidden.contains(name) => Some(false),
                        Some(_) => None,
                    }
                }
                Keyword::Members(members) => self.truth_of_members(objects, members),
                _ => None,
            };
            match own {
                Some(false) => return own,
                Some(true) => {}
                None => truth = None,
            }
        }
        truth
    }

    fn truth_of_word(&mut self, word: &str, schema: SchemaId) -> Option<bool> {
        let schema = self.without_detours(schema);
        let node = self.document.node(schema);
        let mut truth = Some(!node.never);
        for keyword in &node.keywords {
            match keyword {
                Keyword::Types(types) if types.meets(Types::STRING) => {}
                Keyword::Values(values) if values.words.binary_search(&word).is_ok() => {}
                Keyword::Text(texts) if texts.accepts(word) => {}
                Keyword::Types(_) | Keyword::Values(_) | Keyword::Text(_) => return Some(false),
                _ => truth = None,
            }
        }
        truth
    }

    fn truth_of_members(&mut self, objects: &Objects<'a>, members: &Members<'a>) -> Option<bool> {
        let is_said = members.patterns.is_empty() && members.additional.is_none();
        let mut truth = is_said.then_some(true);
        for &(name, schema) in &members.named {
            match self.truth_of_member(objects, name, schema) {
                Some(false) if objects.required.contains(&name) => return Some(false),
                Some(true) => {}
                _ => truth = None,
            }
        }
        truth
    }

    /// Whether a schema surely holds, or does not, for what stands under a name.
    fn truth_of_member(
        &mut self,
        objects: &Objects<'a>,
        name: &'a str,
        schema: SchemaId,
    ) -> Option<bool> {
        if objects.forbidden.contains(&name) {
            return Some(true);
        }
        let asked = self.listed((schema, true))?;
        let at = objects.at.iter().filter(|(other, _)| *other == name);
        let members = objects.members.iter();
        let members = members.filter_map(|(members, _)| Some((members.of(name)?, true)));
        let known = at.map(|(_, literal)| *literal).chain(members);
        known.into_iter().find_map(|literal| {
            let known = self.listed(literal)?;
            match known.implies(&asked) {
                true => Some(true),
                false => known.excludes(&asked).then_some(false),
            }
        })
    }

    /// The strings that a schema lists, or does not, if it only knows strings of those.
    fn listed(&mut self, (schema, holds): Literal) -> Option<Listed<'a>> {
        let schema = self.without_detours(schema);
        let node = self.document.node(schema);
        let (mut found, mut is_all) = (None, true);
        for keyword in &node.keywords {
            match keyword {
                Keyword::Values(values) if found.is_none() => {
                    found = values.only_words().map(|words| (words, true));
                    is_all &= found.is_some();
                }
                Keyword::Not(denied) if found.is_none() => {
                    found = self.only_words(*denied).map(|words| (words, false));
                    is_all &= found.is_some();
                }
                Keyword::Types(types) => is_all &= types.meets(Types::STRING),
                _ => is_all = false,
            }
        }
        let (words, within) = found?;
        match holds {
            true => Some(Listed {
                words,
                within,
                is_all,
            }),
            // What is not listed may still be anything else.
            false => (is_all && within).then_some(Listed {
                words,
                within: false,
                is_all,
            }),
        }
    }

    /// The strings that a schema lists, if it says nothing else.
    fn only_words(&mut self, schema: SchemaId) -> Option<Rc<[&'a str]>> {
        let schema = self.without_detours(schema);
        match self.document.node(schema).keywords.as_slice() {
            [Keyword::Values(values)] => values.only_words(),
            [Keyword::Types(types), Keyword::Values(values)]
            | [Keyword::Values(values), Keyword::Types(types)]
                if types.meets(Types::STRING) =>
            {
                values.only_words()
            }
            _ => None,
        }
    }
}
