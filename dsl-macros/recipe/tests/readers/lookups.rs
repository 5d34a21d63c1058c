//! Names that recipes look up although nothing sets them.

use wattle_recipe::{Tool, UnknownName, unknown_names};

/// The findings in files, the first of which is the recipe: `FILE:LINE NAME MEANT`, where `-` stands for none.
fn slips(tool: Tool, files: &[(&str, &str)], inputs: &[&str]) -> Vec<String> {
    let found = unknown_names(tool, &[files[0].0], files.iter().copied(), inputs);
    let meant = |one: &UnknownName| one.meant.clone().unwrap_or_else(|| "-".to_owned());
    found.iter().map(|one| format!("{}:{} {} {}", one.path, one.line, one.name, meant(one))).collect()
}

fn shell(source: &str) -> Vec<String> {
    slips(Tool::Shell, &[("x.sh", source)], &["name", "port", "heap"])
}

#[test]
fn variables_of_a_shell_that_nobody_sets_are_found() {
    for source in [
        "echo $naem",
        "echo \"${naem}\"",
        "echo \"${naem:?}\"",
        "echo \"${#naem}${naem%/}\"",
        "cat <<END\n$naem\nEND",
        "x=$(echo \"$naem\")",
        "x=$((1 + $naem))",
        "if [ \"$naem\" = x ]; then echo; fi",
        "f() { echo \"$naem\"; }",
        "wattle get naem",
        "IFS=, echo $naem",
        "x=$((naem + 1))",
        "((naem > 3)) && echo",
        "for ((i = 0; i < naem; i++)); do echo $i; done",
        "x[i]=1; i=0; y=$((x[naem] + i))",
        "let i=naem",
        "echo ${naem:-x}",
        "echo \"${naem-}\"",
        "[ -n \"${naem+x}\" ] && echo",
        "[[ -v naem ]] && echo",
        "./install.sh; echo $naem",
        "python3 x.py; sh y.sh; echo $naem",
        ". /etc/os-release; echo $naem $ID",
        "sh -c 'echo $naem'",
        "sh -c 'wattle get naem'",
        "sh -c \"wattle get naem\"",
        "bash -euo pipefail -c \"echo \\$naem\"",
        "bash -c 'sh -c \"echo \\$naem\"'",
        "timeout 5 sh -c 'echo $naem'",
        "x='echo $naem'; sh -c \"$x\"",
        "sh -c 'x=$((naem + 1))'; let x=1",
        "bash -c 'let x=naem'",
        "eval 'echo $naem'",
        "eval echo '$naem'",
        "eval wattle get naem",
        "trap 'echo $naem' EXIT",
        "sh <<'END'\necho $naem\nEND",
        "bash -s x <<\\END\nwattle get naem\nEND",
        "bash <<< 'echo $naem'",
        "[[ naem -gt 3 ]] && echo",
        "printenv naem",
        "python3 -c 'import os; print(os.environ[\"naem\"])'",
        "python3 - <<'END'\nimport os\nprint(os.environ['naem'])\nEND",
        "perl -e 'print $ENV{naem}'",
        "awk 'BEGIN { print ENVIRON[\"naem\"] }'",
    ] {
        let found = shell(source);
        assert_eq!(found.len(), 1, "{source}");
        assert!(found[0].ends_with(" naem name"), "{found:?}");
    }
    assert_eq!(shell("#!/bin/sh\nheap=$heep\necho $heap\necho $heep $PORT"), ["x.sh:4 PORT port", "x.sh:2 heep heap"]);
}

#[test]
fn patterns_of_a_case_are_no_programs() {
    for case in [
        "case $1 in\n*/../* | a/*) echo ;;\n(x/y) echo ;;\n*) echo\nesac",
        "case $1 in ./a) ;; b/@(c|d)) ;; esac",
        "f() (\n case $1 in\n a/b) case x in c/d) ;; esac ;;\n esac\n)",
        "x=$(case $1 in a/b) echo ;; esac)",
    ] {
        assert_eq!(shell(&format!("{case}\necho $naem $1")).len(), 1, "{case}");
    }
}

