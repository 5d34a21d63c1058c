//! Advice on what to do once a seed is applied.

use std::path::PathBuf;

use clap::ArgMatches;
use wattle::names::some;
use wattle::shown::{self, argument, option};

use super::super::parameters;
use super::{Work, template_in};
use crate::seed::Changes;

/// Advice on servers that left earlier and never reported that they are done.
pub(super) fn lingering(changes: &Changes, stack: &str) -> String {
    if changes.lingering.is_empty() {
        return String::new();
    }
    let names = || changes.lingering.iter().map(String::as_str);
    let command: Vec<String> = names().map(argument).collect();
    format!(
        "not torn down, as far as is known, since an earlier revision left it out: {}; if it is gone, revoke its last \
         rights:\n  wattle seed forget {} {}\n",
        some(names(), 5),
        option("--stack", stack),
        command.join(" ")
    )
}

/// The next steps.
pub(super) fn next(work: &Work, matches: &ArgMatches, changes: &Changes, stack: &str) -> String {
    let directory = work.directory.display();
    let template = template_in(&work.directory).unwrap_or("template.yaml");
    let mut command = format!(" -t {}", shown::path(format!("{directory}/{template}")));
    if work.directory.join("environment.yaml").is_file() {
        command.extend([format!(" -e {}", shown::path(format!("{directory}/environment.yaml")))]);
    }
    for file in matches.get_many::<PathBuf>("environment").into_iter().flatten() {
        command.extend([format!(" -e {}", shown::path(file.display()))]);
    }
    command.extend([format!(" -e {}", shown::path(work.credentials.display()))]);
    let assignments = parameters::OPTIONS.into_iter().filter_map(|name| matches.get_many::<String>(name));
    for assignment in assignments.flatten() {
        // The value may be secret.
        command.extend([format!(" --parameter {}=...", argument(assignment.split('=').next().unwrap_or_default()))]);
    }
    let name = argument(stack);
    let command = |verb: &str| format!("  openstack stack {verb}{command} {name}\n");
    if changes.is_empty() {
        "nothing has changed; `--again` makes a new revision anyway\n".into()
    } else if changes.from.is_none() && work.options.restore {
        let (create, update) = (command("create"), command("update"));
        format!(
            "running agents pick it up by themselves; if the template or a credential has changed:\n\
             {update}if Heat has no such stack yet:\n\
             {create}"
        )
    } else if changes.from.is_none() {
        format!(
            "next, create the stack:\n\
             {}and once servers run, replace those credentials with keys of the servers' own:\n  wattle seed admit \
             --wait {}\n",
            command("create"),
            option("--stack", stack)
        )
    } else {
        let update = command("update");
        format!("running agents pick it up by themselves; if the template has also changed:\n{update}")
    }
}
