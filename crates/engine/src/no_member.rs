//! What is said of a canvas that is too short for every text of its grammar.
//!
//! Cost: that of the fewest tokens ([`fewest_tokens`]), no check of which is begun after a second.

use lacuna_checker::Checker;
use lacuna_decoder::{DecodeError, Needs};

use crate::fewest::{Fewest, fewest_tokens};

/// Milliseconds after which no check is begun, for the sake of an error.
const LONGEST_MS: f64 = 1_000.0;

/// Why no text fits a canvas of so many masked cells, with what texts take.
pub(crate) fn no_member(
    checker: &mut Checker,
    length: usize,
    clock: &dyn Fn() -> f64,
) -> DecodeError {
    let until = clock() + LONGEST_MS;
    let needs = match fewest_tokens(checker, length + 1, &|| clock() > until) {
        None => Some(Needs::Nothing),
        Some(Fewest {
            at_least,
            at_most: Some(most),
        }) => Some(match most == at_least {
            true => Needs::AtLeast(most),
            false => Needs::Enough(most),
        }),
        Some(Fewest { at_least, .. }) => {
            Some(Needs::MoreThan(at_least - 1)).filter(|_| at_least > length + 1)
        }
    };
    DecodeError::NoMember { length, needs }
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::gbnf;

    use super::*;
    use crate::fewest::tests::checker;

    #[test]
    fn what_is_said_of_a_canvas_that_is_too_short() {
        let said = |grammar: &str, tokens: &[&str], length| {
            let grammar = gbnf::parse(grammar).expect("a grammar");
            no_member(&mut checker(&grammar, tokens), length, &|| 0.0).to_string()
        };
        let short = "no text of the grammar fits a canvas of 3 cells";
        let letters = ["a", "b"];
        assert_eq!(
            said(r#"root ::= "a"{9}"#, &letters, 3),
            format!("{short}: it needs at least 9")
        );
        // Whatever the length: the tokens do not have the letter.
        assert_eq!(
            said(r#"root ::= "a"{2} "c""#, &letters, 3),
            format!("{short}, nor one of 65536, with the tokens that may be written")
        );
        // No regular grammar.
        assert_eq!(
            said(r#"root ::= "a" root "b" | "c""#, &letters, 3),
            format!("{short}, nor one of 65536, with the tokens that may be written")
        );
    }
}
