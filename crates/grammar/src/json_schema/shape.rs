//! What all schemas that hold for a value say of it together, type by type.
//!
//! A [`Shape`] is a set of values in *product form*: a keyword of JSON Schema
//! speaks of one type, so what many say together is one description for each
//! type, and meeting is adding to them. What is no product (`anyOf`, the denial
//! of several things) is a union of shapes: see [`super::expansion`].

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::decimal::Decimal;
use super::keyword::{Bound, Items, Members, SchemaId, Values};
use super::name_list::NameList;
use super::types::Types;
use crate::automaton::{Bounds, Language};
use crate::slots::Ask;

/// A schema that holds, or does not.
pub(super) type Literal = (SchemaId, bool);
/// Schemas that hold or do not, all at once; sorted. The empty one admits all.
pub(super) type Goals = Vec<Literal>;
/// Those whose `unevaluatedItems` and `unevaluatedProperties` a keyword counts
/// for, as a set of bits.
pub(super) type Scopes = u64;
/// Among scopes: it must be certain what does not count for them.
pub(super) const EXACTLY: Scopes = 1 << (Scopes::BITS - 1);

/// A set of values. What is said of a type is shared by the shapes that a choice leads to
/// until one of them says more, and in the end by those that say the same.
#[derive(Clone, Debug)]
pub(super) struct Shape<'a> {
    pub types: Types,
    pub numbers: Rc<Numbers>,
    pub strings: Rc<Strings<'a>>,
    pub arrays: Rc<Arrays>,
    pub objects: Rc<Objects<'a>>,
}

fn share<T: PartialEq>(own: &mut Rc<T>, other: &Rc<T>) -> bool {
    let is_equal = Rc::ptr_eq(own, other) || own == other;
    if is_equal {
        *own = other.clone();
    }
    is_equal
}

/// A set of numbers; whether integers or others is the types' to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub lower: Option<Bound>,
    pub upper: Option<Bound>,
    /// Multiples of these, or none.
    pub multiples: Vec<(Decimal, bool)>,
    /// One of these.
    pub listed: Option<Vec<Decimal>>,
    /// None of these.
    pub except: Vec<Decimal>,
    /// Integers are written without a point.
    pub without_point: bool,
}

/// A set of strings.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings<'a> {
    pub min: u32,
    pub max: Option<u32>,
    /// One of these, sorted.
    pub words: Option<Rc<[&'a str]>>,
    /// None of these.
    pub except: Vec<Rc<[&'a str]>>,
    /// Within these languages, or outside.
    pub texts: Vec<(Arc<Language>, bool)>,
    pub asks: Vec<Ask>,
}

impl PartialEq for Strings<'_> {
    /// Of one language there may be several automata; then this says no.
    fn eq(&self, other: &Self) -> bool {
        let address = |(texts, within): &(Arc<Language>, bool)| (Arc::as_ptr(texts), *within);
        (self.min, self.max) == (other.min, other.max)
            && self.words == other.words
            && self.except == other.except
            && self.asks == other.asks
            && self
                .texts
                .iter()
                .map(address)
                .eq(other.texts.iter().map(address))
    }
}

/// Items that something is said of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contained {
    pub goal: Literal,
    /// Only items from this one on count.
    pub from: u32,
    pub min: u32,
    pub max: Option<u32>,
    /// For whom what it finds is evaluated.
    pub scopes: Scopes,
}

/// `unevaluatedItems` or `unevaluatedProperties`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unevaluated {
    pub schema: SchemaId,
    /// What counts for it.
    pub scope: Scopes,
    /// What it counts for.
    pub outer: Scopes,
}

/// A set of arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrays {
    pub min: u32,
    pub max: Option<u32>,
    pub items: Vec<(Rc<Items>, Scopes)>,
    /// What is said of one position.
    pub at: Vec<(u32, Literal)>,
    pub contained: Vec<Contained>,
    /// The schema that wants no item twice.
    pub unique: Option<SchemaId>,
    pub unevaluated: Vec<Unevaluated>,
}

