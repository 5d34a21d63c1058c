//! A workspace with a copy of the example for each mutation, so that one run of cargo checks all of them.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::corpus::{self, Edit};

/// The names of crates in the real workspace, and their folders.
const CRATES: [(&str, &str); 2] = [("wattle", "dsl"), ("wattle-catalog", "catalog")];

/// The copies, in the target directory, where their dependencies stay compiled.
pub(crate) struct Workspace {
    root: PathBuf,
    /// The real workspace.
    real: PathBuf,
}

/// An error of the compiler or of `check`.
#[derive(Debug)]
pub(crate) struct Error {
    /// The compiler's code, `macro` if a macro refused, or the code of a check.
    pub(crate) by: String,
    /// Relative to the example.
    pub(crate) file: String,
    /// The marked text, up to the end of the line.
    pub(crate) marked: String,
    /// The first line of its message.
    pub(crate) text: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("INVARIANT: it is below the target directory");
        let real =
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("INVARIANT: it is below the workspace");
        Self { root: target.join("mutations"), real: real.to_owned() }
    }

    /// Writes the copy `name` of the example, with `edits` applied. Returns the edits that do not apply.
    pub(crate) fn write(&self, name: &str, edits: &[Edit]) -> Result<(), String> {
        let example = self.real.join("examples/connections");
        let copy = self.root.join(name);
        let mut files = Vec::new();
        list(&example, Path::new(""), &mut files);
        for file in files.iter().filter(|file| *file != Path::new("Cargo.toml")) {
            let mut text = fs::read_to_string(example.join(file)).expect("the example can be read");
            for edit in edits.iter().filter(|edit| Path::new(&edit.file) == file) {
                text = corpus::apply(&text, edit).map_err(|fault| format!("`{name}`: {fault}"))?;
            }
            write(&copy.join(file), &text);
        }
        if let Some(edit) = edits.iter().find(|edit| !files.contains(&PathBuf::from(&edit.file))) {
            return Err(format!("`{name}`: the example has no file {}", edit.file));
        }
        write(&copy.join("Cargo.toml"), &manifest(name));
        let mut there = Vec::new();
        list(&copy, Path::new(""), &mut there);
        for gone in there.iter().filter(|file| !files.contains(file)) {
            fs::remove_file(copy.join(gone)).expect("a file that the example no longer has can be removed");
        }
        Ok(())
    }

    /// Writes the files that the copies share, and removes copies of mutations that no longer exist.
    pub(crate) fn finish(&self, names: &[&str]) {
        let distinct: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(distinct.len(), names.len(), "two mutations have one name");
        let members: Vec<String> = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
        let crates =
            CRATES.map(|(name, folder)| format!("{name} = {{ path = '{}' }}\n", self.real.join(folder).display()));
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [\n{}]\n\n\
             [workspace.dependencies]\nserde = {{ version = \"1\", features = [\"derive\", \"rc\"] }}\n{}\n\
             [profile.dev]\ndebug = false\nincremental = false\n",
            members.concat(),
            crates.concat(),
        );
        write(&self.root.join("Cargo.toml"), &manifest);
        let lock = fs::read_to_string(self.real.join("Cargo.lock")).expect("the lock file can be read");
        write(&self.root.join("Cargo.lock"), &lock);
        for entry in fs::read_dir(&self.root).expect("the copies can be listed") {
            let entry = entry.expect("the copies can be listed");
            let name = entry.file_name();
            let known = name.to_str().is_some_and(|name| name == "target" || distinct.contains(name));
            if !known && entry.path().is_dir() {
                fs::remove_dir_all(entry.path()).expect("a copy can be removed");
            }
        }
    }

    /// The errors of the compiler, by copy. A copy that compiles has none.
    pub(crate) fn compile(&self) -> BTreeMap<String, Vec<Error>> {
        // Not `cargo check`: it would compile all dependencies again for those programs that run afterwards.
        let output = self.cargo(&["build", "--workspace", "--keep-going", "--message-format=json"]);
        let mut errors: BTreeMap<String, Vec<Error>> = BTreeMap::new();
        let messages = output.stdout.lines().map(|line| serde_json::from_str(line).expect("cargo writes JSON"));
        let messages: Vec<Value> = messages.collect();
        assert!(messages.iter().any(|message| message["reason"] == "build-finished"), "cargo: {}", output.stderr);
        for message in messages.iter().filter(|message| message["reason"] == "compiler-message") {
            let diagnostic = &message["message"];
            // The summary at the end has no place.
            if diagnostic["level"] != "error" || diagnostic["spans"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let folder = message["manifest_path"].as_str().and_then(|manifest| Path::new(manifest).parent());
            let folder = folder.expect("INVARIANT: a manifest stands in a folder");
            assert!(folder.starts_with(&self.root), "{}: {}", folder.display(), diagnostic["rendered"]);
            let name = folder.file_name().and_then(|name| name.to_str()).expect("INVARIANT: it is named by a mutation");
            errors.entry(name.to_owned()).or_default().push(compiler_error(name, diagnostic));
        }
        errors
    }

    /// The errors that `check` finds in the copies that compile.
    pub(crate) fn check<'a>(&self, names: &[&'a str]) -> BTreeMap<&'a str, Vec<Error>> {
        names.iter().map(|name| (*name, self.check_one(name))).collect()
    }

    fn check_one(&self, name: &str) -> Vec<Error> {
        let mut command = Command::new(self.root.join("target/debug").join(name));
        command.current_dir(&self.root).args(["check", "--format", "json", "--set", "cognos=true"]);
        let output = run(&mut command);
        let diagnostics = output.stdout.lines().filter(|line| line.starts_with('{'));
        let diagnostics = diagnostics.map(|line| serde_json::from_str(line).expect("`check` writes JSON"));
        let errors: Vec<Error> = diagnostics
            .filter(|diagnostic: &Value| diagnostic["severity"] == "error")
            .map(|diagnostic| self.check_error(name, &diagnostic))
            .collect();
        assert_eq!(output.success, errors.is_empty(), "`check` of {name}: {}{}", output.stdout, output.stderr);
        errors
    }

    fn check_error(&self, name: &str, diagnostic: &Value) -> Error {
        let span = &diagnostic["spans"][0];
        let source = fs::read_to_string(self.root.join(span["file"].as_str().unwrap_or_default())).unwrap_or_default();
        let line = span["line"].as_u64().and_then(|line| source.lines().nth(usize::try_from(line).ok()? - 1));
        Error {
            by: diagnostic["code"].as_str().unwrap_or_default().to_owned(),
            file: within(name, &span["file"]),
            marked: columns(line.unwrap_or_default(), &span["column"], &span["end_column"]),
            text: first_line(diagnostic),
        }
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO"));
        // Settings of the outer cargo do not apply to this one: for example, warnings must not count as errors.
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL"] {
            command.env_remove(variable);
        }
        command.env("CARGO_TARGET_DIR", self.root.join("target"));
        command.current_dir(&self.root).args(arguments).args(["--offline", "--quiet"]);
        run(&mut command)
    }
}

