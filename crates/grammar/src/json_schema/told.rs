//! What lists of words say of an object's members: mostly which of many alternatives it
//! is.
//!
//! Alternatives are often told by a member that is one of a few words (`"type": {"const":
//! "a"}`), hundreds of them in one choice. Once the words that such a member may be are
//! known, what wants others is no way to go on, nor is the denial of what wants these. This
//! is seen here without a look into values; what it does not see is found there.

use std::rc::Rc;

use super::branch::Branch;
use super::draft::Draft;
use super::expansion::Expander;
use super::keyword::{Keyword, SchemaId};
use super::types::Types;
use super::value::Json;

/// Sorted.
pub(super) type Words<'a> = Rc<[&'a str]>;

/// What a schema says by lists of words.
#[derive(Default)]
pub(super) struct Told<'a> {
    /// The words that members may be.
    members: Vec<(&'a str, Words<'a>)>,
    /// Whether it says nothing else of objects that have this one member.
    is_all: bool,
}

impl<'a> Branch<'a> {
    /// The words that a member may be, which is there.
    fn words(&self, name: &str) -> Option<&Words<'a>> {
        let found = self.told.iter().find(|(known, _)| *known == name);
        let found = found.filter(|_| self.shape.objects.required.contains(name));
        found.map(|(_, words)| words)
    }

    /// Notes what a schema that holds says.
    pub(super) fn tell(&mut self, told: &Told<'a>) {
        for (name, words) in &told.members {
            match self.told.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => {
                    let both = known
                        .iter()
                        .filter(|word| words.binary_search(word).is_ok());
                    *known = both.copied().collect();
                }
                None => self.told.push((name, words.clone())),
            }
        }
    }

    /// Whether some member has no word left.
    pub(super) fn is_speechless(&self) -> bool {
        let mut told = self.told.iter().filter(|(_, words)| words.is_empty());
        told.any(|(name, _)| self.shape.objects.required.contains(name))
    }
}

impl<'a> Expander<'a> {
    /// Whether what is told of an object's members leaves no way for a schema to hold, or
    /// not to.
    pub(super) fn is_denied(&mut self, branch: &Branch<'a>, schema: SchemaId, holds: bool) -> bool {
        if branch.told.is_empty() || !self.document.is_read(schema) {
            return false;
        }
        let told = self.told(schema);
        let mut members = told.members.iter();
        (holds || told.is_all)
            && members.any(|(name, words)| {
                let known = branch.words(name);
                known.is_some_and(|known| denies(known, words, holds))
            })
    }

    /// Whether what is told of a member denies that a schema holds for it, or does not.
    pub(super) fn is_member_denied(
        &mut self,
        branch: &Branch<'a>,
        name: &str,
        (schema, holds): (SchemaId, bool),
    ) -> bool {
        let Some(known) = branch.words(name) else {
            return false;
        };
        let words = self.words_of(schema);
        words.is_some_and(|words| denies(known, &words, holds))
    }

    /// What a schema says, once it was read.
    pub(super) fn told(&mut self, schema: SchemaId) -> Rc<Told<'a>> {
        if let Some(known) = self.told.get(&schema) {
            return known.clone();
        }
        let node = self.document.node(schema);
        let mut told = Told {
            is_all: true,
            ..Told::default()
        };
        for keyword in &node.keywords {
            let Keyword::Members(members) = keyword else {
                told.is_all &= match keyword {
                    Keyword::Types(types) => types.meets(Types::OBJECT),
                    Keyword::Required(_) => true,
                    _ => false,
                };
                continue;
            };
            for &(name, schema) in &members.named {
                let words = self.words_of(schema);
                told.members.extend(words.map(|words| (name, words)));
            }
            let others = members.patterns.len() + usize::from(members.additional.is_some());
            told.is_all &= members.named.len() == 1 && others == 0;
        }
        // What it requires must be that member.
        let only = match told.members.as_slice() {
            [(only, _)] => Some(*only),
            _ => None,
        };
        told.is_all &= only.is_some()
            && node.keywords.iter().all(|keyword| match keyword {
                Keyword::Required(names) => names.iter().all(|name| Some(*name) == only),
                _ => true,
            });
        let told = Rc::new(told);
        self.told.insert(schema, told.clone());
        told
    }

    /// The words that a schema lists, where it says nothing else.
    fn words_of(&mut self, schema: SchemaId) -> Option<Words<'a>> {
        // Nothing is read that might never be otherwise, and be wrong.
        let is_text = |json: &Json| matches!(json, Json::Text(_));
        let dialect = self.document.dialect(schema);
        let has_const = dialect.is_ok_and(|dialect| dialect.draft > Draft::Four);
        let mut lists = 0;
        for (keyword, json) in self.document.written(schema)?.iter() {
            match (keyword.as_str(), json) {
                ("const", json) if is_text(json) && has_const => lists += 1,
                ("enum", Json::Array(list)) if list.iter().all(is_text) => lists += 1,
                ("type", Json::Text(name)) if name == "string" => {}
                ("title" | "description" | "default", _) => {}
                _ => return None,
            }
        }
        if lists != 1 {
            return None;
        }
        let node = self.document.node(schema);
        node.keywords.iter().find_map(|keyword| match keyword {
            Keyword::Values(values) => Some(values.words.clone()),
            _ => None,
        })
    }
}

/// Whether no word that is known is among others, or all are where these are denied.
fn denies(known: &[&str], words: &[&str], holds: bool) -> bool {
    known
        .iter()
        .all(|word| words.binary_search(word).is_ok() != holds)
}
