//! `lacuna-bindgen INPUT.wasm FOLDER [--module-handed-over]`: writes the module, its
//! JavaScript and its type declarations to FOLDER, for use as an ES module. The JavaScript
//! finds the module beside itself, where bundlers see it, unless it is always handed over.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (input, folder, handed_over) = match arguments.as_slice() {
        [input, folder] => (input, folder, false),
        [input, folder, option] if option == "--module-handed-over" => (input, folder, true),
        _ => {
            eprintln!("usage: lacuna-bindgen INPUT.wasm FOLDER [--module-handed-over]");
            return ExitCode::from(2);
        }
    };
    match generate(input, folder, handed_over) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lacuna-bindgen: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &str, folder: &str, handed_over: bool) -> anyhow::Result<()> {
    Bindgen::new()
        .input_path(input)
        .web(true)?
        .omit_default_module_path(handed_over)
        .typescript(true)
        .generate(folder)
}
