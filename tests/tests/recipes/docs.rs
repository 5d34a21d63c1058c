//! The recipes of docs/recipes.md, unchanged except for commands that would change this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use wattle::model::{Tool, Type};

use crate::stage::{PORT, Stage, json};

const PAGE: &str = include_str!("../../../docs/recipes.md");

/// The first block in `language` that contains `mark`, with `changes` applied.
fn block(language: &str, mark: &str, changes: &[(&str, &str)]) -> String {
    let fence = format!("```{language} ");
    // The name of the file follows the fence.
    let blocks = PAGE.split(&fence).skip(1).map(|rest| rest.split_once('\n').unwrap().1);
    let mut blocks = blocks.map(|rest| rest.split_once("```\n").unwrap().0);
    let mut text = blocks.find(|block| block.contains(mark)).unwrap().to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replace(from, to);
    }
    text
}

/// Runs `recipe`, which writes `redis.conf` into the folder `etc` of the state directory.
async fn redis(tool: Tool, text: &str) {
    // For the slower tools, other tests show that the value may be absent.
    let memories = if tool == Tool::Shell { &[None, Some(64_u8)][..] } else { &[Some(64)] };
    for memory in memories.iter().copied() {
        let mut stage = Stage::new(tool, "")
            .file("recipes/redis.conf", "# From the crate.\n")
            .input("address", Type::IP, "192.0.2.1")
            .input("tcp_port", PORT, json("6379"))
            .input("modules", Type::List(Box::new(Type::STR)), vec!["a.so", "b.so"])
            .output("url", Type::URI);
        if let Some(memory) = memory {
            stage = stage.input("memory", PORT, memory);
        }
        let etc = stage.path("etc");
        fs::create_dir(&etc).unwrap();
        let recipe = stage.job.component.recipe.entry.clone();
        let place = if tool == Tool::Shell { format!("'{}'/", etc.display()) } else { format!("{}/", etc.display()) };
        let stage = stage.file(&recipe, &text.replace("/etc/redis/", &place));
        // Stand-ins for programs that would change this machine.
        let bin = stage.path("bin");
        fs::create_dir(&bin).unwrap();
        for name in ["apt-get", "systemctl"] {
            fs::write(bin.join(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        if tool == Tool::Salt {
            std::os::unix::fs::symlink(wattle_tests::venv::installed("salt").join("salt-call"), bin.join("salt-call"))
                .unwrap();
        }
        let stage = stage.on_path(&bin);
        match stage.run_clean().await {
            Ok(outputs) => assert_eq!(outputs["url"], "redis://192.0.2.1:6379/".into()),
            Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
        }
        let written = fs::read_to_string(etc.join("redis.conf")).unwrap();
        let mut lines = vec!["bind 192.0.2.1", "port 6379", "loadmodule a.so", "loadmodule b.so"];
        if tool == Tool::Shell {
            lines.insert(0, "# From the crate.");
        }
        if memory.is_some() {
            lines.push("maxmemory 64mb");
        }
        assert_eq!(written.lines().collect::<Vec<_>>(), lines);
    }
}

#[tokio::test]
async fn the_state_runs() {
    let changes = [
        ("pkg.installed: []", "test.nop: []"),
        ("service.running:\n", "cmd.run:\n    - name: 'true'\n"),
        ("- service: redis-server", "- cmd: redis-server"),
    ];
    redis(Tool::Salt, &block("yaml", "pillar['address']", &changes)).await;
}

#[tokio::test]
async fn the_shell_recipe_runs() {
    redis(Tool::Shell, &block("sh", "redis-server", &[])).await;
}

#[tokio::test]
async fn the_playbook_runs() {
    let changes = [
        ("ansible.builtin.apt:\n        name: redis-server", "ansible.builtin.debug:\n        msg: apt"),
        (
            "ansible.builtin.service:\n        name: redis-server\n        state: restarted",
            "ansible.builtin.debug:\n        msg: service",
        ),
    ];
    redis(Tool::Ansible, &block("yaml", "redis-server", &changes)).await;
}

#[tokio::test]
async fn the_manifest_runs() {
    let changes = [
        ("package { 'redis-server': }", "notify { 'redis-server': }"),
        ("ensure => running,", "ensure => running, provider => base, status => 'true', restart => 'true',"),
    ];
    redis(Tool::Puppet, &block("puppet", "redis-server", &changes)).await;
}
