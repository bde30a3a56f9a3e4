//! `format`, where it is to be asserted.
//!
//! Each format is a pattern, exact but for what its line here says is left out;
//! nothing is admitted that the format's RFC does not. A format that nobody has
//! defined is an annotation even then, as the specification says.

use std::sync::Arc;

use super::LIMITS;
use super::finding::Finding;
use crate::automaton::Language;
use crate::regex;

/// Defined by the specification, and not asserted here.
const OTHERS: [&str; 9] = [
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
];

/// The strings that a format admits; `None` where nobody has defined it.
pub(super) fn language(name: &str) -> Result<Option<Arc<Language>>, Finding> {
    if OTHERS.contains(&name) {
        let message = format!("the format {name} cannot be asserted");
        return Err(Finding::new("unsupported-format", message));
    }
    let Some(pattern) = pattern(name) else {
        return Ok(None);
    };
    let searched = regex::parse_ecma_search(&format!("^(?:{pattern})$"))?;
    let mut texts = Language::of_expr(&searched, &LIMITS)?;
    if matches!(name, "hostname" | "email") {
        // What a name in another script is coded as is not looked into.
        let coded = regex::parse_ecma_search(r"(?:^|[.@])..--")?;
        texts = texts.minus(&Language::of_expr(&coded, &LIMITS)?, &LIMITS)?;
    }
    Ok(Some(Arc::new(texts)))
}

/// Whether a format can be asserted.
pub(super) fn can_be_asserted(name: &str) -> bool {
    pattern(name).is_some()
}

fn pattern(name: &str) -> Option<String> {
    let date = || r"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
    // Leap seconds are left out where the offset is not Z.
    let time = || r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[zZ]|[+\-](?:[01]\d|2[0-3]):[0-5]\d)|23:59:60(?:\.\d+)?[zZ]";
    let label = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?";
    Some(match name {
        "date" => date().to_owned(),
        "time" => time().to_owned(),
        "date-time" => format!("(?:{})[tT](?:{})", date(), time()),
        "duration" => {
            let time = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)";
            let date = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)";
            format!(r"P(?:\d+W|{date}(?:{time})?|{time})")
        }
        "uuid" => r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
            .to_owned(),
        "ipv4" => ipv4(),
        "ipv6" => ipv6(),
        // Of at most 253 characters: longer labels where there are fewer, and no
        // others.
        "hostname" => {
            let forms = [(1, 63), (4, 62), (8, 30), (16, 14)].map(|(labels, most)| {
                let inner = most - 2;
                let label = format!(r"[A-Za-z0-9](?:[A-Za-z0-9\-]{{0,{inner}}}[A-Za-z0-9])?");
                format!(r"{label}(?:\.{label}){{0,{}}}", labels - 1)
            });
            forms.join("|")
        }
        // Quoted local parts and addresses for hosts are left out.
        "email" => {
            let atom = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-]+";
            format!(r"{atom}(?:\.{atom})*@{label}(?:\.{label})*")
        }
        // Hosts that are addresses of future versions are left out.
        "uri" => {
            let plain = r"[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2}";
            let of_path = format!("(?:{plain}|[:@])");
            let authority = format!(
                r"//(?:(?:{plain}|:)*@)?(?:\[{}\]|(?:{plain})*)(?::\d*)?(?:/{of_path}*)*",
                ipv6()
            );
            let rest = format!(r"(?:\?(?:{of_path}|[/?])*)?(?:#(?:{of_path}|[/?])*)?");
            let rooted = format!("/(?:{of_path}+(?:/{of_path}*)*)?");
            let rootless = format!("{of_path}+(?:/{of_path}*)*");
            format!(r"[A-Za-z][A-Za-z0-9+.\-]*:(?:{authority}|{rooted}|{rootless})?{rest}")
        }
        _ => return None,
    })
}

fn ipv4() -> String {
    let byte = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)";
    format!(r"{byte}(?:\.{byte}){{3}}")
}

/// Eight groups, of which one run of at least one may be written `::`, and the
/// last two as an IPv4 address.
fn ipv6() -> String {
    let group = "[0-9A-Fa-f]{1,4}";
    let last = format!("(?:{group}:{group}|{})", ipv4());
    let mut forms = vec![format!("(?:{group}:){{6}}{last}")];
    for before in 0..=5 {
        let front = match before {
            0 => String::new(),
            1 => format!("(?:{group})?"),
            more => format!("(?:(?:{group}:){{0,{}}}{group})?", more - 1),
        };
        let after = 5 - before;
        let back = match after {
            0 => last.clone(),
            1 => format!("{group}:{last}"),
            more => format!("(?:{group}:){{{more}}}{last}"),
        };
        forms.push(format!("{front}::{back}"));
    }
    forms.push(format!("(?:(?:{group}:){{0,5}}{group})?::{group}"));
    forms.push(format!("(?:(?:{group}:){{0,6}}{group})?::"));
    format!("(?:{})", forms.join("|"))
}
