//! The checker beside the published methods, on the same canvases in one run:
//! `cargo bench -p lacuna-published --bench checkers`. Prints Markdown; `-- --json FILE` keeps the
//! figures, `--svg FILE` the plot, `--each FILE` every check with its canvas (files are named
//! from the repository's root); `--cases N` is the number of canvases of each workload,
//! `--limit MS` when a reference is out of time, `--only NAME` a grammar, `--workload TEXT`
//! those with that in their name, `--cells N` how long their canvases are, `--without fits` leaves
//! a method out (or `covers`, or `growth`), `--quick` takes a few small canvases to see that all
//! works.

mod compare;

use std::process::ExitCode;

use compare::vocabulary::root;
use compare::{Options, memory, run};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    let written = Options::read(std::env::args().skip(1)).and_then(|options| {
        let report = run(&options);
        println!("{}", report.markdown);
        let write = |path: &Option<String>, text: &str| match path {
            Some(path) => {
                let written = std::fs::write(root().join(path), text);
                written.map_err(|error| format!("{path}: {error}"))
            }
            None => Ok(()),
        };
        write(&options.json, &format!("{:#}\n", report.json))?;
        write(&options.each, &report.each)?;
        write(&options.svg, &report.svg)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
