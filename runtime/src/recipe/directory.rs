//! A run directory: the files that a recipe finds when it starts, and those in which it leaves its outputs.
//!
//! ```text
//! files/            the recipe and the files that come with it, put there by the agent
//! cache/            what Chef keeps from run to run
//! run/inputs.json   its inputs with their types
//! run/output.NAME   what it wrote
//! run/why           why it fails, in its own words
//! run/tool/         what its tool receives and keeps
//! pid               its process group, until its end is in the journal
//! ```
//!
//! Other users may traverse it, so that a recipe can act as one of them with its files. `run/` and `cache/` are closed
//! to them, and `run/` exists only as long as the recipe runs, because it contains secrets.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Broken, RecipeRun, former};
use crate::space::FailureKind;

const RUN: &str = "run";
const OUTPUT: &str = "output";

/// The run directory of a running job. When dropped, it removes everything that may contain secrets.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Prepares the directory of `job`: ends the processes of a former run, removes its files, and writes the inputs.
    pub(super) fn prepare(job: &RecipeRun) -> Result<Self, Broken> {
        let failed = |error: io::Error| {
            let message = format!("its run folder `{}` cannot be prepared: {error}", job.directory.display());
            Broken::new(FailureKind::Start, message)
        };
        let path = std::path::absolute(&job.directory).map_err(failed)?;
        fs::create_dir_all(path.join("files")).map_err(failed)?;
        fs::set_permissions(&path, Permissions::from_mode(0o711)).map_err(failed)?;
        former::end(&path).map_err(failed)?;
        remove(&path);
        let directory = Self { path };
        for folder in [directory.run(), directory.tool()] {
            DirBuilder::new().mode(0o700).create(folder).map_err(failed)?;
        }
        write_json(&directory.inputs(), &job.inputs).map_err(failed)?;
        Ok(directory)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the recipe's files.
    pub(super) fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    fn run(&self) -> PathBuf {
        self.path.join(RUN)
    }

    /// The typed inputs.
    pub(super) fn inputs(&self) -> PathBuf {
        self.run().join("inputs.json")
    }

    /// The file in which a shell records how it ended.
    pub(super) fn ended(&self) -> PathBuf {
        self.run().join("ended")
    }

    /// The file in which a shell records the last failed command.
    pub(super) fn failed(&self) -> PathBuf {
        self.run().join("failed")
    }

    /// The file in which a shell recipe explains its failure.
    pub(super) fn why(&self) -> PathBuf {
        self.run().join("why")
    }

    /// The folder for files that its tool needs during the run.
    pub(super) fn tool(&self) -> PathBuf {
        self.run().join("tool")
    }

    /// The folder for files that its tool can use again in a later run.
    pub(super) fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// Creates that folder.
    pub(super) fn make_cache(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(self.cache())
    }

    /// The prefix, before `.NAME`, of the path of each output.
    pub(super) fn outputs(&self) -> PathBuf {
        self.run().join(OUTPUT)
    }

    /// The file of the output `name`.
    pub(super) fn output(&self, name: &str) -> PathBuf {
        output(&self.path, name)
    }

    /// The names of all outputs that were written, declared or not.
    pub(super) fn written(&self) -> Vec<OsString> {
        let Ok(entries) = fs::read_dir(self.run()) else { return Vec::new() };
        let name = |entry: io::Result<fs::DirEntry>| {
            let name = entry.ok()?.file_name();
            Some(name.to_str()?.strip_prefix(OUTPUT)?.strip_prefix('.')?.into())
        };
        let mut names: Vec<OsString> = entries.filter_map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The file of the output `name` in a run directory.
pub(super) fn output(directory: &Path, name: &str) -> PathBuf {
    directory.join(RUN).join(format!("{OUTPUT}.{name}"))
}

/// Removes everything that exists for one run only. What cannot be removed does not exist, or causes an error when it
/// is created again.
pub(super) fn remove(directory: &Path) {
    let _ = fs::remove_dir_all(directory.join(RUN));
}

/// Writes a file that only its owner may read.
pub(super) fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(text.as_ref())
}

/// Writes a file that only its owner may read, as JSON.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    write(path, serde_json::to_vec(value)?)
}
