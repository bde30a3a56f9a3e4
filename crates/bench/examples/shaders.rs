//! Prints the WGSL of every variant of every kernel as JSON, for a browser to validate: a list
//! of `{ name, code }`.
//!
//! ```sh
//! cargo run -p lacuna-bench --example shaders
//! ```

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let sources = lacuna_gpu::all_sources()?;
    let sources: Vec<_> = sources
        .into_iter()
        .map(|(name, code)| serde_json::json!({ "name": name, "code": code }))
        .collect();
    println!("{}", serde_json::to_string(&sources)?);
    Ok(())
}
