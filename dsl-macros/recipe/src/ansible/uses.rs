//! Files that a playbook, a role or a file of tasks uses.

use super::lookups::{self, Lookup};
use super::short;
use super::tree::Node;
use super::value::Values;
use crate::files::Use;
use crate::texts::{OUTPUTS, UNKNOWN};

/// Keys of a task that may succeed without the files it uses.
const TOLERANT: [&str; 4] = ["when", "ignore_errors", "failed_when", "rescue"];

/// The files that one key of a task or a play uses.
pub(super) fn of_key(task: &Node, key: &str, value: &Node, values: &Values<'_>) -> Vec<Use> {
    let argument = |name: &str| {
        let given = value.get(name).or_else(|| task.get("args").and_then(|args| args.get(name))).and_then(Node::text);
        given.map(str::to_owned).or_else(|| {
            let words = value.text()?.split_ascii_whitespace();
            words.filter_map(|word| word.split_once('=')).find(|(key, _)| *key == name).map(|(_, text)| text.to_owned())
        })
    };
    let says = |name: &str, no: bool| {
        argument(name).is_some_and(|text| matches!(text.as_str(), "false" | "no" | "False" | "No") == no)
    };
    let is_there = || says("remote_src", false) || says("copy", true);
    let first = || {
        let text = value.text().or_else(|| value.get("file").and_then(Node::text))?;
        let is_path = |word: &&str| key != "script" || !word.contains('=');
        let word = if text.contains("{{") { Some(text) } else { text.split_ascii_whitespace().find(is_path) };
        word.map(str::to_owned)
    };
    let found = |folder: &str, path: Option<String>| {
        path.map_or_else(Vec::new, |path| constants(folder, &path, value.line, values))
    };
    // Ansible looks for these nowhere else.
    let one = |folder: &str, path: Option<String>| needed(found(folder, path));
    let is_tolerant = TOLERANT.iter().any(|key| task.get(key).is_some());
    let unless_tolerant = |uses: Vec<Use>| if is_tolerant { uses } else { needed(uses) };
    match key {
        "template" => one("templates", argument("src")),
        "copy" if !is_there() => one("files", argument("src")),
        "unarchive" if !is_there() => unless_tolerant(found("files", argument("src"))),
        "assemble" if says("remote_src", true) => found("files", argument("src")),
        "patch" if !is_there() => found("files", argument("src")),
        "script" => one("files", first().or_else(|| argument("cmd"))),
        "include_tasks" | "import_tasks" => one("tasks", first()),
        "include_vars" => {
            let path =
                first().filter(|text| !text.contains('=')).or_else(|| argument("file")).or_else(|| argument("dir"));
            unless_tolerant(found("vars", path))
        }
        "vars_files" => files(value),
        "include_role" | "import_role" => found("roles", argument("name")),
        "import_playbook" => {
            let path = first();
            path.and_then(|path| Use::beside(&path, value.line)).map(Use::needed).into_iter().collect()
        }
        "roles" => {
            let name = |role: &Node| {
                role.text().or_else(|| role.get("role").or_else(|| role.get("name"))?.text()).map(str::to_owned)
            };
            value.list().iter().filter_map(|role| Use::of_ansible("roles", &name(role)?, role.line)).collect()
        }
        _ => match key.strip_prefix("with_").and_then(folder) {
            Some(folder) => {
                let items = value.list().iter().chain(value.text().map(|_| value));
                let paths = items.filter_map(|item| Some((item.text()?, item.line)));
                let uses = paths.flat_map(|(path, line)| constants(folder, path, line, values));
                if key == "with_file" { unless_tolerant(uses.collect()) } else { uses.collect() }
            }
            None => Vec::new(),
        },
    }
}

/// The files that the lookups in a text use. The whole text may be an expression.
pub(super) fn of_text(text: &str, line: u32, is_bare: bool) -> Vec<Use> {
    let found = if is_bare { lookups::of_expression(text, line) } else { lookups::of(text, line) };
    found.iter().flat_map(of_lookup).collect()
}

fn of_lookup(lookup: &Lookup<'_>) -> Vec<Use> {
    let Some(folder) = folder(lookup.plugin) else { return Vec::new() };
    let option = |name: &str| lookup.options.iter().find(|(option, _)| *option == name).map(|(_, text)| *text);
    let paths: Vec<&str> = match lookup.plugin {
        // The term is a key; in the old form, the file comes after it: `'key file=x.csv'`.
        "csvfile" | "ini" => {
            let words = lookup.terms.iter().flat_map(|term| term.split_ascii_whitespace());
            words.filter_map(|word| word.strip_prefix("file=")).chain(option("file")).collect()
        }
        _ => lookup.terms.clone(),
    };
    let uses = paths.iter().filter_map(|path| of_path(folder, path, lookup.line));
    // These read an existing file or fail, unless they handle errors or have a default for a missing file.
    let fails = matches!(lookup.plugin, "file" | "template" | "unvault" | "csvfile");
    if fails && option("errors").is_none() { uses.map(Use::needed).collect() } else { uses.collect() }
}

/// The folder in which a lookup looks for files.
fn folder(plugin: &str) -> Option<&'static str> {
    match short(plugin) {
        "template" => Some("templates"),
        "file" | "unvault" | "csvfile" | "ini" | "fileglob" | "first_found" | "filetree" => Some("files"),
        _ => None,
    }
}

/// A path; for a pattern, the folder before it.
fn of_path(folder: &str, path: &str, line: u32) -> Option<Use> {
    let path = match path.find(['*', '?']) {
        Some(at) => path[..at].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => path,
    };
    Use::of_ansible(folder, path, line)
}

/// Each path that a text may become. A file computed from variables need not be used: an input, for example, may override
/// it.
fn constants(folder: &str, text: &str, line: u32, values: &Values<'_>) -> Vec<Use> {
    if let Some(one) = of_path(folder, text, line) {
        return vec![one];
    }
    let texts = values.of(text).into_iter().filter(|text| !text.contains([UNKNOWN, OUTPUTS]));
    texts.filter_map(|text| of_path(folder, &text, line)).map(Use::spare).collect()
}

/// `vars_files:`; of a list within the list, the first existing file is used.
fn files(value: &Node) -> Vec<Use> {
    let of = |node: &Node| Use::of_ansible("vars", node.text()?, node.line);
    let alternatives = value.list().iter().flat_map(Node::list).filter_map(of);
    let files = value.list().iter().chain(value.text().map(|_| value)).filter_map(of);
    files.map(Use::needed).chain(alternatives).collect()
}

/// Relative paths that tasks may have created, according to their `dest` or `path`.
pub(super) fn made(documents: &[Node]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Vec<&Node> = documents.iter().collect();
    while let Some(node) = open.pop() {
        open.extend(node.list());
        for (key, value) in node.map() {
            open.push(value);
            let words = value.text().unwrap_or_default().split_ascii_whitespace();
            let keyed = words.filter_map(|word| word.strip_prefix("dest=").or_else(|| word.strip_prefix("path=")));
            let is_place = matches!(key.text(), Some("dest" | "path" | "creates"));
            let whole = value.text().filter(|_| is_place).into_iter();
            let own = |text| {
                let (_, path) = str::rsplit_once(text, "}}/").unwrap_or(("", text));
                path.trim_start_matches("./").trim_end_matches('/')
            };
            found.extend(keyed.chain(whole).map(own).filter(|path| !path.is_empty() && !path.starts_with('/')));
        }
    }
    found
}

fn needed(uses: Vec<Use>) -> Vec<Use> {
    uses.into_iter().map(Use::needed).collect()
}