impl PartialEq for Arrays {
    fn eq(&self, other: &Self) -> bool {
        let address = |(items, scopes): &(Rc<Items>, Scopes)| (Rc::as_ptr(items), *scopes);
        (self.min, self.max, self.unique) == (other.min, other.max, other.unique)
            && self.at == other.at
            && self.contained == other.contained
            && self.unevaluated == other.unevaluated
            && self
                .items
                .iter()
                .map(address)
                .eq(other.items.iter().map(address))
    }
}

/// Names of members.
#[derive(Clone, Debug)]
pub(super) enum Names<'a> {
    /// Those of a language.
    Matching(Arc<Language>),
    /// Those that are neither in `properties` nor match `patternProperties`.
    Beside(Rc<Members<'a>>),
    /// Those that are not valid as strings.
    Denied(SchemaId),
    /// Those that nothing evaluates that counts for a scope.
    Unevaluated(Scopes),
}

impl PartialEq for Names<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Names::Matching(a), Names::Matching(b)) => Arc::ptr_eq(a, b),
            (Names::Beside(a), Names::Beside(b)) => Rc::ptr_eq(a, b),
            (Names::Denied(a), Names::Denied(b)) => a == b,
            (Names::Unevaluated(a), Names::Unevaluated(b)) => a == b,
            _ => false,
        }
    }
}

