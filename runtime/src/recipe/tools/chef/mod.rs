//! Chef 16 and later, and Cinc, with unmodified recipes.
//!
//! A run starts before its inputs are available. `wattle.rb`, which Chef's configuration loads, requests an input from
//! the agent when a recipe reaches it, publishes outputs that are written while the recipe runs, and reports the rest
//! at the end.

mod report;
mod setup;
mod tool;

use std::env;
use std::time::Duration;

use wattle::model::{IndexMap, Name, Value};

use super::how;
use crate::recipe::directory::Directory;
use crate::recipe::environment::Environment;
use crate::recipe::process::run;
use crate::recipe::{Broken, RecipeRun, outputs};
use crate::space::{FailureKind, Script};

use report::Report;
use setup::Setup;

/// How the vendor's builds of Chef learn that their license is accepted.
const LICENSE: &[&str] = &["CHEF_LICENSE", "CHEF_LICENSE_KEY", "CHEF_LICENSE_SERVER"];
/// Their exit codes if it is not.
const UNLICENSED: [i32; 3] = [172, 173, 174];
/// Chef's `REBOOT_SCHEDULED` and `REBOOT_NEEDED`: the server goes down, because the recipe requested it.
const REBOOT: [i32; 2] = [35, 37];
/// How long a server may take to go down after the request.
const GOES_DOWN: Duration = Duration::from_mins(15);

/// Runs a recipe, and returns its outputs.
pub(super) async fn go(
    job: &RecipeRun,
    directory: &Directory,
    mut environment: Environment,
) -> Result<IndexMap<Name, Value>, Broken> {
    for name in LICENSE {
        if let Some(value) = env::var_os(name) {
            environment.set(*name, value);
        }
    }
    let tool = tool::find(environment.get("PATH").map(AsRef::as_ref).unwrap_or_default())?;
    let setup = Setup::write(job, directory)?;
    let ended = run(job, directory, tool.command(&setup, directory, environment)).await;
    // Chef's records of a failure, including secrets. Most runs leave none.
    for file in ["chef-stacktrace.out", "failed-run-data.json"] {
        let _ = std::fs::remove_file(directory.cache().join(file));
    }
    let ended = ended?;
    let failed =
        |kind, message: String| Broken { log: ended.log.clone(), ..Broken::new(kind, ended.mask.text(&message)) };
    let code = ended.status.code().unwrap_or_default();
    let values = match report::read(&setup.report)? {
        Some(Report::Failure(failure)) => {
            let cause = failure.cause(job).await;
            return Err(Broken { cause, ..failed(failure.kind(job), failure.message) });
        }
        Some(Report::Outputs(values)) if ended.status.success() || REBOOT.contains(&code) => values,
        None if REBOOT.contains(&code) => {
            // The recipe runs again after the reboot.
            tokio::time::sleep(GOES_DOWN).await;
            return Err(failed(
                FailureKind::Recipe,
                "the recipe asked for a reboot, and the server did not go down".to_owned(),
            ));
        }
        _ if UNLICENSED.contains(&code) => {
            let help = "set CHEF_LICENSE=accept-silent in the agent's environment, or put Cinc into the image";
            return Err(failed(FailureKind::Start, format!("{} has no accepted license: {help}", tool.name())));
        }
        None if ended.status.success() => {
            let message = format!("{} ended before all resources of the recipe had converged", tool.name());
            return Err(failed(FailureKind::Recipe, message));
        }
        _ => return Err(failed(FailureKind::Recipe, how(ended.status))),
    };
    if job.script == Script::Teardown {
        return Ok(IndexMap::default());
    }
    outputs::collect(job, directory, values).map_err(|broken| failed(broken.kind, broken.message))
}
