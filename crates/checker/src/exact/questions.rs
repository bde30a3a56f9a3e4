//! One question to one part: look ahead, search, follow a beam, parse; and what their
//! answers come to.

use super::{Decision, Exact};
use crate::beam::Width;
use crate::chart::{Found, Parse};
use crate::graph::{Addition, CompletionGraph, Step};
use crate::look::Look;
use crate::lookahead::{Lookahead, Outlook, StandingIn};
use crate::search::{Search, Searched};
use crate::tidy::without_needless_separators;
use crate::useful::{Whole, whole};
use crate::witness::{completed, witness};
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Words that a chart of bits may move for each item of a parse's budget.
pub(super) const WORDS: usize = 64;

/// The share that a look-ahead may spend, in nodes and edges.
const LOOK: usize = 2;

impl Exact {
    /// What the cover says; `None` if there is none.
    pub(super) fn look(&mut self, pattern: &Pattern, standing_in: StandingIn) -> Option<Outlook> {
        // What is hidden in gaps of any length the cover does not know.
        let any = pattern.segments.contains(&Segment::Gap(Gap::Any));
        if any && !self.cfg.interleaves.is_empty() {
            return None;
        }
        let memos = &mut self.memos;
        let cover = memos
            .cover
            .get_or_insert_with(|| self.tables.cover(&self.cfg, &mut memos.sets));
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = self.limits.parse_items / LOOK;
        Some(Lookahead::look(
            cover.as_mut()?,
            &mut graph,
            standing_in,
            budget,
        ))
    }

    /// Looks for a witness where gaps count cells, an open end left aside; `None` if
    /// that decides nothing.
    pub(super) fn search(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        share: usize,
    ) -> Option<Decision> {
        match self.path(pattern, ahead, share)? {
            Searched::Open => None,
            Searched::Nothing => Some(Decision::Impossible),
            Searched::Found(path) => self.decided(pattern, ahead, path),
        }
    }

    /// Looks for a witness by a chart of bits, which takes less code than a beam.
    #[cfg(not(feature = "shortcuts"))]
    pub(super) fn beam(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        _: Option<Width>,
    ) -> Option<Decision> {
        self.charted(pattern, ahead, super::tiers::FIRST_CHART)
    }

    /// Looks for a witness with a few columns for each node.
    #[cfg(feature = "shortcuts")]
    pub(super) fn beam(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        wide: Option<Width>,
    ) -> Option<Decision> {
        let path = self.looking(pattern, ahead, |mut look| {
            look.beam(super::tiers::NARROW, wide)
        })??;
        self.decided(pattern, Some(ahead), path)
    }

    pub(super) fn chart(
        &mut self,
        pattern: &Pattern,
        ahead: Option<Box<Lookahead>>,
        share: usize,
    ) -> Parse {
        self.parse_in(usize::from(pattern.counts_cells()), pattern, ahead, share)
    }

    #[cfg(feature = "shortcuts")]
    /// The same in a chart of its own, so that the others stay as they are.
    pub(super) fn parse_beside(&mut self, pattern: &Pattern, share: usize) -> Parse {
        self.parse_in(2, pattern, None, share)
    }

    fn parse_in(
        &mut self,
        chart: usize,
        pattern: &Pattern,
        ahead: Option<Box<Lookahead>>,
        share: usize,
    ) -> Parse {
        let memos = &mut self.memos;
        let cover = memos.cover.as_ref().and_then(Option::as_ref);
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = self.limits.parse_items / share;
        let chart = &mut self.charts[chart];
        let parse = chart.parse(
            &self.cfg,
            &mut memos.sets,
            &mut graph,
            ahead.zip(cover),
            budget,
        );
        self.parsed += chart.work;
        parse
    }

    /// Looks for a path to the end, or to the gap of any length there; `None` if the
    /// pattern has other such gaps.
    pub(super) fn path(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        share: usize,
    ) -> Option<Searched> {
        let gaps = |segment: &&Segment| **segment == Segment::Gap(Gap::Any);
        let is_open = pattern.segments.last() == Some(&Segment::Gap(Gap::Any));
        if pattern.segments.iter().filter(gaps).count() > usize::from(is_open) {
            return None;
        }
        let memos = &mut self.memos;
        let vocabulary = self.vocabulary.as_ref()?;
        let guide = memos
            .guide
            .get_or_insert_with(|| self.tables.guide(&self.cfg, &mut memos.sets, vocabulary));
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let search = Search {
            cfg: &self.cfg,
            sets: &mut memos.sets,
            columns: &mut memos.columns,
            guide: guide.as_mut(),
            ahead: ahead.zip(memos.cover.as_ref().and_then(Option::as_ref)),
            graph: &mut graph,
        };
        Some(search.run(self.limits.parse_items / share))
    }

