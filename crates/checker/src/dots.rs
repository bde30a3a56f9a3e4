//! Dotted productions: places in right-hand sides, and what may be read there.
//!
//! A place in an ordinary production is an index into [`Cfg::symbols`]. A place in
//! an interleave is how far it has come ([`Progress`]); it gets a number when a parse
//! first comes to it, so the sets of items that are never seen together never
//! exist.
//!
//! Two ways of looking at interleaves are for what would have to list all sets.
//! The *outline* forgets what was seen: any item may follow any other, and the end
//! may follow each. It reads more, with a handful of places, which is what a cover
//! and a guide are made of. And *inside a gap* of any length whole items are not
//! told apart: some are hidden there, and which they are is settled when the
//! interleave ends, where it is known which ones are still missing.

use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_grammar::interleave::Progress;
use rustc_hash::FxHashMap;

use crate::cfg::{Cfg, Interleaved, NonterminalId, Symbol};
use crate::many_items::{MANY, ManyItems};

/// Number of a place.
pub(crate) type Dot = u32;

/// What is read at a place, and the place behind it; for ends, itself.
pub(crate) type Moves = Vec<(Symbol, Dot)>;

/// A place in an interleave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Between {
    interleave: u32,
    progress: Progress,
    at: At,
}

/// Where in an interleave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Start,
    /// Behind an item, or behind items hidden in the gap that goes on here.
    Item {
        hidden: bool,
    },
    /// Behind the separator after that.
    Separator {
        hidden: bool,
    },
}

/// The places met so far.
#[derive(Clone, Debug)]
pub(crate) struct Dots {
    /// Places below this are those of ordinary productions.
    base: Dot,
    is_outline: bool,
    places: Vec<Between>,
    ids: FxHashMap<Between, Dot>,
    interleaves: FxHashMap<NonterminalId, u32>,
    /// For each interleave, whether its items can hide: none may be empty, so that it
    /// is known how many there are.
    hides: Box<[bool]>,
    /// For each interleave, whether something that is read in it may be empty.
    passes: Box<[bool]>,
    /// For each interleave of many items, its steps, which are not among the moves.
    many: Box<[Option<Arc<ManyItems>>]>,
    /// Words of the sets of items seen.
    words: usize,
}

