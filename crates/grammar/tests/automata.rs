//! Oracles: an automaton accepts a text exactly if the plain recogniser does;
//! intersection and difference are those of the verdicts; minimising changes no
//! verdict.

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, NfaBuilder, Ranged, Turn};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Expr, Grammar, Rule, RuleId};

/// SplitMix64, so that a failure replays.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn expression(&mut self, depth: u64) -> Expr {
        match self.below(if depth == 0 { 2 } else { 6 }) {
            0 => Expr::literal(["a", "b", "é", ""][self.below(4) as usize]),
            1 => {
                let low = u32::from(b'a') + self.below(2) as u32;
                Expr::Chars(Box::new([(low, low + self.below(2) as u32), (0xE8, 0xEA)]))
            }
            2 | 3 => Expr::Sequence(self.several(depth)),
            4 => Expr::Choice(self.several(depth)),
            _ => {
                let min = self.below(3) as u32;
                let max = (self.below(2) == 0).then(|| min + self.below(3) as u32);
                Expr::Repeat {
                    item: Box::new(self.expression(depth - 1)),
                    min,
                    max,
                }
            }
        }
    }

    fn several(&mut self, depth: u64) -> Vec<Expr> {
        (0..self.below(4))
            .map(|_| self.expression(depth - 1))
            .collect()
    }

    fn text(&mut self) -> String {
        (0..self.below(7))
            .map(|_| ['a', 'b', 'c', 'é'][self.below(4) as usize])
            .collect()
    }
}

fn member(expr: &Expr, text: &str) -> bool {
    let rule = Rule {
        name: "root".to_owned(),
        body: expr.clone(),
    };
    let grammar = Grammar::new(vec![rule], RuleId(0));
    recognize(&grammar, text.as_bytes())
}

#[test]
fn automata_agree_with_the_recogniser() {
    let limits = Limits::default();
    let (mut yes, mut no) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let (left, right) = (random.expression(3), random.expression(3));
        let automaton = |expr| Dfa::from_expr(expr, &limits).expect("within the limits");
        let (a, b) = (automaton(&left), automaton(&right));
        let both = a.intersect(&b, &limits).expect("within the limits");
        let only_left = a.minus(&b, &limits).expect("within the limits");
        for _ in 0..40 {
            let text = random.text();
            let (in_left, in_right) = (member(&left, &text), member(&right, &text));
            let context = format!("seed {seed}, {text:?}, {left:?}, {right:?}");
            assert_eq!(a.accepts(text.as_bytes()), in_left, "{context}");
            assert_eq!(
                both.accepts(text.as_bytes()),
                in_left && in_right,
                "{context}"
            );
            assert_eq!(
                only_left.accepts(text.as_bytes()),
                in_left && !in_right,
                "{context}"
            );
            if in_left { yes += 1 } else { no += 1 }
        }
        assert_eq!(a.is_empty(), a.shortest_member().is_none());
        if let Some(shortest) = a.shortest_member() {
            assert!(a.accepts(&shortest));
        }
    }
    assert!(
        yes > 1000 && no > 1000,
        "lopsided: {yes} members, {no} others"
    );
}

#[test]
fn limits_are_named() {
    let limits = Limits {
        nfa_states: 1000,
        dfa_states: 30,
    };
    let any = Expr::Chars(Box::new([(0x61, 0x62)]));
    let tail = Expr::Repeat {
        item: Box::new(any.clone()),
        min: 12,
        max: Some(12),
    };
    let exponential = Expr::Sequence(vec![any.clone().star(), Expr::literal("a"), tail]);
    assert_eq!(
        Dfa::from_expr(&exponential, &limits).err(),
        Some(AutomatonError::TooLarge {
            what: "deterministic states",
            limit: 30
        })
    );
    let long = Expr::Repeat {
        item: Box::new(any),
        min: 100_000,
        max: None,
    };
    assert_eq!(
        Dfa::from_expr(&long, &limits).err(),
        Some(AutomatonError::TooLarge {
            what: "nondeterministic states",
            limit: 1000
        })
    );
}

/// Oracle: the automaton of the same literal, made from an expression.
#[test]
fn one_text_is_read_and_no_other() {
    let every_byte: Vec<u8> = (0..=255).collect();
    let limits = Limits::default();
    for text in [&b""[..], b"a", b"abab", &every_byte] {
        let made = Dfa::of_text(text);
        let literal = Dfa::from_expr(&Expr::Literal(text.into()), &limits).expect("small");
        for other in [
            &b""[..],
            b"a",
            b"ab",
            b"abab",
            b"ababa",
            b"\xff",
            &every_byte,
        ] {
            assert_eq!(
                made.accepts(other),
                literal.accepts(other),
                "{text:?} {other:?}"
            );
        }
    }
}

