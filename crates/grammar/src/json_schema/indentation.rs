//! White space as one style of indentation.
//!
//! Where a line begins depends on how deep it stands, which rules do not know. So
//! rules are made with marks first, [`Mark`]s, which are rules that derive nothing; then
//! every rule that comes to a mark is copied for each depth at which it is mentioned,
//! and marks become line ends and blanks. What stands in no container of its own has
//! one copy.
//!
//! Depth is bounded, since a grammar cannot count on: containers within more than
//! [`MAX_DEPTH`] others have no items.

use rustc_hash::FxHashMap as HashMap;

use crate::{Expr, Place, Rule, RuleId};

/// Most containers within one another that have items.
pub(super) const MAX_DEPTH: u32 = 16;

/// Places where white space depends on the depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A line begins here.
    Line,
    /// What follows stands one deeper, on a line of its own.
    Open,
    /// What follows stands one less deep, on a line of its own.
    Close,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Line, Self::Open, Self::Close];

    /// The rule that stands for a mark: the first ones are theirs.
    pub(super) fn expr(self) -> Expr {
        Expr::Rule(RuleId(self as u32))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Line => "Line",
            Self::Open => "Open",
            Self::Close => "Close",
        }
    }

    /// The rules that stand for marks.
    pub(super) fn rules() -> impl Iterator<Item = Rule> {
        Self::ALL.into_iter().map(|mark| Rule {
            name: mark.name().to_owned(),
            body: Expr::empty(),
        })
    }

    fn of(rule: RuleId) -> Option<Self> {
        Self::ALL.get(rule.0 as usize).copied()
    }
}

/// Rules with so many blanks for each depth in place of marks; copies come behind
/// those that there are, so that all keep their numbers. `None` if there are more than
/// `most`.
pub(super) fn indent(
    rules: &mut Vec<Rule>,
    places: &mut Vec<Place>,
    start: RuleId,
    width: u8,
    most: usize,
) -> Option<()> {
    let marked = marked(rules);
    let mut indentation = Indentation {
        count: rules.len(),
        marked,
        width,
        copies: HashMap::default(),
        todo: vec![],
    };
    indentation.copy(start, 0);
    let originals = rules.clone();
    while let Some((rule, depth, copy)) = indentation.todo.pop() {
        if indentation.count > most {
            return None;
        }
        let original = &originals[rule.0 as usize];
        let body = indentation.expression(&original.body, &mut { depth });
        let made = Rule {
            name: original.name.clone(),
            body,
        };
        while rules.len() < indentation.count.max(copy.0 as usize + 1) {
            rules.push(Rule {
                name: String::new(),
                body: Expr::never(),
            });
            places.push(Place::Pointer(String::new()));
        }
        places[copy.0 as usize] = places[rule.0 as usize].clone();
        rules[copy.0 as usize] = made;
    }
    Some(())
}

/// For each rule whether it comes to a mark.
fn marked(rules: &[Rule]) -> Vec<bool> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); rules.len()];
    for (user, rule) in (0..).zip(rules) {
        rule.body
            .for_each_rule(&mut |used| users[used.0 as usize].push(user));
    }
    let mut marked = vec![false; rules.len()];
    let mut todo: Vec<u32> = (0..Mark::ALL.len() as u32).collect();
    while let Some(rule) = todo.pop() {
        if !std::mem::replace(&mut marked[rule as usize], true) {
            todo.extend(&users[rule as usize]);
        }
    }
    marked
}

struct Indentation {
    /// Rules, copies among them.
    count: usize,
    marked: Vec<bool>,
    width: u8,
    copies: HashMap<(RuleId, u32), RuleId>,
    /// Copies to be made: of which rule, at which depth.
    todo: Vec<(RuleId, u32, RuleId)>,
}

impl Indentation {
    fn copy(&mut self, rule: RuleId, depth: u32) -> RuleId {
        if !self.marked[rule.0 as usize] {
            return rule;
        }
        if let Some(&known) = self.copies.get(&(rule, depth)) {
            return known;
        }
        // The first copy of the start takes its number.
        let copy = match self.copies.is_empty() {
            true => rule,
            false => {
                self.count += 1;
                RuleId(self.count as u32 - 1)
            }
        };
        self.copies.insert((rule, depth), copy);
        self.todo.push((rule, depth, copy));
        copy
    }

    /// The expression at a depth, which is that behind it afterwards.
    fn expression(&mut self, expr: &Expr, depth: &mut u32) -> Expr {
        match expr {
            Expr::Rule(rule) => match Mark::of(*rule) {
                Some(Mark::Open) if *depth >= MAX_DEPTH => Expr::never(),
                Some(mark) => {
                    *depth = match mark {
                        Mark::Line => *depth,
                        Mark::Open => *depth + 1,
                        Mark::Close => depth.saturating_sub(1),
                    };
                    let mut line = vec![b'\n'];
                    line.resize(1 + usize::from(self.width) * *depth as usize, b' ');
                    Expr::literal(line)
                }
                None => Expr::Rule(self.copy(*rule, *depth)),
            },
            Expr::Sequence(parts) => {
                let parts = parts.iter().map(|part| self.expression(part, depth));
                Expr::Sequence(parts.collect())
            }
            Expr::Choice(parts) => {
                let parts = parts.iter();
                Expr::Choice(
                    parts
                        .map(|part| self.expression(part, &mut { *depth }))
                        .collect(),
                )
            }
            Expr::Repeat { item, min, max } => Expr::Repeat {
                item: Box::new(self.expression(item, &mut { *depth })),
                min: *min,
                max: *max,
            },
            Expr::Interleave(items) => {
                let items = items.map(|form| self.expression(form, &mut { *depth }));
                Expr::Interleave(Box::new(items))
            }
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Terminal(_) => expr.clone(),
        }
    }
}