impl Dots {
    /// The places of a grammar's productions, and the starts of its interleaves.
    pub fn new(cfg: &Cfg, nullable: &[bool], is_outline: bool) -> Self {
        let numbered = (0..).zip(&cfg.interleaves);
        let may_be_empty =
            |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable[*n as usize]);
        let passes = cfg.interleaves.iter().map(|interleaved| {
            let mut forms = interleaved.items.forms();
            forms.any(may_be_empty)
        });
        let hides = cfg.interleaves.iter().map(|interleaved| {
            let mut ways = interleaved.items.items.iter().flat_map(|item| &item.ways);
            !ways.any(|way| may_be_empty(&way.text))
        });
        let mut dots = Self {
            base: cfg.places() as Dot,
            is_outline,
            places: Vec::new(),
            ids: FxHashMap::default(),
            interleaves: numbered.map(|(at, it)| (it.nonterminal, at)).collect(),
            hides: hides.collect(),
            passes: passes.collect(),
            many: vec![None; cfg.interleaves.len()].into(),
            words: 0,
        };
        for (at, interleaved) in (0..).zip(&cfg.interleaves) {
            let start = interleaved.items.start();
            dots.place(at, start, At::Start);
        }
        dots
    }

    /// Words that the places take, a measure of the memory.
    pub fn size(&self) -> usize {
        8 * self.places.len() + 2 * self.words
    }

    /// The interleaves whose steps may be looked up: of many items, and nothing that is read in
    /// them is empty.
    pub fn may_be_looked_up(&self, cfg: &Cfg) -> Vec<usize> {
        let all = cfg.interleaves.iter().zip(&self.passes).enumerate();
        let may_be = all.filter(|(_, (it, passes))| !*passes && it.items.items.len() >= MANY);
        may_be.map(|(at, _)| at).collect()
    }

    /// Lets the steps of an interleave be looked up from now on.
    pub fn look_up(&mut self, interleave: usize, many: ManyItems) {
        self.many[interleave] = Some(Arc::new(many));
    }

    /// Words that the set of a place takes.
    pub fn words(&self, dot: Dot) -> usize {
        let place = dot.checked_sub(self.base);
        place.map_or(0, |at| self.places[at as usize].progress.words())
    }

    /// Whether the steps of a place are looked up.
    pub fn is_among_many(&self, dot: Dot) -> bool {
        self.among_many(dot).is_some()
    }

    /// Whether items may stand at a place whose steps are looked up.
    pub fn is_before_many(&self, dot: Dot) -> bool {
        self.before_many(dot).is_some()
    }

    /// Adds where a symbol leads at a place whose steps are looked up: over one of the items as
    /// a whole, or over the separator.
    pub fn over(&mut self, cfg: &Cfg, dot: Dot, symbol: Symbol, behind: &mut Vec<Dot>) {
        let Some((place, many)) = self.among_many(dot) else {
            return;
        };
        let items = &cfg.interleaves[place.interleave as usize].items;
        let interleave = place.interleave;
        if let At::Item { .. } = place.at {
            if symbol == items.separator {
                let progress = place.progress.clone();
                behind.push(self.place(interleave, progress, At::Separator { hidden: false }));
            }
            return;
        }
        let after =
            |&(item, way): &(u32, u32)| items.after(&place.progress, item as usize, way as usize);
        let after: Vec<Progress> = many.of(symbol).iter().filter_map(after).collect();
        for progress in after {
            behind.push(self.place(interleave, progress, At::Item { hidden: false }));
        }
    }

    /// Adds the symbols that are read as a whole at a place whose steps are looked up.
    pub fn symbols_over(&self, cfg: &Cfg, dot: Dot, symbols: &mut Vec<Symbol>) {
        let Some((place, _)) = self.among_many(dot) else {
            return;
        };
        let items = &cfg.interleaves[place.interleave as usize].items;
        if let At::Item { .. } = place.at {
            return symbols.push(items.separator);
        }
        let left = items.items.iter().enumerate();
        let left = left.filter(|(item, _)| items.may_follow(&place.progress, *item));
        symbols.extend(left.flat_map(|(_, item)| item.ways.iter().map(|way| way.text)));
    }

    /// Adds where a symbol leads within the items that may begin at a place.
    pub fn within_item(&self, cfg: &Cfg, dot: Dot, symbol: Symbol, behind: &mut Vec<Dot>) {
        if let Some((place, many)) = self.before_many(dot) {
            let items = &cfg.interleaves[place.interleave as usize].items;
            behind.extend(many.within(items, &place.progress, symbol));
        }
    }

    /// Adds the symbols that items begin with that may follow.
    pub fn items_begin_with(&self, cfg: &Cfg, dot: Dot, symbols: &mut Vec<Symbol>) {
        if let Some((place, many)) = self.before_many(dot) {
            let items = &cfg.interleaves[place.interleave as usize].items;
            symbols.extend(many.begin_with(items, &place.progress));
        }
    }

    fn before_many(&self, dot: Dot) -> Option<(&Between, &ManyItems)> {
        let found = self.among_many(dot);
        found.filter(|(place, _)| !matches!(place.at, At::Item { .. }))
    }

    fn among_many(&self, dot: Dot) -> Option<(&Between, &ManyItems)> {
        if !SHORTCUTS {
            return None;
        }
        let place = &self.places[dot.checked_sub(self.base)? as usize];
        let many = self.many[place.interleave as usize].as_ref()?;
        Some((place, many))
    }

    /// The places where texts of a nonterminal begin.
    pub fn beginnings(&self, cfg: &Cfg, nonterminal: NonterminalId) -> Vec<Dot> {
        match self.interleaves.get(&nonterminal) {
            Some(interleave) => vec![self.base + interleave],
            None => cfg.beginnings(nonterminal),
        }
    }

    /// Adds what is read at a place, but for what is [looked up](Self::look_up).
    pub fn moves(&mut self, cfg: &Cfg, dot: Dot, moves: &mut Moves) {
        let Some(place) = self.between(dot) else {
            cfg.moves(dot, moves);
            return;
        };
        let Between {
            interleave,
            progress,
            at,
        } = place;
        let Interleaved {
            nonterminal, items, ..
        } = &cfg.interleaves[interleave as usize];
        let is_looked_up = SHORTCUTS && self.many[interleave as usize].is_some();
        if matches!(at, At::Item { .. }) && !is_looked_up {
            let behind = At::Separator { hidden: false };
            let next = self.place(interleave, progress.clone(), behind);
            moves.push((items.separator, next));
        }
        let may_end = match at {
            At::Start => items.may_end(&progress),
            At::Item { .. } => self.is_outline || items.may_end(&progress),
            At::Separator { .. } => false,
        };
        if may_end {
            moves.push((Symbol::End(*nonterminal), dot));
        }
        if matches!(at, At::Item { .. }) || is_looked_up {
            return;
        }
        for (item, known) in items.items.iter().enumerate() {
            for (number, way) in known.ways.iter().enumerate() {
                let next = match self.is_outline {
                    true => Some(progress.clone()),
                    false => items.after(&progress, item, number),
                };
                let Some(next) = next else { continue };
                let next = self.place(interleave, next, At::Item { hidden: false });
                moves.push((way.text, next));
            }
        }
    }

    /// Whether what is read at a place may be empty.
    pub fn passes(&self, cfg: &Cfg, nullable: &[bool], dot: Dot) -> bool {
        match dot.checked_sub(self.base) {
            Some(at) => self.passes[self.places[at as usize].interleave as usize],
            None => {
                let mut moves = Moves::new();
                cfg.moves(dot, &mut moves);
                let mut symbols = moves.iter().map(|(symbol, _)| symbol);
                symbols
                    .any(|symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable[*n as usize]))
            }
        }
    }

    /// Adds what may be read as a whole at a place, inside a gap of any length.
    pub fn moves_in_gap(&mut self, cfg: &Cfg, dot: Dot, moves: &mut Moves) {
        let Some(place) = self
            .between(dot)
            .filter(|it| self.hides[it.interleave as usize])
        else {
            return self.moves(cfg, dot, moves);
        };
        let Interleaved { hidden, items, .. } = &cfg.interleaves[place.interleave as usize];
        match place.at {
            At::Item { hidden } => {
                let behind = At::Separator { hidden };
                let next = self.place(place.interleave, place.progress, behind);
                moves.push((items.separator, next));
            }
            // Further items there are part of those that are hidden already.
            At::Separator { hidden: true } => {}
            At::Start | At::Separator { hidden: false } => {
                if let Some(next) = items.after_hidden(&place.progress) {
                    let behind = At::Item { hidden: true };
                    let next = self.place(place.interleave, next, behind);
                    moves.push((Symbol::Nonterminal(*hidden), next));
                }
            }
        }
    }

    /// Whether a place is one of an interleave.
    pub fn is_between(&self, dot: Dot) -> bool {
        dot >= self.base
    }

    /// The same place, what was seen forgotten; `other` are the outline's places.
    pub fn outlined(&self, cfg: &Cfg, dot: Dot, other: &mut Self) -> Dot {
        match self.between(dot) {
            None => dot,
            Some(place) => {
                let at = match place.at {
                    At::Start => At::Start,
                    At::Item { .. } => At::Item { hidden: false },
                    At::Separator { .. } => At::Separator { hidden: false },
                };
                let start = cfg.interleaves[place.interleave as usize].items.start();
                other.place(place.interleave, start, at)
            }
        }
    }

    /// What is still required at a place in an interleave.
    pub fn owed(&self, cfg: &Cfg, dot: Dot) -> Vec<Symbol> {
        let Some(place) = self.between(dot) else {
            return Vec::new();
        };
        let items = &cfg.interleaves[place.interleave as usize].items;
        let mut owed = Vec::new();
        for item in items.required_left(&place.progress) {
            let first = items.items[item].ways.first();
            owed.extend(first.map(|way| way.text));
            owed.push(items.separator);
        }
        if let At::Separator { .. } | At::Start = place.at {
            owed.pop();
        }
        owed
    }

    /// The symbols that stand for what is hidden behind a place, where the interleave
    /// ends at another one; `None` where these do not belong together.
    pub fn revealed(&self, cfg: &Cfg, before: Dot, end: Dot) -> Option<Vec<Symbol>> {
        let (before, end) = (self.between(before)?, self.between(end)?);
        let items = &cfg.interleaves[end.interleave as usize].items;
        let all = items.hidden_items(&end.progress)?;
        // One item for each place but the first, which gets all the rest.
        let further = (end.progress.hidden() as usize).saturating_sub(1);
        let (first, further) = all.split_at(all.len().saturating_sub(further));
        let again = items.repeating();
        let chosen = match before.progress.hidden() as usize {
            0 => first,
            nth if before.progress.hidden() < end.progress.hidden() => further.get(nth - 1..nth)?,
            _ => again.as_slice(),
        };
        let mut symbols = Vec::new();
        for &(item, way) in chosen {
            symbols.push(items.items[item].ways[way].text);
            symbols.push(items.separator);
        }
        symbols.pop();
        Some(symbols)
    }

    /// Number of items seen before a place.
    pub fn seen(&self, dot: Dot) -> u32 {
        let at = dot.checked_sub(self.base).map(|at| at as usize);
        at.map_or(0, |at| self.places[at].progress.seen())
    }

    /// A number for where in which interleave a place is, whatever was seen; not 0.
    pub fn within(&self, dot: Dot) -> Option<u32> {
        let at = dot.checked_sub(self.base)?;
        let place = &self.places[at as usize];
        let at = match place.at {
            At::Start => 1,
            At::Item { hidden } => 2 + u32::from(hidden),
            At::Separator { hidden } => 4 + u32::from(hidden),
        };
        Some(8 * place.interleave + at)
    }

    /// Whether all that can follow one place can follow another.
    pub fn serves(&self, cfg: &Cfg, better: Dot, dot: Dot) -> bool {
        let (Some(better), Some(dot)) = (better.checked_sub(self.base), dot.checked_sub(self.base))
        else {
            return false;
        };
        let (better, dot) = (&self.places[better as usize], &self.places[dot as usize]);
        (better.interleave, better.at) == (dot.interleave, dot.at)
            && cfg.interleaves[dot.interleave as usize]
                .items
                .serves(&better.progress, &dot.progress)
    }

    /// The interleave that a place is in.
    pub fn interleave(&self, dot: Dot) -> Option<u32> {
        Some(self.between(dot)?.interleave)
    }

    fn between(&self, dot: Dot) -> Option<Between> {
        let at = dot.checked_sub(self.base)?;
        Some(self.places[at as usize].clone())
    }

    fn place(&mut self, interleave: u32, progress: Progress, at: At) -> Dot {
        let fresh = self.base + self.places.len() as Dot;
        let place = Between {
            interleave,
            progress,
            at,
        };
        let (places, words) = (&mut self.places, &mut self.words);
        *self.ids.entry(place).or_insert_with_key(|place| {
            *words += place.progress.words();
            places.push(place.clone());
            fresh
        })
    }
}
