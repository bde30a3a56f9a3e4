//! Every strategy, alone and with others: under a grammar each ends in a sentence of it,
//! by the independent recogniser; whatever is committed after any step can still be
//! completed, by a checker of its own; what was fixed stays; a seed replays.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits, Pattern};
use lacuna_decoder::{
    Canvas, Cell, Commit, CommitKind, DecodeError, DenoiseRequest, Denoiser, DenoiserError, Event,
    GrammarGuard, Guard, How, LeftToRight, NarrowRequest, NextToken, NoGuard, Options, Reason,
    Remask, Run, ScheduleKind, Truncation,
};
use lacuna_grammar::{Grammar, gbnf, recognize::recognize};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::{RowSummary, Scored, TokenSet, best_of, summarize};
use pollster::block_on;

use crate::support::{
    ADVERSARIES, ARITHMETIC, Adversary, COMMITS, COUNTED, JSON, Model, ORDERS, RECOVERIES, varied,
    vocabulary,
};

fn checker(grammar: &Grammar, vocabulary: &Arc<Vocabulary>) -> Checker {
    let limits = CheckerLimits::default();
    Checker::new(grammar, Some(Arc::clone(vocabulary)), limits).expect("a checker")
}

struct Ended {
    events: Vec<Event>,
    text: Vec<u8>,
    canvas: Canvas,
}

impl Ended {
    /// The tokens committed, in order.
    fn commits(&self) -> Vec<(usize, TokenId)> {
        let commits = self.events.iter().filter_map(|event| match event {
            Event::Commit(commit) => Some((commit.cell, commit.token)),
            _ => None,
        });
        commits.collect()
    }

    fn cells(&self) -> Vec<usize> {
        self.commits().into_iter().map(|(cell, _)| cell).collect()
    }
}

/// Runs to the end; under a grammar, each step's canvas is checked anew.
fn decode(
    grammar: Option<&Grammar>,
    canvas: &[Cell],
    model: Model,
    options: &Options,
) -> Result<Ended, DecodeError> {
    let vocabulary = vocabulary();
    let guard: Box<dyn Guard> = match grammar {
        Some(grammar) => Box::new(GrammarGuard::new(
            checker(grammar, &vocabulary),
            Arc::clone(&vocabulary),
        )),
        None => Box::new(NoGuard),
    };
    let mut judge = grammar.map(|grammar| checker(grammar, &vocabulary));
    let mut run = Run::with_guard(
        model,
        Arc::clone(&vocabulary),
        Canvas::new(canvas.to_vec()),
        guard,
        options.clone(),
        Box::new(|| 0.0),
    )?;
    let mut events = Vec::new();
    for _ in 0..=run.options().steps {
        events.extend(block_on(run.step())?);
        if let Some(judge) = &mut judge {
            let pattern = Pattern::of_canvas(run.canvas().cells(), &vocabulary);
            let pattern = pattern.expect("a canvas that is well formed");
            assert!(judge.check(&pattern).0.is_completable(), "{options:?}");
        }
        if let Some(Event::Done { text, .. }) = events.last() {
            return Ok(Ended {
                text: text.clone(),
                events,
                canvas: run.canvas().clone(),
            });
        }
    }
    panic!("no end in {} steps: {options:?}", run.options().steps)
}

fn noise(grammar: Option<&Grammar>, length: usize, options: &Options) -> Ended {
    let model = Model::new(Adversary::Noise(3), vocabulary());
    decode(grammar, &vec![None; length], model, options).expect("a run")
}

