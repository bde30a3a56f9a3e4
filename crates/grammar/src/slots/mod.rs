//! Choices made at run time: grammars with slots, and what fills them.
//!
//! What a text may name is often known only when it is asked for: the tables of a
//! database, the identifiers in scope, the words of a request. A front end reads
//! such a grammar once, to an [`OpenGrammar`], and [`OpenGrammar::fill`] makes
//! the [`Grammar`] for one occasion. That costs the automata of the values and a
//! copy of the rules' expressions; every other automaton is shared, and the
//! front end does not run again. Only filled grammars are [`Grammar`]s, so
//! nothing can come to a decision with a slot still open.
//!
//! A slot is filled with a list of literals, or with a text of which any run of
//! whole words will do ([`crate::spans`]). How a value is written (bare, between
//! quotes, as a JSON string) is the grammar's to say, and is done to the
//! automaton of the values ([`spelling`]), so lists and texts are alike there.

pub(crate) mod spelling;
pub(crate) mod values;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spelling::Spelling;

use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use crate::diagnostic::said_once;
use crate::quoted;
use crate::{Diagnostic, Diagnostics, Expr, Grammar, Linted, Place, RuleId, TerminalId};

/// What the values of one slot may need.
pub const LIMITS: Limits = Limits {
    nfa_states: 4_000_000,
    dfa_states: 400_000,
};

/// What fills the slots of a grammar, by name. Of a name that stands twice, the last
/// counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Literals, any one of which may stand in the slot.
    pub lists: Vec<(String, Vec<String>)>,
    /// Texts, of which any run of whole words may stand in the slot.
    pub texts: Vec<(String, String)>,
}

/// What has this name in a list of few.
pub(crate) fn named<'a, T>(list: &'a [(String, T)], name: &str) -> Option<&'a T> {
    let mut last_first = list.iter().rev();
    last_first.find_map(|(known, value)| (known == name).then_some(value))
}

impl Slots {
    /// The same, and a list.
    pub fn with_list<V: Into<String>>(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.lists.push((name.into(), values));
        self
    }

    /// The same, and a text.
    pub fn with_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.push((name.into(), text.into()));
        self
    }
}

/// What may fill a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filling {
    /// A list of literals.
    List,
    /// Runs of whole words of a text.
    Text,
    /// Either of them.
    Any,
}

/// A slot that a grammar has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it is filled by.
    pub name: String,
    /// What may fill it.
    pub filling: Filling,
    /// Where the grammar speaks of it (first).
    pub place: Place,
}

/// A grammar whose slots are still to be filled.
#[derive(Clone, Debug)]
pub struct OpenGrammar {
    /// With placeholders where the slots are.
    pub(crate) read: Linted,
    pub(crate) slots: Vec<Slot>,
    pub(crate) recipes: Vec<Recipe>,
    /// Where what a recipe makes goes.
    pub(crate) holes: Vec<(Target, usize)>,
    /// The place of what has none.
    pub(crate) whole: Place,
}

/// How the language of a hole is made.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub place: Place,
    /// Any of these.
    pub ways: Vec<Way>,
}

/// The values that all of `asks` and `within` admit, written in one way.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub asks: Vec<Ask>,
    pub within: Vec<Arc<Dfa>>,
    pub spelling: Spelling,
}

/// The values of one slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ask {
    pub name: String,
    pub filling: Filling,
    pub ignore_case: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Terminal(TerminalId),
    Rule(RuleId),
}

impl From<Linted> for OpenGrammar {
    /// A grammar that has no slots.
    fn from(read: Linted) -> Self {
        Self::closed(read, Place::Span { start: 0, end: 0 })
    }
}

impl OpenGrammar {
    /// A grammar without slots.
    pub(crate) fn closed(read: Linted, whole: Place) -> Self {
        Self {
            read,
            slots: Vec::new(),
            recipes: Vec::new(),
            holes: Vec::new(),
            whole,
        }
    }

