//! The canvases that are checked: made from grammars and texts in the repository,
//! the same for the same seed.

use lacuna_checker::{Gap, Pattern, Segment};
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::{Grammar, Slots, gbnf, lark};
use lacuna_lexer::TokenId;
use serde_json::Value;

use super::vocabulary::{Encoder, root};

/// Where masks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// A prefix, a block of 32 tokens of which 20 to 60 % are masked, an open tail.
    Block,
    /// 20 to 60 % of all tokens.
    Token,
    /// One to four spans.
    Span,
}

impl Masks {
    /// All of them.
    pub const ALL: [Masks; 3] = [Masks::Block, Masks::Token, Masks::Span];

    /// In small letters.
    pub fn name(self) -> &'static str {
        match self {
            Masks::Block => "block",
            Masks::Token => "token",
            Masks::Span => "span",
        }
    }
}

/// A grammar with texts of it.
pub struct Source {
    /// What to call it in tables.
    pub name: &'static str,
    /// The grammar's file, from the root.
    pub grammar: &'static str,
    texts: &'static str,
    /// Texts are put together up to so many tokens, where the grammar allows it.
    join: Join,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// One text is all there is.
    No,
    /// One under the other.
    Lines,
    /// As the values of an array.
    Array,
}

/// The grammars and texts.
pub const SOURCES: [Source; 5] = [
    Source {
        name: "C++",
        grammar: "grammars/cpp.lark",
        texts: "grammars/cpp/programs.jsonl",
        join: Join::Lines,
    },
    Source {
        name: "JSON Schema",
        grammar: "grammars/tool-call.schema.json",
        texts: "grammars/judge/tool-call.jsonl",
        join: Join::No,
    },
    Source {
        name: "JSON",
        grammar: "grammars/json.lark",
        texts: "grammars/judge/tool-call.jsonl",
        join: Join::Array,
    },
    Source {
        name: "SMILES",
        grammar: "grammars/smiles.lark",
        texts: "grammars/judge/smiles.jsonl",
        join: Join::No,
    },
    Source {
        name: "SMILES, rings unpaired",
        grammar: "crates/published/benches/compare/smiles-unpaired.lark",
        texts: "grammars/judge/smiles.jsonl",
        join: Join::No,
    },
];

/// A further one, that masks are drawn of.
#[allow(dead_code, reason = "only masks are drawn of it")]
pub const MORE: [Source; 1] = [Source {
    name: "SQL",
    grammar: "grammars/sql.lark",
    texts: "grammars/sql/members.jsonl",
    join: Join::No,
}];

impl Source {
    /// The source of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SOURCES.iter().find(|source| source.name == name)
    }

    /// Reads the grammar as `lacuna check` does.
    pub fn read(&self) -> Grammar {
        let text = std::fs::read_to_string(root().join(self.grammar)).expect(self.grammar);
        match self.grammar.rsplit_once('.').expect("an ending").1 {
            "gbnf" => gbnf::parse(&text).expect(self.grammar),
            "json" => {
                json_schema::compile(&text, &SchemaOptions::membership()).expect(self.grammar)
            }
            _ => {
                let open = lark::open(&text, &lark::Options::default()).expect(self.grammar);
                open.fill(&Slots::default()).expect(self.grammar).grammar
            }
        }
    }

    /// Its texts, those that a judge has found to be none left out.
    pub fn texts(&self) -> Vec<String> {
        let lines = std::fs::read_to_string(root().join(self.texts)).expect(self.texts);
        let lines = lines
            .lines()
            .map(|line| -> Value { serde_json::from_str(line).expect(self.texts) });
        let members = lines.filter(|line| line["ours"] != Value::Bool(false));
        members
            .filter_map(|line| Some(line["text"].as_str()?.to_owned()))
            .collect()
    }

    /// A text of about so many tokens, put together where the grammar allows it.
    fn text(
        &self,
        texts: &[String],
        tokens: usize,
        encoder: &Encoder,
        random: &mut fastrand::Rng,
    ) -> Vec<TokenId> {
        let attempts = (0..8).map(|_| self.put_together(texts, tokens, encoder, random));
        let distance = |found: &Vec<TokenId>| found.len().abs_diff(tokens);
        match self.join {
            Join::No => self.put_together(texts, 1, encoder, random),
            Join::Lines | Join::Array => attempts.min_by_key(distance).unwrap_or_default(),
        }
    }

    fn put_together(
        &self,
        texts: &[String],
        tokens: usize,
        encoder: &Encoder,
        random: &mut fastrand::Rng,
    ) -> Vec<TokenId> {
        let mut parts = Vec::new();
        let mut found = Vec::new();
        while found.len() < tokens {
            parts.push(random.choice(texts).expect(self.texts).trim());
            found = encoder.encode(&match self.join {
                Join::No | Join::Lines => parts.join("\n\n"),
                Join::Array => format!("[{}]", parts.join(", ")),
            });
        }
        found
    }
}

