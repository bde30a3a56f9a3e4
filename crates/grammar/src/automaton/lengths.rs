//! Languages by the numbers of characters of their texts.

use super::{AutomatonError, Dfa, Language, Limits, StateId};

impl Language {
    /// Fewest characters of a text, and most, if there is a most; `None` where there is
    /// no text, or where the automaton does not tell characters.
    pub(crate) fn lengths(&self) -> Option<(u32, Option<u32>)> {
        let dfa = self.over_characters().filter(|dfa| !dfa.is_empty())?;
        let mut fewest = 0;
        let mut here = vec![dfa.start()];
        while !here.iter().any(|&state| dfa.is_accepting(state)) {
            here = self.behind(&here);
            fewest += 1;
        }
        Some((fewest, self.most(dfa)))
    }

    /// Whether some text has so many characters.
    pub(crate) fn has_length(&self, min: u32, max: Option<u32>) -> Option<bool> {
        let (fewest, most) = self.lengths()?;
        let is_over =
            |count| max.is_some_and(|max| count > max) || most.is_some_and(|it| count > it);
        if is_over(fewest.max(min)) {
            return Some(false);
        }
        if fewest >= min || most.is_none() && max.is_none() {
            return Some(true);
        }
        let dfa = self.over_characters()?;
        let mut here = vec![dfa.start()];
        let mut count = 0;
        while !is_over(count) {
            if count >= min && here.iter().any(|&state| dfa.is_accepting(state)) {
                return Some(true);
            }
            here = self.behind(&here);
            count += 1;
        }
        Some(false)
    }

    /// The states behind so many characters.
    pub(crate) fn after(&self, from: StateId, count: u32) -> Vec<StateId> {
        (0..count).fold(vec![from], |here, _| self.behind(&here))
    }

    /// Where texts begin, and how many states there are, where these are about characters.
    pub(crate) fn states(&self) -> Option<(StateId, usize)> {
        let dfa = self.over_characters()?;
        Some((dfa.start(), dfa.state_count()))
    }

    /// What leads from a state to another, or to the end of a text, in so many characters.
    pub(crate) fn part(
        &self,
        from: StateId,
        to: Option<StateId>,
        (min, max): (u32, Option<u32>),
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let Some((dfa, alphabet)) = self.over_characters().zip(self.alphabet.as_ref()) else {
            return Ok(Self::nothing());
        };
        let symbols: Vec<u8> = (0..alphabet.count() as u16).map(|it| it as u8).collect();
        let counted_to = max.unwrap_or(min);
        let automaton = Dfa::explore(
            (from, 0),
            &symbols,
            |&(state, count), symbol| {
                let next = dfa.next(state, symbol)?;
                let is_full = max.is_some_and(|max| count >= max);
                (!is_full).then_some((next, (count + 1).min(counted_to)))
            },
            |&(state, count)| {
                let ends = to.map_or(dfa.is_accepting(state), |to| to == state);
                ends && count >= min
            },
            limits,
        )?;
        Ok(Self {
            alphabet: Some(alphabet.clone()),
            automaton,
        })
    }

    fn over_characters(&self) -> Option<&Dfa> {
        self.alphabet.as_ref().map(|_| &self.automaton)
    }

    /// The states one character on.
    fn behind(&self, here: &[StateId]) -> Vec<StateId> {
        let count = self.alphabet.as_ref().map_or(0, |it| it.count());
        let leads = here.iter().flat_map(|&state| {
            let next = move |symbol| self.automaton.next(state, symbol as u8);
            (0..count).filter_map(next)
        });
        let mut next: Vec<StateId> = leads.collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// The length of the longest path; all states lead to acceptance, so `None` where
    /// there is a loop.
    fn most(&self, dfa: &Dfa) -> Option<u32> {
        let count = dfa.state_count();
        let targets: Vec<Vec<StateId>> = (0..count as StateId)
            .map(|state| self.behind(&[state]))
            .collect();
        let mut incoming = vec![0u32; count];
        for &target in targets.iter().flatten() {
            incoming[target as usize] += 1;
        }
        let mut longest = vec![0u32; count];
        let mut done = 0;
        let mut ready: Vec<StateId> = (0..count as StateId)
            .filter(|&state| incoming[state as usize] == 0)
            .collect();
        while let Some(state) = ready.pop() {
            done += 1;
            for &target in &targets[state as usize] {
                let length = longest[state as usize] + 1;
                longest[target as usize] = longest[target as usize].max(length);
                incoming[target as usize] -= 1;
                if incoming[target as usize] == 0 {
                    ready.push(target);
                }
            }
        }
        (done == count).then(|| longest.into_iter().max().unwrap_or(0))
    }
}
