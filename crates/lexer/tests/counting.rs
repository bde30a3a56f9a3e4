//! Oracle: a lexer that counts characters beside its states says of every text what one says
//! that has a state for each count.

use std::collections::{BTreeMap, BTreeSet};

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{Counted, Dfa, Limits, Ranged};
use lacuna_grammar::regex::parse_ecma_search;
use lacuna_lexer::{
    Contexts, Counts, Lexer, LexerState, StateSet, TerminalId, TokenPartition, Vocabulary,
};

/// Terminals that are counted, and such as are not, alike and not. Texts outside of ⟨these⟩ stand
/// before and behind what is counted.
const LEXERS: [&[(&str, u32, Option<u32>)]; 9] = [
    &[("^a*$", 0, Some(5))],
    &[
        ("^[ab]*é?$", 2, Some(4)),
        ("^a+$", 0, Some(9)),
        ("^a[ab]b$", 0, None),
    ],
    &[
        ("^(a|bé)*$", 0, Some(6)),
        ("^b.*a$", 3, None),
        ("^é{0,3}$", 1, Some(3)),
    ],
    &[
        ("^[^b]*$", 0, Some(3)),
        ("^[^a]*$", 0, Some(2)),
        ("^ab?$", 0, None),
    ],
    &[("^(ab)*$", 0, Some(7)), ("^a(-[^b]+)?b[aé]*$", 0, Some(8))],
    &[
        ("^é*$", 4, None),
        ("^(aé)*b$", 0, Some(6)),
        ("^a.{2,4}$", 0, None),
    ],
    &[("ab⟨^[aé]*$⟩b", 0, Some(3)), ("⟨^a[ab]*$⟩-", 2, Some(5))],
    &[("é-⟨^a*$⟩", 2, None), ("é⟨^[^b]*$⟩b-", 0, Some(3))],
    &[
        ("-⟨^(a|é)b*$⟩-", 2, Some(4)),
        ("-⟨^[ab]*$⟩-", 0, Some(4)),
        ("^-a.*$", 0, None),
    ],
];

const ALPHABET: &[u8] = "abé-".as_bytes();

/// The lexer that counts and the one that has states for all counts.
fn lexers(terminals: &[(&str, u32, Option<u32>)]) -> (Lexer, Lexer) {
    let limits = Limits::default();
    let (mut texts, mut counts, mut written_out) = (Vec::new(), Vec::new(), Vec::new());
    for (id, &(pattern, min, max)) in (0..).zip(terminals) {
        let (before, pattern, behind) = parts(pattern);
        let expr = parse_ecma_search(pattern).expect(pattern);
        if (min, max) == (0, None) && before.is_empty() && behind.is_empty() {
            let whole = Ranged::from(&Dfa::from_expr(&expr, &limits).expect(pattern));
            texts.push(whole.without_empty_text());
            written_out.push(whole.without_empty_text());
            continue;
        }
        let counted = Counted::of_expr(&expr, min, max, &limits);
        let counted = counted.expect(pattern).expect("lengths without holes");
        let whole = counted.written_out(&limits).expect(pattern);
        if before.is_empty() && behind.is_empty() {
            let (automaton, ahead) = counted.of_any_length();
            texts.push(automaton);
            counts.push((id, Counts { ahead, min, max }));
            written_out.push(Ranged::from(&whole).without_empty_text());
            continue;
        }
        let enclosed = counted.enclosed(before.as_bytes(), behind.as_bytes());
        let (automaton, ahead, more) = enclosed.expect("it is certain where it ends");
        texts.push(automaton);
        let (min, max) = (min + more, max.map(|max| max + more));
        counts.push((id, Counts { ahead, min, max }));
        let text = |text: &str| Expr::Literal(text.as_bytes().into());
        let all = vec![text(before), Expr::Automaton(whole.into()), text(behind)];
        let whole = Dfa::from_expr(&Expr::Sequence(all), &limits).expect(pattern);
        written_out.push(Ranged::from(&whole));
    }
    let counting = Lexer::within(&texts, &counts, &Contexts::any(texts.len()), &limits)
        .expect("a small lexer");
    let free = Lexer::free(&written_out, None, &limits).expect("a small lexer");
    (counting, free)
}

/// What stands before a pattern, the pattern, and what stands behind it.
fn parts(pattern: &str) -> (&str, &str, &str) {
    let parts = pattern.split_once('⟨').and_then(|(before, rest)| {
        let (pattern, behind) = rest.split_once('⟩')?;
        Some((before, pattern, behind))
    });
    parts.unwrap_or(("", pattern, ""))
}

#[test]
fn it_is_certain_where_the_text_behind_begins() {
    let limits = Limits::default();
    let expr = parse_ecma_search("^[ab]*$").expect("a pattern");
    let counted = Counted::of_expr(&expr, 0, Some(9), &limits).expect("a small automaton");
    let counted = counted.expect("lengths without holes");
    assert!(counted.enclosed(b"a", b"-").is_some());
    assert!(counted.enclosed(b"a", b"b-").is_none());
}

