//! Tables that each checker makes for itself.

use std::sync::Arc;

use lacuna_lexer::Vocabulary;

use crate::cfg::Cfg;
use crate::cover::Cover;
use crate::guide::Guide;
use crate::sets::StateSets;

/// Nothing that is shared.
pub(crate) type SharedTables = Tables;

/// Tables that each checker makes for itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables;

impl Tables {
    pub(crate) fn sets(&self, cfg: &Cfg) -> StateSets {
        StateSets::new(cfg)
    }

    pub(crate) fn cover(&self, cfg: &Cfg, sets: &mut StateSets) -> Option<Cover> {
        Cover::new(cfg, sets.states())
    }

    pub(crate) fn guide(
        &self,
        cfg: &Cfg,
        sets: &mut StateSets,
        vocabulary: &Arc<Vocabulary>,
    ) -> Option<Guide> {
        Guide::new(cfg, sets, vocabulary)
    }
}
