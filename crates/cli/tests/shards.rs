//! Models whose weights are in shards, by the commands that read models: the same as from one
//! file, and what is wrong with a shard is said with its name.

use std::path::Path;
use std::process::{Command, Output};

use crate::parted::parted;

const MODEL: &str = "models/lacuna-mini";

fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// The model that ships, in shards of a megabyte.
fn sharded(folder: &Path) -> String {
    let shipped = |name: &str| std::fs::read(repository(MODEL) + "/" + name).expect(name);
    let parts = parted(&shipped("model.safetensors"), 1_000_000);
    assert!(parts.len() > 5);
    let others = ["config.json", "tokenizer.json"].map(|name| (name.to_owned(), shipped(name)));
    for (name, bytes) in parts.into_iter().chain(others) {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    folder.to_string_lossy().into_owned()
}

fn lacuna(command: &str, model: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args([command, "--model", model, "--device", "cpu"])
        .args(more)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn shards_write_what_one_file_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let shards = sharded(folder.path());
    let snips = repository("grammars/snips.schema.json");
    let json = repository("grammars/json.gbnf");
    let prompt = ["--prompt", "book a table for two in Boston tomorrow"];
    let options = ["--length", "48", "--steps", "8", "--temperature", "0.8"];
    let template = ["--template", r#"{"a": [<mask:4>], "b": "<mask:2>"}"#];
    for (command, more) in [
        ("generate", [&["--grammar", &snips][..], &prompt, &options]),
        ("infill", [&["--grammar", &json], &prompt, &template]),
    ] {
        let [one, several] =
            [&repository(MODEL), &shards].map(|model| lacuna(command, model, &more.concat()));
        assert!(several.status.success(), "{}", text(&several.stderr));
        assert!(!one.stdout.is_empty());
        assert_eq!(text(&several.stdout), text(&one.stdout));
    }
}

#[test]
fn shards_are_evaluated() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = repository("grammars/snips.schema.json");
    let requests = repository("models/lacuna-mini/heldout-snips.jsonl");
    let more = ["--grammar", &grammar, "--requests", &requests];
    let few = ["--limit", "1", "--length", "40", "--steps", "4"];
    let more = [&more[..], &few].concat();
    let output = lacuna("eval", &sharded(folder.path()), &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn what_is_wrong_with_shards_is_named() {
    let grammar = repository("grammars/snips.schema.json");
    let shard = "model-00002-of-";
    type Change = fn(&Path);
    let changes: [(Change, &str); 3] = [
        (
            |path| std::fs::remove_file(path).expect("a shard"),
            "is not there",
        ),
        (
            |path| std::fs::write(path, [0; 20]).expect("a shard"),
            "header",
        ),
        (
            |path| {
                std::fs::File::options()
                    .write(true)
                    .open(path)
                    .and_then(|it| it.set_len(2000))
                    .expect("a shard")
            },
            "truncated",
        ),
    ];
    for (change, words) in changes {
        let folder = tempfile::tempdir().expect("a folder");
        let model = sharded(folder.path());
        let files = std::fs::read_dir(folder.path()).expect("files");
        let names = files.map(|file| file.expect("a file").path());
        let is_second = |path: &std::path::PathBuf| path.to_string_lossy().contains(shard);
        change(&names.into_iter().find(is_second).expect("a second shard"));
        let output = lacuna(
            "generate",
            &model,
            &["--grammar", &grammar, "--prompt", "hello"],
        );
        assert_eq!(output.status.code(), Some(1));
        let error = text(&output.stderr);
        assert!(error.contains(shard) && error.contains(words), "{error}");
        assert!(error.contains(&model), "{error}");
    }
}
