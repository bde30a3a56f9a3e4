//! Oracle: what a lexer of lexemes that end anywhere says behind some bytes is what the
//! automaton of each terminal, read alone, says behind them.

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{Dfa, Limits, Ranged};
use lacuna_lexer::{Contexts, Lexer, TerminalId};

const ALPHABET: &[u8] = b"ab\"";

/// Few and many, alike and not, finite and not, one whose start bytes lead back to, and
/// one without any text.
fn terminals() -> Vec<Dfa> {
    let a = || Expr::Literal(b"a"[..].into());
    let b = || Expr::Literal(b"b"[..].into());
    let any = || Expr::Chars(Box::new([(0x61, 0x62)]));
    let mut expressions = vec![
        any().star(),
        Expr::Sequence(vec![any().star(), a()]),
        Expr::Sequence(vec![any().star(), b(), any()]),
        Expr::Sequence(vec![a(), a(), b(), any().star(), a()]),
    ];
    // Texts between quotes, but for a few of them.
    for bits in 0..32u32 {
        let text = |bit: u32| if bits >> bit & 1 == 1 { a() } else { b() };
        let quote = || Expr::Literal(b"\""[..].into());
        let mut parts = vec![quote()];
        parts.extend((0..1 + bits % 5).map(text));
        parts.extend([any().star(), quote()]);
        expressions.push(Expr::Sequence(parts));
    }
    let limits = Limits::default();
    let automata = expressions.iter().map(|expression| {
        let automaton = Dfa::from_expr(expression, &limits).expect("a small automaton");
        let empty = Dfa::of_text(b"");
        automaton.minus(&empty, &limits).expect("a small automaton")
    });
    automata.chain([Dfa::nothing()]).collect()
}

#[test]
fn a_product_of_any_number_says_what_each_says() {
    let all = terminals();
    for count in 0..=all.len() {
        let terminals = &all[all.len() - count..];
        let ranged: Vec<Ranged> = terminals.iter().map(Ranged::from).collect();
        let lexer = Lexer::free(&ranged, None, &Limits::default()).expect("a small lexer");
        let mut open = vec![(Lexer::START, Vec::new())];
        let mut texts = 0;
        while let Some((state, text)) = open.pop() {
            texts += 1;
            let at = |terminal: &Dfa| terminal.read(terminal.start(), &text);
            let told = |holds: &dyn Fn(&Dfa) -> bool| -> Vec<TerminalId> {
                let ids = (0..).zip(terminals).filter(|(_, terminal)| holds(terminal));
                ids.map(|(id, _)| id).collect()
            };
            let accepting = told(&|terminal| terminal.accepts(&text));
            let finishes = lexer.finishes(state).iter();
            let finishes: Vec<_> = finishes.filter_map(|finish| finish.terminal).collect();
            assert_eq!(finishes, accepting, "behind {text:?}");
            let alive = told(&|terminal| !terminal.is_empty() && at(terminal).is_some());
            let said: Vec<TerminalId> = (0..count as TerminalId)
                .filter(|&terminal| lexer.is_alive(state, terminal))
                .collect();
            assert_eq!(said, alive, "behind {text:?}");
            assert_eq!(lexer.may_end(state), text.is_empty(), "behind {text:?}");
            for &byte in ALPHABET.iter().filter(|_| text.len() < 8) {
                let longer = [text.as_slice(), &[byte]].concat();
                let goes_on = terminals
                    .iter()
                    .any(|terminal| terminal.read(terminal.start(), &longer).is_some());
                match lexer.next(state, byte) {
                    Some(next) => {
                        assert_ne!(next, Lexer::START, "behind {longer:?}");
                        open.push((next, longer));
                    }
                    None => assert!(!goes_on, "behind {longer:?}"),
                }
            }
        }
        assert!(count < 10 || texts > 300, "{texts} texts were read");
    }
}

/// Many automata with few states together: those on the way are left out of the list of
/// states again and again.
#[test]
fn a_product_may_have_parts_of_many_more_states() {
    let text = Expr::Literal(b"a"[..].into());
    let limits = Limits {
        dfa_states: 150,
        ..Limits::default()
    };
    let longest = 60..140;
    let terminals: Vec<Ranged> = longest
        .clone()
        .map(|longest| {
            let repeat = Expr::Repeat {
                item: text.clone().into(),
                min: 1,
                max: Some(longest),
            };
            Dfa::from_expr(&repeat, &limits).map(|automaton| Ranged::from(&automaton))
        })
        .collect::<Result<_, _>>()
        .expect("small automata");
    let lexer = Lexer::free(&terminals, None, &limits).expect("a small lexer");
    let mut state = Lexer::START;
    for length in 1..longest.end {
        state = lexer.next(state, b'a').expect("some terminal goes on");
        let holds = (0..)
            .zip(longest.clone())
            .filter(|&(_, longest)| longest >= length);
        let holds: Vec<Option<TerminalId>> = holds.map(|(id, _)| Some(id)).collect();
        let finishes = lexer.finishes(state).iter().map(|finish| finish.terminal);
        assert_eq!(finishes.collect::<Vec<_>>(), holds, "behind {length}");
    }
    assert_eq!(lexer.next(state, b'a'), None);
}

/// Oracle: what is said in a context, a lexer of its terminals alone says.
#[test]
fn lexemes_begin_with_what_stands_in_their_context() {
    let limits = Limits::default();
    let all: Vec<Ranged> = terminals().iter().map(Ranged::from).collect();
    let count = all.len() as TerminalId;
    let among = |holds: &dyn Fn(TerminalId) -> bool| (0..count).filter(|&it| holds(it)).collect();
    let sets: Vec<Vec<TerminalId>> = vec![
        among(&|it| it % 3 != 1),
        among(&|it| it < 5),
        among(&|it| it == 7),
        Vec::new(),
        among(&|_| true),
    ];
    let behind: Vec<u32> = (0..count).map(|it| it % sets.len() as u32).collect();
    let contexts = Contexts { sets, behind };
    let lexer = Lexer::within(&all, &[], &contexts, &limits).expect("a small lexer");
    assert_eq!(lexer.starts(), 0..contexts.sets.len() as u32);
    let mut met = 0;
    for (start, set) in lexer.starts().zip(&contexts.sets) {
        let own: Vec<Ranged> = set.iter().map(|&it| all[it as usize].clone()).collect();
        let alone = Lexer::free(&own, None, &limits).expect("a small lexer");
        let mut open = vec![(start, Lexer::START, 0)];
        while let Some((one, other, read)) = open.pop() {
            met += 1;
            let finishes = alone.finishes(other).iter();
            let ends = finishes.filter_map(|it| Some(set[it.terminal? as usize]));
            let ends: Vec<_> = ends
                .map(|it| (Some(it), contexts.behind[it as usize]))
                .collect();
            let said = lexer.finishes(one).iter().map(|it| (it.terminal, it.to));
            assert_eq!(said.collect::<Vec<_>>(), ends, "context {start}");
            for (at, &terminal) in (0..).zip(set) {
                let alive = alone.is_alive(other, at);
                assert_eq!(lexer.is_alive(one, terminal), alive, "context {start}");
            }
            assert_eq!(lexer.is_end(one), alone.is_end(other), "context {start}");
            for &byte in ALPHABET.iter().filter(|_| read < 8) {
                let next = (lexer.next(one, byte), alone.next(other, byte));
                assert_eq!(next.0.is_some(), next.1.is_some(), "context {start}");
                if let (Some(one), Some(other)) = next {
                    open.push((one, other, read + 1));
                }
            }
        }
    }
    assert!(met > 1_000, "{met} states");
}
