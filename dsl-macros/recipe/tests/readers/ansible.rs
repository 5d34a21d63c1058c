use wattle_recipe::{Analysis, Tool, analyse, analyse_all};

use super::names;

fn ansible(source: &str) -> Analysis {
    analyse(Tool::Ansible, source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// A play with the given task, which begins at its key.
fn task(task: &str) -> String {
    let mut lines = task.lines();
    let mut text = format!("- hosts: localhost\n  tasks:\n    - {}\n", lines.next().unwrap_or_default());
    for line in lines {
        text.extend(["      ", line, "\n"]);
    }
    text
}

#[test]
fn one_output_is_written() {
    for source in [
        "set_stats:\n  data:\n    url: x",
        "name: publish\nansible.builtin.set_stats:\n  data:\n    url: \"{{ x }}\"\n  per_host: false",
        "set_stats: { data: { url: x } }",
        "set_stats:\nargs:\n  data:\n    url: x",
        "action:\n  module: set_stats\n  data:\n    url: x",
        "set_stats:\n  data:\n    \"{{ key }}\": x\nvars:\n  key: url",
        "set_stats:\n  data:\n    \"{{ item }}\": x\nloop: [url]",
        "block:\n  - set_stats:\n      data:\n        url: x",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.url\"",
        "copy:\n  content: x\n  dest: \"{{heat_outputs_path}}.url\"",
        "copy: content=x dest={{ heat_outputs_path }}.url",
        "copy: >\n  content=x dest={{ heat_outputs_path }}.url mode=0600",
        "copy:\n  content: x\n  dest: \"{{ lookup('env','heat_outputs_path') }}.url\"",
        "copy:\n  content: x\n  dest: \"{{ lookup('env', 'heat_outputs_path') ~ '.url' }}\"",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path + '.url' }}\"",
        "copy:\n  content: x\n  dest: \"{{ ansible_env.heat_outputs_path }}.url\"",
        "copy:\n  content: x\n  dest: \"{{ out }}.url\"\nvars:\n  out: \"{{ heat_outputs_path }}\"",
        "copy:\n  content: x\n  dest: \"{{ out ~ '.url' }}\"\nvars:\n  out: \"{{ heat_outputs_path }}\"",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ item }}\"\nloop:\n  - url",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ item.name }}\"\nwith_items:\n  - { name: url, value: x }",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ o }}\"\nloop: [url]\nloop_control:\n  loop_var: o",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ item }}\"\nloop: \"{{ outputs }}\"\nvars:\n  outputs: [url]",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ item.key }}\"\nwith_dict:\n  url: x",
        "ansible.builtin.lineinfile:\n  path: \"{{ heat_outputs_path }}.url\"\n  line: x",
        "get_url:\n  url: https://x\n  dest: \"{{ heat_outputs_path }}.url\"",
        "shell: echo x > {{ heat_outputs_path }}.url",
        "shell: |\n  cd /x\n  echo \"{{ x }}\" > \"{{ heat_outputs_path }}.url\"",
        "shell: echo x > $heat_outputs_path.url",
        "ansible.builtin.shell:\n  cmd: echo x > {{ heat_outputs_path }}.url",
        "command: wattle set url \"{{ x }}\"",
        "command:\n  argv: [wattle, set, url, x]",
        "command: cp x {{ heat_outputs_path }}.url",
    ] {
        let source = task(source);
        let analysis = ansible(&source);
        assert_eq!(names(&analysis.writes), ["url"], "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn nothing_is_written() {
    for source in [
        "debug: msg=\"{{ heat_outputs_path }}.url\"",
        "debug:\n  msg: \"{{ heat_outputs_path }}.url\"",
        "stat:\n  path: \"{{ heat_outputs_path }}.url\"\nregister: x",
        "slurp:\n  src: \"{{ heat_outputs_path }}.url\"",
        "copy:\n  src: \"{{ heat_outputs_path }}.url\"\n  dest: /x",
        "copy: src={{ heat_outputs_path }}.url dest=/x",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.url.tmp\"",
        "set_fact:\n  url: x",
        "set_fact:\n  out: \"{{ heat_outputs_path }}\"",
        "name: write {{ heat_outputs_path }}.url\ndebug: {}",
        "shell: cat {{ heat_outputs_path }}.url",
        "shell: echo {{ x }}",
        "set_stats:\n  data: {}",
        "apt: { name: \"{{ p }}\", state: present }",
    ] {
        let source = task(source);
        let analysis = ansible(&source);
        assert_eq!(names(&analysis.writes), Vec::<&str>::new(), "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn anything_may_be_written() {
    for source in [
        "set_stats:\n  data: \"{{ x }}\"",
        "set_stats: data=\"{{ x }}\"",
        "action: set_stats data=x",
        "set_stats:\n  data:\n    \"{{ key }}\": x",
        "set_stats:\n  data:\n    <<: *x",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ name }}\"",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path }}.{{ item }}\"\nloop: \"{{ names }}\"",
        "copy:\n  content: x\n  dest: \"{{ heat_outputs_path ~ '.' ~ name }}\"",
        "my_module:\n  base: \"{{ heat_outputs_path }}\"",
        "environment:\n  OUT: \"{{ heat_outputs_path }}\"",
        "shell: ./publish.sh",
        "shell: echo x > {{ heat_outputs_path }}.{{ name }}",
        "script: publish.sh",
        "import_tasks: more.yml",
        "ansible.builtin.include_tasks: \"{{ x }}.yml\"",
        "include_role:\n  name: db2",
        "include_role: { name: geerlingguy.java }",
    ] {
        let source = task(source).replace("<<: *x", "<<: {a: 1}");
        assert!(ansible(&source).dynamic_writes, "{source}");
    }
    let loops = "- copy: {dest: /x}\n  loop: [url]\n- copy: {dest: '{{ heat_outputs_path }}.{{ item }}'}\n";
    assert!(ansible(loops).dynamic_writes, "the loop of another task");
    assert!(ansible("- hosts: all\n  roles:\n    - db2\n").dynamic_writes);
    assert!(ansible("- import_playbook: x.yml\n").dynamic_writes);
}

