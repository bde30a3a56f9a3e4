//! What a keyword says, and what denying it says, as steps that narrow a shape.
//!
//! Denying a keyword that speaks of one type gives values of that type only:
//! the others satisfy it.

use std::rc::Rc;
use std::sync::Arc;

use super::decimal::Decimal;
use super::expansion::Expander;
use super::keyword::{Bound, Items, Keyword, Members, Node, SchemaId, Values};
use super::shape::{Contained, EXACTLY, Literal, Names, Scopes, Unevaluated};
use super::types::Types;
use crate::automaton::Language;
use crate::slots::Ask;

/// Steps that are taken together.
pub(super) type Steps<'a> = Vec<Step<'a>>;

/// One way to narrow a set of values.
#[derive(Clone, Debug)]
pub(super) enum Step<'a> {
    /// A schema holds, or does not, and counts for these scopes.
    Schema(Literal, Scopes),
    /// Any of these, each of several steps.
    Split(Rc<Vec<Steps<'a>>>),
    Types(Types),
    WithoutPoint,
    /// Listed values, or others; arrays and objects aside.
    Values(Rc<Values<'a>>, bool),
    Lower(Bound),
    Upper(Bound),
    Multiple(Decimal, bool),
    Length(u32, Option<u32>),
    Text(Arc<Language>, bool),
    Ask(Ask),
    ItemCount(u32, Option<u32>),
    Items(Rc<Items>, Scopes),
    Item(u32, Literal),
    Contained(Contained),
    Unique(SchemaId),
    UnevaluatedItems(Unevaluated),
    PropertyCount(u32, Option<u32>),
    Members(Rc<Members<'a>>, Scopes),
    Required(&'a str),
    Forbidden(&'a str),
    Member(&'a str, Literal),
    Some(Names<'a>, Option<Literal>),
    Names(SchemaId),
    UnevaluatedProperties(Unevaluated),
}

/// What a keyword says, for those whose evaluated members it counts for:
/// `inside` for what stands in the schema, `outside` for the schema itself.
pub(super) fn assert<'a>(
    expander: &mut Expander<'a>,
    schema: SchemaId,
    keyword: &Keyword<'a>,
    (inside, outside): (Scopes, Scopes),
    steps: &mut Steps<'a>,
) {
    let holds = |schema: SchemaId| Step::Schema((schema, true), inside);
    let fails = |schema: SchemaId| Step::Schema((schema, false), 0);
    steps.push(match keyword {
        Keyword::Types(types) => Step::Types(*types),
        Keyword::WithoutPoint => Step::WithoutPoint,
        Keyword::Values(values) if values.composites.is_empty() => {
            Step::Values(values.clone(), true)
        }
        Keyword::Values(values) => {
            let composites = values.composites.iter();
            let mut options: Vec<Steps<'a>> = composites
                .map(|&schema| vec![Step::Schema((schema, true), 0)])
                .collect();
            options.push(vec![Step::Values(values.clone(), true)]);
            split(options)
        }
        Keyword::Lower(bound) => Step::Lower(bound.clone()),
        Keyword::Upper(bound) => Step::Upper(bound.clone()),
        Keyword::Multiple(divisor) => Step::Multiple(divisor.clone(), true),
        Keyword::Length(min, max) => Step::Length(*min, *max),
        Keyword::Text(texts) => Step::Text(texts.clone(), true),
        Keyword::Ask(ask) => Step::Ask(ask.clone()),
        Keyword::ItemCount(min, max) => Step::ItemCount(*min, *max),
        Keyword::Items(items) => Step::Items(items.clone(), inside),
        Keyword::Contains {
            schema,
            min,
            max,
            evaluates,
        } => Step::Contained(Contained {
            goal: (*schema, true),
            from: 0,
            min: *min,
            max: *max,
            scopes: if *evaluates { inside } else { 0 },
        }),
        Keyword::Unique => Step::Unique(schema),
        Keyword::PropertyCount(min, max) => Step::PropertyCount(*min, *max),
        Keyword::Members(members) => Step::Members(members.clone(), inside),
        Keyword::Required(names) => {
            steps.extend(names.iter().map(|name| Step::Required(name)));
            return;
        }
        Keyword::Names(schema) => Step::Names(*schema),
        Keyword::DependentNames(name, needed) => {
            let mut with: Steps<'a> = vec![Step::Required(name)];
            with.extend(needed.iter().map(|name| Step::Required(name)));
            split(vec![vec![Step::Forbidden(name)], with])
        }
        Keyword::DependentSchema(name, schema) => {
            let mut with = vec![Step::Required(name), holds(*schema)];
            // Of other values it evaluates nothing.
            if inside != 0 {
                with.insert(0, Step::Types(Types::OBJECT));
            }
            split(vec![vec![Step::Forbidden(name)], with])
        }
        Keyword::UnevaluatedItems(schema) => Step::UnevaluatedItems(Unevaluated {
            schema: *schema,
            scope: inside & !outside,
            outer: outside,
        }),
        Keyword::UnevaluatedProperties(schema) => Step::UnevaluatedProperties(Unevaluated {
            schema: *schema,
            scope: inside & !outside,
            outer: outside,
        }),
        Keyword::All(list) => {
            steps.extend(list.iter().map(|&schema| holds(schema)));
            return;
        }
        Keyword::Any(list) if inside == 0 => {
            split(list.iter().map(|&schema| vec![holds(schema)]).collect())
        }
        Keyword::Any(list) => split(any_that_hold(expander, schema, list, inside)),
        Keyword::One(list) => split(one_that_holds(expander, list, inside)),
        Keyword::Not(schema) => fails(*schema),
        Keyword::If {
            condition,
            then,
            otherwise,
        } => {
            let condition = *condition;
            match (then, otherwise) {
                (None, None) if inside == 0 => return,
                (None, None) if inside & EXACTLY != 0 => {
                    split(vec![vec![holds(condition)], vec![fails(condition)]])
                }
                (None, None) => split(vec![vec![holds(condition)], Vec::new()]),
                (Some(then), None) => split(vec![
                    vec![holds(condition), holds(*then)],
                    vec![fails(condition)],
                ]),
                (None, Some(otherwise)) => split(vec![
                    vec![holds(condition)],
                    vec![fails(condition), holds(*otherwise)],
                ]),
                (Some(then), Some(otherwise)) => split(vec![
                    vec![holds(condition), holds(*then)],
                    vec![fails(condition), holds(*otherwise)],
                ]),
            }
        }
        Keyword::Same(schema) => holds(*schema),
    });
}

/// `anyOf` where it matters which of the schemas hold: whoever evaluates more
/// admits more, so it is enough that those in the choice hold, unless it must be
/// certain what is not evaluated.
fn any_that_hold<'a>(
    expander: &mut Expander<'a>,
    schema: SchemaId,
    list: &[SchemaId],
    scopes: Scopes,
) -> Vec<Steps<'a>> {
    const MOST: usize = 8;
    let (speaking, silent): (Vec<SchemaId>, Vec<SchemaId>) = list
        .iter()
        .partition(|&&branch| expander.may_evaluate(branch));
    if speaking.len() > MOST {
        if expander.is_wide() {
            expander.hopeless = true;
            return Vec::new();
        }
        let pointer = format!("{}/anyOf", expander.document.pointer(schema));
        let message =
            format!("over {MOST} schemas here may evaluate what an unevaluated… keyword asks for");
        expander.document.find("too-large", &pointer, message);
        return Vec::new();
    }
    let holds = |schema: &SchemaId| Step::Schema((*schema, true), scopes);
    let fails = |schema: &SchemaId| Step::Schema((*schema, false), 0);
    let is_exact = scopes & EXACTLY != 0;
    let subsets = (1..1usize << speaking.len()).rev().map(|subset| {
        let each = speaking.iter().enumerate();
        let steps = each.filter_map(|(index, schema)| match subset & (1 << index) != 0 {
            true => Some(holds(schema)),
            false => is_exact.then(|| fails(schema)),
        });
        steps.collect()
    });
    let others = silent.iter().map(|schema| {
        let denied = speaking.iter().filter(|_| is_exact).map(fails);
        denied.chain([holds(schema)]).collect()
    });
    subsets.chain(others).collect()
}

fn one_that_holds<'a>(
    expander: &mut Expander<'a>,
    list: &[SchemaId],
    scopes: Scopes,
) -> Vec<Steps<'a>> {
    let option = |expander: &mut Expander<'a>, index: usize| {
        let mut steps = vec![Step::Schema((list[index], true), scopes)];
        for (other, &schema) in list.iter().enumerate() {
            if other != index && !expander.are_disjoint(list[index], schema) {
                steps.push(Step::Schema((schema, false), 0));
            }
        }
        steps
    };
    (0..list.len())
        .map(|index| option(expander, index))
        .collect()
}

