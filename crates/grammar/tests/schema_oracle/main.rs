//! Random schemas of every draft and random instances: what the compiled grammars say,
//! an outside validator says too, and so does the one for what grammars cannot say; and
//! what a generation grammar derives is valid and belongs to the membership grammar.
//! Where a schema is refused because nothing is valid under it, the outside validator
//! finds nothing valid. Spellings that are left out are of the kinds that the
//! documentation names, and keys that may repeat are.

mod asking;
mod denied;
mod doubts;
#[path = "../support/drafts.rs"]
mod drafts;
#[path = "../support/keys.rs"]
mod keys;
#[path = "../support/keywords.rs"]
mod keywords;
#[path = "../support/mutation.rs"]
mod mutation;
#[path = "../support/outside.rs"]
mod outside;
mod repeats;
mod resources;
mod schemas;
mod spelling;
#[path = "../support/mod.rs"]
mod support;
mod tally;

use drafts::{DRAFTS, Draft};
use lacuna_grammar::json_schema::{SchemaOptions, Validator, compile, widen};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Grammar, Place};
use mutation::{mutate, pool_value, spell};
use outside::Outside;
use resources::{Drawn, Formats};
use serde_json::Value;
use spelling::{KINDS, Kind};
use support::Sampler;
use tally::{Left, Tally};

/// Random schemas of all drafts; the environment variable `LACUNA_SCHEMAS` asks for more.
const SCHEMAS: u64 = 3_000;
const INSTANCES: usize = 12;

#[test]
fn agrees_with_an_outside_validator() {
    let asked = std::env::var("LACUNA_SCHEMAS").ok();
    let asked = asked.and_then(|number| number.parse().ok());
    let each = asked.unwrap_or(SCHEMAS) / DRAFTS.len() as u64;
    let mut tallies = Vec::new();
    let mut left = Left::default();
    for draft in DRAFTS {
        let mut tally = Tally::default();
        for seed in 0..each {
            let rng = &mut fastrand::Rng::with_seed(seed);
            judge(&Case::draw(draft, seed, rng), rng, &mut tally, &mut left);
        }
        println!("draft {}: {tally}", draft.name());
        tallies.push(tally);
    }
    println!("{left}");
    for (draft, tally) in DRAFTS.iter().zip(&tallies) {
        tally.check(*draft);
    }
}

/// A schema and how it is asked about.
struct Case {
    draft: Draft,
    seed: u64,
    drawn: Drawn,
    text: String,
    /// All that is said, in the documents too.
    said: String,
}

impl Case {
    fn draw(draft: Draft, seed: u64, rng: &mut fastrand::Rng) -> Self {
        let drawn = resources::draw(draft, rng);
        let text = drawn.schema.to_string();
        let documents = drawn.documents.values().map(Value::to_string);
        let said = documents.fold(text.clone(), |said, document| said + &document);
        Self {
            draft,
            seed,
            drawn,
            text,
            said,
        }
    }

    /// Whether the schema or a document is of draft 4.
    fn is_partly_four(&self) -> bool {
        self.said.contains("draft-04")
    }

    fn asserts_formats(&self) -> bool {
        self.drawn.formats != Formats::Annotations
    }

    fn options(&self, mut options: SchemaOptions) -> SchemaOptions {
        options.assert_formats = self.drawn.formats == Formats::Asserted;
        for (uri, document) in &self.drawn.documents {
            options.documents.push((uri.clone(), document.to_string()));
        }
        options
    }

    fn outside(&self) -> Outside {
        self.outside_of("")
    }

    /// Judges by the part that a JSON pointer leads to.
    fn outside_of(&self, pointer: &str) -> Outside {
        let Drawn {
            schema, documents, ..
        } = &self.drawn;
        Outside::new(schema, pointer, documents, self.asserts_formats())
            .unwrap_or_else(|error| panic!("{self}: {error}"))
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let draft = self.draft.name();
        write!(f, "draft {draft}, seed {}, {}", self.seed, self.said)?;
        match self.asserts_formats() {
            true => f.write_str(", formats asserted"),
            false => Ok(()),
        }
    }
}

