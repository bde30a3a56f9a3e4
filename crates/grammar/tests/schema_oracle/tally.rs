//! What was counted.

use std::collections::BTreeMap;
use std::fmt;

use crate::drafts::Draft;
use crate::keywords::CONSTRAINTS;
use crate::spelling::Kind;

/// Of one draft.
#[derive(Default)]
pub struct Tally {
    pub schemas: u64,
    /// Those of which only whole texts are judged.
    pub wide: u64,
    /// Parts of which it was said that nothing is valid under them.
    pub absent: u64,
    pub refusals: BTreeMap<&'static str, u64>,
    /// Instances.
    pub valid: u64,
    pub invalid: u64,
    /// Those that the outside validator does not see as they are.
    pub left_out: u64,
    pub untold: u64,
    /// Schemas that have a keyword, of those that are not refused.
    said: BTreeMap<&'static str, u64>,
}

impl Tally {
    fn refused(&self) -> u64 {
        self.refusals.values().sum()
    }

    /// Counts a schema that says this.
    pub fn heard(&mut self, schemas: &str, draft: Draft) {
        for (keyword, first, last) in CONSTRAINTS {
            if (first..=last).contains(&draft) {
                let is_said = schemas.contains(&format!("\"{keyword}\":"));
                *self.said.entry(keyword).or_default() += u64::from(is_said);
            }
        }
    }

    /// Both verdicts are common, refusals are not, and every keyword was said.
    pub fn check(&self, draft: Draft) {
        const ENOUGH: u64 = 5;
        let draft = draft.name();
        for (keyword, count) in &self.said {
            assert!(*count >= ENOUGH, "draft {draft}: {keyword} {count} times");
        }
        let judged = self.valid + self.invalid;
        assert!(self.untold * 100 < judged, "draft {draft}: not told");
        assert!(
            self.valid * 10 > judged * 3 && self.invalid * 10 > judged * 3,
            "draft {draft}: one verdict is rare"
        );
        assert!(self.refused() < self.schemas / 2, "draft {draft}: refused");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.refused() as f64 / self.schemas as f64;
        write!(
            f,
            "{} schemas, {} for whole texts only, {} parts absent, {share:.1} % refused ({:?}); instances: {} valid, {} invalid, {} not told, {} left out",
            self.schemas,
            self.wide,
            self.absent,
            self.refusals,
            self.valid,
            self.invalid,
            self.untold,
            self.left_out
        )
    }
}

/// Spellings of valid instances.
#[derive(Default)]
pub struct Left(BTreeMap<(Kind, bool), Spelled>);

/// Of one kind: how many there were; of these, how many may be left out by what the
/// documentation says, and how many are.
#[derive(Default)]
struct Spelled {
    all: u64,
    may: u64,
    are: u64,
}

impl Left {
    /// Counts one; `is_four`: of a schema of draft 4.
    pub fn count(&mut self, kind: Kind, is_four: bool, may_be: bool, is: bool) {
        let spelled = self.0.entry((kind, is_four)).or_default();
        spelled.all += 1;
        spelled.may += u64::from(may_be);
        spelled.are += u64::from(is);
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "spellings of valid instances:")?;
        for ((kind, is_four), Spelled { all, may, are }) in &self.0 {
            let draft = if *is_four { "draft 4" } else { "later" };
            write!(
                f,
                "\n    {kind}, {draft}: {all}, of which {may} may be left out and {are} are"
            )?;
        }
        Ok(())
    }
}
