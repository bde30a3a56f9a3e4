//! Tables that the first checker makes and others begin with.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use lacuna_lexer::{Lexer, Vocabulary};

use crate::cfg::Cfg;
use crate::cover::{Cover, MAX_STATES};
use crate::exact::Sketch;
use crate::gap_reach::GapReaches;
use crate::guide::Guide;
use crate::sets::StateSets;

/// The tables of one grammar, for each of its checkers.
pub(crate) type SharedTables = Arc<Tables>;

/// Tables that checkers of one grammar share.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// With the outlines of all states, or of too many.
    sets: OnceLock<(StateSets, bool)>,
    cover: OnceLock<Option<Cover>>,
    /// By vocabulary.
    guides: Mutex<Vec<(Weak<Vocabulary>, Option<Guide>)>>,
    sketch: OnceLock<Sketch>,
    reaches: OnceLock<GapReaches>,
}

impl Tables {
    /// No set but the first ones, the outlines of all states made if they are not too many.
    pub(crate) fn sets(&self, cfg: &Cfg) -> StateSets {
        self.made_sets(cfg).0.clone()
    }

    fn made_sets(&self, cfg: &Cfg) -> &(StateSets, bool) {
        self.sets.get_or_init(|| {
            let mut sets = StateSets::new(cfg);
            let is_whole = sets.states().outlines().all(cfg, MAX_STATES).is_some();
            sets.take_work();
            (sets, is_whole)
        })
    }

    /// The cover with nothing asked; `None` if there is none.
    pub(crate) fn cover(&self, cfg: &Cfg, sets: &mut StateSets) -> Option<Cover> {
        let made = self.cover.get_or_init(|| Cover::new(cfg, sets.states()));
        made.clone()
    }

    /// The guide with nothing asked; `None` if there is none.
    pub(crate) fn guide(
        &self,
        cfg: &Cfg,
        sets: &mut StateSets,
        vocabulary: &Arc<Vocabulary>,
    ) -> Option<Guide> {
        // Where some states are made later, their numbers are each checker's own.
        if !self.made_sets(cfg).1 {
            return Guide::new(cfg, sets, vocabulary);
        }
        // What a thread that panicked left here is whole.
        let mut known = self.guides.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its = |of: &Weak<Vocabulary>| of.as_ptr() == Arc::as_ptr(vocabulary);
        if let Some((_, guide)) = known.iter().find(|(of, _)| is_its(of)) {
            return guide.clone();
        }
        known.retain(|(of, _)| of.strong_count() > 0);
        let fresh = Guide::new(cfg, sets, vocabulary);
        known.push((Arc::downgrade(vocabulary), fresh.clone()));
        fresh
    }

    /// What lexemes that begin in a gap of any length can do, for whom nothing is known.
    pub(crate) fn begin_gaps(&self, cfg: &Cfg, reaches: &mut GapReaches) {
        let made = self.reaches.get_or_init(|| GapReaches::of_boundaries(cfg));
        reaches.begin_with(made);
    }

    /// Bytes of memory that what was made takes, closely.
    pub(crate) fn heap_bytes(&self) -> usize {
        let sets = self.sets.get().map_or(0, |(sets, _)| sets.heap_bytes());
        let cover = self.cover.get().and_then(Option::as_ref);
        let known = self.guides.lock().unwrap_or_else(PoisonError::into_inner);
        let guides = known.iter().filter_map(|(_, guide)| guide.as_ref());
        let guides: usize = guides.map(Guide::heap_bytes).sum();
        let reaches = self.reaches.get().map_or(0, GapReaches::heap_bytes);
        sets + cover.map_or(0, Cover::heap_bytes) + guides + reaches
    }

    /// Short lexemes with nothing asked.
    pub(crate) fn sketch(&self, lexer: &Lexer, reaches: &mut GapReaches) -> Sketch {
        let made = self.sketch.get_or_init(|| Sketch::new(lexer, reaches));
        made.clone()
    }
}