#[test]
fn what_a_shell_sets_is_none() {
    for source in [
        "echo $name $HOME $USER $HOSTNAME $1 $? $RANDOM",
        "naem=1; echo $naem",
        "echo $naem; naem=1",
        "read -r naem; echo $naem",
        "while IFS=: read -r a naem; do echo $naem; done </etc/passwd",
        "for naem in a b; do echo $naem; done",
        "for ((naem = 0; naem < 3; naem++)); do echo $naem; done",
        "local naem; echo $naem",
        "declare -A naem; echo ${naem[x]}",
        "printf -v naem %s x; echo $naem",
        "mapfile -t naem; echo ${naem[@]}",
        "naem+=(x); echo ${naem[@]}",
        "((naem = 3)); echo $naem",
        "echo ${PORT:-$port} ${ports:-} ${other:-x} ${other-} ${other+x}",
        "[[ -v other ]] && echo; [ -n naem ]",
        "((naem++)); echo $naem",
        "let naem=1; echo $naem",
        "echo $((++naem)) $((naem += 2)) $((16#ff + 0xff))",
        ": ${naem:=x}; echo $naem",
        "getopts n: naem; echo $naem",
        "eval \"$x\"; echo $naem",
        ". /etc/os-release; echo $ID $VERSION_CODENAME",
        ". /etc/default/locale; echo $naem",
        ". ./elsewhere.sh; echo $naem",
        "export \"$x=1\"; echo $naem",
        "export $(cat file); echo $naem",
        "exec {naem}<file; echo $naem",
        "echo '$naem' \\$naem",
        "cat <<'END'\n$naem\nEND",
        "sh -c 'naem=1; echo $naem'",
        "sh -c 'read naem; echo $naem'",
        "sh -c 'for naem in a b; do echo $naem; done'",
        "sh -c '[ -n \"$other\" ] && echo $other'",
        "sh -c \"$name; echo \\$naem\"",
        "bash -c 'eval \"$1\"; echo $naem' x y",
        "bash -lc 'echo $naem'",
        "printenv other || echo; printenv PORT",
        "python3 -c 'import os; print(os.environ.get(\"other\"), os.environ[\"names\"])'",
        "ssh host \"printenv naem\"",
        "sudo python3 -c 'import os; print(os.environ[\"naem\"])'",
        "cat >x.py <<'END'\nprint(os.environ['naem'])\nEND",
        "[[ naem -gt 3 ]]; naem=1; [[ $name == naem ]]",
        "bash --login -c 'echo $naem'",
        "zsh -c 'echo $naem'",
        "sudo sh -c 'echo $naem'",
        "su x -c 'echo $naem'",
        "env a=b sh -c 'echo $naem'",
        "xargs sh -c 'echo $naem'",
        "find . -exec sh -c 'echo $naem' \\;",
        "ssh host \"sh -c 'echo \\$naem'\"",
        "sh <<'END'\nread -r naem\necho $naem\nEND",
        "ssh host sh <<'END'\necho $naem\nEND",
        "cat >x <<'END'\n#!/bin/sh\necho $naem\nEND",
        "eval 'naem=1'; echo $naem",
        "eval \"naem=$x\"; echo $naem",
        "trap 'rm -rf \"$naem\"' EXIT; naem=$(mktemp -d)",
        "ssh host 'echo $naem'",
        "awk '{ print $naem }'",
        "#!/usr/bin/env python3\nnaem = 1",
        "#!/bin/zsh\necho $naem",
    ] {
        assert_eq!(shell(source), Vec::<String>::new(), "{source}");
    }
    let sourced = [("x.sh", ". ./lib.sh\necho $naem"), ("lib.sh", "naem=1")];
    assert_eq!(slips(Tool::Shell, &sourced, &["name"]), Vec::<String>::new());
    let sourced = [("x.sh", ". ./lib.sh"), ("lib.sh", "\necho $naem")];
    assert_eq!(slips(Tool::Shell, &sourced, &["name"]), ["lib.sh:2 naem name"]);
}

fn ansible(tasks: &str) -> Vec<String> {
    let play = format!("- hosts: all\n  tasks:\n{tasks}\n");
    slips(Tool::Ansible, &[("x.yml", &play)], &["name", "port"])
}

