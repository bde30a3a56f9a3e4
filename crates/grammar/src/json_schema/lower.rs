//! From schemas to rules: sets of schemas that must all hold, a rule a set.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::node::{self, Bound, Document, LIMITS, Node, NodeId, Types};
use super::numbers::{self, numbers};
use super::objects::Additional;
use super::value::Json;
use super::{PropertyOrder, SchemaOptions, WhiteSpace};
use crate::automaton::{AutomatonError, Dfa};
use crate::characters::ANY_CHARACTER;
use crate::diagnostic::said_once;
use crate::slots::spelling::Spelling;
use crate::slots::{Ask, Recipe, Target, Way};
use crate::{Diagnostics, Expr, Grammar, Linted, OpenGrammar, Place, Rule, RuleId, analysis};

/// Most alternatives that `anyOf`s side by side may multiply to.
const MAX_ALTERNATIVES: usize = 2_000;
/// Most rules.
const MAX_RULES: usize = 100_000;
/// Longest chain of `$ref`, `allOf` and `anyOf` without a step into a value.
pub(super) const MAX_CHAIN: usize = 100;
/// Findings after which lowering gives up.
const MAX_FINDINGS: usize = 50;

/// Schemas that must all hold, sorted. The empty set admits every value.
pub(super) type NodeSet = Vec<NodeId>;

pub(super) fn lower(
    root: &Json,
    options: &SchemaOptions,
    open: bool,
) -> Result<OpenGrammar, Diagnostics> {
    let mut lowering = Lowering::new(root, options, open);
    let value = lowering.rule_of(&[Document::ROOT]);
    let start = lowering.whole_text(value);
    while let Some((rule, set)) = lowering.queue.pop_front() {
        if lowering.document.findings.len() >= MAX_FINDINGS || lowering.overflown() {
            break;
        }
        let body = lowering.body(&set, rule);
        lowering.rules[rule.0 as usize].body = body;
    }
    let mut findings = std::mem::take(&mut lowering.document.findings);
    if findings.is_empty() {
        findings.extend(lowering.document.unused_lists().map(|name| {
            let message = format!("no x-oneOf asks for the list named {name:?}");
            node::error("unknown-slot", "", message)
        }));
    }
    if !findings.is_empty() {
        return Err(Diagnostics(said_once(findings)));
    }
    let places = lowering.rules.iter().map(|rule| place_of(&rule.name));
    let places: Vec<Place> = places.collect();
    let grammar = Grammar::new(lowering.rules, start);
    match analysis::productive(&grammar)[start.0 as usize] {
        true => {
            let whole = Place::Pointer(String::new());
            let linted = Linted {
                places,
                ..Linted::silent(grammar, whole.clone())
            };
            Ok(OpenGrammar {
                slots: lowering.document.slots,
                recipes: lowering.recipes,
                holes: lowering.holes,
                ..OpenGrammar::closed(linted, whole)
            })
        }
        false => {
            let message = "no value is valid under this schema";
            Err(node::error("impossible-schema", "", message).into())
        }
    }
}

/// Where the schema of a rule is, the first of several; rules that are shared are
/// the root's.
fn place_of(name: &str) -> Place {
    let first = name.split(" & ").next().unwrap_or(name);
    let first = first.split(" | ").next().unwrap_or(first);
    let pointer = first.strip_prefix('#').unwrap_or("");
    Place::Pointer(pointer.to_owned())
}

/// The automata stay alive in their nodes, so an address means one language.
type TextsKey = (Vec<*const Dfa>, u32, Option<u32>);

pub(super) struct Lowering<'a> {
    pub document: Document<'a>,
    pub options: &'a SchemaOptions,
    pub rules: Vec<Rule>,
    /// Rules whose bodies are still to be made.
    queue: VecDeque<(RuleId, NodeSet)>,
    /// A rule for each set whose schemas no longer split.
    plain_rules: HashMap<NodeSet, RuleId>,
    /// A rule for each list of alternatives.
    choice_rules: HashMap<Vec<NodeSet>, RuleId>,
    any_value: Option<RuleId>,
    /// Schemas known to lead back to themselves nowhere without a step.
    grounded: HashSet<NodeId>,
    /// Schemas looked at so far to filter lists of values.
    pub validations: usize,
    /// What is between the quotes, by automata (their addresses) and length.
    spelled_texts: HashMap<TextsKey, Arc<Dfa>>,
    recipes: Vec<Recipe>,
    /// The rules that recipes make.
    holes: Vec<(Target, usize)>,
    /// Automata of the free names beside these.
    pub other_names: HashMap<Vec<&'a str>, Arc<Dfa>>,
}

