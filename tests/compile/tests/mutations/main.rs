//! Wrong wirings of the example `connections`, each of which must be refused: nearly all by the compiler, the rest by the
//! program's own `check`.
//!
//! The wirings are diffs in `corpus/`, and `beyond.diff` has more of those that only `check` can find. The messages about
//! all of them are in `report.txt`. Every third is tried, and all of them with `WATTLE_TEST_ALL=1`. After a change of the
//! messages: `UPDATE=1 cargo test -p wattle-compile-tests --test mutations`, then read the diff.

mod corpus;
mod report;
mod workspace;

use std::fs;
use std::path::{Path, PathBuf};

use corpus::{Mutation, RefusedBy};
use wattle_compile_tests::one_of;
use workspace::{Error, Workspace};

/// The unmutated copy.
const ORIGINAL: &str = "original";

/// Wirings with more than one mistake, and the number of their errors.
const SEVERAL_MISTAKES: [(&str, usize); 4] = [
    // Five inputs are not wired.
    ("cognos_with_nothing", 5),
    // The values of two inputs are swapped.
    ("host_and_port_swapped", 2),
    // It is not wired as an input, and is read as an output.
    ("output_became_input", 2),
    ("url_and_root_swapped", 2),
];

/// Internal words of wattle, which authors do not know.
const INTERNAL: [&str; 8] =
    ["Inputs", "Missing", "Wired", "PhantomData", "IntoInput", "IntoProperty", "Software", "TextPart"];

/// The program that refused a mutation, and its messages. Without errors the mutation was accepted.
struct Verdict {
    by: RefusedBy,
    errors: Vec<Error>,
}

/// Wirings whose message the compiler words itself: it names the type that lacks a method.
const NAMED_BY_THE_COMPILER: [(&str, &str); 2] = [("input_misspelt", "Inputs"), ("input_no_longer_declared", "Inputs")];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutations")
}

#[test]
fn every_wrong_wiring_is_refused() {
    let corpus = corpus::read_all(&here().join("corpus"));
    let by_compiler = corpus.iter().filter(|mutation| mutation.refused_by == RefusedBy::Rustc).count();
    assert!(corpus.len() >= 60, "{} wirings", corpus.len());
    assert!(SEVERAL_MISTAKES.len() <= 10, "one mistake is to give one error");
    assert!(by_compiler * 100 >= corpus.len() * 95, "{by_compiler} of {} are for the compiler", corpus.len());
    let beyond = corpus::read(&here().join("beyond.diff"));
    let mutations: Vec<&Mutation> = corpus.iter().chain(&beyond).step_by(one_of("UPDATE")).collect();

    let workspace = Workspace::new();
    let mut unapplied = workspace.write(ORIGINAL, &[]).err().into_iter().collect::<Vec<_>>();
    unapplied.extend(mutations.iter().filter_map(|mutation| workspace.write(&mutation.name, &mutation.edits).err()));
    assert!(unapplied.is_empty(), "wirings that no longer apply:\n{}", unapplied.join("\n"));
    let names: Vec<&str> = mutations.iter().map(|mutation| mutation.name.as_str()).chain([ORIGINAL]).collect();
    workspace.finish(&names);

    let mut errors = workspace.compile();
    let compiled: Vec<&str> = names.iter().copied().filter(|name| !errors.contains_key(*name)).collect();
    let mut diagnostics = workspace.check(&compiled);
    let original = (errors.remove(ORIGINAL), diagnostics.remove(ORIGINAL));
    assert!(matches!(&original, (None, Some(found)) if found.is_empty()), "the unmutated example: {original:?}");

    let mut faults = Vec::new();
    let mut rows = Vec::new();
    for mutation in mutations {
        let name = mutation.name.as_str();
        let verdict = match (errors.remove(name), diagnostics.remove(name)) {
            (Some(errors), _) => Verdict { by: RefusedBy::Rustc, errors },
            (None, Some(errors)) => {
                let code = errors.first().map_or_else(String::new, |error| error.by.clone());
                Verdict { by: RefusedBy::Check(code), errors }
            }
            (None, None) => unreachable!("what compiles is checked"),
        };
        faults.extend(faults_of(mutation, &verdict).iter().map(|fault| format!("`{name}` {fault}")));
        rows.push((mutation, verdict));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    report::compare(&here().join("report.txt"), &report::of(&rows));
}

/// The faults in the refusal of a mutation.
fn faults_of(mutation: &Mutation, verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(first) = verdict.errors.first() else {
        return vec!["was not refused".to_owned()];
    };
    if verdict.by != mutation.refused_by {
        faults.push(format!("is to be refused by {}, and was by {}: {}", mutation.refused_by, verdict.by, first.text));
    }
    for error in &verdict.errors {
        let internal = INTERNAL.iter().filter(|word| error.text.contains(**word));
        let internal = internal.filter(|word| !NAMED_BY_THE_COMPILER.contains(&(mutation.name.as_str(), **word)));
        faults.extend(internal.map(|word| format!("speaks of `{word}`: {}", error.text)));
    }
    let expected = SEVERAL_MISTAKES.iter().find(|(name, _)| *name == mutation.name).map_or(1, |(_, count)| *count);
    if verdict.errors.len() != expected {
        let lines: Vec<String> = verdict.errors.iter().map(|error| format!("\n    {}", error.text)).collect();
        faults.push(format!("gives {} errors, not {expected}:{}", lines.len(), lines.concat()));
    }
    faults
}

#[test]
fn a_wiring_that_no_longer_applies_is_reported() {
    let text = "== gone: rustc\n@@ src/lib.rs\n-no such line\n";
    let mutations = corpus::parse(text).expect("a corpus");
    let said = corpus::apply("fn main() {}\n", &mutations[0].edits[0]).expect_err("nothing to replace");
    assert!(said.contains("`no such line`"), "{said}");
    assert!(corpus::apply("no such line\nno such line\n", &mutations[0].edits[0]).is_err());
    assert_eq!(corpus::apply("a\nno such line\nb\n", &mutations[0].edits[0]).as_deref(), Ok("a\nb\n"));
}

#[test]
fn the_corpus_is_parsed_strictly() {
    for (text, fault) in [
        ("== nameless\n", "who refuses it"),
        ("@@ src/lib.rs\n-a\n", "before the first"),
        ("== a: rustc\n-b\n", "before a file"),
        ("== a: rustc\n", "changes nothing"),
        ("== a: rustc\n@@ f\n b\n", "changes nothing"),
        ("== a: rustc\n@@ f\n+b\n", "nothing to find"),
        ("== a: rustc\n@@ f\n-b\nc\n", "neither"),
    ] {
        let said = corpus::parse(text).expect_err(text);
        assert!(said.contains(fault), "{said}");
    }
    assert!(fs::read_dir(here().join("corpus")).expect("the corpus").count() > 0);
}
