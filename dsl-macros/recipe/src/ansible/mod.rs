//! Ansible playbooks, roles and task files.
//!
//! **Writes.** The keys of `set_stats: data:` (also under its collection names, or by `action:`), and `{{ heat_outputs_path
//! }}.NAME` in any argument of a module that does not only read (`copy`, `template`, `lineinfile`, `get_url`, …), as text
//! or written `heat_outputs_path ~ '.NAME'`, `lookup('env', 'heat_outputs_path')`. The texts of `shell`, `command`, `raw`
//! and of `cmd:` are analysed as shell scripts, so `wattle set` counts too. `{{ item }}` and `{{ item.key }}` are followed
//! to the constants of `loop:` and `with_items:`, other variables to those of `vars:` and `set_fact:`.
//!
//! **Reads.** Every name in `{{ }}` and `{% %}`, and in the bare expressions of `when:`, `that:`, `until:` and the
//! like.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix as an argument of a module; roles, task files,
//! playbooks and scripts that are not available; `vars[…]` of a computed name, `inputs.json`.
//!
//! **Not recognised.** Outputs written by custom modules in another way; the values of `vars_files`, group and host
//! variables.

mod idle;
mod lookups;
mod play;
mod scope;
mod shown;
pub(crate) mod tree;
mod uses;
mod value;

use crate::analysis::{FileOutline, SyntaxError};
use crate::shown::Shown;

use tree::{Node, NodeKind};

pub(crate) fn outline(source: &str) -> Result<FileOutline, SyntaxError> {
    let documents = tree::parse(source)?;
    // A text marked as unsafe is not a template.
    let found = play::judge(&documents, !source.contains("!unsafe"))?;
    Ok(FileOutline { idle: idle::all(&documents), ..found })
}

/// The first place at which a playbook shows one of these secrets, in its log or in one of the `plain` outputs.
pub(crate) fn shown(source: &str, secrets: &[&str], plain: &[&str]) -> Option<Shown> {
    shown::first(&tree::parse(source).ok()?, secrets, plain)
}

/// Refuses an entry file that is not a list of plays. Files of tasks and of variables are not playbooks.
pub(crate) fn is_playbook(source: &str) -> Result<(), SyntaxError> {
    for document in tree::parse(source)? {
        let plays = match &document.kind {
            NodeKind::List(plays) => plays,
            NodeKind::Alias => continue,
            NodeKind::Map(_) => return Err(SyntaxError::new(document.line, IS_MAP)),
            NodeKind::Text(_) => {
                return Err(SyntaxError::new(document.line, "a playbook is a list of plays, but this is text"));
            }
        };
        for play in plays {
            // A merged key may bring the hosts.
            let is_play = |key: &str| matches!(key, "hosts" | "include" | "<<") || key.ends_with("import_playbook");
            match &play.kind {
                NodeKind::Alias => {}
                NodeKind::Map(pairs) if pairs.iter().any(|(key, _)| key.text().is_some_and(is_play)) => {}
                NodeKind::Map(_) => return Err(SyntaxError::new(play.line, NO_HOSTS)),
                _ => return Err(SyntaxError::new(play.line, "a playbook is a list of plays, but this is not")),
            }
        }
        // Hosts may be added during the run.
        let is_fixed = !["add_host", "group_by"].iter().any(|module| source.contains(module));
        let strange: Option<Vec<&Node>> = plays.iter().map(strangers).collect();
        if let Some([first, ..]) = strange.filter(|_| is_fixed).as_deref() {
            return Err(SyntaxError::new(first.line, NOT_HERE));
        }
    }
    Ok(())
}

/// The hosts of a play, if it names them and this server is not among them.
fn strangers(play: &Node) -> Option<&Node> {
    let hosts = play.get("hosts").filter(|_| play.get("<<").is_none())?;
    let names: Vec<&str> = match &hosts.kind {
        NodeKind::Text(text) => vec![text],
        NodeKind::List(items) => items.iter().map(Node::text).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut names = names.iter().flat_map(|names| names.split([',', ':'])).map(str::trim);
    let may_be_here =
        |name: &str| HERE.contains(&name) || name.contains(['*', '?', '[', '~', '{', '!', '&']) || name.is_empty();
    (!names.any(may_be_here)).then_some(hosts)
}

/// Names of this server, the only one in the inventory, in a play.
const HERE: [&str; 4] = ["all", "localhost", "127.0.0.1", "ungrouped"];
const NOT_HERE: &str = "no play is for this server, so nothing would run: a recipe's only host is `localhost`";

const IS_MAP: &str = "a playbook is a list of plays, but this is a map: put `- ` before the first key of each play";
const NO_HOSTS: &str = "a play has no `hosts`: tasks belong below `tasks:` of a play with `hosts: localhost`";

/// The keys of a file of variables, in YAML or JSON.
pub(crate) fn data(source: &str, into: &mut crate::lookup::Names) {
    match tree::parse(source) {
        Ok(documents) => documents.iter().for_each(|document| scope::keys(document, into)),
        Err(_) => into.anything = true,
    }
}

/// Refuses a text that is not YAML.
pub(crate) fn is_yaml(source: &str) -> Result<(), SyntaxError> {
    tree::parse(source).map(drop)
}

/// `set_stats` for `ansible.builtin.set_stats`.
fn short(key: &str) -> &str {
    match key.rsplit_once('.') {
        Some((collection, name)) if collection.split('.').all(crate::names::is_identifier) => name,
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::is_playbook;

    #[test]
    fn a_playbook_is_a_list_of_plays() {
        for playbook in [
            "- hosts: localhost\n  tasks: []\n",
            "- ansible.builtin.import_playbook: other.yml\n- hosts: [a, b]\n",
            "- &play\n  hosts: localhost\n- <<: *play\n  tasks: []\n",
            "- hosts: db\n  tasks: []\n- hosts: all\n  tasks: []\n",
            "- hosts: db:localhost\n  tasks: []\n",
            "- hosts: \"{{ where }}\"\n  tasks: []\n",
            "- hosts: all:!db\n  tasks: []\n",
            "- hosts: db*\n  tasks: []\n",
            "- hosts: [ungrouped]\n  tasks: []\n",
            "- hosts: localhost\n  tasks:\n  - add_host: {name: db}\n- hosts: db\n  tasks: []\n",
        ] {
            assert!(is_playbook(playbook).is_ok(), "{playbook}");
        }
        for (text, line) in [
            ("---\nhosts: localhost\ntasks: []\n", 2),
            ("- name: x\n  shell: echo\n", 1),
            ("- hosts: localhost\n  tasks: []\n- foo\n", 3),
            ("hello", 1),
            ("- name: x\n  hosts: webservers\n  tasks: []\n", 2),
            ("- hosts: [db, web]\n  tasks: []\n- hosts: db:web\n  tasks: []\n", 1),
        ] {
            assert_eq!(is_playbook(text).expect_err(text).line, line, "{text}");
        }
    }
}
