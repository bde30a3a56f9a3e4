//! Items in any order. Oracle for short texts: a list of all of them, item by item,
//! made by permuting; for long ones, shuffling what is known to belong, and breaking
//! it in one place.

use std::collections::HashSet;
use std::sync::Arc;

use lacuna_checker::{
    Checker, CheckerLimits, Compiled, ContextLimits, Gap, Pattern, Segment, Verdict,
};
use lacuna_grammar::automaton::{Dfa, Limits};
use lacuna_grammar::interleave::{Interleave, Item, Way};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Expr, Grammar, Lexicon, Rule, RuleId, Terminal, TerminalId};

/// An item that is a letter, or one of two.
struct Letter {
    letters: &'static str,
    is_once: bool,
    is_required: bool,
}

fn once(letters: &'static str) -> Letter {
    Letter {
        letters,
        is_once: true,
        is_required: false,
    }
}

fn required(letters: &'static str) -> Letter {
    Letter {
        is_required: true,
        ..once(letters)
    }
}

fn free(letters: &'static str) -> Letter {
    Letter {
        is_once: false,
        ..once(letters)
    }
}

/// What a letter is one lexeme with.
enum Beside {
    Comma,
    Brace,
    CommaBefore,
    BraceBefore,
}

struct Case {
    letters: Vec<Letter>,
    min: u32,
    max: Option<u32>,
    /// Whether some item must be the second of its letters.
    wanted: bool,
}

impl Case {
    fn new(letters: Vec<Letter>) -> Self {
        Self {
            letters,
            min: 0,
            max: None,
            wanted: false,
        }
    }

    fn grammar(&self) -> Grammar {
        let body = self.body(&|text| Expr::literal(text.bytes().collect::<Vec<u8>>()));
        let name = "text".to_owned();
        Grammar::new(vec![Rule { name, body }], RuleId(0))
    }

    /// The same cut by maximal munch, where a letter and what may stand beside it are one lexeme
    /// that belongs nowhere: so it can only stand last, or first, or not there.
    fn munched(&self, letter: usize, beside: &Beside) -> Grammar {
        let letter = &self.letters[letter % self.letters.len()].letters[..1];
        let lexeme = match beside {
            Beside::Comma => format!("{letter},"),
            Beside::Brace => format!("{letter}}}"),
            Beside::CommaBefore => format!(",{letter}"),
            Beside::BraceBefore => format!("{{{letter}"),
        };
        let mut texts = vec![lexeme];
        let letters = self.letters.iter().flat_map(|it| it.letters.chars());
        texts.extend(letters.map(String::from));
        texts.extend([",", "{", "}", "[", "]"].map(str::to_owned));
        let terminals = texts.iter().map(|text| Terminal {
            name: text.clone(),
            language: Dfa::from_expr(&Expr::literal(text.as_str()), &Limits::default())
                .expect("a small automaton")
                .into(),
            ignored: false,
        });
        let terminals = terminals.collect();
        let place = |text: &str| texts.iter().position(|known| known == text);
        let terminal = |text: &str| place(text).map(|at| Expr::Terminal(TerminalId(at as u32)));
        let body = self.body(&|text| terminal(text).expect("a terminal"));
        let rule = |name: &str, body| Rule {
            name: name.to_owned(),
            body,
        };
        let nowhere = terminal(&texts[0]).expect("a terminal");
        let rules = vec![rule("text", body), rule("nowhere", nowhere)];
        Grammar {
            lexicon: Some(Lexicon { terminals }),
            ..Grammar::new(rules, RuleId(0))
        }
    }

