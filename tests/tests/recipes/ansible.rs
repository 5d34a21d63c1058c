//! Playbooks, run by a real `ansible-playbook`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use wattle::model::{Tool, Type};
use wattle_runtime::space::{FailureKind, Script};
use wattle_tests::skip::everything;

use crate::stage::{PORT, Stage, json, names, secret, until};

#[tokio::test]
async fn inputs_are_variables_and_set_stats_are_outputs() {
    let stage = Stage::new(
        Tool::Ansible,
        r#"
- hosts: localhost
  roles: [redis]
  tasks:
    - ansible.builtin.assert:
        that: [memory is not defined, tcp_port == 6379, "lookup('env', 'heat_outputs_path') == heat_outputs_path"]
    - ansible.builtin.set_stats:
        data: {url: "redis://{{ address }}:{{ tcp_port }}/", unknown: 1}
    - ansible.builtin.set_stats:
        per_host: true
        data: {port: "{{ tcp_port }}", python: "{{ ansible_python.executable }}"}
    - ansible.builtin.copy:
        dest: "{{ heat_outputs_path }}.conf"
        content: "{{ lookup('file', 'redis.conf') }}"
"#,
    )
    .file("recipes/files/redis.conf", "bind *\n")
    .file("roles/redis/tasks/main.yml", "- ansible.builtin.debug: {msg: a role}\n")
    .input("address", Type::IP, "192.0.2.1")
    .input("tcp_port", PORT, json("6379"))
    .output("url", Type::URI)
    .output("port", PORT)
    .output("python", Type::STR)
    .output("conf", Type::STR);
    let outputs = stage.run_clean().await.unwrap();
    assert_eq!(outputs["url"], "redis://192.0.2.1:6379/".into());
    assert_eq!(outputs["port"], json("6379"));
    assert_eq!(outputs["conf"], "bind *".into());
    let log = stage.log.text();
    assert!(log.contains("a role") && log.contains("an output `unknown` that it does not declare"), "{log}");
    assert!(!log.contains("WARNING"), "{log}");
}

#[tokio::test]
async fn a_value_of_every_type_goes_through() {
    every_type(None).await;
}

/// The version that users get from `PyPI` by default.
#[tokio::test]
async fn a_value_of_every_type_goes_through_the_current_ansible() {
    if everything("a value of every type through the ansible-core of PyPI") {
        every_type(Some(of_pypi("").join("bin"))).await;
    }
}

async fn every_type(bin: Option<PathBuf>) {
    let mut text = "- hosts: localhost\n  gather_facts: false\n  tasks:\n".to_owned();
    let mut stage = Stage::new(Tool::Ansible, "");
    for (name, ty, value) in crate::types::all() {
        // Without this, ansible-core before 2.19 converts text that looks like a list, a map or a boolean.
        let filter = if ty == Type::STR { " | string" } else { "" };
        let set = format!("{{data: {{{name}: \"{{{{ {name}{filter} }}}}\"}}}}");
        let _ = writeln!(text, "    - ansible.builtin.set_stats: {set}");
        stage = stage.input(name, ty.clone(), value).output(name, ty);
    }
    stage = stage.file("recipes/it.yml", &text);
    if let Some(bin) = &bin {
        stage = stage.on_path(bin);
    }
    crate::types::come_back(&stage).await;
}

#[tokio::test]
async fn a_failure_names_the_task() {
    let stage = Stage::new(
        Tool::Ansible,
        r#"
- hosts: localhost
  gather_facts: false
  tasks:
    - name: May fail
      ansible.builtin.command: "false"
      ignore_errors: true
    - name: Log in
      ansible.builtin.fail:
        msg: "no such user: {{ password }}"
"#,
    )
    .input("password", secret(Type::STR), "hunter2")
    .output("url", Type::URI);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert_eq!(
        broken.message,
        "the task `Log in`, line 8 of recipes/it.yml, failed: no such user: *** (the recipe ended with exit code 2)"
    );
    assert!(broken.log.iter().any(|line| line.contains("PLAY RECAP")), "{:?}", broken.log);
    assert!(!stage.log.text().contains("hunter2"));
    let broken =
        Stage::new(Tool::Ansible, "- hosts: localhost\n  tasks: [{nonsense: {}}]").run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert!(broken.log.iter().any(|line| line.contains("nonsense")), "{:?}", broken.log);
    assert!(broken.message.contains("couldn't resolve module/action 'nonsense'"), "{}", broken.message);
}

#[tokio::test]
async fn a_playbook_for_other_hosts_fails() {
    let play = |hosts: &str| format!("- hosts: {hosts}\n  gather_facts: false\n  tasks: [{{debug: {{msg: hi}}}}]\n");
    let computed = play("\"{{ where }}\"");
    let stage = |playbook: &str| Stage::new(Tool::Ansible, playbook).input("where", Type::STR, "webservers");
    let broken = stage(&computed).run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert_eq!(
        broken.message,
        "no play is for this server, so nothing ran: a recipe's only host is `localhost` (the recipe ended with exit code 0)"
    );
    stage(&format!("{computed}{}", play("localhost"))).run_clean().await.expect("a play is for this server");
}

