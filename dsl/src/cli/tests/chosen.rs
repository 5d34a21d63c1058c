//! Settings that are kept with the emitted files, and the messages of an emission that leaves one out.

use std::fs;

use super::{Run, Scratch, demo};
use crate::manners::Exit;

fn emit(scratch: &Scratch, args: &[&str]) -> Run {
    demo(&[args, &["--out", scratch.path()]].concat())
}

fn kept(scratch: &Scratch) -> Option<String> {
    fs::read_to_string(scratch.0.join("demo/wattle-settings.yaml")).ok()
}

#[test]
fn what_was_given_is_kept_and_can_be_given_again() {
    let scratch = Scratch::new("chosen");
    let run = emit(&scratch, &["--set", "nodes=4", "--set", "cell.name=a", "--set", "tags={x: 1}"]);
    assert_eq!((run.exit, run.err.as_str()), (Exit::Fine, ""), "{run}");
    assert!(run.out.contains("wattle-settings.yaml  3 settings"), "{run}");
    let text = kept(&scratch).expect("it is kept");
    let file = scratch.write("copy.yaml", &text);
    let run = emit(&scratch, &["--config", &file]);
    assert_eq!((run.exit, run.err.as_str()), (Exit::Fine, ""), "{run}");
    assert_eq!(kept(&scratch).as_deref(), Some(&*text));
    // An explicit new value is intended.
    let run = emit(&scratch, &["--config", &file, "--set", "nodes=3", "--set", "tags={}"]);
    assert_eq!((run.exit, run.err.as_str()), (Exit::Fine, ""), "{run}");
    let run = demo(&["--out", Scratch::new("chosen-none").path()]);
    assert!(!run.out.contains("wattle-settings"), "{run}");
}

#[test]
fn an_emission_says_what_it_leaves_out_and_what_that_changes() {
    let scratch = Scratch::new("left-out");
    emit(&scratch, &["--set", "nodes=4", "--set", "label=a b"]);
    let plan = demo(&["plan", "--out", scratch.path(), "--set", "nodes=5"]);
    assert_eq!(plan.exit, Exit::Changes, "{plan}");
    let expected = "  settings\n    ~ nodes: 4 -> 5\n    - label: was a b, and is no longer given; `--set 'label=a \
                    b'` keeps it\n";
    assert!(plan.out.contains(expected), "{plan}");

    let refused = emit(&scratch, &["--deny-warnings"]);
    assert_eq!((refused.exit, refused.out.as_str()), (Exit::Failed, ""), "{refused}");
    assert!(
        refused.err.starts_with("error: settings of the last emission are missing: `nodes` was 4, `label` was a b\n"),
        "{refused}"
    );
    assert!(refused.err.contains("nothing was written"), "{refused}");
    assert!(kept(&scratch).is_some_and(|text| text.contains("nodes: 4")), "nothing was written");

    let ran = emit(&scratch, &[]);
    assert_eq!(ran.exit, Exit::Fine, "{ran}");
    assert_eq!(
        ran.err,
        "warning: settings of the last emission are missing: `nodes` was 4, `label` was a b\n  compared with that \
         emission: 0 to create, 0 to update, 0 to replace, 2 to delete; no component runs; 2 resources and 0 \
         components stay as they are\n  to keep them, add `--set nodes=4 --set 'label=a b'`\n"
    );
    assert_eq!(kept(&scratch), None);
    assert_eq!(emit(&scratch, &["--deny-warnings"]).err, "", "it is reported once");
}

#[test]
fn a_part_of_a_setting_is_not_left_out_with_the_whole_in_its_place() {
    let scratch = Scratch::new("chosen-parts");
    emit(&scratch, &["--set", "cell.name=a", "--set", "cell.members=[1]"]);
    let run = emit(&scratch, &["--set", "cell={}"]);
    assert_eq!(run.err, "");
    emit(&scratch, &["--set", "cell.name=a", "--set", "cell.members=[1]"]);
    let run = emit(&scratch, &["--set", "cell.name=b"]);
    assert!(run.err.contains("are missing: `cell.members` was [1]\n"), "{run}");
}

#[test]
fn a_damaged_file_changes_nothing() {
    let scratch = Scratch::new("chosen-damaged");
    emit(&scratch, &["--set", "nodes=4"]);
    fs::write(scratch.0.join("demo/wattle-settings.yaml"), "- 1\n").expect("written");
    let run = emit(&scratch, &["--set", "nodes=4"]);
    assert_eq!(run.exit, Exit::Files, "{run}");
    assert!(run.err.contains("wattle-settings.yaml`, cannot be read: ") && run.err.contains("remove it"), "{run}");
}
