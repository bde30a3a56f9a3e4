//! The documents of a schema: which parts of them have identifiers, and what a
//! reference leads to.
//!
//! A *resource* is a document, or a part with an identifier of its own: what is
//! relative in it is relative to that. One walk over every document finds all
//! resources and anchors; it goes only where schemas stand, so that an `$id` in
//! an `enum` is none.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustc_hash::FxHashMap as HashMap;

use super::dialect::{Dialect, Unknown};
use super::draft::{Draft, Holder, holder};
use super::finding::{Finding, expected};
use super::metaschemas;
use super::uri::{resolve, split_fragment};
use super::value::Json;
use crate::automaton::SHORTCUTS;
use crate::quoted;

/// The identifier of a schema that has none.
const NAMELESS: &str = "schema:/";

/// Index of a resource.
pub(super) type ResourceId = u32;

/// A document, or a part of one with its own identifier.
#[derive(Debug)]
pub(super) struct Resource<'a> {
    uri: String,
    root: Spot<'a>,
    /// What it is read by.
    pub dialect: Result<Dialect, Unknown<'a>>,
    /// Whether `$schema` is there, or in the document around.
    pub declares_draft: bool,
    /// Nothing where several schemas have the same.
    anchors: HashMap<&'a str, Option<Spot<'a>>>,
    /// What a reference from elsewhere may be led to instead, by name;
    /// `$recursiveAnchor` has the empty one.
    pub dynamic: Vec<(&'a str, Spot<'a>)>,
}

/// A place in a document.
#[derive(Clone, Debug)]
pub(super) struct Spot<'a> {
    pub json: &'a Json,
    /// As in [`crate::Place::Pointer`]; that of another document has its
    /// identifier and `#` before it.
    pub pointer: String,
    pub resource: ResourceId,
}

/// All documents of a schema.
#[derive(Debug)]
pub(super) struct Resources<'a> {
    /// Those handed over, by their identifiers.
    documents: &'a [(String, Json)],
    list: Vec<Resource<'a>>,
    /// `None` for an identifier that several have.
    by_uri: HashMap<String, Option<ResourceId>>,
    by_root: HashMap<*const Json, ResourceId>,
}

impl<'a> Resources<'a> {
    /// The schema, and the documents handed over with it by their identifiers.
    pub(super) fn new(root: &'a Json, documents: &'a [(String, Json)]) -> Self {
        let mut resources = Self {
            documents,
            list: Vec::new(),
            by_uri: HashMap::default(),
            by_root: HashMap::default(),
        };
        let dialect = resources.dialect(root, Ok(Dialect::of(Draft::Twenty)));
        resources.document(NAMELESS, "", root, dialect);
        for (uri, json) in documents {
            let uri = split_fragment(uri).0;
            resources.document(uri, &format!("{uri}#"), json, dialect);
        }
        resources
    }

