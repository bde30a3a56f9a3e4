//! The members of an object's shape, by classes of names that are treated alike.

use rustc_hash::FxHashSet as HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::LIMITS;
use super::lower::Lowering;
use super::shape::{Goals, Literal, Objects};
use super::strings::StringSpelling;
use super::syntax::in_quotes;
use super::values::Class;
use super::words;
use crate::Expr;
use crate::automaton::{AutomatonError, Dfa, Language};

/// Most conditions that some member must meet.
pub(super) const MAX_WANTED: usize = 6;

/// What is said of more.
const TOO_MANY_WANTED: &str = "over 6 conditions that some member must meet";
/// Most classes of names that nobody names.
const MAX_FREE: usize = 200;

/// Most names of a class that are told apart, so that none repeats.
const MAX_LISTED: usize = 1_000;

/// Names that are in some languages, and are not in others.
pub(super) type NameClass = (Arc<Language>, Vec<(Arc<Language>, bool)>);

/// Members with a name, or any of a class of names.
pub(super) struct Member {
    /// Key, colon and value, in the ways that meet wanted conditions: a set of
    /// them, as bits, and the member.
    pub ways: Vec<(u32, Expr)>,
    /// Whether it stands at most once.
    pub is_named: bool,
    pub is_required: bool,
}

impl<'a> Lowering<'a> {
    /// What may stand in an object: named members in order, then the others.
    /// `None` where a required one cannot be.
    pub(super) fn members_of(&mut self, objects: &Objects<'a>) -> Option<Vec<Member>> {
        if objects.some.len() > MAX_WANTED {
            self.refuse_here("too-large", TOO_MANY_WANTED);
            return None;
        }
        let names = names_of(objects);
        self.expander.spend(names.len() as u64);
        let mut members = Vec::new();
        for &name in &names {
            let key = self.key(name);
            let ways = self.ways(objects, Class::Named(name), key);
            let is_required = objects.required.contains(name);
            match (ways.is_empty(), is_required) {
                (true, true) => return None,
                (true, false) => {}
                (false, _) => members.push(Member {
                    ways,
                    is_named: true,
                    is_required,
                }),
            }
        }
        match self.free_members(objects, names) {
            Ok(free) => members.extend(free),
            Err(error) => {
                self.refuse_here("too-large", &error.to_string());
                return None;
            }
        }
        Some(members)
    }

    /// A name, with its quotes. In all spellings it is long, and shared where it comes
    /// often.
    fn key(&mut self, name: &'a str) -> Expr {
        const OFTEN: u32 = 4;
        let spelling = self.options.strings;
        if self.is_refused() {
            return Expr::empty();
        }
        if spelling == StringSpelling::Canonical {
            return spelling.literal(name);
        }
        let (uses, shared) = self.keys.entry(name).or_default();
        *uses += 1;
        if *uses < OFTEN {
            return spelling.literal(name);
        }
        let spell = || Arc::new(words::spelled(std::iter::once(name), spelling));
        in_quotes(Expr::Automaton(shared.get_or_insert_with(spell).clone()))
    }

    /// Members that nobody names, by classes of names that are treated alike; where these are
    /// few names, each is a member of its own, which may stand once.
    fn free_members(
        &mut self,
        objects: &Objects<'a>,
        mut names: Vec<&'a str>,
    ) -> Result<Vec<Member>, AutomatonError> {
        let languages = self.expander.languages_of_names(objects);
        names.sort_unstable();
        let mut members = Vec::new();
        for (texts, known) in self.classes_of_names(languages)?.iter() {
            let class = Class::Free(known);
            if self.expander.member_goals(objects, class, &[]).is_none() {
                continue;
            }
            let inside = names.iter().filter(|name| texts.accepts(name));
            let inside: Vec<&'a str> = inside.copied().collect();
            if let Some(listed) = texts.few_texts(MAX_LISTED) {
                let others = listed
                    .iter()
                    .filter(|name| !inside.contains(&name.as_str()));
                for name in others {
                    let key = self.options.strings.literal(name);
                    let ways = self.ways(objects, class, key);
                    if !ways.is_empty() {
                        members.push(Member {
                            ways,
                            is_named: true,
                            is_required: false,
                        });
                    }
                }
                continue;
            }
            let key = match (inside.is_empty(), known.is_empty()) {
                _ if self.is_refused() => Expr::empty(),
                (true, true) => self.options.strings.any_character().star(),
                (true, false) => Expr::Automaton(self.spelled(texts)?),
                (false, _) => {
                    let beside = self.names_beside(texts, inside)?;
                    if beside.is_empty() {
                        continue;
                    }
                    Expr::Automaton(beside)
                }
            };
            members.extend(self.free_member(objects, class, key));
        }
        Ok(members)
    }

