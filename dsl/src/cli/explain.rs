//! `explain CODE`.

use crate::check::{self, CHECKS, Severity};
use crate::manners::{Exit, Failure};
use crate::names::nearest;

use super::console::Console;

pub(super) fn explain(code: Option<&str>, console: &mut Console<'_>) -> Result<Exit, Failure> {
    console.out.write(&explained(code, &[], &|_| None)?)?;
    Ok(Exit::Fine)
}

/// The page of the code `code`; without one, a line for each code. `further` are codes besides those of models, each with
/// how bad its findings are and what they are, whose pages `page` has.
///
/// # Errors
/// There is no such code.
pub fn explained(
    code: Option<&str>,
    further: &[(&'static str, Severity, &'static str)],
    page: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Failure> {
    let Some(code) = code.map(str::trim) else {
        let ours = CHECKS.iter().map(|check| (check.code, check.severity, check.summary));
        return Ok(ours
            .chain(further.iter().copied())
            .map(|(code, severity, summary)| format!("{code}  {:7}  {summary}\n", severity.to_string()))
            .collect());
    };
    check::explain(code).or_else(|| page(code)).ok_or_else(|| {
        // Every code is like every other: only what is no code at all can be a slip.
        let is_code = code.len() == 5 && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let near = check::nearest_code(code).or_else(|| nearest(code, further.iter().map(|(code, ..)| *code)));
        Failure::usage(format!("unknown code `{code}`"))
            .help_if(near.filter(|_| !is_code).map(|near| format!("did you mean `{near}`?")))
            .help("`explain` without a code lists them all")
    })
}
