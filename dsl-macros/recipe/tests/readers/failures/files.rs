//! Files that a recipe includes or runs, and functions that call one another.

use wattle_recipe::{Tool, Why, goes_on_after};

use super::{first, whole, why};

#[test]
fn files_that_a_recipe_takes_in_are_looked_into() {
    let task = "- shell: tar xf x; echo\n";
    let play = "- hosts: localhost\n  roles: [web]\n";
    let found = |play, path, text| {
        let found = goes_on_after(Tool::Ansible, "x.yml", [("x.yml", play), (path, text)])?;
        Some((found.file?, found.line))
    };
    for path in ["roles/web/tasks/main.yml", "roles/web/handlers/main.yml"] {
        assert_eq!(found(play, path, task), Some((path.to_owned(), 1)));
    }
    let included = "- hosts: localhost\n  tasks:\n  - include_tasks: more.yml\n";
    assert_eq!(found(included, "more.yml", task), Some(("more.yml".to_owned(), 1)));
    for (play, path) in [(play, "roles/db/tasks/main.yml"), (play, "roles/web/vars/main.yml"), (play, "more.yml")] {
        assert_eq!(found(play, path, task), None, "{path}");
    }
    let class = "class web {\n  exec { 'x': command => '/bin/tar xf x; /bin/echo' }\n}\n";
    let found = |manifest| {
        let path = "modules/web/manifests/init.pp";
        let found = goes_on_after(Tool::Puppet, "x.pp", [("x.pp", manifest), (path, class)])?;
        Some((found.file?, found.line))
    };
    assert_eq!(found("include web\n"), Some(("modules/web/manifests/init.pp".to_owned(), 2)));
    assert_eq!(found("include db\n"), None);
}

#[test]
fn scripts_that_a_recipe_runs_are_looked_into() {
    let careless = "tar xf x\necho\n";
    let run = |tool, entry: &str, text: &str, script: &str| {
        let files = [(entry, text), ("scripts/own.sh", script), ("scripts/lib.sh", "set -e\n")];
        goes_on_after(tool, entry, files).map(|one| (one.file.unwrap_or_default(), one.line, one.why))
    };
    let found = Some(("scripts/own.sh".to_owned(), 1, Why::NeverCounts));
    for text in ["set -e\nsh scripts/own.sh\n", "set -e\n./scripts/own.sh one\n", "set -e\nsudo -u app bash ./own.sh\n"]
    {
        assert_eq!(run(Tool::Shell, "x.sh", text, careless), found, "{text}");
    }
    for (tool, entry, text) in [
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - script: scripts/own.sh --now\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - ansible.builtin.script:\n      cmd: own.sh\n"),
        (Tool::Salt, "x.sls", "x:\n  cmd.script:\n    - source: salt://scripts/own.sh\n"),
        (Tool::Salt, "x.sls", "salt://own.sh:\n  cmd.script: []\n"),
        (Tool::Salt, "x.sls", "x:\n  cmd:\n    - script\n    - name: salt://own.sh --now\n"),
    ] {
        assert_eq!(run(tool, entry, text, careless), found, "{text}");
        assert_eq!(run(tool, entry, text, "#!/bin/sh -e\ntar xf x\necho\n"), None, "{text}");
        assert_eq!(run(tool, entry, text, "#!/usr/bin/python3\ntar = x\necho()\n"), None, "{text}");
    }
    for (tool, entry, text) in [
        (Tool::Shell, "x.sh", "set -e\nsh -e scripts/own.sh\n"),
        (Tool::Shell, "x.sh", "set -e\n./scripts/own.sh || echo\n"),
        (Tool::Shell, "x.sh", "set -e\ncp scripts/own.sh /usr/local/bin/own\n"),
        (Tool::Shell, "x.sh", "set -e\n. ./own.sh\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - script: own.sh\n    args:\n      executable: sh -e\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - copy:\n      src: own.sh\n      dest: /x\n"),
        (Tool::Salt, "x.sls", "/x:\n  file.managed:\n    - source: salt://own.sh\n"),
    ] {
        assert_eq!(run(tool, entry, text, careless), None, "{text}");
    }
    // A script that is only run is not sourced: its `set -e` applies to itself.
    let beside = [("x.sh", "sh lib.sh\ntar xf x\necho\n"), ("lib.sh", "set -e\n")];
    assert_eq!(whole(&beside), Some(("sh".to_owned(), 1)));
    // A script may run another one, and scripts may run each other.
    let deep = [("x.sh", "set -e\nsh a.sh\n"), ("a.sh", "set -e\nsh b.sh\nsh a.sh\n"), ("b.sh", careless)];
    let found = goes_on_after(Tool::Shell, "x.sh", deep).expect("the script of a script");
    assert_eq!((found.file.as_deref(), found.line), (Some("b.sh"), 1));
}

/// A script of functions, each of which calls the previous one twice, with these lines at its end.
fn doubling(inner: &str, last: &str) -> String {
    let mut text = format!("f0() {{\n{inner}\n}}\n");
    for n in 1..60 {
        let before = n - 1;
        text += &format!("f{n}() {{\nf{before}\nf{before}\n}}\n");
    }
    text + last
}

#[test]
fn functions_that_call_one_another_often_are_looked_at_once() {
    assert_eq!(first(&doubling("set -e", "tar xf x\nf59\ntar xf y\n")), Some(("tar".to_owned(), 240)));
    let trapped = doubling("echo failed", "trap 'f59; exit 0' EXIT\nset -e\ntar xf x\necho\n");
    assert!(matches!(why(&trapped), Some((_, Why::Forgiven { .. }))), "{:?}", why(&trapped));
}