/// What was compiled of a case.
struct Compiled {
    membership: Grammar,
    generation: Grammar,
    validator: Validator,
    /// Whether the grammars admit more, so that the validator judges whole texts.
    is_wide: bool,
}

impl Compiled {
    fn admits(&self, text: &[u8]) -> bool {
        recognize(&self.membership, text)
            && (!self.is_wide || self.validator.is_valid(text) == Some(true))
    }
}

fn judge(case: &Case, rng: &mut fastrand::Rng, tally: &mut Tally, left: &mut Left) {
    tally.schemas += 1;
    let Some(compiled) = compiled(case, rng, tally) else {
        return;
    };
    tally.wide += u64::from(compiled.is_wide);
    tally.heard(&case.said, case.draft);
    let judge = case.outside();
    let named = repeats::named(&case.drawn.schema);
    let sampler = Sampler::new(&compiled.generation);
    for _ in 0..INSTANCES {
        let drawn = sampler.draw(rng);
        let shown = String::from_utf8_lossy(&drawn);
        let mut value: Value = serde_json::from_slice(&drawn).expect(&shown);
        // Of long numbers the validator sees sixteen digits.
        if support::has_long_number(&drawn) {
            tally.left_out += 1;
            continue;
        }
        if keys::repeats_a_key(&drawn) {
            tally.left_out += 1;
            if !compiled.is_wide {
                is_documented(case, &judge, &named, &drawn, rng);
            }
            continue;
        }
        assert!(
            compiled.is_wide || judge.is_valid(&value),
            "{case} generates {shown}"
        );
        assert!(
            recognize(&compiled.generation, &drawn),
            "{case} loses {shown}"
        );
        for _ in 0..rng.u8(..3) {
            mutate(&mut value, rng);
        }
        if case.is_partly_four() {
            write_integers_so(&mut value);
        }
        let mut spelled = String::new();
        spell(&value, rng, &mut spelled);
        // In draft 4 it tells integers by their values, not by their spelling.
        if case.is_partly_four() && case.said.contains("integer") && spelled.contains(".0") {
            tally.left_out += 1;
            continue;
        }
        let reread: Value = serde_json::from_str(&spelled).expect(&spelled);
        if case.asserts_formats() && doubts::has_doubtful_string(&reread) {
            tally.left_out += 1;
            continue;
        }
        let expected = judge.is_valid(&reread);
        let found = compiled.admits(spelled.as_bytes());
        // It looks at parts that the grammar has no use for, and some have no meaning.
        match compiled.validator.is_valid(spelled.as_bytes()) {
            Some(told) => assert_eq!(told, expected, "{case} and {spelled}"),
            None => {
                tally.untold += 1;
                continue;
            }
        }
        assert_eq!(found, expected, "{case} and {spelled}");
        *(if expected {
            &mut tally.valid
        } else {
            &mut tally.invalid
        }) += 1;
        if expected {
            respell(case, &compiled, &judge, &reread, rng, left);
        }
    }
}

/// Takes the point out of integers.
fn write_integers_so(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(write_integers_so),
        Value::Object(members) => members.values_mut().for_each(write_integers_so),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0);
            if let Some(whole) = whole.filter(|whole| whole.abs() < 1e15) {
                *value = (whole as i64).into();
            }
        }
        _ => {}
    }
}