/// What denying a schema says: any of these. The scope is for what it evaluates where
/// all else in it holds.
pub(super) fn deny<'a>(
    expander: &mut Expander<'a>,
    schema: SchemaId,
    node: &Node<'a>,
    scope: Scopes,
) -> Vec<Steps<'a>> {
    let mut options = Vec::new();
    for keyword in &node.keywords {
        match keyword {
            Keyword::UnevaluatedProperties(rest) => {
                options.push(left_unevaluated(expander, schema, node, *rest, scope));
            }
            keyword => deny_one(expander, schema, (node, keyword), &mut options),
        }
    }
    options
}

/// Whether a schema requires members of this name, or else describes them.
fn speaks_of(node: &Node<'_>, name: &str, requires: bool) -> bool {
    node.keywords.iter().any(|keyword| match keyword {
        Keyword::Required(names) => requires && names.contains(&name),
        Keyword::Members(members) => !requires && members.of(name).is_some(),
        _ => false,
    })
}

/// All of a schema's other keywords hold, and some member that none of them evaluates
/// is not valid under `rest`.
fn left_unevaluated<'a>(
    expander: &mut Expander<'a>,
    schema: SchemaId,
    node: &Node<'a>,
    rest: SchemaId,
    scope: Scopes,
) -> Steps<'a> {
    let mut steps = vec![Step::Types(Types::OBJECT)];
    for keyword in &node.keywords {
        let is_of_rest = matches!(
            keyword,
            Keyword::UnevaluatedItems(_) | Keyword::UnevaluatedProperties(_)
        );
        if !is_of_rest {
            assert(expander, schema, keyword, (scope, 0), &mut steps);
        }
    }
    let goal = (!expander.document.is_false(rest)).then_some((rest, false));
    steps.push(Step::Some(Names::Unevaluated(scope & !EXACTLY), goal));
    steps
}

