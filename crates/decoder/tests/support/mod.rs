//! What the decoder's tests share: grammars, a small vocabulary, models that know
//! nothing or mean harm.

use std::sync::Arc;

use lacuna_decoder::{
    CommitKind, DenoiseRequest, Denoiser, DenoiserError, NarrowRequest, Options, OrderKind,
    RecoveryKind, Remask, ScheduleKind, Truncation,
};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};

pub const JSON: &str = r#"
root ::= object
value ::= object | array | string | [0-9]+ | "true" | "null"
object ::= "{" (pair ("," pair)*)? "}"
pair ::= string ":" value
array ::= "[" (value ("," value)*)? "]"
string ::= "\"" [a-z ]* "\""
"#;
pub const ARITHMETIC: &str = r#"
root ::= root "+" term | term
term ::= "(" root ")" | [0-9]+
"#;
pub const COUNTED: &str = r#"root ::= ("ab" | "c"){4,6} "!""#;

pub fn vocabulary() -> Arc<Vocabulary> {
    let words = [
        "{", "}", "[", "]", "\"", ":", ",", "(", ")", "+", "0", "1", "9", "a", "b", "c", "z", "!",
        " ", "ab", "true", "null", "\":", "\",\"", "}}", "{\"", "((", ")+", "abc", "t", "r", "u",
        "e", "\u{e9}",
    ];
    let tokens = [None, None]
        .into_iter()
        .chain(words.iter().map(|word| Some(word.as_bytes().to_vec())))
        .chain([Some(vec![0xC3]), Some(vec![0xA9])])
        .collect();
    Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
}

/// Models that know nothing or mean harm.
#[derive(Clone, Copy, Debug)]
pub enum Adversary {
    Noise(u64),
    AlwaysEnd,
    AlwaysMask,
    OneToken(TokenId),
    NotANumber,
    Infinite,
    Flat,
    /// Likes best what no grammar here has, then the rest by their ids.
    Outsider,
}

pub const ADVERSARIES: [Adversary; 10] = [
    Adversary::Noise(1),
    Adversary::Noise(2),
    Adversary::AlwaysEnd,
    Adversary::AlwaysMask,
    Adversary::OneToken(2),
    Adversary::OneToken(9),
    Adversary::NotANumber,
    Adversary::Infinite,
    Adversary::Flat,
    Adversary::Outsider,
];

pub struct Model {
    adversary: Adversary,
    /// A text that it knows, and by how much it prefers each token of it.
    known: Option<(Vec<TokenId>, f32)>,
    vocabulary: Arc<Vocabulary>,
    pub calls: u64,
    pub narrowed: usize,
    last: Last,
}

#[derive(Default)]
struct Last {
    logits: Vec<Vec<f32>>,
    masked: Vec<usize>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
}

impl Model {
    pub fn new(adversary: Adversary, vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            adversary,
            known: None,
            vocabulary,
            calls: 0,
            narrowed: 0,
            last: Last::default(),
        }
    }

    /// One that knows a text, ends behind it, and prefers each token so much.
    pub fn knowing(text: Vec<TokenId>, by: f32, vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            known: Some((text, by)),
            ..Self::new(Adversary::Flat, vocabulary)
        }
    }

    fn logit(&self, (row, cell): (usize, usize), token: TokenId) -> f32 {
        if let Some((text, by)) = &self.known {
            let known = text.get(cell).copied().unwrap_or(self.vocabulary.end());
            return if token == known { *by } else { 0.0 };
        }
        let likes = |yes: bool| if yes { 9.0 } else { 0.0 };
        match self.adversary {
            Adversary::Noise(seed) => {
                let at = (row * self.vocabulary.len()) as u64 + u64::from(token);
                let mixed = (at + 977 * self.calls + 31 * seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (mixed >> 40) as f32 / (1 << 22) as f32
            }
            Adversary::AlwaysEnd => likes(token == 0),
            Adversary::AlwaysMask => likes(token == 1),
            Adversary::OneToken(liked) => likes(token == liked),
            Adversary::NotANumber => f32::NAN,
            Adversary::Infinite if token.is_multiple_of(3) => f32::INFINITY,
            Adversary::Infinite => f32::NEG_INFINITY,
            Adversary::Flat => 0.0,
            Adversary::Outsider => {
                let bytes = self.vocabulary.bytes(token).unwrap_or_default();
                let outside = bytes.iter().any(|byte| !byte.is_ascii());
                likes(outside) - token as f32 / 64.0
            }
        }
    }
}

