//! What a canvas looks like before a run: masks, a template, regions, or free text with
//! a trigger.
//!
//! A gap of a template that may have several lengths is given the lengths that the model
//! prefers: each combination is put to it once, and the one is taken in whose gaps its
//! best tokens are the most probable on average, among those that a text of the grammar
//! fits.

use std::rc::Rc;
use std::sync::Arc;

use lacuna_decoder::{
    Canvas, Cell, DecodeError, DenoiseRequest, Denoiser, Piece, RegionGuard, Template,
    TemplateError, TriggerGuard,
};
use lacuna_grammar::quoted;
use lacuna_logits::TokenSet;

use crate::cache::Found;
use crate::engine::{Begin, request_text};
use crate::fewest::fewest_tokens;
use crate::judging::{Judging, Opened};
use crate::room::room;
use crate::{Engine, Fault, GenerateRequest, GrammarSource, Judge, ModelRun, Purpose};

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
        self.begin(request, masked.max().unwrap_or(0))?;
        let canvases = lengths
            .iter()
            .map(|lengths| self.canvas_of(template, lengths));
        let mut canvases: Vec<Vec<Cell>> = canvases.collect::<Result<_, _>>()?;
        let longest = canvases.iter().map(Vec::len).max().unwrap_or(0);
        let begin = self.begin(request, longest)?;
        if canvases.len() > 1 {
            canvases = self.by_preference(&begin, canvases).await?;
        }
        let judging = Judging::of(request, self)?;
        let clock: Rc<dyn Fn() -> f64> = Rc::from(clock);
        let mut refusal = None;
        let first = canvases.first().cloned().unwrap_or_default();
        for cells in canvases {
            let mut opened = judging.guard(self, &begin, &clock)?;
            match opened.guard.open(&cells) {
                Ok(()) => {
                    let canvas = Canvas::new(cells);
                    let run = begin.run(self, (canvas, opened), request, &clock)?;
                    return Ok(run.of(judging.origin()));
                }
                // That a length is undecided says more than that another does not fit.
                Err(error @ DecodeError::Exhausted { .. }) => refusal = Some(error),
                Err(error) => {
                    refusal.get_or_insert(error);
                }
            }
        }
        let refusal = match (refusal, &judging) {
            (Some(DecodeError::NoFilling { masked, .. }), Judging::Checker(found)) => {
                let mut checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
                let room = room(&mut checker, &first, &*clock);
                Some(DecodeError::NoFilling { masked, room })
            }
            (Some(DecodeError::NoMember { length, .. }), Judging::Checker(found)) => {
                let mut checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
                let shortest = fewest_tokens(&mut checker).map(|fewest| fewest.at_least);
                Some(DecodeError::NoMember { length, shortest })
            }
            (refusal, _) => refusal,
        };
        let no_cells = DecodeError::Invalid("a template needs at least one piece");
        Err(refusal.unwrap_or(no_cells).into())
    }

    /// The cells of a template with gaps of these lengths; behind text at its end, an end.
    fn canvas_of(&self, template: &Template, lengths: &[usize]) -> Result<Vec<Cell>, Fault> {
        let mut cells = Vec::new();
        let mut lengths = lengths.iter().copied();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => cells.extend(self.cells_of(text)?),
                Piece::Gap(_) => cells.extend(vec![None; lengths.next().unwrap_or(0)]),
            }
        }
        if let Some(Piece::Text(_)) = template.pieces.last() {
            cells.push(Some(self.vocabulary().end()));
        }
        Ok(cells)
    }

    fn cells_of(&self, text: &str) -> Result<Vec<Cell>, Fault> {
        let tokens = self.tokenizer.encode(text)?;
        if self.tokenizer.decode(&tokens) != text.as_bytes() {
            let message = format!("the tokenizer cannot spell {} as it stands", quoted(text));
            return Err(Fault::new("tokenizer", message));
        }
        Ok(tokens.into_iter().map(Some).collect())
    }

    /// The canvases, those first whose masked cells the model is surest of.
    async fn by_preference(
        &self,
        begin: &Begin,
        canvases: Vec<Vec<Cell>>,
    ) -> Result<Vec<Vec<Cell>>, Fault> {
        let mut model = begin.model(self);
        let vocabulary = self.vocabulary();
        // An end would fill any gap.
        let writable =
            TokenSet::from_fn(vocabulary.len(), |token| vocabulary.bytes(token).is_some());
        let mut scored = Vec::with_capacity(canvases.len());
        for cells in canvases {
            let masks = (0..cells.len()).filter(|&cell| cells[cell].is_none());
            let masked: Vec<usize> = masks.collect();
            let request = DenoiseRequest {
                cells: &cells,
                masked: &masked,
                writable: &writable,
                top: 1,
                noise: None,
                kept: None,
            };
            let rows = match masked.is_empty() {
                true => Vec::new(),
                false => model.denoise(&request).await.map_err(DecodeError::from)?,
            };
            let best = rows
                .iter()
                .map(|row| row.best.first().map_or(0.0, |best| row.probability(best)));
            let sum: f32 = best
                .map(|probability| probability.max(f32::MIN_POSITIVE).ln())
                .sum();
            scored.push((sum / masked.len().max(1) as f32, cells));
        }
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Ok(scored.into_iter().map(|(_, cells)| cells).collect())
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
        for region in regions {
            parts.push(match &region.content {
                Content::Text(text) => self.cells_of(text)?,
                Content::Masks(cells) => vec![None; *cells],
            });
            let source = region.grammar.clone();
            let source = source.filter(|_| request.judge == Judge::Checker);
            found.push(match source {
                Some(mut source) => {
                    // A text of that name, if there is one, comes later and counts.
                    let name = request_text(source.dialect).to_owned();
                    source.texts.insert(0, (name, request.request.clone()));
                    let (purpose, vocabulary) = (Purpose::Writing, Some(self.vocabulary()));
                    Some(self.cache().compile(&source, purpose, vocabulary, false)?)
                }
                None => None,
            });
        }
        let canvas = Canvas::joined(parts);
        let begin = self.begin(request, canvas.cells().len())?;
        let origin = found.iter().flatten().map(|found| found.origin).next();
        let checkers = found.iter().map(|found| {
            let writable = Some(Arc::clone(&begin.writable));
            found.as_ref().map(|found| found.grammar.checker(writable))
        });
        let lengths = canvas.regions().iter().map(|range| range.len());
        let regions = lengths.zip(checkers).collect::<Vec<_>>();
        let opened = Opened {
            guard: Box::new(RegionGuard::new(regions, &begin.writable)),
            vocabulary: Arc::clone(&begin.writable),
            memo: None,
        };
        let sizes: Vec<usize> = canvas.regions().iter().map(|range| range.len()).collect();
        let run = begin.run(self, (canvas, opened), request, &Rc::from(clock));
        let run = run.map_err(|error| match error {
            // The guard knows a bound; said is how many that region's texts take.
            DecodeError::NoMember { length, shortest } => {
                let of_length = found
                    .iter()
                    .zip(sizes)
                    .filter(|&(_, cells)| cells == length);
                let fewest = of_length.filter_map(|(found, _)| {
                    let writable = Some(Arc::clone(&begin.writable));
                    let mut checker = found.as_ref()?.grammar.checker(writable);
                    Some(fewest_tokens(&mut checker)?.at_least).filter(|&fewest| fewest > length)
                });
                let shortest = fewest.min().or(shortest);
                DecodeError::NoMember { length, shortest }
            }
            error => error,
        })?;
        Ok(run.of(origin))
    }

    fn start_trigger(
        &self,
        request: &GenerateRequest,
        trigger: &str,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        ours_or_free(request)?;
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
        Ok(run.of(Some(found.origin)))
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