impl<'a> Lowering<'a> {
    fn new(root: &'a Json, options: &'a SchemaOptions, open: bool) -> Self {
        Self {
            document: Document::new(root, options, open),
            options,
            rules: Vec::new(),
            queue: VecDeque::new(),
            plain_rules: HashMap::new(),
            choice_rules: HashMap::new(),
            any_value: None,
            grounded: HashSet::new(),
            validations: 0,
            spelled_texts: HashMap::new(),
            recipes: Vec::new(),
            holes: Vec::new(),
            other_names: HashMap::new(),
        }
    }

    pub(super) fn add_rule(&mut self, name: String, body: Expr) -> RuleId {
        self.rules.push(Rule { name, body });
        RuleId(self.rules.len() as u32 - 1)
    }

    fn overflown(&mut self) -> bool {
        let overflown = self.rules.len() > MAX_RULES;
        if overflown {
            let message = format!("the schema needs more than {MAX_RULES} rules");
            self.document
                .findings
                .push(node::error("too-large", "", message));
        }
        overflown
    }

    fn whole_text(&mut self, value: Expr) -> RuleId {
        if let (Expr::Rule(rule), WhiteSpace::Compact) = (&value, self.options.white_space) {
            return *rule;
        }
        let body = Expr::Sequence(vec![self.blanks(), value, self.blanks()]);
        self.add_rule("text".to_owned(), body)
    }

    /// The values that are valid under all of `schemas`.
    pub(super) fn rule_of(&mut self, schemas: &[NodeId]) -> Expr {
        let alternatives = self.alternatives(schemas);
        self.rule_of_alternatives(alternatives)
    }

    pub(super) fn rule_of_alternatives(&mut self, mut alternatives: Vec<NodeSet>) -> Expr {
        match alternatives.len() {
            0 => Expr::never(),
            1 => self.plain_rule(alternatives.remove(0)),
            _ => {
                if let Some(&known) = self.choice_rules.get(&alternatives) {
                    return Expr::Rule(known);
                }
                let parts: Vec<Expr> = alternatives
                    .iter()
                    .map(|set| self.plain_rule(set.clone()))
                    .collect();
                let names: Vec<String> = alternatives.iter().map(|set| self.name(set)).collect();
                let rule = self.add_rule(names.join(" | "), Expr::Choice(parts));
                self.choice_rules.insert(alternatives, rule);
                Expr::Rule(rule)
            }
        }
    }

    fn plain_rule(&mut self, set: NodeSet) -> Expr {
        if set.is_empty() {
            return Expr::Rule(self.any_value());
        }
        if let Some(&known) = self.plain_rules.get(&set) {
            return Expr::Rule(known);
        }
        let name = self.name(&set);
        let rule = self.add_rule(name, Expr::never());
        self.plain_rules.insert(set.clone(), rule);
        self.queue.push_back((rule, set));
        Expr::Rule(rule)
    }

    fn name(&self, set: &[NodeId]) -> String {
        let pointers: Vec<String> = set
            .iter()
            .map(|&id| format!("#{}", self.document.pointer(id)))
            .collect();
        pointers.join(" & ")
    }

