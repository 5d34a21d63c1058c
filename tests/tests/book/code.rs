//! Blocks without commands: each must be valid in its language.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::block::{Block, Language};
use crate::pages::Page;
use crate::session::target;
use wattle_tests::command::repository;
use wattle_tests::skip::everything;

/// The fault in a block by itself, if there is one.
pub(crate) fn wrong(block: &Block) -> Option<String> {
    match block.language {
        Language::Diff if block.file.is_none() => Some("a change of no file: say which, `file=PATH`".into()),
        // Compiled or run elsewhere, or not code.
        Language::Rust | Language::Console | Language::Text | Language::Diff => None,
        Language::Json => serde_json::from_str::<serde_json::Value>(&block.text).err().map(|error| error.to_string()),
        Language::Yaml => refused(&["python3", "-c", YAML], &block.text),
        Language::Toml => {
            refused(&["python3", "-c", "import sys, tomllib; tomllib.load(sys.stdin.buffer)"], &block.text)
        }
        Language::Python => {
            refused(&["python3", "-c", "import sys; compile(sys.stdin.read(), 'block', 'exec')"], &block.text)
        }
        Language::Sh => refused(&["sh", "-n"], &block.text),
        Language::Ruby => refused(&["ruby", "-c"], &block.text),
        Language::Puppet => refused(&["puppet", "parser", "validate"], &block.text),
    }
}

/// Heat's own environment has PyYAML; dates and tags do not matter here.
const YAML: &str = "import sys
sys.path[:0] = __import__('glob').glob(sys.argv[1] if len(sys.argv) > 1 else 'tests/.cache/heat-venv/lib/*/site-packages')
import yaml
yaml.load(sys.stdin, Loader=yaml.BaseLoader)";

/// The program's message if it rejects the text.
fn refused(command: &[&str], text: &str) -> Option<String> {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .current_dir(repository())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}; tests/run installs it", command[0]));
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(|| format!("{} refuses it: {}", command[0], said.trim()))
}

/// Compiles the Rust blocks that are not files of a crate on their page, as a crate for each page and a module for each
/// block.
pub(crate) fn compile(pages: &[Page]) {
    let folder = tempfile::tempdir().expect("a folder");
    let error = build(pages, folder.path()).err();
    assert!(error.is_none(), "{}", error.unwrap_or_default());
}

fn build(pages: &[Page], folder: &Path) -> Result<(), String> {
    let mut members = BTreeMap::new();
    for page in pages {
        let is_loose = |block: &&Block| block.language == Language::Rust && block.file.is_none();
        let name = crate_name(&page.path);
        let mut modules = String::new();
        for block in page.blocks.iter().filter(is_loose) {
            let text: String = block.text.lines().map(|line| format!("{}\n", visible(line))).collect();
            write(&folder.join(&name).join(format!("src/line_{}.rs", block.line)), &text);
            modules += &format!("pub mod line_{};\n", block.line);
        }
        if modules.is_empty() {
            continue;
        }
        // Recipes and other files that the page shows under their names.
        for block in page.blocks.iter().filter(|block| block.language != Language::Diff) {
            if let Some(file) = &block.file {
                write(&folder.join(&name).join(file), &block.text);
            }
        }
        let files = repository().join(page.files());
        if files.is_dir() {
            let copied = Command::new("cp").arg("-r").arg(files.join(".")).arg(folder.join(&name)).status();
            assert!(copied.is_ok_and(|status| status.success()), "{} is not copied", files.display());
        }
        write(&folder.join(&name).join("src/lib.rs"), &format!("#![allow(dead_code)]\n{modules}"));
        write(&folder.join(&name).join("Cargo.toml"), &manifest(&name));
        members.insert(name, page);
    }
    let names: Vec<String> = members.keys().map(|name| format!("\"{name}\"")).collect();
    let workspace =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\n", names.join(", "));
    write(&folder.join("Cargo.toml"), &workspace);
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("a copy");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet", "--keep-going"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo starts");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// A line without the `#` that hides it from readers.
fn visible(line: &str) -> &str {
    let content = line.trim_start();
    if content == "#" { "" } else { content.strip_prefix("# ").unwrap_or(line) }
}

/// A crate name that differs from those of the pages' own crates.
fn crate_name(page: &str) -> String {
    let name: String = page.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("page_{}", name.to_lowercase())
}

fn manifest(name: &str) -> String {
    let root = repository().display();
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nwattle = {{ path = \
         \"{root}/dsl\", features = [\"chef\"] }}\nwattle-catalog = {{ path = \"{root}/catalog\", features = [\"all\", \"parts\"] }}\nserde = {{ \
         version = \"1\", features = [\"derive\"] }}\n"
    )
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
    fs::write(path, text).expect("a new file");
}

#[cfg(test)]
fn page(text: &str) -> Page {
    let (blocks, wrong) = crate::block::blocks("docs/page.md", text);
    Page { path: "docs/page.md".into(), text: text.into(), blocks, wrong }
}

#[test]
fn a_block_with_an_error_is_reported() {
    let page = page(
        "```json\n{\n```\n```yaml\na: [\n```\n```toml\na = \n```\n```sh\nif\n```\n```ruby\ndef\n```\n```python\nif\n```\n```diff\n-a\n```\n",
    );
    let reported: Vec<String> = page.blocks.iter().map(|block| wrong(block).expect("it is wrong")).collect();
    assert_eq!(reported.len(), 7);
    assert!(reported[3].contains("sh refuses it"), "{reported:?}");
}

#[test]
fn rust_that_does_not_compile_is_reported() {
    if !everything("code of the book that does not compile") {
        return;
    }
    let page = page("```rust\nuse wattle::prelude::*;\nfn main() -> ExitCode { 1 }\n```\n");
    let folder = tempfile::tempdir().expect("a folder");
    let error = build(&[page], folder.path()).expect_err("it does not compile");
    assert!(error.contains("mismatched types") && error.contains("page_docs_page_md"), "{error}");
    assert!(error.contains("line_1.rs"), "{error}");
}
