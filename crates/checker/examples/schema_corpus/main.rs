//! Schemas from elsewhere: how they are taken, and how long that takes.
//!
//! Reads a folder of files in the format of JSON-Schema-Test-Suite (a list of
//! `{description, schema, tests: [{description, data, valid}]}`), of one such group
//! each (`{schema, tests}`), or of schemas alone, and prints, file by file, how many
//! verdicts are right, wrong or refused; why schemas are refused; and quantiles of the
//! processor time to compile one, for writing and for judging, the best of three, of all
//! schemas and by their length: to a grammar, and until a checker is ready.
//!
//! Of every schema texts are drawn too (`--witnesses`, by seeds), which the outside
//! validator must find valid; changed a little, and spelled in some way, it must say
//! of them what the grammar says.
//!
//! With `--gaps`, canvases with gaps of any length are asked of every schema, and what completes
//! them is judged by the outside validator.
//!
//! `cargo run --release -p lacuna-checker --example schema_corpus -- FOLDER
//! [--documents URI=FOLDER] [--draft URI] [--formats] [--witnesses N] [--slowest N]
//! [--times FILE] [--gaps] [--quiet]`
//!
//! `--times` writes what every schema took, which `beside_llguidance.py` reads.

mod arguments;
mod clock;
mod corpus;
mod gaps;
mod judgement;
#[path = "../../../grammar/tests/support/keys.rs"]
mod keys;
#[path = "../../../grammar/tests/support/mutation.rs"]
mod mutation;
#[path = "../../../grammar/tests/support/outside.rs"]
mod outside;
#[path = "../../../grammar/tests/support/mod.rs"]
mod support;
mod times;

use std::process::ExitCode;

use arguments::Arguments;
use gaps::Gaps;
use judgement::{Judgement, Tally};
use times::Times;

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let files = match corpus::read(&arguments.folder) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{}: {error}", arguments.folder.display());
            return ExitCode::FAILURE;
        }
    };
    let mut whole = Tally::default();
    let mut times = Times::default();
    let mut gaps = Gaps::default();
    for file in &files {
        let mut tally = Tally::default();
        for group in &file.groups {
            let mut judgement = Judgement::new(&arguments, &file.name, group);
            judgement.judge(&mut tally, &mut times);
            if arguments.asks_gaps {
                judgement.ask_gaps(&mut tally, &mut gaps);
            }
        }
        if !arguments.is_quiet {
            println!("{}: {tally}", file.name);
        }
        whole.add(tally);
    }
    println!("{} files: {whole}", files.len());
    whole.print_refusals();
    times.print(arguments.slowest);
    gaps.print(arguments.slowest);
    if let Some(file) = &arguments.times
        && let Err(error) = std::fs::write(file, times.to_json().to_string())
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    match whole.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
