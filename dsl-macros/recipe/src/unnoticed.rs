//! Failures that nobody notices, in a recipe of several files.

use crate::analysis::{Findings, Include};
use crate::failures::Unnoticed;
use crate::tool::Tool;

/// The first command in the recipe `entry` of `tool` whose failure goes unnoticed. A shell script sees to failures if it, or what it
/// sources, has a `set -e`, for one; where it may source what is not given, only what it does itself is said. Of other tools, it is
/// what shells of their own run, in the recipe or in what it takes in of `files`.
pub fn goes_on_after<'a>(
    tool: Tool,
    entry: &str,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<Unnoticed> {
    let files: Vec<_> = files.into_iter().filter(|(path, _)| Tool::of_path(path) == Some(tool)).collect();
    match tool {
        Tool::Shell => of_script(entry, &files),
        Tool::Ansible | Tool::Puppet | Tool::Chef | Tool::Salt => of_others(tool, entry, files),
    }
}

fn of_script(entry: &str, files: &[(&str, &str)]) -> Option<Unnoticed> {
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut own = Findings::default();
    let (mut traps, mut pipefail, mut inherits) = (false, false, false);
    for (path, source) in files {
        let found = crate::findings(Tool::Shell, source).ok()?;
        traps |= found.failures.traps;
        pipefail |= found.failures.pipefail;
        inherits |= found.failures.inherits;
        if *path == entry {
            own = found;
        }
    }
    let is_known = own.includes.iter().all(|include| !include.is_unknown(&paths, &[]));
    let failures = own.failures;
    let general = if traps { failures.lenient } else { failures.unguarded.filter(|_| is_known) };
    let cleared = failures.cleared.filter(|_| !inherits);
    let counting =
        [failures.early, failures.asked, failures.joined, cleared].into_iter().flatten().filter(|_| traps && is_known);
    let piped = failures.piped.filter(|_| !pipefail && is_known);
    let always = [failures.substituted, failures.started, failures.content, failures.background];
    general.into_iter().chain(counting).chain(piped).chain(always.into_iter().flatten()).min_by_key(|found| found.line)
}

/// Of what begins with `entry`, the first in the order in which files take in others.
fn of_others(tool: Tool, entry: &str, files: Vec<(&str, &str)>) -> Option<Unnoticed> {
    let cookbook = entry.split_once("::").filter(|_| !tool.runs_files()).map(|(cookbook, recipe)| Include::Cookbook {
        cookbook: cookbook.to_owned(),
        folder: "recipes",
        file: format!("{recipe}.rb"),
    });
    let is_entry = |path: &str| path == entry || cookbook.as_ref().is_some_and(|own| own.takes_in(path));
    let (mut waiting, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_entry(path));
    // A file beside a recipe may be none, and look like one.
    let mut others: Vec<(&str, Findings)> = others
        .into_iter()
        .filter(|(path, _)| may_run(tool, path))
        .filter_map(|(path, source)| Some((path, crate::findings(tool, source).ok()?)))
        .collect();
    let mut found: Vec<(&str, Findings)> =
        waiting.drain(..).filter_map(|(path, source)| Some((path, crate::findings(tool, source).ok()?))).collect();
    let mut at = 0;
    while let Some((_, own)) = found.get(at) {
        let is_taken = |(path, other): &(&str, Findings)| {
            own.includes.iter().any(|include| match include {
                Include::Class(name) => other.defines.contains(name),
                include => include.takes_in(path),
            })
        };
        let (taken, left) = others.into_iter().partition(is_taken);
        others = left;
        let taken: Vec<_> = taken;
        found.extend(taken);
        at += 1;
    }
    found.into_iter().find_map(|(path, own)| {
        let first = own.failures.started.into_iter().chain(own.failures.unpolled).min_by_key(|one| one.line)?;
        Some(Unnoticed { file: (!is_entry(path) || cookbook.is_some()).then(|| path.to_owned()), ..first })
    })
}

/// Whether a file that another takes in is code of the tool: of a role, its tasks are.
fn may_run(tool: Tool, path: &str) -> bool {
    let is_of_role = |path: &str| path.split('/').any(|folder| folder == "roles");
    tool != Tool::Ansible || !is_of_role(path) || path.split('/').any(|folder| matches!(folder, "tasks" | "handlers"))
}
