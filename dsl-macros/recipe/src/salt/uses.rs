//! Files that a state uses, and the content of its text other than Jinja.

use super::{read, word};
use crate::analysis::{FileOutline, Include};
use crate::files::Use;
use crate::names::{file_name, leading_identifier};

/// Handles `{% from "map.jinja" import redis %}` and similar statements.
pub(super) fn imports(code: &str, line: u32, into: &mut FileOutline) {
    if !["from", "import", "include", "extends", "import_yaml", "import_json", "import_text"].contains(&word(code)) {
        return;
    }
    let rest = code.trim_start_matches(['-', '+', ' ', '\n', '\t'])[word(code).len()..].trim_start();
    let quoted = rest.strip_prefix(['\'', '"']).and_then(|rest| rest.split_once(['\'', '"']));
    match quoted {
        Some((path, behind)) => {
            let one = Use::of_salt(&[path.trim_start_matches("salt://")], line);
            into.uses.extend(one.map(|one| if behind.contains("ignore missing") { one } else { one.needed() }));
            // The names that it sets are listed here.
            into.includes.push(Include::Program(file_name(path).to_owned()));
        }
        None => into.analysis.anything(),
    }
}

/// Handles the text other than outputs: includes, and reads without Jinja.
pub(super) fn of_text(text: &str, found: &mut FileOutline) {
    let mut is_including = false;
    for (line, number) in text.lines().zip(1..) {
        let content = line.trim();
        is_including =
            line.starts_with("include:") || is_including && (content.is_empty() || line.starts_with([' ', '-']));
        if is_including {
            states(content.strip_prefix("include:").unwrap_or(content), number, found);
        }
        for (at, _) in line.match_indices("salt://") {
            source(&line[..at], &line[at + "salt://".len()..], number, found);
        }
        if let Some((_, key)) = line.split_once("_pillar:") {
            let key = key.trim().trim_matches(['\'', '"']);
            read(key, number, &mut found.analysis);
            if let Some(name) = key.split(':').next().filter(|name| crate::names::is_identifier(name)) {
                found.names.need(name, number);
            }
        }
        for (at, call) in line.match_indices("wattle get ") {
            let name = leading_identifier(&line[at + call.len()..]);
            read(name, number, &mut found.analysis);
        }
        let reads_otherwise = ["pillar.", "__slot__", "inputs.json", "salt-call"];
        found.analysis.dynamic_reads |= reads_otherwise.iter().any(|form| line.contains(form));
    }
}

/// A file referred to by `salt://PATH`, in a line that begins with `before`.
fn source(before: &str, behind: &str, line: u32, found: &mut FileOutline) {
    let path = behind.split([' ', '"', '\'', ',', ']', '}', '?']).next().unwrap_or_default();
    let name = file_name(path.trim_end_matches('/'));
    if path.contains('{') || name.is_empty() {
        found.analysis.anything();
        return;
    }
    // The only source of a state: of a list, the first existing one is used, and elsewhere it is only mentioned.
    let key = before.trim_end_matches(['"', '\'', ' ']).strip_suffix(':').unwrap_or_default();
    let key = key.rsplit([' ', '-', '{', '[']).next().unwrap_or_default();
    let is_all = behind[path.len()..].trim_start_matches(['"', '\'']).trim().is_empty();
    let is_one = is_all && matches!(key, "source" | "name" | "template" | "script");
    let one = Use::of_salt(&[path], line);
    found.uses.extend(one.map(|one| if is_one { one.needed() } else { one }));
    found.includes.push(Include::Program(name.to_owned()));
}

/// The states that a line of `include:` names.
fn states(names: &str, line: u32, found: &mut FileOutline) {
    let names = names.split([',', '[', ']', ' ']).map(|name| name.trim_matches(['\'', '"', '-']));
    for name in names.filter(|name| !name.is_empty()) {
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte)) {
            let path = name.trim_start_matches('.').replace('.', "/");
            let one = Use::of_salt(&[&format!("{path}.sls"), &format!("{path}/init.sls")], line);
            // Relative to the state, `..` may lead anywhere.
            found.uses.extend(one.map(|one| if name.starts_with("..") { one } else { one.needed() }));
            found.includes.push(Include::State(path));
        } else {
            found.analysis.anything();
        }
    }
}
