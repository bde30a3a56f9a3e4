//! One schema: its grammars, the verdicts on its instances, and texts drawn of it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use lacuna_checker::{CheckerLimits, Compiled};
use lacuna_grammar::json_schema::{SchemaOptions, Validator, compile, widen};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Diagnostics, Grammar, Place};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::corpus::Group;
use crate::gaps::Gaps;
use crate::mutation::{mutate, spell};
use crate::outside::Outside;
use crate::support::Sampler;
use crate::times::{Time, Times};
use crate::{clock, keys, support};

/// Times a schema is compiled, of which the best counts.
const ROUNDS: usize = 3;
/// What takes longer is done once.
const LONG: Duration = Duration::from_millis(200);
/// A text drawn is brought to an end once it is longer; recognising it takes time that
/// grows with the square.
const LONGEST: usize = 1_500;

/// What was found.
#[derive(Default)]
pub struct Tally {
    schemas: u32,
    refused_schemas: u32,
    /// Those of which only whole texts are judged.
    wide_schemas: u32,
    right: u32,
    admitted: u32,
    left_out: u32,
    refused: u32,
    witnesses: u32,
    changed: u32,
    unjudged: u32,
    disagreements: u32,
    refusals: BTreeMap<String, u32>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.schemas += other.schemas;
        self.refused_schemas += other.refused_schemas;
        self.wide_schemas += other.wide_schemas;
        self.right += other.right;
        self.admitted += other.admitted;
        self.left_out += other.left_out;
        self.refused += other.refused;
        self.witnesses += other.witnesses;
        self.changed += other.changed;
        self.unjudged += other.unjudged;
        self.disagreements += other.disagreements;
        for (refusal, count) in other.refusals {
            *self.refusals.entry(refusal).or_default() += count;
        }
    }

    /// Whether nothing was wrong.
    pub fn is_sound(&self) -> bool {
        self.admitted == 0 && self.left_out == 0 && self.disagreements == 0
    }

    pub fn print_refusals(&self) {
        let mut refusals: Vec<_> = self.refusals.iter().collect();
        refusals.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (refusal, count) in refusals {
            println!("    {count} {refusal}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} schemas, {} judged as whole texts only, {} refused; tests: {} right, {} wrong ({} invalid admitted, {} valid \
             left out), {} refused; drawn: {}, changed: {}, outside says otherwise: {}, cannot \
             say: {}",
            self.schemas,
            self.wide_schemas,
            self.refused_schemas,
            self.right,
            self.admitted + self.left_out,
            self.admitted,
            self.left_out,
            self.refused,
            self.witnesses,
            self.changed,
            self.disagreements,
            self.unjudged,
        )
    }
}

/// One schema under judgement.
pub struct Judgement<'c> {
    arguments: &'c Arguments,
    name: String,
    group: &'c Group,
    schema: String,
}

impl<'c> Judgement<'c> {
    pub fn new(arguments: &'c Arguments, file: &str, group: &'c Group) -> Self {
        let schema = group.schema.get();
        Self {
            arguments,
            name: match group.description.as_str() {
                "" => file.to_owned(),
                about => format!("{file}, {about}"),
            },
            group,
            schema: match &arguments.draft {
                Some(draft) => with_draft(schema, draft),
                None => schema.to_owned(),
            },
        }
    }

    pub fn judge(&mut self, tally: &mut Tally, times: &mut Times) {
        tally.schemas += 1;
        let (generation, time) = self.compiled(SchemaOptions::generation());
        times.writing.push(self.time(time, generation.is_ok()));
        let ready = self.ready(generation.as_ref().ok(), true, time);
        times.ready_to_write.extend(ready);
        let (membership, time) = self.compiled(SchemaOptions::membership());
        times.judging.push(self.time(time, membership.is_ok()));
        let ready = self.ready(membership.as_ref().ok(), false, time);
        times.ready_to_judge.extend(ready);
        match &membership {
            Ok(membership) => self.tests(|text| Some(recognize(membership, text)), tally),
            Err(found) => match self.wide() {
                Some((wide, validator)) => {
                    let admits = |text: &[u8]| match recognize(&wide, text) {
                        true => validator.is_valid(text),
                        false => Some(false),
                    };
                    tally.wide_schemas += 1;
                    *tally.refusals.entry(kind_of(found)).or_default() += 1;
                    self.tests(admits, tally);
                    self.draw_wide(&admits, tally);
                }
                None => self.refusal(found, tally),
            },
        }
        match (&generation, &membership) {
            (Ok(generation), Ok(membership)) => self.draw(generation, membership, tally),
            (Err(found), Ok(_)) => {
                println!("refused for writing only: {}: {found}", self.name);
                tally.disagreements += 1;
            }
            (Ok(_), Err(found)) => {
                println!("refused for judging only: {}: {found}", self.name);
            }
            (Err(_), Err(_)) => {}
        }
    }

