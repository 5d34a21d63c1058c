//! A second emission leaves resources in their nested stacks.

use std::fs;
use std::path::Path;

use super::super::deployed::{places, warning};
use super::{Scratch, demo};
use crate::lower::{Place, Places};
use crate::manners::Exit;

fn emit(scratch: &Scratch, nodes: u32, args: &[&str]) -> (Places, String) {
    let nodes = format!("nodes={nodes}");
    let run = demo(&[args, &["--out", scratch.path(), "--set", &nodes]].concat());
    assert_eq!(run.exit, Exit::Fine, "{run}");
    (read(&scratch.0.join("demo")), run.err)
}

fn read(directory: &Path) -> Places {
    places(None, directory).expect("readable")
}

/// The number of servers in the stack itself, and in its parts.
fn counts(places: &Places, nodes: u32) -> (usize, usize) {
    let all = (0..nodes).filter_map(|number| places.get(&format!("server{number}")));
    let (stack, parts): (Vec<Place>, Vec<Place>) = all.partition(|place| *place == Place::Stack);
    (stack.len(), parts.len())
}

#[test]
fn servers_stay_where_they_were_emitted() {
    let scratch = Scratch::new("deployed");
    let (mut before, reported) = emit(&scratch, 245, &[]);
    assert_eq!((counts(&before, 245), reported.as_str()), ((245, 0), ""));
    for (nodes, expected) in [(260, (245, 15)), (700, (245, 455)), (250, (245, 5)), (300, (245, 55)), (240, (240, 0))] {
        let (after, reported) = emit(&scratch, nodes, &["--format", if nodes == 300 { "json" } else { "yaml" }]);
        assert_eq!((before.moved(&after), reported.as_str()), (Vec::new(), ""), "{nodes}");
        assert_eq!(counts(&after, nodes), expected);
        before = after;
    }
}

#[test]
fn a_directory_says_what_is_deployed() {
    let (scratch, released) = (Scratch::new("deployed-here"), Scratch::new("deployed-there"));
    let (before, _) = emit(&released, 240, &[]);
    let directory = released.0.join("demo");
    let directory = directory.to_str().expect("text");
    let (after, reported) = emit(&scratch, 300, &["--deployed", directory]);
    assert_eq!((before.moved(&after), counts(&after, 300), reported.as_str()), (Vec::new(), (240, 60), ""));
    // Without it, the places cannot be known.
    fs::remove_dir_all(scratch.0.join("demo")).expect("removed");
    let (after, reported) = emit(&scratch, 300, &[]);
    assert_eq!(counts(&after, 300), (0, 300));
    assert!(reported.contains("pass the folder that it was deployed from: `--deployed DIR`"), "{reported}");
    let (_, reported) = emit(&scratch, 300, &["--deployed", directory]);
    assert_eq!(reported, "");
    // A plan describes what `emit` would write.
    let plan = |args: &[&str]| {
        demo(&[&["plan", "--out", released.path(), "--set", "nodes=300", "--format", "json"], args].concat()).out
    };
    let replaced = |text: &str| text.matches("\"action\": \"delete\"").count();
    assert_eq!(replaced(&plan(&[])), 0);
    let other = scratch.0.join("demo");
    fs::remove_dir_all(&other).expect("removed");
    emit(&scratch, 300, &[]);
    assert_eq!(replaced(&plan(&["--deployed", other.to_str().expect("text")])), 240);
}

#[test]
fn what_does_not_say_where_servers_are_is_refused() {
    let scratch = Scratch::new("deployed-broken");
    emit(&scratch, 300, &[]);
    let directory = scratch.0.join("demo");
    let refused = |args: &[&str]| {
        let run = demo(&[&["--out", scratch.path(), "--set", "nodes=301"], args].concat());
        (run.exit, run.err)
    };
    let part = fs::read_to_string(directory.join("part-1.yaml")).expect("a part");
    fs::remove_file(directory.join("part-1.yaml")).expect("removed");
    let (exit, reported) = refused(&[]);
    assert_eq!(exit, Exit::Files);
    assert!(reported.contains("`template.yaml` names `part-1.yaml`, which does not exist"), "{reported}");
    fs::write(directory.join("part-1.yaml"), "resources: [").expect("written");
    let (exit, reported) = refused(&[]);
    assert_eq!(exit, Exit::Files);
    assert!(reported.contains("`part-1.yaml` cannot be read: "), "{reported}");
    fs::write(directory.join("part-1.yaml"), part).expect("written");
    let (exit, reported) = refused(&["--deployed", scratch.path()]);
    assert_eq!(exit, Exit::Usage);
    assert!(reported.contains("there is no template in"), "{reported}");
    assert_eq!(refused(&[]).0, Exit::Fine);
}

#[test]
fn what_moves_is_reported() {
    let moved = |number: u32| crate::lower::Moved {
        name: format!("net{number}").into(),
        from: Place::Nested(number),
        to: Place::Stack,
    };
    assert_eq!(warning(&[]), "");
    insta::assert_snapshot!(warning(&(1..8).map(moved).collect::<Vec<_>>()));
}