#[test]
fn every_strategy_ends_in_a_sentence_and_replays() {
    let mut refusals = 0;
    for (name, text) in [("json", JSON), ("counted", COUNTED)] {
        let grammar = gbnf::parse(text).expect(name);
        for index in 0..60 {
            let options = varied(index);
            let adversary = ADVERSARIES[index % ADVERSARIES.len()];
            let decode = || {
                let model = Model::new(adversary, vocabulary());
                decode(Some(&grammar), &[None; 15], model, &options).expect("a run")
            };
            let ended = decode();
            let shown = String::from_utf8_lossy(&ended.text).into_owned();
            assert!(
                recognize(&grammar, &ended.text),
                "{name}, {adversary:?}: {shown:?} by {options:?}"
            );
            // A cell is written once, and once more each time it was masked again.
            for cell in 0..15 {
                let written = ended.cells().iter().filter(|&&c| c == cell).count();
                let again =
                    |event: &&Event| matches!(event, Event::Remask { cell: c, .. } if *c == cell);
                let again = ended.events.iter().filter(again).count();
                assert!(written <= again + 1, "{options:?}");
            }
            // What is refused for good is not proposed again while nothing is masked again.
            let mut refused = Vec::new();
            for event in &ended.events {
                match event {
                    Event::Remask { .. } => refused.clear(),
                    Event::Refusal(it) if it.reason != Reason::Exhausted => {
                        let token = (it.cell, it.token);
                        assert!(!refused.contains(&token), "{token:?} by {options:?}");
                        refused.push(token);
                    }
                    _ => {}
                }
            }
            refusals += refused.len();
            assert_eq!(decode().events, ended.events, "{options:?}");
        }
    }
    assert!(refusals > 100, "{refusals}");
}

/// A model that knows the grammar, and likes best in every cell what it excludes there.
struct Worst {
    checker: Checker,
    logits: Vec<Vec<f32>>,
    writable: TokenSet,
    top: usize,
}

impl Denoiser for Worst {
    fn vocabulary_size(&self) -> usize {
        vocabulary().len()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        let masks = self.checker.masks(request.cells);
        let logits = request.masked.iter().map(|&cell| {
            let allowed = masks.cells[cell].as_ref().expect("a mask of a masked cell");
            let likes = |token| if allowed.contains(token) { 0.0 } else { 9.0 };
            (0..self.vocabulary_size()).map(likes).collect()
        });
        self.logits = logits.collect();
        (self.writable, self.top) = (request.writable.clone(), request.top);
        let rows = self.logits.iter().zip(request.masked);
        let rows = rows.map(|(logits, &cell)| {
            summarize(logits, request.writable, request.top, None, cell as u32)
        });
        Ok(rows.collect())
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        let best = asks.iter().map(|ask| {
            let logits = &self.logits[ask.row];
            best_of(logits, &self.writable, ask.allowed, self.top, None, 0)
        });
        Ok(best.collect())
    }
}

#[test]
fn a_model_that_proposes_what_is_excluded_ends_in_a_sentence() {
    let vocabulary = vocabulary();
    for text in [JSON, COUNTED] {
        let grammar = gbnf::parse(text).expect("a grammar");
        for (index, commit) in COMMITS.into_iter().enumerate() {
            let options = Options {
                commit,
                recovery: RECOVERIES[index % 4],
                steps: 4,
                length: 12,
                refusals_per_step: [2000, 6][index % 2],
                ..Options::default()
            };
            let model = Worst {
                checker: checker(&grammar, &vocabulary),
                logits: Vec::new(),
                writable: TokenSet::default(),
                top: 0,
            };
            let guard = Some(checker(&grammar, &vocabulary));
            let clock = Box::new(|| 0.0);
            let mut run =
                Run::new(model, vocabulary.clone(), guard, options, clock).expect("a run");
            let mut events = Vec::new();
            while !run.is_done() {
                events.extend(block_on(run.step()).expect("a step"));
            }
            let Some(Event::Done { text, .. }) = events.pop() else {
                panic!("the run is over")
            };
            assert!(recognize(&grammar, &text), "{commit:?}: {text:?}");
            let is_refused = |event: &Event| matches!(event, Event::Refusal(_));
            assert!(
                commit == CommitKind::Best || events.iter().any(is_refused),
                "{commit:?}"
            );
        }
    }
}