/// A set of objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects<'a> {
    pub min: u32,
    pub max: Option<u32>,
    pub members: Vec<(Rc<Members<'a>>, Scopes)>,
    pub required: NameList<'a>,
    pub forbidden: Vec<&'a str>,
    /// What is said of one name's value.
    pub at: Vec<(&'a str, Literal)>,
    /// Some member with such a name has such a value.
    pub some: Vec<(Names<'a>, Option<Literal>)>,
    /// What the names are, as strings.
    pub names: Vec<SchemaId>,
    pub unevaluated: Vec<Unevaluated>,
}

impl PartialEq for Objects<'_> {
    fn eq(&self, other: &Self) -> bool {
        let address = |(members, scopes): &(Rc<Members<'_>>, Scopes)| {
            (Rc::as_ptr(members).cast::<u8>(), *scopes)
        };
        (self.min, self.max) == (other.min, other.max)
            && self.required == other.required
            && self.forbidden == other.forbidden
            && self.at == other.at
            && self.some == other.some
            && self.names == other.names
            && self.unevaluated == other.unevaluated
            && self
                .members
                .iter()
                .map(address)
                .eq(other.members.iter().map(address))
    }
}

impl<'a> Shape<'a> {
    /// Every value.
    pub(super) fn all() -> Self {
        Self {
            types: Types::ALL,
            numbers: Rc::default(),
            strings: Rc::default(),
            arrays: Rc::default(),
            objects: Rc::default(),
        }
    }

    /// What is said of numbers, to be added to; and so on.
    pub(super) fn numbers(&mut self) -> &mut Numbers {
        Rc::make_mut(&mut self.numbers)
    }

    pub(super) fn strings(&mut self) -> &mut Strings<'a> {
        Rc::make_mut(&mut self.strings)
    }

    pub(super) fn arrays(&mut self) -> &mut Arrays {
        Rc::make_mut(&mut self.arrays)
    }

    pub(super) fn objects(&mut self) -> &mut Objects<'a> {
        Rc::make_mut(&mut self.objects)
    }

    /// For what is said of numbers, strings, arrays and objects numbers that are the same
    /// where it is equal.
    pub(super) fn marks(&self) -> [u64; 4] {
        let mark = |add: &dyn Fn(&mut FxHasher)| {
            let mut hasher = FxHasher::default();
            add(&mut hasher);
            hasher.finish()
        };
        let (numbers, strings) = (&self.numbers, &self.strings);
        let (arrays, objects) = (&self.arrays, &self.objects);
        [
            mark(&|hasher| (numbers.multiples.len(), numbers.except.len()).hash(hasher)),
            mark(&|hasher| {
                (strings.min, strings.max, strings.except.len()).hash(hasher);
                strings.words.hash(hasher);
                for (texts, within) in &strings.texts {
                    (Arc::as_ptr(texts), within).hash(hasher);
                }
            }),
            mark(&|hasher| {
                (arrays.min, arrays.max, &arrays.at, arrays.contained.len()).hash(hasher);
                for (items, scopes) in &arrays.items {
                    (Rc::as_ptr(items), scopes).hash(hasher);
                }
            }),
            mark(&|hasher| {
                (objects.min, objects.max, objects.some.len()).hash(hasher);
                (&objects.required, &objects.forbidden, &objects.at).hash(hasher);
                for (members, scopes) in &objects.members {
                    (Rc::as_ptr(members).cast::<u8>(), scopes).hash(hasher);
                }
            }),
        ]
    }

    /// Shares what another shape says of numbers, strings, arrays or objects, by their
    /// place in the marks, where that is equal.
    pub(super) fn share(&mut self, other: &Self, kind: usize) -> bool {
        match kind {
            0 => share(&mut self.numbers, &other.numbers),
            1 => share(&mut self.strings, &other.strings),
            2 => share(&mut self.arrays, &other.arrays),
            _ => share(&mut self.objects, &other.objects),
        }
    }

    /// Whether all is shared with another shape.
    pub(super) fn is_shared(&self, other: &Self) -> bool {
        self.types == other.types
            && Rc::ptr_eq(&self.numbers, &other.numbers)
            && Rc::ptr_eq(&self.strings, &other.strings)
            && Rc::ptr_eq(&self.arrays, &other.arrays)
            && Rc::ptr_eq(&self.objects, &other.objects)
    }

    /// Whether something is surely left; looks at what is said of one type only.
    pub(super) fn settle(&mut self) -> bool {
        if self.types.meets(Types::NUMBER) {
            self.types = self.types.without(self.numbers.impossible(self.types));
        }
        if self.types.meets(Types::STRING) && self.strings.is_impossible() {
            self.types = self.types.without(Types::STRING);
        }
        if self.arrays.max.is_some_and(|max| max < self.arrays.min) {
            self.types = self.types.without(Types::ARRAY);
        }
        if self.types.meets(Types::OBJECT) && self.objects.is_impossible() {
            self.types = self.types.without(Types::OBJECT);
        }
        self.types != Types::NONE
    }

    /// Keeps only listed values, arrays and objects aside.
    pub(super) fn list(&mut self, values: &Values<'a>) {
        let mut kept = values.names;
        if !values.words.is_empty() {
            kept = kept.or(Types::STRING);
            let words = values.words.clone();
            let strings = self.strings();
            strings.words = Some(match &strings.words {
                None => words,
                Some(known) => {
                    let both = known
                        .iter()
                        .filter(|word| words.binary_search(word).is_ok());
                    both.copied().collect()
                }
            });
        }
        if !values.numbers.is_empty() {
            kept = kept.or(Types::NUMBER);
            let numbers = self.numbers();
            numbers.listed = Some(match &numbers.listed {
                None => values.numbers.clone(),
                Some(known) => {
                    let both = known
                        .iter()
                        .filter(|number| values.numbers.contains(number));
                    both.cloned().collect()
                }
            });
        }
        self.types = self.types.and(kept);
    }

    /// Leaves listed values out, arrays and objects aside.
    pub(super) fn except(&mut self, values: &Values<'a>) {
        self.types = self.types.without(values.names);
        if !values.words.is_empty() {
            let strings = self.strings();
            strings.except.push(values.words.clone());
        }
        if !values.numbers.is_empty() {
            let numbers = self.numbers();
            numbers.except.extend(values.numbers.iter().cloned());
        }
    }
}

impl Numbers {
    pub(super) fn raise(&mut self, bound: Bound) {
        let tighter = self.lower.as_ref().is_none_or(|known| {
            bound.value > known.value || bound.value == known.value && bound.exclusive
        });
        if tighter {
            self.lower = Some(bound);
        }
    }

    pub(super) fn cap(&mut self, bound: Bound) {
        let tighter = self.upper.as_ref().is_none_or(|known| {
            bound.value < known.value || bound.value == known.value && bound.exclusive
        });
        if tighter {
            self.upper = Some(bound);
        }
    }