/// Oracle: the difference from the empty text's language.
#[test]
fn taking_the_empty_text_away_takes_nothing_else() {
    let limits = Limits::default();
    let empty = Dfa::from_expr(&Expr::empty(), &limits).expect("small");
    let letter = |byte: u8| Expr::Literal([byte].into());
    let pair = Expr::Sequence(vec![letter(b'a'), letter(b'b')]);
    // Starts that texts come back to, that they leave, and that do not accept.
    for expr in [pair.clone().star(), Expr::empty(), pair] {
        let whole = Dfa::from_expr(&expr, &limits).expect("small");
        let less = whole.minus(&empty, &limits).expect("small");
        let less_empty = Ranged::from(&whole).without_empty_text();
        let made = determinized(&[Turn::Automaton(&less_empty)]);
        for text in ["", "a", "ab", "aba", "abab", "b"] {
            let text = text.as_bytes();
            assert_eq!(made.accepts(text), less.accepts(text), "{expr:?} {text:?}");
        }
    }
}

/// The subset construction over what stands in turn.
fn determinized(turns: &[Turn<'_>]) -> Dfa {
    let limits = Limits::default();
    let mut builder = NfaBuilder::new(&limits);
    let start = builder.state().expect("small");
    let end = turns
        .iter()
        .try_fold(start, |at, turn| builder.turn(*turn, at));
    let whole = builder.finish(start, end.expect("small"));
    whole.determinize(&limits).expect("small").minimize()
}

/// Oracle: the subset construction. Where it is not told what belongs where, some byte both
/// goes on with a part and begins what may follow.
#[test]
fn joining_parts_is_what_the_subset_construction_makes() {
    let limits = Limits::default();
    let mut random = Random(11);
    let (mut joined, mut left) = (0, 0);
    for _ in 0..4_000 {
        let parts: Vec<(Expr, Ranged)> = (0..1 + random.below(4))
            .map(|_| random.expression(2))
            .filter_map(|expr| {
                let automaton = Dfa::from_expr(&expr, &limits).expect("small");
                (!automaton.is_empty()).then(|| (expr, Ranged::from(&automaton)))
            })
            .collect();
        let turns: Vec<Turn<'_>> = parts
            .iter()
            .map(|(expr, automaton)| match expr {
                Expr::Literal(text) => Turn::Text(text),
                _ => Turn::Automaton(automaton),
            })
            .collect();
        let expected = determinized(&turns);
        let Some(made) = Ranged::in_turn(&turns, &limits).expect("small") else {
            left += 1;
            continue;
        };
        joined += 1;
        let found = determinized(&[Turn::Automaton(&made)]);
        let more = found.minus(&expected, &limits).expect("small");
        let less = expected.minus(&found, &limits).expect("small");
        assert!(more.is_empty() && less.is_empty(), "{parts:?}");
        // All states are of use, but not always as few as can be.
        assert!(made.state_count() >= expected.state_count(), "{parts:?}");
        let bytes_once = (0..).zip(made.ranges().each()).all(|(state, ranges)| {
            let in_order = ranges.windows(2).all(|two| two[0].1 < two[1].0);
            in_order && (made.is_accepting(state) || !ranges.is_empty())
        });
        assert!(bytes_once, "{parts:?}");
    }
    assert!(joined > 500 && left > 500, "{joined} {left}");
}

#[test]
fn parts_without_texts_are_not_joined() {
    let nothing = Ranged::from(&Dfa::nothing());
    let turns = [Turn::Text(b"a"), Turn::Automaton(&nothing)];
    assert!(matches!(
        Ranged::in_turn(&turns, &Limits::default()),
        Ok(None)
    ));
}

#[test]
fn too_many_joined_states_are_an_error() {
    let limits = Limits {
        dfa_states: 9,
        ..Limits::default()
    };
    let turns = |times| vec![Turn::Text(b"abcd"); times];
    let fits = Ranged::in_turn(&turns(2), &limits).expect("fits");
    assert_eq!(fits.expect("told").state_count(), 9);
    let found = Ranged::in_turn(&turns(3), &limits);
    assert!(matches!(
        found,
        Err(AutomatonError::TooLarge { limit: 9, .. })
    ));
}