#[test]
fn fixed_cells_are_never_written() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let vocabulary = vocabulary();
    let token = |text: &str| {
        let mut tokens = 0..vocabulary.len() as TokenId;
        tokens.find(|&token| vocabulary.bytes(token) == Some(text.as_bytes()))
    };
    // {"…" : [ … , … ]}
    let mut canvas = vec![None; 16];
    for (cell, text) in [
        (0, "{"),
        (1, "\""),
        (5, "\""),
        (6, ":"),
        (7, "["),
        (10, ","),
        (14, "]"),
        (15, "}"),
    ] {
        canvas[cell] = token(text);
        assert!(canvas[cell].is_some());
    }
    for index in 0..100 {
        let model = Model::new(ADVERSARIES[index % ADVERSARIES.len()], vocabulary.clone());
        let ended = decode(Some(&grammar), &canvas, model, &varied(index)).expect("a run");
        assert!(recognize(&grammar, &ended.text));
        for (cell, fixed) in canvas.iter().enumerate() {
            if fixed.is_some() {
                assert_eq!(ended.canvas.cells()[cell], *fixed);
                assert!(!ended.cells().contains(&cell));
            }
        }
    }
    let mut hopeless = canvas.clone();
    hopeless[15] = token("{");
    let model = Model::new(Adversary::Flat, Arc::clone(&vocabulary));
    let error = decode(Some(&grammar), &hopeless, model, &varied(0)).err();
    assert_eq!(error, Some(DecodeError::no_filling(&hopeless)));
}

#[test]
fn a_canvas_without_masks_is_done_at_once() {
    let model = Model::new(Adversary::Flat, vocabulary());
    let ended = decode(None, &[Some(2), Some(3)], model, &Options::default()).expect("a run");
    assert_eq!(ended.text, b"{}");
    assert!(ended.commits().is_empty());
}

#[test]
fn blocks_are_filled_one_after_another() {
    for order in ORDERS {
        let options = Options {
            block: Some(4),
            steps: 6,
            order,
            early_stop: false,
            ..Options::default()
        };
        let cells = noise(None, 12, &options).cells();
        assert_eq!(cells.len(), 12);
        assert!(
            cells.is_sorted_by_key(|cell| cell / 4),
            "{order:?}: {cells:?}"
        );
    }
}

#[test]
fn left_to_right_writes_one_after_another() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    for grammar in [None, Some(&grammar)] {
        let cells = noise(grammar, 14, &Options::left_to_right(14)).cells();
        assert!(cells.iter().copied().eq(0..cells.len()), "{cells:?}");
    }
}

/// Likes the token after the last one.
struct Counter(Vec<usize>);

impl NextToken for Counter {
    fn vocabulary_size(&self) -> usize {
        vocabulary().len()
    }

    async fn next(&mut self, prefix: &[TokenId]) -> Result<Vec<f32>, DenoiserError> {
        self.0.push(prefix.len());
        let wanted = prefix.last().map_or(2, |&last| last as usize + 1);
        Ok((0..vocabulary().len())
            .map(|token| -(token.abs_diff(wanted) as f32))
            .collect())
    }
}

#[test]
fn a_left_to_right_model_is_asked_for_the_next_token() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let vocabulary = vocabulary();
    let run = |checker: Option<Checker>, options| {
        let model = LeftToRight::new(Counter(Vec::new()));
        let clock = Box::new(|| 0.0);
        let mut run = Run::new(model, vocabulary.clone(), checker, options, clock).expect("a run");
        let mut events = Vec::new();
        while !run.is_done() {
            events.extend(block_on(run.step())?);
        }
        let asked = run.denoiser().model().0.clone();
        let refusals = events
            .iter()
            .filter(|event| matches!(event, Event::Refusal(_)));
        let refusals = refusals.count();
        let Some(Event::Done { text, .. }) = events.pop() else {
            panic!("the run is over")
        };
        Ok::<_, DecodeError>((text, asked, refusals))
    };
    let (text, asked, _) = run(None, Options::left_to_right(5)).expect("a text");
    assert_eq!(String::from_utf8_lossy(&text), "{}[]\"");
    assert!(asked.into_iter().eq(0..5));
    for (masks_after, is_ever_refused) in [(None, true), (Some(0), false)] {
        let options = Options {
            masks_after,
            ..Options::left_to_right(14)
        };
        let checker = checker(&grammar, &vocabulary);
        let (text, _, refusals) = run(Some(checker), options).expect("a text");
        assert!(recognize(&grammar, &text), "{text:?}");
        assert_eq!(refusals > 0, is_ever_refused, "{refusals} refusals");
    }
    let error = run(None, Options::default()).expect_err("a whole canvas");
    assert!(error.to_string().contains("blocks of one cell"), "{error}");
}

