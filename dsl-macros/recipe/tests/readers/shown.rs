//! Secrets that recipes show.

use wattle_recipe::{How, Shown, Tool, shows};

fn found(tool: Tool, source: &str) -> Option<(u32, How)> {
    let found = shows(tool, source, &["password"], &["url", "digest"]);
    found.map(|Shown { name, line, how }| {
        assert_eq!(name, "password");
        (line, how)
    })
}

fn printed(by: &str) -> How {
    How::Printed { by: by.to_owned() }
}

fn written(output: &str) -> How {
    How::Written { output: output.to_owned() }
}

#[test]
fn what_a_script_prints_is_found() {
    for (source, line, by) in [
        ("echo \"$password\"\n", 1, "echo"),
        ("#!/bin/bash\nset -eu\necho \"with ${password}\" >&2\n", 3, "echo"),
        ("printf '%s\\n' \"user x, $password\"\n", 1, "printf"),
        ("printf '%s\\n' \"${password:-none}\" 2>&1\n", 1, "printf"),
        ("cat <<END\npassword=$password\nEND\n", 1, "cat"),
        ("cat <<<\"$password\"\n", 1, "cat"),
        ("if [ x ]; then\n  echo $password\nfi\n", 2, "echo"),
        ("main() {\n  echo \"$password\"\n}\nmain \"$@\"\n", 2, "echo"),
        ("pw=\"$password\"\necho \"$pw\"\n", 2, "echo"),
        ("export url=\"http://u:$password@h/\"\necho \"$url\"\n", 2, "echo"),
        ("echo \"$password\" | tee /etc/x\n", 1, "echo"),
        ("sudo tee /etc/x <<END\n$password\nEND\n", 1, "tee"),
        ("printenv password\n", 1, "printenv"),
        ("declare -p password\n", 1, "declare"),
    ] {
        let (at, how) = found(Tool::Shell, source).expect(source);
        assert!((line..=line + 1).contains(&at), "{source}: {at}");
        assert_eq!(how, printed(by), "{source}");
    }
    for source in [
        "echo \"$password\" >x\n",
        "echo \"$password\" >>x 2>&1\n",
        "echo \"$password\" 2>/dev/null\n",
        "printf '%s' \"$password\" | sha256sum\n",
        "echo \"$password\" | sudo tee /etc/x >/dev/null\n",
        "echo \"$password\" | tee x | wc\n",
        "{\n  echo x\n  echo \"$password\"\n} >x\n",
        "(echo \"$password\") | sha256sum\n",
        "for x in a b; do echo \"$x:$password\"; done >x\n",
        "f() {\n  echo \"$password\"\n}\nf >x\n",
        "f() {\n  echo \"$password\"\n}\nx=$(f)\n",
        "f() {\n  echo \"$password\"\n} >x\nf\n",
        "x=$(echo \"$password\" | base64)\necho \"$x\"\n",
        "exec >log 2>&1\necho \"$password\"\n",
        "echo '$password'\n",
        "echo \"${#password} ${password:+set} ${password%%?*}\"\n",
        "password=other\necho \"$password\"\n",
        "read -r password\necho \"$password\"\n",
        "for password in a b; do echo $password; done\n",
        ". ./lib.sh\necho \"$password\"\n",
        "eval \"$x\"\necho \"$password\"\n",
        "cat <<'END'\n$password\nEND\n",
        "cat >x <<END\n$password\nEND\n",
        "cat x <<END\n$password\nEND\n",
        "cat <<END | psql\n$password\nEND\n",
        "psql <<END\n$password\nEND\n",
        "printf -v x '%s' \"$password\"\n",
        "printf '%.2s' \"$password\"\n",
        "echo() { :; }\necho \"$password\"\n",
        "if [ -z \"$password\" ]; then echo none; fi\n",
        "#!/usr/bin/env python3\nprint(password)\n",
    ] {
        assert_eq!(found(Tool::Shell, source), None, "{source}");
    }
}

#[test]
fn what_a_shell_traces_is_found() {
    for (source, line) in [
        ("set -x\nmysql -p\"$password\"\n", 2),
        ("#!/bin/bash -ex\nmysql -p\"$password\"\n", 2),
        ("set -euxo pipefail\n\nurl=http://$password@h\n", 3),
        ("set -o xtrace\n[ -n \"$password\" ]\n", 2),
        ("set -x\nprintf '%s' \"$password\" | sha256sum >x\n", 2),
    ] {
        assert_eq!(found(Tool::Shell, source), Some((line, How::Traced)), "{source}");
    }
    for source in [
        "mysql -p\"$password\"\nset -x\nmake\n",
        "set -x\nset +x\nmysql -p\"$password\"\n",
        "set -x\n{ set +x; } 2>/dev/null\nmysql -p\"$password\"\n",
        "if [ x ]; then set -x; fi\nmysql -p\"$password\"\n",
        "set -x\nmysql --defaults-file=x <<END\n$password\nEND\n",
        "set -x\npsql >\"$x\"\n",
        "BASH_XTRACEFD=5\nset -x\nmysql -p\"$password\"\n",
        "set -x\n{ mysql -p\"$password\"; } >log 2>&1\n",
    ] {
        assert_eq!(found(Tool::Shell, source), None, "{source}");
    }
}

