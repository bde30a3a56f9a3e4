//! The integration tests in one program: each more takes seconds to link.

mod counting;
mod partition;
mod plain;
mod product;
