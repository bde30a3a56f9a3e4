//! The integration tests in one program: each more takes seconds to link.

mod common;
mod files;
mod forward;
mod kept;
mod kernels;
#[path = "common/parted.rs"]
mod parted;
mod reference;
mod shards;
mod tokenizer;