struct Output {
    success: bool,
    stdout: String,
    stderr: String,
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Output {
        success: output.status.success(),
        stdout: String::from_utf8(output.stdout).expect("a tool writes UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn compiler_error(name: &str, diagnostic: &Value) -> Error {
    let spans = diagnostic["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let primary = spans.iter().find(|span| span["is_primary"] == true).unwrap_or(&Value::Null);
    let line = &primary["text"][0];
    Error {
        by: diagnostic["code"]["code"].as_str().unwrap_or("macro").to_owned(),
        file: within(name, &primary["file_name"]),
        marked: columns(line["text"].as_str().unwrap_or_default(), &line["highlight_start"], &line["highlight_end"]),
        text: first_line(diagnostic),
    }
}

/// A file's path relative to the copy.
fn within(name: &str, file: &Value) -> String {
    let file = file.as_str().unwrap_or_default();
    file.strip_prefix(name).and_then(|file| file.strip_prefix('/')).unwrap_or(file).to_owned()
}

/// The part of a line from the column `start`, counted from one, up to but excluding `end`.
fn columns(line: &str, start: &Value, end: &Value) -> String {
    let index = |column: &Value| column.as_u64().and_then(|column| usize::try_from(column).ok()).unwrap_or(1) - 1;
    line.chars().take(index(end)).skip(index(start)).collect()
}

fn first_line(message: &Value) -> String {
    message["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

fn manifest(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
         [lib]\nname = \"connections\"\n\n\
         [[bin]]\nname = \"{name}\"\npath = \"main.rs\"\n\n\
         [dependencies]\nserde.workspace = true\nwattle = {{ workspace = true, features = [\"chef\"] }}\nwattle-catalog.workspace = true\n"
    )
}

/// Writes a file only if it differs, so that unchanged files are not compiled again.
fn write(file: &Path, text: &str) {
    if fs::read_to_string(file).is_ok_and(|there| there == text) {
        return;
    }
    fs::create_dir_all(file.parent().expect("INVARIANT: a file stands in a folder")).expect("a folder can be made");
    fs::write(file, text).expect("a copy can be written");
}

/// The files below a folder, relative to it.
fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).expect("the example can be listed") {
        let entry = entry.expect("the example can be listed");
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            list(root, &path, files);
        } else {
            files.push(path);
        }
    }
}
