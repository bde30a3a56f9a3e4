//! Damaged and spliced grammars of every dialect: no front end panics or hangs,
//! and what one reads is judged the same by the plain recogniser, which works on
//! the grammar as read, and by the checker, which rewrites and compiles it.
//!
//! `LACUNA_FUZZ_SECONDS=600` runs for so long for each dialect, from another seed
//! each time; without it a few hundred grammars are tried, always the same ones.

use std::time::{Duration, Instant, SystemTime};

use fastrand::Rng;
use lacuna_checker::{Checker, CheckerLimits, Pattern, Segment, Verdict};
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Diagnostics, Grammar, Slots, gbnf, lark, regex};

/// What one grammar may take to read. Limits are on size, so it is generous.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn gbnf_grammars() {
    fuzz(
        include_str!("../../grammar/tests/cases/gbnf.txt"),
        gbnf::parse,
    );
}

#[test]
fn lark_grammars() {
    let cases = concat!(
        include_str!("../../grammar/tests/cases/lark/rules.txt"),
        include_str!("../../grammar/tests/cases/lark/terminals.txt"),
        include_str!("../../grammar/tests/cases/lark/lexing.txt"),
        include_str!("../../grammar/tests/cases/lark/regexes.txt"),
        include_str!("../../grammar/tests/cases/lark/templates.txt"),
        include_str!("../../grammar/tests/cases/lark/constraints.txt"),
        include_str!("../../grammar/tests/cases/lark/slots.txt"),
    );
    fuzz(cases, |text| {
        let open = lark::open(text, &lark::Options::default())?;
        let mut slots = Slots::default();
        for slot in open.slots() {
            slots = slots.with_list(&slot.name, ["a", "b\"'", "select"]);
        }
        Ok(open.fill(&slots)?.grammar)
    });
}

#[test]
fn regular_expressions() {
    fuzz(
        include_str!("../../grammar/tests/cases/regex.txt"),
        regex::parse,
    );
}

#[test]
fn json_schemas() {
    let cases = include_str!("../../grammar/tests/cases/json_schema.txt");
    fuzz(cases, |text| {
        json_schema::compile(text, &SchemaOptions::membership())?;
        let options = SchemaOptions::generation().with_text("request", "a b");
        json_schema::compile(text, &options)
    });
}

fn fuzz(cases: &str, read: impl Fn(&str) -> Result<Grammar, Diagnostics>) {
    let seconds = std::env::var("LACUNA_FUZZ_SECONDS").ok();
    let seconds = seconds.map(|seconds| seconds.parse().expect("a number of seconds"));
    let seed = match (seconds, SystemTime::UNIX_EPOCH.elapsed()) {
        (Some(_), Ok(now)) => now.as_nanos() as u64,
        _ => 1,
    };
    let mut rng = Rng::with_seed(seed);
    let started = Instant::now();
    let (grammars, texts) = seeds(cases);
    let (mut read_well, mut members, mut judged, mut tried) = (0, 0, 0, 0);
    let goes_on = |tried: usize| match seconds {
        Some(seconds) => started.elapsed() < Duration::from_secs(seconds),
        None => tried < 400,
    };
    while goes_on(tried) {
        tried += 1;
        let grammar_text = damaged(&grammars, &mut rng);
        let before = Instant::now();
        let grammar = read(&grammar_text);
        assert!(before.elapsed() < PATIENCE, "slow: {grammar_text:?}");
        let Ok(grammar) = grammar else { continue };
        read_well += 1;
        let limits = CheckerLimits {
            parse_items: 20_000,
            ..CheckerLimits::default()
        };
        let Ok(mut checker) = Checker::new(&grammar, None, limits) else {
            continue;
        };
        for _ in 0..4 {
            let text = match rng.u8(..3) {
                0 => (0..rng.usize(..4)).map(|_| rng.char('a'..='c')).collect(),
                1 => texts[rng.usize(..texts.len())].clone(),
                _ => damaged(&texts, &mut rng),
            };
            if text.len() > 60 {
                continue;
            }
            let pattern = Pattern {
                segments: vec![Segment::Text(text.clone().into_bytes())],
            };
            let member = recognize(&grammar, text.as_bytes());
            match checker.check(&pattern).0 {
                Verdict::Exhausted { .. } => continue,
                verdict => assert_eq!(
                    matches!(verdict, Verdict::Completable(_)),
                    member,
                    "seed {seed}: {text:?} in {grammar_text:?}"
                ),
            }
            judged += 1;
            members += usize::from(member);
        }
    }
    println!("{tried} grammars, {read_well} read, {judged} texts judged, {members} members");
    assert!(
        read_well > tried / 20 && members > 0,
        "{read_well} of {tried}"
    );
}

/// The grammars of case files, and the texts that stand under them.
fn seeds(cases: &str) -> (Vec<String>, Vec<String>) {
    let (mut grammars, mut texts) = (Vec::new(), Vec::new());
    for case in cases.split("--- grammar\n").skip(1) {
        let mut sections = case.split("--- ");
        let grammar = sections.next().unwrap_or("");
        grammars.push(
            grammar
                .trim_end_matches('\n')
                .split("\n=== ")
                .next()
                .unwrap_or("")
                .to_owned(),
        );
        for line in sections.flat_map(|section| section.lines().skip(1)) {
            texts.push(serde_json::from_str(line).unwrap_or_else(|_| line.to_owned()));
            texts.push(line.to_owned());
        }
    }
    (grammars, texts)
}

/// One of `seeds` with a few characters taken out, doubled, swapped or put in, or
/// a piece of another.
fn damaged(seeds: &[String], rng: &mut Rng) -> String {
    let any = |rng: &mut Rng| -> Vec<char> { seeds[rng.usize(..seeds.len())].chars().collect() };
    let mut text = any(rng);
    for _ in 0..rng.usize(..4) {
        let at = rng.usize(..=text.len());
        match rng.u8(..4) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text.insert(at, text[rng.usize(..text.len())]),
            2 => {
                let other = any(rng);
                let from = rng.usize(..=other.len());
                let until = (from + rng.usize(..12)).min(other.len());
                text.splice(at..at, other[from..until].iter().copied());
            }
            _ => {
                let pool: Vec<char> = "\"\\()[]{}|*+?.,<\né0/~:%&iab_A #-^$".chars().collect();
                text.insert(at, pool[rng.usize(..pool.len())]);
            }
        }
    }
    text.into_iter().collect()
}
