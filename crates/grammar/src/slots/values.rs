//! The automaton of a list of literals.

use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use crate::characters::Folding;

/// Any of `values`, as they are, or in any case.
///
/// Linear in the bytes of the values until it is minimised: texts that begin
/// alike share their beginnings.
pub(crate) fn any_of(
    values: &[String],
    ignore_case: bool,
    limits: &Limits,
) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    let (start, accept) = (builder.state()?, builder.state()?);
    let mut folding = Folding::default();
    for value in values {
        let mut here = start;
        for character in value.chars() {
            let next = builder.state()?;
            match ignore_case {
                true => builder.characters(folding.of(character), here, next)?,
                false => builder.character(character, here, next)?,
            }
            here = next;
        }
        builder.empty_edge(here, accept);
    }
    let values = builder.finish(start, accept).determinize(limits)?;
    Ok(values.minimize())
}
