//! The runner of the agent, which runs each recipe by its own tool.
//!
//! What belongs here: how each tool is started, its inputs, and how it reports the result. What all of them share (the
//! run directory, the environment, the process, the outputs) does not.

mod ansible;
mod chef;
mod hint;
mod puppet;
mod salt;
mod shell;
mod shell_end;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;

use async_trait::async_trait;
use wattle::model::{IndexMap, Name, Tool, Value};

use super::directory::Directory;
use super::environment::Environment;
use super::process::Ended;
use super::{Broken, RecipeRun, Runner, outputs};
use crate::space::{FailureKind, Script};

/// The maximum number of characters of a tool's output in a message.
const SHOWN: usize = 400;

/// Runs each recipe by its own tool.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    state: Option<PathBuf>,
    path: Option<OsString>,
}

impl Tools {
    /// Runs recipes on a dedicated machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the directory below which recipes keep persistent data, passed in `$WATTLE_STATE_DIR`, because they share
    /// the machine.
    pub fn state_in(mut self, directory: PathBuf) -> Self {
        self.state = Some(directory);
        self
    }

    /// Looks for tools on `path` instead of the agent's own search path.
    pub fn path(mut self, path: OsString) -> Self {
        self.path = Some(path);
        self
    }

    fn environment(&self, job: &RecipeRun, directory: &Directory) -> Environment {
        let mut environment = Environment::of(job, directory);
        if let Some(state) = &self.state {
            environment.set("WATTLE_STATE_DIR", state);
        }
        if let Some(path) = &self.path {
            environment.set("PATH", path);
        }
        environment
    }
}

#[async_trait]
impl Runner for Tools {
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken> {
        let directory = Directory::prepare(job)?;
        let environment = self.environment(job, &directory);
        let report = match job.component.recipe.tool {
            Tool::Chef => return chef::go(job, &directory, environment).await,
            Tool::Shell => shell::go(job, &directory, environment).await?,
            Tool::Ansible => ansible::go(job, &directory, environment).await?,
            Tool::Puppet => puppet::go(job, &directory, environment).await?,
            Tool::Salt => salt::go(job, &directory, environment).await?,
        };
        let Ended { status, log, mask } = report.ended;
        if !report.good {
            let mut message = match report.why {
                Some(why) => format!("{} ({})", one_line(&mask.text(&why)), how(status)),
                None => how(status),
            };
            let user =
                Some(rustix::process::geteuid()).filter(|user| !user.is_root()).map(rustix::process::Uid::as_raw);
            let said: Vec<String> = log.iter().cloned().chain([message.clone()]).collect();
            if let Some(hint) = hint::of(&said, user, |path| directory.files().join(path).exists()) {
                message = format!("{message}; {hint}");
            }
            return Err(Broken { log, ..Broken::new(FailureKind::Recipe, message) });
        }
        if job.script == Script::Teardown {
            return Ok(IndexMap::default());
        }
        outputs::collect(job, &directory, report.outputs).map_err(|broken| Broken {
            message: mask.text(&broken.message),
            log,
            ..broken
        })
    }
}

/// The result of running a recipe.
#[derive(Debug)]
struct Report {
    ended: Ended,
    /// Whether it succeeded, as its tool reports.
    good: bool,
    /// The tool's reason for a failure, if any.
    why: Option<String>,
    /// The outputs that its tool collected, without those in files.
    outputs: IndexMap<Name, Value>,
}

/// Shortens a tool's output to one line for a message.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Describes how a failed recipe ended.
fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the recipe ended with exit code {code}"),
        (None, Some(signal)) => format!("the recipe was killed by signal {signal}"),
        (None, None) => "the recipe did not end well".to_owned(),
    }
}
