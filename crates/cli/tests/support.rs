//! The binary, as tests run it.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

/// A file of the repository.
pub fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// What the binary says to these arguments, with this on its standard input.
pub fn lacuna(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let input = input.as_bytes().to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the binary ends");
    match writer.join().expect("the writer ends") {
        // A command that refuses its arguments ends before it reads a line.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.expect("input is read"),
    }
    output
}
