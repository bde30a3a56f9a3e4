//! The files of a folder, and what was measured of them in a few numbers.

use std::path::Path;

use super::quantile::quantile;

/// The names and texts of a folder's files that are text, in the order of their names.
pub fn texts(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let files = entries.iter().map(|entry| entry.path());
    let mut texts: Vec<(String, String)> = files
        .filter(|path| path.is_file())
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, std::fs::read_to_string(path).ok()?))
        })
        .collect();
    texts.sort();
    Ok(texts)
}

/// Whether a text is JSON.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// What these shares of all times do not exceed, in their own unit.
pub fn quantiles<const N: usize>(mut times: Vec<f64>, shares: [f64; N]) -> [String; N] {
    times.sort_by(f64::total_cmp);
    shares.map(|share| match times.is_empty() {
        true => "–".into(),
        false => format!("{:.2}", quantile(&times, share)),
    })
}
