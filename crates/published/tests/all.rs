//! The integration tests in one program: each more takes seconds to link.

mod agreement;
mod as_published;
mod bench;
mod bounds;
mod described;
mod shipped_grammars;
