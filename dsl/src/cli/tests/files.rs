//! Either all files are replaced or none.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use insta::assert_snapshot;

use wattle_heat::emit::EmitError;

use super::super::files::{File, replace};
use super::blueprint::Quiet;
use super::{Scratch, demo, run_of};
use crate::manners::{CommandError, Exit};

fn file(name: &str, text: &'static str) -> File<'static> {
    File { name: name.into(), content: String::new(), write: Box::new(move |out| Ok(out.write_all(text.as_bytes())?)) }
}

fn write(directory: &Path, files: Vec<File<'_>>) -> Result<(), CommandError> {
    let ours = |name: &str| name.contains(".yaml");
    replace(directory, ours, |swap| files.into_iter().try_for_each(|file| swap.write(file))).map(drop)
}

/// Everything in a directory, including hidden files.
fn content(directory: &Path) -> BTreeMap<String, String> {
    let read = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry");
        (
            entry.file_name().into_string().expect("text"),
            fs::read_to_string(entry.path()).unwrap_or_else(|_| "(directory)".into()),
        )
    };
    fs::read_dir(directory).expect("the directory").map(read).collect()
}

fn expect(directory: &Path, files: &[(&str, &str)]) {
    let files: BTreeMap<_, _> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(content(directory), files);
}

#[test]
fn files_are_replaced_and_stale_ones_removed() {
    let scratch = Scratch::new("replace");
    let directory = scratch.0.join("deep/er");
    write(&directory, vec![file("a.yaml", "1"), file("b.yaml", "1")]).expect("written");
    fs::write(directory.join("notes.txt"), "mine").expect("written");
    write(&directory, vec![file("a.yaml", "2"), file("c.yaml", "2")]).expect("written");
    expect(&directory, &[("a.yaml", "2"), ("c.yaml", "2"), ("notes.txt", "mine")]);
}

#[test]
fn a_write_that_fails_changes_nothing() {
    let scratch = Scratch::new("disk-full");
    write(&scratch.0, vec![file("a.yaml", "1"), file("b.yaml", "1")]).expect("written");
    let full = File {
        name: "b.yaml".into(),
        content: String::new(),
        write: Box::new(|out| {
            out.write_all(b"half of")?;
            Err(EmitError::Write(io::ErrorKind::StorageFull.into()))
        }),
    };
    let failure = write(&scratch.0, vec![file("a.yaml", "2"), full, file("c.yaml", "2")]).expect_err("no space");
    assert_eq!(failure.exit, Exit::Files);
    assert!(failure.message.ends_with("b.yaml`: no storage space"), "{failure:?}");
    expect(&scratch.0, &[("a.yaml", "1"), ("b.yaml", "1")]);
}

#[test]
fn a_file_that_cannot_take_its_place_takes_the_others_back() {
    let scratch = Scratch::new("rollback");
    write(&scratch.0, vec![file("a.yaml", "1"), file("gone.yaml", "1")]).expect("written");
    let lost = scratch.0.join(".wattle-new/b.yaml");
    // The second file cannot take its place after the first one has.
    let late =
        File { name: "z.yaml".into(), content: String::new(), write: Box::new(move |_| Ok(fs::remove_file(lost)?)) };
    let failure = write(&scratch.0, vec![file("a.yaml", "2"), file("b.yaml", "2"), late]).expect_err("lost");
    assert_eq!((failure.exit, failure.notes), (Exit::Files, vec!["nothing was changed".to_owned()]));
    expect(&scratch.0, &[("a.yaml", "1"), ("gone.yaml", "1")]);
}

#[test]
fn what_a_killed_run_left_is_taken_back() {
    let scratch = Scratch::new("killed");
    // The state between two renames: `a` is new already, `c` had no predecessor, and `b` is old.
    let found = [
        ("a.yaml", "2"),
        ("b.yaml", "1"),
        ("c.yaml", "2"),
        (".wattle-old/a.yaml", "1"),
        (".wattle-old/b.yaml", "1"),
        (".wattle-new/b.yaml", "2"),
    ];
    for (name, text) in found {
        fs::create_dir_all(scratch.0.join(name).parent().expect("a parent")).expect("made");
        fs::write(scratch.0.join(name), text).expect("written");
    }
    let broken =
        File { name: "a.yaml".into(), content: String::new(), write: Box::new(|_| Err(EmitError::Value("no".into()))) };
    assert_eq!(write(&scratch.0, vec![broken]).expect_err("broken").exit, Exit::Failed);
    expect(&scratch.0, &[("a.yaml", "1"), ("b.yaml", "1")]);
}

