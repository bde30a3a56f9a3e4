//! How JSON is put together: brackets, commas and blanks, and any value at all.

use super::document::Document;
use super::indentation::Mark;
use super::lower::Lowering;
use super::numbers::numbers;
use super::shape::Numbers;
use super::types::Types;
use super::{PropertyOrder, WhiteSpace};
use crate::{Expr, RuleId};

/// Rules for all values, of each type.
#[derive(Clone, Copy)]
pub(super) struct AnyValue {
    pub value: RuleId,
    pub array: RuleId,
    pub object: RuleId,
    pub string: RuleId,
    pub number: RuleId,
}

impl Lowering<'_> {
    /// Any JSON value, as rules that call each other.
    pub(super) fn any_value(&mut self) -> AnyValue {
        if let Some(known) = self.any {
            return known;
        }
        let here = std::mem::replace(&mut self.here.1, Document::ROOT);
        let value = self.add_rule("value".to_owned(), Expr::never());
        let array = self.repeated_items(Expr::Rule(value), 0, None);
        let array = self.add_rule("array".to_owned(), array);
        let name = in_quotes(self.options.strings.any_character().star());
        let string = self.add_rule("string".to_owned(), name);
        let member = self.member(Expr::Rule(string), Expr::Rule(value));
        let more = Expr::Sequence(vec![self.comma(), member.clone()]).star();
        let members = self.filled(Expr::Sequence(vec![member, more]));
        let members = Expr::Choice(vec![self.blanks(), members]);
        let object = between([Expr::literal("{"), Expr::literal("}")], members);
        let object = self.add_rule("object".to_owned(), object);
        // Where nothing is asked there is nothing that could be too large.
        let number = numbers(Types::NUMBER, &Numbers::default(), self.options.numbers);
        let number = number.ok().flatten().unwrap_or_else(Expr::never);
        let number = self.add_rule("number".to_owned(), number);
        let mut choices: Vec<Expr> = ["null", "true", "false"].map(Expr::literal).into();
        choices.extend([number, string, array, object].map(Expr::Rule));
        self.rules[value.0 as usize].body = Expr::Choice(choices);
        self.here.1 = here;
        let any = AnyValue {
            value,
            array,
            object,
            string,
            number,
        };
        self.any = Some(any);
        any
    }

    pub(super) fn repeated_items(&self, item: Expr, min: u32, max: Option<u32>) -> Expr {
        let item = self.surrounded(item);
        let mut choices = Vec::new();
        if min == 0 {
            choices.push(self.blanks());
        }
        if max != Some(0) {
            let more = Expr::Sequence(vec![self.comma(), item.clone()]);
            let (min, max) = (min.saturating_sub(1), max.map(|max| max - 1));
            let more = Expr::Repeat {
                item: Box::new(more),
                min,
                max,
            };
            choices.push(self.filled(Expr::Sequence(vec![item, more])));
        }
        let open_and_close = [Expr::literal("["), Expr::literal("]")];
        between(open_and_close, Expr::Choice(choices))
    }

    /// `"key": value`, with blanks around.
    pub(super) fn member(&self, key: Expr, value: Expr) -> Expr {
        match (self.options.white_space, key) {
            (WhiteSpace::Compact, Expr::Literal(key)) => {
                let mut key = key.into_vec();
                key.push(b':');
                Expr::Sequence(vec![Expr::literal(key), value])
            }
            (WhiteSpace::Indented(_), key) => Expr::Sequence(vec![key, Expr::literal(": "), value]),
            (_, key) => Expr::Sequence(vec![
                self.surrounded(key),
                Expr::literal(":"),
                self.surrounded(value),
            ]),
        }
    }

    pub(super) fn surrounded(&self, inside: Expr) -> Expr {
        match self.options.white_space {
            WhiteSpace::Compact | WhiteSpace::Indented(_) => inside,
            WhiteSpace::Any => Expr::Sequence(vec![self.blanks(), inside, self.blanks()]),
        }
    }

    pub(super) fn blanks(&self) -> Expr {
        match self.options.white_space {
            WhiteSpace::Compact | WhiteSpace::Indented(_) => Expr::empty(),
            WhiteSpace::Any => {
                Expr::Chars(Box::new([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)])).star()
            }
        }
    }

    /// A comma, and the line that it ends.
    pub(super) fn comma(&self) -> Expr {
        match self.mark(Mark::Line) {
            Some(line) => Expr::Sequence(vec![Expr::literal(","), line]),
            None => Expr::literal(","),
        }
    }

    /// What a container holds, if that is something.
    pub(super) fn filled(&self, inside: Expr) -> Expr {
        match (self.mark(Mark::Open), self.mark(Mark::Close)) {
            (Some(open), Some(close)) => Expr::Sequence(vec![open, inside, close]),
            _ => inside,
        }
    }

    /// What white space there is at a place that depends on the depth.
    pub(super) fn mark(&self, mark: Mark) -> Option<Expr> {
        match self.options.white_space {
            WhiteSpace::Indented(_) => Some(mark.expr()),
            WhiteSpace::Compact | WhiteSpace::Any => None,
        }
    }

    pub(super) fn any_order(&self) -> bool {
        self.options.order == PropertyOrder::Any
    }
}

pub(super) fn between([open, close]: [Expr; 2], inside: Expr) -> Expr {
    Expr::Sequence(vec![open, inside, close])
}

pub(super) fn in_quotes(inside: Expr) -> Expr {
    between([Expr::literal("\""), Expr::literal("\"")], inside)
}
