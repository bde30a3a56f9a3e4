//! The integration tests in one program: each more takes seconds to link.

mod bench;
mod common;
mod faults;
mod kept;
mod kernels;
mod model;
mod reference;
