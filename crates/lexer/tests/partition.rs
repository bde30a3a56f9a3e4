//! Oracle: two tokens are of one class exactly if, from every state of the lexer, they
//! finish the same terminals and land in the same states.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lacuna_grammar::automaton::Limits;
use lacuna_grammar::lark;
use lacuna_lexer::{
    Lexer, LexerState, Spanner, StepId, TerminalId, TokenClasses, TokenId, TokenPartition,
    Vocabulary,
};

const GRAMMARS: [&str; 4] = [
    "start: NAME (\"+\" NAME)*\nNAME: /[a-c]+/\n%ignore \" \"",
    "start: (\"if\" | \"i\" | NUMBER | \"..\" | \".\")*\nNUMBER: /[0-9]+(\\.[0-9]+)?/",
    "start: (A | B | \",\")*\nA: /a+b/\nB: /a+/\n%ignore /,+ /",
    "start: STRING*\nSTRING: /\"[^\"]*\"/\n%ignore /#[a-c]*/",
];

/// All texts of up to three of these bytes.
fn vocabulary() -> Arc<Vocabulary> {
    let alphabet = b"abif1. +\",#";
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].clone();
        at += 1;
        if token.len() < 3 {
            tokens.extend(
                alphabet
                    .iter()
                    .map(|&byte| [token.as_slice(), &[byte]].concat()),
            );
        }
    }
    let mut tokens: Vec<Option<Vec<u8>>> = tokens.into_iter().skip(1).map(Some).collect();
    let special = tokens.len() as TokenId;
    tokens.extend([None, None]);
    Arc::new(Vocabulary::new(tokens, vec![special], special + 1).expect("a vocabulary"))
}

/// The terminals that a token finishes, and the state that it lands in, in all ways.
type Ways = BTreeSet<(Vec<TerminalId>, LexerState)>;

/// The terminals that are finished on all ways to a step.
fn finished(classes: &TokenClasses, step: StepId) -> Vec<Vec<TerminalId>> {
    if step == 0 {
        return vec![Vec::new()];
    }
    let before = classes.steps[step as usize].before.iter();
    let ways = before.flat_map(|&(before, terminal)| {
        let ways = finished(classes, before).into_iter();
        ways.map(move |way| [way, vec![terminal]].concat())
    });
    ways.collect()
}

#[test]
fn classes_are_those_of_all_states_together() {
    let vocabulary = vocabulary();
    for text in GRAMMARS {
        let grammar = lark::parse(text).expect(text);
        let lexicon = grammar.lexicon.as_ref().expect("a lexicon");
        let all = 0..lexicon.terminals.len() as u32;
        let wanted: Vec<Option<u32>> = all.map(Some).collect();
        let lexer = Lexer::munching(lexicon, &wanted, None, &Limits::default()).expect(text);
        let mut spanner = Spanner::new(Arc::clone(&vocabulary));
        let mut ways: Vec<Vec<(LexerState, Ways)>> = vec![Vec::new(); vocabulary.len()];
        for state in 0..lexer.state_count() as LexerState {
            let classes = spanner.classes(&lexer, state);
            for class in &classes.classes {
                let mut found = Ways::new();
                for &(step, landing) in &class.landings {
                    let finished = finished(&classes, step);
                    found.extend(finished.into_iter().map(|finished| (finished, landing)));
                }
                for &token in &class.tokens {
                    ways[token as usize].push((state, found.clone()));
                }
            }
        }
        let partition = TokenPartition::new(&lexer, &vocabulary);
        let mut expected: BTreeMap<&[(LexerState, Ways)], u32> = BTreeMap::new();
        for (ways, &class) in ways.iter().zip(&partition.of_token) {
            match class {
                None => assert!(ways.is_empty(), "{text}"),
                Some(class) => assert_eq!(*expected.entry(ways).or_insert(class), class, "{text}"),
            }
        }
        assert_eq!(expected.len(), partition.classes, "{text}");
        assert!(partition.classes > 4, "{text}");
    }
}
