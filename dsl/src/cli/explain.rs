//! `explain CODE`.

use crate::check::{self, CHECKS, Severity};

use super::console::Console;
use super::failure::{Exit, Failure};
use super::nearest::nearest;

pub(super) fn explain(code: Option<&str>, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let Some(code) = code else {
        let list =
            CHECKS.iter().map(|check| format!("{}  {:7}  {}\n", check.code, word(check.severity), check.summary));
        console.out.write(&list.collect::<String>())?;
        return Ok(Exit::Fine);
    };
    let Some(check) = check::find(code) else {
        let failure = Failure::usage(format!("unknown code `{code}`"));
        // Every code is like every other: only what is no code at all can be a slip.
        let is_code = code.len() == 5 && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let near = nearest(code, CHECKS.iter().map(|check| check.code)).filter(|_| !is_code);
        let failure = match near {
            Some(near) => failure.help(format!("did you mean `{near}`?")),
            None => failure,
        };
        return Err(failure.help("`explain` without a code lists them all"));
    };
    let text = format!("{} ({}): {}\n\n{}", check.code, word(check.severity), check.summary, page(check.docs));
    console.out.write(&text)?;
    Ok(Exit::Fine)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Documentation as a person reads it: without the blank that doc comments begin with, and without the lines that
/// rustdoc hides.
fn page(docs: &str) -> String {
    let mut page = String::with_capacity(docs.len());
    let mut in_code = false;
    for line in docs.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        if line.starts_with("```") {
            in_code = !in_code;
            page.push_str(if in_code && line == "```" { "```rust" } else { line });
        } else if in_code && (line.trim_start() == "#" || line.trim_start().starts_with("# ")) {
            continue;
        } else {
            page.push_str(line);
        }
        page.push('\n');
    }
    page
}
