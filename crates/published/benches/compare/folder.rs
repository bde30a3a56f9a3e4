//! The files of a folder, and what was measured of them in a few numbers.

use std::path::Path;

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
    shares.map(|share| {
        let at = ((times.len() as f64 * share).ceil() as usize).saturating_sub(1);
        times
            .get(at)
            .map_or("–".into(), |time| format!("{time:.2}"))
    })
}
