//! Files that recipes use and that do not travel along.

use wattle_recipe::{Tool, used_files};

fn used(tool: Tool, path: &str, source: &str) -> Vec<String> {
    let used = used_files(tool, &[path], [(path, source)]);
    used.into_iter().map(|used| format!("{} {}", used.line, used.places.join(" "))).collect()
}

#[test]
fn what_a_shell_recipe_uses_is_looked_for_beside_it() {
    let shell = |source: &str| used(Tool::Shell, "recipes/x.sh", source);
    for source in [
        "\n. \"$(dirname \"$0\")/lib.sh\"",
        "\ncp \"$(dirname \"$0\")/lib.sh\" /etc",
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\n. \"$here/lib.sh\"",
        "\n. \"${0%/*}/lib.sh\"",
        "\nsource $(dirname \"$0\")/lib.sh",
        "\nsource \"${BASH_SOURCE[0]%/*}/lib.sh\"",
        "here=${0%/*}\ncat \"$here\"/lib.sh >/etc/x",
        "here=$(dirname \"$0\")\nfor x in lib; do install -m 0644 \"$here/$x.sh\" /etc; done",
        "\nread -r x <\"$(dirname -- \"$0\")/lib.sh\"",
        "\nsudo cp -t /etc \"${0%/*}/lib.sh\"",
        "cd \"$(dirname \"$0\")\"\n. ./lib.sh",
        "cd -- \"${0%/*}\" || exit\ncp lib.sh /etc",
    ] {
        assert_eq!(shell(source), ["2 recipes/lib.sh lib.sh"], "{source}");
    }
    for source in [
        "cp recipes/lib.sh /etc",
        "cat <recipes/lib.sh",
        "python3 -u recipes/lib.sh x",
        ". ./recipes/lib.sh",
        "sh recipes/lib.sh",
        "./recipes/lib.sh",
        "source recipes/lib.sh",
    ] {
        assert_eq!(shell(source), ["1 recipes/lib.sh"], "{source}");
    }
    for source in [
        ". /etc/os-release",
        ". \"$HOME/lib.sh\"",
        "cd /opt/x\n./lib.sh",
        "sh -c ./lib.sh",
        "mkdir a/b",
        "(cd x && cp y z)",
        "cd \"$1\"\ncp y z",
        "install -m 0644 -o root /x /y",
        "install -d -m 0755 conf logs",
        "echo recipes/lib.sh",
        "python3 -m x.y",
    ] {
        assert_eq!(shell(source), Vec::<String>::new(), "{source}");
    }
    let is_needed =
        |source: &str| used_files(Tool::Shell, &["x.sh"], [("x.sh", source)]).iter().any(|used| used.is_needed);
    for source in [
        ". \"${0%/*}/lib.sh\"",
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\ncp \"$here/x.conf\" \"$here/y.conf\" /etc/",
        "\"$(dirname \"$0\")/run\" --fast",
        "python3 \"$(dirname \"$(readlink -f \"$0\")\")/x.py\"",
    ] {
        assert!(is_needed(source), "{source}");
    }
    for source in [
        "[ -e \"${0%/*}/lib.sh\" ] && . \"${0%/*}/lib.sh\"",
        "echo x=1 >\"${0%/*}/lib.sh\"\n. \"${0%/*}/lib.sh\"",
        "python3 -m venv \"${0%/*}/venv\"\n. \"${0%/*}/venv/bin/activate\"",
        "tar -C \"${0%/*}\" -xf /srv/x.tar\n. \"${0%/*}/x/env.sh\"",
        ". \"$(dirname \"$(dirname \"$0\")\")/lib.sh\"",
        ". \"$(dirname \"$x\")/lib.sh\"",
        "chmod +x \"${0%/*}/lib.sh\"",
    ] {
        assert!(!is_needed(source), "{source}");
    }
    let files = [("recipes/x.sh", ". ./recipes/lib.sh"), ("recipes/lib.sh", "x=1")];
    assert_eq!(used_files(Tool::Shell, &[], files), []);
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
    assert_eq!(play("copy: {src: \"{{ playbook_dir }}/x\", dest: /x}"), ["3 recipes/x x"]);
    let is_needed = |task: &str| {
        let play = format!("- hosts: all\n  tasks:\n  - {task}\n");
        used_files(Tool::Ansible, &[], [("x.yml", play.as_str())]).iter().any(|used| used.is_needed)
    };
    for task in ["template: src=x.j2 dest=/x", "copy: {src: x, dest: /x}", "include_tasks: y.yml", "script: x.sh"] {
        assert!(is_needed(task), "{task}");
    }
    for task in ["import_role: {name: web}", "unarchive: {src: x.tar, dest: /x}", "include_vars: x.yml"] {
        assert!(!is_needed(task), "{task}");
    }
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