#[test]
fn variables_are_read() {
    for source in [
        "debug:\n  msg: \"{{ port }}\"",
        "debug:\n  var: port",
        "debug: {}\nwhen: port > 1",
        "debug: {}\nwhen:\n  - x\n  - port is defined",
        "debug: {}\nloop: \"{{ port }}\"",
        "debug: {}\nwith_items: port",
        "assert:\n  that: port > 1",
        "shell: |\n  {% if port %}x{% endif %}",
        "apt: name={{ port }}",
        "set_fact:\n  x: \"{{ lookup('env', 'port') }}\"",
        "set_fact:\n  x: \"{{ vars['port'] }}\"",
        "\"{{ port }}\": x",
        "debug: {}\nuntil: port",
        "debug: {}\nenvironment:\n  PORT: \"{{ port | default(1) }}\"",
    ] {
        let source = task(source);
        assert!(names(&ansible(&source).reads).contains(&"port"), "{source}");
    }
    for source in ["debug:\n  msg: port", "shell: echo port", "name: port\ndebug: {}", "debug: {} # {{ port }}"] {
        let analysis = ansible(&task(source));
        assert!(!names(&analysis.reads).contains(&"port") && !analysis.dynamic_reads, "{source}");
    }
}

#[test]
fn a_template_that_is_not_given_reads_anything() {
    let analysis = ansible(&task("template:\n  src: x.j2\n  dest: /x"));
    assert!(analysis.dynamic_reads && !analysis.dynamic_writes);
}

#[test]
fn lines_are_counted() {
    let analysis = ansible("- shell: |\n    ls | tee x |\n    wattle set url {{ a }}\n");
    assert_eq!((analysis.writes["url"], analysis.reads["a"]), (3, 3));
    let analysis = ansible(
        "---\n- hosts: all\n  tasks:\n    - set_stats:\n        data:\n          url: \"{{ a }}\"\n    - shell: |\n        true\n        wattle set port {{ b }}\n",
    );
    assert_eq!(analysis.writes.into_iter().collect::<Vec<_>>(), [("port".into(), 9), ("url".into(), 6)]);
    assert_eq!(analysis.reads.into_iter().collect::<Vec<_>>(), [("a".into(), 6), ("b".into(), 9)]);
}

#[test]
fn malformed_yaml_is_an_error_with_its_line() {
    for (source, line) in [("a: [1, 2\nb: 3\n", 2), ("- a\n  b: c\n- \"x\n", 2), ("a:\n\t- b\n", 2)] {
        let error = analyse(Tool::Ansible, source).expect_err(source);
        assert!(error.line.abs_diff(line) <= 1, "{source}: {error}");
        assert!(!error.message.is_empty());
    }
}

#[test]
fn several_documents_tags_and_anchors_are_read() {
    let analysis =
        ansible("---\n- set_stats: {data: &x {a: !vault b}}\n---\n- copy: *x\n- set_stats:\n    data:\n      b: 1\n");
    assert_eq!(names(&analysis.writes), ["a", "b"]);
}