#[test]
fn variables_of_a_playbook_that_nobody_sets_are_found() {
    for task in [
        "  - debug: msg=\"{{ naem }}\"",
        "  - debug: {msg: \"{{ naem | upper }}\"}",
        "  - shell: echo {{ naem }}",
        "  - command: x\n    when: naem == 'x'",
        "  - set_fact: {name_there: \"{{ naem }}\"}",
        "  - copy: {dest: /x, content: \"{% if naem %}x{% endif %}\"}",
        "  - block:\n    - debug: msg=\"{{ naem }}\"",
        "  - debug: var=naem",
        "  - shell: . ./env.sh && x\n  - script: there.sh\n  - debug: msg=\"{{ naem }}\"",
        "  - debug: {var: naem.x}",
        "  - debug: msg=\"{{ vars['naem'] }}\"",
        "  - debug: msg=\"{{ hostvars[inventory_hostname].naem }}\"",
        "  - debug: msg=\"{{ lookup('vars', 'naem') }}\"",
    ] {
        let found = ansible(task);
        assert!(matches!(found.as_slice(), [one] if one.ends_with(" naem name")), "{task}: {found:?}");
    }
    let files = [
        ("x.yml", "- hosts: all\n  tasks:\n  - template: {src: x.j2, dest: /x}\n"),
        ("templates/x.j2", "listen\n{{ prot }}\n"),
    ];
    assert_eq!(slips(Tool::Ansible, &files, &["port"]), ["templates/x.j2:2 prot port"]);
}

#[test]
fn what_a_playbook_sets_is_none() {
    for task in [
        "  - debug: msg=\"{{ name }} {{ ansible_hostname }} {{ inventory_hostname }} {{ hostvars['x'].naem }}\"",
        "  - debug: msg=\"{{ naem | default('x') }}\"",
        "  - debug: msg=\"{{ naem }}\"\n    when: naem is defined",
        "  - command: x\n    register: naem\n  - debug: msg=\"{{ naem.stdout }}\"",
        "  - set_fact: {naem: x}\n  - debug: msg=\"{{ naem }}\"",
        "  - set_fact: naem=x\n  - debug: msg=\"{{ naem }}\"",
        "  - debug: msg=\"{{ naem }}\"\n    vars: {naem: x}",
        "  - debug: msg=\"{{ naem }}\"\n    loop: [a]\n    loop_control: {loop_var: naem}",
        "  - service_facts:\n  - debug: msg=\"{{ naem }}\"",
        "  - include_vars: there.yml\n  - debug: msg=\"{{ naem }}\"",
        "  - include_role: {name: theirs}\n  - debug: msg=\"{{ naem }}\"",
        "  - debug: msg=!unsafe '{{ naem }}'",
        "  - debug: msg=\"{{ lookup('env', 'naem') }}\"",
    ] {
        assert_eq!(ansible(task), Vec::<String>::new(), "{task}");
    }
    let play = "- hosts: all\n  vars_files: [own.yml]\n  tasks:\n  - debug: msg=\"{{ naem }}\"\n";
    assert_eq!(slips(Tool::Ansible, &[("x.yml", play)], &["name"]), Vec::<String>::new());
    assert_eq!(slips(Tool::Ansible, &[("x.yml", play), ("own.yml", "naem: x")], &["name"]), Vec::<String>::new());
    assert_eq!(slips(Tool::Ansible, &[("x.yml", play), ("own.yml", "other: x")], &["name"]), ["x.yml:4 naem name"]);
    let role = [
        ("x.yml", "- hosts: all\n  roles: [{role: web, naem: x}]\n"),
        ("roles/web/tasks/main.yml", "- debug: msg=\"{{ naem }} {{ prot }}\"\n"),
        ("roles/web/defaults/main.yml", "prot: 80\n"),
    ];
    assert_eq!(slips(Tool::Ansible, &role, &["name", "port"]), Vec::<String>::new());
}

fn puppet(source: &str) -> Vec<String> {
    slips(Tool::Puppet, &[("x.pp", source)], &["heap", "host"])
}

