//! Languages of strings, decoded: what the keywords say of them together.

use std::rc::Rc;
use std::sync::Arc;

use super::LIMITS;
use super::expansion::Expander;
use super::keyword::SchemaId;
use super::shape::Strings;
use super::types::Types;
use crate::Expr;
use crate::automaton::{AutomatonError, Language};
use crate::characters::ANY_CHARACTER;

/// What a language is made of; automata by their addresses, which patterns keep.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    length: (u32, Option<u32>),
    words: Option<Rc<[&'a str]>>,
    except: Vec<Rc<[&'a str]>>,
    texts: Vec<(usize, bool)>,
}

impl<'a> Expander<'a> {
    /// The texts among some strings; slots are left aside.
    pub(super) fn language(
        &mut self,
        strings: &Strings<'a>,
    ) -> Result<Arc<Language>, AutomatonError> {
        let address =
            |(texts, within): &(Arc<Language>, bool)| (Arc::as_ptr(texts) as usize, *within);
        let key = Key {
            length: (strings.min, strings.max),
            words: strings.words.clone(),
            except: strings.except.clone(),
            texts: strings.texts.iter().map(address).collect(),
        };
        if let Some(known) = self.languages.get(&key) {
            return Ok(known.clone());
        }
        let made = self.make(strings)?;
        self.spend(made.state_count() as u64 / 16);
        self.languages.insert(key, made.clone());
        Ok(made)
    }

    fn make(&mut self, strings: &Strings<'a>) -> Result<Arc<Language>, AutomatonError> {
        if let Some(words) = &strings.words {
            let words = words.iter().filter(|word| strings.admits(word)).copied();
            return Ok(Arc::new(Language::of_texts(words, &LIMITS)?));
        }
        if (strings.min, strings.max) != (0, None) {
            let found = self.language(&strings.of_any_length())?;
            if let Some(lengths) = found.lengths() {
                let bounded = lengths.rest(lengths.start(), strings.bounds(), &LIMITS)?;
                return Ok(Arc::new(bounded));
            }
            return Ok(match of_length(strings.min, strings.max)? {
                Some(length) => Arc::new(found.intersect(&length, &LIMITS)?),
                None => found,
            });
        }
        let within = strings.texts.iter().filter(|(_, within)| *within);
        let mut within = within.map(|(texts, _)| texts.clone());
        let mut found = match within.next() {
            Some(first) => first,
            None => self.any_text()?,
        };
        for other in within {
            found = Arc::new(found.intersect(&other, &LIMITS)?);
        }
        for (texts, _) in strings.texts.iter().filter(|(_, within)| !within) {
            found = Arc::new(found.minus(texts, &LIMITS)?);
        }
        for words in &strings.except {
            let words = Language::of_texts(words.iter().copied(), &LIMITS)?;
            found = Arc::new(found.minus(&words, &LIMITS)?);
        }
        Ok(found)
    }

    /// The same strings, where what patterns say of their lengths is left to the bounds; `None`
    /// where they say nothing of them, or these are listed.
    pub(super) fn uncounted(&self, strings: &Strings<'a>) -> Option<Strings<'a>> {
        if strings.words.is_some() {
            return None;
        }
        let mut found = None;
        for (at, (texts, within)) in strings.texts.iter().enumerate() {
            let address = Arc::as_ptr(texts) as usize;
            let known = self.document.uncounted.get(&address).filter(|_| *within);
            if let Some((of_any_length, bounds)) = known {
                let found: &mut Strings<'a> = found.get_or_insert_with(|| strings.clone());
                found.texts[at].0 = of_any_length.clone();
                found.min = found.min.max(bounds.min);
                found.max = [found.max, bounds.max].into_iter().flatten().min();
            }
        }
        found
    }

    /// Every text.
    pub(super) fn any_text(&mut self) -> Result<Arc<Language>, AutomatonError> {
        if let Some(known) = &self.any_text {
            return Ok(known.clone());
        }
        let any = Expr::Chars(Box::new([ANY_CHARACTER])).star();
        let any = Arc::new(Language::of_expr(&any, &LIMITS)?);
        self.any_text = Some(any.clone());
        Ok(any)
    }

    /// The names that a schema admits.
    pub(super) fn name_language(&mut self, schema: SchemaId) -> Arc<Language> {
        if let Some(known) = self.names.get(&schema) {
            return known.clone();
        }
        let goals = self.goals([(schema, true)]);
        let shapes = goals.map(|goals| self.expand(&goals));
        let mut parts = Vec::new();
        for shape in shapes.iter().flat_map(|shapes| shapes.iter()) {
            if !shape.types.meets(Types::STRING) {
                continue;
            }
            if !shape.strings.asks.is_empty() {
                let message = "names cannot be judged while a slot is open";
                self.refuse("open-slot", schema, "", message);
            }
            match self.language(&shape.strings) {
                Ok(part) => parts.push(part),
                Err(error) if self.is_wide() => {
                    self.admit_more(schema, "", &error.to_string());
                    parts.extend(self.any_text());
                }
                Err(error) => self.refuse("too-large", schema, "", &error.to_string()),
            }
        }
        let language = match parts.len() {
            0 => Arc::new(Language::nothing()),
            1 => parts.remove(0),
            _ => match Language::union_of(parts.iter().map(Arc::as_ref), &LIMITS) {
                Ok(union) => Arc::new(union),
                Err(error) => {
                    self.refuse("too-large", schema, "", &error.to_string());
                    Arc::new(Language::nothing())
                }
            },
        };
        self.names.insert(schema, language.clone());
        language
    }
}

/// The texts of so many characters, where that says something.
pub(super) fn of_length(
    min: u32,
    max: Option<u32>,
) -> Result<Option<Arc<Language>>, AutomatonError> {
    if min == 0 && max.is_none() {
        return Ok(None);
    }
    let item = Box::new(Expr::Chars(Box::new([ANY_CHARACTER])));
    let length = Expr::Repeat { item, min, max };
    Ok(Some(Arc::new(Language::of_expr(&length, &LIMITS)?)))
}