#[test]
fn deep_nesting_is_refused() {
    for opening in ["[", "{", "- ", "{a: ", "? ", "&a ", "[{", "!x ", "\"", "'", "{{", "a: {{ x.", "(", "|\n", "a:\n "]
    {
        let _ = analyse(Tool::Ansible, &opening.repeat(100_000));
    }
    let deep = |levels: usize| analyse(Tool::Ansible, &("[".repeat(levels) + &"]".repeat(levels)));
    assert!(deep(100).is_ok());
    assert_eq!(deep(200).expect_err("too deep").message, "lists and maps nest deeper than 128");
    let doubling: String = (0..60).map(|n| format!("    v{n}: \"{{{{ v{0} }}}}{{{{ v{0} }}}}\"\n", n + 1)).collect();
    let _ = ansible(&format!(
        "- hosts: x\n  vars:\n{doubling}  tasks:\n    - copy: {{dest: \"{{{{ heat_outputs_path }}}}{{{{ v0 }}}}\"}}\n"
    ));
}

#[test]
fn what_ansible_refuses_at_run_time_is_an_error_with_its_line() {
    let play = |tasks: &str| analyse(Tool::Ansible, &format!("- hosts: localhost\n  tasks:\n{tasks}"));
    for (tasks, line, message) in [
        ("    - set_stats:\n        url: x\n", 4, "`set_stats` has no `data`"),
        ("    - set_stats:\n", 3, "`set_stats` has no `data`"),
        ("    - set_stats: {data: }\n", 3, "`data` of `set_stats` is empty"),
        ("    - set_stats:\n        data:\n        per_host: false\n", 4, "`data` of `set_stats` is empty"),
        ("    - set_stats: {data: ~}\n", 3, "`data` of `set_stats` is empty"),
        ("    - set_stats:\n      args: {data: null}\n", 3, "`data` of `set_stats` is empty"),
        (
            "    - set_stats: {data: {url: x}}\n    - copy: {content: '{{ address', dest: /x}\n",
            4,
            "`{{` is never closed",
        ),
        ("    - copy: {content: '{% if address', dest: /x}\n", 3, "`{%` is never closed by `%}`"),
        // Ansible treats it as a comment.
        ("    - shell: echo ${#address}\n", 3, "`{#` is never closed by `#}`"),
    ] {
        let error = play(tasks).expect_err(tasks);
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.starts_with(message), "{error}");
    }
    let within = "    - block:\n      - set_stats: {url: x}\n      rescue:\n      - debug: {msg: x}\n";
    assert_eq!(play(within).expect_err("a block").line, 4);
    for (path, source, line) in [
        ("tasks/more.yml", "- debug: {msg: x}\n- set_stats: {url: x}\n", 2),
        ("roles/web/handlers/main.yml", "- debug: {msg: '{{ address'}\n", 1),
        ("templates/x.j2", "a\n{{ address\n{% if a %}b{% endif %}\n", 2),
        ("templates/x.j2", "{{ 'a' }}\n{{ address }\n{{ b }}\n", 2),
    ] {
        let files = [("site.yml", "- hosts: localhost\n  tasks: []\n"), (path, source)];
        let error = analyse_all(Tool::Ansible, files).expect_err(source);
        assert_eq!((error.path.as_str(), error.error.line), (path, line), "{error}");
    }
    for template in [
        "{% raw %}{{ x {% endraw %}{{ y }}\n",
        "{# {{ x #}\n",
        "{{ '{{' ~ x ~ \"}}\" }}\n",
        "{% set x = '{{' %}\n",
        "{{ {'a': {'b': 1}} }}\n",
        "#jinja2: variable_start_string:'[['\n{{ x\n",
    ] {
        let files = [("site.yml", "- hosts: localhost\n  tasks: []\n"), ("templates/x.j2", template)];
        analyse_all(Tool::Ansible, files).unwrap_or_else(|error| panic!("{error}\n{template}"));
    }
    for tasks in [
        "    - set_stats: {data: {url: '{{ address }}'}}\n",
        "    - set_stats:\n      args: {data: {url: x}}\n",
        "    - set_stats: data={{ values }}\n",
        "    - copy: {content: '{% raw %}{{{% endraw %}', dest: /x}\n",
        "    - copy: {content: !unsafe '{{ x', dest: /x}\n",
        "    - debug: {msg: '}} {'}\n",
    ] {
        play(tasks).unwrap_or_else(|error| panic!("{error}\n{tasks}"));
    }
}
