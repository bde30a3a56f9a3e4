//! Fixtures and generators that the tests share.

use std::sync::Arc;

use lacuna_checker::{
    CheckerLimits, Compiled, ContextLimits, Filling, Gap, Pattern, Segment, Witness,
};
use lacuna_grammar::automaton::{Counted, Dfa, Limits};
use lacuna_grammar::interleave::{Interleave, Item, Way};
use lacuna_grammar::{Expr, Grammar, Lexicon, Rule, RuleId, Terminal, TerminalId, gbnf};
use lacuna_lexer::{TokenId, Vocabulary};

/// A grammar with a vocabulary and a canvas length.
pub struct Case {
    pub name: String,
    pub grammar: Grammar,
    pub tokens: Vec<Vec<u8>>,
    pub cells: usize,
}

/// The cases of `fixtures/*.case`: a grammar in GBNF, a line `tokens: …` with
/// tokens in the notation of GBNF strings, and a line `cells: N`.
pub fn fixtures() -> Vec<Case> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "case"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("fixture");
            let (grammar, rest) = text.split_once("\ntokens:").expect("a line of tokens");
            let (tokens, cells) = rest.split_once("\ncells:").expect("a line of cells");
            let name = path
                .file_name()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            Case {
                grammar: gbnf::parse(grammar).unwrap_or_else(|error| panic!("{name}: {error}")),
                tokens: tokens.split_whitespace().map(unescape).collect(),
                cells: cells.trim().parse().expect("a number of cells"),
                name,
            }
        })
        .collect()
}

/// `\xNN` for a byte, `\s` for a blank; everything else stands for itself.
fn unescape(token: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = token.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if let Some(blank) = rest.strip_prefix(b"\\s") {
            bytes.push(b' ');
            rest = blank;
        } else if let Some(hex) = rest.strip_prefix(b"\\x") {
            let digits = std::str::from_utf8(&hex[..2]).expect("ASCII");
            bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
            rest = &hex[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    bytes
}

/// Token 0 ends the text, token 1 is the mask, the rest are as given.
pub fn vocabulary(tokens: &[Vec<u8>]) -> Vocabulary {
    let all = [None, None]
        .into_iter()
        .chain(tokens.iter().cloned().map(Some))
        .collect();
    Vocabulary::new(all, vec![0], 1).expect("a vocabulary")
}

/// Every well-formed full canvas whose text is a member.
pub fn members(grammar: &Grammar, vocabulary: &Vocabulary, cells: usize) -> Vec<Vec<TokenId>> {
    let writable: Vec<TokenId> = (0..vocabulary.len() as TokenId)
        .filter(|&t| t != vocabulary.mask())
        .collect();
    let mut found = Vec::new();
    let mut known: std::collections::HashMap<Vec<u8>, bool> = Default::default();
    let total = writable.len().pow(cells as u32);
    for mut number in 0..total {
        let canvas: Vec<TokenId> = (0..cells)
            .map(|_| {
                let token = writable[number % writable.len()];
                number /= writable.len();
                token
            })
            .collect();
        let end = canvas
            .iter()
            .position(|&t| vocabulary.is_end(t))
            .unwrap_or(cells);
        if !canvas[end..].iter().all(|&t| vocabulary.is_end(t)) {
            continue;
        }
        let Some(text) = canvas[..end]
            .iter()
            .map(|&t| vocabulary.bytes(t))
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.concat())
        else {
            continue;
        };
        let member = *known
            .entry(text)
            .or_insert_with_key(|text| lacuna_grammar::recognize::recognize(grammar, text));
        if member {
            found.push(canvas);
        }
    }
    found
}

/// Two to five tokens of one to three bytes over the random grammars' alphabet.
pub fn random_tokens(random: &mut fastrand::Rng) -> Vec<Vec<u8>> {
    (0..random.usize(2..=5))
        .map(|_| {
            (0..random.usize(1..=3))
                .map(|_| *random.choice(ALPHABET).expect("a byte"))
                .collect()
        })
        .collect()
}

const ALPHABET: &[u8] = b"ab(";

/// Panics unless the witness fills every gap with as many fillable tokens as it
/// has cells.
pub fn assert_fits(pattern: &Pattern, witness: &Witness, vocabulary: &Vocabulary) {
    let gaps = pattern.segments.iter().filter_map(|segment| match segment {
        Segment::Gap(gap) => Some(gap),
        Segment::Text(_) => None,
    });
    assert_eq!(gaps.clone().count(), witness.gaps.len());
    for (gap, filling) in gaps.zip(&witness.gaps) {
        match (gap, filling) {
            (Gap::Any, Filling::Bytes(_)) => {}
            (Gap::Cells(cells), Filling::Tokens(tokens)) => assert_eq!(*cells, tokens.len()),
            (Gap::UpTo(cells), Filling::Tokens(tokens)) => assert!(tokens.len() <= *cells),
            _ => panic!("{gap:?} filled by {filling:?}"),
        }
        if let Filling::Tokens(tokens) = filling {
            assert!(
                tokens
                    .iter()
                    .all(|&token| vocabulary.bytes(token).is_some())
            );
        }
    }
}

/// A grammar of up to four rules with recursion anywhere: over bytes, or over the terminals of a
/// lexicon; some with a constraint on whole texts.
pub struct RandomGrammar<'a> {
    random: &'a mut fastrand::Rng,
    rules: u32,
    /// Terminals that rules may mention; 0 if they are about bytes.
    terminals: u32,
    /// Whether items may stand in any order.
    orders: bool,
    /// Whether texts may be counted.
    counts: bool,
}

