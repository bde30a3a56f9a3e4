//! The prompt's ids, from the configuration's template, a task and a request.
//!
//! A template is text with `{task}` or `{schema}`, `{request}` and the names of special tokens in
//! it, `{task}\n{request}<|sep|>` for instance. `{schema}` is where the task goes, too, and says
//! that the model reads schemas as such and not only their names. The special tokens are put in by id; what stands
//! between two of them is filled in and encoded as one plain text, because that is how the
//! model saw it in training: a merge may reach from the template's text into the request.
//! Nothing in the task or the request is ever read as a placeholder or a special token.

use crate::tokenizer::{Tokenizer, TokenizerError};

/// A template, taken apart once.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptTemplate {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Task,
    Schema,
    Request,
    Special(u32),
}

impl PromptTemplate {
    /// Takes `template` apart, special tokens by the tokenizer's names, the longest first.
    pub fn new(template: &str, tokenizer: &Tokenizer) -> Self {
        let mut names: Vec<(String, Piece)> = tokenizer
            .special_tokens()
            .iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, &id)| (name.clone(), Piece::Special(id)))
            .collect();
        names.push(("{task}".to_owned(), Piece::Task));
        names.push(("{schema}".to_owned(), Piece::Schema));
        names.push(("{request}".to_owned(), Piece::Request));
        names.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
        Self {
            pieces: take_apart(template, &names),
        }
    }

    /// Whether the task of a JSON Schema is the schema itself, and not a line of its names.
    pub fn takes_schemas(&self) -> bool {
        self.pieces.contains(&Piece::Schema)
    }

    /// The ids of the prompt for this task and request.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`], where the vocabulary cannot spell the text.
    pub fn fill(
        &self,
        tokenizer: &Tokenizer,
        task: &str,
        request: &str,
    ) -> Result<Vec<u32>, TokenizerError> {
        let mut ids = Vec::new();
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Task | Piece::Schema => text.push_str(task),
                Piece::Request => text.push_str(request),
                Piece::Special(id) => {
                    ids.extend(tokenizer.encode(&text)?);
                    ids.push(*id);
                    text.clear();
                }
            }
        }
        ids.extend(tokenizer.encode(&text)?);
        Ok(ids)
    }
}

fn take_apart(template: &str, names: &[(String, Piece)]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        match names
            .iter()
            .find(|(name, _)| rest.starts_with(name.as_str()))
        {
            Some((name, piece)) => {
                if !literal.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                }
                pieces.push(piece.clone());
                rest = &rest[name.len()..];
            }
            None => {
                literal.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Text(literal));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_comes_apart_longest_name_first() {
        let names = [
            ("{request}".to_owned(), Piece::Request),
            ("<|sep|>>".to_owned(), Piece::Special(8)),
            ("<|sep|>".to_owned(), Piece::Special(7)),
            ("{task}".to_owned(), Piece::Task),
            ("{schema}".to_owned(), Piece::Schema),
        ];
        assert_eq!(
            take_apart("{schema}: {request}", &names),
            [Piece::Schema, Piece::Text(": ".to_owned()), Piece::Request,]
        );
        assert_eq!(
            take_apart("{task}\n{request}<|sep|>{é<|sep|>>", &names),
            [
                Piece::Task,
                Piece::Text("\n".to_owned()),
                Piece::Request,
                Piece::Special(7),
                Piece::Text("{é".to_owned()),
                Piece::Special(8),
            ]
        );
    }
}
