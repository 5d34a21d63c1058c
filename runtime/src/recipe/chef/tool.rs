//! The program that runs Chef's recipes.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use std::process::Stdio;

use tokio::process::Command;
use tokio::time::Instant;

use super::super::{Broken, Job, Mask};
use super::broken;
use super::setup::Setup;
use crate::space::Kind;

/// Programs that do, the first that is found first, each with what makes it work without a server.
const TOOLS: [(&str, &[&str]); 4] =
    [("chef-solo", &[]), ("cinc-solo", &[]), ("chef-client", &["--local-mode"]), ("cinc-client", &["--local-mode"])];

/// A program that runs Chef's recipes.
#[derive(Debug)]
pub(super) struct Tool {
    program: PathBuf,
    name: &'static str,
    arguments: &'static [&'static str],
}

/// The first one on `path`.
pub(super) fn find(path: &OsStr) -> Option<Tool> {
    let find = |name| std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file));
    TOOLS.iter().find_map(|(name, arguments)| find(name).map(|program| Tool { program, name, arguments }))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

impl Tool {
    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// How it is started.
    pub(super) fn command(&self, setup: &Setup) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).arg("--config").arg(&setup.config).arg("--json-attributes").arg(&setup.node);
        command
    }
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Its exit status; none if it was killed.
    pub(super) status: Option<i32>,
    /// The last lines that it printed, secrets masked.
    pub(super) log: Vec<String>,
}

/// Runs `command` for `job` to its end, or its deadline.
pub(super) async fn run(mut command: Command, job: &Job) -> Result<Ended, Broken> {
    let (socket, token) = job.live.socket().expect("INVARIANT: the setup is made for a job with a socket");
    command.env("WATTLE_SOCKET", socket).env("WATTLE_TOKEN", token).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| broken(Kind::Start, format!("cannot start Chef: {error}")))?;
    let started = Instant::now();
    let mut ended = std::pin::pin!(child.wait_with_output());
    let output = loop {
        let end = started + job.deadline + job.live.waited();
        match tokio::time::timeout_at(end, &mut ended).await {
            Ok(output) => break output.map_err(|error| broken(Kind::Recipe, error.to_string()))?,
            Err(_) if Instant::now() < started + job.deadline + job.live.waited() => {}
            Err(_) => return Err(broken(Kind::Deadline, format!("ran for longer than {:?}", job.deadline))),
        }
    };
    let mut mask = Mask::of(job);
    job.live.secrets().iter().for_each(|secret| mask.add(secret));
    let text = [output.stdout, output.stderr].concat();
    let log = mask.text(&String::from_utf8_lossy(&text)).lines().map(str::to_owned).collect();
    Ok(Ended { status: output.status.code(), log })
}
