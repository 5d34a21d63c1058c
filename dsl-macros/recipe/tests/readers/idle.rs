//! Definitions that a recipe never runs.

use wattle_recipe::{Definition, Tool, never_run};

fn shell(files: &[(&str, &str)]) -> Option<(String, u32)> {
    let found = never_run(Tool::Shell, "x.sh", files.iter().copied())?;
    assert_eq!(found.kind, Definition::Function);
    Some((found.name, found.line))
}

#[test]
fn a_function_that_nothing_calls_is_found() {
    for (source, name, line) in [
        ("#!/bin/sh\nset -e\nmain() {\n  tar xf x\n}\n", "main", 3),
        ("set -e\nfunction main {\n  tar xf x\n}\n", "main", 2),
        ("install() { make; }\nrun() { tar xf x; }\nrun\n", "install", 1),
        ("main() {\n  step\n}\nstep() { tar xf x; }\n", "main", 1),
        ("main() {\n  tar xf x\n  main\n}\n", "main", 1),
        ("# runs main\nmain() { tar xf x; }\necho\n", "main", 2),
        ("main() (\n  tar xf x\n)\necho maintained\n", "main", 1),
    ] {
        assert_eq!(shell(&[("x.sh", source)]), Some((name.to_owned(), line)), "{source}");
    }
    for source in [
        "main() { tar xf x; }\nmain\n",
        "main() { tar xf x; }\nif [ x ]; then main; fi\n",
        "main() { tar xf x; }\ntrap main EXIT\n",
        "main() { tar xf x; }\ntrap 'main; exit' EXIT\n",
        "main() { tar xf x; }\nexport -f main\n",
        "main() { tar xf x; }\nx=$(main)\n",
        "main() { tar xf x; }\n\"$@\"\n",
        "main() { tar xf x; }\nx=main\n$x\n",
        "main() { tar xf x; }\nx=$($1)\n",
        "main() { tar xf x; }\neval \"$x\"\n",
        "main() { tar xf x; }\n. ./elsewhere.sh\n",
        "log() { echo \"$1\" >&2; }\ntar xf x\n",
        "die() { echo \"$1\"; exit 1; }\ntar xf x\n",
    ] {
        assert_eq!(shell(&[("x.sh", source)]), None, "{source}");
    }
    let main = "main() { tar xf x; }\n. ./lib.sh\n";
    assert_eq!(shell(&[("x.sh", main), ("lib.sh", "main\n")]), None);
    assert_eq!(shell(&[("x.sh", main), ("lib.sh", "x=1\n")]), Some(("main".into(), 1)));
    assert_eq!(shell(&[("x.sh", "main() { tar xf x; }\n"), ("lib.sh", ". ./x.sh\n")]), None, "it is a library");
}

#[test]
fn a_handler_that_nothing_notifies_is_found() {
    let play = |notify: &str, handler: &str| {
        let text = format!("- hosts: all\n  tasks:\n  - copy: {{src: x, dest: /x}}\n{notify}  handlers:\n{handler}");
        let files = [("x.yml", text.as_str()), ("roles/web/tasks/main.yml", "- ping:\n  notify: of the role\n")];
        let found = never_run(Tool::Ansible, "x.yml", files)?;
        assert_eq!(found.kind, Definition::Handler);
        Some((found.name, found.line))
    };
    let restart = "  - name: restart\n    service: {name: x, state: restarted}\n";
    for (notify, line) in
        [("", 5), ("    notify: reload\n", 6), ("    notify: Restart\n", 6), ("    notify: [a, b]\n", 6)]
    {
        assert_eq!(play(notify, restart), Some(("restart".to_owned(), line)), "{notify}");
    }
    for (notify, handler) in [
        ("    notify: restart\n", restart),
        ("    notify: [reload, restart]\n", restart),
        ("    notify:\n    - web : restart\n", restart),
        ("    notify: \"{{ handler }}\"\n", restart),
        ("    notify: all\n", "  - name: restart\n    listen: all\n    ping:\n"),
        ("    notify: all\n", "  - name: restart\n    listen: [some, all]\n    ping:\n"),
        ("", "  - name: \"{{ x }}\"\n    ping:\n"),
        ("", "  - name: more\n    import_tasks: more.yml\n"),
        ("", "  - name: of the role\n    ping:\n"),
        ("  - include_role: {name: elsewhere}\n", restart),
    ] {
        assert_eq!(play(notify, handler), None, "{notify}{handler}");
    }
}

#[test]
fn what_a_manifest_does_not_apply_is_found() {
    let manifest = |text: &str| {
        let found = never_run(Tool::Puppet, "x.pp", [("x.pp", text)])?;
        Some((found.kind, found.name, found.line))
    };
    for (text, kind, name, line) in [
        ("class web {\n  package { 'nginx': }\n}\n", Definition::Class, "web", 1),
        ("package { 'nginx': }\ndefine site($x) { file { $x: } }\n", Definition::DefinedType, "site", 2),
        ("@user { 'x': }\n", Definition::Virtual, "user", 1),
        ("class a { include b }\nclass b { }\n", Definition::Class, "a", 1),
    ] {
        assert_eq!(manifest(text), Some((kind, name.to_owned(), line)), "{text}");
    }
    for text in [
        "class web { }\ninclude web\n",
        "class web { }\nclass { 'web': }\n",
        "class web { }\nclass { '::web': }\n",
        "class web { }\nrequire web\n",
        "class web($x) { }\ncontain 'web'\n",
        "class web { }\ninclude $classes\n",
        "class web { }\nlookup('classes').include\n",
        "class web { }\ncreate_resources('class', $x)\n",
        "class base { }\nclass web inherits base { }\ninclude web\n",
        "define site($x) { }\nsite { 'a': x => 1 }\n",
        "define site($x) { }\ncreate_resources(site, {})\n",
        "@user { 'x': }\nrealize User['x']\n",
        "@user { 'x': }\nUser <| |>\n",
        "@user { 'x': }\nUser <| title == 'x' |>\n",
        "@@user { 'x': }\n",
    ] {
        assert_eq!(manifest(text), None, "{text}");
    }
}
