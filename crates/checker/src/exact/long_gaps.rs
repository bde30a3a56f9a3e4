//! Long gaps between texts, shortened at first, or of any length.
//!
//! A gap of hundreds of cells has hundreds of times the places of one, and most of them say
//! nothing new: what must stand there takes some dozens of cells, and the rest is blanks, or more
//! of a string, a name or a number. So a witness is first looked for with fewer cells in such a
//! gap, and what stands in one of these is repeated as often as cells are missing. Whether it may
//! be there so often is a question about a text without gaps. That never says no. A parse in which
//! long gaps have any length, and short ones their cells, does, of every length; and its shortest
//! witness can often be made to fit (`fit`).
//!
//! Cost: that of the shortened pattern, for each place of a gap up to two searches along a text,
//! and a parse.

use lacuna_lexer::{Spellings, TokenId};

use super::tiers::{SHORT_TAIL, TAIL_SEARCH, Thoroughness};
use super::{Decision, Exact, Haste};
use crate::witness::completed;
use crate::{Filling, Gap, Pattern, Segment, Tier, Witness};

/// Cells that are left of a long gap, at first and then.
const SHORT: [usize; 2] = [24, 64];

/// The share that a search along a text may spend.
const ALONG_TEXT: usize = 200;

/// The share that a parse may spend in which long gaps have any length.
const LONG_PARSE: usize = 16;

/// What may be repeated, by itself and as what stands before it.
const BLANK: &[u8] = b" ";

impl Exact {
    /// Decides a pattern with long gaps, if what is soon found out of the same with shorter ones,
    /// or with gaps of any length, is enough.
    pub(crate) fn decide_long_gaps(&mut self, pattern: &Pattern) -> Option<(Decision, Tier)> {
        with_gaps_up_to(pattern, SHORT[0])?;
        let found = |witness| (Decision::Completable(witness), Tier::Searched);
        let at_once = |exact: &mut Self, shorter: &Pattern| {
            exact.decide_at_once(shorter, Haste::Some)?.0.witness()
        };
        if let Some(witness) = self.pumped_up(pattern, at_once) {
            return Some(found(witness));
        }
        if let Some(decision) = self.search(pattern, None, TAIL_SEARCH) {
            return Some((decision, Tier::Searched));
        }
        let decided = self.decide_without_counts(pattern, Thoroughness::Little);
        if decided.is_some() {
            return decided;
        }
        let uncounted = with_long_gaps_of_any_length(pattern);
        let decided = self.decide_by(pattern, &uncounted, LONG_PARSE, Thoroughness::Little);
        decided.or_else(|| {
            let witness = self.pumped_up(pattern, Self::beamed_among_fewer)?;
            Some(found(witness))
        })
    }

    fn pumped_up(
        &mut self,
        pattern: &Pattern,
        mut find: impl FnMut(&mut Self, &Pattern) -> Option<Witness>,
    ) -> Option<Witness> {
        SHORT.into_iter().find_map(|cells| {
            let shortened = with_gaps_up_to(pattern, cells)?;
            let shorter = shortened.with_tail_up_to(SHORT_TAIL);
            let shorter = shorter.unwrap_or(shortened);
            let witness = find(self, &shorter)?;
            self.pumped(pattern, shorter, witness)
        })
    }

    /// The witness of a shorter pattern with as many tokens in each gap as `pattern` has cells.
    fn pumped(
        &mut self,
        pattern: &Pattern,
        mut shorter: Pattern,
        mut witness: Witness,
    ) -> Option<Witness> {
        let is_gap = |segment: &Segment| matches!(segment, Segment::Gap(_));
        let gaps = (0..pattern.segments.len()).filter(|&at| is_gap(&pattern.segments[at]));
        for (gap, segment) in gaps.enumerate() {
            let (Segment::Gap(Gap::Cells(cells)), Segment::Gap(Gap::Cells(fewer))) =
                (&pattern.segments[segment], &shorter.segments[segment])
            else {
                continue;
            };
            let missing = cells - fewer;
            if missing > 0 {
                shorter.segments[segment] = Segment::Gap(Gap::Cells(*cells));
                witness = self.with_repeated(&shorter, witness, gap, missing)?;
            }
        }
        Some(witness)
    }