    fn time(&self, taken: Duration, is_taken: bool) -> Time {
        Time {
            taken,
            length: self.schema.len(),
            is_taken,
            name: self.name.clone(),
        }
    }

    fn compiled(&self, mut options: SchemaOptions) -> (Result<Grammar, Diagnostics>, Duration) {
        options.documents = self.arguments.documents.clone();
        options.assert_formats = self.arguments.asserts_formats;
        let round = || {
            let start = clock::now();
            let compiled = compile(&self.schema, &options);
            (compiled, clock::now() - start)
        };
        let (compiled, mut best) = round();
        for _ in 1..ROUNDS {
            best = best.min(round().1);
        }
        (compiled, best)
    }

    /// The time until a checker can be made, which has `taken` so long to the grammar;
    /// `counts_cells` as who writes wants it.
    fn ready(
        &self,
        grammar: Option<&Grammar>,
        counts_cells: bool,
        taken: Duration,
    ) -> Option<Time> {
        let limits = CheckerLimits::default();
        let round = || {
            let start = clock::now();
            let compiled = Compiled::new(grammar?, counts_cells, &limits);
            Some((compiled.is_ok(), clock::now() - start))
        };
        let (is_taken, mut best) = round()?;
        let mut rounds = 1;
        while rounds < ROUNDS && best < LONG {
            best = best.min(round()?.1);
            rounds += 1;
        }
        Some(self.time(taken + best, is_taken))
    }

    fn refusal(&self, found: &Diagnostics, tally: &mut Tally) {
        let first = &found.0[0];
        tally.refused_schemas += 1;
        *tally.refusals.entry(kind_of(found)).or_default() += 1;
        for test in &self.group.tests {
            match (first.kind, test.valid) {
                ("impossible-schema", false) => tally.right += 1,
                ("impossible-schema", true) => {
                    println!("impossible, but valid: {}, {}", self.name, test.description);
                    tally.left_out += 1;
                }
                _ => tally.refused += 1,
            }
        }
        if !self.arguments.is_quiet {
            println!("refused: {}: {}: {found}", self.name, first.kind);
        }
    }

    /// What judges whole texts where no grammar says it all.
    fn wide(&self) -> Option<(Grammar, Validator)> {
        let mut options = SchemaOptions::membership();
        options.documents = self.arguments.documents.clone();
        options.assert_formats = self.arguments.asserts_formats;
        let wide = widen(&self.schema, &options).ok()?;
        let validator = Validator::new(&self.schema, &options).ok()?;
        Some((wide.grammar, validator))
    }

    fn tests(&self, admits: impl Fn(&[u8]) -> Option<bool>, tally: &mut Tally) {
        for test in &self.group.tests {
            let text = test.data.get();
            let Some(admitted) = admits(text.as_bytes()) else {
                tally.refused += 1;
                continue;
            };
            if admitted == test.valid {
                tally.right += 1;
                continue;
            }
            let what = match admitted {
                true => "admits",
                false => "leaves out",
            };
            println!("{what}: {}, {}: {text}", self.name, test.description);
            match admitted {
                true => tally.admitted += 1,
                false => tally.left_out += 1,
            }
        }
    }

    /// Draws texts of the grammar that admits more, and judges these and what is near
    /// them.
    fn draw_wide(&self, admits: &impl Fn(&[u8]) -> Option<bool>, tally: &mut Tally) {
        if self.arguments.witnesses == 0 {
            return;
        }
        let mut options = SchemaOptions::generation();
        options.documents = self.arguments.documents.clone();
        options.assert_formats = self.arguments.asserts_formats;
        let Ok(wide) = widen(&self.schema, &options) else {
            return;
        };
        let Some(outside) = self.outside(tally) else {
            return;
        };
        let sampler = Sampler::new(&wide.grammar);
        for seed in 0..self.arguments.witnesses {
            let rng = &mut fastrand::Rng::with_seed(seed);
            let drawn = sampler.draw_within(LONGEST, rng);
            let Ok(mut value) = serde_json::from_slice::<Value>(&drawn) else {
                continue;
            };
            for _ in 0..rng.u8(..3) {
                mutate(&mut value, rng);
            }
            let mut spelled = String::new();
            spell(&value, rng, &mut spelled);
            let Ok(reread) = serde_json::from_str::<Value>(&spelled) else {
                continue;
            };
            if spelled.len() > 8 * LONGEST || !self.is_comparable(spelled.as_bytes()) {
                continue;
            }
            tally.changed += 1;
            let expected = outside.is_valid(&reread);
            match admits(spelled.as_bytes()) {
                None => tally.unjudged += 1,
                Some(admitted) if admitted == expected => {}
                Some(true) => self.disagree(tally, &format!("admits what is not valid: {spelled}")),
                Some(false) => {
                    self.disagree(tally, &format!("leaves out what is valid: {spelled}"))
                }
            }
        }
    }

