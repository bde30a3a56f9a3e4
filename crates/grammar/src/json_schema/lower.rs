//! From schemas to rules: goals that must all hold, a rule for each set of them.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use super::document::Document;
use super::expansion::Expander;
use super::finding::error;
use super::impossible::{self, Emptiness};
use super::indentation::{Mark, indent};
use super::keyword::SchemaId;
use super::lengths::Counted;
use super::members::NameClass;
use super::numbers::numbers;
use super::shape::{Arrays, Goals, Numbers, Objects, Shape};
use super::syntax::AnyValue;
use super::types::Types;
use super::value::Json;
use super::{SchemaOptions, WhiteSpace};
use crate::automaton::{self, AutomatonError, Bounds, Dfa, Language, SHORTCUTS};
use crate::diagnostic::said_once;
use crate::quoted;
use crate::slots::{Recipe, Target};
use crate::{
    Diagnostic, Diagnostics, Expr, Grammar, Linted, OpenGrammar, Place, Rule, RuleId, analysis,
};

/// Most rules.
const MAX_RULES: usize = 100_000;
/// Findings after which lowering gives up.
const MAX_FINDINGS: usize = 50;

/// What becomes of what a grammar cannot say yet, or not exactly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is an error.
    Exact,
    /// Slots that were not filled stay open.
    Open,
    /// More is admitted.
    Wide,
}

/// The grammar of a schema's instances.
pub(super) fn lower(
    root: &Json,
    documents: &[(String, Json)],
    options: &SchemaOptions,
    mode: Mode,
) -> Result<OpenGrammar, Diagnostics> {
    let document = Document::new(root, documents, options, mode == Mode::Open);
    let mut lowering = Lowering::new(document, options, mode == Mode::Wide);
    let goals = lowering.expander.goals([(Document::ROOT, true)]);
    let value = lowering.rule_of_alternatives(goals.into_iter().collect());
    let start = lowering.whole_text(value);
    while let Some((rule, goals)) = lowering.queue.pop_front() {
        // What is too large once takes as long the next time.
        let is_large = |finding: &Diagnostic| finding.kind == "too-large";
        let is_enough = lowering.expander.is_refused_enough();
        let findings = lowering.findings();
        if is_enough || findings.len() >= MAX_FINDINGS || findings.iter().any(is_large) {
            break;
        }
        if lowering.overflown() {
            break;
        }
        let body = lowering.body(&goals, rule);
        lowering.rules[rule.0 as usize].body = body;
    }
    lowering.finish(start)
}

/// A language, bounds, and what it is within these, if they can be counted.
type CountedTexts = (Arc<Language>, Bounds, Option<Arc<automaton::Counted>>);

/// Builds the rules of a grammar.
pub(super) struct Lowering<'a> {
    pub expander: Expander<'a>,
    pub options: &'a SchemaOptions,
    pub rules: Vec<Rule>,
    places: Vec<Place>,
    /// Rules whose bodies are still to be made.
    queue: VecDeque<(RuleId, Goals)>,
    /// A rule for each set of goals.
    known: HashMap<Goals, RuleId>,
    /// A rule for each list of alternatives.
    choices: HashMap<Vec<Goals>, RuleId>,
    pub any: Option<AnyValue>,
    /// Spellings of languages, which are kept so that addresses tell them.
    pub spelled: HashMap<usize, (Arc<Language>, Arc<Dfa>)>,
    /// The same within bounds, counted.
    pub counted_texts: Vec<CountedTexts>,
    pub recipes: Vec<Recipe>,
    /// The rules that recipes make.
    pub holes: Vec<(Target, usize)>,
    /// Rules that count characters.
    pub counted: HashMap<Counted, RuleId>,
    /// How often names were spelled, and their automata once they come often.
    pub keys: HashMap<&'a str, (u32, Option<Arc<Dfa>>)>,
    /// Automata of the names of a class, by its address, beside these.
    pub other_names: HashMap<(usize, Vec<&'a str>), Arc<Dfa>>,
    /// All names, parted by languages, by their addresses.
    pub name_classes: HashMap<Vec<usize>, Rc<Vec<NameClass>>>,
    /// The rule whose body is being made, and a schema that it is about.
    pub here: (RuleId, SchemaId),
}

impl<'a> Lowering<'a> {
    fn new(document: Document<'a>, options: &'a SchemaOptions, wide: bool) -> Self {
        let marks: Vec<Rule> = match options.white_space {
            WhiteSpace::Indented(_) => Mark::rules().collect(),
            WhiteSpace::Compact | WhiteSpace::Any => Vec::new(),
        };
        Self {
            expander: Expander::new(document, wide, options.order),
            options,
            places: vec![Place::Pointer(String::new()); marks.len()],
            rules: marks,
            queue: VecDeque::new(),
            known: HashMap::default(),
            choices: HashMap::default(),
            any: None,
            spelled: HashMap::default(),
            counted_texts: Vec::new(),
            recipes: Vec::new(),
            holes: Vec::new(),
            counted: HashMap::default(),
            keys: HashMap::default(),
            other_names: HashMap::default(),
            name_classes: HashMap::default(),
            here: (RuleId(0), Document::ROOT),
        }
    }

