//! Chef 16 and later, and Cinc, with recipes as they are.
//!
//! A run starts before its inputs are there. `wattle.rb`, which Chef's configuration loads, asks the agent for an input
//! when a recipe comes to it, publishes what is written while the recipe runs, and reports the rest at the end.

mod report;
mod setup;
mod tool;

use std::ffi::OsString;
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use wattle::model::{Name, Value};

use super::{Broken, Job, Runner};
use crate::space::Kind;

use report::Report;
use setup::Setup;

/// Chef's `REBOOT_SCHEDULED` and `REBOOT_NEEDED`: the server is about to go down because the recipe wants it so.
const REBOOT: [i32; 2] = [35, 37];
/// What Chef ends with where nobody has accepted its license.
const LICENSE: [i32; 3] = [172, 173, 174];

/// Runs Chef's recipes.
#[derive(Clone, Debug, Default)]
pub struct Chef {
    path: Option<OsString>,
}

impl Chef {
    /// With the first of `chef-solo`, `cinc-solo`, `chef-client --local-mode`, `cinc-client --local-mode` that is found on
    /// `$PATH` when it is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`Chef::new`], with another `$PATH`.
    pub fn on_path(path: impl Into<OsString>) -> Self {
        Self { path: Some(path.into()) }
    }
}

#[async_trait]
impl Runner for Chef {
    async fn run(&self, job: &Job) -> Result<IndexMap<Name, Value>, Broken> {
        let path = self.path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let tool = tool::find(&path).ok_or_else(|| {
            broken(
                Kind::Start,
                "neither chef-solo nor cinc-solo, chef-client or cinc-client is on the agent's PATH: have Chef 16 or \
                 later, or Cinc (cinc.sh), in the image",
            )
        })?;
        let setup = Setup::write(job)?;
        let ended = tool::run(tool.command(&setup), job).await?;
        let report = Report::take(&setup.report)?;
        let failed = |kind, message: String| Broken { kind, message, log: ended.log.clone(), cause: None };
        match (ended.status, report) {
            (_, Some(Report::Failure(failure))) => Err(failure.into_broken(job, ended.log).await),
            (Some(0), Some(Report::Outputs(values))) => {
                report::outputs(job, values).map_err(|broken| Broken { log: ended.log, ..broken })
            }
            (Some(status), Some(Report::Outputs(values))) if REBOOT.contains(&status) => {
                report::outputs(job, values).map_err(|broken| Broken { log: ended.log, ..broken })
            }
            // The recipe is run again once the server is up.
            (Some(status), None) if REBOOT.contains(&status) => {
                tokio::time::sleep(job.deadline.max(Duration::from_mins(1))).await;
                Err(failed(Kind::Recipe, "the recipe asked for a reboot, and the server did not go down".to_owned()))
            }
            (Some(status), _) if LICENSE.contains(&status) => {
                let help = "put CHEF_LICENSE=accept-silent into the agent's environment, or have Cinc in the image";
                Err(failed(Kind::Start, format!("{} has no accepted license: {help}", tool.name())))
            }
            (Some(0), None) => {
                let why = "it ended without having run the recipe to its end; Chef 16 or later is needed";
                Err(failed(Kind::Recipe, format!("{}: {why}", tool.name())))
            }
            (Some(status), _) => Err(failed(Kind::Recipe, format!("{} ended with status {status}", tool.name()))),
            (None, _) => Err(failed(Kind::Recipe, format!("{} was killed", tool.name()))),
        }
    }
}

fn broken(kind: Kind, message: impl Into<String>) -> Broken {
    Broken { kind, message: message.into(), log: Vec::new(), cause: None }
}