#[test]
fn two_runs_do_not_mix() {
    let scratch = Scratch::new("two-runs");
    std::thread::scope(|scope| {
        for text in ["1", "2", "3", "4"] {
            let directory = &scratch.0;
            scope.spawn(move || {
                for _ in 0..10 {
                    write(directory, vec![file("a.yaml", text), file("b.yaml", text)]).expect("written");
                }
            });
        }
    });
    let content = content(&scratch.0);
    assert_eq!((content.len(), &content["a.yaml"]), (2, &content["b.yaml"]));
}

#[test]
fn emit_leaves_the_old_files_when_it_fails() {
    let scratch = Scratch::new("emit");
    assert_eq!(demo(&["--out", scratch.path()]).exit, Exit::Fine);
    let directory = scratch.0.join("demo");
    let before = content(&directory);
    assert_eq!(before.keys().collect::<Vec<_>>(), ["environment.yaml", "graph.json", "seed.yaml", "template.yaml"]);

    assert_eq!(demo(&["--out", scratch.path(), "--set", "loose=true"]).exit, Exit::Failed);
    assert_eq!(content(&directory), before);

    fs::remove_file(directory.join("template.yaml")).expect("removed");
    fs::create_dir(directory.join("template.yaml")).expect("made");
    let before = content(&directory);
    let run = demo(&["--out", scratch.path(), "--set", "nodes=9"]);
    assert_eq!(content(&directory), before);
    assert_snapshot!(run.to_string().replace(scratch.path(), "OUT"));
}

#[test]
fn a_place_that_cannot_be_written_is_reported() {
    let scratch = Scratch::new("blocked");
    let file = scratch.write("file", "");
    let run = demo(&["--out", &file]);
    assert_snapshot!(run.to_string().replace(scratch.path(), "DIR"));
}

#[test]
fn json_templates_replace_yaml_ones() {
    let scratch = Scratch::new("json");
    assert_eq!(demo(&["--out", scratch.path()]).exit, Exit::Fine);
    assert_eq!(demo(&["--out", scratch.path(), "--format", "json"]).exit, Exit::Fine);
    let content = content(&scratch.0.join("demo"));
    assert_eq!(content.keys().collect::<Vec<_>>(), ["environment.yaml", "graph.json", "seed.yaml", "template.json"]);
    let template: serde_json::Value = serde_json::from_str(&content["template.json"]).expect("JSON");
    assert_eq!(template["heat_template_version"], "2021-04-16");
}

#[test]
fn the_model_is_written_where_it_is_asked_for() {
    let scratch = Scratch::new("model");
    for args in [["--out", scratch.path(), "--model"], ["emit", "--model", &format!("--out={}", scratch.path())]] {
        let run = demo(&args);
        assert_eq!(run.exit, Exit::Fine);
        assert!(run.to_string().contains("model.yaml "), "{run}");
        let content = content(&scratch.0.join("demo"));
        let model: serde_yaml::Value = serde_yaml::from_str(&content["model.yaml"]).expect("YAML");
        assert_eq!(model["resources"]["wattle_model"]["metadata"]["wattle"]["stack"], "demo");
    }
    assert_eq!(demo(&["--out", scratch.path()]).exit, Exit::Fine);
    assert!(!content(&scratch.0.join("demo")).contains_key("model.yaml"), "an old model stays");
}

