//! What a checker may spend.

use lacuna_grammar::automaton::Limits;

/// Budgets of a [`Checker`](crate::Checker). Each is a count of work, so a check gives the same
/// answer on every machine.
#[derive(Clone, Copy, Debug)]
pub struct CheckerLimits {
    /// States of any automaton built for the grammar.
    pub automata: Limits,
    /// States of an automaton of a whole grammar of several rules, before it is made smallest:
    /// larger ones take longer to make than the parser's tables, which are made then.
    pub language_states: usize,
    /// States of the automata that approximate a recursive grammar.
    pub approximations: Limits,
    /// Items that one exact parse may settle; some ten million a second.
    pub parse_items: usize,
    /// Members of state sets that a memo holds before it is emptied.
    pub memo_members: usize,
    /// Tokens of a vocabulary from which on those that do the same are found first, so
    /// that one of each kind is walked over; that takes up to half a second, once.
    pub classes_from: usize,
    /// Plain tokens at most that witnesses are first looked for among.
    pub few_tokens: usize,
    /// Tokens that are lexemes, from which on witnesses are looked for among whole lexemes
    /// before that: of fewer terminals, other tokens are no more trouble.
    pub lexemes_from: usize,
    /// States that the copies of one regular rule may have in terminals; a rule whose
    /// copies would have more is a terminal of its own, which the lexer has once. Where the
    /// lexer is too large this way, the next number counts, and the other way round.
    pub copied_states: usize,
    /// The same where gaps count cells: there tokens that go over many small lexemes cost
    /// more than a lexer of some size does.
    pub copied_states_in_cells: usize,
    /// Where gaps count cells, which lexers read lexemes in several contexts.
    pub contexts: ContextLimits,
    /// Completions of a canvas that a judge of whole texts is asked about, where there is one,
    /// before the canvas is left undecided.
    pub judged: usize,
}

/// Which lexers read lexemes in several contexts, where only what can stand behind what was
/// read is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextLimits {
    /// Those that would have more states in one context, in which any terminal can stand.
    pub states: usize,
    /// The same where characters are counted: there it is mostly patterns in one another's way
    /// that make states.
    pub counting_states: usize,
    /// Contexts are told apart by terminals that go on with so many bytes somewhere.
    pub wide: u32,
}

impl ContextLimits {
    /// As many contexts as there may be, for all lexers.
    pub const MANY: Self = Self {
        states: 0,
        counting_states: 0,
        wide: 0,
    };

    /// One context for all lexers.
    pub const ONE: Self = Self {
        states: usize::MAX,
        counting_states: usize::MAX,
        wide: 32,
    };
}

impl Default for ContextLimits {
    fn default() -> Self {
        Self {
            states: 100_000,
            counting_states: 4_000,
            wide: 32,
        }
    }
}

impl Default for CheckerLimits {
    fn default() -> Self {
        Self {
            automata: Limits {
                nfa_states: 1_200_000,
                dfa_states: 300_000,
            },
            language_states: 10_000,
            approximations: Limits {
                nfa_states: 2_000,
                dfa_states: 500,
            },
            parse_items: 8_000_000,
            memo_members: 8_000_000,
            classes_from: 16_384,
            few_tokens: 160,
            lexemes_from: 32,
            copied_states: 300,
            copied_states_in_cells: 2_000,
            contexts: ContextLimits::default(),
            judged: 64,
        }
    }
}

impl CheckerLimits {
    /// States for each byte of what was handed over: a character of a list of words is one, and
    /// its other spelling in JSON, `\u0061`, five more.
    const STATES_FOR_A_BYTE: usize = 6;

    /// States beyond which no list is too long to blame: a gigabyte, or what a page has to spare.
    const MOST_STATES: usize = match cfg!(target_pointer_width = "32") {
        true => 600_000,
        false => 2_400_000,
    };

    /// States of a whole grammar for each byte that was handed over beside it: spans of a text may
    /// stand in several places, each with a state for every place in the text.
    const LANGUAGE_STATES_FOR_A_BYTE: usize = 100;

    /// The same limits for a grammar that may hold parts of texts and lists of so many bytes: it
    /// is not larger than it looks because of them, but as regular as without.
    ///
    /// ```
    /// # use lacuna_checker::CheckerLimits;
    /// let limits = CheckerLimits::default();
    /// assert_eq!(limits.holding(40).language_states, 10_000);
    /// assert_eq!(limits.holding(300).language_states, 30_000);
    /// ```
    #[must_use]
    pub fn holding(mut self, bytes: usize) -> Self {
        let states = bytes.saturating_mul(Self::LANGUAGE_STATES_FOR_A_BYTE);
        self.language_states = self.language_states.max(states);
        self
    }

    /// The same limits for a grammar that was read of a text of so many bytes, its lists
    /// included: automata may be larger where more was written, as a list of words is, which has
    /// states for each character.
    ///
    /// ```
    /// # use lacuna_checker::CheckerLimits;
    /// let limits = CheckerLimits::default();
    /// assert_eq!(limits.for_text(100).automata.dfa_states, 300_000);
    /// assert_eq!(limits.for_text(90_000).automata.dfa_states, 540_000);
    /// ```
    #[must_use]
    pub fn for_text(mut self, bytes: usize) -> Self {
        let Limits {
            nfa_states,
            dfa_states,
        } = self.automata;
        let states = bytes
            .saturating_mul(Self::STATES_FOR_A_BYTE)
            .min(Self::MOST_STATES);
        if states > dfa_states {
            self.automata = Limits {
                nfa_states: nfa_states.max(4 * states),
                dfa_states: states,
            };
        }
        self
    }
}