    /// The slots, each once for what may fill it.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The grammar with its slots filled. What looks wrong, with the values too,
    /// is among the warnings.
    ///
    /// ```
    /// use lacuna_grammar::{Slots, lark, recognize::recognize};
    /// let open = lark::open(r#"
    ///     start: "select" COLUMN
    ///     %slot COLUMN
    ///     %ignore " "
    /// "#, &lark::Options::default()).unwrap();
    /// let filled = open.fill(&Slots::default().with_list("COLUMN", ["name", "birth date"]));
    /// let grammar = filled.unwrap().grammar;
    /// assert!(recognize(&grammar, b"select birth date"));
    /// assert!(!recognize(&grammar, b"select birth"));
    ///
    /// let wrong = open.fill(&Slots::default()).unwrap_err();
    /// assert_eq!(wrong.0[0].kind, "unfilled-slot");
    /// ```
    ///
    /// # Errors
    /// Slots that nothing, or what is empty, was handed over for; names that no
    /// slot has; values that need too many states.
    pub fn fill(&self, slots: &Slots) -> Result<Linted, Diagnostics> {
        self.clone().filled(slots)
    }

    /// As [`Self::fill`], for the last time.
    ///
    /// # Errors
    /// The same.
    pub fn filled(self, slots: &Slots) -> Result<Linted, Diagnostics> {
        let mut findings = self.mismatches(slots);
        if !findings.is_empty() {
            return Err(Diagnostics(findings));
        }
        let mut kitchen = Kitchen {
            slots,
            raw: FxHashMap::default(),
        };
        let mut made = Vec::new();
        for recipe in &self.recipes {
            match kitchen.cook(recipe) {
                Ok(language) => made.push(Arc::new(language)),
                Err(finding) => findings.push(*finding),
            }
        }
        if !findings.is_empty() {
            return Err(Diagnostics(said_once(findings)));
        }
        let mut filled = self.read;
        for &(target, recipe) in &self.holes {
            let language = Arc::clone(&made[recipe]);
            match (target, &mut filled.grammar.lexicon) {
                (Target::Rule(rule), _) => {
                    filled.grammar.rules[rule.0 as usize].body = Expr::Automaton(language);
                }
                (Target::Terminal(id), Some(lexicon)) => {
                    if language.accepts(b"") {
                        let message = "a value is the empty text, and a lexeme has characters";
                        let place = self.recipes[recipe].place.clone();
                        findings.push(Diagnostic::error("empty-value", place, message));
                    }
                    lexicon.terminals[id.0 as usize].language = language;
                }
                (Target::Terminal(_), None) => {}
            }
        }
        if !findings.is_empty() {
            return Err(Diagnostics(findings));
        }
        let warnings = shadowed_values(&filled.grammar, &self.holes, &self.recipes);
        filled.warnings.extend(warnings);
        Ok(filled)
    }

    /// Names on one side only, and what is empty.
    fn mismatches(&self, slots: &Slots) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for slot in &self.slots {
            let (name, place) = (&slot.name, slot.place.clone());
            let list = named(&slots.lists, name).filter(|_| slot.filling != Filling::Text);
            let text = named(&slots.texts, name).filter(|_| slot.filling != Filling::List);
            let error = |kind, message| Diagnostic::error(kind, place, message);
            findings.extend(match (list, text) {
                (None, None) => {
                    let message = format!("nothing was handed over for the slot {name}");
                    let note = match slot.filling {
                        Filling::List => "it takes a list",
                        Filling::Text => "it takes a text",
                        Filling::Any => "it takes a list or a text",
                    };
                    Some(error("unfilled-slot", message).with_note(note))
                }
                (Some(_), Some(_)) => {
                    let message = format!("both a list and a text were handed over for {name}");
                    Some(error("filled-twice", message))
                }
                (Some(values), None) if values.is_empty() => {
                    let message = format!("the list handed over for {name} is empty");
                    Some(error("empty-slot", message))
                }
                _ => None,
            });
        }
        let known = |name: &str, other: Filling| {
            let mut slots = self.slots.iter();
            slots.any(|slot| slot.name == name && slot.filling != other)
        };
        let lists = slots.lists.iter().map(|(name, _)| name);
        let lists = lists.filter(|name| !known(name, Filling::Text));
        let texts = slots.texts.iter().map(|(name, _)| name);
        let texts = texts.filter(|name| !known(name, Filling::List));
        for (what, name) in lists
            .map(|name| ("list", name))
            .chain(texts.map(|name| ("text", name)))
        {
            let message = format!("no slot takes a {what} named {name}");
            let finding = Diagnostic::error("unknown-slot", self.whole.clone(), message);
            let mut names: Vec<&str> = self.slots.iter().map(|slot| &*slot.name).collect();
            names.sort_unstable();
            names.dedup();
            findings.push(match names.is_empty() {
                true => finding.with_note("the grammar has no slots"),
                false => finding.with_note(format!("it has {}", names.join(", "))),
            });
        }
        findings
    }
}

