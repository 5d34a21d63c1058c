//! Nested shells: those that a recipe starts, on other machines, and in other tools.

use wattle_recipe::{Tool, Why, goes_on_after};

use super::{first, found, why};

#[test]
fn what_a_shell_of_its_own_does_not_notice_is_found() {
    for (source, line) in [
        ("set -e\nsh -c 'tar xf x; echo'\n", 2),
        ("set -e\nbash -c '\n  cd x\n  tar xf x\n  echo\n'\n", 3),
        ("set -e\nsudo -u x sh -c \"tar xf x; echo\"\n", 2),
        ("set -e\nsu - x -c 'tar xf x; echo'\n", 2),
        ("set -e\nbash <<'END'\ntar xf x\necho\nEND\n", 3),
        ("set -e\nsh -c 'set -e; set +e; tar xf x; echo'\n", 2),
    ] {
        let (program, at, why) = found(source).expect(source);
        assert!(matches!(program.as_str(), "tar" | "cd"), "{source}");
        assert_eq!((at, why), (line, Why::OwnShell), "{source}");
    }
    for source in [
        "set -e\nsh -ec 'tar xf x; echo'\n",
        "set -e\nbash -euo pipefail -c 'tar xf x; echo'\n",
        "set -e\nbash -o errexit -c 'tar xf x; echo'\n",
        "set -e\nsh -c 'set -e; tar xf x; echo'\n",
        "set -e\nsh -c 'cd x && tar xf x'\n",
        "set -e\nsh -c 'echo; exec tar xf x'\n",
        "set -e\nbash -s <<'END'\nset -eu\ntar xf x\necho\nEND\n",
        "set -e\neval 'tar xf x; echo'\ntrap 'tar xf x; echo' EXIT\n",
        "set -e\ncat >x.sh <<'END'\n#!/bin/sh\ntar xf x\necho\nEND\n",
        "set -e\nzsh -c 'tar xf x; echo'\n",
        "set -e\nrunuser -u openldap -- slapadd -f x <<LDIF\ndn: $base\ndc: y\nLDIF\n",
        "set -e\nrunuser --user=x psql -v ON_ERROR_STOP=1 <<SQL\nselect 1;\nselect 2;\nSQL\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}

#[test]
fn what_another_machine_or_user_does_not_notice_is_found() {
    for (source, line) in [
        ("set -e\nssh root@x 'tar xf x; echo'\n", 2),
        ("set -e\nssh -i key -p 22 root@x <<'END'\ntar xf x\necho\nEND\n", 3),
        ("set -e\nsu - postgres <<END\ncreatedb x\ncreateuser y\nEND\n", 3),
    ] {
        assert_eq!(why(source), Some((line, Why::OwnShell)), "{source}");
    }
    for source in [
        "set -e\nssh root@x 'cd x && tar xf x'\nssh root@x tar xf x\n",
        "set -e\nssh root@x <<END\nset -e\ntar xf x\necho\nEND\n",
        "set -e\nsu - postgres -c 'createdb x' <<END\ncreatedb x\necho\nEND\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn shells_of_other_tools_are_looked_into() {
    let play = |task: &str| {
        let text = format!("- hosts: localhost\n  tasks:\n{task}");
        goes_on_after(Tool::Ansible, "x.yml", [("x.yml", text.as_str())]).map(|one| (one.program, one.line, one.why))
    };
    let tar = |line| Some(("tar".to_owned(), line, Why::OwnShell));
    assert_eq!(play("  - shell: |\n      tar xf x\n      echo\n"), tar(4));
    assert_eq!(play("  - ansible.builtin.shell:\n      cmd: tar xf x; echo\n"), tar(4));
    assert_eq!(play("  - shell: \"tar xf {{ name }}; echo\"\n"), tar(3));
    for task in [
        "  - shell: |\n      set -e\n      tar xf x\n      echo\n",
        "  - command: tar xf x; echo\n",
        "  - shell: cd x && make\n",
        "  - shell: \"{{ command }}; echo\"\n",
    ] {
        assert_eq!(play(task), None, "{task}");
    }
    let manifest =
        |text: &str| goes_on_after(Tool::Puppet, "x.pp", [("x.pp", text)]).map(|one| (one.program, one.line, one.why));
    assert_eq!(manifest("\nexec { 'x': command => '/bin/tar xf x; /bin/echo' }\n"), tar(2));
    assert_eq!(manifest("exec { '/bin/tar xf x': }\nfile { '/x': content => \"tar xf x; echo\" }\n"), None);
}

#[test]
fn shells_of_states_are_looked_into() {
    let state =
        |text: &str| goes_on_after(Tool::Salt, "x.sls", [("x.sls", text)]).map(|one| (one.program, one.line, one.why));
    let tar = |line| Some(("tar".to_owned(), line, Why::OwnShell));
    assert_eq!(state("x:\n  cmd.run:\n    - name: |\n        tar xf x\n        echo\n"), tar(4));
    assert_eq!(state("tar xf x; echo:\n  cmd.run: []\n"), tar(1));
    assert_eq!(state("x:\n  cmd:\n    - run\n    - name: tar xf x; echo\n"), tar(4));
    assert_eq!(state("x:\n  cmd.run:\n    - names:\n      - echo\n      - tar xf {{ pillar.x }}; echo\n"), tar(5));
    assert_eq!(state("{% if grains.x %}\nx:\n  cmd.run:\n    - name: tar xf x; echo\n{% endif %}\n"), tar(4));
    for text in [
        "x:\n  cmd.run:\n    - name: |\n        set -e\n        tar xf x\n        echo\n",
        "x:\n  cmd.run:\n    - name: cd x && make\n",
        "x:\n  cmd.run:\n    - name: x; y\n    - shell: /usr/bin/python3\n",
        "x:\n  file.managed:\n    - name: tar xf x; echo\n",
    ] {
        assert_eq!(state(text), None, "{text}");
    }
    let files = [("x.sls", "include:\n  - web\n"), ("web.sls", "x:\n  cmd.run:\n    - name: tar xf x; echo\n")];
    let found = goes_on_after(Tool::Salt, "x.sls", files).expect("what is included runs as well");
    assert_eq!((found.file.as_deref(), found.line), (Some("web.sls"), 3));
}

#[test]
fn shells_of_cookbooks_are_looked_into() {
    let recipe = |text: &str| {
        let found = goes_on_after(Tool::Chef, "db::default", [("cookbooks/db/recipes/default.rb", text)])?;
        assert_eq!((found.file.as_deref(), found.why), (Some("cookbooks/db/recipes/default.rb"), Why::OwnShell));
        Some((found.program, found.line))
    };
    let tar = |line| Some(("tar".to_owned(), line));
    assert_eq!(recipe("bash 'x' do\n  code <<-EOH\n    tar xf x\n    echo\n  EOH\nend\n"), tar(3));
    assert_eq!(
        recipe("bash 'x' do\n  code <<~EOH\n    cd /\n    tar xf #{x}\n    echo\n  EOH\nend\n").map(|one| one.1),
        Some(3)
    );
    assert_eq!(recipe("script 'x' do\n  interpreter 'bash'\n  code 'tar xf x; echo'\nend\n"), tar(3));
    assert_eq!(recipe("execute 'x' do\n  command 'tar xf x; echo'\nend\n"), tar(2));
    assert_eq!(recipe("execute 'tar xf x; echo'\n"), tar(1));
    assert_eq!(recipe("execute 'tar xf x; echo' do\n  cwd '/'\nend\n"), tar(1));
    for text in [
        "bash 'x' do\n  code <<-EOH\n    set -e\n    tar xf x\n    echo\n  EOH\nend\n",
        "bash 'x' do\n  flags '-e'\n  code 'tar xf x; echo'\nend\n",
        "bash 'x' do\n  code 'tar xf x; echo'\n  ignore_failure true\nend\n",
        "script 'x' do\n  interpreter 'perl'\n  code 'tar xf x; echo'\nend\n",
        "execute 'unpack; echo' do\n  command 'tar xf x'\nend\n",
        "execute 'cd x && make'\n",
        "log 'x' do\n  message 'tar xf x; echo'\nend\n",
    ] {
        assert_eq!(recipe(text), None, "{text}");
    }
}

#[test]
fn a_task_that_nobody_asks_about_is_found() {
    let play = |tasks: &str| {
        let text = format!("- hosts: localhost\n  tasks:\n{tasks}");
        goes_on_after(Tool::Ansible, "x.yml", [("x.yml", text.as_str())]).map(|one| (one.program, one.line, one.why))
    };
    let task = "  - name: x\n    command: make\n    async: 600\n    poll: 0\n    register: job\n";
    assert_eq!(play(task), Some(("command".into(), 4, Why::Unpolled)));
    let asked = "  - async_status: {jid: \"{{ job.ansible_job_id }}\"}\n    register: x\n    until: x.finished\n";
    for tasks in [
        &format!("{task}{asked}"),
        "  - command: make\n    async: 600\n    poll: 5\n",
        "  - command: make\n    async: 600\n",
        "  - command: make\n    poll: 0\n",
        "  - shell: sleep 2; reboot\n    async: 1\n    poll: 0\n",
        "  - command: make\n    async: 600\n    poll: 0\n    ignore_errors: true\n",
    ] {
        assert!(play(tasks).is_none_or(|(.., why)| why != Why::Unpolled), "{tasks}");
    }
}