    /// A witness with so many tokens more in one gap.
    fn with_repeated(
        &mut self,
        pattern: &Pattern,
        witness: Witness,
        gap: usize,
        times: usize,
    ) -> Option<Witness> {
        let vocabulary = self.vocabulary.clone()?;
        let blank = Spellings::new(&vocabulary, BLANK, 1).spell(1);
        let blank = blank.and_then(|tokens| tokens.first().copied());
        let Filling::Tokens(tokens) = witness.gaps.get(gap)? else {
            return None;
        };
        let tokens = tokens.clone();
        let places = 0..=tokens.len();
        let blanks = blank
            .into_iter()
            .flat_map(|token| places.clone().map(move |at| (at, token)));
        let again = (1..).zip(tokens.iter().copied());
        let again = again.filter(|&(_, token)| Some(token) != blank);
        let mut candidates = blanks.chain(again);
        candidates.find_map(|(at, token): (usize, TokenId)| {
            let mut longer = tokens.clone();
            longer.splice(at..at, std::iter::repeat_n(token, times));
            let mut witness = witness.clone();
            *witness.gaps.get_mut(gap)? = Filling::Tokens(longer);
            let text = completed(pattern, &witness, &vocabulary)?;
            self.is_text(text).then_some(witness)
        })
    }

    /// Whether a text is one of the grammar's, as far as a search tells.
    fn is_text(&mut self, text: Vec<u8>) -> bool {
        let pattern = Pattern {
            segments: vec![Segment::Text(text)],
        };
        let found = self.search(&pattern, None, ALONG_TEXT);
        matches!(found, Some(Decision::Completable(_)))
    }
}

/// The pattern with no gaps of more cells than these between texts; `None` if it has no much longer
/// one.
fn with_gaps_up_to(pattern: &Pattern, cells: usize) -> Option<Pattern> {
    let mut has_long = false;
    let shorter = pattern.with_gaps(|gap| match gap {
        Gap::Cells(more) if is_longer(more, cells) => {
            has_long = true;
            Gap::Cells(cells)
        }
        other => other,
    });
    has_long.then_some(shorter)
}

/// The pattern with gaps of any length in place of long ones.
fn with_long_gaps_of_any_length(pattern: &Pattern) -> Pattern {
    pattern.with_gaps(|gap| match gap {
        Gap::Cells(cells) | Gap::UpTo(cells) if is_longer(cells, SHORT[0]) => Gap::Any,
        other => other,
    })
}

/// Whether a gap is so much longer that it is worth being shortened.
fn is_longer(cells: usize, short: usize) -> bool {
    cells >= short + short / 2
}

#[cfg(test)]
mod tests {
    //! Oracle: a parse in which all cells are counted says the same, and the plain recogniser takes
    //! the text of each witness, which has a token for every masked cell.

    use std::sync::Arc;

    use lacuna_grammar::{Grammar, lark, recognize};
    use lacuna_lexer::Vocabulary;

    use super::*;
    use crate::CheckerLimits;
    use crate::compiled::Compiled;

    /// Grammars, letters that they are written in, and texts: with blanks and strings, with as many
    /// of one as of another, and such that nothing but what is nested can be longer.
    const GRAMMARS: [(&str, &str, &[&str]); 3] = [
        (
            r#"start: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
value: STRING | start | "[" [value ("," value)*] "]"
STRING: /"[ab]*"/
%ignore " "
"#,
            "ab\"{}[]:, ",
            &[
                r#"{"a":"b","ab":["a",{}]}"#,
                r#"{ "b" : { } , "": [ [ ] ] }"#,
            ],
        ),
        (
            "start: pairs \";\" pairs\npairs: | \"a\" pairs \"b\"\n",
            "ab;",
            &["aaaabbbb;ab", "ab;aaabbb"],
        ),
        (
            "start: \"(\" start* \")\" | \"x\" start \"yz\" | \"y\"\n",
            "()xyz",
            &["(()(xyyz))", "x((xyyz)y)yz"],
        ),
    ];

