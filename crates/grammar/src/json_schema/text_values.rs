//! The strings of a shape: any, of a length, listed, of a pattern, or of a slot.

use std::sync::Arc;

use super::LIMITS;
use super::finding::error;
use super::lengths::FEW;
use super::lower::Lowering;
use super::shape::Strings;
use super::syntax::in_quotes;
use super::texts::of_length;
use super::words;
use crate::automaton::{AutomatonError, Bounds, Counted, Dfa, Language, Lengths, SHORTCUTS};
use crate::slots::spelling::Spelling;
use crate::slots::{Recipe, Target, Way};
use crate::{Expr, Place, RuleId};

impl<'a> Lowering<'a> {
    /// The strings of a shape; `None` where there are none.
    pub(super) fn strings(&mut self, strings: &Strings<'a>) -> Option<Expr> {
        if !strings.asks.is_empty() {
            let made = self.open_string(strings);
            return made
                .map(Expr::Rule)
                .map_err(|error| self.too_large(&error))
                .ok();
        }
        if self.is_refused() {
            return Some(Expr::empty());
        }
        let (min, max) = (strings.min, strings.max);
        let free = Strings {
            min,
            max,
            ..Strings::default()
        };
        if *strings == free {
            if (min, max) == (0, None) {
                return Some(Expr::Rule(self.any_value().string));
            }
            let counted = self.counted_characters(strings);
            return Some(in_quotes(
                counted.unwrap_or_else(|| self.characters(min, max)),
            ));
        }
        if let Some(spelled) = self.few_words(strings) {
            return spelled;
        }
        match self.texts(strings) {
            Ok(spelled) => spelled.map(in_quotes),
            Err(error) => {
                self.too_large(&error);
                None
            }
        }
    }

    /// The spellings, without quotes, of the texts of a language; `None` where there are
    /// none.
    fn texts(&mut self, strings: &Strings<'a>) -> Result<Option<Expr>, AutomatonError> {
        if SHORTCUTS && let Some(uncounted) = self.expander.uncounted(strings) {
            let texts = self.expander.language(&uncounted.of_any_length())?;
            if let Some(lengths) = texts.lengths() {
                let bounds = lengths.needed(uncounted.bounds());
                if are_many(&lengths, bounds)
                    && let Some(counted) = self.counting_texts(&texts, &lengths, bounds)?
                {
                    return Ok(counted);
                }
            }
        }
        let mut bounds = strings.bounds();
        if strings.words.is_none() && (bounds.min > 0 || bounds.max.is_some()) {
            let texts = self.expander.language(&strings.of_any_length())?;
            if let Some(lengths) = texts.lengths() {
                bounds = lengths.needed(bounds);
                if are_many(&lengths, bounds) {
                    if let Some(counted) = self.counting_texts(&texts, &lengths, bounds)? {
                        return Ok(counted);
                    }
                    // Where counts are no help, or too many.
                    if SHORTCUTS && let Some(counted) = self.bounded(&lengths, bounds)? {
                        return Ok(Some(counted));
                    }
                    let sizes = texts.spelled_sizes(&self.options.strings);
                    lengths.check_spelled(&sizes, bounds, &LIMITS)?;
                }
            }
        }
        let bounded = Strings {
            min: bounds.min,
            max: bounds.max,
            ..strings.clone()
        };
        let texts = self.expander.language(&bounded)?;
        let spelled = self.spelled(&texts)?;
        Ok((!spelled.is_empty()).then_some(Expr::Automaton(spelled)))
    }