    /// A list in braces, in any number of brackets.
    fn body(&self, literal: &impl Fn(&str) -> Expr) -> Expr {
        let items = self.letters.iter().map(|letter| Item {
            ways: (0..)
                .zip(letter.letters.chars())
                .map(|(meets, letter)| Way {
                    meets,
                    text: literal(letter.encode_utf8(&mut [0; 4])),
                })
                .collect(),
            is_once: letter.is_once,
            is_required: letter.is_required,
        });
        let items = Interleave {
            items: items.collect(),
            separator: literal(","),
            min: self.min,
            max: self.max,
            wanted: u32::from(self.wanted),
        };
        // Brackets and braces that nest, so that no automaton is the language.
        let list = Expr::Sequence(vec![
            literal("{"),
            Expr::Interleave(Box::new(items)),
            literal("}"),
        ]);
        let nested = vec![literal("["), Expr::Rule(RuleId(0)), literal("]")];
        Expr::Choice(vec![list, Expr::Sequence(nested)])
    }

    /// All texts of at most so many items, by adding one letter after the other.
    fn texts(&self, most: usize) -> Vec<String> {
        let mut level = vec![String::new()];
        let mut found = level.clone();
        for _ in 0..most {
            let mut longer = Vec::new();
            for text in &level {
                for letter in &self.letters {
                    let seen = letter.letters.chars().any(|it| text.contains(it));
                    if !(seen && letter.is_once) {
                        longer.extend(letter.letters.chars().map(|it| format!("{text}{it}")));
                    }
                }
            }
            found.extend_from_slice(&longer);
            level = longer;
        }
        found.retain(|text| self.belongs(text));
        let braced = found.iter().map(|text| {
            let letters: Vec<String> = text.chars().map(String::from).collect();
            format!("{{{}}}", letters.join(","))
        });
        braced.collect()
    }

    fn belongs(&self, text: &str) -> bool {
        let count = text.len() as u32;
        let second = |letter: &Letter| letter.letters.chars().nth(1);
        let mut letters = self.letters.iter();
        count >= self.min
            && self.max.is_none_or(|max| count <= max)
            && letters.all(|letter| {
                !letter.is_required || letter.letters.chars().any(|it| text.contains(it))
            })
            && (!self.wanted
                || self
                    .letters
                    .iter()
                    .filter_map(second)
                    .any(|it| text.contains(it)))
    }
}

fn cases() -> Vec<Case> {
    let seven = || ["a", "b", "c", "d", "e", "f", "g"].map(once);
    vec![
        Case::new(seven().into()),
        Case::new(["a", "b", "c", "d", "e", "f", "g"].map(required).into()),
        Case::new(vec![
            once("a"),
            required("b"),
            once("c"),
            required("d"),
            required("e"),
            once("f"),
            once("g"),
        ]),
        Case::new(vec![required("a"), once("b"), free("x"), required("c")]),
        Case {
            min: 3,
            max: Some(5),
            ..Case::new(seven().into())
        },
        Case {
            max: Some(3),
            ..Case::new(vec![
                required("a"),
                once("b"),
                once("c"),
                free("x"),
                once("d"),
            ])
        },
        Case {
            wanted: true,
            ..Case::new(vec![
                required("a"),
                once("bB"),
                required("cC"),
                once("d"),
                free("xX"),
            ])
        },
        Case {
            wanted: true,
            max: Some(2),
            ..Case::new(vec![required("a"), once("bB"), once("cC"), once("d")])
        },
    ]
}

/// One checker whose lexer has one context, and one whose lexer has as many as there may be, so
/// that gaps have several boundaries.
fn checkers(grammar: &Grammar) -> [Checker; 2] {
    [ContextLimits::ONE, ContextLimits::MANY].map(|contexts| {
        let limits = CheckerLimits {
            contexts,
            ..CheckerLimits::default()
        };
        let compiled = Compiled::new(grammar, true, &limits).expect("small");
        Checker::from_compiled(Arc::new(compiled), None, limits)
    })
}

fn pattern(text: &str) -> Pattern {
    let mut segments = Vec::new();
    for (at, piece) in text.split('_').enumerate() {
        if at > 0 {
            segments.push(Segment::Gap(Gap::Any));
        }
        if !piece.is_empty() {
            segments.push(Segment::Text(piece.as_bytes().to_vec()));
        }
    }
    Pattern { segments }
}

