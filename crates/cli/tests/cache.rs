//! `--cache DIR`, through the binary: commands share what they compile, several at
//! once too, and whatever lies in the folder changes no answer.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const BRACKETS: &str = "root ::= \"[\" root \"]\" root | \"\"\nleft ::= \"b\"\n";

/// A folder with a grammar in it, and beside that the cache's.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("brackets.gbnf"), BRACKETS).expect("a file");
        Self { folder }
    }

    fn grammar(&self) -> PathBuf {
        self.folder.path().join("brackets.gbnf")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
        command.arg(name).arg("--grammar").arg(self.grammar());
        command.arg("--cache").arg(self.cache());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command
    }

    /// What `lacuna compile` prints.
    fn compile(&self, arguments: &[&str]) -> Value {
        let output = self.command("compile").args(arguments).output();
        let output = output.expect("the binary starts");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("a JSON object")
    }

    fn check(&self) -> Child {
        let mut child = self.command("check").spawn().expect("the binary starts");
        let mut input = child.stdin.take().expect("standard input");
        let lines = ["[[", "]"].map(|text| format!("{{\"segments\": [\"{text}\", null]}}\n"));
        input
            .write_all(lines.concat().as_bytes())
            .expect("it reads");
        child
    }

    fn entries(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache()).expect("the cache's folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_file()).collect()
    }
}

/// The verdicts of [`Place::check`].
fn verdicts(child: Child) -> Vec<bool> {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("a JSON line");
        line["completable"].as_bool().expect("a verdict")
    });
    lines.collect()
}

#[test]
fn a_second_command_reads_what_the_first_compiled() {
    let place = Place::new();
    let first = place.compile(&[]);
    assert_eq!(first["origin"], "compiled");
    assert!(first["milliseconds"]["checker"].is_number(), "{first}");
    assert!(first["entry"]["timesFaster"].is_number(), "{first}");
    let second = place.compile(&[]);
    assert_eq!(second["origin"], "storage");
    assert!(second["milliseconds"]["load"].is_number(), "{second}");
    for same in [
        "warnings",
        "rules",
        "shortestBytes",
        "productions",
        "lexerStates",
    ] {
        assert_eq!(first[same], second[same], "{same}");
    }
    assert_eq!(first["warnings"][0]["kind"], "unreachable-rule");
    assert_eq!(place.entries().len(), 1);
    // A depth makes another grammar of it.
    assert_eq!(place.compile(&["--max-depth", "3"])["origin"], "compiled");
    assert_eq!(place.entries().len(), 2);
}

#[test]
fn whatever_lies_in_the_folder_changes_no_answer() {
    let place = Place::new();
    let expected = [true, false];
    assert_eq!(verdicts(place.check()), expected);
    let [entry] = &place.entries()[..] else {
        panic!("one entry: {:?}", place.entries());
    };
    let good = fs::read(entry).expect("the entry");
    let mut damaged = good.clone();
    damaged[good.len() - 1] ^= 1;
    let mut stale = good.clone();
    stale[8] ^= 1;
    for (bytes, kind) in [
        (&good[..good.len() / 2], "damaged"),
        (&damaged, "damaged"),
        (&stale, "stale"),
        (b"", "foreign"),
        (b"other", "foreign"),
    ] {
        fs::write(entry, bytes).expect("a file");
        assert_eq!(verdicts(place.check()), expected);
        assert_eq!(fs::read(entry).expect("the entry"), good, "{kind}");
        fs::write(entry, bytes).expect("a file");
        assert_eq!(place.compile(&[])["rebuilt"], kind);
        fs::write(entry, &good).expect("a file");
    }
    fs::remove_file(entry).expect("the entry");
    fs::create_dir(entry).expect("a folder in its place");
    assert_eq!(verdicts(place.check()), expected);
}

#[test]
fn commands_at_once_agree() {
    let place = Place::new();
    for round in 0..3 {
        let children: Vec<Child> = (0..6).map(|_| place.check()).collect();
        for child in children {
            assert_eq!(verdicts(child), [true, false], "round {round}");
        }
        let [entry] = &place.entries()[..] else {
            panic!("one entry and nothing unfinished: {:?}", place.entries());
        };
        assert_eq!(place.compile(&[])["origin"], "compiled", "not yet linted");
        fs::remove_file(entry).expect("the entry");
    }
}

#[test]
fn a_folder_that_cannot_be_is_an_error() {
    let place = Place::new();
    fs::write(place.cache(), "a file").expect("a file");
    let output = place
        .command("compile")
        .output()
        .expect("the binary starts");
    assert!(!output.status.success());
    let name = place.cache().display().to_string();
    assert!(String::from_utf8_lossy(&output.stderr).contains(&name));
    assert!(Path::new(&place.cache()).is_file());
}