    fn exact(grammar: &Grammar, letters: &str) -> (Exact, Arc<Vocabulary>) {
        let one = letters.chars().map(String::from);
        let two = letters.chars().map(|letter| format!("{letter}{letter}"));
        let tokens = one.chain(two).map(|text| Some(text.into_bytes()));
        let tokens = [None, None].into_iter().chain(tokens).collect();
        let vocabulary = Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"));
        let limits = CheckerLimits::default();
        let compiled = Compiled::new(grammar, true, &limits).expect("small");
        let cfg = compiled.parser(&limits.automata).expect("small");
        let mut exact = Exact::new(
            cfg,
            Default::default(),
            Some(Arc::clone(&vocabulary)),
            limits,
        );
        exact.count_cells(&compiled);
        (exact, vocabulary)
    }

    /// A piece of a text, a long gap or two in it, a few short ones, and perhaps a letter anywhere.
    fn canvas(text: &str, letters: &str, random: &mut fastrand::Rng) -> Vec<Option<u32>> {
        let token = |byte| letters.bytes().position(|letter| letter == byte);
        let mut cells: Vec<Option<u32>> = text
            .bytes()
            .map(|byte| token(byte).filter(|_| random.u8(..6) != 0))
            .map(|place| place.map(|place| place as u32 + 2))
            .collect();
        for _ in 0..1 + random.usize(..2) {
            let at = random.usize(..cells.len());
            let long = SHORT[0] + SHORT[0] / 2 + random.usize(..60);
            let dropped = random.usize(..4).min(cells.len() - at);
            cells.splice(at..at + dropped, std::iter::repeat_n(None, long));
        }
        if random.bool() {
            let at = random.usize(..cells.len());
            cells[at] = Some(2 + random.u32(..letters.len() as u32));
        }
        cells
    }

    #[test]
    fn long_gaps_are_decided_as_all_their_cells_are() {
        let mut random = fastrand::Rng::with_seed(29);
        let (mut yes, mut no) = (0, 0);
        for (source, letters, texts) in GRAMMARS {
            let grammar = lark::parse(source).expect("a grammar");
            let (mut exact, vocabulary) = exact(&grammar, letters);
            for round in 0..120 {
                let text = texts[round % texts.len()];
                let cells = canvas(text, letters, &mut random);
                let pattern = Pattern::of_canvas(&cells, &vocabulary).expect("well formed");
                let Some((decision, _)) = exact.decide_long_gaps(&pattern) else {
                    continue;
                };
                let counted = exact.parse(&pattern);
                let Decision::Completable(witness) = decision else {
                    no += 1;
                    assert!(matches!(decision, Decision::Impossible), "{cells:?}");
                    assert!(matches!(counted, Decision::Impossible), "{cells:?}");
                    continue;
                };
                yes += 1;
                assert!(matches!(counted, Decision::Completable(_)), "{cells:?}");
                let tokens = witness.tokens(&cells, &pattern, &vocabulary);
                assert_eq!(tokens.len(), cells.len());
                let mut kept = cells.iter().zip(&tokens);
                assert!(kept.all(|(cell, token)| cell.is_none_or(|cell| cell == *token)));
                let bytes = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
                let bytes: Vec<u8> = bytes.flatten().copied().collect();
                assert!(recognize::recognize(&grammar, &bytes), "{cells:?}");
            }
        }
        assert!(yes >= 100 && no >= 30, "{yes} and {no}");
    }
}
