//! `graph`.

use std::fs;

use insta::assert_snapshot;

use super::{Scratch, demo};
use crate::diagram::Diagram;
use crate::manners::Exit;

#[test]
fn a_model_is_drawn_for_other_tools() {
    assert_snapshot!(demo(&["graph", "--format", "mermaid"]));
    assert_snapshot!(demo(&["graph"]));
}

#[test]
fn the_ending_of_the_file_says_what_is_drawn() {
    let scratch = Scratch::new("graph");
    let begins = [("svg", "<svg "), ("dot", "digraph {"), ("mmd", "flowchart LR"), ("json", "{")];
    let page = cfg!(feature = "page").then_some(("html", "<!DOCTYPE html>"));
    for (ending, begin) in begins.into_iter().chain(page) {
        let file = scratch.0.join(format!("demo.{ending}"));
        let run = demo(&["graph", "-o", &file.display().to_string()]);
        assert_eq!(run.exit, Exit::Fine, "{run}");
        let drawn = fs::read_to_string(&file).expect("drawn");
        assert!(drawn.starts_with(begin), "{ending}: {drawn}");
        let again = demo(&["graph", "--format", if ending == "mmd" { "mermaid" } else { ending }]);
        assert_eq!(again.out, drawn, "{ending}");
    }
    let png = scratch.0.join("demo.png").display().to_string();
    assert_snapshot!(demo(&["graph", "-o", &png]).to_string().replace(scratch.path(), "DIR"));
    assert_snapshot!(
        demo(&["graph", "-o", &format!("{}/none/demo.svg", scratch.path())]).to_string().replace(scratch.path(), "DIR")
    );
}

#[cfg(not(feature = "page"))]
#[test]
fn without_its_feature_there_is_no_page() {
    let scratch = Scratch::new("page");
    let file = scratch.0.join("demo.html");
    let run = demo(&["graph", "-o", &file.display().to_string()]);
    assert_eq!(run.exit, Exit::Usage, "{run}");
    assert!(run.err.contains("--features wattle/page"), "{run}");
    assert!(!file.exists());
}

#[test]
fn a_model_with_errors_is_drawn_as_far_as_it_goes() {
    let run = demo(&["graph", "--format", "json", "--set", "loose=true"]);
    assert_eq!(run.exit, Exit::Fine, "{run}");
    assert!(run.err.contains("some of the diagram may be missing"), "{run}");
    Diagram::from_json(&run.out).expect("a diagram");
}

#[test]
fn another_format_is_refused() {
    let json = demo(&["graph", "--format", "json"]).out;
    let diagram = Diagram::from_json(&json).expect("a diagram");
    assert_eq!(diagram.to_pretty_json(), json);
    let error = Diagram::from_json(&json.replace("wattle-picture/1", "wattle-picture/9")).expect_err("another format");
    assert!(error.contains("wattle-picture/9"), "{error}");
}
