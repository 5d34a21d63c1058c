//! Manifests, applied by a real `puppet`.

use std::fmt::Write as _;
use std::path::Path;

use wattle::model::{Tool, Type};
use wattle_runtime::space::{FailureKind, Script};

use crate::stage::{PORT, Stage, json, secret};

#[tokio::test]
async fn inputs_are_data_and_facts_and_outputs_are_files() {
    let stage = Stage::new(
        Tool::Puppet,
        r#"
        $port = lookup('tcp_port', Integer)
        $limit = lookup('memory', Optional[Integer], 'first', undef)
        unless $facts['tcp_port'] == "${port}" and $limit =~ Undef { fail('inputs') }
        include redis
        file { "${facts['heat_outputs_path']}.url":
          content => "redis://${facts['address']}:${port}/",
        }
        -> exec { 'port':
          command => 'echo 1 >&2; echo $tcp_port >"${heat_outputs_path}.port"',
          provider => shell,
          environment => ["tcp_port=${port}"],
        }
        "#,
    )
    .file("modules/redis/manifests/init.pp", "class redis { notice('a module') }")
    .input("address", Type::IP, "192.0.2.1")
    .input("tcp_port", PORT, json("6379"))
    .output("url", Type::URI)
    .output("port", PORT);
    let outputs = match stage.run_clean().await {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    assert_eq!(outputs["url"], "redis://192.0.2.1:6379/".into());
    assert_eq!(outputs["port"], json("6379"));
    let log = stage.log.text();
    assert!(log.contains("a module") && !log.contains("Warning:"), "{log}");
}

#[tokio::test]
async fn names_of_puppets_own_variables_are_data() {
    let names = ["title", "name", "module_name", "caller_module_name", "facts", "server_facts", "trusted"];
    let mut text = String::new();
    let mut stage = Stage::new(Tool::Puppet, "");
    for name in names {
        let _ =
            writeln!(text, "file {{ \"${{facts['heat_outputs_path']}}.{name}_too\": content => lookup('{name}') }}");
        stage = stage.input(name, Type::STR, "a word").output(&format!("{name}_too"), Type::STR);
    }
    let stage = stage.file("recipes/it.pp", &text);
    let outputs = match stage.run_clean().await {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    for name in names {
        assert_eq!(outputs[&*format!("{name}_too")], "a word".into(), "{name}");
    }
}

#[tokio::test]
async fn a_value_of_every_type_goes_through() {
    let mut text = String::new();
    let mut stage = Stage::new(Tool::Puppet, "");
    for (name, ty, value) in crate::types::all() {
        let content = match &ty {
            Type::List(_) | Type::Map(_) | Type::Struct(_) | Type::Hidden(_) => format!("json(lookup('{name}'))"),
            _ => format!("\"${{lookup('{name}')}}\""),
        };
        let _ = writeln!(text, "file {{ \"${{facts['heat_outputs_path']}}.{name}\": content => {content} }}");
        stage = stage.input(name, ty.clone(), value).output(name, ty);
    }
    // Puppet's standard library has `to_json`; this function replaces it.
    let function = "Puppet::Functions.create_function(:json) do\n  require 'json'\n  def json(value)\n    \
                    value.is_a?(String) ? value : JSON.generate(value)\n  end\nend\n";
    let stage = stage.file("recipes/it.pp", &text).file("modules/it/lib/puppet/functions/json.rb", function);
    let outputs = match stage.run_clean().await {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    for (name, _, value) in crate::types::all() {
        assert_eq!(outputs[name], value, "{name}");
    }
}

#[tokio::test]
async fn a_failure_names_the_resource() {
    let manifest = r"
        file { '/none/such/file': content => lookup('password') }
        -> exec { '/bin/false': }
        notice(lookup('password'))
    ";
    let stage = Stage::new(Tool::Puppet, manifest).input("password", secret(Type::STR), "hunter2");
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Recipe);
    assert!(broken.message.contains("/none/such"), "{}", broken.message);
    assert!(broken.message.ends_with(" (the recipe ended with exit code 4)"), "{}", broken.message);
    assert!(!stage.log.text().contains("hunter2") && stage.log.text().contains("***"), "{}", stage.log.text());
    let broken = Stage::new(Tool::Puppet, "nonsense('x')").run_clean().await.unwrap_err();
    assert!(broken.message.contains("Unknown function: 'nonsense'"), "{}", broken.message);
    assert!(broken.message.ends_with(" (the recipe ended with exit code 1)"), "{}", broken.message);
}

#[tokio::test]
async fn teardown_is_a_manifest() {
    let mut stage = Stage::new(Tool::Puppet, "").file("recipes/undo.pp", "file { lookup('it'): content => 'x' }");
    let path = stage.path("undone").display().to_string();
    stage = stage.input("it", Type::STR, path).output("url", Type::URI);
    stage.job.script = Script::Teardown;
    stage.job.component.recipe.teardown = Some("recipes/undo.pp".into());
    assert!(stage.run_clean().await.unwrap().is_empty());
    assert!(stage.path("undone").exists());
}

#[tokio::test]
async fn without_puppet_it_is_said_what_is_missing() {
    if Path::new("/opt/puppetlabs/bin/puppet").exists() {
        return;
    }
    let broken = Stage::new(Tool::Puppet, "").on_path(Path::new("/none")).run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Start);
    assert!(broken.message.starts_with("`puppet` is not installed: it is in Debian's package `puppet-agent`"));
}
