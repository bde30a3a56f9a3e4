//! Regular languages of characters rather than bytes.
//!
//! What is said of a JSON string (patterns, lengths, lists) is said of its characters.
//! Over bytes a state for each count has a handful more for the bytes of a character;
//! products and minimisation pay for all of them. Here the characters that nobody tells
//! apart are one symbol ([`Alphabet`]), a byte, so the same automata do the work on a
//! fraction of the states, and characters are spelled once, at the end
//! ([`super::spell`]).
//!
//! Languages that tell more than 256 kinds of characters apart stay automata over
//! UTF-8.

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, sets_of};
use super::decode::{Decoder, Range, push_merging};
use super::spell::{Piece, Speller, Spelling, Utf8};
use super::{AutomatonError, Dfa, Limits, NfaBuilder, StateId};
use crate::Expr;

/// A regular language of texts.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    /// What the automaton's bytes stand for: symbols, or bytes of UTF-8.
    pub(super) alphabet: Option<Alphabet>,
    pub(super) automaton: Dfa,
}

impl Language {
    /// No text.
    pub(crate) fn nothing() -> Self {
        Self::of_utf8(Dfa::nothing())
    }

    /// The language of an automaton over UTF-8.
    pub(crate) fn of_utf8(automaton: Dfa) -> Self {
        Self {
            alphabet: None,
            automaton,
        }
        .over_symbols()
    }

    /// The texts of an expression that mentions no rule.
    pub(crate) fn of_expr(expr: &Expr, limits: &Limits) -> Result<Self, AutomatonError> {
        let sets = sets_of(expr);
        let alphabet =
            sets.and_then(|sets| Alphabet::of_sets(sets.iter().map(Vec::as_slice).collect()));
        let Some(alphabet) = alphabet else {
            return Ok(Self::of_utf8(Dfa::from_expr(expr, limits)?));
        };
        let mut builder = NfaBuilder::new(limits);
        let (start, accept) = (builder.state()?, builder.state()?);
        builder.symbols(expr, start, accept, &mut |builder, set, from, to| {
            for (low, high) in alphabet.symbols_of(set) {
                builder.byte_edge(from, low, high, to);
            }
        })?;
        let last = (alphabet.count() - 1) as u8;
        let automaton = builder.finish(start, accept);
        Ok(Self {
            automaton: automaton.determinize_over(last, limits)?.minimize(),
            alphabet: Some(alphabet),
        })
    }

