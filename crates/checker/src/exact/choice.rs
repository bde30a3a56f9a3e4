//! Which tokens are looked at in masked cells.
//!
//! One filling is enough for a yes, and most tokens do what others do. So a witness is first
//! looked for among few ([`PlainTokens`]): where a grammar has many terminals, among whole
//! lexemes, of one byte first where cells are many, more and then any tokens in those gaps only near
//! which nothing goes on with these ([`CompletionGraph::widen`]), and nothing but blanks in the
//! middle of long gaps; then among a few tokens, and among more of them if the vocabulary is large.
//! What a model finds likely, where that is told, comes before all of these ([`Exact::likely`]).
//! Only what all tokens allow is the answer where there is no witness. Masks ask what all tokens do:
//! there one of each class stands for the others.

use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{Lexer, MemoUse, PlainTokens, Spanner, Vocabulary};

use super::Exact;
#[cfg(feature = "shortcuts")]
use super::{tiers::FIRST_CHART, widened::widenings};
#[cfg(feature = "shortcuts")]
use crate::Witness;
use crate::gap_reach::GapReaches;
use crate::graph::CompletionGraph;
#[cfg(feature = "shortcuts")]
use crate::graph::Wider;
#[cfg(feature = "shortcuts")]
use crate::likely::Likely;
use crate::{CheckerLimits, Pattern};

/// How many times as many plain tokens there are when a few have not been enough.
#[cfg(feature = "shortcuts")]
const MORE_TOKENS: usize = 6;

/// How many tokens write whole lexemes.
#[cfg(feature = "shortcuts")]
const LEXEMES: usize = 110;

/// How many of one byte are enough to be looked at alone.
#[cfg(feature = "shortcuts")]
const FEWEST: usize = 8;

/// How many times as many these must be as those of one byte to be a step between them and all.
#[cfg(feature = "shortcuts")]
const STEP: usize = 2;

/// How many kinds of fewer tokens there are; the grammar engine alone has none but a few.
const KINDS: usize = if SHORTCUTS { 5 } else { 1 };

/// The tokens that are looked at, and those that may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    /// What is looked at now: all, as a rule.
    pub spanner: Option<Spanner>,
    /// What is not, in order.
    others: [Option<Spanner>; KINDS],
    /// What is ignored between lexemes, alone.
    #[cfg(feature = "shortcuts")]
    blank: Option<Spanner>,
    /// Whether whole lexemes are a step between those of one byte and all tokens.
    #[cfg(feature = "shortcuts")]
    has_steps: bool,
    /// Where whole lexemes are looked at, which, and how far gaps were widened.
    #[cfg(feature = "shortcuts")]
    wide: Option<(Fewer, Vec<u8>)>,
    /// What stands in cells before their gaps are widened, where that is likely tokens.
    #[cfg(feature = "shortcuts")]
    likely: Option<Likely>,
    /// What was asked of these before.
    #[cfg(feature = "shortcuts")]
    of_likely: MemoUse,
}

/// Fewer tokens than all, the place of these among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fewer {
    /// A few.
    Few,
    /// Some more.
    #[cfg(feature = "shortcuts")]
    More,
    /// Whole lexemes; a few others, and any token, where these are not enough.
    #[cfg(feature = "shortcuts")]
    Lexemes,
    /// Whole lexemes of one byte, and blanks in the middle of long gaps; more of them, a few others,
    /// and any token, where these are not enough.
    #[cfg(feature = "shortcuts")]
    ShortLexemes,
    /// One of each class of those that no lexer state tells apart.
    #[cfg(feature = "shortcuts")]
    OneOfEach,
}

impl Choice {
    /// Of all tokens, those that stand for others left out; `is_large` says whether there are
    /// many.
    pub fn new(
        lexer: &Lexer,
        all: Arc<Vocabulary>,
        limits: &CheckerLimits,
        is_large: bool,
    ) -> Self {
        let plain = PlainTokens::new(lexer, &all, limits.lexemes_from);
        let few = limits.few_tokens;
        let spanner = |tokens| Spanner::new(Arc::new(tokens));
        let mut choice = Self::default();
        choice.others[Fewer::Few as usize] = plain.vocabulary(few).map(spanner);
        #[cfg(feature = "shortcuts")]
        {
            let more = is_large.then(|| plain.vocabulary(MORE_TOKENS * few));
            let short = plain.short_lexemes();
            let shortest = plain.lexemes(short).filter(|_| short >= FEWEST);
            if shortest.is_some() {
                choice.blank = plain.blank(lexer).map(spanner);
            }
            choice.has_steps = plain.lexeme_count().min(LEXEMES) >= STEP * short;
            for (fewer, tokens) in [
                (Fewer::More, more.flatten()),
                (Fewer::Lexemes, plain.lexemes(LEXEMES)),
                (Fewer::ShortLexemes, shortest),
            ] {
                choice.others[fewer as usize] = tokens.map(spanner);
            }
        }
        #[cfg(not(feature = "shortcuts"))]
        let _ = is_large;
        drop(plain);
        choice.spanner = Some(Spanner::new(all));
        choice
    }