impl<'a> RandomGrammar<'a> {
    pub fn new(random: &'a mut fastrand::Rng) -> Self {
        let rules = random.u32(1..=4);
        Self {
            random,
            rules,
            terminals: 0,
            orders: false,
            counts: false,
        }
    }

    /// The same with texts of which the characters are counted.
    pub fn with_counts(&mut self) -> &mut Self {
        self.counts = true;
        self
    }

    /// The same with items in any order.
    pub fn with_orders(&mut self) -> &mut Self {
        self.orders = true;
        self
    }

    pub fn grammar(&mut self) -> Grammar {
        let rules = (0..self.rules)
            .map(|rule| Rule {
                name: format!("r{rule}"),
                body: self.choice(2),
            })
            .collect();
        Grammar::new(rules, RuleId(0))
    }

    /// A grammar with a lexicon of two to five terminals, up to two of them ignored.
    pub fn munching(&mut self) -> Grammar {
        let ignored = self.random.usize(..3);
        let terminals: Vec<Terminal> = (0..self.random.u32(2..=5))
            .map(|terminal| Terminal {
                name: format!("T{terminal}"),
                language: self.lexemes().into(),
                ignored: false,
            })
            .collect();
        let mut lexicon = Lexicon { terminals };
        for _ in 0..ignored.min(lexicon.terminals.len() - 1) {
            let at = self.random.usize(..lexicon.terminals.len());
            lexicon.terminals[at].ignored = true;
        }
        if self.random.bool() {
            let blanks = Expr::Repeat {
                item: Box::new(Expr::literal(" ")),
                min: 1,
                max: None,
            };
            lexicon.terminals.push(Terminal {
                name: "BLANKS".to_owned(),
                language: Dfa::from_expr(&blanks, &Limits::default())
                    .expect("a small automaton")
                    .into(),
                ignored: true,
            });
        }
        self.terminals = lexicon.terminals.len() as u32;
        let grammar = self.grammar();
        self.terminals = 0;
        Grammar {
            lexicon: Some(lexicon),
            ..grammar
        }
    }

    /// A constraint that about half of all texts keep: an even number of a byte, which some may
    /// ignore, or a certain end, or a length.
    pub fn constraint(&mut self) -> Dfa {
        let bytes: &[u8] = if self.random.bool() {
            ALPHABET
        } else {
            b"ab( "
        };
        let byte = *self.random.choice(bytes).expect("a byte");
        let one_of = |bytes: &mut dyn Iterator<Item = &u8>| {
            Expr::Choice(bytes.map(|&byte| Expr::literal([byte])).collect())
        };
        let others = one_of(&mut bytes.iter().filter(|&&other| other != byte));
        let any = one_of(&mut bytes.iter());
        let expr = match self.random.u8(..4) {
            0 => Expr::Choice(vec![
                Expr::empty(),
                Expr::Sequence(vec![any.star(), others]),
            ]),
            1 => Expr::Repeat {
                item: Box::new(any),
                min: self.random.u32(1..3),
                max: None,
            },
            _ => {
                let others = others.star();
                let pair = vec![
                    Expr::literal([byte]),
                    others.clone(),
                    Expr::literal([byte]),
                    others.clone(),
                ];
                Expr::Sequence(vec![others, Expr::Sequence(pair).star()])
            }
        };
        Dfa::from_expr(&expr, &Limits::default()).expect("a small automaton")
    }

    /// A regular language that is not empty, without the empty text.
    fn lexemes(&mut self) -> Dfa {
        let limits = Limits::default();
        let empty = Dfa::from_expr(&Expr::empty(), &limits).expect("a small automaton");
        let rules = std::mem::replace(&mut self.rules, 0);
        let orders = std::mem::replace(&mut self.orders, false);
        let language = loop {
            let expr = self.choice(2);
            let dfa = Dfa::from_expr(&expr, &limits).expect("a small automaton");
            let dfa = dfa.minus(&empty, &limits).expect("a small automaton");
            if !dfa.is_empty() {
                break dfa;
            }
        };
        self.rules = rules;
        self.orders = orders;
        language
    }

    fn choice(&mut self, depth: u32) -> Expr {
        Expr::Choice(
            (0..self.random.usize(1..=3))
                .map(|_| self.sequence(depth))
                .collect(),
        )
    }

