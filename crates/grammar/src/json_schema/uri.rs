//! References between documents: resolution as in RFC 3986, section 5.2, on
//! texts, since identifiers are only compared.

/// The parts of a URI before its fragment.
struct Parts<'a> {
    /// With its colon, or empty.
    scheme: &'a str,
    /// With its slashes, or empty.
    authority: &'a str,
    path: &'a str,
    /// With its question mark, or empty.
    query: &'a str,
}

/// What `reference` (its fragment left aside) means beside `base`.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let (base, reference) = (without_fragment(base), without_fragment(reference));
    let (base, found) = (Parts::of(base), Parts::of(reference));
    let path;
    let (scheme, authority, path, query) = if !found.scheme.is_empty() {
        path = without_dots(found.path);
        (found.scheme, found.authority, &path, found.query)
    } else if !found.authority.is_empty() {
        path = without_dots(found.path);
        (base.scheme, found.authority, &path, found.query)
    } else if found.path.is_empty() {
        path = base.path.to_owned();
        let query = match found.query {
            "" => base.query,
            query => query,
        };
        (base.scheme, base.authority, &path, query)
    } else {
        path = without_dots(&match found.path.starts_with('/') {
            true => found.path.to_owned(),
            false => {
                let folder = base.path.rfind('/').map_or("", |end| &base.path[..=end]);
                let folder = match (folder, base.authority) {
                    ("", "") => "",
                    ("", _) => "/",
                    (folder, _) => folder,
                };
                format!("{folder}{}", found.path)
            }
        });
        (base.scheme, base.authority, &path, found.query)
    };
    format!("{scheme}{authority}{path}{query}")
}

/// The fragment, if there is a `#`, and what is before it.
pub(super) fn split_fragment(uri: &str) -> (&str, Option<&str>) {
    match uri.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (uri, None),
    }
}

fn without_fragment(uri: &str) -> &str {
    split_fragment(uri).0
}

impl<'a> Parts<'a> {
    fn of(uri: &'a str) -> Self {
        let scheme_end = uri.find([':', '/', '?']).filter(|&at| {
            let scheme = &uri[..at];
            uri[at..].starts_with(':')
                && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        });
        let (scheme, rest) = uri.split_at(scheme_end.map_or(0, |end| end + 1));
        let authority_end = match rest.strip_prefix("//") {
            Some(inside) => 2 + inside.find(['/', '?']).unwrap_or(inside.len()),
            None => 0,
        };
        let (authority, rest) = rest.split_at(authority_end);
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        Self {
            scheme,
            authority,
            path,
            query,
        }
    }
}

/// A path with `.` and `..` followed.
fn without_dots(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut steps = path.split('/').peekable();
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." && kept.len() > usize::from(path.starts_with('/')) {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 3986, section 5.4, and identifiers without slashes.
    #[test]
    fn references_resolve() {
        let base = "http://a/b/c/d;p?q";
        for (reference, resolved) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("g/../h", "http://a/b/c/h"),
        ] {
            assert_eq!(resolve(base, reference), resolved, "{reference}");
        }
        assert_eq!(resolve("urn:uuid:1234", "#/a"), "urn:uuid:1234");
        assert_eq!(resolve("http://x.y", "a"), "http://x.y/a");
        assert_eq!(resolve("schema.json", "other.json"), "other.json");
    }
}
