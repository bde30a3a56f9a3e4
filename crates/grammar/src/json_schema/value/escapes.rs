//! The escapes of JSON strings.
//!
//! By hand, because the general reader brings its numbers and its messages along, some
//! kilobytes of a small WebAssembly module.

/// What stands between the quotes of a JSON string means; `None` where that is malformed:
/// a control character, an unknown escape, half of a surrogate pair.
pub(super) fn unescape(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(it) = rest.next() {
        text.push(match it {
            '\\' => escaped(&mut rest)?,
            '\0'..'\u{20}' | '"' => return None,
            it => it,
        });
    }
    Some(text)
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        it @ ('"' | '\\' | '/') => it,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let high = unit(rest)?;
            if !(0xd800..0xdc00).contains(&high) {
                // Of the lower half of a pair alone, there is no character.
                return char::from_u32(high);
            }
            if (rest.next()?, rest.next()?) != ('\\', 'u') {
                return None;
            }
            let low = unit(rest)?.checked_sub(0xdc00)?;
            let it = 0x1_0000 + ((high - 0xd800) << 10) + low;
            return (low < 0x400).then(|| char::from_u32(it)).flatten();
        }
        _ => return None,
    })
}

/// Four hexadecimal digits.
fn unit(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(16 * unit + rest.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn reads_what_the_general_reader_reads() {
        let parts = [
            "a",
            "é",
            "\u{1f600}",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u00e9",
            "\\uD83D",
            "\\ude00",
            "\\ud83d\\ude00",
            "\\u12",
            "\\x",
            "\t",
            "\"",
            "\\",
            "\u{7f}",
            "\\u0000",
            "\\uFFFF",
        ];
        for one in parts {
            for two in parts {
                for three in ["", "0", "\\b", "\\f\\r\\t", "\\udbff\\udfff"] {
                    let inner = format!("{one}{two}{three}");
                    let read = serde_json::from_str::<String>(&format!("\"{inner}\"")).ok();
                    assert_eq!(unescape(&inner), read, "{inner:?}");
                }
            }
        }
    }
}
