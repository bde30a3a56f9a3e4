//! Lexing as the papers describe it, by every method with every combination of parts: all say
//! the same, and never no to what can be completed. A wrong yes comes of gaps in which any
//! terminals may stand side by side, so there is none where a text has no gap, and none under
//! the free discipline. The judge is the checker.

use lacuna_checker::{Checker, CheckerLimits, Pattern, Segment, Verdict};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_published::{Epic, EpicParts, LexicalMap, Mundler, never};

use crate::agreement::support::RandomGrammar;
use crate::agreement::{random_pattern, rounds};

/// What all methods say.
struct Methods {
    mundler: Mundler,
    epics: Vec<Epic>,
}

impl Methods {
    fn new(grammar: &Grammar) -> Self {
        let (map, limits) = (LexicalMap::Described, Limits::default());
        let epics = (0..8).map(|parts: u8| {
            let on = |part: u8| parts & 1 << part != 0;
            let parts = EpicParts {
                memo: on(0),
                dfa_free: on(1),
                parallel: on(2),
            };
            Epic::new(grammar, map, parts, &limits).expect("a small grammar")
        });
        Self {
            mundler: Mundler::new(grammar, map, &limits).expect("a small grammar"),
            epics: epics.collect(),
        }
    }

    fn completable(&mut self, pattern: &Pattern, context: &str) -> bool {
        let said = self.mundler.check(pattern, &never).is_completable();
        for epic in &mut self.epics {
            // Twice: from the memo too.
            for _ in 0..2 {
                let by_epic = epic.check(pattern, &never).is_completable();
                assert_eq!(by_epic, said, "{context}");
            }
            let covered = epic.cover_allows(pattern, &never).expect("time");
            assert!(covered || !said, "{context}: refused by the cover");
        }
        said
    }

    fn forget(&mut self) {
        self.mundler.forget();
        self.epics.iter_mut().for_each(Epic::forget);
    }
}

/// Compares on random grammars; how many a yes is wrong, of how many patterns.
fn compare(make: impl Fn(&mut RandomGrammar) -> Grammar) -> (usize, usize) {
    let (mut wrong, mut all) = (0, 0);
    for seed in 0..rounds() {
        // Others than the exact maps are compared on.
        let mut random = fastrand::Rng::with_seed(!seed);
        let grammar = make(&mut RandomGrammar::new(&mut random));
        let name = format!("seed {seed}: {grammar:?}");
        let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect(&name);
        let mut methods = Methods::new(&grammar);
        for _ in 0..10 {
            let pattern = random_pattern(&mut random);
            let context = format!("{name}, {pattern:?}");
            let said = methods.completable(&pattern, &context);
            if random.bool() {
                methods.forget();
                let again = methods.completable(&pattern, &context);
                assert_eq!(again, said, "{context}: once more, when all is forgotten");
            }
            match checker.check(&pattern).0 {
                Verdict::Completable(_) => assert!(said, "{context}: a wrong no"),
                Verdict::Impossible => {
                    let is_text = |segment| matches!(segment, &Segment::Text(_));
                    let whole = pattern.segments.iter().all(is_text);
                    assert!(!(said && whole), "{context}: a wrong yes without a gap");
                    wrong += usize::from(said);
                }
                Verdict::Exhausted { .. } => panic!("{context}: out of budget"),
            }
            all += 1;
        }
    }
    println!("{wrong} wrong yes of {all}");
    (wrong, all)
}

#[test]
fn grammars_over_bytes() {
    let (wrong, _) = compare(|random| random.grammar());
    assert_eq!(
        wrong, 0,
        "any segmentation counts, so nothing is taken for granted"
    );
}

#[test]
fn grammars_over_lexemes() {
    let (wrong, all) = compare(|random| random.munching());
    assert!(wrong * 100 < all, "{wrong} of {all}");
}
