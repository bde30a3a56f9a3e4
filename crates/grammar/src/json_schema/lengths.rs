//! Strings of many characters, counted by rules.
//!
//! An automaton that counts has states for every count, and whoever reads a grammar
//! makes automata of what mentions no rule. So where long counts cannot stand beside the states
//! (`Counted`), as in the grammar engine alone, they are put together of rules:
//! blocks of [`BLOCK`] characters, pairs of these, pairs of pairs, and so on. A count
//! takes a number of rules that grows with its logarithm, shared by all strings, and
//! each length is derived in one way.

use super::lower::Lowering;
use crate::{Expr, RuleId};

/// Counts up to this are written as a repetition.
pub(super) const FEW: u32 = 100;
/// Characters that are counted by one automaton.
const BLOCK: u32 = 32;

/// What a rule counts, in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Counted {
    /// Two to this power, neither more nor less.
    Power(u32),
    /// Up to so many.
    UpTo(u32),
}

impl Lowering<'_> {
    /// The spellings, without quotes, of so many characters.
    pub(super) fn characters(&mut self, min: u32, max: Option<u32>) -> Expr {
        let any = self.options.strings.any_character();
        if max.unwrap_or(min) <= FEW {
            return repeated(any, min, max);
        }
        let mut parts = self.blocks(min / BLOCK);
        match max {
            None => parts.push(repeated(any, min % BLOCK, None)),
            Some(max) => {
                parts.push(repeated(any.clone(), min % BLOCK, Some(min % BLOCK)));
                parts.push(self.up_to(any, max - min));
            }
        }
        Expr::Sequence(parts)
    }

    /// Up to so many characters: some blocks and less than one, or all blocks and what
    /// is left.
    fn up_to(&mut self, any: Expr, most: u32) -> Expr {
        let (blocks, rest) = (most / BLOCK, most % BLOCK);
        if blocks == 0 {
            return repeated(any, 0, Some(rest));
        }
        let fewer = self.up_to_blocks(blocks - 1);
        let fewer = vec![fewer, repeated(any.clone(), 0, Some(BLOCK - 1))];
        let mut all = self.blocks(blocks);
        all.push(repeated(any, 0, Some(rest)));
        Expr::Choice(vec![Expr::Sequence(fewer), Expr::Sequence(all)])
    }

    /// So many blocks, the most at once first.
    fn blocks(&mut self, count: u32) -> Vec<Expr> {
        let powers = (0..u32::BITS).rev();
        let powers = powers.filter(|power| count >> power & 1 == 1);
        powers.map(|power| Expr::Rule(self.power(power))).collect()
    }

    fn power(&mut self, power: u32) -> RuleId {
        self.counting(Counted::Power(power), |lowering| match power {
            0 => {
                let any = lowering.options.strings.any_character();
                repeated(any, BLOCK, Some(BLOCK))
            }
            _ => {
                let half = lowering.power(power - 1);
                Expr::Sequence(vec![Expr::Rule(half), Expr::Rule(half)])
            }
        })
    }

    fn up_to_blocks(&mut self, most: u32) -> Expr {
        if most == 0 {
            return Expr::empty();
        }
        let rule = self.counting(Counted::UpTo(most), |lowering| {
            // The greatest power that is not more than needed: without it anything
            // below it is left, with it what is left of the most.
            let power = most.ilog2();
            let without = lowering.up_to_blocks((1 << power) - 1);
            let with = vec![
                Expr::Rule(lowering.power(power)),
                lowering.up_to_blocks(most - (1 << power)),
            ];
            Expr::Choice(vec![Expr::Sequence(with), without])
        });
        Expr::Rule(rule)
    }

    fn counting(&mut self, what: Counted, body: impl FnOnce(&mut Self) -> Expr) -> RuleId {
        if let Some(&known) = self.counted.get(&what) {
            return known;
        }
        let body = body(self);
        let name = match what {
            Counted::Power(power) => format!("{} characters", u64::from(BLOCK) << power),
            Counted::UpTo(most) => {
                format!("up to {} characters", u64::from(most) * u64::from(BLOCK))
            }
        };
        let rule = self.add_rule(name, body);
        self.counted.insert(what, rule);
        rule
    }
}

fn repeated(any: Expr, min: u32, max: Option<u32>) -> Expr {
    Expr::Repeat {
        item: Box::new(any),
        min,
        max,
    }
}
