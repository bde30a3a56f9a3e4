//! From the bytes of a grammar file to its text.

use crate::{Diagnostic, Diagnostics, Place};

/// The text, if it is UTF-8 without a byte order mark.
///
/// ```
/// use lacuna_grammar::source_text;
/// assert_eq!(source_text::read(b"root ::= \"a\"").unwrap(), "root ::= \"a\"");
/// assert_eq!(source_text::read(b"ab\xFF").unwrap_err().0[0].kind, "not-utf-8");
/// ```
///
/// # Errors
/// `not-utf-8` and `byte-order-mark`, at the bytes that are at fault.
pub fn read(bytes: &[u8]) -> Result<&str, Diagnostics> {
    match std::str::from_utf8(bytes) {
        Ok(text) => refuse_mark(text).map(|()| text),
        Err(error) => {
            let start = error.valid_up_to();
            let end = start + error.error_len().unwrap_or(bytes.len() - start);
            let place = Place::Span { start, end };
            let message = format!("byte {start} (0x{:02X}) is not UTF-8", bytes[start]);
            let utf_16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
            Err(Diagnostic::error("not-utf-8", place, message)
                .with_note(match utf_16 {
                    true => "the file seems to be UTF-16: save it as UTF-8",
                    false => "save the file as UTF-8",
                })
                .into())
        }
    }
}

/// Says that a text begins with a byte order mark, if it does.
///
/// # Errors
/// `byte-order-mark`.
pub fn refuse_mark(text: &str) -> Result<(), Diagnostics> {
    if !text.starts_with('\u{FEFF}') {
        return Ok(());
    }
    let place = Place::Span { start: 0, end: 3 };
    let message = "the text begins with a byte order mark";
    Err(Diagnostic::error("byte-order-mark", place, message)
        .with_note("save the file as UTF-8 without it")
        .into())
}