    /// The outside validator, if it takes the schema.
    fn outside(&self, tally: &mut Tally) -> Option<Outside> {
        let schema = serde_json::from_str::<Value>(&self.schema).ok()?;
        let outside = Outside::new(
            &schema,
            "",
            &self.arguments.read_documents,
            self.arguments.asserts_formats,
        );
        outside
            .map_err(|error| {
                if !self.arguments.is_quiet {
                    println!("the outside validator refuses {}: {error}", self.name);
                }
                tally.unjudged += 1;
            })
            .ok()
    }

    /// Draws texts, and judges them and what is near them.
    fn draw(&self, generation: &Grammar, membership: &Grammar, tally: &mut Tally) {
        if self.arguments.witnesses == 0 {
            return;
        }
        let Some(outside) = self.outside(tally) else {
            return;
        };
        let sampler = Sampler::new(generation);
        for seed in 0..self.arguments.witnesses {
            let rng = &mut fastrand::Rng::with_seed(seed);
            let drawn = sampler.draw_within(LONGEST, rng);
            let shown = String::from_utf8_lossy(&drawn);
            let Ok(mut value) = serde_json::from_slice::<Value>(&drawn) else {
                self.disagree(tally, &format!("draws no JSON: {shown}"));
                continue;
            };
            if !self.is_comparable(&drawn) || drawn.len() > 8 * LONGEST {
                continue;
            }
            tally.witnesses += 1;
            if !outside.is_valid(&value) {
                self.disagree(tally, &format!("draws what is not valid: {shown}"));
            }
            if !recognize(membership, &drawn) {
                self.disagree(tally, &format!("draws what it does not admit: {shown}"));
            }
            for _ in 0..=rng.u8(..3) {
                mutate(&mut value, rng);
            }
            let mut spelled = String::new();
            spell(&value, rng, &mut spelled);
            let Ok(reread) = serde_json::from_str::<Value>(&spelled) else {
                continue;
            };
            if !self.is_comparable(spelled.as_bytes()) {
                continue;
            }
            tally.changed += 1;
            let admitted = recognize(membership, spelled.as_bytes());
            if admitted != outside.is_valid(&reread) {
                let what = match admitted {
                    true => "admits what is not valid",
                    false => "leaves out what is valid",
                };
                self.disagree(tally, &format!("{what}: {spelled}"));
            }
        }
    }

    /// Asks canvases with gaps, where a grammar says all.
    pub fn ask_gaps(&self, tally: &mut Tally, gaps: &mut Gaps) {
        let mut options = SchemaOptions::membership();
        options.documents = self.arguments.documents.clone();
        options.assert_formats = self.arguments.asserts_formats;
        let Ok(grammar) = compile(&self.schema, &options) else {
            return;
        };
        let outside = self.outside(tally);
        let is_valid = |text: &[u8]| match (&outside, serde_json::from_slice::<Value>(text)) {
            (Some(outside), Ok(value)) => !self.is_comparable(text) || outside.is_valid(&value),
            (None, Ok(_)) => true,
            (_, Err(_)) => false,
        };
        gaps.ask(&self.name, self.schema.len(), &grammar, is_valid);
    }

    /// Whether the outside validator understands a text as the grammar does. Names that
    /// nobody names may repeat, which the documentation says. Of long numbers it sees
    /// sixteen digits; 1.0 is an integer to it in draft 4 too; of blanks its `\s` knows
    /// those of ASCII.
    fn is_comparable(&self, text: &[u8]) -> bool {
        let shown = String::from_utf8_lossy(text);
        let is_draft_4 = self.schema.contains("draft-04");
        let is_exotic = |c: char| "\u{b}\u{feff}".contains(c) || !c.is_ascii() && c.is_whitespace();
        let otherwise = keys::repeats_a_key(text)
            || support::has_long_number(text)
            || is_draft_4 && shown.contains(".0")
            || shown.contains(is_exotic);
        !otherwise
    }

    fn disagree(&self, tally: &mut Tally, what: &str) {
        tally.disagreements += 1;
        println!("{} {what}", self.name);
    }
}

/// What a refusal is about: its kind and the keyword it points at.
fn kind_of(found: &Diagnostics) -> String {
    let first = &found.0[0];
    let keyword = match &first.place {
        Place::Pointer(pointer) => pointer.rsplit('/').next().unwrap_or_default(),
        Place::Span { .. } => "the text",
    };
    let keyword = match keyword.is_empty() || keyword.chars().all(|c| c.is_ascii_digit()) {
        true => "",
        false => keyword,
    };
    format!("{} {keyword}", first.kind)
}

/// The schema with a `$schema` if it has none.
fn with_draft(schema: &str, draft: &str) -> String {
    match serde_json::from_str(schema) {
        Ok(Value::Object(mut members)) if !members.contains_key("$schema") => {
            members.insert("$schema".to_owned(), json!(draft));
            Value::Object(members).to_string()
        }
        _ => schema.to_owned(),
    }
}