    pub(super) fn findings(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.expander.document.findings
    }

    /// Whether there will be no grammar: what is still looked at is only to be refused
    /// too, so nothing is spelled any more.
    pub(super) fn is_refused(&self) -> bool {
        !self.expander.document.findings.is_empty()
    }

    pub(super) fn add_rule(&mut self, name: String, body: Expr) -> RuleId {
        self.rules.push(Rule { name, body });
        let pointer = self.expander.document.pointer(self.here.1).to_owned();
        self.places.push(Place::Pointer(pointer));
        RuleId(self.rules.len() as u32 - 1)
    }

    /// The name of the rule that is being made.
    pub(super) fn here(&self) -> String {
        self.rules[self.here.0.0 as usize].name.clone()
    }

    /// Refuses something about the schema that the rule being made is about.
    /// What is too large only admits more where that is wanted.
    pub(super) fn refuse_here(&mut self, kind: &'static str, message: &str) {
        if self.expander.is_wide() && kind == "too-large" {
            self.expander.widened = true;
            self.expander.admit_all(self.here.1, message);
            return;
        }
        self.expander.refuse(kind, self.here.1, "", message);
    }

    fn overflown(&mut self) -> bool {
        let overflown = self.rules.len() > MAX_RULES;
        if overflown {
            let message = format!("the schema needs more than {MAX_RULES} rules");
            self.expander.document.find("too-large", "", message);
        }
        let work = self.rules.len() as u64 / 16;
        overflown || !self.expander.spend(work / MAX_RULES as u64)
    }

    fn finish(mut self, start: RuleId) -> Result<OpenGrammar, Diagnostics> {
        let mut findings = std::mem::take(self.findings());
        let document = &mut self.expander.document;
        if findings.is_empty() {
            findings.extend(document.unused_lists().map(|name| {
                let message = format!("no x-oneOf asks for the list named {}", quoted(name));
                error("unknown-slot", "", message)
            }));
        }
        if !findings.is_empty() {
            return Err(Diagnostics(said_once(findings)));
        }
        if let WhiteSpace::Indented(width) = self.options.white_space {
            let (rules, places) = (&mut self.rules, &mut self.places);
            if indent(rules, places, start, width, MAX_RULES).is_none() {
                let message = format!("indented, the schema needs more than {MAX_RULES} rules");
                return Err(error("too-large", "", message).into());
            }
        }
        let grammar = Grammar::new(self.rules, start);
        if SHORTCUTS {
            let productive = analysis::productive(&grammar);
            let emptiness = Emptiness::new(&mut self.expander, &self.known, &productive);
            match productive[start.0 as usize] {
                true => emptiness.warn(),
                false => return Err(emptiness.errors()),
            }
        } else if !analysis::is_inhabited(&grammar) {
            return Err(denials(&document.warnings));
        }
        let document = &mut self.expander.document;
        let whole = Place::Pointer(String::new());
        let linted = Linted {
            places: self.places,
            warnings: std::mem::take(&mut document.warnings),
            ..Linted::silent(grammar, whole.clone())
        };
        Ok(OpenGrammar {
            slots: std::mem::take(&mut document.slots),
            recipes: self.recipes,
            holes: self.holes,
            ..OpenGrammar::closed(linted, whole)
        })
    }

    fn whole_text(&mut self, value: Expr) -> RuleId {
        if let Expr::Rule(rule) = &value
            && self.options.white_space != WhiteSpace::Any
        {
            return *rule;
        }
        let body = Expr::Sequence(vec![self.blanks(), value, self.blanks()]);
        self.add_rule("text".to_owned(), body)
    }

    /// The values for which any of the alternatives holds.
    pub(super) fn rule_of_alternatives(&mut self, mut alternatives: Vec<Goals>) -> Expr {
        match alternatives.len() {
            0 => Expr::never(),
            1 => self.rule_of(alternatives.remove(0)),
            _ => {
                if let Some(&known) = self.choices.get(&alternatives) {
                    return Expr::Rule(known);
                }
                let parts = alternatives.iter().map(|goals| self.rule_of(goals.clone()));
                let parts: Vec<Expr> = parts.collect();
                let names: Vec<String> =
                    alternatives.iter().map(|goals| self.name(goals)).collect();
                let rule = self.add_rule(names.join(" | "), Expr::Choice(parts));
                self.choices.insert(alternatives, rule);
                Expr::Rule(rule)
            }
        }
    }

    fn rule_of(&mut self, goals: Goals) -> Expr {
        let Some(&(schema, _)) = goals.first() else {
            return Expr::Rule(self.any_value().value);
        };
        if let Some(&known) = self.known.get(&goals) {
            return Expr::Rule(known);
        }
        let name = self.name(&goals);
        let outer = std::mem::replace(&mut self.here.1, schema);
        let rule = self.add_rule(name, Expr::never());
        self.here.1 = outer;
        self.known.insert(goals.clone(), rule);
        self.queue.push_back((rule, goals));
        Expr::Rule(rule)
    }

