//! Writes the benchmark's canvases as JSON lines, in the form that `lacuna check`
//! reads: `cargo run -p lacuna-published --example workloads -- C++ token 20`. Gaps
//! have any length, or with `--cells` so many cells (`"gaps"`), which needs the
//! tokenizer that the canvases are made with: `--shipped` takes the model's in place
//! of the large one.

#[path = "../benches/compare/mod.rs"]
#[allow(dead_code, reason = "shared with the benchmark")]
mod compare;

use std::fmt::Write as _;
use std::process::ExitCode;

use compare::vocabulary::Encoder;
use compare::workload::{self, Masks, Source, cases};
use lacuna_lexer::TokenId;
use serde_json::{Map, Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let plain: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let source = plain.first().and_then(|name| Source::named(name));
    let masks = plain
        .get(1)
        .and_then(|name| Masks::ALL.into_iter().find(|m| m.name() == **name));
    let count = plain.get(2).and_then(|count| count.parse().ok());
    let (Some(source), Some(masks), Some(count)) = (source, masks, count) else {
        let mut names = String::new();
        for source in &workload::SOURCES {
            let _ = write!(names, " {:?}", source.name);
        }
        eprintln!("workloads SOURCE block|token|span COUNT [--cells] [--shipped]\nsources:{names}");
        return ExitCode::FAILURE;
    };
    let large = if flag("--shipped") {
        None
    } else {
        Encoder::large()
    };
    let encoder = large.unwrap_or_else(Encoder::shipped);
    for (index, case) in cases(source, masks, &encoder, 256, count)
        .iter()
        .enumerate()
    {
        let id = format!("{} {} {index}", source.name, masks.name());
        let before = (id.clone(), case.cells.clone());
        let after = (format!("{id}, one more"), case.revealed());
        for (id, cells) in [before, after] {
            println!("{}", line(&id, source, &cells, &encoder, flag("--cells")));
        }
    }
    ExitCode::SUCCESS
}

fn line(
    id: &str,
    source: &Source,
    cells: &[Option<TokenId>],
    encoder: &Encoder,
    counted: bool,
) -> Value {
    let mut segments: Vec<Value> = Vec::new();
    let mut gaps: Vec<usize> = Vec::new();
    for run in cells.chunk_by(|one, other| one.is_some() == other.is_some()) {
        if run[0].is_none() {
            segments.push(Value::Null);
            gaps.push(run.len());
            continue;
        }
        let bytes = run
            .iter()
            .flatten()
            .filter_map(|&token| encoder.vocabulary.bytes(token));
        segments.push(
            match String::from_utf8(bytes.collect::<Vec<_>>().concat()) {
                Ok(text) => Value::String(text),
                Err(part) => json!({ "base64": base64(part.as_bytes()) }),
            },
        );
    }
    let mut line = Map::new();
    line.insert("id".to_owned(), id.into());
    line.insert("grammar".to_owned(), source.grammar.into());
    line.insert("segments".to_owned(), segments.into());
    if counted {
        line.insert("gaps".to_owned(), gaps.into());
    }
    Value::Object(line)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            match digit <= group.len() {
                true => text.push(DIGITS[(number >> (18 - 6 * digit) & 63) as usize].into()),
                false => text.push('='),
            }
        }
    }
    text
}
