//! The schemas of a schema, by number.
//!
//! A [`Document`] hands out schemas by number and reads one when it is first
//! asked for, so what no instance can reach is never looked at.
//!
//! A schema is a place in a document together with its *dynamic scope*, as far
//! as it matters: what the names that `$dynamicRef` (and `$recursiveRef`) may ask
//! for mean to whoever came this way. A scope only grows, and there are finitely
//! many names, so there are finitely many schemas and dynamic references are
//! exact. Without dynamic anchors there is one scope, the empty one.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use super::contents::Contents;
use super::dialect::{Dialect, Unknown};
use super::draft::Draft;
use super::finding::{Finding, error};
use super::impossible::KIND;
use super::keyword::{Node, SchemaId};
use super::resources::{ResourceId, Resources, Spot, escape_pointer};
use super::value::Json;
use super::{SchemaOptions, formats, reading};
use crate::automaton::{Bounds, Language};
use crate::slots::Ask;
use crate::{Diagnostic, Filling, Severity, Slot};

/// Index of a dynamic scope.
type ScopeId = u32;

/// What the names of dynamic references mean: the outermost that has them.
type Scope<'a> = Vec<(&'a str, Spot<'a>)>;

/// What a place is read as.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Schema,
    /// Only this value.
    Constant,
    /// Nothing, whatever stands there.
    Never,
}

struct Source<'a> {
    json: &'a Json,
    pointer: Rc<str>,
    resource: ResourceId,
    scope: ScopeId,
    kind: Kind,
}