    /// Some texts.
    pub(crate) fn of_texts<'t>(
        texts: impl IntoIterator<Item = &'t str> + Clone,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let bytes = texts.clone().into_iter().map(str::as_bytes);
        let bytes: Vec<&[u8]> = bytes.collect();
        let characters = texts.into_iter().flat_map(str::chars);
        let sets: Vec<[(u32, u32); 1]> = characters.map(|c| [(c as u32, c as u32)]).collect();
        let Some(alphabet) = Alphabet::of_sets(sets.iter().map(<[_; 1]>::as_slice).collect())
        else {
            return Ok(Self {
                alphabet: None,
                automaton: Dfa::of_texts(bytes.iter().copied(), limits)?,
            });
        };
        let symbols = bytes.iter().map(|text| {
            let text = std::str::from_utf8(text).unwrap_or_default();
            text.chars()
                .map(|c| alphabet.symbol(c))
                .collect::<Vec<u8>>()
        });
        let symbols: Vec<Vec<u8>> = symbols.collect();
        Ok(Self {
            automaton: Dfa::of_texts(symbols.iter().map(Vec::as_slice), limits)?,
            alphabet: Some(alphabet),
        })
    }

    /// The texts that belong to both.
    pub(crate) fn intersect(&self, other: &Self, limits: &Limits) -> Result<Self, AutomatonError> {
        self.with(other, |left, right| left.intersect(right, limits))
    }

    /// The texts that belong to this one only.
    pub(crate) fn minus(&self, other: &Self, limits: &Limits) -> Result<Self, AutomatonError> {
        self.with(other, |left, right| left.minus(right, limits))
    }

    /// The texts of any of some languages.
    pub(crate) fn union_of<'l>(
        languages: impl IntoIterator<Item = &'l Self>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let mut languages = languages.into_iter();
        let Some(first) = languages.next() else {
            return Ok(Self::nothing());
        };
        let mut all = first.clone();
        for other in languages {
            all = all.with(other, |left, right| Dfa::union_of([left, right], limits))?;
        }
        Ok(all)
    }

    /// Whether a text belongs to the language.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let Some(alphabet) = &self.alphabet else {
            return self.automaton.accepts(text.as_bytes());
        };
        let step = |state, character| self.automaton.next(state, alphabet.symbol(character));
        let end = text.chars().try_fold(self.automaton.start(), step);
        end.is_some_and(|state| self.automaton.is_accepting(state))
    }

    /// Whether no text belongs to the language.
    pub(crate) fn is_empty(&self) -> bool {
        self.automaton.is_empty()
    }

    /// The size of the automaton.
    pub(crate) fn state_count(&self) -> usize {
        self.automaton.state_count()
    }

    /// All texts in order, if there are at most so many.
    pub(crate) fn few_texts(&self, most: usize) -> Option<Vec<String>> {
        // Longer ones go round in circles: every state leads to an end.
        let longest = self.state_count();
        let mut steps = 20 * most;
        let mut texts = Vec::new();
        let mut open = vec![(self.automaton.start(), 0, Vec::new())];
        while let Some((state, length, text)) = open.pop() {
            if self.automaton.is_accepting(state) {
                texts.push(String::from_utf8(text.clone()).ok()?);
            }
            let ranges = match &self.alphabet {
                Some(alphabet) => self.characters_from(state, alphabet),
                None => self
                    .automaton
                    .byte_ranges(state)
                    .into_iter()
                    .map(wide)
                    .collect(),
            };
            for (low, high, next) in ranges {
                let count = (high - low) as usize + 1;
                steps = steps.checked_sub(count)?;
                for code in low..=high {
                    let mut text = text.clone();
                    match self.alphabet {
                        None => text.push(code as u8),
                        Some(_) => {
                            let Some(code) = char::from_u32(code) else {
                                continue;
                            };
                            text.extend_from_slice(code.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                    }
                    open.push((next, length + 1, text));
                }
            }
            if texts.len() > most || length > longest {
                return None;
            }
        }
        texts.sort_unstable();
        Some(texts)
    }

    /// The automaton over UTF-8.
    pub(crate) fn utf8(&self, limits: &Limits) -> Result<Dfa, AutomatonError> {
        match &self.alphabet {
            None => Ok(self.automaton.clone()),
            Some(_) => self.spelled(&Utf8, limits),
        }
    }

    /// The automaton of all spellings of the texts.
    pub(crate) fn spelled(
        &self,
        spelling: &dyn Spelling,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        let count = self.state_count();
        let mut speller = Speller::new(spelling, count, self.automaton.start());
        let mut decoder = Decoder::new(&self.automaton);
        let mut known = Trees::default();
        for state in 0..count as StateId {
            speller.accept(state, self.automaton.is_accepting(state));
            let tree = match &self.alphabet {
                None => {
                    let (pieces, targets) = placed(decoder.characters_from(state));
                    known.targets = targets;
                    speller.tree(&pieces)
                }
                Some(alphabet) => self.tree(state, alphabet, &mut speller, &mut known),
            };
            speller.connect(state, tree, &known.targets);
            speller.check(limits)?;
        }
        let spelled = speller.finish();
        Ok(match self.alphabet {
            Some(_) => spelled,
            // States inside of characters are left over.
            None => spelled.trimmed(),
        })
    }

    /// For each state, the fewest states that it takes where it is spelled.
    pub(crate) fn spelled_sizes(&self, spelling: &dyn Spelling) -> Vec<usize> {
        let Some(alphabet) = &self.alphabet else {
            return Vec::new();
        };
        let mut speller = Speller::new(spelling, 0, 0);
        let mut known = Trees::default();
        let mut sizes: Vec<Option<usize>> = Vec::new();
        let states = 0..self.state_count() as StateId;
        let sizes = states.map(|state| {
            let tree = self.tree(state, alphabet, &mut speller, &mut known);
            let at = tree as usize;
            sizes.resize(sizes.len().max(at + 1), None);
            *sizes[at].get_or_insert_with(|| speller.own_states(tree))
        });
        sizes.collect()
    }

    /// The tree of what a state reads; where that leads is left in `known`.
    fn tree(
        &self,
        state: StateId,
        alphabet: &Alphabet,
        speller: &mut Speller<'_>,
        known: &mut Trees,
    ) -> u32 {
        known.look(&self.automaton, state, alphabet);
        if let Some(&tree) = known.trees.get(known.kinds.as_slice()) {
            return tree;
        }
        let ranges = self.characters_from(state, alphabet);
        let tree = speller.tree(&placed(ranges).0);
        known.trees.insert(known.kinds.as_slice().into(), tree);
        tree
    }

    /// The characters that may come next, and where they lead.
    fn characters_from(&self, state: StateId, alphabet: &Alphabet) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for &(low, high, symbol) in alphabet.runs() {
            if let Some(next) = self.automaton.next(state, symbol) {
                push_merging(&mut ranges, (low, high, next));
            }
        }
        ranges
    }

    fn with(
        &self,
        other: &Self,
        operation: impl Fn(&Dfa, &Dfa) -> Result<Dfa, AutomatonError>,
    ) -> Result<Self, AutomatonError> {
        let joint = match (&self.alphabet, &other.alphabet) {
            (Some(left), Some(right)) => left.joint(right),
            _ => None,
        };
        let Some((alphabet, left, right)) = joint else {
            let limits = Limits::default();
            let (left, right) = (self.utf8(&limits)?, other.utf8(&limits)?);
            return Ok(Self {
                alphabet: None,
                automaton: operation(&left, &right)?,
            });
        };
        let left = self.automaton.renamed(&left);
        let right = other.automaton.renamed(&right);
        Ok(Self {
            automaton: operation(&left, &right)?,
            alphabet: Some(alphabet),
        })
    }
}

