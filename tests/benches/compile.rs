//! What an author waits for: compiling `connections`, clean and after a one-line edit.
//!
//! `cargo bench -p wattle-tests --bench compile` prints the table of `docs/benchmarks.md`. It copies the example to a
//! temporary workspace beside an empty crate, so that both are checked by the same cargo in the same run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const EDITS: usize = 7;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let workspace = folder.path();
    copy(&root.join("examples/connections"), &workspace.join("connections"));
    fs::create_dir_all(workspace.join("empty/src")).expect("a folder");
    fs::write(workspace.join("empty/src/lib.rs"), "//! Nothing.\n").expect("a file");
    fs::write(
        workspace.join("empty/Cargo.toml"),
        "[package]\nname = \"empty\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )
    .expect("a file");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let manifest = manifest
        .lines()
        .map(|line| match line {
            line if line.starts_with("members") => "members = [\"connections\", \"empty\"]".to_owned(),
            line => line.replace("path = \"", &format!("path = \"{}/", root.display())),
        })
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(workspace.join("Cargo.toml"), manifest).expect("a file");
    fs::copy(root.join("Cargo.lock"), workspace.join("Cargo.lock")).expect("a file");

    cargo(workspace, &["fetch"]);
    let clean = timed(|| cargo(workspace, &["check", "--package", "connections"]));
    cargo(workspace, &["check", "--package", "empty"]);
    let (mut connections, mut empty) = (Vec::new(), Vec::new());
    for edit in 0..EDITS {
        connections.push(recheck(workspace, "connections", edit));
        empty.push(recheck(workspace, "empty", edit));
    }
    let recipe = {
        let path = workspace.join("connections").join(first_recipe(&workspace.join("connections")));
        append(&path, "\n# edited\n");
        timed(|| cargo(workspace, &["check", "--package", "connections"]))
    };
    let (connections, empty) = (median(connections), median(empty));
    println!("| what | seconds |");
    println!("|---|---|");
    println!("| clean `cargo check` of connections with all its dependencies | {clean:.1} |");
    println!("| one-line edit of connections (median of {EDITS}) | {connections:.2} |");
    println!("| one-line edit of an empty crate (median of {EDITS}) | {empty:.2} |");
    println!("| difference | {:.2} |", connections - empty);
    println!("| an edited recipe of connections | {recipe:.2} |");
}

fn recheck(workspace: &Path, package: &str, edit: usize) -> f64 {
    append(
        &workspace.join(package).join("src/lib.rs"),
        &format!("/// Edit {edit}.\npub const EDIT_{edit}: usize = {edit};\n"),
    );
    timed(|| cargo(workspace, &["check", "--package", package]))
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).expect("a file");
    fs::write(path, before + text).expect("a file");
}

fn cargo(workspace: &Path, arguments: &[&str]) {
    let cargo = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", workspace.join("target"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("cargo starts");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn first_recipe(example: &Path) -> PathBuf {
    let mut recipes: Vec<PathBuf> =
        fs::read_dir(example.join("recipes")).expect("recipes").map(|entry| entry.expect("an entry").path()).collect();
    recipes.sort();
    let first = recipes.into_iter().find(|path| path.extension().is_some_and(|e| e == "sh")).expect("a shell recipe");
    first.strip_prefix(example).expect("below").to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
