//! Schemas that no grammar says in full, judged by their keywords.

use std::sync::Arc;

use lacuna_checker::{Judge, Judgement};
use lacuna_grammar::json_schema::{Validator, Validity};

/// A schema as a judge of what its grammar, which admits more, completes.
#[derive(Debug)]
struct BySchema(Validator);

/// Judges by a validator.
pub(crate) fn judge_by(validator: Validator) -> Arc<dyn Judge> {
    Arc::new(BySchema(validator))
}

impl Judge for BySchema {
    fn judge(&self, text: &[u8]) -> Judgement {
        match self.0.judge(text) {
            Validity::Valid => Judgement::Accepted,
            Validity::Invalid { repeats } => Judgement::Refused {
                faults: repeats
                    .into_iter()
                    .map(|(item, first)| [item, first])
                    .collect(),
            },
            Validity::Unknown => Judgement::Unknown,
        }
    }
}
