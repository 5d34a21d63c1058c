//! The programs of util-linux that create and enter namespaces.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::local::error::UpError;
use crate::local::programs;

use super::refuse;

/// The capabilities that even root lacks in a sandbox (capabilities(7)), because they affect the whole machine: kernel
/// modules, the clock, reboots, and the hardware.
const WITHOUT: &str = "-sys_module,-sys_time,-sys_boot,-sys_rawio";

/// The paths of the programs.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    unshare: PathBuf,
    nsenter: PathBuf,
    setpriv: PathBuf,
}

impl Tools {
    /// Finds the programs, or reports what is missing: a program, or rights.
    pub(super) fn find() -> Result<Self, UpError> {
        if !rustix::process::geteuid().is_root() {
            return Err(refuse(
                "only root can make a sandbox: it consists of mounts and namespaces",
                "run it as root, as with `sudo`, or without `--sandbox`",
            ));
        }
        Ok(Self {
            unshare: found("unshare", "util-linux")?,
            nsenter: found("nsenter", "util-linux")?,
            setpriv: found("setpriv", "util-linux")?,
        })
    }

    /// The command prefix that runs a program in new namespaces, as their first process. If either ends, so does the
    /// other.
    pub(super) fn begin(&self) -> Vec<OsString> {
        let options = ["--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--"];
        [self.unshare.clone().into()].into_iter().chain(options.map(Into::into)).collect()
    }

    /// The command prefix that runs a program in the namespaces of the process `first`.
    pub(super) fn enter(&self, first: i32, has_network: bool) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.setpriv.clone().into(), "--bounding-set".into(), WITHOUT.into()];
        words.extend([self.nsenter.clone().into(), "--target".into(), first.to_string().into()]);
        words.extend(["--mount", "--pid", "--uts", "--ipc"].map(OsString::from));
        if has_network {
            words.push("--net".into());
        }
        words.push("--".into());
        words
    }

    /// The command prefix that runs a program with mounts and processes of its own, which end with this process's
    /// thread.
    pub(super) fn apart(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.setpriv.clone().into(), "--pdeathsig".into(), "KILL".into()];
        words.push(self.unshare.clone().into());
        words.extend(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"].map(OsString::from));
        words
    }
}

/// The path of a program, or an error naming its package.
pub(super) fn found(program: &str, package: &str) -> Result<PathBuf, UpError> {
    programs::find(program).ok_or_else(|| {
        refuse(
            format!("a sandbox needs the program `{program}`, which is not here"),
            format!("install it; on Debian and Ubuntu it is in the package {package}"),
        )
    })
}

/// A path as text.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