/// The grammars, unless the schema is refused.
fn compiled(case: &Case, rng: &mut fastrand::Rng, tally: &mut Tally) -> Option<Compiled> {
    let both = [SchemaOptions::membership(), SchemaOptions::generation()];
    let both = both.map(|options| case.options(options));
    let exact = both.each_ref().map(|options| compile(&case.text, options));
    let is_wide = exact.iter().any(Result::is_err);
    let grammars = match is_wide {
        true => both
            .each_ref()
            .map(|options| Ok(widen(&case.text, options)?.grammar)),
        false => exact,
    };
    let (membership, generation) = match grammars {
        [Ok(membership), Ok(generation)] => {
            warnings_hold(case, &both[0], rng, tally);
            (membership, generation)
        }
        [Err(found), _] | [_, Err(found)] => {
            let kind = found.0[0].kind;
            *tally.refusals.entry(kind).or_default() += 1;
            if kind == "impossible-schema" {
                let judge = case.outside();
                for _ in 0..INSTANCES {
                    let value = pool_value(2, rng);
                    assert!(
                        !denied::excludes(&found.0[0], &value) || !judge.is_valid(&value),
                        "{case} is possible: {value}"
                    );
                }
            }
            return None;
        }
    };
    Some(Compiled {
        membership,
        generation,
        validator: Validator::new(&case.text, &both[0]).unwrap(),
        is_wide,
    })
}

/// Nothing is valid under the parts of which that is said.
fn warnings_hold(case: &Case, options: &SchemaOptions, rng: &mut fastrand::Rng, tally: &mut Tally) {
    // What a part says may depend on where it is come from.
    let is_dynamic = ["$dynamicRef", "$recursiveRef"].map(|keyword| case.said.contains(keyword));
    let Ok(linted) = widen(&case.text, options) else {
        return;
    };
    let warnings = linted.warnings.iter();
    for warning in warnings.filter(|it| it.kind == "impossible-schema") {
        let Place::Pointer(pointer) = &warning.place else {
            panic!("{case}: {warning:?}");
        };
        if is_dynamic.contains(&true) || !pointer.starts_with('/') {
            continue;
        }
        if !warning.message.contains("no value is valid") {
            continue;
        }
        tally.absent += 1;
        let judge = case.outside_of(pointer);
        for _ in 0..INSTANCES {
            let value = pool_value(2, rng);
            assert!(!judge.is_valid(&value), "{case}: {pointer} admits {value}");
        }
    }
}

/// Another spelling of a valid instance is valid; it is only left out if the
/// documentation says so, and counted.
fn respell(
    case: &Case,
    compiled: &Compiled,
    judge: &Outside,
    value: &Value,
    rng: &mut fastrand::Rng,
    left: &mut Left,
) {
    let kind = KINDS[rng.usize(..KINDS.len())];
    let Some(spelled) = spelling::spell(value, kind, rng) else {
        return;
    };
    let reread: Value = serde_json::from_str(&spelled).expect(&spelled);
    if support::has_long_number(spelled.as_bytes()) {
        return;
    }
    assert!(judge.is_valid(&reread), "{kind}: {case} and {spelled}");
    let admits = compiled.admits(spelled.as_bytes());
    let may_be_left_out =
        kind.may_be_left_out(case.is_partly_four(), asking::asked(&case.drawn, value));
    left.count(kind, case.is_partly_four(), may_be_left_out, !admits);
    assert!(
        admits || may_be_left_out,
        "{kind}: {case} leaves out {spelled}"
    );
    if kind == Kind::Repeated {
        if admits {
            let named = repeats::named(&case.drawn.schema);
            is_documented(case, judge, &named, spelled.as_bytes(), rng);
        }
    } else if !case.is_partly_four() {
        let told = compiled.validator.is_valid(spelled.as_bytes());
        assert_ne!(told, Some(false), "{kind}: {case} and {spelled}");
    }
}

/// A key that stands twice is one of an endless set that nobody names.
fn is_documented(
    case: &Case,
    judge: &Outside,
    named: &std::collections::BTreeSet<String>,
    text: &[u8],
    rng: &mut fastrand::Rng,
) {
    let shown = String::from_utf8_lossy(text);
    let key = repeats::of_the_whole(text);
    if let Some(key) = key.filter(|key| named.contains(key)) {
        panic!("{case} names {key:?}, which repeats in {shown}");
    }
    if repeats::is_of_many(text, judge, rng) == Some(false) {
        panic!("{case} has few names for what repeats in {shown}");
    }
}