#[test]
fn the_one_most_probable_candidate_is_no_sample() {
    let greedy = noise(None, 20, &Options::default());
    for truncation in [
        Truncation {
            top_k: Some(1),
            ..Truncation::default()
        },
        Truncation {
            top_p: Some(1e-6),
            ..Truncation::default()
        },
        Truncation {
            min_p: Some(1.0),
            ..Truncation::default()
        },
    ] {
        let options = Options {
            temperature: 2.0,
            truncation,
            ..Options::default()
        };
        assert_eq!(noise(None, 20, &options).commits(), greedy.commits());
    }
    let sampled = Options {
        temperature: 2.0,
        ..Options::default()
    };
    assert_ne!(noise(None, 20, &sampled).commits(), greedy.commits());
}

#[test]
fn a_truncation_that_leaves_nothing_out_changes_nothing() {
    let options = |truncation| Options {
        temperature: 1.3,
        seed: 8,
        truncation,
        ..Options::default()
    };
    let all = noise(None, 20, &options(Truncation::default()));
    let top_k = Some(vocabulary().len());
    let truncation = Truncation {
        top_k,
        ..Truncation::default()
    };
    assert_eq!(
        noise(None, 20, &options(truncation)).commits(),
        all.commits()
    );
}

#[test]
fn banned_tokens_are_not_written_and_liked_ones_are() {
    let banned: Vec<TokenId> = (2..30).collect();
    let options = Options {
        banned: banned.clone(),
        early_stop: false,
        ..Options::default()
    };
    let commits = noise(None, 20, &options).commits();
    assert!(commits.iter().all(|(_, token)| !banned.contains(token)));

    let options = Options {
        bias: vec![(17, 50.0)],
        ..Options::default()
    };
    let commits = noise(None, 20, &options).commits();
    assert!(commits.iter().all(|(_, token)| *token == 17));

    // A completion could hold a banned token that the vocabulary can write.
    let grammar = gbnf::parse(JSON).expect("JSON");
    let model = Model::new(Adversary::Flat, vocabulary());
    let options = Options {
        banned: vec![2],
        ..Options::default()
    };
    let error = decode(Some(&grammar), &[None; 9], model, &options).err();
    assert!(matches!(error, Some(DecodeError::Invalid(_))), "{error:?}");
}

#[test]
fn tokens_that_are_not_there_are_refused_by_their_ids() {
    let tokens = vocabulary().len();
    let begin = |bias: Vec<(TokenId, f32)>, banned: Vec<TokenId>| {
        let options = Options {
            bias,
            banned,
            ..Options::default()
        };
        let model = Model::new(Adversary::Flat, vocabulary());
        decode(None, &[None; 9], model, &options).err()
    };
    let (last, past) = (tokens as TokenId - 1, tokens as TokenId);
    assert_eq!(begin(vec![(last, 1.0)], vec![last]), None);
    for (bias, banned) in [
        (vec![(2, 1.0), (past, 1.0)], vec![]),
        (vec![], vec![2, past]),
    ] {
        let error = begin(bias, banned).map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains(&format!("token {past},")), "{error}");
        assert!(error.contains(&format!("has {tokens} tokens")), "{error}");
    }
}

#[test]
fn a_repetition_penalty_spreads_the_tokens() {
    let distinct = |repetition_penalty: f32| {
        let options = Options {
            repetition_penalty,
            steps: 20,
            early_stop: false,
            ..Options::default()
        };
        let mut tokens: Vec<TokenId> = noise(None, 20, &options)
            .commits()
            .into_iter()
            .map(|(_, token)| token)
            .collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.len()
    };
    assert_eq!(distinct(1000.0), 20);
    assert!(distinct(1.0) < 20);
}

