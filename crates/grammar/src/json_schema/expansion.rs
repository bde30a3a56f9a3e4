//! From schemas that must hold, or must not, to a union of shapes.
//!
//! What is no choice is taken first; then the choice with the fewest ways that
//! are still open is made, each way in a copy, and so on, as in a solver for
//! propositional formulas. A shape of which surely nothing is left is dropped.
//! Dropping only keeps things small: what is kept although it is empty derives
//! nothing later on.
//!
//! Recursion is no matter: values inside of values stay sets of schemas
//! ([`Goals`]), which are expanded when somebody asks for them.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::branch::Branch;
use super::document::Document;
use super::finding::Finding;
use super::keyword::{Keyword, SchemaId};
use super::shape::{Goals, Literal, Shape};
use super::steps::{Step, Steps};
use super::told::Told;
use super::types::Types;
use super::{PropertyOrder, REPEATED_NAMES, WHOLE_TEXTS};
use crate::automaton::{Language, SHORTCUTS};

/// Most shapes that schemas may lead to.
const MAX_SHAPES: usize = 2_000;
/// Fewest shapes from which it is guessed how many there will be.
const SAMPLE: usize = 64;
/// How far the guess must be over the most, times the shapes that it is made from.
const SURE: usize = 80 * SAMPLE;
/// Longest chain of schemas for the same value.
pub(super) const MAX_CHAIN: usize = 100;
/// Steps for which other findings are looked for once there is one.
const MORE_FINDINGS: u64 = 10_000;
/// Deepest look into values for a contradiction.
const MAX_DEPTH: usize = 24;

/// Expands sets of schemas, each once.
pub(super) struct Expander<'a> {
    pub document: Document<'a>,
    known: HashMap<Goals, Rc<Vec<Shape<'a>>>>,
    /// Goals that may hold, or surely do not, without all their shapes.
    holding: HashMap<Goals, bool>,
    under_way: HashSet<Goals>,
    depth: usize,
    disjoint: HashMap<(SchemaId, SchemaId), bool>,
    pub types: HashMap<SchemaId, Types>,
    /// A schema that says only this.
    of_types: Vec<(Types, SchemaId)>,
    pub evaluates: HashMap<SchemaId, bool>,
    pub told: HashMap<SchemaId, Rc<Told<'a>>>,
    pub grounded: HashSet<SchemaId>,
    /// Languages of strings, by what they are made of.
    pub languages: HashMap<super::texts::Key<'a>, Arc<Language>>,
    pub any_text: Option<Arc<Language>>,
    /// Names that a schema admits.
    pub names: HashMap<SchemaId, Arc<Language>>,
    /// Whether what cannot be said exactly is to admit more.
    wide: bool,
    /// Whether properties are to stand in declared order.
    is_ordered: bool,
    /// Whether something was to admit more since this was last asked.
    pub widened: bool,
    /// Whether cases are so many that they were not begun.
    pub hopeless: bool,
    /// Steps taken so far.
    pub(super) work: u64,
    /// Those that had been taken when something was refused.
    refused_at: Option<u64>,
}

/// How many shapes are asked for.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    /// Whether there is any.
    One,
}

/// What a search found.
struct Found<'a> {
    shapes: Vec<Shape<'a>>,
    /// Whether there are no others.
    are_all: bool,
}

impl<'a> Expander<'a> {
    pub(super) fn new(document: Document<'a>, wide: bool, order: PropertyOrder) -> Self {
        Self {
            document,
            wide,
            is_ordered: order == PropertyOrder::Declared,
            widened: false,
            hopeless: false,
            known: HashMap::default(),
            holding: HashMap::default(),
            under_way: HashSet::default(),
            depth: 0,
            disjoint: HashMap::default(),
            types: HashMap::default(),
            of_types: Vec::new(),
            evaluates: HashMap::default(),
            told: HashMap::default(),
            grounded: HashSet::default(),
            languages: HashMap::default(),
            any_text: None,
            names: HashMap::default(),
            work: 0,
            refused_at: None,
        }
    }

    /// Whether what cannot be said exactly is to admit more; never in the grammar engine alone,
    /// which judges no whole texts.
    pub(super) fn is_wide(&self) -> bool {
        SHORTCUTS && self.wide
    }