impl Denoiser for Model {
    fn vocabulary_size(&self) -> usize {
        self.vocabulary.len()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        self.calls += 1;
        let tokens = 0..self.vocabulary.len() as TokenId;
        let places = request.masked.iter().copied().enumerate();
        let logits = places.map(|place| {
            let logits = tokens.clone().map(|token| self.logit(place, token));
            logits.collect()
        });
        self.last = Last {
            logits: logits.collect(),
            masked: request.masked.to_vec(),
            writable: request.writable.clone(),
            top: request.top,
            noise: request.noise,
        };
        let rows = self.last.logits.iter().zip(request.masked);
        let noise = request.noise.as_ref();
        Ok(rows
            .map(|(logits, &cell)| {
                summarize(logits, request.writable, request.top, noise, cell as u32)
            })
            .collect())
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        self.narrowed += asks.len();
        let last = &self.last;
        Ok(asks
            .iter()
            .map(|ask| {
                let (logits, position) = (&last.logits[ask.row], last.masked[ask.row] as u32);
                let noise = last.noise.as_ref();
                best_of(
                    logits,
                    &last.writable,
                    ask.allowed,
                    last.top,
                    noise,
                    position,
                )
            })
            .collect())
    }
}

pub const SCHEDULES: [ScheduleKind; 5] = [
    ScheduleKind::Fixed,
    ScheduleKind::Linear,
    ScheduleKind::Cosine,
    ScheduleKind::Threshold(0.05),
    ScheduleKind::Factor(3.0),
];
pub const ORDERS: [OrderKind; 5] = [
    OrderKind::Confidence,
    OrderKind::Margin,
    OrderKind::Entropy,
    OrderKind::Random,
    OrderKind::LeftToRight,
];
pub const COMMITS: [CommitKind; 5] = [
    CommitKind::Best,
    CommitKind::Sequential,
    CommitKind::Whole,
    CommitKind::Relaxed,
    CommitKind::Bisect,
];
pub const RECOVERIES: [RecoveryKind; 4] = [
    RecoveryKind::Guided,
    RecoveryKind::Best,
    RecoveryKind::Witness,
    RecoveryKind::Finish,
];

/// Options that differ in everything from one index to the next.
pub fn varied(index: usize) -> Options {
    Options {
        steps: [5, 12, 1, 8][index % 4],
        block: [None, Some(5), None][index % 3],
        schedule: SCHEDULES[index % 5],
        order: ORDERS[(index / 5) % 5],
        seed: index as u64,
        temperature: [0.0, 1.0][(index / 2) % 2],
        truncation: [
            Truncation::default(),
            Truncation {
                top_k: Some(3),
                ..Truncation::default()
            },
            Truncation {
                top_p: Some(0.5),
                min_p: Some(0.2),
                ..Truncation::default()
            },
        ][(index / 3) % 3],
        bias: [vec![], vec![(4, 2.0), (9, -3.0)]][(index / 7) % 2].clone(),
        repetition_penalty: [1.0, 1.5][(index / 11) % 2],
        masks_after: [Some(0), None, Some(3)][(index / 3) % 3],
        commit: COMMITS[(index / 4) % 5],
        foresight: [1.0, 0.0, 20.0][(index / 5) % 3],
        recovery: RECOVERIES[(index / 6) % 4],
        refusals_per_step: [2000, 4][(index / 13) % 2],
        refusals_per_run: [None, Some(20)][(index / 9) % 2],
        remask: [
            None,
            Some(Remask {
                below: 0.9,
                per_step: 2,
                per_cell: 2,
            }),
        ][(index / 8) % 2],
        early_stop: !index.is_multiple_of(10),
        candidates: [1, 4, 16][index % 3],
        ..Options::default()
    }
}
