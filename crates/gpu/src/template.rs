//! The few directives that make one file of `shaders/` into the variants that an adapter wants.
//!
//! WGSL has constants and `override`s but neither includes, nor conditions on declarations, nor
//! loops that are written out (registers cannot be indexed). So a line of a shader may be
//!
//! ```text
//! //#include NAME            the file shaders/NAME.wgsl
//! //#if NAME                 when the constant is neither 0 nor missing
//! //#if NAME == VALUE        when the constant is VALUE
//! //#else
//! //#for i in COUNT          the lines that follow, COUNT times
//! //#end                     of an `if` or a `for`
//! ```
//!
//! and in any line `$(NAME)` is the value of a constant or of a loop's variable, `$(i + NAME)`
//! their sum. To WGSL these lines are comments.

use thiserror::Error;

/// Constants by name; a later one of the same name hides an earlier one.
pub(crate) type Constants = Vec<(String, String)>;

/// A shader's file that is not written as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// A name that nothing defines.
    #[error("nothing defines {0}")]
    Unknown(String),
    /// An included file that is not there.
    #[error("there is no shader file {0}")]
    NoFile(String),
    /// A directive of another form than those above, or without its end.
    #[error("the directive {0:?} is not understood or has no end")]
    Directive(String),
}

/// The text with its directives carried out.
pub(crate) fn expand(
    text: &str,
    files: &[(&str, &str)],
    constants: &mut Constants,
) -> Result<String, TemplateError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    expand_lines(&lines, files, constants, &mut out)?;
    Ok(out)
}

fn expand_lines(
    lines: &[&str],
    files: &[(&str, &str)],
    constants: &mut Constants,
    out: &mut String,
) -> Result<(), TemplateError> {
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let Some(directive) = line.trim_start().strip_prefix("//#") else {
            out.push_str(&substitute(line, constants)?);
            out.push('\n');
            at += 1;
            continue;
        };
        let misread = || TemplateError::Directive(line.to_owned());
        match directive.split_once(' ').ok_or_else(misread)? {
            ("include", name) => {
                let name = substitute(name.trim(), constants)?;
                let (_, text) = files
                    .iter()
                    .find(|(file, _)| *file == name)
                    .ok_or(TemplateError::NoFile(name))?;
                let included: Vec<&str> = text.lines().collect();
                expand_lines(&included, files, constants, out)?;
                at += 1;
            }
            ("if", condition) => {
                let (middle, end) = block(lines, at)?;
                let chosen = match (holds(condition, constants), middle) {
                    (true, Some(middle)) => &lines[at + 1..middle],
                    (true, None) => &lines[at + 1..end],
                    (false, Some(middle)) => &lines[middle + 1..end],
                    (false, None) => &[],
                };
                expand_lines(chosen, files, constants, out)?;
                at = end + 1;
            }
            ("for", range) => {
                let (_, end) = block(lines, at)?;
                let (variable, count) = range.split_once(" in ").ok_or_else(misread)?;
                let count = number(count.trim(), constants)?;
                for value in 0..count {
                    constants.push((variable.trim().to_owned(), value.to_string()));
                    expand_lines(&lines[at + 1..end], files, constants, out)?;
                    constants.pop();
                }
                at = end + 1;
            }
            _ => return Err(misread()),
        }
    }
    Ok(())
}

/// Where the block that begins at `start` has its `else`, if any, and its `end`.
fn block(lines: &[&str], start: usize) -> Result<(Option<usize>, usize), TemplateError> {
    let (mut depth, mut middle) = (0, None);
    for (at, line) in lines.iter().enumerate().skip(start) {
        let line = line.trim();
        if line.starts_with("//#if ") || line.starts_with("//#for ") {
            depth += 1;
        } else if line == "//#else" && depth == 1 {
            middle = Some(at);
        } else if line == "//#end" {
            depth -= 1;
            if depth == 0 {
                return Ok((middle, at));
            }
        }
    }
    Err(TemplateError::Directive(lines[start].to_owned()))
}

fn value<'a>(name: &str, constants: &'a Constants) -> Option<&'a str> {
    let mut newest_first = constants.iter().rev();
    newest_first
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

fn number(term: &str, constants: &Constants) -> Result<usize, TemplateError> {
    value(term, constants)
        .unwrap_or(term)
        .parse()
        .map_err(|_| TemplateError::Unknown(term.to_owned()))
}

fn holds(condition: &str, constants: &Constants) -> bool {
    match condition.split_once("==") {
        Some((name, expected)) => value(name.trim(), constants) == Some(expected.trim()),
        None => value(condition.trim(), constants).is_some_and(|value| value != "0"),
    }
}

fn substitute(line: &str, constants: &Constants) -> Result<String, TemplateError> {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("$(") {
        let unclosed = || TemplateError::Directive(line.to_owned());
        let (term, behind) = after.split_once(')').ok_or_else(unclosed)?;
        out.push_str(before);
        match term.split_once(" + ") {
            Some((a, b)) => {
                out.push_str(&(number(a, constants)? + number(b, constants)?).to_string());
            }
            None => out.push_str(
                value(term, constants).ok_or_else(|| TemplateError::Unknown(term.to_owned()))?,
            ),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, TemplateError> {
        let mut constants = vec![
            ("COUNT".to_owned(), "2".to_owned()),
            ("MODE".to_owned(), "add".to_owned()),
            ("OFF".to_owned(), "0".to_owned()),
        ];
        expand(
            text,
            &[("part_add", "let part = $(COUNT);")],
            &mut constants,
        )
    }

    #[test]
    fn directives_nest_and_values_stand_in() {
        let text = "//#include part_$(MODE)\n//#for i in COUNT\n//#for j in 2\n\
                    a_$(i)_$(j + COUNT)\n//#end\n//#if MODE == add\nyes\n//#else\nno\n//#end\n//#end\n\
                    //#if OFF\nnever\n//#end";
        let expected = "let part = 2;\na_0_2\na_0_3\nyes\na_1_2\na_1_3\nyes\n";
        assert_eq!(expanded(text).unwrap(), expected);
    }

    #[test]
    fn what_is_not_defined_or_not_closed_is_an_error() {
        for (text, error) in [
            ("$(NOTHING)", TemplateError::Unknown("NOTHING".into())),
            ("//#for i in N\n//#end", TemplateError::Unknown("N".into())),
            ("//#include gone", TemplateError::NoFile("gone".into())),
            (
                "//#if COUNT\nx",
                TemplateError::Directive("//#if COUNT".into()),
            ),
            ("//#what is", TemplateError::Directive("//#what is".into())),
        ] {
            assert_eq!(expanded(text), Err(error), "{text}");
        }
    }
}
