//! `explain CODE`.

use crate::check::{About, all};
use crate::manners::{CommandError, Exit};
use crate::model::check::{find, nearest_code};

use super::console::Console;

pub(super) fn explain(code: Option<&str>, console: &mut Console<'_>) -> Result<Exit, CommandError> {
    let mut checks = all();
    checks.extend(crate::policy::all());
    console.out.write(&explained(code, &checks)?)?;
    Ok(Exit::Fine)
}

/// The page of the code `code`, from among those of `checks`. Without a code, one line for each code.
///
/// # Errors
/// If there is no such code.
pub fn explained(code: Option<&str>, checks: &[&About]) -> Result<String, CommandError> {
    let Some(code) = code.map(str::trim) else {
        let line = |check: &&About| format!("{}  {:7}  {}\n", check.code, check.severity.to_string(), check.summary);
        return Ok(checks.iter().map(line).collect());
    };
    find(checks, code).map(About::page).ok_or_else(|| {
        // All codes resemble each other, so only text that is not a code at all can be a typo.
        let is_code = code.len() == 5 && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let near = nearest_code(checks, code).filter(|_| !is_code);
        CommandError::usage(format!("unknown code `{code}`"))
            .help_if(near.map(crate::names::did_you_mean))
            .help("`explain` without a code lists them all")
    })
}