#[test]
fn what_a_manifest_looks_up_in_vain_is_found() {
    for source in [
        "$heap = lookup('heep')\nnotice($heap)",
        "notice(lookup('heep', Integer))",
        "notice(hiera('heep'))",
        "notice(lookup({ 'name' => 'heep' }))",
        "notice(lookup({ name => 'heep', value_type => Integer, 'merge' => { 'strategy' => 'deep' } }))",
        "notice(lookup('heep', { value_type => Integer }))",
        "notice(lookup('heep', { 'merge' => 'unique' }))",
        "notice(lookup('heep', Array[String], 'unique'))",
        "notice(lookup('heep', Optional[Hash[String, Integer]]))",
        "notice(lookup(['heep']))",
        "if lookup('heep') { notice(1) }",
        "notice($heep)",
        "notice(\"x ${heep} y\")",
        "notice($facts['heep'])",
        "notice($::heep)",
    ] {
        let found = puppet(source);
        assert!(matches!(found.as_slice(), [one] if one.ends_with(" heep heap")), "{source}: {found:?}");
    }
}

#[test]
fn what_a_manifest_sets_is_none() {
    for source in [
        "notice($heap, lookup('heap'), $hostname, $facts['hostname'], $facts['os']['family'])",
        "$heep = 1\nnotice($heep)",
        "class x($heep = 1) { notice($heep) }",
        "define x(Integer $heep) { notice($heep) }",
        "[1].each |$heep| { notice($heep) }",
        "{}.each |$key, $heep| { notice($heep) }",
        "[$a, $heep] = [1, 2]\nnotice($heep)",
        "notice(lookup('heep', Integer, 'first', 1))",
        "notice(lookup('heep', { default_value => 1 }))",
        "notice(hiera('heep', 1))",
        "notice(lookup({ 'name' => 'heep', 'default_value' => 1 }))",
        "notice(lookup({ name => 'heep', default_values_hash => { heep => 1 } }))",
        "notice(lookup('heep', { 'override' => { 'heep' => 1 } }))",
        "notice(lookup('heep', Array[String], 'unique', []))",
        "notice(lookup('heep', undef, undef, 1))",
        "$options = {}\nnotice(lookup('heep', $options))",
        "$options = {}\nnotice(lookup($options))",
        "notice(lookup('heep') |$key| { 1 })",
        "notice(lookup(['heap', 'heep']))",
        "notice(lookup({ 'name' => 'heap', 'merge' => { 'name' => 'heep' } }))",
        "notice($other::heep)",
        "include theirs\nnotice($heep)",
        "notice('$heep')",
    ] {
        assert_eq!(puppet(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn keys_of_a_pillar_that_nobody_gives_are_found() {
    let salt = |source: &str| slips(Tool::Salt, &[("x.sls", source)], &["heap"]);
    for source in [
        "x:\n  test.show_notification:\n    - text: {{ pillar['heep'] }}\n",
        "x:\n  test.show_notification:\n    - text: {{ pillar.heep }}\n",
        "x:\n  test.show_notification:\n    - text: {{ salt['pillar.get']('heep') }}\n",
        "{% set heap = pillar.get('heep') %}\nx:\n  test.nop: []\n",
        "{% set heep = 1 %}\nx:\n  test.nop:\n    - x: {{ pillar['heep'] }}\n",
        "x:\n  test.nop:\n    - x: {{ salt.pillar.get('heep') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt[\"pillar.get\"](\"heep\") }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.get'](key='heep') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.get']('heep', merge=True) }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.get']('heep:port', pillarenv='base') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.raw']('heep') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt.pillar.raw('heep') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.item']('heap', 'heep') }}\n",
        "x:\n  test.nop:\n    - x: {{ salt[\"pillar.item\"](\"heep\") }}\n",
        "x:\n  test.nop:\n    - x: {{ salt.pillar.item('heep').heep }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.keys']('heep') }}\n",
        "include:\n  - other\nx:\n  test.nop:\n    - x: {{ pillar['heep'] }}\n",
        "x:\n  file.managed:\n    - source: salt://x.conf\n    - name: {{ pillar['heep'] }}\n",
        "/x:\n  file.managed:\n    - contents_pillar: heep\n",
        "x:\n  test.nop:\n    - x: {{ heep }}\n",
        "{% from 'map.jinja' import y with context %}\nx:\n  test.nop:\n    - x: {{ heep }}{{ y }}\n",
    ] {
        let found = salt(source);
        assert!(matches!(found.as_slice(), [one] if one.ends_with(" heep heap")), "{source}: {found:?}");
    }
    for source in [
        "x:\n  test.show_notification:\n    - text: {{ pillar['heap'] }}\n",
        "x:\n  test.show_notification:\n    - text: {{ pillar.get('heep', 5) }}\n",
        "x:\n  test.show_notification:\n    - text: {{ pillar.get('heep') or 5 }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.get']('heep', default=5) }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.get'](key='heep', merge=True, default={}) }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.raw']() }}{{ salt.pillar.items() }}{{ pillar.keys() }}\n",
        "x:\n  test.nop:\n    - x: {{ salt['pillar.item']('heep') | default({}) }}\n",
        "x:\n  test.show_notification:\n    - text: {{ pillar.heep | default(5) }}\n",
        "{% if pillar.heep is defined %}\nx:\n  test.nop: []\n{% endif %}\n",
        "{% set heep = 1 %}\nx:\n  test.nop:\n    - x: {{ heep }}\n",
        "{% for heep in [1] %}\nx{{ heep }}:\n  test.nop: []\n{% endfor %}\n",
        "{% from 'map.jinja' import heep with context %}\nx:\n  test.nop:\n    - x: {{ heep }}\n",
        "{% import_yaml 'x.yaml' as heep %}\nx:\n  test.nop:\n    - x: {{ heep.y }}\n",
        "{% load_yaml as heep %}\na: 1\n{% endload %}\nx:\n  test.nop:\n    - x: {{ heep.a }}\n",
        "{% macro m(heep) %}{{ heep }}{% endmacro %}\nx:\n  test.nop: []\n",
        "x:\n  test.nop:\n    - x: {{ grains.os }} {{ tpldir }} {{ sls }} {{ range(3) }} {{ heep | default(1) }}\n",
        "{% set ns = namespace(heep=1) %}\nx:\n  test.nop:\n    - x: {{ ns.heep }}\n",
        "{% extends 'x.sls' %}{{ heep }}\n",
    ] {
        assert_eq!(salt(source), Vec::<String>::new(), "{source}");
    }
    // An input is in the pillar, and is not a variable.
    let found = unknown_names(Tool::Salt, &["x.sls"], [("x.sls", "x:\n  test.nop:\n    - x: {{ heap }}\n")], &["heap"]);
    assert!(matches!(&*found, [one] if one.is_variable && one.line == 3 && one.meant.as_deref() == Some("heap")));
    assert_eq!(salt("x:\n  test.nop:\n    - x: {{ other }}\n"), ["x.sls:3 other -"]);
}

#[cfg(feature = "chef")]
#[test]
fn attributes_that_nobody_sets_are_found() {
    let chef = |source: &str| slips(Tool::Chef, &[("db2/recipes/default.rb", source)], &["db2/heap", "db2/host"]);
    assert_eq!(chef("\nputs node['db2']['heep']"), ["db2/recipes/default.rb:2 db2/heep db2/heap"]);
    assert_eq!(chef("x = node['db2']\nputs x[:heep]"), ["db2/recipes/default.rb:2 db2/heep db2/heap"]);
    for source in [
        "puts node['db2']['heap'], node['hostname'], node['platform_family'], node['db2']",
        "node.default['db2']['heep'] = 1\nputs node['db2']['heep']",
        "puts node['db2']['heep'] || 5",
        "puts node['db2'].fetch('heep', 5)",
        "puts node['db2'].key?('heep')",
        "include_recipe 'theirs'\nputs node['db2']['heep']",
    ] {
        assert_eq!(chef(source), Vec::<String>::new(), "{source}");
    }
    let files = [
        ("db2/recipes/default.rb", "puts node['db2']['heep']"),
        ("db2/attributes/default.rb", "default['db2']['heep'] = 5"),
    ];
    assert_eq!(slips(Tool::Chef, &files, &["db2/heap"]), Vec::<String>::new());
}

#[test]
fn names_that_are_like_no_input_are_found() {
    let cases: [(Tool, &str, &str, &str); 23] = [
        (Tool::Shell, "x.sh", "echo $database", "x.sh:1 database -"),
        (Tool::Shell, "x.sh", "echo \"$JAVA_HOME\"/bin", "x.sh:1 JAVA_HOME -"),
        (Tool::Shell, "x.sh", "echo $WATTLE_STATE", "x.sh:1 WATTLE_STATE -"),
        (Tool::Shell, "x.sh", "echo $HOME\ncat >/x <<END\nproxy_set_header Host $host;\nEND", "x.sh:3 host -"),
        (Tool::Shell, "x.sh", "wattle get database", "x.sh:1 database -"),
        (Tool::Shell, "x.sh", "[ \"$database\" = y ] && echo", "x.sh:1 database -"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - debug: msg=\"{{ database }}\"\n", "x.yml:3 database -"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - command: x\n    when: database\n", "x.yml:4 database -"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  vars: {a: \"{{ b }}\"}\n  tasks: []\n", "x.yml:2 b -"),
        (Tool::Puppet, "x.pp", "notice(lookup('database'))", "x.pp:1 database -"),
        (Tool::Puppet, "x.pp", "$a = lookup('database', String)\n", "x.pp:1 database -"),
        (Tool::Puppet, "x.pp", "\nnotice($database)", "x.pp:2 database -"),
        (Tool::Puppet, "x.pp", "file { '/x': content => \"${database}\" }", "x.pp:1 database -"),
        (Tool::Puppet, "x.pp", "class a { $x = 1 }\nnotice($y)", "x.pp:2 y -"),
        (Tool::Salt, "x.sls", "a:\n  test.nop:\n    - x: {{ pillar['database'] }}\n", "x.sls:3 database -"),
        (Tool::Salt, "x.sls", "a:\n  test.nop:\n    - x: {{ pillar.database }}\n", "x.sls:3 database -"),
        (Tool::Salt, "x.sls", "{% set a = salt['pillar.get']('database:host') %}\n", "x.sls:1 database -"),
        (Tool::Salt, "x.sls", "{% for a in pillar['database'] %}{% endfor %}\n", "x.sls:1 database -"),
        (Tool::Salt, "x.sls", "{% if pillar['database'] %}{% endif %}\n", "x.sls:1 database -"),
        (Tool::Shell, "x.sh", "if true; then echo ${database%/}; fi", "x.sh:1 database -"),
        (Tool::Shell, "x.sh", "echo \"${database:?is missing}\"", "x.sh:1 database -"),
        (Tool::Shell, "x.sh", "for x in $databases; do echo $x; done", "x.sh:1 databases -"),
        // It is not set on a server of a cloud.
        (Tool::Shell, "x.sh", "cd \"$WATTLE_STATE_DIR\"", "x.sh:1 WATTLE_STATE_DIR -"),
    ];
    for (tool, path, text, found) in cases {
        assert_eq!(slips(tool, &[(path, text)], &["heap"]), [found], "{text}");
        assert_eq!(slips(tool, &[(path, text)], &[]), [found], "{text}");
    }
}

#[test]
fn names_that_others_give_or_that_need_not_be_there_are_none() {
    for (path, text) in [
        (
            "x.sh",
            "echo ${WATTLE_STATE_DIR:-/srv} $WATTLE_RUN_DIR $XDG_RUNTIME_DIR $LC_ALL $BASH_VERSION ${BASH_REMATCH[1]} $ftp_proxy",
        ),
        ("x.yml", "- hosts: all\n  tasks:\n  - shell: . ./env.sh\n  - script: x.sh\n"),
        ("x.sh", "[ -n \"$database\" ] && echo $database"),
        ("x.sh", "if [ ! -z \"$database\" ]; then echo $database; fi"),
        ("x.sh", "test \"$database\" && echo"),
        ("x.sh", "[[ -v database ]] && echo $database"),
        ("x.sh", "env database=1 sh -c 'echo $database'"),
        ("x.sh", "database=1 sh -c 'echo $database'"),
        ("x.sh", "docker run -e a=b x sh -c 'echo $database'"),
        ("x.sh", "awk '{ print $database }' x"),
        ("x.sh", "cat >x <<'END'\n$host\nEND"),
        ("x.sh", "echo 1 $@ $* $# $$ $! $- $_"),
        ("x.sh", "export database; echo $HOSTNAME"),
        ("x.yml", "- hosts: all\n  tasks:\n  - command: x\n    changed_when: no\n    failed_when: False\n"),
        (
            "x.yml",
            "- hosts: all\n  tasks:\n  - debug: msg=\"{{ range(3) | list }} {{ now() }} {{ item }} {{ omit }}\"\n",
        ),
        ("x.yml", "- hosts: all\n  tasks:\n  - getent: {database: passwd}\n  - debug: msg=\"{{ getent_passwd }}\"\n"),
        (
            "x.yml",
            "- hosts: all\n  tasks:\n  - include_vars: {file: a.yml, name: stuff}\n  - debug: msg=\"{{ stuff.x }}\"\n",
        ),
        (
            "x.yml",
            "- hosts: all\n  tasks:\n  - debug: msg=\"{{ ansible_facts.os_family }} {{ lookup('env', 'HOME') }}\"\n",
        ),
        ("x.pp", "notice($facts['our_fact'], $uptime, $ipaddress_eth0, $facts['networking']['ip'])"),
        ("x.pp", "if 'a' =~ /(a)/ { notice($1, $0) }"),
        ("x.pp", "notice(lookup('a::b'), lookup('a.b'), lookup('database', undef, undef, 1))"),
        ("x.pp", "file { \"${facts['heat_outputs_path']}.url\": content => \"${::heat_outputs_path}\" }"),
        ("x.sls", "{% if salt['pillar.get']('database') %}{% endif %}\n"),
        ("x.sls", "{% if pillar.get('database') %}\na:\n  test.nop: []\n{% endif %}\n"),
        ("x.sls", "a:\n  file.managed:\n    - name: {{ pillar['heat_outputs_path'] }}.url\n"),
        ("x.sls", "a:\n  test.nop:\n    - x: {{ grains['os'] }}\n"),
    ] {
        let tool = Tool::of_path(path).unwrap();
        assert_eq!(slips(tool, &[(path, text)], &["heap"]), Vec::<String>::new(), "{text}");
    }
    let library = [("x.sh", ". ./lib.sh\nour"), ("lib.sh", "our() { echo \"$database\"; }")];
    assert_eq!(slips(Tool::Shell, &library, &["heap"]), Vec::<String>::new());
    assert_eq!(slips(Tool::Shell, &library[1..], &["heap"]), ["lib.sh:1 database -"]);
    let beside = [("x.sh", "echo"), ("y.sh", "echo $database")];
    assert_eq!(slips(Tool::Shell, &beside, &["heap"]), Vec::<String>::new(), "the recipe of another component");
    let data = [("x.pp", "notice(lookup('database'))"), ("data/common.yaml", "database: x\n")];
    assert_eq!(slips(Tool::Puppet, &data, &["heap"]), Vec::<String>::new());
    let play = "- hosts: all\n  vars_files: [a.json]\n  tasks:\n  - debug: msg=\"{{ database }}\"\n";
    assert_eq!(slips(Tool::Ansible, &[("x.yml", play), ("a.json", "{\"database\": 1}")], &[]), Vec::<String>::new());
    let play = "- hosts: all\n  tasks:\n  - ours:\n  - debug: msg=\"{{ database }}\"\n";
    assert_eq!(slips(Tool::Ansible, &[("x.yml", play), ("library/ours.py", "x")], &[]), Vec::<String>::new());
}

#[cfg(feature = "chef")]
#[test]
fn attributes_below_a_cookbooks_key_that_nobody_sets_are_found() {
    let chef = |source: &str| slips(Tool::Chef, &[("cookbooks/db2/recipes/default.rb", source)], &["db2/heap"]);
    assert_eq!(chef("puts node['db2']['owner']"), ["cookbooks/db2/recipes/default.rb:1 db2/owner -"]);
    let others = [
        ("cookbooks/db2/recipes/default.rb", "puts node['db2']['heap']"),
        ("cookbooks/db2/recipes/client.rb", "puts node['db2']['owner']"),
    ];
    assert_eq!(slips(Tool::Chef, &others, &["db2/heap"]), Vec::<String>::new(), "of another component");
    for source in [
        "puts node['kernel']['release'], node['our_plugin']['x']",
        "puts 1 if node['db2']['owner']",
        "if node['db2']['owner'] && node['db2']['owner'] == 'x' then puts 1 end",
        "x = node['db2']['owner'] ? 1 : 2",
        "puts node['db2']['owner'].nil?",
        "puts node['db2']['owner']&.upcase",
        "package 'x' do\n  only_if { node['db2']['owner'] }\nend",
        "default['db2']['owner'] = 1\nputs node['db2']['owner']",
    ] {
        assert_eq!(chef(source), Vec::<String>::new(), "{source}");
    }
}
