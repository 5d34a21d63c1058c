//! Settings, and the messages about wrong ones.

use insta::assert_snapshot;

use super::blueprint::{CONFIG, Cell, Config, Profile};
use super::{Scratch, demo};
use crate::manners::Exit;

fn config(args: &[&str]) -> Config {
    let run = demo(&[&["check"], args].concat());
    assert_eq!(run.exit, Exit::Fine, "{run}");
    CONFIG.take().expect("the blueprint was run")
}

#[test]
fn settings_reach_the_blueprint() {
    let set = |assignments: &[&str]| config(&assignments.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>());
    assert_eq!(set(&[]), Config::default());
    assert_eq!(set(&["nodes=3", "nodes=4"]).nodes, 4);
    assert_eq!(
        set(&["cell.members=[1, 2]", "cell.name=a"]).cell,
        Cell { name: "a".into(), members: vec![1, 2], inner: None }
    );
    assert_eq!(set(&["cell.inner.inner.name=deep"]).cell.inner.and_then(|cell| cell.inner).expect("set").name, "deep");
    assert_eq!(set(&["profile=large"]).profile, Profile::Large);
    assert_eq!(set(&["profile=!custom {cores: 4}"]).profile, Profile::Custom { cores: 4 });
    assert_eq!(set(&["tags={a: 1, b: -2}"]).tags.len(), 2);
    assert_eq!(set(&["tags.a=1"]).tags["a"], 1);
}

#[test]
fn text_needs_no_quotes() {
    let version = |text: &str| config(&["--set", &format!("version={text}")]).version;
    for text in ["8", "8.10", "true", "null", "", "[x", "a: b", "a=b", "#x", " "] {
        assert_eq!(version(text), text, "{text:?}");
    }
    assert_eq!(version("\"8\""), "8");
    assert_eq!(config(&["--set", "label=8"]).label.as_deref(), Some("8"));
    assert_eq!(config(&["--set", "label=null"]).label, None);
}

#[test]
fn a_file_gives_settings_and_set_goes_over_it() {
    let scratch = Scratch::new("config");
    let file = scratch.write("a.yaml", "nodes: 5\ncell:\n  name: a\n  members: [1]\n");
    let config = config(&["--config", &file, "--set", "cell.name=b"]);
    assert_eq!((config.nodes, config.cell.name.as_str(), config.cell.members), (5, "b", vec![1]));
}

#[test]
fn wrong_settings() {
    let runs: Vec<String> = [
        "nods=3",
        "zzz=3",
        "cell.nam=x",
        "cell.inner.nmae=x",
        "image=x",
        "nodes=many",
        "nodes=70000",
        "nodes=-1",
        "nodes=2.5",
        "nodes",
        "nodes=",
        "nodes.x=1",
        "=3",
        "cell..name=3",
        "nodes=[1",
        "loose=yes",
        "profile=larg",
        "cell=5",
        "cell.members=7",
        "cell.members=[1, 300]",
        "tags=[]",
        "tags.a=b",
        "profile=!custom {core: 4}",
    ]
    .iter()
    .map(|set| {
        let run = demo(&["check", "--set", set]);
        assert_eq!((run.exit, run.out.as_str()), (Exit::Usage, ""), "{set}");
        format!("$ demo --set '{set}'\n{}", run.err)
    })
    .collect();
    assert_snapshot!(runs.join("\n"));
}

#[test]
fn wrong_files() {
    let scratch = Scratch::new("wrong-config");
    let runs: Vec<String> = ["nods: 3", "version: 8", "- a", "a: [", "1: 2", "nodes: 3\nnodes: 4"]
        .iter()
        .map(|text| {
            let file = scratch.write("a.yaml", text);
            let run = demo(&["check", "--config", &file]);
            assert_eq!(run.exit, Exit::Usage, "{text}");
            format!("{text}\n{}", run.err.replace(scratch.path(), "DIR"))
        })
        .collect();
    assert_snapshot!(runs.join("\n"));
    let missing = demo(&["check", "--config", "/no/such/file"]);
    assert_eq!(missing.err, "error: cannot read the settings in `/no/such/file`: no such file or directory\n");
}

#[test]
fn a_configuration_is_a_struct() {
    struct Counted;
    impl crate::author::Blueprint for Counted {
        const NAME: &'static str = "counted";
        const DESCRIPTION: &'static str = "";
        type Parameters = ();
        type Config = u32;
        fn at(&self) -> crate::model::Source {
            crate::model::Source::new("src/counted.rs", 1, 1)
        }
        fn build(&self, _: &mut crate::author::Topology, (): (), _: u32) -> crate::author::Exports {
            crate::author::Exports::new()
        }
    }
    let refused = super::super::settings::config::<Counted>(None, &[]).expect_err("no struct");
    assert_eq!(refused.message, "the configuration of the blueprint `counted` is not a struct");
}
