//! The members of an object's shape, by classes of names that are treated alike.

use rustc_hash::FxHashSet as HashSet;
use std::sync::Arc;

use super::LIMITS;
use super::lower::Lowering;
use super::shape::{Goals, Literal, Objects};
use super::syntax::in_quotes;
use super::values::Class;
use super::words;
use crate::Expr;
use crate::automaton::{AutomatonError, Dfa, Language};

/// Most conditions that some member must meet.
pub(super) const MAX_WANTED: usize = 6;
/// Most classes of names that nobody names.
const MAX_FREE: usize = 200;

/// Languages that names are in, or are not.
type KnownLanguages = Vec<(Arc<Language>, bool)>;

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
            let message = format!("over {MAX_WANTED} conditions that some member must meet");
            self.refuse_here("too-large", &message);
            return None;
        }
        let names = names_of(objects);
        let mut members = Vec::new();
        for &name in &names {
            let key = self.options.strings.literal(name);
            let ways = self.ways(objects, Class::Named(name), key);
            let is_required = objects.required.contains(&name);
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

    fn free_members(
        &mut self,
        objects: &Objects<'a>,
        mut names: Vec<&'a str>,
    ) -> Result<Vec<Member>, AutomatonError> {
        let languages = self.expander.languages_of_names(objects);
        names.sort_unstable();
        if languages.is_empty() {
            let class = Class::Free(&[]);
            // Nobody asks what the names are unless the value may be.
            if self.expander.member_goals(objects, class, &[]).is_none() {
                return Ok(Vec::new());
            }
            let key = match names.is_empty() {
                true => self.options.strings.any_character().star(),
                false => Expr::Automaton(self.names_beside(names)?),
            };
            return Ok(self.free_member(objects, class, key).into_iter().collect());
        }
        let others = match names.is_empty() {
            true => self.expander.any_text()?,
            false => {
                let named = Language::of_texts(names.iter().copied(), &LIMITS)?;
                Arc::new(self.expander.any_text()?.minus(&named, &LIMITS)?)
            }
        };
        let mut classes: Vec<(Arc<Language>, KnownLanguages)> = vec![(others, Vec::new())];
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
        let mut members = Vec::new();
        for (names, known) in &classes {
            let class = Class::Free(known);
            if self.expander.member_goals(objects, class, &[]).is_none() {
                continue;
            }
            let key = self.spelled(names)?;
            members.extend(self.free_member(objects, class, Expr::Automaton(key)));
        }
        Ok(members)
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
        let mut ways = Vec::new();
        for (bits, literals) in options {
            let goals: Option<Goals> = self.expander.member_goals(objects, class, &literals);
            if let Some(goals) = goals {
                let value = self.rule_of_alternatives(vec![goals]);
                ways.push((bits, self.member(key.clone(), value)));
            }
        }
        ways
    }

    /// The spellings of all names but these, which are sorted.
    fn names_beside(&mut self, names: Vec<&'a str>) -> Result<Arc<Dfa>, AutomatonError> {
        if let Some(known) = self.other_names.get(&names) {
            return Ok(known.clone());
        }
        let any = self.expander.any_text()?;
        let any = self.spelled(&any)?;
        let spelled = words::beside(names.iter().copied(), self.options.strings, &any)?;
        let spelled = Arc::new(spelled);
        self.expander.spend(spelled.state_count() as u64 / 16);
        self.other_names.insert(names, spelled.clone());
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
    let required = objects.required.iter().copied();
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