fn deny_one<'a>(
    expander: &mut Expander<'a>,
    schema: SchemaId,
    (node, keyword): (&Node<'a>, &Keyword<'a>),
    options: &mut Vec<Steps<'a>>,
) {
    let holds = |schema: &SchemaId| Step::Schema((*schema, true), 0);
    let fails = |schema: &SchemaId| Step::Schema((*schema, false), 0);
    let mut of = |types: Types, rest: Steps<'a>| {
        let mut steps = vec![Step::Types(types)];
        steps.extend(rest);
        options.push(steps);
    };
    match keyword {
        Keyword::Types(types) => of(Types::ALL.without(*types), Vec::new()),
        // Leaves out spellings; so does what it is denied to.
        Keyword::WithoutPoint => {}
        Keyword::Values(values) => {
            let mut steps = vec![Step::Values(values.clone(), false)];
            steps.extend(values.composites.iter().map(fails));
            options.push(steps);
        }
        Keyword::Lower(bound) => of(Types::NUMBER, vec![Step::Upper(opposite(bound))]),
        Keyword::Upper(bound) => of(Types::NUMBER, vec![Step::Lower(opposite(bound))]),
        Keyword::Multiple(divisor) => {
            of(Types::NUMBER, vec![Step::Multiple(divisor.clone(), false)]);
        }
        Keyword::Length(min, max) => {
            outside(*min, *max, |min, max| {
                of(Types::STRING, vec![Step::Length(min, max)])
            });
        }
        Keyword::Text(texts) => of(Types::STRING, vec![Step::Text(texts.clone(), false)]),
        Keyword::Ask(_) => {
            let message = "what is not a slot's value cannot be told while it is open";
            expander.refuse("open-slot", schema, "", message);
        }
        Keyword::ItemCount(min, max) => {
            outside(*min, *max, |min, max| {
                of(Types::ARRAY, vec![Step::ItemCount(min, max)])
            });
        }
        Keyword::Items(items) => {
            for (index, &schema) in (0..).zip(&items.prefix) {
                let item = Step::Item(index, (schema, false));
                of(Types::ARRAY, vec![Step::ItemCount(index + 1, None), item]);
            }
            if let Some(rest) = items.rest {
                let some = Contained {
                    goal: (rest, false),
                    from: items.prefix.len() as u32,
                    min: 1,
                    max: None,
                    scopes: 0,
                };
                of(Types::ARRAY, vec![Step::Contained(some)]);
            }
        }
        Keyword::Contains {
            schema, min, max, ..
        } => outside(*min, *max, |min, max| {
            let contained = Contained {
                goal: (*schema, true),
                from: 0,
                min,
                max,
                scopes: 0,
            };
            of(Types::ARRAY, vec![Step::Contained(contained)]);
        }),
        Keyword::Unique | Keyword::UnevaluatedItems(_) if expander.is_wide() => {
            of(Types::ARRAY, Vec::new());
            let message = "arrays that must not be as it says are not supported";
            expander.admit_more(schema, "", message);
        }
        Keyword::Unique => {
            let message = "arrays in which some item repeats are not supported";
            expander.refuse("unsupported-keyword", schema, "/uniqueItems", message);
        }
        Keyword::PropertyCount(min, max) => {
            outside(*min, *max, |min, max| {
                of(Types::OBJECT, vec![Step::PropertyCount(min, max)])
            });
        }
        Keyword::Members(members) => {
            for &(name, schema) in &members.named {
                // Where it must be there, being absent is the same as being wrong.
                let mut steps = vec![Step::Member(name, (expander.alike(schema), false))];
                if !speaks_of(node, name, true) {
                    steps.push(Step::Required(name));
                }
                of(Types::OBJECT, steps);
            }
            for (texts, schema) in &members.patterns {
                let names = Names::Matching(texts.clone());
                of(
                    Types::OBJECT,
                    vec![Step::Some(names, Some((*schema, false)))],
                );
            }
            if let Some(additional) = members.additional {
                let names = Names::Beside(members.clone());
                of(
                    Types::OBJECT,
                    vec![Step::Some(names, Some((additional, false)))],
                );
            }
        }
        Keyword::Required(names) => {
            for name in names {
                if !speaks_of(node, name, false) {
                    of(Types::OBJECT, vec![Step::Forbidden(name)]);
                }
            }
        }
        Keyword::Names(schema) => {
            of(
                Types::OBJECT,
                vec![Step::Some(Names::Denied(*schema), None)],
            );
        }
        Keyword::DependentNames(name, needed) => {
            for needed in needed {
                of(
                    Types::OBJECT,
                    vec![Step::Required(name), Step::Forbidden(needed)],
                );
            }
        }
        Keyword::DependentSchema(name, schema) => {
            of(Types::OBJECT, vec![Step::Required(name), fails(schema)]);
        }
        // Its denial speaks of all the other keywords too.
        Keyword::UnevaluatedProperties(_) => {}
        Keyword::UnevaluatedItems(_) => {
            let message = "this keyword is not supported where it may have to fail";
            expander.refuse("unsupported-keyword", schema, "/unevaluatedItems", message);
        }
        Keyword::All(list) => options.extend(list.iter().map(|schema| vec![fails(schema)])),
        Keyword::Any(list) => options.push(list.iter().map(fails).collect()),
        Keyword::One(list) => {
            options.push(list.iter().map(fails).collect());
            for (index, first) in list.iter().enumerate() {
                for second in &list[index + 1..] {
                    if !expander.are_disjoint(*first, *second) {
                        options.push(vec![holds(first), holds(second)]);
                    }
                }
            }
        }
        Keyword::Not(schema) => options.push(vec![holds(schema)]),
        Keyword::If {
            condition,
            then,
            otherwise,
        } => {
            if let Some(then) = then {
                options.push(vec![holds(condition), fails(then)]);
            }
            if let Some(otherwise) = otherwise {
                options.push(vec![fails(condition), fails(otherwise)]);
            }
        }
        Keyword::Same(schema) => options.push(vec![fails(schema)]),
    }
}

pub(super) fn split(options: Vec<Steps<'_>>) -> Step<'_> {
    Step::Split(Rc::new(options))
}

fn opposite(bound: &Bound) -> Bound {
    Bound {
        value: bound.value.clone(),
        exclusive: !bound.exclusive,
    }
}

/// The counts that a range leaves out.
fn outside(min: u32, max: Option<u32>, mut visit: impl FnMut(u32, Option<u32>)) {
    if min > 0 {
        visit(0, Some(min - 1));
    }
    if let Some(max) = max {
        visit(max + 1, None);
    }
}
