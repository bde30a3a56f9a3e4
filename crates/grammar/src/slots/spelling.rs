//! How the values of a slot are written in the text around them.

use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder, StateId};
use crate::json_schema::StringSpelling;

/// A way to write a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As it is.
    Plain,
    /// Between two of this ASCII character, which is doubled inside (SQL, CSV).
    Doubled(u8),
    /// As a JSON string, between its quotes.
    Json(StringSpelling),
}

impl Spelling {
    /// The spellings of the texts of a language.
    pub(crate) fn spell(self, values: &Dfa, limits: &Limits) -> Result<Dfa, AutomatonError> {
        match self {
            Spelling::Plain => Ok(values.clone()),
            Spelling::Doubled(quote) => doubled(values, quote, limits),
            Spelling::Json(spelling) => {
                let inside = spelling.spell(values, limits)?;
                let mut builder = NfaBuilder::new(limits);
                let (start, accept) = (builder.state()?, builder.state()?);
                let (opened, closing) = (builder.state()?, builder.state()?);
                builder.byte_edge(start, b'"', b'"', opened);
                builder.automaton(&inside, opened, closing)?;
                builder.byte_edge(closing, b'"', b'"', accept);
                Ok(builder
                    .finish(start, accept)
                    .determinize(limits)?
                    .minimize())
            }
        }
    }
}

fn doubled(values: &Dfa, quote: u8, limits: &Limits) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    // State n of the new automaton is state n of the old one.
    for _ in 0..values.state_count() {
        builder.state()?;
    }
    let (start, accept) = (builder.state()?, builder.state()?);
    builder.byte_edge(start, quote, quote, values.start());
    for state in 0..values.state_count() as StateId {
        if values.is_accepting(state) {
            builder.byte_edge(state, quote, quote, accept);
        }
        for (low, high, next) in values.byte_ranges(state) {
            if low < quote {
                builder.byte_edge(state, low, high.min(quote - 1), next);
            }
            if high > quote {
                builder.byte_edge(state, low.max(quote + 1), high, next);
            }
            if (low..=high).contains(&quote) {
                let between = builder.state()?;
                builder.byte_edge(state, quote, quote, between);
                builder.byte_edge(between, quote, quote, next);
            }
        }
    }
    let spelled = builder.finish(start, accept).determinize(limits)?;
    Ok(spelled.minimize())
}
