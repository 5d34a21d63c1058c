//! The output, and its destinations.

use insta::assert_snapshot;

use super::{Scratch, demo, run};
use crate::manners::Exit;
use crate::manners::wants_color;

#[test]
fn help() {
    assert_snapshot!(demo(&["--help"]));
}

#[test]
fn help_of_each_command() {
    let texts = ["emit", "check", "explain"].map(|command| demo(&[command, "--help"]).to_string());
    assert_snapshot!(texts.join("\n"));
}

#[test]
fn a_run_with_errors_writes_nothing() {
    let scratch = Scratch::new("errors");
    let run = demo(&["--set", "loose=true", "--out", scratch.path()]);
    assert_eq!(run.exit, Exit::Failed);
    assert_eq!(std::fs::read_dir(&scratch.0).expect("the directory").count(), 0);
    assert_snapshot!(run);
}

#[test]
fn emit_tells_what_it_wrote() {
    let scratch = Scratch::new("tree");
    let run = demo(&["--out", scratch.path(), "--message-format", "concise"]);
    assert_eq!(run.exit, Exit::Fine, "{run}");
    assert_snapshot!(run.out.replace(scratch.path(), "OUT"));
}

#[test]
fn check_concise() {
    assert_snapshot!(demo(&["check", "--set", "loose=true", "--format", "concise"]));
}

#[test]
fn check_json_is_one_object_a_line() {
    let run = demo(&["check", "--set", "loose=true", "--format", "json"]);
    assert_eq!(run.exit, Exit::Failed);
    assert_eq!(run.err, "");
    let diagnostics: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!diagnostics.is_empty());
    for diagnostic in diagnostics {
        let keys: Vec<&str> = diagnostic.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "severity", "message", "spans", "notes", "help"]);
    }
}

#[test]
fn emit_can_tell_diagnostics_as_json() {
    let run = demo(&["--set", "loose=true", "--message-format=json"]);
    assert!(run.err.starts_with("{\"code\":") && run.err.ends_with("}\n"), "{run}");
    assert_eq!(run.out, "");
}

#[test]
fn what_a_lowering_cannot_express_is_found_for_it_alone() {
    let scratch = Scratch::new("native");
    assert_eq!(demo(&["check", "--lowering", "agents"]).exit, Exit::Fine);
    let run = demo(&["emit", "--lowering", "heat-native", "--message-format", "concise", "--out", scratch.path()]);
    assert_eq!(run.exit, Exit::Failed, "{run}");
    assert_eq!(std::fs::read_dir(&scratch.0).expect("the directory").count(), 0);
    assert_snapshot!(run);
}

#[test]
fn what_is_elsewhere_or_called_otherwise_is_reported() {
    for (sought, expected) in [
        ("up", "`wattle up DIR`"),
        ("deploy", "`wattle deploy DIR`"),
        ("synth", "`emit` writes"),
        ("validate", "`check` reports"),
        ("diff", "`plan` shows"),
        ("test", "`cargo test`"),
    ] {
        let run = demo(&[sought]);
        assert_eq!(run.exit, Exit::Usage, "{run}");
        assert!(run.err.contains(expected) && !run.err.contains("similar"), "{run}");
    }
    assert!(demo(&["chekc"]).err.contains("'check'"));
}

#[test]
fn wrong_usage() {
    let runs: Vec<String> = [
        &["--ot", "x"][..],
        &["--outt=x"],
        &["chek"],
        &["--format", "xml"],
        &["--lowering", "heat-nativ"],
        &["--lowering", "heat-native", "--stack-bytes", "5000"],
        &["--format", "json", "check"],
        &["--out", "x", "check"],
        &["check", "--out", "x"],
        &["explain", "W0109"],
        &["explain", "W101"],
        &["explain", "what"],
    ]
    .iter()
    .map(|args| {
        let run = demo(args);
        assert_eq!((run.exit, run.out.as_str()), (Exit::Usage, ""), "{args:?}");
        format!("$ demo {}\n{}", args.join(" "), run.err)
    })
    .collect();
    assert_snapshot!(runs.join("\n"));
}

#[test]
fn explain_prints_the_page() {
    let run = demo(&["explain", "w0101"]);
    assert_eq!(run.exit, Exit::Fine);
    assert!(run.out.starts_with("W0101 (error): "), "{run}");
    assert!(!run.out.lines().any(|line| line.starts_with("# ")), "hidden lines are not shown: {run}");
}

#[test]
fn explain_lists_every_code() {
    let run = demo(&["explain"]);
    assert_eq!(run.out.lines().count(), crate::check::CHECKS.len() + crate::policy::all().len());
}

#[test]
fn common_options_stand_before_or_behind_the_command() {
    for args in [["--set", "loose=true", "check"], ["check", "--set", "loose=true"]] {
        assert_eq!(demo(&args).exit, Exit::Failed, "{args:?}");
    }
}

#[test]
fn warnings_can_be_denied() {
    let warned = crate::check::check(&crate::author::Blueprint::model(&super::Demo, <_>::default()), &<_>::default());
    let denied = demo(&["check", "--deny-warnings"]).exit;
    assert_eq!(denied == Exit::Failed, !warned.is_empty());
    assert_eq!(demo(&["check"]).exit, Exit::Fine);
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let with = |name: &'static str, value: &'static str| move |asked: &str| (asked == name).then(|| value.into());
    assert!(wants_color(true, |_| None));
    assert!(!wants_color(false, |_| None));
    assert!(!wants_color(true, with("NO_COLOR", "1")));
    assert!(wants_color(true, with("NO_COLOR", "")));
    assert!(!wants_color(true, with("TERM", "dumb")));
}

#[test]
fn colour_can_be_forced_either_way() {
    let colored = |args: &[&str], auto| run(args, auto).to_string().contains('\u{1b}');
    for args in [&["--set", "loose=true"][..], &["--ot"], &["--help"], &["--set", "x=1"]] {
        let (never, always) = ([args, &["--color=never"]].concat(), [args, &["--color", "always"]].concat());
        assert!(!colored(&never, true), "{args:?}");
        assert!(colored(&always, false), "{args:?}");
        assert!(colored(args, true) && !colored(args, false), "{args:?}");
    }
}
