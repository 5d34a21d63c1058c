//! The table of refusals and their messages.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use super::Verdict;
use super::corpus::Mutation;
use super::workspace::Error;

/// A paragraph for each mutation: who refused it, the marked text and its file, and the message.
///
/// Lines have no numbers, so that an edit of the example does not change the report.
pub(crate) fn of(rows: &[(&Mutation, Verdict)]) -> String {
    let mut report = String::new();
    for (mutation, verdict) in rows {
        let separator = if report.is_empty() { "" } else { "\n" };
        writeln!(report, "{separator}{}", mutation.name).expect(TAKES_TEXT);
        for Error { by, file, marked, text } in &verdict.errors {
            writeln!(report, "    {by} in {file} at `{marked}`\n        {text}").expect(TAKES_TEXT);
        }
    }
    report
}

const TAKES_TEXT: &str = "INVARIANT: a string takes all text";

/// Compares with the golden's paragraphs on the same mutations, or updates the golden.
pub(crate) fn compare(golden: &Path, report: &str) {
    if env::var_os("UPDATE").is_some_and(|update| update == "1") {
        fs::write(golden, report).expect("the golden can be written");
        return;
    }
    let name = |paragraph: &str| paragraph.lines().next().unwrap_or_default().to_owned();
    let tried: HashSet<String> = report.split("\n\n").map(name).collect();
    let whole = fs::read_to_string(golden).unwrap_or_default();
    let expected: Vec<&str> =
        whole.trim_end().split("\n\n").filter(|paragraph| tried.contains(&name(paragraph))).collect();
    let expected = expected.join("\n\n") + "\n";
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
