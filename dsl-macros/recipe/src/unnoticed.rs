//! Failures that go unnoticed, in a recipe of several files.

use crate::analysis::{FileOutline, Include};
use crate::failures::Unnoticed;
use crate::names::file_name;
use crate::tool::Tool;

/// The first command in the recipe `entry` of `tool` whose failure goes unnoticed. A shell script handles failures if, for
/// example, it or a script that it sources has a `set -e`; if it may source scripts that are not available, only its own
/// commands are reported. For other tools, the commands are those that separate shells run, in the recipe or in files that
/// it includes from `files`. Scripts that any of these run count as well.
pub fn goes_on_after<'a>(
    tool: Tool,
    entry: &str,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<Unnoticed> {
    let files: Vec<_> = files.into_iter().collect();
    let of = |tool| files.iter().copied().filter(move |(path, _)| Tool::of_path(path) == Some(tool));
    let scripts: Vec<_> = of(Tool::Shell).filter(|(_, source)| !crate::shell::is_other_program(source)).collect();
    let (found, mut waiting) = match tool {
        Tool::Shell => of_script(entry, &scripts),
        Tool::Ansible | Tool::Puppet | Tool::Chef | Tool::Salt => of_others(tool, entry, of(tool).collect()),
    };
    if found.is_some() {
        return found;
    }
    // Each is a separate process, so its caller's `set -e` has no effect.
    let mut seen = vec![entry.to_owned()];
    while let Some(name) = (!waiting.is_empty()).then(|| waiting.remove(0)) {
        let mut named = scripts.iter().map(|(path, _)| *path).filter(|path| file_name(path) == name);
        let Some(path) = named.next().filter(|path| named.next().is_none() && !seen.iter().any(|one| one == path))
        else {
            continue;
        };
        seen.push(path.to_owned());
        let (found, more) = of_script(path, &scripts);
        if let Some(found) = found {
            return Some(Unnoticed { file: Some(path.to_owned()), ..found });
        }
        waiting.extend(more);
    }
    None
}

/// The unnoticed command in a script, and the scripts that it runs.
fn of_script(entry: &str, files: &[(&str, &str)]) -> (Option<Unnoticed>, Vec<String>) {
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let mut own = FileOutline::default();
    let (mut traps, mut pipefail, mut inherits) = (false, false, false);
    let mut reached = vec![entry];
    let mut at = 0;
    while let Some(path) = reached.get(at).copied() {
        at += 1;
        let Some((_, source)) = files.iter().find(|(own, _)| *own == path) else { continue };
        let Ok(found) = crate::outline(Tool::Shell, source) else { return (None, Vec::new()) };
        traps |= found.failures.traps;
        pipefail |= found.failures.pipefail;
        inherits |= found.failures.inherits;
        let sourced = found.includes.iter().filter(|include| matches!(include, Include::File(_)));
        let sourced = sourced.flat_map(|include| paths.iter().copied().filter(|path| include.takes_in(path)));
        for path in sourced {
            if !reached.contains(&path) {
                reached.push(path);
            }
        }
        if path == entry {
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
    let all =
        failures.forgiven.into_iter().chain(general).chain(counting).chain(piped).chain(always.into_iter().flatten());
    (all.min_by_key(|found| found.line), own.runs)
}

/// The first unnoticed command, starting from `entry` in the order of inclusion, and the scripts that all of the files run.
fn of_others(tool: Tool, entry: &str, files: Vec<(&str, &str)>) -> (Option<Unnoticed>, Vec<String>) {
    let cookbook = entry.split_once("::").filter(|_| !tool.runs_files()).map(|(cookbook, recipe)| Include::Cookbook {
        cookbook: cookbook.to_owned(),
        folder: "recipes",
        file: format!("{recipe}.rb"),
    });
    let is_entry = |path: &str| path == entry || cookbook.as_ref().is_some_and(|own| own.takes_in(path));
    let (mut waiting, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_entry(path));
    // A file beside a recipe may look like a recipe without being one.
    let mut others: Vec<(&str, FileOutline)> = others
        .into_iter()
        .filter(|(path, _)| may_run(tool, path))
        .filter_map(|(path, source)| Some((path, crate::outline(tool, source).ok()?)))
        .collect();
    let mut found: Vec<(&str, FileOutline)> =
        waiting.drain(..).filter_map(|(path, source)| Some((path, crate::outline(tool, source).ok()?))).collect();
    let mut at = 0;
    while let Some((_, own)) = found.get(at) {
        let is_taken = |(path, other): &(&str, FileOutline)| {
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
    let runs = found.iter_mut().flat_map(|(_, own)| std::mem::take(&mut own.runs)).collect();
    let first = found.into_iter().find_map(|(path, own)| {
        let first = own.failures.started.into_iter().chain(own.failures.unpolled).min_by_key(|one| one.line)?;
        Some(Unnoticed { file: (!is_entry(path) || cookbook.is_some()).then(|| path.to_owned()), ..first })
    });
    (first, runs)
}

/// Whether a file that another one includes is code of the tool: in a role, its tasks are.
fn may_run(tool: Tool, path: &str) -> bool {
    let is_of_role = |path: &str| path.split('/').any(|folder| folder == "roles");
    tool != Tool::Ansible || !is_of_role(path) || path.split('/').any(|folder| matches!(folder, "tasks" | "handlers"))
}