#[test]
fn without_early_stop_every_cell_is_filled() {
    let grammar = gbnf::parse(COUNTED).expect("counted");
    let stop = |early_stop| {
        let options = Options {
            early_stop,
            ..Options::left_to_right(20)
        };
        noise(Some(&grammar), 20, &options)
    };
    assert_eq!(stop(false).canvas.masks(), [0; 0]);
    assert!(stop(true).canvas.masks().len() > 2);
    assert!(recognize(&grammar, &stop(false).text));
}

#[test]
fn commits_of_little_confidence_are_masked_again() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let options = Options {
        remask: Some(Remask {
            below: 0.99,
            per_step: 3,
            per_cell: 1,
        }),
        steps: 10,
        ..Options::default()
    };
    let ended = noise(Some(&grammar), 20, &options);
    let again = |event: &&Event| matches!(event, Event::Remask { .. });
    assert!(ended.events.iter().filter(again).count() > 3);
    assert!(recognize(&grammar, &ended.text));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let default = Options::default;
    let truncation = |top_k, top_p| Truncation {
        top_k,
        top_p,
        min_p: None,
    };
    for options in [
        Options {
            steps: 0,
            ..default()
        },
        Options {
            block: Some(0),
            ..default()
        },
        Options {
            temperature: f32::NAN,
            ..default()
        },
        Options {
            repetition_penalty: 0.0,
            ..default()
        },
        Options {
            repetition_penalty: 1e-40,
            ..default()
        },
        Options {
            bias: vec![(1, f32::INFINITY)],
            ..default()
        },
        Options {
            bias: vec![(1, 3e38), (1, 3e38)],
            ..default()
        },
        Options {
            truncation: truncation(Some(0), None),
            ..default()
        },
        Options {
            truncation: truncation(None, Some(1.5)),
            ..default()
        },
        Options {
            foresight: -1.0,
            ..default()
        },
        Options {
            schedule: ScheduleKind::Threshold(0.0),
            ..default()
        },
        Options {
            schedule: ScheduleKind::Factor(f32::NAN),
            ..default()
        },
    ] {
        let model = Model::new(Adversary::Flat, vocabulary());
        let error = decode(None, &[None; 4], model, &options).err();
        assert!(
            matches!(error, Some(DecodeError::Invalid(_))),
            "{options:?}"
        );
    }
}

/// The commits of each step but the last, which takes what is left.
fn commits_by_step(ended: &Ended) -> Vec<Vec<&Commit>> {
    let mut steps: Vec<Vec<&Commit>> = Vec::new();
    for event in &ended.events {
        match event {
            Event::Step { .. } => steps.push(Vec::new()),
            Event::Commit(commit) => steps.last_mut().expect("a step").push(commit),
            _ => {}
        }
    }
    steps.pop();
    steps
}

/// Whatever is refused, and in whatever order cells come: what a threshold lets pass are
/// candidates above it, or one a step.
#[test]
fn a_threshold_holds_for_what_takes_the_place_of_the_refused() {
    let (mut sure, mut refusals) = (0, 0);
    for (name, text) in [("json", JSON), ("counted", COUNTED)] {
        let grammar = gbnf::parse(text).expect(name);
        for index in 0..60 {
            let threshold = [0.04, 0.05, 0.07, 0.1][index % 4];
            let options = Options {
                schedule: ScheduleKind::Threshold(threshold),
                order: ORDERS[index % 5],
                commit: COMMITS[(index / 5) % 5],
                masks_after: [None, Some(0), Some(2)][(index / 2) % 3],
                steps: 14,
                seed: index as u64,
                ..Options::default()
            };
            let grammar = (index % 7 != 0).then_some(&grammar);
            let model = Model::new(Adversary::Noise(index as u64), vocabulary());
            let ended = decode(grammar, &[None; 14], model, &options).expect("a run");
            for commits in commits_by_step(&ended) {
                let unsure = commits.iter().filter(|it| it.probability < threshold);
                assert!(!commits.is_empty(), "{options:?}");
                assert!(unsure.count() <= 1, "{name}: {commits:?} by {options:?}");
                let others = commits.iter().any(|it| it.probability < threshold);
                assert!(!others || commits.len() == 1, "{name}: {commits:?}");
                sure += commits.len();
            }
            let refused = |event: &&Event| matches!(event, Event::Refusal(_));
            refusals += ended.events.iter().filter(refused).count();
        }
    }
    assert!(sure > 300 && refusals > 300, "{sure} {refusals}");
}