#[tokio::test]
async fn a_failure_is_reported_in_words() {
    let message = async |task: &str| {
        let playbook = format!("- hosts: localhost\n  gather_facts: false\n  tasks:\n  - name: It\n    {task}\n");
        let stage = Stage::new(Tool::Ansible, &playbook).input("password", secret(Type::STR), "hunter2");
        stage.run_clean().await.unwrap_err().message
    };
    let reported = |what: &str| {
        format!("the task `It`, line 4 of recipes/it.yml, failed{what} (the recipe ended with exit code 2)")
    };
    assert_eq!(
        message("ansible.builtin.shell: \"echo first >&2; echo no {{ password }} >&2; exit 3\"").await,
        reported(": non-zero return code: no ***")
    );
    assert_eq!(
        message("ansible.builtin.fail: {msg: \"no {{ item }}\"}\n    loop: [a, hunter2]\n    when: item != 'a'").await,
        reported(" for the item `***`: no ***")
    );
    assert_eq!(
        message("ansible.builtin.assert: {that: [\"1 == 2\"], fail_msg: \"one is not two\"}").await,
        reported(": one is not two")
    );
    let hidden = message("ansible.builtin.fail: {msg: \"between us\"}\n    no_log: true").await;
    assert!(!hidden.contains("between us") && hidden.contains("has been hidden"), "{hidden}");
}

#[tokio::test]
async fn outputs_that_are_wrong_or_missing() {
    let playbook =
        "- hosts: localhost\n  gather_facts: false\n  tasks: [{ansible.builtin.set_stats: {data: {port: http}}}]";
    let stage = Stage::new(Tool::Ansible, playbook).output("port", PORT).output("url", Type::URI);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Type);
    assert_eq!(
        broken.message,
        "its output `port` is not what it declares: expected an integer between 0 and 65535, found a string; it ended \
         without writing its output `url`"
    );
    let playbook = "- hosts: localhost\n  gather_facts: false\n  tasks: [{ansible.builtin.set_stats: {data: {page: \"{{ 'x' * 1000001 }}\"}}}]";
    let broken = Stage::new(Tool::Ansible, playbook).output("page", Type::STR).run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Size, "{}", broken.message);
}

#[tokio::test]
async fn a_playbook_ends_at_its_deadline() {
    let playbook = r#"
- hosts: localhost
  gather_facts: false
  tasks: [{ansible.builtin.shell: "echo >'{{ started }}'; exec sleep 1003"}]
"#;
    let stage = Stage::new(Tool::Ansible, playbook).deadline(Duration::from_millis(500));
    let started = stage.path("started");
    let stage = stage.input("started", Type::STR, started.display().to_string());
    // This works on a machine of any speed, because time does not pass until the task runs.
    let starting = until(|| {
        *stage.live.waited.lock().unwrap() += Duration::from_millis(20);
        started.exists()
    });
    let broken = tokio::join!(stage.run_clean(), starting).0.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Deadline);
    assert!(broken.message.contains("at `sleep 1003`"), "{}", broken.message);
    assert!(broken.message.contains("TASK [ansible.builtin.shell]"), "{}", broken.message);
}

#[tokio::test]
async fn teardown_is_a_playbook() {
    let undo = "- hosts: localhost\n  gather_facts: false\n  tasks: [{ansible.builtin.file: {path: \"{{ it }}\", state: touch}}]";
    let mut stage = Stage::new(Tool::Ansible, "").file("recipes/undo.yml", undo).output("url", Type::URI);
    stage = {
        let path = stage.path("undone").display().to_string();
        stage.input("it", Type::STR, path)
    };
    stage.job.script = Script::Teardown;
    stage.job.component.recipe.teardown = Some("recipes/undo.yml".into());
    assert!(stage.run_clean().await.unwrap().is_empty());
    assert!(stage.path("undone").exists());
}

#[tokio::test]
async fn without_ansible_it_is_said_what_is_missing() {
    let stage = Stage::new(Tool::Ansible, "[]").on_path(Path::new("/none"));
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert!(broken.message.starts_with("`ansible-playbook` is not installed: it is in the package `ansible-core`"));
    assert_eq!(names(&stage.job.directory), ["files"]);
}

/// A Python environment with this `version` of ansible-core, such as `2.16`, or with the current one. Created once.
pub(crate) fn of_pypi(version: &str) -> PathBuf {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!(".cache/ansible{version}"));
    if !cache.join("made").exists() {
        let _ = std::fs::remove_dir_all(&cache);
        let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
        run(Command::new("python3").args(["-m", "venv"]).arg(&cache));
        let wanted = if version.is_empty() { "ansible-core".to_owned() } else { format!("ansible-core=={version}.*") };
        run(Command::new(cache.join("bin/pip")).args(["install", "-q", &wanted]));
        std::fs::write(cache.join("made"), "").unwrap();
    }
    cache
}
