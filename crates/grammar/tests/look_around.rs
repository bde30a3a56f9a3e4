//! Patterns that look around, at random: of every text the automaton says what the
//! pattern's parts say, place by place, as ECMA-262 defines them: each gives the places
//! where a match from a place may end.

use std::collections::BTreeSet;
use std::fmt;

use fastrand::Rng;
use lacuna_grammar::automaton::{Dfa, Limits};
use lacuna_grammar::regex::parse_ecma_search;

const LETTERS: [char; 5] = ['a', 'b', '-', 'é', '\n'];
const SETS: [(&str, &str); 6] = [
    ("a", "a"),
    ("b", "b"),
    ("-", "-"),
    ("[^a]", "b-é\n"),
    (".", "ab-é"),
    ("\\w", "ab"),
];

enum Pattern {
    /// How a set of characters is written, and those in it.
    Set(&'static str, &'static str),
    Beginning,
    End,
    Boundary {
        negated: bool,
    },
    Look {
        inside: Box<Pattern>,
        behind: bool,
        negated: bool,
    },
    Sequence(Vec<Pattern>),
    Choice(Vec<Pattern>),
    Repeat(Box<Pattern>, &'static str, usize, Option<usize>),
}

impl Pattern {
    /// What looks behind asks nothing of what is to come.
    fn random(rng: &mut Rng, depth: u32, is_behind: bool) -> Self {
        let part = |rng: &mut Rng| Self::random(rng, depth.saturating_sub(1), is_behind);
        match rng.u8(..if depth == 0 { 4 } else { 14 }) {
            0..=2 => {
                let (written, of) = SETS[rng.usize(..SETS.len())];
                Self::Set(written, of)
            }
            3 => match rng.u8(..3) {
                0 => Self::Beginning,
                _ if is_behind => Self::Beginning,
                1 => Self::End,
                _ => Self::Boundary {
                    negated: rng.bool(),
                },
            },
            4..=6 => Self::Sequence((0..rng.u8(..4)).map(|_| part(rng)).collect()),
            7..=8 => Self::Choice(vec![part(rng), part(rng)]),
            9..=10 => {
                const TIMES: [(&str, usize, Option<usize>); 5] = [
                    ("*", 0, None),
                    ("+", 1, None),
                    ("?", 0, Some(1)),
                    ("{2}", 2, Some(2)),
                    ("{0,2}", 0, Some(2)),
                ];
                let (written, min, max) = TIMES[rng.usize(..TIMES.len())];
                Self::Repeat(Box::new(part(rng)), written, min, max)
            }
            kind => {
                let behind = is_behind || kind == 11;
                let inside = Box::new(Self::random(rng, depth - 1, behind));
                Self::Look {
                    inside,
                    behind,
                    negated: rng.bool(),
                }
            }
        }
    }

    /// Where matches from a place may end.
    fn ends(&self, text: &[char], at: usize) -> BTreeSet<usize> {
        let here = |holds: bool| {
            if holds {
                BTreeSet::from([at])
            } else {
                BTreeSet::new()
            }
        };
        match self {
            Self::Set(_, of) => match text.get(at) {
                Some(&own) if of.contains(own) => BTreeSet::from([at + 1]),
                _ => BTreeSet::new(),
            },
            Self::Beginning => here(at == 0),
            Self::End => here(at == text.len()),
            Self::Boundary { negated } => {
                let is_word = |at: Option<usize>| {
                    at.and_then(|at| text.get(at))
                        .is_some_and(|own| "ab".contains(*own))
                };
                let is_boundary = is_word(at.checked_sub(1)) != is_word(Some(at));
                here(is_boundary != *negated)
            }
            Self::Look {
                inside,
                behind: false,
                negated,
            } => here(inside.ends(text, at).is_empty() == *negated),
            Self::Look {
                inside, negated, ..
            } => {
                let found = (0..=at).any(|from| inside.ends(text, from).contains(&at));
                here(found != *negated)
            }
            Self::Sequence(parts) => parts.iter().fold(here(true), |ends, part| {
                ends.iter().flat_map(|&at| part.ends(text, at)).collect()
            }),
            Self::Choice(parts) => parts.iter().flat_map(|part| part.ends(text, at)).collect(),
            Self::Repeat(item, _, min, max) => {
                let once = |ends: &BTreeSet<usize>| -> BTreeSet<usize> {
                    ends.iter().flat_map(|&at| item.ends(text, at)).collect()
                };
                let mut ends = (0..*min).fold(here(true), |ends, _| once(&ends));
                // More than there are places change nothing.
                for _ in *min..max.unwrap_or(min + text.len() + 1) {
                    ends.extend(once(&ends.clone()));
                }
                ends
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(written, _) => f.write_str(written),
            Self::Beginning => f.write_str("^"),
            Self::End => f.write_str("$"),
            Self::Boundary { negated } => f.write_str(if *negated { "\\B" } else { "\\b" }),
            Self::Look {
                inside,
                behind,
                negated,
            } => {
                let (behind, negated) = (
                    if *behind { "<" } else { "" },
                    if *negated { "!" } else { "=" },
                );
                write!(f, "(?{behind}{negated}{inside})")
            }
            Self::Sequence(parts) => {
                f.write_str("(?:")?;
                parts.iter().try_for_each(|part| write!(f, "{part}"))?;
                f.write_str(")")
            }
            Self::Choice(parts) => write!(f, "(?:{}|{})", parts[0], parts[1]),
            Self::Repeat(item, times, ..) => write!(f, "(?:{item}){times}"),
        }
    }
}

#[test]
fn says_what_the_parts_say() {
    let rounds = std::env::var("LACUNA_PATTERNS").ok();
    let rounds: u64 = rounds.and_then(|it| it.parse().ok()).unwrap_or(1_500);
    let (mut matched, mut others, mut large) = (0, 0, 0);
    for seed in 0..rounds {
        let rng = &mut Rng::with_seed(seed);
        let pattern = Pattern::random(rng, 4, false);
        let expr = match parse_ecma_search(&pattern.to_string()) {
            Ok(expr) => expr,
            Err(error) if error.kind == "too-large" => {
                large += 1;
                continue;
            }
            Err(error) => panic!("{pattern}: {error}"),
        };
        let dfa = Dfa::from_expr(&expr, &Limits::default()).unwrap();
        for _ in 0..40 {
            let text: Vec<char> = (0..rng.usize(..9))
                .map(|_| LETTERS[rng.usize(..5)])
                .collect();
            let expected = (0..=text.len()).any(|at| !pattern.ends(&text, at).is_empty());
            let text: String = text.into_iter().collect();
            let found = dfa.accepts(text.as_bytes());
            assert_eq!(found, expected, "{seed}: {pattern} on {text:?}");
            *(if expected { &mut matched } else { &mut others }) += 1;
        }
    }
    println!("{matched} texts match, {others} do not; {large} patterns are too large");
    assert!(matched.min(others) * 10 > matched.max(others));
    assert!(large * 20 < rounds);
}