/// Whether text with gaps (`_`) can be this one.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('_') {
        None => pattern == text,
        Some((before, behind)) => text.strip_prefix(before).is_some_and(|text| {
            let mut cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            cuts.any(|cut| fits(behind, &text[cut..]))
        }),
    }
}

#[test]
fn texts_are_all_permutations() {
    for (number, case) in cases().iter().enumerate() {
        let grammar = case.grammar();
        let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect("small");
        let known: HashSet<String> = case.texts(5).into_iter().collect();
        // Every text of up to four items, of those that belong and of all others.
        let letters: Vec<char> = case
            .letters
            .iter()
            .flat_map(|it| it.letters.chars())
            .collect();
        let mut level = vec![Vec::new()];
        for _ in 0..=4 {
            for text in &level {
                let text: Vec<String> = text.iter().map(char::to_string).collect();
                let text = format!("{{{}}}", text.join(","));
                let expected = known.contains(&text);
                let verdict = checker.check(&pattern(&text)).0;
                let belongs = matches!(verdict, Verdict::Completable(_));
                assert_eq!(belongs, expected, "case {number}: {text}");
                assert_eq!(recognize(&grammar, text.as_bytes()), expected, "{text}");
            }
            level = level
                .iter()
                .flat_map(|text: &Vec<char>| {
                    letters.iter().map(|&letter| {
                        let mut longer = text.clone();
                        longer.push(letter);
                        longer
                    })
                })
                .collect();
        }
    }
}

#[test]
fn gaps_are_filled_where_items_are_missing() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut yes, mut no) = (0, 0);
    let cases = cases();
    let mut grammars = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        grammars.push((case, case.grammar()));
        let beside = [
            Beside::Comma,
            Beside::Brace,
            Beside::CommaBefore,
            Beside::BraceBefore,
        ];
        for (at, beside) in beside.iter().enumerate() {
            let last_required = case.letters.iter().rposition(|letter| letter.is_required);
            for letter in [number + at, last_required.unwrap_or(0)] {
                grammars.push((case, case.munched(letter, beside)));
            }
        }
    }
    for (number, (case, grammar)) in grammars.into_iter().enumerate() {
        let mut checkers = checkers(&grammar);
        let most = case.letters.len().min(6) + 1;
        let mut texts = case.texts(most);
        texts.retain(|text| grammar.lexicon.is_none() || recognize(&grammar, text.as_bytes()));
        if texts.is_empty() {
            continue;
        }
        // Gaps that a whole text lies in, and its brackets too, which are not in `texts`.
        for (whole, expected) in [("_", true), ("{_}", true), ("[_]", true), ("{_]", false)] {
            let asked = pattern(whole);
            for verdict in checkers.each_mut().map(|checker| checker.check(&asked).0) {
                let is_completable = matches!(verdict, Verdict::Completable(_));
                assert_eq!(is_completable, expected, "case {number}: {whole}");
            }
        }
        for _ in 0..120 {
            let mut text: Vec<char> = random.choice(&texts).expect("a text").chars().collect();
            // Another letter in one place, often one that stands there already.
            if random.bool() {
                let (at, from) = (random.usize(..text.len()), random.usize(..text.len()));
                text[at] = text[from];
            }
            let holes = random.u8(2..6);
            let mut punched = String::new();
            for letter in text {
                match random.u8(..holes) {
                    0 if punched.ends_with('_') => {}
                    0 => punched.push('_'),
                    _ => punched.push(letter),
                }
            }
            let asked = pattern(&punched);
            let expected = texts.iter().any(|text| fits(&punched, text));
            for verdict in checkers.each_mut().map(|checker| checker.check(&asked)) {
                match verdict.0 {
                    Verdict::Completable(witness) => {
                        yes += 1;
                        let filled = witness.text(&asked, None);
                        let filled = String::from_utf8(filled).expect("ASCII");
                        assert!(
                            fits(&punched, &filled),
                            "case {number}: {punched}: {filled}"
                        );
                        let belongs = recognize(&grammar, filled.as_bytes());
                        assert!(belongs, "case {number}: {punched}: {filled}");
                    }
                    Verdict::Impossible => {
                        no += 1;
                        assert!(!expected, "case {number}: {punched}");
                    }
                    Verdict::Exhausted { .. } => panic!("case {number}: {punched}: out of budget"),
                }
            }
        }
    }
    assert!(yes > no && no * 5 > yes, "lopsided: {yes} yes, {no} no");
}

