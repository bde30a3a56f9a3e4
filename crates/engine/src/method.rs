//! The methods that are compared, by name: ours with its choices, the published ones, and
//! none.

use lacuna_decoder::{CommitKind, Options, RecoveryKind};
use lacuna_grammar::quoted;
use lacuna_published::EpicParts;

use crate::Fault;

/// What decides for a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// Nothing.
    Nobody,
    /// The exact checker.
    #[default]
    Checker,
    /// A published method; without parts, Mündler's.
    Published(Option<EpicParts>),
}

/// A method.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// What decides.
    pub judge: Judge,
    /// How it decodes, but for length, steps and seed.
    pub options: Options,
}

/// The names.
const NAMES: &str = "unconstrained, unconstrained-stop, mundler, epic and its parts memo, \
                         dfa-free, parallel joined by +, lacuna, lacuna-masks, lacuna-best, \
                         lacuna-relaxed, lacuna-whole, lacuna-sequential, lacuna-rejecting, \
                         lacuna-short-sighted, lacuna-first, lacuna-witness, \
                         lacuna-recover-best, lacuna-guided";

impl Method {
    /// The method of this name; the published ones give up after so many refusals.
    ///
    /// # Errors
    /// When there is none, a fault that names those there are.
    pub fn of_name(name: &str, refusals: usize) -> Result<Self, Fault> {
        let default = Options::default;
        let (judge, options) = match name {
            "unconstrained" => (
                Judge::Nobody,
                Options {
                    early_stop: false,
                    ..default()
                },
            ),
            "unconstrained-stop" => (Judge::Nobody, default()),
            "lacuna" => (Judge::Checker, default()),
            "lacuna-masks" => (
                Judge::Checker,
                Options {
                    masks_after: Some(0),
                    ..default()
                },
            ),
            "lacuna-best" => committing(CommitKind::Best),
            "lacuna-relaxed" => committing(CommitKind::Relaxed),
            "lacuna-whole" => committing(CommitKind::Whole),
            "lacuna-sequential" => committing(CommitKind::Sequential),
            "lacuna-rejecting" => (
                Judge::Checker,
                Options {
                    masks_after: None,
                    ..default()
                },
            ),
            "lacuna-short-sighted" => (
                Judge::Checker,
                Options {
                    foresight: 0.0,
                    ..default()
                },
            ),
            // The exact checker with the papers' budget, and each way to recover; the first
            // is theirs.
            "lacuna-first" => recovering(RecoveryKind::Finish, refusals),
            "lacuna-witness" => recovering(RecoveryKind::Witness, refusals),
            "lacuna-recover-best" => recovering(RecoveryKind::Best, refusals),
            "lacuna-guided" => recovering(RecoveryKind::Guided, refusals),
            "mundler" => (
                Judge::Published(None),
                Options::published(refusals, CommitKind::Sequential),
            ),
            _ => {
                let parts = match name {
                    "epic" => EpicParts::default(),
                    _ => parts(name)?,
                };
                let commit = match parts.parallel {
                    true => CommitKind::Relaxed,
                    false => CommitKind::Sequential,
                };
                (
                    Judge::Published(Some(parts)),
                    Options::published(refusals, commit),
                )
            }
        };
        Ok(Self {
            name: name.to_owned(),
            judge,
            options,
        })
    }
}

/// The exact checker, and another way to commit in batches.
fn committing(commit: CommitKind) -> (Judge, Options) {
    let options = Options {
        commit,
        ..Options::default()
    };
    (Judge::Checker, options)
}

/// The exact checker, rejecting until a budget of refusals is spent.
fn recovering(recovery: RecoveryKind, refusals: usize) -> (Judge, Options) {
    let options = Options {
        masks_after: None,
        recovery,
        refusals_per_run: Some(refusals),
        ..Options::default()
    };
    (Judge::Checker, options)
}

fn parts(name: &str) -> Result<EpicParts, Fault> {
    let mut parts = EpicParts {
        memo: false,
        dfa_free: false,
        parallel: false,
    };
    for part in name.split('+') {
        let known = match part {
            "memo" => Some(&mut parts.memo),
            "dfa-free" => Some(&mut parts.dfa_free),
            "parallel" => Some(&mut parts.parallel),
            _ => None,
        };
        // Twice the same part would be another name for one method.
        match known {
            Some(is_on) if !*is_on => *is_on = true,
            _ => {
                let message = format!("{} is no method; there are {NAMES}", quoted(name));
                return Err(Fault::new("invalid-input", message));
            }
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_by_a_plus() {
        let judge = |name| Method::of_name(name, 9).map(|method| method.judge);
        let parts = EpicParts {
            memo: true,
            dfa_free: false,
            parallel: true,
        };
        assert_eq!(judge("memo+parallel"), Ok(Judge::Published(Some(parts))));
        assert_eq!(judge("memo+dfa-free+parallel"), judge("epic"));
        assert!(judge("memo+quick").is_err());
        assert!(judge("memo+memo").is_err());
    }
}
