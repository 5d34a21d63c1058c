//! The program that runs Chef's recipes.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::setup::Setup;
use crate::recipe::Broken;
use crate::recipe::directory::Directory;
use crate::recipe::environment::Environment;
use crate::recipe::process::Command;
use crate::space::FailureKind;

/// Programs that run Chef's recipes, in order of preference, each with the arguments for running without a server.
const TOOLS: [(&str, &[&str]); 4] =
    [("chef-solo", &[]), ("cinc-solo", &[]), ("chef-client", &["--local-mode"]), ("cinc-client", &["--local-mode"])];
const MISSING: &str = "none of chef-solo, cinc-solo, chef-client and cinc-client is on the agent's PATH: put Chef 16 \
                       or later, or Cinc, into the image, or install it in an earlier component";

/// A program that runs Chef's recipes.
#[derive(Debug)]
pub(super) struct Tool {
    program: PathBuf,
    name: &'static str,
    arguments: &'static [&'static str],
}

/// Finds the first one on `path`.
pub(super) fn find(path: &OsStr) -> Result<Tool, Broken> {
    let find = |name| std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file));
    TOOLS
        .iter()
        .find_map(|(name, arguments)| find(name).map(|program| Tool { program, name, arguments }))
        .ok_or_else(|| Broken::new(FailureKind::Start, MISSING.to_owned()))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

impl Tool {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The command that starts it.
    pub(super) fn command(&self, setup: &Setup, directory: &Directory, environment: Environment) -> Command {
        let files: [&OsStr; 4] =
            ["--config".as_ref(), setup.config.as_ref(), "--json-attributes".as_ref(), setup.node.as_ref()];
        Command {
            program: self.program.clone().into(),
            arguments: self.arguments.iter().map(AsRef::as_ref).chain(files).map(OsStr::to_owned).collect(),
            environment,
            at: directory.files(),
            missing: MISSING.to_owned(),
        }
    }
}
