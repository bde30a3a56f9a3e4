//! Texts as messages show them: in quotes, what cannot be seen written out. Formatting them
//! by `Debug` would do, and brings the tables of all printable characters into a module
//! that has to be small.

/// A text in double quotes.
///
/// ```
/// assert_eq!(lacuna_grammar::quoted("say \"é\"\n"), r#""say \"é\"\n""#);
/// ```
pub fn quoted(text: &str) -> String {
    between('"', text.chars())
}

/// A character in single quotes.
pub(crate) fn quoted_character(character: char) -> String {
    between('\'', [character])
}

fn between(mark: char, text: impl IntoIterator<Item = char>) -> String {
    let mut shown = String::from(mark);
    for character in text {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\\' => shown.push_str("\\\\"),
            _ if character == mark => shown.extend(['\\', mark]),
            _ if character.is_control() => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown.push(mark);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(quoted("a\u{1b}\\'\r\t"), r#""a\u{1b}\\'\r\t""#);
        assert_eq!(quoted_character('\''), r"'\''");
        assert_eq!(quoted_character('é'), "'é'");
    }
}
