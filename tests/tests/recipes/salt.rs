//! States, applied by a real `salt-call`.

use std::fmt::Write as _;
use std::path::Path;

use wattle::model::{Scalar, Tool, Type};
use wattle_runtime::space::{FailureKind, Script};
use wattle_tests::venv::installed;

use crate::stage::{PORT, Stage, json, secret};

fn stage(text: &str) -> Stage {
    Stage::new(Tool::Salt, text).on_path(&installed("salt"))
}

#[tokio::test]
async fn inputs_are_the_pillar_and_outputs_are_files() {
    let stage = stage(
        r#"
include:
  - .more
{% if pillar['tcp_port'] + 1 != 6380 or pillar.get('memory') is not none or grains['id'] != 'db' %}
{{ 1 / 0 }}
{% endif %}
{% set out = pillar['heat_outputs_path'] %}
{{ out }}.url:
  file.managed:
    - contents: redis://{{ pillar['address'] }}:{{ pillar['tcp_port'] }}/
{{ out }}.conf:
  file.managed:
    - source: salt://redis.conf
    - template: jinja
say it:
  cmd.run:
    - name: echo a command; printf '%s' "$tcp_port" >"${heat_outputs_path}.port"
    - env: {tcp_port: "{{ pillar['tcp_port'] }}"}
"#,
    )
    .file(
        "recipes/more.sls",
        "{{ pillar['heat_outputs_path'] }}.more:\n  file.managed:\n    - source: salt://other/more.txt\n",
    )
    .file("recipes/redis.conf", "bind {{ pillar['address'] }}\n")
    .file("other/more.txt", "more\n")
    .input("address", Type::IP, "192.0.2.1")
    .input("tcp_port", PORT, json("6379"))
    .output("url", Type::URI)
    .output("conf", Type::STR)
    .output("port", PORT)
    .output("more", Type::STR);
    let outputs = match stage.run_clean().await {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    assert_eq!(outputs["url"], "redis://192.0.2.1:6379/".into());
    assert_eq!(outputs["conf"], "bind 192.0.2.1".into());
    assert_eq!(outputs["port"], json("6379"));
    assert_eq!(outputs["more"], "more".into());
    let log = stage.log.text();
    assert!(log.contains("a command") && !log.contains("[WARNING"), "{log}");
}

#[tokio::test]
async fn a_value_of_every_type_goes_through() {
    let mut text = String::new();
    let mut stage = stage("");
    for (name, ty, value) in crate::types::all() {
        let written = if matches!(
            ty.revealed(),
            Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Scalar(Scalar::Boolean)
        ) {
            format!("(pillar['{name}'] | json)")
        } else {
            format!("pillar['{name}']")
        };
        let _ = writeln!(
            text,
            "{{{{ pillar['heat_outputs_path'] }}}}.{name}:\n  file.managed:\n    - contents: {{{{ ({written} ~ '\\n') | json }}}}"
        );
        stage = stage.input(name, ty.clone(), value).output(name, ty);
    }
    let stage = stage.file("recipes/it.sls", &text);
    crate::types::come_back(&stage).await;
}

#[tokio::test]
async fn a_failure_names_the_state() {
    let stage = stage(
        "log in:\n  cmd.run:\n    - name: echo 'no such user {{ pillar['password'] }}'; exit 3\nafter:\n  test.nop:\n    - require: [{cmd: log in}]\n",
    )
    .input("password", secret(Type::STR), "hunter2")
    .output("url", Type::URI);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert!(broken.message.starts_with("the state `log in` (cmd.run) failed: Command "), "{}", broken.message);
    assert!(broken.message.contains("***") && broken.message.ends_with(" exit code 2)"), "{}", broken.message);
    assert!(!stage.log.text().contains("hunter2") && !format!("{broken:?}").contains("hunter2"), "{broken:?}");
}

#[tokio::test]
async fn a_state_that_cannot_be_made_is_reported() {
    let broken = stage("it:\n  test.nop:\n    - name: {{ pillar['missing'] }}\n").run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert!(broken.message.starts_with("Rendering SLS 'base:it' failed: "), "{}", broken.message);
    let broken = stage("it:\n  no.such: []\n").run_clean().await.unwrap_err();
    assert!(broken.message.contains("no.such"), "{}", broken.message);
}

#[tokio::test]
async fn teardown_is_a_state() {
    let mut stage =
        stage("").file("recipes/undo.sls", "{{ pillar['it'] }}:\n  file.touch: []\n").output("url", Type::URI);
    let path = stage.path("undone");
    stage = stage.input("it", Type::STR, path.display().to_string());
    stage.job.script = Script::Teardown;
    stage.job.component.recipe.teardown = Some("recipes/undo.sls".into());
    assert!(stage.run_clean().await.unwrap().is_empty());
    assert!(path.exists());
}

#[tokio::test]
async fn without_salt_it_is_said_what_is_missing() {
    let stage = Stage::new(Tool::Salt, "{}").on_path(Path::new("/none"));
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert!(broken.message.starts_with("`salt-call` is not installed"), "{}", broken.message);
}
