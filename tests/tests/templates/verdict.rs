//! Our verdicts are equal to Heat's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use wattle_heat::yaml;
use wattle_tests::chance::Chance;
use wattle_tests::oracle::Oracle;

use crate::corpus::{self, Case};
use crate::counts::{GOOD, SELFTEST, SELFTEST_ACCEPTED};
use crate::document::Document;
use crate::graph::difference;
use crate::mutate::mutant;

/// Changed templates on which our verdict differs from Heat's, and the reasons.
const MUTANTS: &[(&str, &str)] = &[];

/// A number from the environment: the number of changed templates (`ROUNDS`), and the seed (`SEED`).
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |number| number.parse().expect("a number"))
}

/// The differences from Heat, except verdicts listed in `named`, plus the listed ones that do not differ.
fn differences(cases: &[Case], named: &[(&str, &str)]) -> (Vec<String>, usize) {
    let mut oracle = Oracle::strict();
    let mut differences = Vec::new();
    let mut accepted = 0;
    let mut open: BTreeSet<&str> = named.iter().map(|(name, _)| *name).collect();
    for case in cases {
        let answer = case.ask(&mut oracle);
        let found = wattle_hot::check(&case.load());
        let refused: Vec<_> =
            found.iter().filter(|diagnostic| diagnostic.severity == wattle::check::Severity::Error).collect();
        let name = case.name();
        match (answer["ok"].as_bool().expect("an answer"), refused.first()) {
            (true, None) => {
                accepted += 1;
                differences.extend(difference(case, &answer));
            }
            (false, Some(_)) => {}
            _ if open.remove(&*name) => {}
            (true, Some(first)) => {
                differences.push(format!("{name}: only we refuse it: {}: {}", first.code, first.message));
            }
            (false, None) => {
                differences.push(format!("{name}: only Heat refuses it: {}: {}", answer["error"], answer["message"]));
            }
        }
    }
    differences.extend(open.into_iter().map(|name| format!("{name} is named as a disagreement, and is none")));
    (differences, accepted)
}

/// Asserts that the verdicts and graphs of all cases equal Heat's, and returns the number of cases that both accept.
pub(crate) fn assert_alike(cases: &[Case], named: &[(&str, &str)]) -> usize {
    let (differences, accepted) = differences(cases, named);
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
    accepted
}

#[test]
fn good_templates_are_accepted_with_heats_own_graph() {
    let cases = corpus::all("templates/good");
    assert_eq!(cases.len(), GOOD);
    assert_eq!(assert_alike(&cases, &[]), GOOD);
}

#[test]
fn the_validators_own_templates_are_judged_alike() {
    let good = corpus::all("heat/selftest/good");
    let bad = corpus::all("heat/selftest/bad");
    assert_eq!(good.len() + bad.len(), SELFTEST);
    assert_eq!(assert_alike(&good, &[]), good.len());
    assert_eq!(good.len() + assert_alike(&bad, &[]), SELFTEST_ACCEPTED);
}

/// The changed templates, in a separate folder with their files.
fn mutants(folder: &Path) -> Vec<Case> {
    let good = corpus::all("templates/good");
    let home = good[0].path.parent().expect("a folder");
    for name in ["environments", "files", "nested"] {
        fs::create_dir(folder.join(name)).expect("a new folder");
    }
    for name in ["files", "nested"] {
        for entry in fs::read_dir(home.join(name)).expect("a folder") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), folder.join(name).join(entry.file_name())).expect("a copy");
        }
    }
    let mut dice = Chance::new(number("SEED", 1) as u64);
    (0..number("ROUNDS", 500))
        .map(|number| {
            let case = &good[number % good.len()];
            let text = fs::read_to_string(&case.path).expect("a template");
            let document = Document::of(&yaml::read(&text).expect("YAML"));
            let (change, text) = mutant(number, &document, &mut dice);
            let path = folder.join(format!("{number:03}-{change}-{}", case.name()));
            fs::write(&path, text).expect("a new file");
            if let Some(environment) = &case.environment {
                let to = folder.join("environments").join(path.file_name().expect("a name"));
                fs::copy(environment, to).expect("a copy");
            }
            Case::of(path)
        })
        .collect()
}

#[test]
fn changed_templates_are_judged_alike() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = mutants(folder.path());
    let accepted = assert_alike(&cases, MUTANTS);
    // Some changes have no effect, but most of them do.
    assert!((cases.len() / 5..cases.len() / 2).contains(&accepted), "{accepted}");
}
