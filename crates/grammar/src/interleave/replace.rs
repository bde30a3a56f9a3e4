//! Other expressions in place of the interleaves of a grammar.

use super::Interleave;
use crate::{Expr, Grammar, Rule};

impl Expr {
    /// Whether items in any order are part of it, rules aside.
    pub fn has_interleave(&self) -> bool {
        self.has_part(&|part| matches!(part, Expr::Interleave(_)))
    }

    /// Whether something holds of it or of a part, rules aside.
    pub fn has_part(&self, holds: &dyn Fn(&Expr) -> bool) -> bool {
        holds(self)
            || match self {
                Expr::Sequence(parts) | Expr::Choice(parts) => {
                    parts.iter().any(|part| part.has_part(holds))
                }
                Expr::Repeat { item, .. } => item.has_part(holds),
                _ => false,
            }
    }
}

/// Puts another expression in place of each interleave for which there is one. It may
/// mention rules that it adds behind those that there are; the rule's name is given.
pub fn replace(
    grammar: &mut Grammar,
    mut with: impl FnMut(&Interleave, &str, &mut Vec<Rule>) -> Option<Expr>,
) {
    for id in 0..grammar.rules.len() {
        if grammar.rules[id].body.has_interleave() {
            let mut body = std::mem::replace(&mut grammar.rules[id].body, Expr::never());
            let name = grammar.rules[id].name.clone();
            in_expression(&mut body, &mut |interleave| {
                with(interleave, &name, &mut grammar.rules)
            });
            grammar.rules[id].body = body;
        }
    }
}

fn in_expression(expr: &mut Expr, with: &mut dyn FnMut(&Interleave) -> Option<Expr>) {
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            parts.iter_mut().for_each(|part| in_expression(part, with));
        }
        Expr::Repeat { item, .. } => in_expression(item, with),
        Expr::Interleave(interleave) => {
            interleave
                .forms_mut()
                .for_each(|form| in_expression(form, with));
            if let Some(other) = with(interleave) {
                *expr = other;
            }
        }
        Expr::Literal(_)
        | Expr::Chars(_)
        | Expr::Rule(_)
        | Expr::Automaton(_)
        | Expr::Counted(_)
        | Expr::Terminal(_) => {}
    }
}