    fn interleave(&mut self, depth: u32) -> Expr {
        let mut items = Vec::new();
        for _ in 0..self.random.usize(1..=4) {
            let mut ways = Vec::new();
            for _ in 0..self.random.usize(1..=2) {
                // Rarely nothing, which makes all subsets of items the same text.
                let text = match self.random.u8(..20) {
                    0 => self.sequence(0),
                    _ => Expr::Sequence(vec![self.leaf(), self.sequence(depth)]),
                };
                let meets = self.random.u32(..4);
                ways.push(Way { meets, text });
            }
            items.push(Item {
                ways,
                is_once: self.random.u8(..4) > 0,
                is_required: self.random.u8(..3) == 0,
            });
        }
        let min = self.random.u32(..2) * self.random.u32(..3);
        let max = (self.random.u8(..3) == 0).then(|| min + self.random.u32(..3));
        let wanted = match self.random.u8(..4) {
            0 => self.random.u32(1..4),
            _ => 0,
        };
        let separator = match self.random.u8(..3) {
            0 => Expr::empty(),
            _ => self.sequence(0),
        };
        Expr::Interleave(Box::new(Interleave {
            items,
            separator,
            min,
            max,
            wanted,
        }))
    }

    fn sequence(&mut self, depth: u32) -> Expr {
        Expr::Sequence(
            (0..self.random.usize(0..=3))
                .map(|_| self.atom(depth))
                .collect(),
        )
    }

    fn atom(&mut self, depth: u32) -> Expr {
        match self.random.u8(..10) {
            0..=2 if self.rules > 0 => Expr::Rule(RuleId(self.random.u32(..self.rules))),
            3 if depth > 0 => {
                let min = self.random.u32(..=1);
                let max = self.random.bool().then(|| min + self.random.u32(..=2));
                Expr::Repeat {
                    item: Box::new(self.choice(depth - 1)),
                    min,
                    max,
                }
            }
            4 if depth > 0 => self.choice(depth - 1),
            5 | 6 if depth > 0 && self.orders => self.interleave(depth - 1),
            _ => self.leaf(),
        }
    }

    /// Texts of a small regular language, mostly with a loop, that have so many characters.
    fn counted(&mut self) -> Expr {
        let limits = Limits::default();
        self.counts = false;
        let rules = std::mem::replace(&mut self.rules, 0);
        let orders = std::mem::replace(&mut self.orders, false);
        let expr = match self.random.u8(..3) {
            0 => self.choice(1),
            _ => Expr::Sequence(vec![
                self.sequence(0),
                self.choice(1).star(),
                self.sequence(0),
            ]),
        };
        let min = self.random.u32(..2) * self.random.u32(..6);
        let max = match self.random.u8(..4) {
            0 => None,
            _ => Some(min + self.random.u32(..6)),
        };
        self.counts = true;
        self.rules = rules;
        self.orders = orders;
        let counted = Counted::of_expr(&expr, min, max, &limits).expect("a small automaton");
        // Where counts are no help, as of pairs of characters, that is the language itself.
        counted.map_or(expr, |counted| Expr::Counted(counted.into()))
    }

    fn leaf(&mut self) -> Expr {
        if self.terminals > 0 {
            return Expr::Terminal(TerminalId(self.random.u32(..self.terminals)));
        }
        if self.counts && self.random.u8(..3) == 0 {
            return self.counted();
        }
        let length = self.random.usize(1..=2);
        let text: Vec<u8> = (0..length)
            .map(|_| *self.random.choice(ALPHABET).expect("a byte"))
            .collect();
        Expr::literal(text)
    }
}

/// Canvases and texts with gaps of any length.
pub fn patterns(random: &mut fastrand::Rng, vocabulary: &Vocabulary) -> Vec<Pattern> {
    let canvases = (0..4).filter_map(|_| {
        let cells = (0..random.usize(1..=5)).map(|_| {
            let token = random.u32(2..vocabulary.len() as u32);
            random.bool().then_some(token)
        });
        Pattern::of_canvas(&cells.collect::<Vec<_>>(), vocabulary)
    });
    let mut patterns: Vec<Pattern> = canvases.collect();
    for _ in 0..4 {
        let segments = (0..random.usize(0..=4)).map(|_| match random.bool() {
            true => Segment::Gap(Gap::Any),
            false => Segment::Text(vec![b"ab("[random.usize(..3)]]),
        });
        patterns.push(Pattern::with_open_tail(
            segments.collect::<Vec<_>>().into_iter(),
        ));
    }
    patterns
}

/// Grammars of all kinds, with what they are compiled to.
pub fn compiled(seed: u64) -> (String, Grammar, Compiled) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut generator = RandomGrammar::new(&mut random);
    if seed % 4 > 1 {
        generator.with_orders();
    }
    if seed % 5 < 2 {
        generator.with_counts();
    }
    let mut grammar = match seed % 2 {
        0 => generator.grammar(),
        _ => generator.munching(),
    };
    if seed.is_multiple_of(3) {
        grammar.constraint = Some(Arc::new(generator.constraint()));
    }
    let name = format!("seed {seed}: {grammar:?}");
    let mut limits = CheckerLimits::default();
    if seed % 7 < 3 {
        limits.contexts = ContextLimits::MANY;
    }
    let compiled = Compiled::new(&grammar, !seed.is_multiple_of(5), &limits);
    let compiled = compiled.expect(&name);
    (name, grammar, compiled)
}
