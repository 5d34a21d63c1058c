//! Files that recipes use and that are not included.

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
    for (task, places) in [
        ("debug: msg=\"{{ lookup('file', 'x') }}\"", "recipes/files/x recipes/x"),
        ("debug: {msg: \"{{ lookup('ansible.builtin.unvault', 'x') }}\"}", "recipes/files/x recipes/x"),
        ("debug: {msg: \"{{ lookup('template', 'x.j2') }}\"}", "recipes/templates/x.j2 recipes/x.j2"),
        ("debug: {msg: \"{{ query('file', 'x') | first }}\"}", "recipes/files/x recipes/x"),
        (
            "debug: {msg: \"{{ lookup('csvfile', 'key file=x.csv delimiter=,') }}\"}",
            "recipes/files/x.csv recipes/x.csv",
        ),
        ("debug: {msg: \"{{ lookup('csvfile', 'key', file='x.csv') }}\"}", "recipes/files/x.csv recipes/x.csv"),
        ("debug: {msg: \"{{ lookup('fileglob', 'conf.d/*.conf') }}\"}", "recipes/files/conf.d recipes/conf.d"),
        ("{command: x, when: \"lookup('file', 'x') == 'y'\"}", "recipes/files/x recipes/x"),
        ("{debug: , with_file: [x]}", "recipes/files/x recipes/x"),
        ("{debug: , with_fileglob: [\"conf.d/*\"]}", "recipes/files/conf.d recipes/conf.d"),
        ("{copy: {src: \"{{ item }}\", dest: /x}, with_items: [x]}", "recipes/files/x recipes/x"),
        ("{copy: {src: \"{{ item.a }}.conf\", dest: /x}, loop: [{a: x}]}", "recipes/files/x.conf recipes/x.conf"),
        ("{template: {src: \"{{ y }}.j2\", dest: /x}, vars: {y: x}}", "recipes/templates/x.j2 recipes/x.j2"),
        ("unarchive: {src: x.tgz, dest: /x}", "recipes/files/x.tgz recipes/x.tgz"),
        ("unarchive: src=x.tgz dest=/x", "recipes/files/x.tgz recipes/x.tgz"),
        ("script: x.sh --fast", "recipes/files/x.sh recipes/x.sh"),
        ("script: {cmd: x.sh}", "recipes/files/x.sh recipes/x.sh"),
        ("include_vars: {dir: x}", "recipes/vars/x recipes/x"),
        ("{include_tasks: \"{{ item }}.yml\", loop: [y]}", "recipes/tasks/y.yml recipes/y.yml"),
    ] {
        assert_eq!(play(task), [format!("3 {places}")], "{task}");
    }
    assert_eq!(play("copy: {src: \"{{ playbook_dir }}/x\", dest: /x}"), ["3 recipes/x x"]);
    let is_needed = |task: &str| {
        let play = format!("- hosts: all\n  tasks:\n  - {task}\n");
        used_files(Tool::Ansible, &[], [("x.yml", play.as_str())]).iter().any(|used| used.is_needed)
    };
    for task in [
        "template: src=x.j2 dest=/x",
        "copy: {src: x, dest: /x}",
        "include_tasks: y.yml",
        "script: x.sh",
        "unarchive: {src: x.tar, dest: /x}",
        "include_vars: y.yml",
        "include_vars: {file: y.yml}",
        "copy: {content: \"{{ lookup('file', 'x') }}\", dest: /x}",
        "{debug: , with_file: [x]}",
    ] {
        assert!(is_needed(task), "{task}");
    }
    for task in [
        "import_role: {name: web}",
        "{unarchive: {src: x.tar, dest: /x}, when: x}",
        "{include_vars: y.yml, ignore_errors: true}",
        "{copy: {src: \"{{ item }}\", dest: /x}, loop: [a, b]}",
        "copy: {content: \"{{ lookup('file', 'x', errors='ignore') }}\", dest: /x}",
        "copy: {content: \"{{ lookup('fileglob', 'x/*') }}\", dest: /x}",
        "block: [{get_url: {url: \"http://x/y\", dest: files/x}}, {copy: {src: files/x, dest: /x}}]",
    ] {
        assert!(!is_needed(task), "{task}");
    }
    for task in [
        "copy: {src: x, dest: /x, remote_src: true}",
        "copy: {content: x, dest: /x}",
        "copy: {src: /etc/x, dest: /x}",
        "template: {src: \"{{ x }}.j2\", dest: /x}",
        "unarchive: {src: \"https://x/y.tar\", remote_src: yes}",
        "unarchive: {src: x.tar, copy: no}",
        "debug: {msg: \"{{ lookup('file', '/etc/x') }} {{ lookup('file', x ~ '.conf') }} {{ lookup('env', 'x') }}\"}",
        "debug: {msg: \"lookup('file', 'x') {{ 'lookup(1' }}\"}",
        "debug: {msg: !unsafe \"{{ lookup('file', 'x') }}\"}",
    ] {
        assert_eq!(play(task), Vec::<String>::new(), "{task}");
    }
    let site = "- hosts: all\n  roles: [web]\n  vars_files: [own.yml]\n";
    assert_eq!(
        used(Tool::Ansible, "x.yml", site),
        ["2 roles/web", "3 vars/own.yml own.yml"],
        "what a play names itself"
    );
    let site = "- hosts: all\n  vars_files: own.yml\n";
    assert_eq!(used(Tool::Ansible, "x.yml", site), ["2 vars/own.yml own.yml"]);
    let is_needed = |site| used_files(Tool::Ansible, &[], [("x.yml", site)]).iter().any(|used| used.is_needed);
    assert!(is_needed("- hosts: all\n  vars_files: [own.yml]\n"));
    assert!(!is_needed("- hosts: all\n  vars_files: [[own.yml, other.yml]]\n"), "the first that is there");
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
fn what_a_state_uses_is_below_salts_roots() {
    let salt = |source: &str| used(Tool::Salt, "recipes/x.sls", source);
    for (source, places) in [
        ("/x:\n  file.managed:\n    - source: salt://x.conf\n", "3 recipes/x.conf x.conf"),
        ("/x:\n  file.recurse: [{source: salt://conf/d}]\n", "2 recipes/conf/d conf/d"),
        ("include:\n  - web\n", "2 recipes/web.sls web.sls recipes/web/init.sls web/init.sls"),
        ("include: [web.a]\n", "1 recipes/web/a.sls web/a.sls recipes/web/a/init.sls web/a/init.sls"),
        ("\n{% from \"map.jinja\" import x with context %}\n", "2 recipes/map.jinja map.jinja"),
        ("{% import_yaml 'x.yaml' as x %}\n", "1 recipes/x.yaml x.yaml"),
    ] {
        assert_eq!(salt(source), [places], "{source}");
    }
    let is_needed =
        |source: &str| used_files(Tool::Salt, &[], [("recipes/x.sls", source)]).iter().any(|used| used.is_needed);
    for source in [
        "/x:\n  file.managed:\n    - source: salt://x.conf\n",
        "/x:\n  file.managed:\n    - source: \"salt://x.conf\"\n",
        "x:\n  cmd.script:\n    - name: salt://x.sh\n",
        "include:\n  - web\n",
        "{% from 'map.jinja' import x %}\n",
    ] {
        assert!(is_needed(source), "{source}");
    }
    for source in [
        "/x:\n  file.managed:\n    - source:\n      - salt://x.conf\n      - salt://y.conf\n",
        "/x:\n  file.managed:\n    - source: [salt://x.conf, salt://y.conf]\n",
        "/x:\n  file.managed:\n    - contents: see salt://x.conf\n",
        "# salt://x.conf\n",
        "{% include 'x.jinja' ignore missing %}\n",
    ] {
        assert!(!is_needed(source), "{source}");
    }
    let files = [("recipes/x.sls", "include:\n  - web\n"), ("recipes/web/init.sls", "/x:\n  file.absent: []\n")];
    assert_eq!(used_files(Tool::Salt, &[], files), []);
}