    /// Whether the bounds, the multiples and the lists admit a number.
    pub(super) fn admits(&self, number: &Decimal) -> bool {
        let above = self.lower.as_ref().is_none_or(|bound| {
            *number > bound.value || *number == bound.value && !bound.exclusive
        });
        let below = self.upper.as_ref().is_none_or(|bound| {
            *number < bound.value || *number == bound.value && !bound.exclusive
        });
        let mut multiples = self.multiples.iter();
        above
            && below
            && !self.except.contains(number)
            && self
                .listed
                .as_ref()
                .is_none_or(|listed| listed.contains(number))
            && multiples.all(|(divisor, holds)| number.is_multiple_of(divisor) == *holds)
    }

    /// All the numbers, where they are integers and few.
    pub(super) fn few(&self, types: Types, most: usize) -> Option<Vec<Decimal>> {
        let of_type = |number: &Decimal| {
            types.meets(match number.is_integer() {
                true => Types::INTEGER,
                false => Types::FRACTION,
            })
        };
        if let Some(listed) = &self.listed {
            let left = listed
                .iter()
                .filter(|number| of_type(number) && self.admits(number));
            return Some(left.cloned().collect());
        }
        let (lower, upper) = (self.lower.as_ref()?, self.upper.as_ref()?);
        if types.meets(Types::FRACTION) && lower.value != upper.value {
            return None;
        }
        let mut next = lower.value.first_integer(lower.exclusive);
        let mut found = Vec::new();
        while next <= upper.value && !(upper.exclusive && next == upper.value) {
            if found.len() > most {
                return None;
            }
            let after = next.first_integer(true);
            if self.admits(&next) {
                found.push(next);
            }
            next = after;
        }
        Some(found)
    }

    /// Those of the number types that surely nothing is left of.
    fn impossible(&self, types: Types) -> Types {
        if let Some(listed) = &self.listed {
            let mut left = Types::NONE;
            for number in listed.iter().filter(|number| self.admits(number)) {
                left = left.or(match number.is_integer() {
                    true => Types::INTEGER,
                    false => Types::FRACTION,
                });
            }
            return Types::NUMBER.without(left);
        }
        let (Some(lower), Some(upper)) = (&self.lower, &self.upper) else {
            return Types::NONE;
        };
        if lower.value > upper.value
            || lower.value == upper.value && (lower.exclusive || upper.exclusive)
        {
            return Types::NUMBER;
        }
        if lower.value == upper.value {
            return match self.admits(&lower.value) {
                true if lower.value.is_integer() => Types::FRACTION,
                true => Types::INTEGER,
                false => Types::NUMBER,
            };
        }
        let whole = types.meets(Types::INTEGER)
            && lower.value.first_integer(lower.exclusive)
                > upper.value.last_integer(upper.exclusive);
        match whole {
            true => Types::INTEGER,
            false => Types::NONE,
        }
    }
}

impl Strings<'_> {
    /// Whether a text is among them; slots are left aside.
    pub(super) fn admits(&self, text: &str) -> bool {
        let length = || text.chars().count();
        (self.min == 0 || length() >= self.min as usize)
            && self.max.is_none_or(|max| length() <= max as usize)
            && self
                .words
                .as_ref()
                .is_none_or(|words| words.binary_search(&text).is_ok())
            && self
                .except
                .iter()
                .all(|words| words.binary_search(&text).is_err())
            && self
                .texts
                .iter()
                .all(|(texts, within)| texts.accepts(text) == *within)
    }

    /// The same without bounds.
    pub(super) fn of_any_length(&self) -> Self {
        Self {
            min: 0,
            max: None,
            ..self.clone()
        }
    }

    /// How many characters there may be.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            min: self.min,
            max: self.max,
        }
    }

    fn is_impossible(&self) -> bool {
        let turned = self.max.is_some_and(|max| max < self.min);
        let words = self.words.as_ref();
        turned || words.is_some_and(|words| !words.iter().any(|word| self.admits(word)))
    }
}

impl<'a> Objects<'a> {
    pub(super) fn require(&mut self, name: &'a str) {
        self.required.add(name);
    }

    fn is_impossible(&self) -> bool {
        let count = self.required.len() as u32;
        let max = self.max;
        max.is_some_and(|max| max < self.min.max(count))
            || self
                .forbidden
                .iter()
                .any(|name| self.required.contains(name))
    }
}