    /// All texts, parted by some languages.
    fn classes_of_names(
        &mut self,
        languages: Vec<Arc<Language>>,
    ) -> Result<Rc<Vec<NameClass>>, AutomatonError> {
        let key: Vec<usize> = languages
            .iter()
            .map(|language| Arc::as_ptr(language) as usize)
            .collect();
        if let Some(known) = self.name_classes.get(&key) {
            return Ok(known.clone());
        }
        let mut classes: Vec<NameClass> = vec![(self.expander.any_text()?, Vec::new())];
        for language in languages {
            let mut parted = Vec::new();
            for (names, known) in classes {
                let inside = names.intersect(&language, &LIMITS)?;
                let outside = names.minus(&language, &LIMITS)?;
                for (part, within) in [(inside, true), (outside, false)] {
                    if !part.is_empty() {
                        let mut known = known.clone();
                        known.push((language.clone(), within));
                        parted.push((Arc::new(part), known));
                    }
                }
            }
            classes = parted;
            if classes.len() > MAX_FREE {
                return Err(AutomatonError::TooLarge {
                    what: "classes of names",
                    limit: MAX_FREE,
                });
            }
        }
        let classes = Rc::new(classes);
        self.name_classes.insert(key, classes.clone());
        Ok(classes)
    }

    fn free_member(
        &mut self,
        objects: &Objects<'a>,
        class: Class<'_, 'a>,
        key: Expr,
    ) -> Option<Member> {
        let ways = self.ways(objects, class, in_quotes(key));
        (!ways.is_empty()).then_some(Member {
            ways,
            is_named: false,
            is_required: false,
        })
    }

    /// The member in all ways that meet different conditions.
    fn ways(&mut self, objects: &Objects<'a>, class: Class<'_, 'a>, key: Expr) -> Vec<(u32, Expr)> {
        let mut options: Vec<(u32, Vec<Literal>)> = vec![(0, Vec::new())];
        for (index, (names, goal)) in objects.some.iter().enumerate() {
            if !self.expander.is_among(objects, class, names) {
                continue;
            }
            let met = options.clone().into_iter().map(|(bits, mut literals)| {
                literals.extend(*goal);
                (bits | 1 << index, literals)
            });
            let met: Vec<_> = met.collect();
            // What meets a condition whatever its value always does.
            if goal.is_none() {
                options.clear();
            }
            options.extend(met);
        }
        let mut values = Vec::new();
        for (bits, literals) in options {
            let goals: Option<Goals> = self.expander.member_goals(objects, class, &literals);
            values.extend(goals.map(|goals| (bits, goals)));
        }
        let mut ways = Vec::with_capacity(values.len());
        if self.is_refused() {
            for (bits, goals) in values {
                ways.push((bits, self.rule_of_alternatives(vec![goals])));
            }
            return ways;
        }
        let last = values.pop();
        for (bits, goals) in values {
            let value = self.rule_of_alternatives(vec![goals]);
            ways.push((bits, self.member(key.clone(), value)));
        }
        if let Some((bits, goals)) = last {
            let value = self.rule_of_alternatives(vec![goals]);
            ways.push((bits, self.member(key, value)));
        }
        ways
    }

    /// The spellings of a class's names but these, which are sorted and among them.
    fn names_beside(
        &mut self,
        texts: &Arc<Language>,
        names: Vec<&'a str>,
    ) -> Result<Arc<Dfa>, AutomatonError> {
        let key = (Arc::as_ptr(texts) as usize, names);
        if let Some(known) = self.other_names.get(&key) {
            return Ok(known.clone());
        }
        let all = self.spelled(texts)?;
        let (address, names) = key;
        let listed = || names.iter().copied();
        let spelled = match words::beside(listed(), self.options.strings, &all)? {
            Some(spelled) => Arc::new(spelled),
            None => {
                let listed = Language::of_texts(listed(), &LIMITS)?;
                let others = Arc::new(texts.minus(&listed, &LIMITS)?);
                self.spelled(&others)?
            }
        };
        self.expander.spend(spelled.state_count() as u64 / 4);
        self.other_names.insert((address, names), spelled.clone());
        Ok(spelled)
    }
}

/// All names that anything names, in order.
fn names_of<'a>(objects: &Objects<'a>) -> Vec<&'a str> {
    let declared = objects.members.iter();
    let declared = declared.flat_map(|(members, _)| members.named.iter().map(|(name, _)| *name));
    let beside = objects.some.iter().filter_map(|(names, _)| match names {
        super::shape::Names::Beside(members) => Some(members),
        _ => None,
    });
    let beside = beside.flat_map(|members| members.named.iter().map(|(name, _)| *name));
    let required = objects.required.iter();
    let at = objects.at.iter().map(|(name, _)| *name);
    let forbidden = objects.forbidden.iter().copied();
    let mut known = HashSet::default();
    let all = declared
        .chain(required)
        .chain(at)
        .chain(forbidden)
        .chain(beside);
    all.filter(|name| known.insert(*name)).collect()
}
