//! `lacuna-bindgen INPUT.wasm FOLDER`: writes the module, its JavaScript and
//! its type declarations to FOLDER, for use as an ES module.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = arguments.as_slice() else {
        eprintln!("usage: lacuna-bindgen INPUT.wasm FOLDER");
        return ExitCode::from(2);
    };
    match generate(input, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lacuna-bindgen: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &str, folder: &str) -> anyhow::Result<()> {
    Bindgen::new()
        .input_path(input)
        .web(true)?
        // The JavaScript finds the module beside itself; bundlers see it there.
        .omit_default_module_path(false)
        .typescript(true)
        .generate(folder)
}