/// One canvas, and the same with one more token revealed.
pub struct Case {
    /// Tokens; `None` is masked.
    pub cells: Vec<Option<TokenId>>,
    /// The cell that is revealed, and as what.
    pub reveal: (usize, TokenId),
}

impl Case {
    /// The canvas after the token was revealed.
    pub fn revealed(&self) -> Vec<Option<TokenId>> {
        let mut cells = self.cells.clone();
        cells[self.reveal.0] = Some(self.reveal.1);
        cells
    }
}

/// So many canvases of `cells` tokens, or fewer where texts are short; half of the
/// revealed tokens are another cell's, and so most of these do not fit.
pub fn cases(
    source: &Source,
    masks: Masks,
    encoder: &Encoder,
    cells: usize,
    count: usize,
) -> Vec<Case> {
    let seed = format!("{} {} {} {cells}", source.name, masks.name(), encoder.name);
    let seed = seed.bytes().fold(7, |seed: u64, byte| {
        seed.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let mut random = fastrand::Rng::with_seed(seed);
    let texts = source.texts();
    let mut found = Vec::new();
    while found.len() < count {
        let tokens = source.text(&texts, cells, encoder, &mut random);
        let Some(canvas) = masked(&tokens, masks, cells, &mut random) else {
            continue;
        };
        let revealable = match masks {
            // A token of the tail would stand far from all others.
            Masks::Block => canvas.iter().rposition(Option::is_some).unwrap_or(0),
            Masks::Token | Masks::Span => canvas.len(),
        };
        let open = (0..revealable).filter(|&cell| canvas[cell].is_none());
        let open: Vec<usize> = open.collect();
        let Some(&cell) = random.choice(&open) else {
            continue;
        };
        let token = match found.len() % 2 {
            0 => tokens[cell],
            _ => *random.choice(&tokens).expect("a token"),
        };
        found.push(Case {
            cells: canvas,
            reveal: (cell, token),
        });
    }
    found
}

/// So many canvases of about `cells` tokens, half of them masked: of texts of at most one and a
/// half times as many, and where texts are not put together, at least a third.
#[allow(dead_code, reason = "only masks are drawn of them")]
pub fn half_masked(
    source: &Source,
    encoder: &Encoder,
    cells: usize,
    count: usize,
) -> Vec<Vec<Option<TokenId>>> {
    let mut random = fastrand::Rng::with_seed(5);
    let mut texts = source.texts();
    let least = match source.join {
        Join::No => cells / 3,
        Join::Lines | Join::Array => 0,
    };
    texts.retain(|text| (least..=cells * 3 / 2).contains(&encoder.encode(text).len()));
    let canvases = (0..count).map(|_| {
        let tokens = source.text(&texts, cells, encoder, &mut random);
        let cells = tokens
            .into_iter()
            .map(|token| random.bool().then_some(token));
        cells.collect()
    });
    canvases.collect()
}

/// The text with masks; `None` if it is too short for them.
fn masked(
    tokens: &[TokenId],
    masks: Masks,
    cells: usize,
    random: &mut fastrand::Rng,
) -> Option<Vec<Option<TokenId>>> {
    const BLOCK: usize = 32;
    let rate = 0.2 + 0.4 * random.f64();
    let mut canvas: Vec<Option<TokenId>> = tokens.iter().copied().map(Some).collect();
    match masks {
        Masks::Block => {
            // The block ends in the text, and so does the prefix before it.
            let longest = tokens.len().min(cells).checked_sub(BLOCK / 2)?;
            let block = BLOCK.min(longest);
            let prefix = random.usize(..=longest - block);
            canvas.truncate(prefix + block);
            for cell in &mut canvas[prefix..] {
                if random.f64() < rate {
                    *cell = None;
                }
            }
            canvas.resize(canvas.len().max(cells) + BLOCK, None);
        }
        Masks::Token => {
            for cell in &mut canvas {
                if random.f64() < rate {
                    *cell = None;
                }
            }
        }
        Masks::Span => {
            for _ in 0..random.usize(1..=4) {
                let length = random.usize(1..=(tokens.len() / 8).max(1));
                let from = random.usize(..=tokens.len() - length);
                canvas[from..from + length].fill(None);
            }
        }
    }
    Some(canvas)
}

/// A canvas as a pattern whose gaps have any length.
pub fn any_length(cells: &[Option<TokenId>], encoder: &Encoder) -> Pattern {
    let pieces = cells.iter().map(|cell| match cell {
        Some(token) => {
            let bytes = encoder.vocabulary.bytes(*token).unwrap_or_default();
            Segment::Text(bytes.to_vec())
        }
        None => Segment::Gap(Gap::Any),
    });
    Pattern::with_open_tail(pieces)
}
