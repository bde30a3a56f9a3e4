//! What a canvas looks like before a run: masks, a template, regions, or free text with
//! a trigger.
//!
//! A gap of a template that may have several lengths is given the lengths that the model
//! prefers: each combination is put to it once, and the one is taken in whose gaps its
//! best tokens are the most probable on average, among those that a text of the grammar
//! fits. An empty gap is as probable as the token behind it is where it stands (or the one before
//! it, at the end), which is masked for that.

use std::rc::Rc;
use std::sync::Arc;

use lacuna_decoder::{
    Canvas, Cell, DecodeError, DenoiseRequest, Denoiser, GrammarGuard, Guard, NarrowRequest, Piece,
    RegionGuard, Template, TemplateError, TriggerGuard,
};
use lacuna_grammar::quoted;
use lacuna_lexer::Vocabulary;
use lacuna_logits::{Scored, TokenSet};

use crate::cache::Found;
use crate::engine::{Begin, name_request};
use crate::judging::{Judging, Opened};
use crate::no_member::no_member;
use crate::prompted::PromptedModel;
use crate::room::room;
use crate::{
    Engine, Fault, GenerateRequest, GrammarSource, GrammarWarning, Judge, ModelRun, Purpose,
};

/// What a canvas looks like before a run. All but [`Shape::Masks`] leave the options'
/// length aside.
#[derive(Clone, Debug, Default)]
pub enum Shape {
    /// As many masks as the options say, under the request's grammar.
    #[default]
    Masks,
    /// Text that stays with gaps, all of it a text of the request's grammar.
    Template(Template),
    /// Texts one after another; the request's own grammar is left aside.
    Regions(Vec<Region>),
    /// As many masks as the options say: free text, and behind this trigger a text of the
    /// request's grammar.
    Trigger(String),
}

/// A part of the canvas with a text of its own.
#[derive(Clone, Debug)]
pub struct Region {
    /// Text that stays, or cells.
    pub content: Content,
    /// The grammar of its text; `None`: anything.
    pub grammar: Option<GrammarSource>,
}

/// What a region holds before the run.
#[derive(Clone, Debug)]
pub enum Content {
    /// Text that stays as it is.
    Text(String),
    /// So many masks.
    Masks(usize),
}

/// A template's canvas with gaps of certain lengths.
struct Lengthened {
    cells: Vec<Cell>,
    /// Where empty gaps are: the cells behind them.
    empty: Vec<usize>,
}

/// Combinations of lengths that are put to the model at most.
const MOST_LENGTHS: usize = 64;

impl From<TemplateError> for Fault {
    fn from(error: TemplateError) -> Self {
        Self::new("invalid-input", error.to_string())
    }
}

impl Engine {
    /// Begins a run on a canvas of some shape. `clock` gives milliseconds from any
    /// origin, each time it is made.
    ///
    /// # Errors
    /// As for [`Engine::start`]; and where nothing fits between what is fixed.
    pub async fn start_shaped(
        &self,
        request: &GenerateRequest,
        shape: &Shape,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        match shape {
            Shape::Masks => self.start(request, clock),
            Shape::Template(template) => self.start_template(request, template, clock).await,
            Shape::Regions(regions) => self.start_regions(request, regions, clock),
            Shape::Trigger(trigger) => self.start_trigger(request, trigger, clock),
        }
    }