/// Calls for all states that texts lead to, of both.
fn for_states(
    (counting, free): &(Lexer, Lexer),
    mut visit: impl FnMut(LexerState, LexerState, &[u8]),
) {
    let mut open = vec![(Lexer::START, Lexer::START, Vec::new())];
    let mut met = BTreeSet::new();
    while let Some((one, other, text)) = open.pop() {
        if !met.insert((one, other)) {
            continue;
        }
        visit(one, other, &text);
        for &byte in ALPHABET {
            let next = (counting.next(one, byte), free.next(other, byte));
            let longer = [text.as_slice(), &[byte]].concat();
            assert_eq!(next.0.is_some(), next.1.is_some(), "behind {longer:?}");
            if let (Some(one), Some(other)) = next {
                open.push((one, other, longer));
            }
        }
    }
}

#[test]
fn counts_beside_states_are_states_of_counts() {
    let mut states = 0;
    for terminals in LEXERS {
        let both = lexers(terminals);
        let (counting, free) = &both;
        let mut set = StateSet::new(counting);
        for_states(&both, |one, other, text| {
            states += 1;
            let shown = format!("{terminals:?} behind {:?}", String::from_utf8_lossy(text));
            let ends = |lexer: &Lexer, state| -> BTreeSet<Option<TerminalId>> {
                let finishes = lexer.finishes(state).iter();
                finishes.map(|finish| finish.terminal).collect()
            };
            assert_eq!(ends(counting, one), ends(free, other), "{shown}");
            for terminal in 0..terminals.len() as TerminalId {
                let alive = free.is_alive(other, terminal);
                assert_eq!(counting.is_alive(one, terminal), alive, "{shown}");
            }
            assert_eq!(counting.may_end(one), free.may_end(other), "{shown}");
            assert_eq!(counting.is_end(one), free.is_end(other), "{shown}");
            let moves: Vec<_> = counting.moves(one).collect();
            for &(byte, next) in &moves {
                assert_eq!(counting.next(one, byte), Some(next), "{shown}");
            }
            let targets: BTreeSet<LexerState> = moves.iter().map(|&(_, next)| next).collect();
            assert_eq!(targets.len(), moves.len(), "{shown}");
            set.insert(one);
            assert!(set.contains(one) && !set.insert(one), "{shown}");
        });
        let packed = counting.pack().expect("a small lexer");
        let read = Lexer::unpack(&packed, &Limits::default()).expect("what was packed");
        assert_eq!(read.pack(), Ok(packed));
        for_states(&(read, free.clone()), |_, _, _| {});
    }
    assert!(states > 100, "{states} states");
}

/// Two tokens are one class only if from every state, with every count, they do the same.
#[test]
fn tokens_of_a_class_do_the_same_with_every_count() {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    for length in 0..3 {
        let longer = tokens.iter().filter(|text| text.len() >= length);
        let longer =
            longer.flat_map(|text| ALPHABET.iter().map(|&byte| [text, &[byte][..]].concat()));
        let mut longer: Vec<_> = longer.collect();
        tokens.append(&mut longer);
    }
    tokens.sort();
    tokens.dedup();
    tokens.retain(|text| !text.is_empty());
    let all = [None, None]
        .into_iter()
        .chain(tokens.iter().cloned().map(Some));
    let vocabulary = Vocabulary::new(all.collect(), vec![0], 1).expect("a vocabulary");
    for terminals in LEXERS {
        let both = lexers(terminals);
        let partition = TokenPartition::new(&both.0, &vocabulary);
        let mut classes: BTreeMap<u32, Vec<&[u8]>> = BTreeMap::new();
        for (class, text) in partition.of_token.iter().skip(2).zip(&tokens) {
            if let Some(class) = class {
                classes.entry(*class).or_default().push(text);
            }
        }
        assert!(
            classes.len() > 2,
            "{terminals:?}: {} classes",
            classes.len()
        );
        for_states(&both, |state, _, text| {
            for tokens in classes.values() {
                let ways = |token: &[u8]| ways(&both.0, state, token);
                let first = ways(tokens[0]);
                for token in &tokens[1..] {
                    let shown = format!(
                        "{terminals:?} behind {text:?}: {:?} and {token:?}",
                        tokens[0]
                    );
                    assert_eq!(ways(token), first, "{shown}");
                }
            }
        });
    }
}

/// The terminals that a text finishes, and the state that it lands in, in all ways.
fn ways(lexer: &Lexer, state: LexerState, text: &[u8]) -> BTreeSet<(Vec<TerminalId>, LexerState)> {
    let mut here = BTreeSet::from([(Vec::new(), state)]);
    for &byte in text {
        let mut behind = BTreeSet::new();
        for (finished, state) in here {
            let ends = lexer.finishes(state).iter().map(|finish| {
                let terminal = finish.terminal.into_iter();
                (
                    finished.iter().copied().chain(terminal).collect(),
                    finish.to,
                )
            });
            let from: Vec<(Vec<TerminalId>, LexerState)> =
                ends.chain([(finished.clone(), state)]).collect();
            for (finished, state) in from {
                behind.extend(lexer.next(state, byte).map(|next| (finished, next)));
            }
        }
        here = behind;
    }
    here
}