    /// Takes one token of each class, if they are told apart, as others than what is looked at.
    #[cfg(feature = "shortcuts")]
    pub fn add_one_of_each(&mut self, tokens: Option<Arc<Vocabulary>>) {
        self.others[Fewer::OneOfEach as usize] = tokens.map(Spanner::new);
    }

    /// Whether tokens are many.
    #[cfg(feature = "shortcuts")]
    pub fn is_large(&self) -> bool {
        self.others[Fewer::More as usize].is_some()
    }

    /// The graph of a pattern in which these stand.
    pub fn graph<'a>(
        &'a mut self,
        pattern: &'a Pattern,
        lexer: &'a Lexer,
        reaches: &'a mut GapReaches,
    ) -> CompletionGraph<'a> {
        let graph = CompletionGraph::new(pattern, lexer, self.spanner.as_mut(), reaches);
        #[cfg(feature = "shortcuts")]
        {
            // While whole lexemes are looked at, all tokens have their place.
            let [few, more, lexemes, short, _] = &mut self.others;
            let (lexemes, few) = (lexemes.as_mut(), few.as_mut());
            let is_large = more.is_some();
            let blank = self.blank.as_mut();
            let wider = self.wide.as_mut().map(|(fewer, gaps)| match fewer {
                Fewer::ShortLexemes => Wider {
                    spanners: [
                        lexemes.filter(|_| self.has_steps),
                        few.filter(|_| is_large),
                        short.as_mut(),
                    ],
                    blank,
                    gaps,
                },
                _ => Wider {
                    spanners: [few, lexemes, None],
                    blank: None,
                    gaps,
                },
            });
            graph.with_likely(self.likely.as_mut()).with_wider(wider)
        }
        #[cfg(not(feature = "shortcuts"))]
        graph
    }

    /// How often their rows were asked for.
    pub fn memo_use(&self) -> MemoUse {
        let mut sum = MemoUse::default();
        for spanner in self.spanner.iter().chain(self.others.iter().flatten()) {
            sum += spanner.memo_use();
        }
        #[cfg(feature = "shortcuts")]
        {
            sum += self.of_likely;
            sum += self
                .blank
                .as_ref()
                .map_or_else(MemoUse::default, Spanner::memo_use);
        }
        sum
    }

    /// Keeps the rows of each within a bound; whether those of all tokens were forgotten.
    pub fn forget(&mut self, bound: usize) -> bool {
        let forget = |spanner: &mut Spanner| {
            let is_over = spanner.entry_count() > bound;
            if is_over {
                spanner.clear();
            }
            is_over
        };
        self.others.iter_mut().flatten().for_each(|spanner| {
            forget(spanner);
        });
        #[cfg(feature = "shortcuts")]
        self.blank.as_mut().map(forget);
        self.spanner.as_mut().is_some_and(forget)
    }

    fn exchange(&mut self, fewer: Fewer) {
        std::mem::swap(&mut self.spanner, &mut self.others[fewer as usize]);
    }
}

impl Exact {
    /// Whether whole lexemes of one byte are enough to be looked at alone.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn has_short_lexemes(&self) -> bool {
        self.choice.others[Fewer::ShortLexemes as usize].is_some()
    }

    /// A witness in which likely tokens stand in cells, where gaps need not be widened, and short
    /// lexemes and others where they must.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn likely(&mut self, pattern: &Pattern, likely: Likely) -> Option<Witness> {
        self.choice.likely = Some(likely);
        let found = self.among(Fewer::ShortLexemes, |few| {
            few.widened(pattern, widenings(pattern), FIRST_CHART)
        });
        if let Some(likely) = self.choice.likely.take() {
            self.choice.of_likely += likely.memo_use();
        }
        found?
    }

    /// What is found where none but some tokens stand in cells; `None` if all do.
    pub(super) fn among<T>(&mut self, fewer: Fewer, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.choice.others[fewer as usize].as_ref()?;
        self.choice.exchange(fewer);
        #[cfg(feature = "shortcuts")]
        {
            let are_lexemes = matches!(fewer, Fewer::ShortLexemes | Fewer::Lexemes);
            self.choice.wide = are_lexemes.then_some((fewer, Vec::new()));
        }
        let found = ask(self);
        #[cfg(feature = "shortcuts")]
        {
            self.choice.wide = None;
        }
        self.choice.exchange(fewer);
        Some(found)
    }
}

