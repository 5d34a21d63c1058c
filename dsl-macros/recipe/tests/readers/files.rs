//! Files that recipes use and that do not travel along.

use wattle_recipe::{Tool, used_files};

fn used(tool: Tool, path: &str, source: &str) -> Vec<String> {
    let used = used_files(tool, [(path, source)]);
    used.into_iter().map(|used| format!("{} {}", used.line, used.places.join(" "))).collect()
}

#[test]
fn what_a_shell_recipe_uses_is_looked_for_beside_it() {
    let shell = |source: &str| used(Tool::Shell, "recipes/x.sh", source);
    for source in [
        "\n. \"$(dirname \"$0\")/lib.sh\"",
        "\ncp \"$(dirname \"$0\")/lib.sh\" /etc",
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\n. \"$here/lib.sh\"",
    ] {
        assert_eq!(shell(source), ["2 recipes/lib.sh lib.sh"], "{source}");
    }
    for source in [". ./recipes/lib.sh", "sh recipes/lib.sh", "./recipes/lib.sh", "source recipes/lib.sh"] {
        assert_eq!(shell(source), ["1 recipes/lib.sh"], "{source}");
    }
    for source in [". /etc/os-release", ". \"$HOME/lib.sh\"", "cd /opt/x\n./lib.sh", "sh -c ./lib.sh", "cat lib.sh"] {
        assert_eq!(shell(source), Vec::<String>::new(), "{source}");
    }
    let files = [("recipes/x.sh", ". ./recipes/lib.sh"), ("recipes/lib.sh", "x=1")];
    assert_eq!(used_files(Tool::Shell, files), []);
}

#[test]
fn what_a_playbook_uses_is_looked_for_as_ansible_does() {
    let play = |task: &str| used(Tool::Ansible, "recipes/x.yml", &format!("- hosts: all\n  tasks:\n  - {task}\n"));
    for task in
        ["template: src=x.j2 dest=/x", "template: {src: x.j2, dest: /x}", "ansible.builtin.template: {src: x.j2}"]
    {
        assert_eq!(play(task), ["3 recipes/templates/x.j2 recipes/x.j2"], "{task}");
    }
    assert_eq!(play("copy: {src: x, dest: /x}"), ["3 recipes/files/x recipes/x"]);
    assert_eq!(play("include_tasks: y.yml"), ["3 recipes/tasks/y.yml recipes/y.yml"]);
    assert_eq!(play("import_role: {name: web}"), ["3 recipes/roles/web roles/web"]);
    for task in [
        "copy: {src: x, dest: /x, remote_src: true}",
        "copy: {content: x, dest: /x}",
        "copy: {src: /etc/x, dest: /x}",
        "template: {src: \"{{ x }}.j2\", dest: /x}",
        "unarchive: {src: \"https://x/y.tar\", remote_src: yes}",
    ] {
        assert_eq!(play(task), Vec::<String>::new(), "{task}");
    }
    let site = "- hosts: all\n  roles: [web]\n  vars_files: [own.yml]\n";
    assert_eq!(
        used(Tool::Ansible, "x.yml", site),
        ["2 roles/web", "3 vars/own.yml own.yml"],
        "what a play names itself"
    );
    let task = "- template: src=x.j2 dest=/x\n";
    assert_eq!(
        used(Tool::Ansible, "roles/web/tasks/main.yml", task),
        ["1 roles/web/templates/x.j2 roles/web/tasks/templates/x.j2 roles/web/tasks/x.j2"]
    );
}

#[test]
fn what_a_manifest_uses_is_in_modules() {
    let puppet = |source: &str| used(Tool::Puppet, "recipes/x.pp", source);
    assert_eq!(
        puppet("file { '/x': content => template('web/x.erb') }"),
        ["1 recipes/modules/web/templates/x.erb modules/web/templates/x.erb"]
    );
    assert_eq!(
        puppet("file { '/x': content => epp('web/x.epp') }"),
        ["1 recipes/modules/web/templates/x.epp modules/web/templates/x.epp"]
    );
    for source in ["$x = file('web/x')", "file { '/x': source => 'puppet:///modules/web/x' }"] {
        assert_eq!(puppet(source), ["1 recipes/modules/web/files/x modules/web/files/x"], "{source}");
    }
    assert_eq!(puppet("include web"), ["1 recipes/modules/web modules/web"]);
}

#[test]
fn what_a_state_uses_is_beside_it() {
    let source = "/x:\n  file.managed:\n    - source: salt://x.conf\n";
    assert_eq!(used(Tool::Salt, "recipes/x.sls", source), ["3 recipes/x.conf x.conf"]);
}
