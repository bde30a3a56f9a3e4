//! What is kept of a parser's work from check to check.

use crate::cfg::Cfg;
use crate::columns::Columns;
use crate::cover::Cover;
use crate::guide::Guide;
use crate::memo_use::MemoUses;
use crate::sets::StateSets;
use crate::tables::Tables;
use crate::useful::{Parser, Readings};

/// Words of readings that are kept from chart to chart, sixteen megabytes.
const MAX_READINGS: usize = 2 << 20;

/// What is kept of the parser's work; all numbers in it refer to the same sets.
#[derive(Clone, Debug)]
pub(super) struct Memos {
    pub(super) sets: StateSets,
    pub(super) columns: Columns,
    readings: Readings,
    /// Made when they are first asked for; `None` inside if the parser is too large.
    pub(super) guide: Option<Option<Guide>>,
    pub(super) cover: Option<Option<Cover>>,
}

impl Memos {
    pub(super) fn new(cfg: &Cfg, tables: &Tables) -> Self {
        let mut sets = tables.sets(cfg);
        Self {
            columns: Columns::new(cfg, &mut sets),
            sets,
            readings: Readings::default(),
            guide: None,
            cover: None,
        }
    }

    /// What a chart of bits needs, if there is a cover.
    pub(super) fn of_chart<'a>(&'a mut self, cfg: &'a Cfg) -> Option<(Parser<'a>, &'a Cover)> {
        if self.readings.size() > MAX_READINGS {
            self.readings = Readings::default();
        }
        let cover = self.cover.as_ref()?.as_ref()?;
        let parser = Parser {
            cfg,
            sets: &mut self.sets,
            readings: &mut self.readings,
        };
        Some((parser, cover))
    }

    pub(super) fn uses(&self) -> MemoUses {
        let cover = self.cover.iter().flatten().next();
        MemoUses {
            sets: self.sets.memo_use(),
            columns: self.columns.memo_use(),
            cover: cover.map(Cover::memo_use).unwrap_or_default(),
            ..MemoUses::default()
        }
    }

    pub(super) fn size(&self) -> usize {
        let guide = self.guide.iter().flatten().map(Guide::size).sum::<usize>();
        let cover = self.cover.iter().flatten().map(Cover::size).sum::<usize>();
        self.sets.size() + self.columns.size() + guide + cover
    }
}
