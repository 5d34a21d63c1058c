//! Commands after whose failure a shell recipe continues.

mod conditions;
mod files;
mod hidden;
mod shells;
mod traps;

use wattle_recipe::{Tool, Unnoticed, Why, goes_on_after};

fn first(source: &str) -> Option<(String, u32)> {
    whole(&[("x.sh", source)])
}

fn found(source: &str) -> Option<(String, u32, Why)> {
    goes_on_after(Tool::Shell, "x.sh", [("x.sh", source)]).map(|one| (one.program, one.line, one.why))
}

fn why(source: &str) -> Option<(u32, Why)> {
    found(source).map(|(_, line, why)| (line, why))
}

fn whole(files: &[(&str, &str)]) -> Option<(String, u32)> {
    goes_on_after(Tool::Shell, "x.sh", files.iter().copied()).map(|Unnoticed { program, line, .. }| (program, line))
}
