//! Blocks that are not run, because they take hours or run the tests themselves: each command must exist as written.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::block::Block;

/// The faults in the commands of a block that is not run.
pub(crate) fn wrong(block: &Block) -> Vec<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let commands = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
    let wrong = commands.filter_map(|command| {
        let command = command.split(" #").next().unwrap_or_default().trim();
        let words: Vec<&str> = command.split_whitespace().collect();
        let why = match words.as_slice() {
            ["cargo", "bench", arguments @ ..] => targets(root, arguments, "bench"),
            ["cargo", "nextest", "run", arguments @ ..] => targets(root, arguments, "test"),
            ["cd", _] => None,
            ["$EDITOR", file] if root.join(file).is_file() => None,
            ["wattle", arguments @ ..] => known(root, arguments),
            [program, ..] if program.contains('/') => helps(root, program),
            _ => Some("it is none that can be looked at without running it".to_owned()),
        };
        why.map(|why| format!("{block}: `{command}`: {why}"))
    });
    wrong.collect()
}

/// The fault if a script of the repository does not exist or does not accept `--help`.
fn helps(root: &Path, program: &str) -> Option<String> {
    match Command::new(root.join(program)).arg("--help").current_dir(root).output() {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => None,
        Ok(output) => Some(format!("`--help` ends with {}", output.status)),
        Err(error) => Some(error.to_string()),
    }
}

/// The fault if the program has no such command or option, according to the page of commands.
fn known(root: &Path, arguments: &[&str]) -> Option<String> {
    let page = fs::read_to_string(root.join("docs/reference/commands.md")).expect("the page of commands");
    let section = (1..=arguments.len()).rev().find_map(|words| {
        let title = format!("### wattle {}\n", arguments[..words].join(" "));
        page.split_once(&title).map(|(_, rest)| rest.split("\n### ").next().unwrap_or_default())
    });
    let Some(section) = section else { return Some("the page of commands has none of this name".to_owned()) };
    let mut options = arguments.iter().filter(|argument| argument.starts_with('-'));
    let unknown = options.find(|option| !section.contains(&format!("{option} ")))?;
    Some(format!("it has no option `{unknown}`"))
}

/// The fault if a package or target in a Cargo command does not exist. Lints check that they compile.
fn targets(root: &Path, arguments: &[&str], kind: &str) -> Option<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output =
        Command::new(cargo).args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root).output();
    let metadata: Value = serde_json::from_slice(&output.expect("cargo starts").stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let own = arguments.split(|argument| *argument == "--").next().unwrap_or_default();
    let flag = format!("--{kind}");
    own.chunks(2).find_map(|pair| match pair {
        ["-p", name] if packages.iter().any(|package| package["name"] == *name) => None,
        [given, name] if *given == flag && has(packages, kind, name) => None,
        other => Some(format!("there is no `{}`", other.join(" "))),
    })
}

fn has(packages: &[Value], kind: &str, name: &str) -> bool {
    let targets = packages.iter().filter_map(|package| package["targets"].as_array()).flatten();
    targets.into_iter().any(|target| {
        target["name"] == name && target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == kind))
    })
}
