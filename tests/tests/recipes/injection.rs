//! Inputs that would be commands if a tool treated them as more than text.
//!
//! Each input, if evaluated, creates a file. A recipe that uses it as its tool's documentation recommends returns it
//! unchanged, and the file does not exist.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use wattle::model::{Tool, Type, Value};
use wattle_tests::skip::everything;
use wattle_tests::venv;

use crate::stage::{Stage, secret};

/// Code that would run in each language, with a name.
fn attacks(mark: &Path) -> Vec<(&'static str, String)> {
    let mark = mark.display();
    assert!(!mark.to_string().contains(' '), "a path that needs no quotes");
    vec![
        ("jinja", format!("{{{{ lookup('pipe', 'touch {mark}.jinja') }}}}")),
        ("begin", "{".to_owned()),
        ("end", format!("{{ lookup('pipe', 'touch {mark}.end') }}}}")),
        ("block", format!("% set x = lookup('pipe', 'touch {mark}.block') %")),
        ("expression", format!("lookup('pipe', 'touch {mark}.expression') == ''")),
        ("module", format!("{{{{ salt['cmd.run']('touch {mark}.module') }}}}")),
        ("python", format!("#!py\ndef run():\n    __import__('os').system('touch {mark}.python')")),
        ("object", format!("!!python/object/apply:os.system ['touch {mark}.object']")),
        ("hiera", "%{lookup('password')} %{facts.kernel}".to_owned()),
        ("alias", "%{alias('password')}".to_owned()),
        ("literal", "%{literal('%')}{lookup('password')}".to_owned()),
        ("generate", format!("${{generate('/usr/bin/touch', '{mark}.generate')}}")),
        ("epp", format!("<%= generate('/usr/bin/touch', '{mark}.epp') %>")),
        ("erb", format!("<%= `touch {mark}.erb` %>")),
        ("ruby", format!("#{{`touch {mark}.ruby`}}")),
        ("command", format!("$(touch {mark}.command)")),
        ("backtick", format!("`touch {mark}.backtick`")),
        ("quote", format!("'; touch {mark}.quote; '")),
        ("quotes", format!("\"; touch {mark}.quotes; \"")),
        ("line", format!("a\ntouch {mark}.line\n#")),
        ("function", format!("() {{ :; }}; touch {mark}.function")),
        ("index", format!("a[$(touch {mark}.index)]")),
    ]
}

/// A component with all of these as inputs and outputs.
fn stage(tool: Tool, mark: &Path) -> Stage {
    let mut stage = Stage::new(tool, "").input("password", secret(Type::STR), "hunter22");
    for (name, attack) in attacks(mark) {
        stage = stage.input(name, Type::STR, attack).output(&format!("{name}_back"), Type::STR);
    }
    stage
}

/// A folder without files from other tests.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("wattle-injection-").tempdir().unwrap();
    let mark = folder.path().join("ran");
    (folder, mark)
}

