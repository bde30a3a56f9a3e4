//! Random texts of a grammar, for tests.

use lacuna_grammar::{Expr, Grammar};

/// Draws texts of a grammar whose start rule derives one.
pub struct Sampler<'a> {
    grammar: &'a Grammar,
    /// Bytes after which the shortest way is taken.
    longest: usize,
    /// For each rule, the least depth of rules in a derivation.
    depths: Vec<u32>,
}

/// Whether a text has a number that a double does not hold exactly.
#[allow(dead_code, reason = "some tests only draw")]
pub fn has_long_number(text: &[u8]) -> bool {
    let mut runs = text.split(|byte| !byte.is_ascii_digit() && *byte != b'.');
    runs.any(|run| run.len() > 15)
}

const NEVER: u32 = u32::MAX;

impl<'a> Sampler<'a> {
    pub fn new(grammar: &'a Grammar) -> Self {
        let mut depths = vec![NEVER; grammar.rules.len()];
        loop {
            let next: Vec<u32> = grammar
                .rules
                .iter()
                .map(|rule| depth(&rule.body, &depths))
                .collect();
            if next == depths {
                return Self {
                    grammar,
                    longest: usize::MAX,
                    depths,
                };
            }
            depths = next;
        }
    }

    pub fn draw(&self, rng: &mut fastrand::Rng) -> Vec<u8> {
        let mut text = Vec::new();
        self.expand(&Expr::Rule(self.grammar.start), 12, rng, &mut text);
        text
    }

    /// Draws a text that ends soon once it is longer than so many bytes.
    #[allow(dead_code, reason = "tests have small grammars")]
    pub fn draw_within(&self, longest: usize, rng: &mut fastrand::Rng) -> Vec<u8> {
        let sampler = Self {
            grammar: self.grammar,
            longest,
            depths: self.depths.clone(),
        };
        sampler.draw(rng)
    }

    /// `left`: rules to go down freely before the shortest way is taken.
    fn expand(&self, expr: &Expr, left: u32, rng: &mut fastrand::Rng, text: &mut Vec<u8>) {
        let left = if text.len() > self.longest { 0 } else { left };
        match expr {
            Expr::Literal(bytes) => text.extend(bytes.iter()),
            Expr::Chars(ranges) => {
                // Mostly plain characters, now and then one from anywhere.
                let (low, high) = ranges[rng.usize(..ranges.len())];
                let high = if rng.u8(..8) == 0 {
                    high
                } else {
                    high.min(low.max(0x7E))
                };
                let drawn = char::from_u32(rng.u32(low..=high)).unwrap_or('\u{E000}');
                text.extend(drawn.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Expr::Sequence(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.expand(part, left, rng, text));
            }
            Expr::Choice(parts) => {
                let least = parts
                    .iter()
                    .map(|part| depth(part, &self.depths))
                    .min()
                    .unwrap();
                let limit = least.max(left.min(NEVER - 1));
                let open: Vec<&Expr> = parts
                    .iter()
                    .filter(|part| depth(part, &self.depths) <= limit)
                    .collect();
                self.expand(open[rng.usize(..open.len())], left, rng, text);
            }
            Expr::Repeat { item, min, max } => {
                let mut count = *min;
                while depth(item, &self.depths) <= left
                    && max.is_none_or(|max| count < max)
                    && rng.u8(..5) < 2
                {
                    count += 1;
                }
                (0..count).for_each(|_| self.expand(item, left, rng, text));
            }
            Expr::Rule(rule) => {
                let rule = &self.grammar.rules[rule.0 as usize];
                self.expand(&rule.body, left.saturating_sub(1), rng, text);
            }
            Expr::Interleave(items) => {
                let open = |text: &Expr| depth(text, &self.depths) < NEVER;
                let mut chosen = items.restricted(open).fewest().unwrap_or_default();
                let start = items.start();
                let mut progress = chosen.iter().fold(start, |progress, &(item, way)| {
                    items.after(&progress, item, way).expect("one that fits")
                });
                for (item, known) in items.items.iter().enumerate() {
                    for (way, known) in known.ways.iter().enumerate() {
                        if depth(&known.text, &self.depths) <= left
                            && rng.u8(..3) == 0
                            && let Some(next) = items.after(&progress, item, way)
                        {
                            progress = next;
                            chosen.push((item, way));
                        }
                    }
                }
                rng.shuffle(&mut chosen);
                for (at, &(item, way)) in chosen.iter().enumerate() {
                    if at > 0 {
                        self.expand(&items.separator, left, rng, text);
                    }
                    self.expand(&items.items[item].ways[way].text, left, rng, text);
                }
            }
            Expr::Terminal(_) => unreachable!("a member is drawn from grammars over bytes"),
            Expr::Automaton(dfa) => {
                let mut state = dfa.start();
                let mut steps = 0;
                let towards_the_end = dfa.first_bytes_to_acceptance();
                while !(dfa.is_accepting(state) && (steps > 20 || rng.u8(..4) == 0)) {
                    let ranges = dfa.byte_ranges(state);
                    if ranges.is_empty() {
                        break;
                    }
                    let (low, high, _) = ranges[rng.usize(..ranges.len())];
                    let free = if rng.bool() { low } else { rng.u8(low..=high) };
                    let byte = match towards_the_end[state as usize] {
                        Some(byte) if steps > 20 => byte,
                        _ => free,
                    };
                    state = dfa.next(state, byte).unwrap();
                    text.push(byte);
                    steps += 1;
                }
            }
            Expr::Counted(counted) => {
                let (min, _) = counted.bounds();
                let mut place = counted.start();
                let mut steps = 0;
                while !(counted.is_accepting(place) && (steps > 20 || rng.u8(..4) == 0)) {
                    let ways =
                        (0..=255).filter_map(|byte| Some((byte, counted.next(place, byte)?)));
                    let mut ways: Vec<_> = ways.collect();
                    if steps > 20 && place.1 >= min {
                        ways.sort_by_key(|&(_, (state, _))| {
                            let ahead = counted.ahead(state);
                            (ahead.fewest, ahead.is_between)
                        });
                        ways.truncate(1);
                    }
                    if ways.is_empty() {
                        break;
                    }
                    let (byte, next) = ways[rng.usize(..ways.len())];
                    text.push(byte);
                    place = next;
                    steps += 1;
                }
            }
        }
    }
}

fn depth(expr: &Expr, rules: &[u32]) -> u32 {
    match expr {
        Expr::Literal(_) | Expr::Automaton(_) | Expr::Counted(_) | Expr::Terminal(_) => 0,
        Expr::Chars(ranges) => {
            if ranges.is_empty() {
                NEVER
            } else {
                0
            }
        }
        Expr::Sequence(parts) => parts
            .iter()
            .map(|part| depth(part, rules))
            .max()
            .unwrap_or(0),
        Expr::Choice(parts) => parts
            .iter()
            .map(|part| depth(part, rules))
            .min()
            .unwrap_or(NEVER),
        Expr::Repeat { min: 0, .. } => 0,
        Expr::Repeat { item, .. } => depth(item, rules),
        Expr::Interleave(items) => {
            let items = items.map(|text| depth(text, rules));
            let fewest = items.restricted(|&depth| depth < NEVER).fewest();
            let depths = |chosen: Vec<(usize, usize)>| {
                let each = chosen.iter();
                let each = each.map(|&(item, way)| items.items[item].ways[way].text);
                each.max().unwrap_or(0)
            };
            fewest.map_or(NEVER, depths)
        }
        Expr::Rule(rule) => rules[rule.0 as usize].saturating_add(1),
    }
}
