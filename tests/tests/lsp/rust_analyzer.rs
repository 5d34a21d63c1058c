//! rust-analyzer's view of a blueprint: the author's own documentation, and the missing input.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wattle_tests::skip::{everything, skipped};

use super::client::Client;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// An analysed crate.
struct Editor {
    client: Client,
    uri: String,
    text: String,
}

impl Editor {
    /// The example `hello`, as an author's crate.
    fn open(folder: &Path) -> Self {
        let copied = Command::new("cp").arg("-r").arg(format!("{ROOT}/examples/hello/.")).arg(folder).status();
        assert!(copied.unwrap().success());
        fs::remove_dir_all(folder.join("tests")).unwrap();
        fs::remove_file(folder.join("main.rs")).unwrap();
        fs::copy(format!("{ROOT}/Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let manifest = format!(
            "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nwattle = {{ path = \
             \"{ROOT}/dsl\" }}\nwattle-catalog = {{ path = \"{ROOT}/catalog\" }}\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        let mut command = Command::new("rust-analyzer");
        command
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-analyzer"));
        for variable in ["RUSTFLAGS", "CARGO_NET_OFFLINE"] {
            command.env_remove(variable);
        }
        let mut client = Client::of(&mut command);
        let root = format!("file://{}", folder.display());
        let capabilities = json!({
            "experimental": {"serverStatusNotification": true},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}},
        });
        client.ask("initialize", json!({"processId": null, "rootUri": root, "capabilities": capabilities})).unwrap();
        client.tell("initialized", json!({}));
        let (uri, text) = (format!("{root}/src/lib.rs"), fs::read_to_string(folder.join("src/lib.rs")).unwrap());
        client.open_as("rust", &uri, &text);
        let is_ready = |message: &Value| {
            message["method"] == "experimental/serverStatus" && message["params"]["quiescent"] == true
        };
        while !is_ready(&client.read().expect("it says when it is ready")) {}
        Self { client, uri, text }
    }

    /// The hover text at `|` in this part of the text.
    fn hover(&mut self, place: &str) -> String {
        let (before, after) = place.split_once('|').unwrap();
        let start = self.text.find(&format!("{before}{after}")).expect(place) + before.len();
        let line = self.text[..start].lines().count() - 1;
        let character = self.text[..start].lines().last().unwrap().len();
        let position = json!({"textDocument": {"uri": self.uri}, "position": {"line": line, "character": character}});
        let shown = self.client.ask("textDocument/hover", position).unwrap();
        shown["contents"]["value"].as_str().unwrap_or_else(|| panic!("{place}: {shown}")).to_owned()
    }
}

#[test]
fn rust_analyzer_shows_what_the_author_wrote_and_a_missing_input() {
    if !everything("rust-analyzer in a blueprint") {
        return;
    }
    if !Command::new("rust-analyzer").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skipped("rust-analyzer in a blueprint", "it is missing: `rustup component add rust-analyzer`");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut editor = Editor::open(folder.path());
    let setter = editor.hover("Listener::new().gree|ting(");
    for part in ["pub fn greeting(self, value: impl", "`Greeting` = `Missing`", "What to hear.", "`String`, required."]
    {
        assert!(setter.contains(part), "{part}: {setter}");
    }
    let output = editor.hover("greeter.gree|ting));");
    assert!(output.contains("pub greeting: Output<String>") && output.contains("The greeting."), "{output}");
    // Hovering over a name shows the author's documentation, and not code that is generated at its span.
    for (place, said) in [
        ("pub struct Liste|ner {", "Hears a greeting."),
        ("    greet|ing: String,\n}\n", "The greeting."),
        ("    im|age: P", "Image of"),
    ] {
        let shown = editor.hover(place);
        assert!(shown.contains(said), "{place}: {shown}");
        for other in ["extern crate", "macro_rules", "pub mod", "Wired"] {
            assert!(!shown.contains(other), "{place} is explained by {other}: {shown}");
        }
    }

    let broken = editor.text.replace("Listener::new().greeting(greeter.greeting)", "Listener::new()");
    assert_ne!(broken, editor.text);
    fs::write(folder.path().join("src/lib.rs"), &broken).unwrap();
    let document = json!({"uri": editor.uri, "version": 2});
    let change = json!({"textDocument": document, "contentChanges": [{"text": broken}]});
    editor.client.tell("textDocument/didChange", change);
    editor.client.tell("textDocument/didSave", json!({"textDocument": {"uri": editor.uri}}));
    let reported = loop {
        let all = editor.client.diagnosed(&editor.uri);
        if let Some(one) = all.as_array().unwrap().iter().find(|one| one["code"] == "E0277") {
            break one.clone();
        }
    };
    let message = reported["message"].as_str().unwrap();
    assert!(message.starts_with("the input `greeting` of the component `Listener` is not wired"), "{reported}");
    assert!(message.contains("wire it with `.greeting(...)`: What to hear"), "{reported}");
}
