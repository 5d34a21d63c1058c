//! The runner of the agent: each recipe by its own tool.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;

use async_trait::async_trait;
use indexmap::IndexMap;
use wattle::model::{Name, Tool, Value};

use super::directory::Directory;
use super::environment::Environment;
use super::{Broken, Job, Runner, chef, outputs, shell};
use crate::space::{Kind, Script};

/// Runs each recipe by its own tool: shell, Ansible, Puppet, Chef.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    state: Option<PathBuf>,
    path: Option<OsString>,
}

impl Tools {
    /// Runs recipes on a machine that is theirs alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells recipes by `$WATTLE_STATE_DIR` below which directory to keep what outlives them: the machine is not theirs
    /// alone.
    pub fn state_in(mut self, directory: PathBuf) -> Self {
        self.state = Some(directory);
        self
    }

    /// Looks for tools on `path` instead of the agent's own search path.
    pub fn path(mut self, path: OsString) -> Self {
        self.path = Some(path);
        self
    }

    fn environment(&self, job: &Job, directory: &Directory) -> Environment {
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
    async fn run(&self, job: &Job) -> Result<IndexMap<Name, Value>, Broken> {
        let directory = Directory::prepare(job)?;
        let environment = self.environment(job, &directory);
        let (ended, native) = match job.component.tool {
            Tool::Chef => return chef::go(job, &directory, environment).await,
            Tool::Shell => shell::go(job, &directory, environment).await?,
            other => return Err(Broken::new(Kind::Start, format!("this version cannot run recipes of {other}"))),
        };
        if !ended.status.success() {
            return Err(Broken { log: ended.log, ..Broken::new(Kind::Recipe, how(ended.status)) });
        }
        if job.script == Script::Teardown {
            return Ok(IndexMap::new());
        }
        outputs::collect(job, &directory, native).map_err(|broken| Broken {
            message: ended.mask.text(&broken.message),
            log: ended.log,
            ..broken
        })
    }
}

/// How a recipe ended that did not end well.
pub(super) fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the recipe ended with status {code}"),
        (None, Some(signal)) => format!("the recipe was killed by signal {signal}"),
        (None, None) => "the recipe did not end well".to_owned(),
    }
}