    async fn start_template(
        &self,
        request: &GenerateRequest,
        template: &Template,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        let lengths = template.lengths(MOST_LENGTHS)?;
        // Before any is laid out: a gap may be longer than memory.
        let masked = lengths.iter().map(|of_gaps| {
            let cells = of_gaps.iter().copied();
            cells.fold(0, usize::saturating_add)
        });
        let masked = masked.clone().min().unwrap_or(0)..=masked.max().unwrap_or(0);
        self.begin(request, *masked.end())?;
        let canvases = lengths
            .iter()
            .map(|lengths| self.canvas_of(template, lengths));
        let mut canvases: Vec<Lengthened> = canvases.collect::<Result<_, _>>()?;
        // A run needs a cell, if only for an end.
        if canvases.iter().any(|canvas| !canvas.cells.is_empty()) {
            canvases.retain(|canvas| !canvas.cells.is_empty());
        }
        let cells = canvases.iter().map(|canvas| canvas.cells.len());
        let most = cells.max().unwrap_or(0);
        let begin = self.begin(request, most)?;
        let judging = Judging::of(request, self)?;
        let clock: Rc<dyn Fn() -> f64> = Rc::from(clock);
        let mut refusal = None;
        let mut fits = |cells: &[Cell]| -> Result<Option<Opened>, Fault> {
            let mut opened = judging.guard(self, &begin, &clock)?;
            match opened.guard.open(cells) {
                Ok(()) => return Ok(Some(opened)),
                // That a length is undecided says more than that another does not fit.
                Err(error @ DecodeError::Exhausted { .. }) => refusal = Some(error),
                Err(error) => {
                    refusal.get_or_insert(error);
                }
            }
            Ok(None)
        };
        // Where none fits the model is not asked.
        while let [Lengthened { cells, .. }, more @ ..] = canvases.as_slice() {
            if fits(cells)?.is_some() {
                if !more.is_empty() {
                    canvases = self.by_preference(&begin, canvases).await?;
                }
                break;
            }
            canvases.remove(0);
        }
        for Lengthened { cells, .. } in canvases {
            if let Some(opened) = fits(&cells)? {
                let canvas = Canvas::new(cells);
                let run = begin.run(self, (canvas, opened), request, &clock)?;
                return Ok(run.of(judging.origin(), judging.warnings()));
            }
        }
        let refusal = match (refusal, &judging) {
            (Some(DecodeError::NoFilling { .. }), Judging::Checker(found)) => {
                let mut checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
                // Every gap is there: of no cells it would be none.
                let of_one = vec![1; lengths.first().map_or(0, Vec::len)];
                let canvas = self.canvas_of(template, &of_one)?;
                let room = room(&mut checker, &canvas.cells, &*clock);
                Some(DecodeError::NoFilling { masked, room })
            }
            (Some(DecodeError::NoMember { .. }), Judging::Checker(found)) => {
                let mut checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
                Some(no_member(&mut checker, most, &*clock))
            }
            (refusal, _) => refusal,
        };
        let no_cells = DecodeError::Invalid("a template needs at least one piece");
        Err(refusal.unwrap_or(no_cells).into())
    }

