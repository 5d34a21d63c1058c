//! Deployment scenarios: requests to the engine with their times, and the expected reality.
//!
//! Each scenario of the files in `tests/converge` is a separate test, and so is each in the file named by
//! `WATTLE_SCENARIOS`, which has the same format. The legend of `tests/converge/scenarios.yaml` explains it. Names and
//! verdicts are printed like those of any other test:
//!
//! ```text
//! WATTLE_SCENARIOS=mine.yaml cargo test -p wattle-tests --test converge
//! ```
//!
//! The engine runs over a reality that carries out requests immediately and without faults. The events before a step
//! are exactly those of the step's `at`: everything else that the engine has begun by then is held, and continues after
//! the step. An `expect` without an `at` is checked once nothing is left to do, or, if the next step comes before that,
//! right before it.

mod format;
mod harness;
mod reality;
mod run;
mod template;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use harness::Test;

/// The project's own files, by name.
const OURS: [&str; 2] = ["scenarios", "more"];

/// The tests of a file: one for each scenario, or a single one that reports why there are none.
fn tests_of(label: &str, path: &Path) -> Vec<Test> {
    let read = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let scenarios = read.and_then(|text| {
        format::scenarios(&text)
            .map_err(|problems| problems.iter().map(|problem| format!("{}: {problem}\n", path.display())).collect())
    });
    match scenarios {
        Err(why) => vec![Test { name: label.to_owned(), run: Box::new(move || Err(why.clone())) }],
        Ok(scenarios) => {
            let test = |scenario: format::Scenario| Test {
                name: format!("{label}::{}", scenario.name),
                run: Box::new(move || run::run(&scenario)),
            };
            scenarios.into_iter().map(test).collect()
        }
    }
}

/// The external file, if one is named. Its path is relative to the working directory of the tests, or to the workspace.
fn brought() -> Option<(String, PathBuf)> {
    let given = PathBuf::from(std::env::var_os("WATTLE_SCENARIOS")?);
    let of_workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&given);
    let path = if !given.exists() && of_workspace.exists() { of_workspace } else { given };
    let stem = path.file_stem().map_or_else(|| "brought".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let label = if OURS.contains(&&*stem) { format!("brought-{stem}") } else { stem };
    Some((label, path))
}

fn main() -> ExitCode {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("converge");
    let mut tests: Vec<Test> =
        OURS.iter().flat_map(|name| tests_of(name, &ours.join(name).with_extension("yaml"))).collect();
    if let Some((label, path)) = brought() {
        tests.extend(tests_of(&label, &path));
    }
    tests.extend(format::tests::all());
    harness::main(tests)
}