    /// The values for which all goals hold.
    pub(super) fn expand(&mut self, goals: &Goals) -> Rc<Vec<Shape<'a>>> {
        if let Some(known) = self.known.get(goals) {
            return known.clone();
        }
        let shapes = Rc::new(match self.search(goals, Wanted::All) {
            Some(found) => found.shapes,
            None if self.is_wide() => {
                let schema = goals.first().map_or(Document::ROOT, |goal| goal.0);
                let message = format!("the choices here lead to over {MAX_SHAPES} cases");
                self.admit_all(schema, &message);
                let mut shape = Shape::all();
                for &(schema, _) in goals.iter().filter(|(_, holds)| *holds) {
                    shape.types = shape.types.and(self.possible_types(schema));
                }
                vec![shape]
            }
            None => {
                let schema = goals.first().map_or(Document::ROOT, |goal| goal.0);
                let message = format!("the choices here lead to over {MAX_SHAPES} cases");
                self.refuse("too-large", schema, "", &message);
                Vec::new()
            }
        });
        self.known.insert(goals.clone(), shapes.clone());
        shapes
    }

    /// Whether there may be a value for which all goals hold; a no is certain.
    pub(super) fn may_hold(&mut self, goals: &Goals) -> bool {
        if let Some(known) = self.known.get(goals) {
            return !known.is_empty();
        }
        if let Some(&known) = self.holding.get(goals) {
            return known;
        }
        if self.depth > MAX_DEPTH || self.under_way.contains(goals) {
            return true;
        }
        let found = self.search(goals, Wanted::One);
        let may_hold = match found {
            None => true,
            Some(found) => {
                let may_hold = !found.shapes.is_empty();
                if found.are_all {
                    self.known.insert(goals.clone(), Rc::new(found.shapes));
                    return may_hold;
                }
                may_hold
            }
        };
        self.holding.insert(goals.clone(), may_hold);
        may_hold
    }

    pub(super) fn are_disjoint(&mut self, first: SchemaId, second: SchemaId) -> bool {
        let pair = (first.min(second), first.max(second));
        if let Some(&known) = self.disjoint.get(&pair) {
            return known;
        }
        let disjoint = !self
            .possible_types(first)
            .meets(self.possible_types(second))
            || {
                let goals = self.goals([(first, true), (second, true)]);
                goals.is_none_or(|goals| !self.may_hold(&goals))
            };
        self.disjoint.insert(pair, disjoint);
        disjoint
    }

    /// The literals as goals, those that always hold left out; `None` where one
    /// never does.
    pub(super) fn goals(&mut self, literals: impl IntoIterator<Item = Literal>) -> Option<Goals> {
        let mut goals = Goals::new();
        for (schema, holds) in literals {
            let schema = self.without_detours(schema);
            let node = self.document.node(schema);
            match (node.never, node.keywords.is_empty()) {
                (true, _) if holds => return None,
                (true, _) => {}
                (false, true) if holds => {}
                (false, true) => return None,
                (false, false) => goals.push((schema, holds)),
            }
        }
        goals.sort_unstable();
        goals.dedup();
        let denied = goals.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!denied).then_some(goals)
    }

    /// A schema that says the same as this one does, if it says no more than a type: the same
    /// for all that do.
    pub(super) fn alike(&mut self, schema: SchemaId) -> SchemaId {
        let schema = self.without_detours(schema);
        match self.document.node(schema).keywords.as_slice() {
            &[Keyword::Types(types)] => match self.of_types.iter().find(|it| it.0 == types) {
                Some(&(_, known)) => known,
                None => {
                    self.of_types.push((types, schema));
                    schema
                }
            },
            _ => schema,
        }
    }

    /// The schema behind those that only refer to another.
    pub(super) fn without_detours(&mut self, mut schema: SchemaId) -> SchemaId {
        for _ in 0..MAX_CHAIN {
            match self.document.node(schema).keywords.as_slice() {
                [Keyword::Same(target)] => schema = *target,
                _ => break,
            }
        }
        schema
    }

    /// Refuses what a schema asks for.
    pub(super) fn refuse(
        &mut self,
        kind: &'static str,
        schema: SchemaId,
        keyword: &str,
        message: &str,
    ) {
        let pointer = format!("{}{keyword}", self.document.pointer(schema));
        self.document.find(kind, &pointer, message);
    }

    /// Warns of a keyword that the grammar does not say in full.
    pub(super) fn admit_more(&mut self, schema: SchemaId, keyword: &str, reason: &str) {
        let message = format!("no grammar says this, so whole texts are judged by it: {reason}");
        self.warn(WHOLE_TEXTS, schema, keyword, message);
    }

    /// Warns of a schema in whose place all values of a type are admitted.
    pub(super) fn admit_all(&mut self, schema: SchemaId, reason: &str) {
        match self.is_ordered && SHORTCUTS {
            true => {
                let reason = format!("{reason}; properties stand in any order here");
                self.admit_more(schema, "", &reason);
            }
            false => self.admit_more(schema, "", reason),
        }
    }

    /// Warns of an object that is valid only if names that no keyword names differ.
    pub(super) fn may_repeat(&mut self, schema: SchemaId) {
        let message = "a name that no keyword names may stand here twice, so what is written is \
                       judged as a whole text";
        self.warn(REPEATED_NAMES, schema, "", message.to_owned());
    }

    fn warn(&mut self, kind: &'static str, schema: SchemaId, keyword: &str, message: String) {
        let pointer = format!("{}{keyword}", self.document.pointer(schema));
        self.document.warn(Finding::new(kind, message), &pointer);
    }

    /// Whether something was refused so long ago that nothing else is looked for.
    pub(super) fn is_refused_enough(&mut self) -> bool {
        if self.document.findings.is_empty() {
            return false;
        }
        self.work - *self.refused_at.get_or_insert(self.work) > MORE_FINDINGS
    }

    /// Counts work; `false` where there was too much.
    pub(super) fn spend(&mut self, work: u64) -> bool {
        self.work += work;
        if self.is_refused_enough() {
            return false;
        }
        let left = self.work <= self.document.options.effort;
        if !left {
            let limit = self.document.options.effort;
            let message = format!("the schema takes more than {limit} steps to compile");
            self.document.find("too-much-work", "", message);
        }
        left
    }

    /// The shapes that goals lead to, or one of them; `None` where there are too many
    /// cases.
    fn search(&mut self, goals: &Goals, wanted: Wanted) -> Option<Found<'a>> {
        self.under_way.insert(goals.clone());
        self.depth += 1;
        let outside = std::mem::take(&mut self.hopeless);
        let found = self.shapes(goals, wanted);
        let is_found = !(SHORTCUTS && std::mem::replace(&mut self.hopeless, outside));
        let found = found.filter(|_| is_found);
        self.depth -= 1;
        self.under_way.remove(goals);
        found
    }

    fn shapes(&mut self, goals: &Goals, wanted: Wanted) -> Option<Found<'a>> {
        let mut found: Vec<Shape<'a>> = Vec::new();
        // The first shapes that say something of a kind of values, by its mark.
        let mut marked: HashMap<(usize, u64), Vec<usize>> = HashMap::default();
        let todo = goals.iter().map(|&goal| Step::Schema(goal, 0)).collect();
        let mut branches = vec![Branch {
            shape: Shape::all(),
            todo,
            splits: Vec::new(),
            seen: Vec::new(),
            scopes: 0,
            told: Vec::new(),
            is_chosen: false,
            share: 1.0,
        }];
        let mut done = 0.0;
        while let Some(mut branch) = branches.pop() {
            done += branch.share;
            let is_possible = self.run(&mut branch) && branch.shape.settle();
            if SHORTCUTS && self.hopeless {
                return None;
            }
            if !is_possible {
                continue;
            }
            if branch.is_speechless() {
                branch.shape.types = branch.shape.types.without(Types::OBJECT);
                if branch.shape.types == Types::NONE {
                    continue;
                }
            }
            // A contradiction inside spares all choices that are left.
            let looks_inside = branch.is_chosen && branch.splits.len() > 1;
            if looks_inside && !self.narrow_before_choices(&mut branch.shape) {
                continue;
            }
            branch.is_chosen &= !looks_inside;
            let split = self.next_split(&mut branch);
            if SHORTCUTS && self.hopeless {
                return None;
            }
            let Some((at, options)) = split else {
                if !self.narrow(&mut branch.shape) {
                    continue;
                }
                let mut is_new = false;
                for mark in branch.shape.marks().into_iter().enumerate() {
                    let alike = marked.entry(mark).or_default();
                    if !alike
                        .iter()
                        .any(|&at| branch.shape.share(&found[at], mark.0))
                    {
                        alike.push(found.len());
                        is_new = true;
                    }
                }
                if is_new || !found.iter().any(|known| known.is_shared(&branch.shape)) {
                    found.push(branch.shape);
                }
                if is_hopeless(found.len(), done) {
                    return None;
                }
                match wanted {
                    Wanted::One => {
                        let are_all = branches.is_empty();
                        return Some(Found {
                            shapes: found,
                            are_all,
                        });
                    }
                    Wanted::All => continue,
                }
            };
            if found.len() + branches.len() + options.len() > MAX_SHAPES {
                return None;
            }
            // What has one way left is not chosen.
            branch.is_chosen |= options.len() > 1;
            done -= branch.share;
            branch.share /= options.len() as f64;
            branch.splits.swap_remove(at);
            for option in options.into_iter().rev() {
                let mut taken = branch.clone();
                taken.todo = option;
                branches.push(taken);
            }
        }
        Some(Found {
            shapes: found,
            are_all: true,
        })
    }

    /// Drops the types of which a shape leaves nothing, whatever is chosen yet: a choice may
    /// evaluate what nothing has evaluated so far.
    fn narrow_before_choices(&mut self, shape: &mut Shape<'a>) -> bool {
        let are_left = !shape.arrays.unevaluated.is_empty();
        if !are_left && shape.objects.unevaluated.is_empty() {
            return self.narrow(shape);
        }
        if !SHORTCUTS {
            return true;
        }
        let mut without = shape.clone();
        without.arrays().unevaluated.clear();
        without.objects().unevaluated.clear();
        let is_possible = self.narrow(&mut without);
        shape.types = without.types;
        is_possible
    }

    /// Takes all steps that are no choice; `false` where nothing is left.
    fn run(&mut self, branch: &mut Branch<'a>) -> bool {
        branch.todo.reverse();
        while let Some(step) = branch.todo.pop() {
            if !self.spend(1) || !self.take(branch, step) || branch.shape.types == Types::NONE {
                return false;
            }
        }
        true
    }

    /// The choice with the fewest open ways, and these.
    fn next_split(&mut self, branch: &mut Branch<'a>) -> Option<(usize, Vec<Steps<'a>>)> {
        let mut best: Option<(usize, Vec<Steps<'a>>)> = None;
        for at in 0..branch.splits.len() {
            let options = branch.splits[at].clone();
            let mut open = Vec::new();
            for option in options.iter() {
                if branch.knows(option) {
                    open = vec![Steps::new()];
                    break;
                }
                if self.is_open(branch, option) {
                    open.push(option.clone());
                }
                if best
                    .as_ref()
                    .is_some_and(|(_, fewest)| fewest.len() <= open.len())
                {
                    break;
                }
            }
            if best
                .as_ref()
                .is_none_or(|(_, fewest)| open.len() < fewest.len())
            {
                best = Some((at, open));
            }
            if best.as_ref().is_some_and(|(_, fewest)| fewest.len() <= 1) {
                break;
            }
        }
        best
    }

    /// Whether steps do not contradict at first sight what is known.
    fn is_open(&mut self, branch: &Branch<'a>, steps: &Steps<'a>) -> bool {
        // What speaks of members contradicts only what is said of objects.
        let types = branch.shape.types;
        let own = |step: &Step<'a>| match step {
            Step::Types(own) => *own,
            _ => Types::ALL,
        };
        let types = steps.iter().fold(types, |types, step| types.and(own(step)));
        let only_objects = !types.meets(Types::ALL.without(Types::OBJECT));
        steps.iter().all(|step| match step {
            Step::Types(types) => types.meets(branch.shape.types),
            Step::Schema((schema, holds), _) => {
                let is_denied = branch.has_seen((*schema, !holds))
                    || *holds && !self.possible_types(*schema).meets(branch.shape.types)
                    || only_objects && self.is_denied(branch, *schema, *holds);
                !is_denied
            }
            Step::Member(name, literal) if only_objects => {
                !self.is_member_denied(branch, name, *literal)
            }
            Step::Required(name) if only_objects => !branch.shape.objects.forbidden.contains(name),
            Step::Forbidden(name) if only_objects => !branch.shape.objects.required.contains(name),
            Step::Values(values, true) => {
                let objects = &branch.shape;
                let kinds = [
                    (Types::STRING, values.words.is_empty()),
                    (Types::NUMBER, values.numbers.is_empty()),
                ];
                let mut any = values.names.meets(objects.types);
                for (kind, empty) in kinds {
                    any |= !empty && kind.meets(objects.types);
                }
                any
            }
            _ => true,
        })
    }
}

/// Whether there will surely be too many shapes, so many having been found in a part of
/// the search; the more were found, the surer a guess is.
fn is_hopeless(found: usize, part: f64) -> bool {
    let guess = found as f64 / part;
    found >= SAMPLE && guess * found as f64 > (SURE * MAX_SHAPES) as f64
}