#[cfg(all(test, feature = "shortcuts"))]
mod tests {
    //! Oracle: a witness that is found among whole lexemes fits its canvas, and the plain
    //! recogniser takes its text, also where gaps had to be widened.

    use lacuna_grammar::{Grammar, lark, recognize};

    use super::*;
    use crate::Weights;
    use crate::compiled::Compiled;
    use crate::exact::tiers::{CHART_AMONG_FEWER, WIDE};
    use crate::exact::widened::widenings;
    use crate::likely::Guess;

    const GRAMMAR: &str = r#"start: item+
item: NAME ";" | "if" "(" NAME ")" item | "{" item* "}" | NAME "=" value ";"
value: STRING | NUMBER | value "+" NUMBER
NAME: /[a-z]+/
NUMBER: /[0-9]+/
STRING: /"[^"]*"/
COMMENT: /#[^#]*#/
%ignore COMMENT
%ignore " "
"#;

    const TEXTS: [&str; 4] = [
        "if(ab){cd;ef=12+3;}",
        "a=\"x y\";b=\"\"+1;",
        "{{};if(x)y=\";\";} #ab# c;",
        "iff;fi=0 + 1 ;{ #;# }",
    ];

    /// Cells of a long gap.
    const LONG: usize = 14;

    /// All texts of one byte of an alphabet, of two, and some longer ones.
    fn vocabulary() -> Vocabulary {
        const BYTES: &str = "abefixy12;=+(){}\"# ";
        let one = || BYTES.chars();
        let two = one().flat_map(|a| one().map(move |b| format!("{a}{b}")));
        let longer = ["if(", ";}", "=\"", "\";", "\";}", " #;", "){", "=12"].map(str::to_owned);
        let texts = one().map(String::from).chain(two).chain(longer);
        let tokens = texts.map(|text| Some(text.into_bytes()));
        let tokens = [None, None].into_iter().chain(tokens).collect();
        Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary")
    }

    /// A text in tokens of one byte or of two.
    fn cut(text: &str, vocabulary: &Vocabulary, random: &mut fastrand::Rng) -> Vec<u32> {
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let length = (1 + random.usize(..2)).min(rest.len());
            let found = (0..vocabulary.len() as u32)
                .find(|&token| vocabulary.bytes(token) == Some(&rest[..length]));
            let found = found.or_else(|| {
                (0..vocabulary.len() as u32)
                    .find(|&token| vocabulary.bytes(token) == Some(&rest[..1]))
            });
            let Some(token) = found else {
                // Of letters that the vocabulary does not have, none is needed.
                rest = &rest[1..];
                continue;
            };
            rest = &rest[vocabulary.bytes(token).map_or(1, <[u8]>::len)..];
            tokens.push(token);
        }
        tokens
    }

    /// The tiers of the grammar, in which whole lexemes are many.
    fn tiers(vocabulary: &Arc<Vocabulary>) -> (Grammar, Exact) {
        let grammar = lark::parse(GRAMMAR).expect("a grammar");
        let limits = CheckerLimits {
            lexemes_from: 1,
            ..CheckerLimits::default()
        };
        let compiled = Compiled::new(&grammar, true, &limits).expect("small");
        let cfg = compiled.parser(&limits.automata).expect("small");
        let mut exact = Exact::new(
            cfg,
            Default::default(),
            Some(Arc::clone(vocabulary)),
            limits,
        );
        exact.count_cells(&compiled);
        (grammar, exact)
    }

    /// Each fixed cell has its token, and the text is a member.
    fn assert_fits(
        grammar: &Grammar,
        cells: &[Option<u32>],
        tokens: &[u32],
        vocabulary: &Vocabulary,
    ) {
        assert_eq!(tokens.len(), cells.len(), "{cells:?}");
        let mut kept = cells.iter().zip(tokens);
        let are_kept = kept.all(|(cell, token)| cell.is_none_or(|cell| cell == *token));
        let bytes = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
        let bytes: Vec<u8> = bytes.flatten().copied().collect();
        assert!(
            are_kept && recognize::recognize(grammar, &bytes),
            "{cells:?}: {}",
            String::from_utf8_lossy(&bytes)
        );
    }

    #[test]
    fn what_is_found_among_whole_lexemes_fits() {
        let vocabulary = Arc::new(vocabulary());
        let (grammar, mut exact) = tiers(&vocabulary);
        let mut random = fastrand::Rng::with_seed(5);
        // Of those of one byte, and of all: how many were found, and found once gaps were widened;
        // and how many with a gap so long that its middle is blank.
        let mut seen = [(0, 0); 2];
        let mut blank = 0;
        for round in 0..400 {
            let text = cut(TEXTS[round % TEXTS.len()], &vocabulary, &mut random);
            let mut cells: Vec<Option<u32>> = text
                .into_iter()
                .map(|token| (random.u8(..3) != 0).then_some(token))
                .collect();
            let long = if random.bool() { LONG } else { 0 };
            let at = random.usize(..cells.len());
            cells.splice(at..at, std::iter::repeat_n(None, long));
            let pattern = Pattern::of_canvas(&cells, &vocabulary).expect("well formed");
            let fewer = [Fewer::ShortLexemes, Fewer::Lexemes][round / TEXTS.len() % 2];
            let (witness, wide) = exact
                .among(fewer, |few| {
                    let witness = match fewer {
                        Fewer::ShortLexemes => {
                            few.widened(&pattern, widenings(&pattern), CHART_AMONG_FEWER)
                        }
                        _ => few.beamed(&pattern, Some(WIDE)),
                    };
                    let (_, gaps) = few.choice.wide.clone().expect("whole lexemes");
                    (witness, gaps)
                })
                .expect("whole lexemes");
            let Some(witness) = witness else { continue };
            let (found, widened) = &mut seen[round / TEXTS.len() % 2];
            *found += 1;
            blank += usize::from(long > 0 && fewer == Fewer::ShortLexemes);
            *widened += usize::from(wide.iter().any(|&steps| steps > 0));
            let tokens = witness.tokens(&cells, &pattern, &vocabulary);
            assert_fits(&grammar, &cells, &tokens, &vocabulary);
        }
        let [short, all] = seen;
        assert!(short.0 >= 100 && short.1 >= 20, "{short:?}");
        assert!(all.0 >= 100 && all.1 >= 20, "{all:?}");
        assert!(blank >= 50, "{blank}");
    }

    /// Weights of a model that prefers a text's tokens, or, in one cell of so many, another; an end
    /// where there is no text.
    fn weights(
        text: &[u32],
        cells: usize,
        wrong: u8,
        random: &mut fastrand::Rng,
    ) -> Vec<Option<Weights>> {
        let weights = (0..cells).map(|at| {
            let token = text.get(at).copied().unwrap_or(0);
            let other = random.u32(2..30);
            let share = if random.bool() { 0.999f32 } else { 0.7 };
            let mut best = vec![(token, share.ln()), (other, (0.9 - 0.9 * share).ln())];
            if random.u8(..wrong) == 0 {
                (best[0].0, best[1].0) = (other, token);
            }
            best.dedup_by_key(|&mut (token, _)| token);
            let rest = (0.1 - 0.1 * share).ln() - 6.0;
            (random.u8(..20) > 0).then_some(Weights { best, rest })
        });
        weights.collect()
    }

    #[test]
    fn what_is_found_among_likely_tokens_fits() {
        let vocabulary = Arc::new(vocabulary());
        let (grammar, mut exact) = tiers(&vocabulary);
        let mut random = fastrand::Rng::with_seed(9);
        // Of those that fit: how many are the text that the model has in mind.
        let (mut found, mut meant) = (0, 0);
        for round in 0..400 {
            let text = cut(TEXTS[round % TEXTS.len()], &vocabulary, &mut random);
            let ends = random.usize(..3);
            let size = text.len() + ends;
            let cells: Vec<Option<u32>> = (0..size)
                .map(|at| text.get(at).copied().filter(|_| random.u8(..3) == 0))
                .collect();
            let weights = weights(&text, size, 60, &mut random);
            let certain = [0.99, 0.9995][round % 2];
            let Some(guess) = Guess::new(&cells, &weights, certain, &vocabulary) else {
                continue;
            };
            let Some(witness) = exact.likely(&guess.pattern, guess.likely) else {
                continue;
            };
            let tokens = witness.tokens(&guess.canvas, &guess.pattern, &vocabulary);
            found += 1;
            let with_ends = text.iter().copied().chain(std::iter::repeat_n(0, ends));
            meant += usize::from(with_ends.eq(tokens.iter().copied()));
            assert_fits(&grammar, &cells, &tokens, &vocabulary);
        }
        assert!(found >= 250 && meant >= 40, "{found}, {meant}");
        assert!(meant < found, "none had to be widened");
    }
}