/// Names of two letters, all required but each third.
fn names(count: usize) -> Grammar {
    let items = (0..count).map(|at| Item {
        ways: vec![Way {
            meets: 0,
            text: Expr::Sequence(vec![Expr::literal(name(at)), Expr::Rule(RuleId(1))]),
        }],
        is_once: true,
        is_required: at % 3 > 0,
    });
    let items = Interleave {
        items: items.collect(),
        separator: Expr::literal(","),
        min: 0,
        max: None,
        wanted: 0,
    };
    let braces = |inside| Expr::Sequence(vec![Expr::literal("{"), inside, Expr::literal("}")]);
    let value = Expr::Choice(vec![Expr::literal("1"), braces(Expr::Rule(RuleId(1)))]);
    let rule = |name: &str, body| Rule {
        name: name.to_owned(),
        body,
    };
    let text = braces(Expr::Interleave(Box::new(items)));
    Grammar::new(vec![rule("text", text), rule("value", value)], RuleId(0))
}

fn name(at: usize) -> String {
    let letter = |at: usize| char::from(b'a' + at as u8);
    format!("{}{}:", letter(at / 26), letter(at % 26))
}

#[test]
fn many_items_are_decided_in_any_order() {
    let mut random = fastrand::Rng::with_seed(5);
    for count in [12, 20, 40, 100] {
        let grammar = names(count);
        let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect("small");
        for round in 0..10 {
            let mut order: Vec<usize> = (0..count).collect();
            random.shuffle(&mut order);
            let members: Vec<String> = order.iter().map(|&at| name(at) + "1").collect();
            let mut asked = |text: &str| {
                let asked = pattern(text);
                match checker.check(&asked).0 {
                    Verdict::Completable(witness) => {
                        let filled = witness.text(&asked, None);
                        if round == 0 && count < 40 {
                            assert!(recognize(&grammar, &filled), "{text}");
                        }
                        Some(String::from_utf8(filled).expect("ASCII"))
                    }
                    Verdict::Impossible => None,
                    Verdict::Exhausted { .. } => panic!("out of budget: {text}"),
                }
            };
            let whole = format!("{{{}}}", members.join(","));
            assert!(asked(&whole).is_some(), "{whole}");
            let twice = format!("{{{},{}}}", members.join(","), members[count / 2]);
            assert!(asked(&twice).is_none(), "{twice}");
            // Half of the members in gaps at the front, in the middle and at the end.
            let left = &members[..count / 2];
            let (first, rest) = left.split_at(count / 4);
            let gaps = format!("{{_,{},_,{}_}}", first.join(","), rest.join(","));
            let filled = asked(&gaps).expect(&gaps);
            let inside = filled.trim_matches(['{', '}']).split(',');
            let keys: HashSet<&str> = inside.clone().map(|member| &member[..3]).collect();
            assert_eq!(keys.len(), inside.count(), "{filled}");
            for at in (0..count).filter(|at| at % 3 > 0) {
                assert!(keys.contains(name(at).as_str()), "{filled}");
            }
            let twice = format!("{{_,{},_,{}_}}", left.join(","), left[0]);
            assert!(asked(&twice).is_none(), "{twice}");
            // One name is left, and each of the gaps wants one.
            let crowded = format!("{{{}_", &members[1..].join(",_,"));
            assert!(asked(&crowded).is_none(), "{crowded}");
            let open = format!("{{{}_", &members[1..].join(",_"));
            assert!(asked(&open).is_some(), "{open}");
        }
    }
}