    fn name(&self, goals: &Goals) -> String {
        let pointer = |schema| self.expander.document.pointer(schema);
        let names = goals.iter().map(|&(schema, holds)| match holds {
            true => format!("#{}", pointer(schema)),
            false => format!("not #{}", pointer(schema)),
        });
        names.collect::<Vec<_>>().join(" & ")
    }

    fn body(&mut self, goals: &Goals, rule: RuleId) -> Expr {
        let schema = goals.first().map_or(Document::ROOT, |goal| goal.0);
        self.here = (rule, schema);
        let shapes = self.expander.expand(goals);
        let mut parts = self.parts(&shapes);
        match parts.len() {
            1 => parts.remove(0),
            _ => Expr::Choice(parts),
        }
    }

    /// The values of any of the shapes, type by type, each kind of values once.
    fn parts(&mut self, shapes: &Rc<Vec<Shape<'a>>>) -> Vec<Expr> {
        let mut parts = Vec::new();
        let types = shapes
            .iter()
            .fold(Types::NONE, |all, shape| all.or(shape.types));
        for (name, text) in [
            (Types::NULL, "null"),
            (Types::TRUE, "true"),
            (Types::FALSE, "false"),
        ] {
            if types.meets(name) {
                parts.push(Expr::literal(text));
            }
        }
        for (types, asked) in distinct(shapes, Types::NUMBER, |shape| &shape.numbers) {
            let made = self.numbers(types, asked);
            parts.extend(self.or_all(made, |any| any.number));
        }
        for (_, strings) in distinct(shapes, Types::STRING, |shape| &shape.strings) {
            let made = self.strings(strings);
            parts.extend(self.or_all(made, |any| any.string));
        }
        for (_, arrays) in distinct(shapes, Types::ARRAY, |shape| &shape.arrays) {
            match **arrays == Arrays::default() {
                true => parts.push(Expr::Rule(self.any_value().array)),
                false => {
                    let made = self.array(arrays);
                    parts.extend(self.or_all(made, |any| any.array));
                }
            }
        }
        for (_, objects) in distinct(shapes, Types::OBJECT, |shape| &shape.objects) {
            match **objects == Objects::default() {
                true => parts.push(Expr::Rule(self.any_value().object)),
                false => {
                    let made = self.object(objects);
                    parts.extend(self.or_all(made, |any| any.object));
                }
            }
        }
        parts
    }

    /// What was made, or all values of the type where that was to admit more.
    fn or_all(&mut self, made: Option<Expr>, all: fn(AnyValue) -> RuleId) -> Option<Expr> {
        match std::mem::take(&mut self.expander.widened) {
            true => Some(Expr::Rule(all(self.any_value()))),
            false => made,
        }
    }

    pub(super) fn too_large(&mut self, error: &AutomatonError) {
        self.refuse_here("too-large", &error.to_string());
    }

    pub(super) fn numbers(&mut self, types: Types, asked: &Numbers) -> Option<Expr> {
        let types = types.and(Types::NUMBER);
        if *asked == Numbers::default() && types == Types::NUMBER {
            return Some(Expr::Rule(self.any_value().number));
        }
        if self.is_refused() {
            return Some(Expr::empty());
        }
        let found = numbers(types, asked, self.options.numbers);
        found.unwrap_or_else(|error| {
            self.too_large(&error);
            None
        })
    }
}

/// What is wrong with a schema that nothing satisfies, for a grammar engine alone: its parts that
/// deny themselves, if there are any.
fn denials(warnings: &[Diagnostic]) -> Diagnostics {
    let denied = warnings.iter().filter(|it| it.kind == impossible::KIND);
    let denied: Vec<Diagnostic> = denied
        .map(|it| Diagnostic::error(it.kind, it.place.clone(), &it.message))
        .collect();
    match denied.is_empty() {
        true => error(impossible::KIND, "", impossible::MESSAGE).into(),
        false => Diagnostics(said_once(denied)),
    }
}

/// The different descriptions of a type in shapes of one search that have it, each with
/// the types it is for; only the one that admits all if it is there.
fn distinct<'s, 'a, T: PartialEq + Default>(
    shapes: &'s [Shape<'a>],
    kind: Types,
    of: impl Fn(&'s Shape<'a>) -> &'s Rc<T>,
) -> Vec<(Types, &'s Rc<T>)> {
    let mut found: Vec<(Types, &'s Rc<T>)> = Vec::new();
    for shape in shapes.iter().filter(|shape| shape.types.meets(kind)) {
        let (types, described) = (shape.types.and(kind), of(shape));
        match found
            .iter_mut()
            .find(|(_, known)| Rc::ptr_eq(known, described))
        {
            Some((known, _)) => *known = known.or(types),
            None => found.push((types, described)),
        }
    }
    let all = found
        .iter()
        .find(|(types, it)| *types == kind && ***it == T::default());
    match all.copied() {
        Some(all) => vec![all],
        None => found,
    }
}
