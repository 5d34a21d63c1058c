//! The table of who refused what, in which words.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use super::Verdict;
use super::corpus::Mutation;

/// One line a mutation, and one more for each further error.
pub(crate) fn of(rows: &[(&Mutation, Verdict)]) -> String {
    let width = rows.iter().map(|(mutation, _)| mutation.name.len()).max().unwrap_or(0);
    let mut report = String::new();
    for (mutation, verdict) in rows {
        let mut name = mutation.name.as_str();
        for error in &verdict.errors {
            writeln!(report, "{name:width$}  {:5}  {}: {}", error.by, error.place, error.text)
                .expect("INVARIANT: a string takes all text");
            name = "";
        }
    }
    report
}

/// Compares with the golden, or renews it if `UPDATE` is set.
pub(crate) fn compare(golden: &Path, report: &str) {
    if env::var_os("UPDATE").is_some_and(|update| update == "1") {
        fs::write(golden, report).expect("the golden can be written");
        return;
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    let changes: Vec<String> = changed(&expected, report, '-').chain(changed(report, &expected, '+')).collect();
    assert!(
        expected == report,
        "{} is not what was said; renew it with UPDATE=1 if it should be:\n{}",
        golden.display(),
        changes.join("\n")
    );
}

fn changed<'a>(of: &'a str, other: &'a str, sign: char) -> impl Iterator<Item = String> + 'a {
    of.lines().filter(|line| !other.lines().any(|it| it == *line)).map(move |line| format!("{sign} {line}"))
}