    /// The spellings of few listed strings.
    fn few_words(&mut self, strings: &Strings<'a>) -> Option<Option<Expr>> {
        const FEW: usize = 1_000_000;
        let words = strings.words.as_ref()?;
        let left: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| strings.admits(word))
            .collect();
        if left.iter().map(|word| word.len()).sum::<usize>() > FEW {
            return None;
        }
        Some(match left.as_slice() {
            [] => None,
            [word] => Some(self.options.strings.literal(word)),
            _ => {
                let spelled = words::spelled(left.into_iter(), self.options.strings);
                Some(in_quotes(Expr::Automaton(Arc::new(spelled))))
            }
        })
    }

    /// The spellings of a language's texts, without quotes.
    pub(super) fn spelled(&mut self, texts: &Arc<Language>) -> Result<Arc<Dfa>, AutomatonError> {
        let address = Arc::as_ptr(texts) as usize;
        if let Some((_, known)) = self.spelled.get(&address) {
            return Ok(known.clone());
        }
        let spelled = Arc::new(texts.spelled(&self.options.strings, &LIMITS)?);
        self.expander.spend(spelled.state_count() as u64 / 16);
        self.spelled
            .insert(address, (texts.clone(), spelled.clone()));
        Ok(spelled)
    }

    /// The spellings of a language's texts with so many characters, without a state for each
    /// count, or that there are none; `None` where that cannot be.
    fn counting_texts(
        &mut self,
        texts: &Arc<Language>,
        lengths: &Lengths<'_>,
        bounds: Bounds,
    ) -> Result<Option<Option<Expr>>, AutomatonError> {
        // From here on the states of a lexer, of which each has a count, would be too many to
        // be numbered.
        const MANY: usize = 20_000;
        // States that are told apart until nothing is too short any more: a gap of any length
        // may lead to all of them.
        const SHORT: usize = 20_000;
        let short = lengths.state_count().saturating_mul(bounds.min as usize);
        if !SHORTCUTS || most_counted(bounds) > MANY || short > SHORT {
            return Ok(None);
        }
        let counted = self.counted_texts(texts, lengths, bounds)?;
        Ok(counted.map(|counted| (!counted.is_empty()).then_some(Expr::Counted(counted))))
    }

    /// The spellings of so many characters of any kind, the same way; `None` where these are few,
    /// or cannot be counted.
    fn counted_characters(&mut self, strings: &Strings<'a>) -> Option<Expr> {
        let bounds = strings.bounds();
        if !SHORTCUTS || most_counted(bounds) <= FEW as usize {
            return None;
        }
        let texts = self.expander.language(&strings.of_any_length()).ok()?;
        let lengths = texts.lengths()?;
        self.counting_texts(&texts, &lengths, bounds).ok()??
    }

    /// What is counted of a language's texts; `None` where that cannot be.
    fn counted_texts(
        &mut self,
        texts: &Arc<Language>,
        lengths: &Lengths<'_>,
        bounds: Bounds,
    ) -> Result<Option<Arc<Counted>>, AutomatonError> {
        let mut known = self.counted_texts.iter();
        let known = known.find(|(of, within, _)| Arc::ptr_eq(of, texts) && *within == bounds);
        if let Some((_, _, known)) = known {
            return Ok(known.clone());
        }
        let counted = texts.counted(lengths, &self.options.strings, bounds, &LIMITS)?;
        let counted = counted.map(Arc::new);
        let states = counted.as_ref().map_or(0, |counted| counted.state_count());
        self.expander.spend(states as u64 / 16);
        self.counted_texts
            .push((texts.clone(), bounds, counted.clone()));
        Ok(counted)
    }

    /// A rule that will be the strings that slots admit.
    fn open_string(&mut self, strings: &Strings<'a>) -> Result<RuleId, AutomatonError> {
        let pointer = self.expander.document.pointer(self.here.1).to_owned();
        if strings.words.is_some() || !strings.except.is_empty() {
            let message = "a listed string cannot be judged while a slot beside it is open";
            let finding = error("open-slot", &pointer, message)
                .with_note("hand the list or the text over with the schema");
            self.findings().push(finding);
        }
        let mut within: Vec<Arc<Dfa>> = Vec::new();
        if let Some(length) = of_length(strings.min, strings.max)? {
            within.push(Arc::new(length.utf8(&LIMITS)?));
        }
        for (texts, holds) in &strings.texts {
            let texts = match holds {
                true => texts.utf8(&LIMITS)?,
                false => self
                    .expander
                    .any_text()?
                    .minus(texts, &LIMITS)?
                    .utf8(&LIMITS)?,
            };
            within.push(Arc::new(texts));
        }
        // Until then something that derives a text.
        let rule = self.add_rule(format!("#{pointer} slot"), Expr::empty());
        self.holes.push((Target::Rule(rule), self.recipes.len()));
        self.recipes.push(Recipe {
            place: Place::Pointer(pointer),
            ways: vec![Way {
                asks: strings.asks.clone(),
                within,
                spelling: Spelling::Json(self.options.strings),
            }],
        });
        Ok(rule)
    }
}

/// Whether an automaton that counts, with a state for each state and count, each with its runs of
/// characters, would be large.
fn are_many(lengths: &Lengths<'_>, bounds: Bounds) -> bool {
    const FEW: usize = 1_500;
    let states = lengths.state_count().saturating_mul(most_counted(bounds));
    states.saturating_mul(lengths.breadth()) > FEW
}

/// The largest count that says something.
fn most_counted(bounds: Bounds) -> usize {
    bounds.max.unwrap_or(bounds.min) as usize
}