    /// What a schema is read by that stands where another dialect is in force.
    fn dialect(
        &self,
        json: &Json,
        around: Result<Dialect, Unknown<'a>>,
    ) -> Result<Dialect, Unknown<'a>> {
        Dialect::declared(json, self.documents).unwrap_or(around)
    }

    /// Takes those documents in that json-schema.org has beside one.
    fn add_published(&mut self, uri: &str) {
        for (id, json) in metaschemas::of(uri).into_iter().flatten() {
            // What was handed over comes first.
            if !self.by_uri.contains_key(id) {
                let dialect = Ok(Dialect::of(Draft::Twenty));
                self.document(id, &format!("{id}#"), json, dialect);
            }
            let is_same = uri.split_once(':').zip(id.split_once(':'));
            if is_same.is_some_and(|(uri, id)| uri.1 == id.1)
                && let Some(&known) = self.by_uri.get(id)
            {
                self.by_uri.insert(uri.to_owned(), known);
            }
        }
    }

    pub(super) fn root(&self) -> Spot<'a> {
        self.list[0].root.clone()
    }

    pub(super) fn get(&self, id: ResourceId) -> &Resource<'a> {
        &self.list[id as usize]
    }

    /// The resource of a part of a resource.
    pub(super) fn of(&self, json: &Json, around: ResourceId) -> ResourceId {
        let own = self.by_root.get(&(json as *const Json));
        own.copied().unwrap_or(around)
    }

    /// Whether a schema is the root of its resource.
    pub(super) fn is_root(&self, json: &Json) -> bool {
        self.by_root.contains_key(&(json as *const Json))
    }

    /// What a reference in a resource leads to.
    pub(super) fn resolve(
        &mut self,
        reference: &str,
        from: ResourceId,
    ) -> Result<Spot<'a>, Finding> {
        let (before, fragment) = split_fragment(reference);
        let uri = resolve(&self.get(from).uri, before);
        if SHORTCUTS && !self.by_uri.contains_key(&uri) {
            self.add_published(&uri);
        }
        // Where nothing says what a reference is relative to, it may be a document's name.
        let named = self.by_uri.get(&uri).or_else(|| self.by_uri.get(before));
        let target = match named {
            Some(Some(target)) => self.get(*target),
            Some(None) => {
                let message = format!("several schemas have the identifier {}", quoted(&uri));
                return Err(Finding::new("ambiguous-reference", message));
            }
            None => {
                let message = format!(
                    "{} is not in this document, and no document of that name was handed over",
                    quoted(reference)
                );
                return Err(Finding::new("unsupported-reference", message));
            }
        };
        let fragment = fragment.unwrap_or_default();
        let fragment = percent_decoded(fragment).ok_or_else(|| expected("a JSON pointer"))?;
        if fragment.is_empty() {
            return Ok(target.root.clone());
        }
        let lost = || {
            let message = format!("{} leads nowhere", quoted(reference));
            Finding::new("unknown-reference", message)
        };
        match fragment.starts_with('/') {
            true => self.follow(&target.root, &fragment).ok_or_else(lost),
            false => match target.anchors.get(&*fragment) {
                Some(Some(spot)) => Ok(spot.clone()),
                Some(None) => {
                    let message = format!("several schemas have the anchor {}", quoted(&fragment));
                    Err(Finding::new("ambiguous-reference", message))
                }
                None => Err(lost()),
            },
        }
    }

    fn follow(&self, root: &Spot<'a>, pointer: &str) -> Option<Spot<'a>> {
        let mut spot = root.clone();
        for step in pointer.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            spot.json = match spot.json {
                Json::Array(items) => {
                    let plain = name == "0" || !name.starts_with(['0', '+']);
                    let index = name.parse().ok().filter(|_| plain);
                    index.and_then(|at: usize| items.get(at))?
                }
                other => other.get(&name)?,
            };
            spot.pointer.push('/');
            spot.pointer.push_str(&escape_pointer(&name));
            spot.resource = self.of(spot.json, spot.resource);
        }
        Some(spot)
    }

    fn document(
        &mut self,
        uri: &str,
        pointer: &str,
        root: &'a Json,
        around: Result<Dialect, Unknown<'a>>,
    ) {
        let dialect = self.dialect(root, around);
        let own = identifier(root, draft(dialect));
        let own = own.filter(|own| !own.starts_with('#'));
        let id = own.map_or(uri.to_owned(), |own| resolve(uri, own));
        let resource = self.add(id.clone(), pointer.to_owned(), root, dialect, None);
        if id != uri {
            self.by_uri.entry(uri.to_owned()).or_insert(Some(resource));
        }
        let mut path = pointer.to_owned();
        self.walk(root, &mut path, resource);
    }

    fn add(
        &mut self,
        uri: String,
        pointer: String,
        json: &'a Json,
        dialect: Result<Dialect, Unknown<'a>>,
        around: Option<ResourceId>,
    ) -> ResourceId {
        let resource = self.list.len() as ResourceId;
        let around_declares = around.is_some_and(|around| self.get(around).declares_draft);
        let known = self.by_uri.entry(uri.clone());
        known
            .and_modify(|known| *known = None)
            .or_insert(Some(resource));
        self.by_root.insert(json, resource);
        self.list.push(Resource {
            uri,
            root: Spot {
                json,
                pointer,
                resource,
            },
            dialect,
            declares_draft: json.get("$schema").is_some() || around_declares,
            anchors: HashMap::default(),
            dynamic: Vec::new(),
        });
        resource
    }

    fn walk(&mut self, json: &'a Json, path: &mut String, around: ResourceId) {
        let Json::Object(members) = json else {
            return;
        };
        let may_have_name = |keyword: &str| keyword.starts_with('$') || keyword == "id";
        let resource = match members.iter().any(|(keyword, _)| may_have_name(keyword)) {
            true => self.names(json, path, around),
            false => self.of(json, around),
        };
        let length = path.len();
        for (keyword, value) in members.iter() {
            let Some(holder) = holder(keyword) else {
                continue;
            };
            path.push('/');
            path.push_str(keyword);
            let inner = path.len();
            match (holder, value) {
                (Holder::List | Holder::OneOrList, Json::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        let _ = write!(path, "/{index}");
                        self.walk(item, path, resource);
                        path.truncate(inner);
                    }
                }
                (Holder::Map | Holder::MixedMap, Json::Object(schemas)) => {
                    for (name, schema) in schemas.iter() {
                        path.push('/');
                        path.push_str(&escape_pointer(name));
                        self.walk(schema, path, resource);
                        path.truncate(inner);
                    }
                }
                (Holder::One | Holder::OneOrList, schema) => self.walk(schema, path, resource),
                _ => {}
            }
            path.truncate(length);
        }
    }

    /// Takes note of the names that a schema gives itself.
    fn names(&mut self, json: &'a Json, path: &str, around: ResourceId) -> ResourceId {
        let mut resource = self.of(json, around);
        let dialect = self.dialect(json, self.get(around).dialect);
        let mut anchors: Vec<&'a str> = Vec::new();
        match identifier(json, draft(dialect)) {
            Some(id) if id.starts_with('#') => anchors.extend(id.strip_prefix('#')),
            Some(id) if !self.is_root(json) => {
                let uri = resolve(&self.get(around).uri, id);
                resource = self.add(uri, path.to_owned(), json, dialect, Some(around));
                anchors.extend(split_fragment(id).1.filter(|name| !name.is_empty()));
            }
            _ => {}
        }
        let spot = Spot {
            json,
            pointer: path.to_owned(),
            resource,
        };
        let text = |keyword| match json.get(keyword) {
            Some(Json::Text(name)) => Some(name.as_str()),
            _ => None,
        };
        let draft = draft(self.get(resource).dialect);
        let target = &mut self.list[resource as usize];
        if draft >= Draft::Nineteen {
            anchors.extend(text("$anchor"));
        }
        if draft == Draft::Nineteen
            && target.root.pointer == path
            && json.get("$recursiveAnchor") == Some(&Json::Bool(true))
        {
            target.dynamic.push(("", spot.clone()));
        }
        if draft >= Draft::Twenty
            && let Some(name) = text("$dynamicAnchor")
        {
            anchors.push(name);
            target.dynamic.push((name, spot.clone()));
        }
        for anchor in anchors {
            let known = target.anchors.entry(anchor);
            known
                .and_modify(|known| {
                    let is_same = |known: &Spot<'a>| std::ptr::eq(known.json, json);
                    *known = known.take().filter(is_same);
                })
                .or_insert_with(|| Some(spot.clone()));
        }
        resource
    }
}

/// The draft whose keywords give schemas their names.
fn draft(dialect: Result<Dialect, Unknown<'_>>) -> Draft {
    dialect.map_or(Draft::Twenty, |known| known.draft)
}

fn identifier(json: &Json, draft: Draft) -> Option<&str> {
    if draft.reference_stands_alone() && json.get("$ref").is_some() {
        return None;
    }
    match json.get(draft.identifier())? {
        Json::Text(id) => Some(id),
        _ => None,
    }
}

pub(super) fn escape_pointer(step: &str) -> Cow<'_, str> {
    match step.contains(['~', '/']) {
        true => step.replace('~', "~0").replace('/', "~1").into(),
        false => step.into(),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}