#[test]
fn what_is_filled_in_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("filled-in");
    let emit = || demo(&["--out", scratch.path()]);
    assert_eq!(emit().exit, Exit::Fine);
    let path = scratch.0.join("demo/environment.yaml");
    let pristine = fs::read_to_string(&path).expect("emitted");
    let name = pristine.lines().find_map(|line| line.strip_prefix("  #")?.strip_suffix(':')).expect("a required one");
    let mine = pristine.replace(&format!("  #{name}:"), &format!("  {name}: on  # mine"));
    assert_ne!(mine, pristine);
    fs::write(&path, &mine).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("closed");
    assert_eq!(emit().exit, Exit::Fine);
    let again = fs::read_to_string(&path).expect("emitted");
    assert!(again.contains(&format!("\n  {name}: on  # mine\n")), "{again}");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);

    fs::write(&path, "parameters: {a: 1}\n").expect("written");
    let run = emit();
    assert_eq!(run.exit, Exit::Files, "{run}");
    assert!(run.err.contains("cannot be carried over"), "{run}");
    assert_eq!(fs::read_to_string(&path).expect("there"), "parameters: {a: 1}\n");
}

#[test]
fn what_no_parameter_takes_is_reported() {
    let scratch = Scratch::new("lost");
    let emit = || demo(&["--out", scratch.path()]);
    assert_eq!(emit().exit, Exit::Fine);
    fs::write(scratch.0.join("demo/environment.yaml"), "parameters:\n  imgae: debian-13\n  zzz: 1\n").expect("written");
    let run = emit();
    assert_eq!(run.exit, Exit::Fine, "{run}");
    let lost = |name: &str| {
        format!("warning: `environment.yaml` had a value for `{name}`, which is not a parameter of the stack")
    };
    assert!(run.err.contains(&lost("imgae")) && run.err.contains("; did you mean `image`?\n"), "{run}");
    assert!(run.err.contains(&lost("zzz")), "{run}");
    assert!(!emit().err.contains("had a value"), "it is a comment by now");
}

#[test]
fn a_lowering_without_a_seed_leaves_none() {
    let scratch = Scratch::new("lowering");
    let directory = scratch.0.join("quiet");
    let names = |args: &[&str]| {
        let run = run_of(&Quiet, &[args, &["--out", scratch.path()]].concat(), false);
        assert_eq!(run.exit, Exit::Fine, "{run}");
        content(&directory).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["environment.yaml", "graph.json", "seed.yaml", "template.yaml"]);
    assert_eq!(names(&["--lowering", "heat-native"]), ["environment.yaml", "graph.json", "template.yaml"]);
    assert_eq!(names(&[]).len(), 4);
    let reported = run_of(&Quiet, &["--lowering", "heat-native", "--out", scratch.path()], false).err;
    assert!(reported.contains("seed.yaml`: there is no seed when Heat runs the software"), "{reported}");
    assert_eq!(
        names(&["emit", "--lowering=heat-native", "--format=json"]),
        ["environment.yaml", "graph.json", "template.json"]
    );
    let template: serde_json::Value = serde_json::from_str(&content(&directory)["template.json"]).expect("JSON");
    assert_eq!(template["resources"].as_object().expect("resources").keys().collect::<Vec<_>>(), ["server"]);
}

#[test]
fn nested_templates_are_written_and_reported_as_one() {
    let scratch = Scratch::new("nested");
    let run = demo(&["--out", scratch.path(), "--set", "nodes=1500"]);
    assert_eq!(run.exit, Exit::Fine, "{run}");
    let directory = scratch.0.join("demo");
    let parts = |run: &super::Run| {
        let names: Vec<String> = content(&directory).into_keys().filter(|name| name.starts_with("part-")).collect();
        assert!(names.len() > 4 && run.out.contains(&format!(" {} files, ", names.len())), "{run}");
        names
    };
    let before = parts(&run);
    assert!(run.out.contains("part-1.yaml to part-"), "{run}");
    // Removed parts leave no file behind, and the others stay in place.
    let run = demo(&["--out", scratch.path(), "--set", "nodes=750"]);
    let after = parts(&run);
    assert!(after.iter().all(|name| before.contains(name)), "{before:?} {after:?}");
    fs::remove_dir_all(&directory).expect("removed");
    assert_eq!(demo(&["--out", scratch.path()]).exit, Exit::Fine);
    assert_eq!(content(&directory).len(), 4);
}