/// Runs the component, and asserts that no attack ran and that each value is returned unchanged.
async fn hold(stage: &Stage, mark: &Path) {
    let result = stage.run_clean().await;
    nothing_ran(mark);
    let outputs = match result {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    for (name, attack) in attacks(mark) {
        assert_eq!(outputs[&*format!("{name}_back")], Value::from(attack), "{name}");
    }
}

fn nothing_ran(mark: &Path) {
    assert_eq!(crate::stage::names(mark.parent().unwrap()), [""; 0], "these were run");
}

#[tokio::test]
async fn ansible_runs_nothing_of_an_input() {
    ansible(None).await;
}

/// Versions from `WATTLE_TEST_ANSIBLE` (`DIRECTORY:DIRECTORY`, each with an `ansible-playbook`), and from `PyPI`.
#[tokio::test]
async fn other_versions_of_ansible_run_nothing_of_an_input() {
    if everything("what inputs try with ansible-core 2.14 to the current one") {
        for version in ["2.14", "2.15", "2.16", "2.17", "2.18", ""] {
            ansible(Some(&crate::ansible::of_pypi(version).join("bin"))).await;
        }
    }
    let named = std::env::var_os("WATTLE_TEST_ANSIBLE");
    for path in named.iter().flat_map(std::env::split_paths) {
        eprintln!("{}", path.display());
        ansible(Some(&path)).await;
    }
}

async fn ansible(bin: Option<&Path>) {
    let (_folder, mark) = folder();
    let mut text = "- hosts: localhost\n  gather_facts: false\n  tasks:\n".to_owned();
    for (name, _) in attacks(&mark) {
        let _ = writeln!(text, "    - ansible.builtin.set_fact: {{fact: \"{{{{ {name} }}}}\"}}");
        let _ = writeln!(text, "    - ansible.builtin.set_stats: {{data: {{{name}_back: \"{{{{ fact }}}}\"}}}}");
    }
    // Texts that a playbook concatenates, keys of a map, and text where Ansible expects an expression.
    for made in [
        "{{ begin }}{{ end }}",
        "{{ '{' }}{{ block }}{{ '}' }}",
        "{{ keys | first }}",
        "{{ keys | list | join(' ') }}",
        "{{ parts | join('') }}",
        "{{ parts[0] ~ parts[1] }}",
    ] {
        let _ = writeln!(text, "    - ansible.builtin.set_fact: {{made: \"{made}\"}}");
        text.push_str("    - {ansible.builtin.debug: {msg: \"{{ made }}\"}, ignore_errors: true}\n");
    }
    text.push_str("    - {ansible.builtin.debug: {msg: on}, when: \"{{ expression }}\", ignore_errors: true}\n");
    text.push_str("    - {ansible.builtin.assert: {that: \"{{ expression }}\"}, ignore_errors: true}\n");
    let parts = ["{", &format!("{{ lookup('pipe', 'touch {}.parts') }}}}", mark.display())];
    let key = format!("{{{{ lookup('pipe', 'touch {}.key') }}}}", mark.display());
    let keys = Value::Map([(key.as_str().into(), 1_u8.into())].into_iter().collect());
    let mut stage = stage(Tool::Ansible, &mark)
        .file("recipes/it.yml", &text)
        .input("parts", Type::List(Box::new(Type::STR)), parts.to_vec())
        .input("keys", Type::Map(Box::new(Type::integer(0, 9))), keys);
    if let Some(bin) = bin {
        stage = stage.on_path(bin);
    }
    hold(&stage, &mark).await;
}

#[tokio::test]
async fn puppet_interpolates_nothing_of_an_input() {
    let (_folder, mark) = folder();
    let mut text = String::new();
    for (name, _) in attacks(&mark) {
        let value = format!("lookup('{name}')");
        let _ = writeln!(
            text,
            "$it_{name} = {value}\n\
             $text_{name} = inline_epp('<%= $v %>', {{ 'v' => \"${{it_{name}}}\" }})\n\
             file {{ \"${{facts['heat_outputs_path']}}.{name}_back\": content => \"${{text_{name}}}\" }}\n\
             notify {{ \"fact {name} ${{facts['{name}']}}\": }}"
        );
    }
    let key = "%{lookup('password')}";
    let keys = Value::Map([(key.into(), key.into())].into_iter().collect());
    text.push_str(
        "file { \"${facts['heat_outputs_path']}.key\": content => \"${lookup('keys').keys()[0]} ${lookup('keys').values()[0]}\" }\n",
    );
    let stage = stage(Tool::Puppet, &mark)
        .file("recipes/it.pp", &text)
        .input("keys", Type::Map(Box::new(Type::STR)), keys)
        .output("key", Type::STR);
    hold(&stage, &mark).await;
    assert_eq!(stage.run_clean().await.unwrap()["key"], format!("{key} {key}").into());
}

#[tokio::test]
async fn salt_renders_nothing_of_an_input() {
    let (_folder, mark) = folder();
    let mut text = String::new();
    for (name, _) in attacks(&mark) {
        let _ = writeln!(
            text,
            "{{{{ pillar['heat_outputs_path'] }}}}.{name}_back:\n  file.managed:\n    - contents_pillar: {name}\n\
             {{{{ pillar['heat_outputs_path'] }}}}.{name}_more:\n  file.managed:\n    - contents: {{{{ pillar['{name}'] | json }}}}"
        );
    }
    text.push_str("{{ pillar['heat_outputs_path'] }}.all:\n  file.managed:\n    - source: salt://all.txt\n    - template: jinja\n");
    let mut all = String::new();
    for (name, _) in attacks(&mark) {
        let _ = writeln!(all, "{{{{ pillar['{name}'] }}}}");
    }
    let stage = stage(Tool::Salt, &mark)
        .file("recipes/it.sls", &text)
        .file("recipes/all.txt", &all)
        .output("all", Type::STR)
        .on_path(&venv::installed("salt"));
    hold(&stage, &mark).await;
}

#[tokio::test]
async fn shells_run_nothing_of_an_input() {
    for shell in ["/bin/sh", "/bin/bash"] {
        let (_folder, mark) = folder();
        let mut text = format!("#!{shell}\nset -eu\n");
        for (name, _) in attacks(&mark) {
            let _ = writeln!(text, "printf '%s' \"${name}\" >\"$heat_outputs_path.{name}_back\"");
        }
        hold(&stage(Tool::Shell, &mark).file("recipes/it.sh", &text), &mark).await;
    }
}