fn wide((low, high, next): (u8, u8, StateId)) -> Range {
    (low.into(), high.into(), next)
}

/// Trees that are known: states from which the same symbols lead to as many places are
/// spelled alike.
#[derive(Default)]
struct Trees {
    trees: FxHashMap<Box<[u32]>, u32>,
    /// For each symbol of the state at hand, the place of its target.
    kinds: Vec<u32>,
    /// The targets, in the order of the characters that lead there first.
    targets: Vec<StateId>,
}

impl Trees {
    fn look(&mut self, automaton: &Dfa, state: StateId, alphabet: &Alphabet) {
        const NOWHERE: u32 = u32::MAX;
        let Self { kinds, targets, .. } = self;
        kinds.clear();
        targets.clear();
        let mut last = (StateId::MAX, NOWHERE);
        kinds.extend(alphabet.by_first_character().iter().map(|&symbol| {
            let Some(next) = automaton.next(state, symbol) else {
                return NOWHERE;
            };
            if next != last.0 {
                let place = targets.iter().position(|known| *known == next);
                let place = place.unwrap_or_else(|| {
                    targets.push(next);
                    targets.len() - 1
                });
                last = (next, place as u32);
            }
            last.1
        }));
    }
}

/// Characters with places, by the order in which they lead there, of where they lead.
fn placed(ranges: Vec<Range>) -> (Vec<Piece>, Vec<StateId>) {
    let mut targets: Vec<StateId> = Vec::new();
    let pieces = ranges.into_iter().map(|(low, high, to)| {
        let place = targets.iter().position(|known| *known == to);
        let place = place.unwrap_or_else(|| {
            targets.push(to);
            targets.len() - 1
        });
        (low, high, place as u32)
    });
    let pieces = pieces.collect();
    (pieces, targets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::parse_ecma_search;

    const PATTERNS: [&str; 11] = [
        "^[a-c]*$",
        "é|\\d",
        "^.{2,5}$",
        "[^\\w]$",
        "^(a|\"|\\\\)+$",
        "^(?!ab)[\\s\\S]*$",
        "\\u{1F600}|[\\uE000-\\u{10FFFF}]",
        "^[^\\u0000-\\u001f/]+$",
        "^(a*b?){1,9}c$",
        "a[ab]{0,3}([bc]{1,2}){2,4}$",
        "ab|ac|é",
    ];
    const TEXTS: [&str; 14] = [
        "",
        "a",
        "ab",
        "abc",
        "é",
        "7é",
        "\u{1F600}",
        "\"\\",
        "a b",
        "\n",
        "\u{E000}",
        "/x",
        "\u{7F}\u{80}",
        "\u{7FF}\u{800}\u{FFFF}\u{10000}",
    ];

    /// Automata over UTF-8 are made without this module.
    #[test]
    fn says_what_automata_over_bytes_say() {
        let limits = Limits::default();
        let made = |pattern: &str| {
            let expr = parse_ecma_search(pattern).unwrap();
            let language = Language::of_expr(&expr, &limits).unwrap();
            (language, Dfa::from_expr(&expr, &limits).unwrap())
        };
        for first in PATTERNS {
            let (one, one_over_bytes) = made(first);
            for second in PATTERNS {
                let (two, two_over_bytes) = made(second);
                let both = one.intersect(&two, &limits).unwrap();
                let only = one.minus(&two, &limits).unwrap();
                let any = Language::union_of([&one, &two], &limits).unwrap();
                for (language, belongs) in [
                    (both, (|one, two| one && two) as fn(bool, bool) -> bool),
                    (only, |one, two| one && !two),
                    (any, |one, two| one || two),
                ] {
                    let spelled = language.utf8(&limits).unwrap();
                    let again = Language::of_utf8(spelled.clone());
                    assert_eq!(language.is_empty(), spelled.is_empty());
                    for text in TEXTS {
                        let [one, two] = [&one_over_bytes, &two_over_bytes]
                            .map(|dfa| dfa.accepts(text.as_bytes()));
                        let expected = belongs(one, two);
                        let shown = format!("{first} {second} {text:?}");
                        assert_eq!(language.accepts(text), expected, "{shown}");
                        assert_eq!(spelled.accepts(text.as_bytes()), expected, "{shown}");
                        assert_eq!(again.accepts(text), expected, "{shown}");
                    }
                }
            }
        }
    }

    #[test]
    fn languages_of_many_characters_stay_over_bytes() {
        let limits = Limits::default();
        let many: Vec<String> = (0x4E00..0x4F00)
            .chain(0x61..0x64)
            .filter_map(char::from_u32)
            .map(String::from)
            .collect();
        let many = Language::of_texts(many.iter().map(String::as_str), &limits).unwrap();
        assert!(many.alphabet.is_none());
        let any = parse_ecma_search("^[a-b\\u4e00-\\u4e0f]$").unwrap();
        let any = Language::of_expr(&any, &limits).unwrap();
        let both = many.intersect(&any, &limits).unwrap();
        assert!(both.accepts("a") && both.accepts("\u{4e00}"));
        assert!(!both.accepts("c") && !both.accepts("\u{4e10}") && !both.is_empty());
        let only = any.minus(&many, &limits).unwrap();
        assert!(only.is_empty());
    }
}