/// A schema with all that belongs to it.
pub(super) struct Document<'a> {
    pub options: &'a SchemaOptions,
    pub resources: Resources<'a>,
    sources: Vec<Source<'a>>,
    ids: HashMap<(*const Json, ScopeId, Kind), SchemaId>,
    contents: Contents<'a>,
    nodes: Vec<Option<Rc<Node<'a>>>>,
    scopes: Vec<Scope<'a>>,
    entered: HashMap<(ScopeId, ResourceId), ScopeId>,
    /// Whether what the options lack is left open.
    pub open: bool,
    /// The languages of patterns, by their text.
    pub patterns: HashMap<&'a str, Arc<Language>>,
    /// Those of patterns that bound how long their texts are, by their addresses: the languages
    /// without the bounds, and these.
    pub uncounted: HashMap<usize, (Arc<Language>, Bounds)>,
    /// The languages of formats.
    formats: HashMap<&'a str, Option<Arc<Language>>>,
    /// The languages of slots that were filled.
    pub filled: HashMap<Ask, Arc<Language>>,
    /// Slots that were left open.
    pub slots: Vec<Slot>,
    pub findings: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Document<'a> {
    pub(super) const ROOT: SchemaId = 0;

    pub(super) fn new(
        root: &'a Json,
        documents: &'a [(String, Json)],
        options: &'a SchemaOptions,
        open: bool,
    ) -> Self {
        let mut document = Self {
            options,
            resources: Resources::new(root, documents),
            sources: Vec::new(),
            ids: HashMap::default(),
            contents: Contents::default(),
            nodes: Vec::new(),
            scopes: vec![Scope::new()],
            entered: HashMap::default(),
            open,
            patterns: HashMap::default(),
            uncounted: HashMap::default(),
            formats: HashMap::default(),
            filled: HashMap::default(),
            slots: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
        };
        let spot = document.resources.root();
        let pointer = || spot.pointer;
        document.id(spot.json, pointer, spot.resource, 0, Kind::Schema);
        document
    }

    /// The schema at a place below `parent`, which is in the same document.
    pub(super) fn child(
        &mut self,
        parent: SchemaId,
        step: Arguments<'_>,
        json: &'a Json,
    ) -> SchemaId {
        self.below(parent, step, json, Kind::Schema)
    }

    /// The schema of one value below `parent`.
    pub(super) fn constant(
        &mut self,
        parent: SchemaId,
        step: Arguments<'_>,
        json: &'a Json,
    ) -> SchemaId {
        self.below(parent, step, json, Kind::Constant)
    }

    /// A schema that admits nothing.
    pub(super) fn never(&mut self, parent: SchemaId) -> SchemaId {
        let source = &self.sources[parent as usize];
        let (json, pointer) = (source.json, source.pointer.to_string());
        self.id(json, || pointer, source.resource, 0, Kind::Never)
    }

    fn below(
        &mut self,
        parent: SchemaId,
        step: Arguments<'_>,
        json: &'a Json,
        kind: Kind,
    ) -> SchemaId {
        let source = &self.sources[parent as usize];
        let (resource, scope) = (source.resource, source.scope);
        let fresh = self.ids.get(&(json as *const Json, scope, kind));
        if let Some(&known) = fresh {
            return known;
        }
        let around = source.pointer.clone();
        let pointer = || format!("{around}/{step}");
        let resource = match kind {
            Kind::Schema => self.resources.of(json, resource),
            _ => resource,
        };
        self.id(json, pointer, resource, scope, kind)
    }

    fn id(
        &mut self,
        json: &'a Json,
        pointer: impl FnOnce() -> String,
        resource: ResourceId,
        scope: ScopeId,
        kind: Kind,
    ) -> SchemaId {
        let scope = match kind {
            Kind::Schema => self.enter(scope, resource),
            _ => scope,
        };
        let key = (json as *const Json, scope, kind);
        if let Some(&known) = self.ids.get(&key) {
            return known;
        }
        let fresh = self.sources.len() as SchemaId;
        let id = match kind {
            Kind::Schema => self.contents.same_as(json, (resource, scope), fresh),
            Kind::Constant | Kind::Never => fresh,
        };
        self.ids.insert(key, id);
        if id == fresh {
            self.sources.push(Source {
                json,
                pointer: pointer().into(),
                resource,
                scope,
                kind,
            });
            self.nodes.push(None);
        }
        id
    }

    /// The scope in a resource that is reached from another.
    fn enter(&mut self, scope: ScopeId, resource: ResourceId) -> ScopeId {
        if self.resources.get(resource).dynamic.is_empty() {
            return scope;
        }
        if let Some(&known) = self.entered.get(&(scope, resource)) {
            return known;
        }
        let mut names = self.scopes[scope as usize].clone();
        for (name, spot) in &self.resources.get(resource).dynamic {
            if let Err(place) = names.binary_search_by_key(name, |&(known, _)| known) {
                names.insert(place, (name, spot.clone()));
            }
        }
        // A scope is told by what its names mean.
        let meaning = |scope: &Scope<'a>| -> Vec<(&'a str, *const Json)> {
            let names = scope.iter();
            names
                .map(|(name, spot)| (*name, spot.json as *const Json))
                .collect()
        };
        let wanted = meaning(&names);
        let known = self
            .scopes
            .iter()
            .position(|scope| meaning(scope) == wanted);
        let id = known.unwrap_or(self.scopes.len()) as ScopeId;
        if known.is_none() {
            self.scopes.push(names);
        }
        self.entered.insert((scope, resource), id);
        id
    }

    /// What a reference in a schema leads to.
    pub(super) fn follow(&mut self, from: SchemaId, reference: &str) -> Result<SchemaId, Finding> {
        let source = &self.sources[from as usize];
        let (resource, scope) = (source.resource, source.scope);
        let spot = self.resources.resolve(reference, resource)?;
        let pointer = || spot.pointer;
        Ok(self.id(spot.json, pointer, spot.resource, scope, Kind::Schema))
    }

    /// What a reference leads to where the outermost of its name counts.
    pub(super) fn follow_dynamically(
        &mut self,
        from: SchemaId,
        reference: &str,
        draft: Draft,
    ) -> Result<SchemaId, Finding> {
        let source = &self.sources[from as usize];
        let (resource, scope) = (source.resource, source.scope);
        let mut spot = self.resources.resolve(reference, resource)?;
        let name = match draft {
            Draft::Nineteen => {
                let anchor = spot.json.get("$recursiveAnchor");
                (anchor == Some(&Json::Bool(true))).then_some("")
            }
            _ => match spot.json.get("$dynamicAnchor") {
                Some(Json::Text(name)) if reference.ends_with(&format!("#{name}")) => {
                    Some(name.as_str())
                }
                _ => None,
            },
        };
        if let Some(name) = name {
            // The reference's own resource is the innermost of the scope.
            let inside = self.enter(scope, spot.resource);
            let scope = &self.scopes[inside as usize];
            if let Some((_, outermost)) = scope.iter().find(|&&(known, _)| known == name) {
                spot = outermost.clone();
            }
        }
        let pointer = || spot.pointer;
        Ok(self.id(spot.json, pointer, spot.resource, scope, Kind::Schema))
    }

    pub(super) fn pointer(&self, id: SchemaId) -> &str {
        &self.sources[id as usize].pointer
    }

    /// What a schema is read by.
    pub(super) fn dialect(&self, id: SchemaId) -> Result<Dialect, Unknown<'a>> {
        let resource = self.sources[id as usize].resource;
        self.resources.get(resource).dialect
    }

    /// Whether `$schema` named the draft that a schema is read by.
    pub(super) fn declares_draft(&self, id: SchemaId) -> bool {
        self.resources
            .get(self.sources[id as usize].resource)
            .declares_draft
    }

    /// Whether a schema is `false`, as it is written.
    pub(super) fn is_false(&self, id: SchemaId) -> bool {
        let source = &self.sources[id as usize];
        source.kind == Kind::Never
            || source.kind == Kind::Schema && *source.json == Json::Bool(false)
    }

    /// How many schemas were handed out.
    pub(super) fn count(&self) -> SchemaId {
        self.nodes.len() as SchemaId
    }

    /// Whether a schema was read.
    pub(super) fn is_read(&self, id: SchemaId) -> bool {
        self.nodes[id as usize].is_some()
    }

    /// The members of a schema as it is written.
    pub(super) fn written(&self, id: SchemaId) -> Option<&'a super::value::Members> {
        match &self.sources[id as usize] {
            Source {
                kind: Kind::Schema,
                json: Json::Object(members),
                ..
            } => Some(members),
            _ => None,
        }
    }

    pub(super) fn node(&mut self, id: SchemaId) -> Rc<Node<'a>> {
        if let Some(node) = &self.nodes[id as usize] {
            return node.clone();
        }
        let source = &self.sources[id as usize];
        let (json, pointer) = (source.json, source.pointer.clone());
        let node = Rc::new(match source.kind {
            Kind::Schema => reading::schema(self, id, pointer, json),
            Kind::Constant => super::constants::constant(self, id, pointer, json),
            Kind::Never => Node {
                pointer,
                never: true,
                keywords: Vec::new(),
            },
        });
        self.nodes[id as usize] = Some(node.clone());
        node
    }

    /// The strings of a format, where formats are asserted and it is one.
    pub(super) fn asserted(
        &mut self,
        format: &'a str,
        dialect: Dialect,
    ) -> Result<Option<Arc<Language>>, Finding> {
        let asked = self.resources.root().json.get("x-assertFormats");
        let asked = asked == Some(&Json::Bool(true)) || dialect.asserts_formats();
        if !self.options.assert_formats && !asked {
            return Ok(None);
        }
        if let Some(known) = self.formats.get(format) {
            return Ok(known.clone());
        }
        let texts = formats::language(format)?;
        self.formats.insert(format, texts.clone());
        Ok(texts)
    }

    /// Adds a finding, once.
    pub(super) fn find(&mut self, kind: &'static str, pointer: &str, message: impl Into<String>) {
        let finding = error(kind, pointer, message);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Adds a warning, once.
    pub(super) fn warn(&mut self, finding: Finding, pointer: &str) {
        let mut warning = finding.at(pointer);
        warning.severity = Severity::Warning;
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Takes note of a schema that denies itself: the whole one cannot be meant, a part
    /// of it is only absent.
    pub(super) fn deny(&mut self, id: SchemaId, pointer: &str, message: impl Into<String>) {
        match id {
            Self::ROOT => self.find(KIND, pointer, message),
            _ => self.warn(Finding::new(KIND, message), pointer),
        }
    }

    /// Lists of the options that nothing asked for.
    pub(super) fn unused_lists(&self) -> impl Iterator<Item = &'a str> {
        let lists = self.options.lists.iter().map(|(name, _)| name.as_str());
        lists.filter(|name| {
            let mut asked = self.filled.keys();
            !asked.any(|ask| ask.filling == Filling::List && ask.name == *name)
        })
    }
}

/// A step of a JSON pointer.
pub(super) fn step(name: &str) -> Cow<'_, str> {
    escape_pointer(name)
}
