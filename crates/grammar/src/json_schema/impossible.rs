//! Schemas that no value satisfies, though no keyword of them denies itself: those of which
//! `allOf`, `not`, a pattern beside a length and the like leave nothing.
//!
//! [`super::denial`] looks at the keywords of one schema while it is read. This looks at what
//! was read once all rules are there, and asks the expansion, which remembers most of the
//! answers: a schema is *empty* where the expansion says so for certain, or where its rule
//! derives nothing. Of a schema that is empty only because one inside must hold that is empty
//! itself, that one is told of ([`Emptiness::causes`]). What was written to deny (`false`,
//! `{"not": {}}`) is no fault.
//!
//! A schema that is only empty beside another (two parts of an `allOf` that say different things
//! of one property) is not looked for: products of branches are empty as a rule.

use super::document::Document;
use super::expansion::Expander;
use super::keyword::{Items, Keyword, Members, SchemaId};
use super::shape::Goals;
use crate::diagnostic::said_once;
use crate::{Diagnostic, Diagnostics, Place, RuleId};

use rustc_hash::FxHashMap as HashMap;

/// The kind of what is found here.
pub(super) const KIND: &str = "impossible-schema";
pub(super) const MESSAGE: &str = "no value is valid under this schema";
/// Steps that may always be spent on looking for more.
const LEAST_WORK: u64 = 100_000;

/// Which schemas are empty, and why.
pub(super) struct Emptiness<'e, 'a> {
    expander: &'e mut Expander<'a>,
    rules: &'e HashMap<Goals, RuleId>,
    /// Which rules derive a text.
    productive: &'e [bool],
    found: Vec<SchemaId>,
    visited: Vec<bool>,
}

impl<'e, 'a> Emptiness<'e, 'a> {
    pub(super) fn new(
        expander: &'e mut Expander<'a>,
        rules: &'e HashMap<Goals, RuleId>,
        productive: &'e [bool],
    ) -> Self {
        Self {
            expander,
            rules,
            productive,
            found: Vec::new(),
            visited: Vec::new(),
        }
    }

    /// Warns of the schemas that were read and are empty. What was warned of is left out.
    ///
    /// As many steps as the schema took so far may be spent, so that a large one is compiled
    /// in no more than twice the time.
    pub(super) fn warn(mut self) {
        let before = self.expander.work.max(LEAST_WORK);
        for id in 0..self.expander.document.count() {
            if self.expander.work > before.saturating_mul(2) {
                break;
            }
            if self.expander.document.is_read(id) && self.is_empty(id) {
                self.causes(id);
            }
        }
        let document = &mut self.expander.document;
        for id in self.found {
            let place = Place::Pointer(document.pointer(id).to_owned());
            let mut warnings = document.warnings.iter();
            if !warnings.any(|it| it.kind == KIND && it.place == place) {
                let warning = Diagnostic::warning(KIND, place, MESSAGE);
                document.warnings.push(warning);
            }
        }
    }

    /// What is wrong with a schema that is empty as a whole.
    pub(super) fn errors(mut self) -> Diagnostics {
        self.causes(Document::ROOT);
        if self.found.is_empty() {
            // It was meant to admit nothing.
            self.found.push(Document::ROOT);
        }
        let document = &self.expander.document;
        let errors = self.found.iter().map(|&id| {
            let place = Place::Pointer(document.pointer(id).to_owned());
            let mut warnings = document.warnings.iter();
            let denial = warnings.find(|it| it.kind == KIND && it.place == place);
            let message = denial.map_or(MESSAGE, |denial| &denial.message);
            Diagnostic::error(KIND, place, message)
        });
        Diagnostics(said_once(errors.collect()))
    }

    /// Whether no value satisfies a schema; a no may be wrong.
    fn is_empty(&mut self, id: SchemaId) -> bool {
        match self.expander.goals([(id, true)]) {
            None => true,
            Some(goals) => match self.rules.get(&goals) {
                Some(rule) => !self.productive[rule.0 as usize],
                None => !self.expander.may_hold(&goals),
            },
        }
    }

    /// Finds the innermost schemas for which a schema is empty; itself where all of these need
    /// each other.
    fn causes(&mut self, id: SchemaId) {
        let (asked, found) = (id, self.found.len());
        let mut here: Vec<SchemaId> = Vec::new();
        let mut is_known = self.is_meant(id);
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            self.visited
                .resize(self.expander.document.count() as usize, false);
            let was_visited = std::mem::replace(&mut self.visited[id as usize], true);
            is_known |= was_visited && !here.contains(&id);
            if was_visited || self.is_meant(id) {
                continue;
            }
            here.push(id);
            let needed = self.needed(id);
            let empty = needed.into_iter().filter(|any| {
                let mut any = any.iter();
                any.all(|&it| self.expander.document.is_read(it) && self.is_empty(it))
            });
            let inner: Vec<SchemaId> = empty.flatten().collect();
            match inner.iter().any(|&it| !self.is_meant(it)) {
                true => todo.extend(inner.into_iter().rev()),
                false => self.found.push(id),
            }
        }
        if self.found.len() == found && !is_known {
            let named = self.expander.without_detours(asked);
            self.found.push(named);
        }
    }

    /// Whether a schema was written to admit nothing.
    fn is_meant(&mut self, id: SchemaId) -> bool {
        let id = self.expander.without_detours(id);
        let node = self.expander.document.node(id);
        let mut keywords = node.keywords.iter();
        node.never
            || keywords.any(|keyword| match *keyword {
                Keyword::Not(denied) => {
                    let denied = self.expander.document.node(denied);
                    denied.keywords.is_empty() && !denied.never
                }
                _ => false,
            })
    }

    /// Schemas that must hold for a value of this one or inside of it: of each list one.
    fn needed(&mut self, id: SchemaId) -> Vec<Vec<SchemaId>> {
        let node = self.expander.document.node(id);
        let mut needed = Vec::new();
        let (mut least, mut names): (u32, &[&str]) = (0, &[]);
        for keyword in &node.keywords {
            match keyword {
                Keyword::All(list) => needed.extend(list.iter().map(|&it| vec![it])),
                Keyword::Any(list) | Keyword::One(list) => needed.push(list.clone()),
                Keyword::Same(schema)
                | Keyword::Contains {
                    schema, min: 1.., ..
                } => {
                    needed.push(vec![*schema]);
                }
                Keyword::ItemCount(min, _) => least = *min,
                Keyword::Required(required) => names = required,
                _ => {}
            }
        }
        for keyword in &node.keywords {
            match keyword {
                Keyword::Items(items) => needed.extend(items_up_to(items, least)),
                Keyword::Members(members) => {
                    needed.extend(names.iter().flat_map(|name| values_of(members, name)));
                }
                _ => {}
            }
        }
        needed
    }
}

/// The schemas of the first items.
fn items_up_to(items: &Items, count: u32) -> impl Iterator<Item = Vec<SchemaId>> {
    let listed = items.prefix.iter().take(count as usize).copied();
    let is_more = count as usize > items.prefix.len();
    let rest = items.rest.filter(|_| is_more);
    listed.chain(rest).map(|schema| vec![schema])
}

/// The schemas of the value of a member.
fn values_of(members: &Members<'_>, name: &str) -> Vec<Vec<SchemaId>> {
    let matching = members.patterns.iter();
    let matching = matching.filter(|(texts, _)| texts.accepts(name));
    let mut found: Vec<SchemaId> = matching.map(|&(_, schema)| schema).collect();
    found.extend(members.of(name));
    if found.is_empty() {
        found.extend(members.additional);
    }
    found.into_iter().map(|schema| vec![schema]).collect()
}