#[test]
fn nothing_is_recovered_where_nothing_is_refused() {
    for recovery in RECOVERIES {
        let options = Options {
            refusals_per_step: 0,
            refusals_per_run: Some(0),
            recovery,
            ..Options::default()
        };
        let free = noise(None, 12, &Options::default());
        let without = noise(None, 12, &options);
        assert_eq!(without.commits(), free.commits(), "{recovery:?}");
    }
}

#[test]
fn text_that_was_there_is_never_behind_an_end() {
    let vocabulary = vocabulary();
    let z = (0..vocabulary.len() as TokenId)
        .find(|&token| vocabulary.bytes(token) == Some(b"z"))
        .expect("a z");
    let mut canvas = vec![None; 9];
    canvas[4] = Some(z);
    let model = Model::new(Adversary::AlwaysEnd, Arc::clone(&vocabulary));
    let ended = decode(None, &canvas, model, &Options::default()).expect("a run");
    let cells = ended.canvas.cells();
    assert!(
        cells[..4]
            .iter()
            .all(|&cell| cell != Some(vocabulary.end()))
    );
    assert!(ended.text.ends_with(b"z"), "{:?}", ended.text);
}

/// Commits, those of a recovery that ends the run included, are told of in steps that began.
#[test]
fn every_commit_is_of_the_step_that_began_last() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    for recovery in RECOVERIES {
        let options = Options {
            refusals_per_run: Some(3),
            recovery,
            ..Options::default()
        };
        let mut begun = None;
        for event in noise(Some(&grammar), 14, &options).events {
            match event {
                Event::Step { step, .. } => begun = Some(step),
                Event::Commit(commit) => assert_eq!(Some(commit.step), begun, "{recovery:?}"),
                _ => {}
            }
        }
    }
}

#[test]
fn with_masks_the_first_commit_of_a_step_is_never_refused() {
    for (name, text) in [("json", JSON), ("counted", COUNTED)] {
        let grammar = gbnf::parse(text).expect(name);
        for adversary in ADVERSARIES {
            let options = Options {
                masks_after: Some(0),
                commit: CommitKind::Sequential,
                steps: 14,
                ..Options::default()
            };
            let model = Model::new(adversary, vocabulary());
            let ended = decode(Some(&grammar), &[None; 14], model, &options).expect("a run");
            // One cell a step.
            let refused = |event: &Event| matches!(event, Event::Refusal(_));
            assert!(!ended.events.iter().any(refused), "{name}, {adversary:?}");
        }
    }
}

/// Oracle: each token of a step is in the mask that a checker which knows nothing of the run
/// draws of the canvas just before it; and without noise the same is written as by trying
/// candidates one by one.
#[test]
fn with_masks_every_commit_is_from_the_mask_of_its_canvas() {
    let (mut commits, mut refusals) = (0, 0);
    for (name, text) in [("json", JSON), ("counted", COUNTED), ("sums", ARITHMETIC)] {
        let grammar = gbnf::parse(text).expect(name);
        for index in 0..60 {
            let options = Options {
                masks_after: Some(0),
                commit: COMMITS[index % 5],
                order: ORDERS[(index / 2) % 5],
                temperature: [0.0, 0.0, 1.0][index % 3],
                steps: [1, 2, 4][(index / 3) % 3],
                length: 13,
                block: [None, Some(6)][(index / 7) % 2],
                candidates: [1, 16][(index / 4) % 2],
                seed: index as u64,
                ..Options::default()
            };
            let adversary = ADVERSARIES[(index / 6) % ADVERSARIES.len()];
            let model = || Model::new(adversary, vocabulary());
            let ended = decode(Some(&grammar), &[None; 13], model(), &options).expect("a run");
            let refused = |event: &&Event| matches!(event, Event::Refusal(_));
            let shown = format!("{name}, {adversary:?}, {options:?}");
            assert_eq!(ended.events.iter().find(refused), None, "{shown}");
            let mut cells = vec![None; 13];
            for (cell, token) in ended.commits() {
                let masks = checker(&grammar, &vocabulary()).masks(&cells);
                let mask = masks.cells[cell].as_ref().expect("a masked cell");
                assert!(mask.contains(token as usize), "{token} in {cell}: {shown}");
                cells[cell] = Some(token);
                commits += 1;
            }
            if options.temperature == 0.0 && options.commit != CommitKind::Best {
                let one_by_one = Options {
                    masks_after: None,
                    commit: CommitKind::Sequential,
                    ..options
                };
                let other = decode(Some(&grammar), &[None; 13], model(), &one_by_one);
                let other = other.expect("a run");
                assert_eq!(other.commits(), ended.commits(), "{shown}");
                refusals += other.events.iter().filter(refused).count();
            }
        }
    }
    // Else it would show nothing.
    assert!(commits > 1000 && refusals > 500, "{commits}, {refusals}");
}

