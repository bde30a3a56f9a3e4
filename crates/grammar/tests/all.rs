//! The integration tests in one program: each more takes seconds to link.

mod against_lark;
mod automata;
mod cases;
mod derivations;
mod documented;
mod exports;
mod hostile;
mod json_schema;
mod leftmost;
mod lengths;
mod look_around;
mod nesting;
mod random_exports;
mod schema_coverage;
mod slots;
mod support;
mod white_space;

#[path = "support/drafts.rs"]
mod drafts;
#[path = "support/keys.rs"]
mod keys;
#[path = "support/keywords.rs"]
mod keywords;
#[path = "support/outside.rs"]
mod outside;
