//! Filling the gaps so that a text is cut into given lexemes: breadth-first over
//! configurations, held to the sequence of lexemes.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use lacuna_checker::{Filling, Witness};
use rustc_hash::FxHashMap;

use super::Place;
use super::reader::{ConfigurationId, Reader};
use crate::{Stopped, TerminalId, Ticker};

/// A place on the way to a witness: in the pattern, in the text's reading, and in
/// the sequence of lexemes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    at: usize,
    configuration: ConfigurationId,
    lexemes: usize,
}

/// Bytes of a step, with where it came from, and in a queue.
const STEP: usize = 4 * size_of::<Step>();

impl Step {
    fn to(self, at: usize, configuration: ConfigurationId) -> Self {
        Self {
            at,
            configuration,
            ..self
        }
    }
}

pub(super) fn witness(
    reader: &mut Reader,
    places: &[Place],
    terminals: &[TerminalId],
    ticker: &mut Ticker<'_>,
) -> Result<Option<Witness>, Stopped> {
    let start = Step {
        at: 0,
        configuration: 0,
        lexemes: 0,
    };
    let mut from: FxHashMap<Step, Option<(Step, Option<u8>)>> = FxHashMap::default();
    from.insert(start, None);
    let mut queues = [VecDeque::from([start]), VecDeque::new()];
    let mut found = None;
    // Texts grow byte by byte: first all that costs no byte.
    while found.is_none() {
        let [now, later] = &mut queues;
        let Some(step) = now.pop_front() else {
            if later.is_empty() {
                break;
            }
            queues.swap(0, 1);
            continue;
        };
        let mut targets = Vec::new();
        match places.get(step.at) {
            None if step.lexemes == terminals.len() && reader.may_end(step.configuration) => {
                found = Some(step);
            }
            None => {}
            Some(&Place::Byte(byte)) => {
                for next in reader.after(step.configuration, byte) {
                    targets.push((step.to(step.at + 1, next), None));
                }
            }
            Some(Place::Gap(_)) => {
                targets.push((step.to(step.at + 1, step.configuration), None));
                for &(byte, next) in reader.moves(step.configuration, ticker)?.iter() {
                    targets.push((step.to(step.at, next), Some(byte)));
                }
            }
        }
        let wanted = terminals.get(step.lexemes).copied();
        targets.retain(|(to, _)| reader.can_become(to.configuration, wanted));
        if let Some((terminal, next)) = reader.ended(step.configuration) {
            let ignored = reader.label(terminal).is_none();
            if ignored || wanted == Some(terminal) {
                let lexemes = step.lexemes + usize::from(!ignored);
                let ended = step.to(step.at, next);
                targets.push((Step { lexemes, ..ended }, None));
            }
        }
        ticker.hold(reader.grown())?;
        for (to, byte) in targets {
            ticker.tick()?;
            if let Entry::Vacant(entry) = from.entry(to) {
                ticker.hold(STEP)?;
                entry.insert(Some((step, byte)));
                queues[usize::from(byte.is_some())].push_back(to);
            }
        }
    }
    let gaps = places.iter().filter(|place| matches!(place, Place::Gap(_)));
    let mut fillings = vec![Vec::new(); gaps.count()];
    let Some(mut step) = found else {
        return Ok(None);
    };
    while let Some(&Some((before, byte))) = from.get(&step) {
        if let (Some(byte), Some(&Place::Gap(gap))) = (byte, places.get(before.at)) {
            fillings[gap].push(byte);
        }
        step = before;
    }
    let gaps = fillings.into_iter().map(|mut filling| {
        filling.reverse();
        Filling::Bytes(filling)
    });
    Ok(Some(Witness {
        gaps: gaps.collect(),
    }))
}