/// Warnings about values that a terminal which wins the tie takes.
fn shadowed_values(
    grammar: &Grammar,
    holes: &[(Target, usize)],
    recipes: &[Recipe],
) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let terminals = grammar.lexicon.iter().flat_map(|it| &it.terminals);
    let terminals: Vec<_> = terminals.collect();
    for &(target, recipe) in holes {
        let Target::Terminal(TerminalId(id)) = target else {
            continue;
        };
        let (before, slot) = (&terminals[..id as usize], terminals[id as usize]);
        for winner in before {
            let both = slot.language.intersect(&winner.language, &LIMITS);
            let Some(value) = both.ok().and_then(|both| both.shortest_member()) else {
                continue;
            };
            let message = format!(
                "as a value of {} the text {} is never matched: {} takes it",
                slot.name,
                quoted(&String::from_utf8_lossy(&value)),
                winner.name
            );
            let place = recipes[recipe].place.clone();
            let finding = Diagnostic::warning("shadowed-value", place, message);
            warnings.push(finding.with_note(
                "of two terminals that match the same text the one with the higher \
                 priority wins, then a literal, then a slot, then a pattern",
            ));
        }
    }
    warnings
}

/// Makes what recipes say, values that several ask for once.
struct Kitchen<'a> {
    slots: &'a Slots,
    raw: FxHashMap<&'a Ask, Arc<Dfa>>,
}

impl<'a> Kitchen<'a> {
    fn cook(&mut self, recipe: &'a Recipe) -> Result<Dfa, Box<Diagnostic>> {
        let error =
            |kind, message| Box::new(Diagnostic::error(kind, recipe.place.clone(), message));
        let too_large = |found: AutomatonError| error("too-large", found.to_string());
        let mut ways = Vec::new();
        for way in &recipe.ways {
            let mut all: Option<Arc<Dfa>> = None;
            let mut parts = Vec::new();
            for ask in &way.asks {
                let raw = self.raw(ask).map_err(too_large)?;
                if raw.is_empty() {
                    let message = format!("the text handed over for {} has no words", ask.name);
                    return Err(error("empty-slot", message));
                }
                parts.push(raw);
            }
            for part in parts.iter().chain(&way.within) {
                all = Some(match all {
                    None => Arc::clone(part),
                    Some(all) => Arc::new(all.intersect(part, &LIMITS).map_err(too_large)?),
                });
            }
            if let Some(values) = all.filter(|values| !values.is_empty()) {
                ways.push(way.spelling.spell(&values, &LIMITS).map_err(too_large)?);
            }
        }
        match ways.len() {
            0 => {
                let names: Vec<&str> = recipe
                    .ways
                    .iter()
                    .flat_map(|way| way.asks.iter().map(|ask| ask.name.as_str()))
                    .collect();
                let message = format!(
                    "nothing that was handed over for {} satisfies what else is asked here",
                    names.join(", ")
                );
                Err(error("empty-slot", message))
            }
            1 => Ok(ways.remove(0)),
            _ => union(&ways).map_err(too_large),
        }
    }

    fn raw(&mut self, ask: &'a Ask) -> Result<Arc<Dfa>, AutomatonError> {
        if let Some(known) = self.raw.get(ask) {
            return Ok(Arc::clone(known));
        }
        let list = named(&self.slots.lists, &ask.name);
        let text = named(&self.slots.texts, &ask.name);
        let made = match (list.filter(|_| ask.filling != Filling::Text), text) {
            (Some(list), _) => values::any_of(list, ask.ignore_case, &LIMITS)?,
            (None, text) => {
                let text = text.map_or("", String::as_str);
                crate::spans::spans(text, ask.ignore_case, &LIMITS)?
            }
        };
        let made = Arc::new(made);
        self.raw.insert(ask, Arc::clone(&made));
        Ok(made)
    }
}

fn union(languages: &[Dfa]) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(&LIMITS);
    let (start, accept) = (builder.state()?, builder.state()?);
    for language in languages {
        builder.automaton(language, start, accept)?;
    }
    let union = builder.finish(start, accept).determinize(&LIMITS)?;
    Ok(union.minimize())
}