    /// The cells of a template with gaps of these lengths; behind text at its end, an end.
    fn canvas_of(&self, template: &Template, lengths: &[usize]) -> Result<Lengthened, Fault> {
        let mut cells = Vec::new();
        let mut empty = Vec::new();
        let mut lengths = lengths.iter().copied();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => cells.extend(self.cells_of(text)?),
                Piece::Gap(_) => match lengths.next().unwrap_or(0) {
                    0 => empty.push(cells.len()),
                    length => cells.extend(vec![None; length]),
                },
            }
        }
        if let Some(Piece::Text(_)) = template.pieces.last() {
            cells.push(Some(self.vocabulary().end()));
        }
        Ok(Lengthened { cells, empty })
    }

    fn cells_of(&self, text: &str) -> Result<Vec<Cell>, Fault> {
        let tokens = self.tokenizer.encode(text)?;
        if self.tokenizer.decode(&tokens) != text.as_bytes() {
            let message = format!("the tokenizer cannot spell {} as it stands", quoted(text));
            return Err(Fault::new("tokenizer", message));
        }
        Ok(tokens.into_iter().map(Some).collect())
    }

    /// The canvases, those first whose gaps the model is surest of.
    async fn by_preference(
        &self,
        begin: &Begin,
        canvases: Vec<Lengthened>,
    ) -> Result<Vec<Lengthened>, Fault> {
        let mut model = begin.model(self);
        let mut scored = Vec::with_capacity(canvases.len());
        for canvas in canvases {
            let sureness = self.sureness(&mut model, &begin.writable, &canvas);
            scored.push((sureness.await?, canvas));
        }
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Ok(scored.into_iter().map(|(_, canvas)| canvas).collect())
    }

    /// The mean of the logarithms of probabilities: of the best token of each cell of a gap, and
    /// beside an empty gap, where that is masked, of the one that is there.
    async fn sureness(
        &self,
        model: &mut PromptedModel,
        vocabulary: &Vocabulary,
        canvas: &Lengthened,
    ) -> Result<f32, Fault> {
        let beside = canvas.empty.iter().filter_map(|&at| {
            let mut places = [Some(at), at.checked_sub(1)].into_iter().flatten();
            places.find(|&place| canvas.cells.get(place).is_some_and(Option::is_some))
        });
        let mut beside: Vec<usize> = beside.collect();
        beside.dedup();
        let mut cells = canvas.cells.clone();
        beside.iter().for_each(|&cell| cells[cell] = None);
        let masked: Vec<usize> = (0..cells.len()).filter(|&at| cells[at].is_none()).collect();
        if masked.is_empty() {
            return Ok(0.0);
        }
        // An end would fill any gap.
        let writable = |token| vocabulary.is_fillable(token);
        let writable = TokenSet::from_fn(vocabulary.len(), writable);
        let request = DenoiseRequest {
            cells: &cells,
            masked: &masked,
            writable: &writable,
            top: 1,
            noise: None,
            kept: None,
        };
        let rows = model.denoise(&request).await.map_err(DecodeError::from)?;
        let fixed = masked.iter().enumerate().filter_map(|(row, &cell)| {
            let there = canvas.cells[cell]?;
            Some((
                row,
                TokenSet::from_fn(vocabulary.len(), |token| token == there),
            ))
        });
        let fixed: Vec<(usize, TokenSet)> = fixed.collect();
        let asks = fixed
            .iter()
            .map(|(row, allowed)| NarrowRequest { row: *row, allowed });
        let asks: Vec<NarrowRequest<'_>> = asks.collect();
        let mut best: Vec<Option<Scored>> = rows.iter().map(|r| r.best.first().copied()).collect();
        if !asks.is_empty() {
            let answers = model.narrow(&asks).await.map_err(DecodeError::from)?;
            for (&(row, _), answer) in fixed.iter().zip(answers) {
                best[row] = answer.first().copied();
            }
        }
        let probabilities = rows.iter().zip(best).map(|(row, best)| {
            let Some(best) = best else { return 0.0 };
            let share = (best.logit - row.highest).exp();
            // An end that is there is none of those that the sum is over.
            let besides = if writable.contains(best.token) {
                0.0
            } else {
                share
            };
            share / (row.sum + besides)
        });
        let logs = probabilities.map(|probability| probability.max(f32::MIN_POSITIVE).ln());
        Ok(logs.sum::<f32>() / masked.len() as f32)
    }

    fn start_regions(
        &self,
        request: &GenerateRequest,
        regions: &[Region],
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        ours_or_free(request)?;
        let masked = regions.iter().map(|region| match region.content {
            Content::Text(_) => 0,
            Content::Masks(cells) => cells,
        });
        self.begin(request, masked.fold(0, usize::saturating_add))?;
        let mut parts: Vec<Vec<Cell>> = Vec::new();
        let mut found: Vec<Option<Found>> = Vec::new();
        for (at, region) in regions.iter().enumerate() {
            parts.push(match &region.content {
                Content::Text(text) => self.cells_of(text)?,
                Content::Masks(cells) => vec![None; *cells],
            });
            let source = region.grammar.clone();
            let source = source.filter(|_| request.judge == Judge::Checker);
            let compiled = source.map(|mut source| {
                name_request(&mut source.texts, source.dialect, &request.request)?;
                let (purpose, vocabulary) = (Purpose::Writing, Some(self.vocabulary()));
                self.cache().compile(&source, purpose, vocabulary, false)
            });
            found.push(compiled.transpose().map_err(|it| it.in_region(at))?);
        }
        let canvas = Canvas::joined(parts);
        let begin = self.begin(request, canvas.cells().len())?;
        let origin = found.iter().flatten().map(|found| found.origin).next();
        // A cell may hold what its region's grammar names; to the run, what any does.
        let grammars = found.iter().flatten().map(|found| &found.grammar);
        let vocabulary = grammars.fold(Arc::clone(&begin.writable), |all, one| one.named_in(&all));
        let mut guards = Vec::with_capacity(found.len());
        for (at, (range, found)) in canvas.regions().iter().zip(&found).enumerate() {
            let cells = &canvas.cells()[range.clone()];
            let guard = found.as_ref().map(|found| {
                let guard = open_region(found, cells, &begin.writable, &*clock);
                guard.map_err(|error| Fault::from(error).in_region(at))
            });
            guards.push((range.len(), guard.transpose()?));
        }
        let opened = Opened {
            guard: Box::new(RegionGuard::of_guards(guards, &vocabulary)),
            vocabulary,
            memo: None,
        };
        let run = begin.run(self, (canvas, opened), request, &Rc::from(clock))?;
        let warnings = (0..).zip(&found).flat_map(|(region, found)| {
            let warnings = found.as_ref().map_or(&[][..], |it| it.grammar.warnings());
            GrammarWarning::of(Some(region), warnings)
        });
        Ok(run.of(origin, warnings.collect()))
    }

    fn start_trigger(
        &self,
        request: &GenerateRequest,
        trigger: &str,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        ours_or_free(request)?;
        if request.judge == Judge::Nobody {
            return self.start(request, clock);
        }
        let begin = self.begin(request, request.options.length)?;
        let found = self.compile(request)?;
        let checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
        let vocabulary = checker.vocabulary().unwrap_or(&begin.writable);
        let vocabulary = Arc::clone(vocabulary);
        let guard = TriggerGuard::new(trigger, checker, Arc::clone(&vocabulary));
        let opened = Opened {
            guard: Box::new(guard),
            vocabulary,
            memo: None,
        };
        let canvas = Canvas::masked(request.options.length);
        let run = begin.run(self, (canvas, opened), request, &Rc::from(clock))?;
        let warnings = GrammarWarning::of(None, found.grammar.warnings());
        Ok(run.of(Some(found.origin), warnings.collect()))
    }
}

/// The guard of a region, which its cells fit.
fn open_region(
    found: &Found,
    cells: &[Cell],
    writable: &Arc<Vocabulary>,
    clock: &dyn Fn() -> f64,
) -> Result<GrammarGuard, DecodeError> {
    let checker = found.grammar.checker(Some(Arc::clone(writable)));
    let own = Arc::clone(checker.vocabulary().unwrap_or(writable));
    let mut guard = GrammarGuard::new(checker, own);
    match guard.open(cells) {
        Ok(()) => Ok(guard),
        // The guard knows a bound; said is how many the region's texts take.
        Err(DecodeError::NoMember { length, .. }) => {
            let mut checker = found.grammar.checker(Some(Arc::clone(writable)));
            Err(no_member(&mut checker, length, clock))
        }
        Err(error) => Err(error),
    }
}

/// Regions and triggers are ours: the published methods know one grammar for all cells.
fn ours_or_free(request: &GenerateRequest) -> Result<(), Fault> {
    match request.judge {
        Judge::Published(_) => {
            let message = "a published method judges a whole canvas, not regions or triggers";
            Err(Fault::new("invalid-input", message))
        }
        Judge::Nobody | Judge::Checker => Ok(()),
    }
}