#[test]
fn a_whole_environment_is_found() {
    for (source, by) in [("env\n", "env"), ("printenv\n", "printenv"), ("export -p\n", "export"), ("set\n", "set")] {
        assert_eq!(found(Tool::Shell, source), Some((1, How::Environment { by: by.to_owned() })), "{source}");
    }
    for source in
        ["env >x\n", "env | grep PATH\n", "env x=y make\n", "unset password\nenv\n", "x=$(env)\n", "printenv PATH\n"]
    {
        assert_eq!(found(Tool::Shell, source), None, "{source}");
    }
    assert_eq!(shows(Tool::Shell, "env\n", &[], &[]), None);
}

#[test]
fn a_secret_that_becomes_a_plain_output_is_found() {
    for source in [
        "printf '%s' \"$password\" >\"${heat_outputs_path}.url\"\n",
        "echo \"http://u:$password@h\" > $heat_outputs_path.url\n",
        "cat >\"$heat_outputs_path.url\" <<END\n$password\nEND\n",
        "wattle set url \"$password\"\n",
        "wattle set url=\"http://$password@h\"\n",
    ] {
        assert_eq!(found(Tool::Shell, source), Some((1, written("url"))), "{source}");
    }
    for source in [
        "printf '%s' \"$password\" >\"${heat_outputs_path}.key\"\n",
        "printf '%s' \"$password\" | sha256sum >\"${heat_outputs_path}.url\"\n",
        "printf '%s' \"${#password}\" >\"${heat_outputs_path}.url\"\n",
        "wattle set key \"$password\"\n",
    ] {
        assert_eq!(found(Tool::Shell, source), None, "{source}");
    }
}

#[test]
fn what_a_playbook_says_is_found() {
    let play = |tasks: &str| found(Tool::Ansible, &format!("- hosts: localhost\n  tasks:\n{tasks}"));
    for (task, line, how) in [
        ("  - debug: {msg: \"with {{ password }}\"}\n", 3, printed("debug")),
        ("  - ansible.builtin.debug:\n      var: password\n", 4, printed("debug")),
        ("  - debug: msg=\"{{ password }}\"\n", 3, printed("debug")),
        ("  - debug: var=password\n", 3, printed("debug")),
        ("  - debug:\n      msg:\n      - x\n      - \"{{ password }}\"\n", 6, printed("debug")),
        ("  - block:\n    - fail: {msg: \"{{ password }}\"}\n", 4, printed("fail")),
        ("  - set_stats: {data: {url: \"http://{{ password }}@h\"}}\n", 3, written("url")),
    ] {
        assert_eq!(play(task), Some((line, how)), "{task}");
    }
    for task in [
        "  - debug: {msg: \"with {{ password }}\"}\n    no_log: true\n",
        "  - no_log: true\n    block:\n    - debug: {msg: \"with {{ password }}\"}\n",
        "  - debug: {msg: \"{{ password | length }} {{ password is defined }}\"}\n",
        "  - debug: {msg: \"{{ password }}\", verbosity: 2}\n",
        "  - debug: {msg: \"{% if x %}{{ password }}{% endif %}\"}\n",
        "  - debug: {msg: password}\n",
        "  - command: make\n    register: password\n  - debug: {var: password}\n",
        "  - set_fact: {password: x}\n  - debug: {var: password}\n",
        "  - copy: {content: \"{{ password }}\", dest: /x}\n",
        "  - set_stats: {data: {key: \"{{ password }}\"}}\n",
    ] {
        assert_eq!(play(task), None, "{task}");
    }
}

#[test]
fn what_a_manifest_says_is_found() {
    for (source, by) in [
        ("notify { \"with ${password}\": }\n", "notify"),
        ("notify { 'x': message => \"with $password\" }\n", "notify"),
        ("notice(\"with ${password}\")\n", "notice"),
        ("notice(lookup('password'))\n", "notice"),
        ("warning($password)\n", "warning"),
    ] {
        assert_eq!(found(Tool::Puppet, source), Some((1, printed(by))), "{source}");
    }
    assert_eq!(
        found(Tool::Puppet, "$pw = lookup('password')\nnotify { \"with ${pw}\": }\n"),
        Some((2, printed("notify")))
    );
    for source in [
        "notify { 'with password': }\n",
        "notify { \"with ${password}\": message => 'x' }\n",
        "notify { '${password}': }\n",
        "notify { \"with ${password.length}\": }\n",
        "notice($password.length)\n",
        "$pw = lookup('password').length\nnotice($pw)\n",
        "$password = 'x'\nnotice($password)\n",
        "file { '/x': content => $password, notify => Service['x'] }\n",
        "@notify { \"with ${password}\": }\n",
        "$pw = Sensitive(lookup('password'))\nnotice($pw)\n",
        "info($password)\n",
    ] {
        assert_eq!(found(Tool::Puppet, source), None, "{source}");
    }
}