    /// Looks at a pattern with what was seen ahead; `None` if there is no cover.
    pub(super) fn looking<T>(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        what: impl FnOnce(Look<'_, '_>) -> T,
    ) -> Option<T> {
        let memos = &mut self.memos;
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        Some(what(Look {
            cfg: &self.cfg,
            sets: &mut memos.sets,
            columns: &mut memos.columns,
            ahead,
            cover: memos.cover.as_ref()?.as_ref()?,
            guide: memos.guide.as_mut().and_then(Option::as_mut),
            graph: &mut graph,
        }))
    }

    /// What a chart of bits decides of all that a look ahead left; `None` if gaps of any length
    /// are among it, or it takes more than its share of the budget.
    pub(super) fn charted(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        share: usize,
    ) -> Option<Decision> {
        match self.whole(pattern, ahead, share)? {
            Whole::Path(path) => self.decided(pattern, Some(ahead), path),
            Whole::Nothing { .. } => Some(Decision::Impossible),
            Whole::Exhausted => None,
        }
    }

    /// The same, as the chart says it.
    pub(super) fn whole(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        share: usize,
    ) -> Option<Whole> {
        if pattern.segments.contains(&Segment::Gap(Gap::Any)) {
            return None;
        }
        let (parser, cover) = self.memos.of_chart(&self.cfg)?;
        let graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = WORDS.saturating_mul(self.limits.parse_items) / share;
        let start = graph.start();
        let (whole, work) = whole(parser, cover, ahead, start, budget);
        self.parsed += work / WORDS;
        Some(whole)
    }

    /// The witness of a path.
    pub(super) fn decided(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        path: Vec<Step>,
    ) -> Option<Decision> {
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let path = on_graph(&mut graph, ahead, path)?;
        let found = witness(pattern, &graph.additions(&path)?);
        let is_open = pattern.segments.last() == Some(&Segment::Gap(Gap::Any));
        match is_open && pattern.counts_cells() {
            true => self.with_an_end(pattern, found),
            false => Some(Decision::Completable(found)),
        }
    }

    /// A witness of all but the open end, and what ends the text behind it.
    pub(super) fn with_an_end(
        &mut self,
        pattern: &Pattern,
        mut found: Witness,
    ) -> Option<Decision> {
        let vocabulary = self.vocabulary.as_ref()?;
        let text = completed(pattern, &found, vocabulary)?;
        let opened = Pattern {
            segments: vec![Segment::Text(text), Segment::Gap(Gap::Any)],
        };
        let Parse::Found(end) = self.chart(&opened, None, 1) else {
            return None;
        };
        let additions = without_needless_separators(&opened, end.additions, &self.cfg.lexer);
        // What the path put into the open end already stays there.
        let end = witness(&opened, &additions).gaps.pop()?;
        let (Filling::Bytes(begun), Filling::Bytes(end)) = (found.gaps.last_mut()?, end) else {
            return None;
        };
        begun.extend(end);
        Some(Decision::Completable(found))
    }

    pub(super) fn decision(&self, pattern: &Pattern, parse: Parse) -> Decision {
        match parse {
            Parse::Found(Found { additions, .. }) => {
                let lexer = &self.cfg.lexer;
                let tidied: Vec<Addition> = without_needless_separators(pattern, additions, lexer);
                Decision::Completable(witness(pattern, &tidied))
            }
            Parse::Nothing => Decision::Impossible,
            Parse::Exhausted => Decision::Exhausted,
        }
    }
}

/// A path on the graph itself for one of what a look-ahead left of it.
fn on_graph(
    graph: &mut CompletionGraph<'_>,
    ahead: Option<&Lookahead>,
    path: Vec<Step>,
) -> Option<Vec<Step>> {
    match ahead {
        Some(ahead) => ahead.path(graph, &path),
        None => Some(path),
    }
}

#[cfg(all(test, feature = "shortcuts"))]
mod tests {
    //! Oracle: the cover reads a pattern where nodes of fewer characters stand for those of more
    //! if and only if it reads it where none does; and a witness among what is left fits, as the
    //! plain recogniser says.

    use std::sync::Arc;

    use lacuna_grammar::json_schema::{SchemaOptions, compile};
    use lacuna_grammar::recognize;
    use lacuna_lexer::Vocabulary;

    use super::*;
    use crate::CheckerLimits;
    use crate::compiled::Compiled;

