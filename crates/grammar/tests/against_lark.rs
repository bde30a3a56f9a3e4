//! Lark as a judge: `cases/lark/against-lark.jsonl` holds what Lark's Earley
//! parser says of texts, behind Lark's own basic lexer (`lark`) and behind a
//! lexer in Python that follows the rule documented here (`munch`);
//! `against_lark.py` writes it. Lacuna must say what `munch` says; where Lark's
//! own lexer leads elsewhere, or llguidance, the line says why.

use std::collections::BTreeMap;
use std::path::Path;

use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Grammar, lark};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    grammar: String,
    text: String,
    lark: bool,
    munch: bool,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    llguidance: Option<bool>,
    #[serde(default)]
    llguidance_why: Option<String>,
}

/// What `docs/lark.md` explains.
const REASONS: [&str; 4] = ["first-alternative", "priority-first", "tie", "width-first"];
/// The same for llguidance.
const LLGUIDANCE_REASONS: [&str; 4] = ["contextual", "lazy-as-greedy", "no-way-back", "ties-open"];

#[test]
fn verdicts_are_those_of_lark_behind_the_documented_lexer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/lark");
    let lines = std::fs::read_to_string(folder.join("against-lark.jsonl")).unwrap();
    let mut grammars: BTreeMap<String, Grammar> = BTreeMap::new();
    let mut verdicts = [0, 0];
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut llguidance_reasons: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines.lines() {
        let line: Line = serde_json::from_str(line).expect(line);
        let grammar = grammars.entry(line.grammar.clone()).or_insert_with(|| {
            let path = folder.join(format!("against/{}.lark", line.grammar));
            let text = std::fs::read_to_string(path).unwrap();
            lark::parse(&text).unwrap_or_else(|found| panic!("{}: {found}", line.grammar))
        });
        let found = recognize(grammar, line.text.as_bytes());
        assert_eq!(found, line.munch, "{}: {:?}", line.grammar, line.text);
        verdicts[usize::from(found)] += 1;
        assert_eq!(line.why.is_some(), line.lark != line.munch);
        if let Some(why) = line.why {
            *reasons.entry(why).or_default() += 1;
        }
        let differs = line.llguidance.is_some_and(|verdict| verdict != line.munch);
        assert_eq!(line.llguidance_why.is_some(), differs);
        if let Some(why) = line.llguidance_why {
            *llguidance_reasons.entry(why).or_default() += 1;
        }
    }
    println!(
        "{} grammars, {verdicts:?}, {reasons:?}, {llguidance_reasons:?}",
        grammars.len()
    );
    assert!(grammars.len() >= 20 && verdicts.iter().all(|&count| count > 500));
    assert!(
        llguidance_reasons.keys().eq(LLGUIDANCE_REASONS),
        "all of these and no others: {llguidance_reasons:?}"
    );
    assert!(
        reasons.keys().eq(REASONS),
        "all of these and no others: {reasons:?}"
    );
}
