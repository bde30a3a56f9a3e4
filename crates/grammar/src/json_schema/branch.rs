//! One shape of a union under construction, and the steps that narrow it.

use std::rc::Rc;
use std::sync::Arc;

use super::expansion::Expander;
use super::shape::{EXACTLY, Literal, Scopes, Shape};
use super::steps::{Step, Steps, assert, deny, split};
use super::told::Words;

/// A union of shapes under construction: one of them.
#[derive(Clone)]
pub(super) struct Branch<'a> {
    pub shape: Shape<'a>,
    pub todo: Steps<'a>,
    pub splits: Vec<Rc<Vec<Steps<'a>>>>,
    /// Sorted.
    pub seen: Vec<(Literal, Scopes)>,
    pub scopes: u32,
    /// The words that members may be.
    pub told: Vec<(&'a str, Words<'a>)>,
    /// Whether it is one of several since its values were looked into.
    pub is_chosen: bool,
    /// Its part of the search, as far as the ways of choices are alike.
    pub share: f64,
}

impl<'a> Branch<'a> {
    /// Whether steps surely say nothing new. A choice of them is none then: its other ways
    /// only say more.
    pub(super) fn knows(&self, steps: &Steps<'a>) -> bool {
        let objects = &self.shape.objects;
        let mut each = steps.iter();
        !steps.is_empty()
            && each.all(|step| match step {
                Step::Types(types) => self.shape.types.and(*types) == self.shape.types,
                Step::Schema(literal, scopes) => *scopes == 0 && self.has_seen(*literal),
                Step::Required(name) => objects.required.contains(name),
                Step::Forbidden(name) => objects.forbidden.contains(name),
                Step::Member(name, literal) => {
                    objects.at.contains(&(*name, *literal)) || objects.forbidden.contains(name)
                }
                _ => false,
            })
    }

    /// Whether a schema was taken to hold, or not to, whatever it counts for.
    pub(super) fn has_seen(&self, literal: Literal) -> bool {
        let at = self.seen.partition_point(|&seen| seen < (literal, 0));
        self.seen.get(at).is_some_and(|(seen, _)| *seen == literal)
    }
}

impl<'a> Expander<'a> {
    /// Takes a step that is no choice, or keeps the choice; `false` where nothing is left.
    pub(super) fn take(&mut self, branch: &mut Branch<'a>, step: Step<'a>) -> bool {
        let shape = &mut branch.shape;
        match step {
            Step::Schema(literal, scopes) => return self.schema(branch, literal, scopes),
            Step::Split(options) => branch.splits.push(options),
            Step::Types(types) => shape.types = shape.types.and(types),
            Step::WithoutPoint => shape.numbers().without_point = true,
            Step::Values(values, true) => shape.list(&values),
            Step::Values(values, false) => shape.except(&values),
            Step::Lower(bound) => shape.numbers().raise(bound),
            Step::Upper(bound) => shape.numbers().cap(bound),
            Step::Multiple(divisor, holds) => {
                let multiple = (divisor, holds);
                if !shape.numbers.multiples.contains(&multiple) {
                    shape.numbers().multiples.push(multiple);
                }
            }
            Step::Length(min, max) => {
                let strings = shape.strings();
                within(&mut strings.min, &mut strings.max, min, max);
            }
            Step::Text(texts, within) => {
                let mut known = shape.strings.texts.iter();
                if !known.any(|(other, same)| Arc::ptr_eq(other, &texts) && *same == within) {
                    shape.strings().texts.push((texts, within));
                }
            }
            Step::Ask(ask) => shape.strings().asks.push(ask),
            Step::ItemCount(min, max) => {
                let arrays = shape.arrays();
                within(&mut arrays.min, &mut arrays.max, min, max);
            }
            Step::Items(items, scopes) => shape.arrays().items.push((items, scopes)),
            Step::Item(index, literal) => shape.arrays().at.push((index, literal)),
            Step::Contained(contained) => shape.arrays().contained.push(contained),
            Step::Unique(schema) => {
                shape.arrays().unique.get_or_insert(schema);
            }
            Step::UnevaluatedItems(unevaluated) => shape.arrays().unevaluated.push(unevaluated),
            Step::PropertyCount(min, max) => {
                let objects = shape.objects();
                within(&mut objects.min, &mut objects.max, min, max);
            }
            Step::Members(members, scopes) => shape.objects().members.push((members, scopes)),
            Step::Required(name) => shape.objects().require(name),
            Step::Forbidden(name) => {
                if !shape.objects.forbidden.contains(&name) {
                    shape.objects().forbidden.push(name);
                }
            }
            Step::Member(name, literal) => shape.objects().at.push((name, literal)),
            Step::Some(names, literal) => shape.objects().some.push((names, literal)),
            Step::Names(schema) => shape.objects().names.push(schema),
            Step::UnevaluatedProperties(unevaluated) => {
                shape.objects().unevaluated.push(unevaluated);
            }
        }
        true
    }

    fn schema(&mut self, branch: &mut Branch<'a>, literal: Literal, scopes: Scopes) -> bool {
        let (schema, holds) = literal;
        let Err(place) = branch.seen.binary_search(&(literal, scopes)) else {
            return true;
        };
        if branch.has_seen((schema, !holds)) || !self.is_grounded(schema) {
            return false;
        }
        branch.seen.insert(place, (literal, scopes));
        let node = self.document.node(schema);
        if node.never {
            return !holds;
        }
        let asks = node.asks_what_is_evaluated();
        if asks && branch.scopes + 1 == Scopes::BITS {
            let message = "too many schemas here ask what others evaluate";
            self.refuse("too-large", schema, "", message);
            return false;
        }
        let own = 1 << branch.scopes;
        branch.scopes += u32::from(asks);
        if !holds {
            let mut options = deny(self, schema, &node, own | EXACTLY);
            match options.len() {
                0 => return false,
                1 => branch.todo.extend(options.remove(0).into_iter().rev()),
                _ => branch.todo.push(split(options)),
            }
            return true;
        }
        let told = self.told(schema);
        branch.tell(&told);
        let inside = scopes | if asks { own } else { 0 };
        let mut steps = Vec::new();
        for keyword in &node.keywords {
            assert(self, schema, keyword, (inside, scopes), &mut steps);
        }
        branch.todo.extend(steps.into_iter().rev());
        true
    }
}

fn within(known_min: &mut u32, known_max: &mut Option<u32>, min: u32, max: Option<u32>) {
    *known_min = min.max(*known_min);
    *known_max = match (*known_max, max) {
        (Some(known), Some(max)) => Some(known.min(max)),
        (known, max) => known.or(max),
    };
}