#[test]
fn spent_refusals_end_a_published_run() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let ended = noise(
        Some(&grammar),
        20,
        &Options {
            refusals_per_run: Some(3),
            ..Options::published(3, CommitKind::Sequential)
        },
    );
    assert!(recognize(&grammar, &ended.text));
    let refusals = |event: &&Event| matches!(event, Event::Refusal(_));
    assert_eq!(ended.events.iter().filter(refusals).count(), 3);
    let recovered = |event: &Event| matches!(event, Event::Commit(c) if c.how == How::Recovery);
    assert!(ended.events.iter().any(recovered));
}

#[test]
fn of_equals_the_leftmost_comes_first_however_commits_are_made() {
    let grammar = gbnf::parse("root ::= [a-z]*").expect("letters");
    for steps in [2, 4, 7] {
        for (commit, masks_after) in [
            (CommitKind::Bisect, None),
            (CommitKind::Sequential, None),
            (CommitKind::Sequential, Some(0)),
        ] {
            let options = Options {
                commit,
                masks_after,
                steps,
                early_stop: false,
                ..Options::default()
            };
            let model = Model::new(Adversary::Flat, vocabulary());
            let ended = decode(Some(&grammar), &[None; 9], model, &options).expect("a run");
            let leftmost: Vec<usize> = (0..9).collect();
            assert_eq!(ended.cells(), leftmost, "{options:?}");
        }
    }
}

#[test]
fn a_step_has_no_more_refusals_than_it_may_and_then_recovers() {
    let grammar = gbnf::parse(COUNTED).expect("counted");
    let mut refused = 0;
    for commit in COMMITS {
        for masks_after in [None, Some(0), Some(2)] {
            for (per_step, per_run) in [(0, None), (1, None), (3, None), (9, Some(0)), (9, Some(5))]
            {
                let options = Options {
                    commit,
                    masks_after,
                    steps: 3,
                    refusals_per_step: per_step,
                    refusals_per_run: per_run,
                    ..Options::default()
                };
                let model = Model::new(Adversary::Outsider, vocabulary());
                let ended = decode(Some(&grammar), &[None; 9], model, &options).expect("a run");
                let refusals = |step: usize| {
                    let refusals = ended.events.iter().filter_map(|event| match event {
                        Event::Refusal(refusal) => Some(refusal.step),
                        _ => None,
                    });
                    refusals.filter(|&at| at == step).count()
                };
                let all: Vec<usize> = (0..3).map(refusals).collect();
                let shown = format!("{options:?}: {all:?}");
                assert!(all.iter().all(|&of_step| of_step <= per_step), "{shown}");
                let in_all = all.iter().sum::<usize>();
                assert!(in_all <= per_run.unwrap_or(usize::MAX), "{shown}");
                if per_step == 0 || per_run == Some(0) {
                    let is_recovered = |event: &Event| match event {
                        Event::Commit(commit) => commit.how == How::Recovery,
                        _ => true,
                    };
                    assert!(ended.events.iter().all(is_recovered), "{shown}");
                }
                refused += in_all;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}