    /// Strings within so many characters, one with fewest too, in something nested without end.
    const SCHEMA: &str = r##"{
        "type": "object",
        "properties": {
            "a": { "type": "string", "maxLength": 130 },
            "b": { "type": "string", "minLength": 3, "maxLength": 110, "pattern": "^[a-z]*$" },
            "c": { "type": "array", "items": { "$ref": "#" }, "maxItems": 2 }
        },
        "required": ["a"],
        "additionalProperties": false
    }"##;

    /// Single bytes, and some tokens of more characters, or of half of one.
    fn vocabulary() -> Arc<Vocabulary> {
        const BYTES: &str = "abcuxyz0159\\\"{}[]:,";
        let one = BYTES.bytes().map(|byte| vec![byte]);
        let longer = [
            "aaaaaaaa",
            "abc",
            "\\u00",
            "\\\\",
            "\":\"",
            "\",\"",
            "{\"a\":\"",
            "\"c\":[",
            "]}",
        ];
        let longer = longer.map(|text| text.as_bytes().to_vec());
        let tokens = one.chain(longer).chain([vec![0xC3], vec![0xA4]]).map(Some);
        let tokens = [None, None].into_iter().chain(tokens).collect();
        Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
    }

    /// About so many characters of a string.
    fn characters(count: usize, is_plain: bool, random: &mut fastrand::Rng) -> String {
        let ways = if is_plain { 2 } else { 5 };
        let one = |way| ["a", "c", "\\\\", "\\u0015", "\u{e4}"][way];
        (0..count).map(|_| one(random.usize(..ways))).collect()
    }

    /// A text, perhaps too long in one place.
    fn text(depth: usize, random: &mut fastrand::Rng) -> String {
        let count = 110 + random.usize(..21);
        let mut text = format!("{{\"a\":\"{}\"", characters(count, false, random));
        if random.bool() {
            let count = 100 + random.usize(..11);
            text += &format!(",\"b\":\"{}\"", characters(count, true, random));
        }
        if depth > 0 {
            text += &format!(",\"c\":[{}]", self::text(depth - 1, random));
        }
        text + "}"
    }

    fn canvas(text: &str, vocabulary: &Vocabulary, random: &mut fastrand::Rng) -> Vec<Option<u32>> {
        let mut rest = text.as_bytes();
        let mut cells = Vec::new();
        let share = random.f32() * 0.3;
        while !rest.is_empty() {
            let fits: Vec<u32> = (0..vocabulary.len() as u32)
                .filter(|&token| {
                    vocabulary
                        .bytes(token)
                        .is_some_and(|it| rest.starts_with(it))
                })
                .collect();
            let token = *random.choice(&fits).expect("a byte");
            rest = &rest[vocabulary.bytes(token).map_or(0, <[u8]>::len)..];
            cells.push((random.f32() >= share).then_some(token));
        }
        // What is put where it is not, and what is too much.
        for _ in 0..random.usize(..3) {
            let at = random.usize(..cells.len());
            let other = 2 + random.u32(..vocabulary.len() as u32 - 2);
            match random.bool() {
                true => cells[at] = Some(other),
                false => cells.insert(at, Some(other)),
            }
        }
        cells
    }

    #[test]
    fn fewer_characters_stand_for_more() {
        let grammar = compile(SCHEMA, &SchemaOptions::generation()).expect("a schema");
        let vocabulary = vocabulary();
        let limits = CheckerLimits::default();
        let compiled = Compiled::new(&grammar, true, &limits).expect("small");
        let cfg = compiled.parser(&limits.automata).expect("small");
        assert!(cfg.lexer.counts());
        let mut exact = Exact::new(
            cfg,
            Default::default(),
            Some(Arc::clone(&vocabulary)),
            limits,
        );
        exact.count_cells(&compiled);
        let mut random = fastrand::Rng::with_seed(31);
        let (mut open, mut closed, mut found, mut fewer) = (0, 0, 0, 0);
        for round in 0..200 {
            let text = text(round % 2, &mut random);
            let cells = canvas(&text, &vocabulary, &mut random);
            let pattern = Pattern::of_canvas(&cells, &vocabulary).expect("well formed");
            let all = exact
                .look(&pattern, StandingIn::Everywhere)
                .expect("a cover");
            let few = exact.look(&pattern, StandingIn::ForMore).expect("a cover");
            match (all, few) {
                (Outlook::Open(all), Outlook::Open(few)) => {
                    open += 1;
                    fewer += usize::from(2 * few.work() < all.work());
                }
                (Outlook::Closed { .. }, Outlook::Closed { .. }) => closed += 1,
                _ => panic!("they differ: {}", shown(&cells, &vocabulary)),
            }
            let Some(witness) = exact.beamed(&pattern, None) else {
                continue;
            };
            found += 1;
            let tokens = witness.tokens(&cells, &pattern, &vocabulary);
            let bytes = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
            let bytes: Vec<u8> = bytes.flatten().copied().collect();
            assert_eq!(tokens.len(), cells.len());
            assert!(recognize::recognize(&grammar, &bytes));
        }
        let seen = format!("{open} open, {closed} closed, {found} found, {fewer} in half the work");
        assert!(
            open >= 50 && closed >= 50 && found >= 50 && fewer >= 20,
            "{seen}"
        );
    }

    fn shown(cells: &[Option<u32>], vocabulary: &Vocabulary) -> String {
        let pieces = cells.iter().map(|cell| match cell {
            None => "_".into(),
            Some(token) => String::from_utf8_lossy(vocabulary.bytes(*token).unwrap_or_default()),
        });
        pieces.collect()
    }
}
