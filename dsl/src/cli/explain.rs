//! `explain CODE`.

use crate::check::{self, CHECKS};

use super::console::Console;
use crate::manners::{Exit, Failure};

pub(super) fn explain(code: Option<&str>, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let Some(code) = code else {
        let list =
            CHECKS.iter().map(|check| format!("{}  {:7}  {}\n", check.code, check.severity.to_string(), check.summary));
        console.out.write(&list.collect::<String>())?;
        return Ok(Exit::Fine);
    };
    let Some(page) = check::explain(code) else {
        let failure = Failure::usage(format!("unknown code `{code}`"));
        // Every code is like every other: only what is no code at all can be a slip.
        let is_code = code.len() == 5 && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let near = check::nearest_code(code).filter(|_| !is_code);
        let failure = match near {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure,
        };
        return Err(failure.help("`explain` without a code lists them all"));
    };
    console.out.write(&page)?;
    Ok(Exit::Fine)
}
