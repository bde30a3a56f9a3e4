//! Names of rules, in the letters that a dialect allows, each once.

use std::collections::BTreeSet;

/// Names like those given, the first of which is `start`; `joint` stands for what may not
/// stand in a name.
pub(super) fn names<'a>(
    given: impl Iterator<Item = &'a str>,
    start: &str,
    joint: char,
) -> Vec<String> {
    let mut taken = BTreeSet::from([start.to_owned()]);
    let fresh = |name: &str| {
        let letters = name.chars().map(|it| it.to_ascii_lowercase());
        let letters = letters.map(|it| if it.is_ascii_alphanumeric() { it } else { ' ' });
        let words: String = letters.collect();
        let joined = words.split_whitespace().collect::<Vec<_>>();
        let plain = match joined.join(&joint.to_string()) {
            plain if plain.is_empty() => "rule".to_owned(),
            plain if plain.starts_with(|it: char| it.is_ascii_digit()) => {
                format!("r{joint}{plain}")
            }
            plain => plain,
        };
        let mut name = plain.clone();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{plain}{joint}{count}");
        }
        name
    };
    let mut names = vec![start.to_owned()];
    names.extend(given.skip(1).map(fresh));
    names
}