    /// Resolves `$ref`, `allOf` and `anyOf`: some set in the list must hold.
    /// Schemas that constrain nothing themselves are left out.
    pub(super) fn alternatives(&mut self, schemas: &[NodeId]) -> Vec<NodeSet> {
        for &schema in schemas {
            if !self.is_grounded(schema) {
                return Vec::new();
            }
        }
        let mut found: Vec<NodeSet> = Vec::new();
        let mut known = HashSet::new();
        let todo: Vec<NodeId> = schemas.iter().rev().copied().collect();
        let mut states = vec![(todo, BTreeSet::new(), BTreeSet::new())];
        let mut steps = 0;
        'states: while let Some((mut todo, mut seen, mut set)) = states.pop() {
            while let Some(id) = todo.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let node = self.document.node(id);
                if node.never {
                    continue 'states;
                }
                if node.constrains {
                    set.insert(id);
                }
                todo.extend(node.also.iter().rev());
                if let Some(branches) = &node.any_of {
                    steps += branches.len();
                    if steps > MAX_ALTERNATIVES {
                        let message = format!("anyOf leads to over {MAX_ALTERNATIVES} cases");
                        let pointer = format!("{}/anyOf", node.pointer);
                        self.document
                            .findings
                            .push(node::error("too-large", &pointer, message));
                        return Vec::new();
                    }
                    for &branch in branches.iter().rev() {
                        let mut todo = todo.clone();
                        todo.push(branch);
                        states.push((todo, seen.clone(), set.clone()));
                    }
                    continue 'states;
                }
            }
            let set: NodeSet = set.into_iter().collect();
            if known.insert(set.clone()) {
                found.push(set);
            }
        }
        found
    }

    /// Whether a schema never leads back to itself without a step into a value.
    pub(super) fn is_grounded(&mut self, schema: NodeId) -> bool {
        if self.grounded.contains(&schema) {
            return true;
        }
        let mut path: Vec<(NodeId, Vec<NodeId>)> = vec![(schema, self.in_place(schema))];
        while let Some((id, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                self.grounded.insert(*id);
                path.pop();
                continue;
            };
            if self.grounded.contains(&next) {
                continue;
            }
            let again = path.iter().any(|(on_path, _)| *on_path == next);
            if again || path.len() >= MAX_CHAIN {
                let pointer = self.document.pointer(next).to_owned();
                let finding = match again {
                    true => {
                        let message = "this schema refers to itself for the same value";
                        node::error("endless-reference", &pointer, message)
                    }
                    false => {
                        let message = format!("over {MAX_CHAIN} references in a row");
                        node::error("too-deep", &pointer, message)
                    }
                };
                if !self.document.findings.contains(&finding) {
                    self.document.findings.push(finding);
                }
                return false;
            }
            let below = self.in_place(next);
            path.push((next, below));
        }
        true
    }

    /// Last first.
    fn in_place(&mut self, id: NodeId) -> Vec<NodeId> {
        let node = self.document.node(id);
        node.also
            .iter()
            .chain(node.any_of.iter().flatten())
            .rev()
            .copied()
            .collect()
    }

    fn body(&mut self, set: &[NodeId], rule: RuleId) -> Expr {
        let nodes: Vec<Rc<Node<'a>>> = set.iter().map(|&id| self.document.node(id)).collect();
        if nodes.iter().any(|node| node.values.is_some()) {
            return self.listed_values(&nodes);
        }
        let types = nodes
            .iter()
            .fold(Types::ALL, |types, node| types.and(node.types));
        let mut choices = Vec::new();
        if types.has(Types::NULL) {
            choices.push(Expr::literal("null"));
        }
        if types.has(Types::BOOLEAN) {
            choices.extend([Expr::literal("true"), Expr::literal("false")]);
        }
        if types.has(Types::INTEGER) {
            choices.push(self.numbers(&nodes, !types.has(Types::NUMBER)));
        }
        if types.has(Types::STRING) {
            choices.push(self.strings(&nodes));
        }
        if types.has(Types::ARRAY) {
            choices.push(self.array(&nodes));
        }
        if types.has(Types::OBJECT) {
            choices.push(self.object(&nodes, rule));
        }
        match choices.len() {
            1 => choices.remove(0),
            _ => Expr::Choice(choices),
        }
    }

    /// Says that nothing of some type is left. Where schemas from several
    /// places meet, that is what their author may have meant; in one it is not.
    pub(super) fn nothing_left(&mut self, nodes: &[Rc<Node<'a>>], message: &str) -> Expr {
        if let [node] = nodes {
            let finding = node::error("impossible-schema", &node.pointer, message);
            self.document.findings.push(finding);
        }
        Expr::never()
    }

    pub(super) fn too_large(&mut self, nodes: &[Rc<Node<'a>>], error: &AutomatonError) -> Expr {
        let pointer = nodes.first().map_or("", |node| &node.pointer);
        let finding = node::error("too-large", pointer, error.to_string());
        self.document.findings.push(finding);
        Expr::never()
    }

    fn listed_values(&mut self, nodes: &[Rc<Node<'a>>]) -> Expr {
        let listed = nodes
            .iter()
            .find_map(|node| node.values.clone())
            .unwrap_or_default();
        let mut choices = Vec::new();
        for value in listed {
            if nodes.iter().all(|node| self.holds(node, value)) {
                choices.push(self.constant(value, &nodes[0].pointer));
            }
        }
        if choices.is_empty() {
            return self.nothing_left(nodes, "no listed value is valid beside the other keywords");
        }
        Expr::Choice(choices)
    }

    /// The spellings of one value.
    fn constant(&mut self, value: &'a Json, pointer: &str) -> Expr {
        match value {
            Json::Null => Expr::literal("null"),
            Json::Bool(true) => Expr::literal("true"),
            Json::Bool(false) => Expr::literal("false"),
            Json::Number(number) => numbers::constant(number, self.options.numbers),
            Json::Text(text) => self.options.strings.literal(text),
            Json::Array(items) => {
                let items = items
                    .iter()
                    .map(|item| self.constant(item, pointer))
                    .collect();
                self.listed_items(items)
            }
            Json::Object(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| {
                        let value = self.constant(value, pointer);
                        (self.member(self.options.strings.literal(key), value), true)
                    })
                    .collect();
                self.members(members, Additional::None, "constant", pointer)
            }
        }
    }

    fn numbers(&mut self, nodes: &[Rc<Node<'a>>], integers_only: bool) -> Expr {
        let (mut lower, mut upper): (Option<Bound>, Option<Bound>) = (None, None);
        for node in nodes {
            if let Some(bound) = &node.lower {
                node::tighten_lower(&mut lower, bound.clone());
            }
            if let Some(bound) = &node.upper {
                node::tighten_upper(&mut upper, bound.clone());
            }
        }
        match numbers(
            integers_only,
            lower.as_ref(),
            upper.as_ref(),
            self.options.numbers,
        ) {
            Ok(Some(numbers)) => numbers,
            Ok(None) => self.nothing_left(nodes, "no number is between the bounds"),
            Err(error) => self.too_large(nodes, &error),
        }
    }

    fn strings(&mut self, nodes: &[Rc<Node<'a>>]) -> Expr {
        let min = nodes.iter().map(|node| node.length.0).max().unwrap_or(0);
        let max = nodes.iter().filter_map(|node| node.length.1).min();
        if max.is_some_and(|max| max < min) {
            return self.nothing_left(nodes, "minLength is more than maxLength");
        }
        let mut texts: Vec<Arc<Dfa>> = nodes
            .iter()
            .flat_map(|node| node.texts.iter().cloned())
            .collect();
        let asks: Vec<Ask> = nodes.iter().flat_map(|node| node.asks.clone()).collect();
        if !asks.is_empty() {
            return match self.open_string(&nodes[0].pointer, asks, texts, min, max) {
                Ok(rule) => Expr::Rule(rule),
                Err(error) => self.too_large(nodes, &error),
            };
        }
        if texts.is_empty() {
            let item = Box::new(self.options.strings.any_character());
            return in_quotes(Expr::Repeat { item, min, max });
        }
        let key = (texts.iter().map(Arc::as_ptr).collect(), min, max);
        if let Some(known) = self.spelled_texts.get(&key) {
            return in_quotes(Expr::Automaton(known.clone()));
        }
        match self.constrained_texts(&mut texts, min, max) {
            Ok(spelled) if spelled.is_empty() => {
                self.nothing_left(nodes, "no string is valid under all that is asked of it")
            }
            Ok(spelled) => {
                let spelled = Arc::new(spelled);
                self.spelled_texts.insert(key, spelled.clone());
                in_quotes(Expr::Automaton(spelled))
            }
            Err(error) => self.too_large(nodes, &error),
        }
    }

    fn constrained_texts(
        &mut self,
        texts: &mut Vec<Arc<Dfa>>,
        min: u32,
        max: Option<u32>,
    ) -> Result<Dfa, AutomatonError> {
        texts.extend(of_length(min, max)?);
        let mut product = texts.remove(0);
        for other in texts.iter() {
            product = Arc::new(product.intersect(other, &LIMITS)?);
        }
        self.options.strings.spell(&product, &LIMITS)
    }

    /// A rule that will be the strings that slots admit, within `texts`.
    fn open_string(
        &mut self,
        pointer: &str,
        asks: Vec<Ask>,
        mut texts: Vec<Arc<Dfa>>,
        min: u32,
        max: Option<u32>,
    ) -> Result<RuleId, AutomatonError> {
        texts.extend(of_length(min, max)?);
        // Until then something that derives a text.
        let rule = self.add_rule(format!("#{pointer} slot"), Expr::empty());
        self.holes.push((Target::Rule(rule), self.recipes.len()));
        self.recipes.push(Recipe {
            place: Place::Pointer(pointer.to_owned()),
            ways: vec![Way {
                asks,
                within: texts,
                spelling: Spelling::Json(self.options.strings),
            }],
        });
        Ok(rule)
    }

    fn array(&mut self, nodes: &[Rc<Node<'a>>]) -> Expr {
        let min = nodes
            .iter()
            .map(|node| node.item_count.0)
            .max()
            .unwrap_or(0);
        let mut max = nodes.iter().filter_map(|node| node.item_count.1).min();
        let items: Vec<NodeId> = nodes.iter().filter_map(|node| node.items).collect();
        let alternatives = match max {
            Some(0) => Vec::new(),
            _ => self.alternatives(&items),
        };
        if alternatives.is_empty() {
            max = Some(0);
        }
        if max.is_some_and(|max| max < min) {
            return self.nothing_left(nodes, "fewer items are possible than asked for");
        }
        let item = self.rule_of_alternatives(alternatives);
        self.repeated_items(item, min, max)
    }

    /// Any JSON value, as rules that call each other.
    fn any_value(&mut self) -> RuleId {
        if let Some(known) = self.any_value {
            return known;
        }
        let value = self.add_rule("value".to_owned(), Expr::never());
        self.any_value = Some(value);
        let array = self.repeated_items(Expr::Rule(value), 0, None);
        let array = self.add_rule("array".to_owned(), array);
        let name = in_quotes(self.options.strings.any_character().star());
        let string = self.add_rule("string".to_owned(), name);
        let member = self.member(Expr::Rule(string), Expr::Rule(value));
        let members = self.members(Vec::new(), Additional::Some(member), "object", "");
        let object = self.add_rule("object".to_owned(), members);
        // Without bounds there is nothing that could be too large.
        let number = numbers(false, None, None, self.options.numbers);
        let number = number.ok().flatten().unwrap_or_else(Expr::never);
        let number = self.add_rule("number".to_owned(), number);
        let mut choices: Vec<Expr> = ["null", "true", "false"].map(Expr::literal).into();
        choices.extend([number, string, array, object].map(Expr::Rule));
        self.rules[value.0 as usize].body = Expr::Choice(choices);
        value
    }

    fn repeated_items(&self, item: Expr, min: u32, max: Option<u32>) -> Expr {
        let item = self.surrounded(item);
        let mut choices = Vec::new();
        if min == 0 {
            choices.push(self.blanks());
        }
        if max != Some(0) {
            let more = Expr::Sequence(vec![Expr::literal(","), item.clone()]);
            let (min, max) = (min.saturating_sub(1), max.map(|max| max - 1));
            let more = Expr::Repeat {
                item: Box::new(more),
                min,
                max,
            };
            choices.push(Expr::Sequence(vec![item, more]));
        }
        let open_and_close = [Expr::literal("["), Expr::literal("]")];
        between(open_and_close, Expr::Choice(choices))
    }

    fn listed_items(&self, items: Vec<Expr>) -> Expr {
        let mut parts = Vec::new();
        for item in items {
            if !parts.is_empty() {
                parts.push(Expr::literal(","));
            }
            parts.push(self.surrounded(item));
        }
        if parts.is_empty() {
            parts.push(self.blanks());
        }
        between(
            [Expr::literal("["), Expr::literal("]")],
            Expr::Sequence(parts),
        )
    }

    /// `"key": value`, with blanks around.
    pub(super) fn member(&self, key: Expr, value: Expr) -> Expr {
        match (self.options.white_space, key) {
            (WhiteSpace::Compact, Expr::Literal(key)) => {
                let mut key = key.into_vec();
                key.push(b':');
                Expr::Sequence(vec![Expr::literal(key), value])
            }
            (_, key) => Expr::Sequence(vec![
                self.surrounded(key),
                Expr::literal(":"),
                self.surrounded(value),
            ]),
        }
    }

    fn surrounded(&self, inside: Expr) -> Expr {
        match self.options.white_space {
            WhiteSpace::Compact => inside,
            WhiteSpace::Any => Expr::Sequence(vec![self.blanks(), inside, self.blanks()]),
        }
    }

    pub(super) fn blanks(&self) -> Expr {
        match self.options.white_space {
            WhiteSpace::Compact => Expr::empty(),
            WhiteSpace::Any => {
                Expr::Chars(Box::new([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)])).star()
            }
        }
    }

    pub(super) fn any_order(&self) -> bool {
        self.options.order == PropertyOrder::Any
    }
}

/// The texts of so many characters, where that says something.
fn of_length(min: u32, max: Option<u32>) -> Result<Option<Arc<Dfa>>, AutomatonError> {
    if min == 0 && max.is_none() {
        return Ok(None);
    }
    let item = Box::new(Expr::Chars(Box::new([ANY_CHARACTER])));
    let length = Expr::Repeat { item, min, max };
    Ok(Some(Arc::new(Dfa::from_expr(&length, &LIMITS)?)))
}

pub(super) fn between([open, close]: [Expr; 2], inside: Expr) -> Expr {
    Expr::Sequence(vec![open, inside, close])
}

pub(super) fn in_quotes(inside: Expr) -> Expr {
    between([Expr::literal("\""), Expr::literal("\"")], inside)
}
