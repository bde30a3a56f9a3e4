//! The integration tests in one program: each more takes seconds to link.

mod adversaries;
mod concurrency;
mod cpp_grammar;
mod explain;
mod faults;
mod grammar_cache;
mod judged_grammars;
mod key_cache;
mod known_failures;
mod masked_members;
mod methods;
mod precision;
mod shapes;
mod shipped_grammars;
mod whole_texts;
mod workbench;
