//! The variables that a playbook, a role or a file of variables sets.

use super::tree::{Node, NodeKind};
use crate::lookup::Names;

/// Keys whose texts are always expressions without braces.
pub(super) const BARE: [&str; 5] = ["when", "changed_when", "failed_when", "until", "that"];

/// Ansible's own variables, besides those that begin with `ansible_`.
const OWN: [&str; 30] = [
    "item",
    "template_host",
    "template_path",
    "template_fullpath",
    "template_destpath",
    "template_mtime",
    "template_uid",
    "template_run_date",
    "role_uuid",
    "inventory_sources",
    "delegated_vars",
    "play_name",
    "loop_var",
    "hostvars",
    "groups",
    "group_names",
    "inventory_hostname",
    "inventory_hostname_short",
    "inventory_dir",
    "inventory_file",
    "play_hosts",
    "playbook_dir",
    "role_path",
    "role_name",
    "role_names",
    "omit",
    "vars",
    "environment",
    "discovered_interpreter_python",
    "heat_outputs_path",
];

/// Whether a text is one of YAML's words for true and false: `failed_when: no`.
pub(super) fn is_truth(text: &str) -> bool {
    ["y", "yes", "n", "no", "on", "off", "true", "false"].contains(&text.to_ascii_lowercase().as_str())
}

/// Records the variables that a document sets: as a file of variables, every key; as plays and tasks, those that they
/// register, loop over, prompt for and define.
pub(super) fn document(document: &Node, into: &mut Names) {
    OWN.iter().for_each(|name| into.set(name));
    keys(document, into);
    within(document, into);
}

fn within(node: &Node, into: &mut Names) {
    node.list().iter().for_each(|item| within(item, into));
    for (key, value) in node.map() {
        let key = key.text().unwrap_or_default();
        let module = key.rsplit('.').next().unwrap_or_default();
        match module {
            "vars" | "set_fact" | "loop_control" | "data" => defined(value, into),
            "register" | "loop_var" | "index_var" => texts(value, into),
            "vars_prompt" => value.list().iter().filter_map(|one| one.get("name")).for_each(|one| texts(one, into)),
            "vars_files" => files(value, into),
            // The variables that it reads may be stored under one name.
            "include_vars" if value.get("name").is_some() => {
                value.get("name").into_iter().for_each(|name| texts(name, into));
            }
            "include_vars" => match value.get("file").or(Some(value)).and_then(Node::text) {
                Some(file) => into.set_by(file.split_ascii_whitespace().next().unwrap_or_default()),
                None => into.anything = true,
            },
            // A role takes variables next to its name.
            "roles" | "dependencies" => value.list().iter().for_each(|role| keys(role, into)),
            "argument_specs" | "action" | "local_action" | "group_by" | "add_host" | "getent" => into.anything = true,
            "gather_facts" => {}
            // Their facts are also available by their bare names.
            _ if module.ends_with("_facts") => into.anything = true,
            _ => {}
        }
        within(value, into);
    }
}

/// `{port: 80}`, `port=80`; a computed value may set anything.
fn defined(value: &Node, into: &mut Names) {
    match &value.kind {
        NodeKind::Map(_) => keys(value, into),
        NodeKind::Text(text) => {
            into.anything |= text.contains("{{") && !text.contains('=');
            text.split_ascii_whitespace().filter_map(|word| word.split_once('=')).for_each(|(name, _)| into.set(name));
        }
        NodeKind::List(items) => items.iter().for_each(|item| defined(item, into)),
        NodeKind::Alias => into.anything = true,
    }
}

pub(super) fn keys(node: &Node, into: &mut Names) {
    for (key, _) in node.map() {
        match key.text() {
            Some(name) if name != "<<" && !name.contains("{{") => into.set(name),
            _ => into.anything = true,
        }
    }
}

fn texts(node: &Node, into: &mut Names) {
    node.text().into_iter().for_each(|name| into.set(name));
}

fn files(node: &Node, into: &mut Names) {
    node.list().iter().for_each(|item| files(item, into));
    node.text().into_iter().for_each(|file| into.set_by(file));
}
