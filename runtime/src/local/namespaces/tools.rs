//! The programs that create networks: `ip` of iproute2, and `nft`.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::local::error::UpError;
use crate::local::programs;

/// The paths of the programs.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    pub(super) ip: PathBuf,
    pub(super) nft: PathBuf,
}

/// An interface, as `ip -json link show` lists it.
#[derive(Debug, Deserialize)]
pub(super) struct Link {
    #[serde(rename = "ifname")]
    pub(super) name: String,
    pub(super) mtu: u32,
}

impl Tools {
    /// Finds both, or reports the missing package.
    pub(super) fn find() -> Result<Self, UpError> {
        let find = |program: &str, package: &str| {
            programs::find(program).ok_or_else(|| {
                refuse(format!("there is no `{program}` here; on Debian and Ubuntu it is in the package {package}"))
            })
        };
        Ok(Self { ip: find("ip", "iproute2")?, nft: find("nft", "nftables")? })
    }

    /// Runs `ip` and returns its output.
    pub(super) fn ip(&self, args: &[&str]) -> Result<String, UpError> {
        run(&self.ip, args, "")
    }

    /// Runs `ip` once, with one command per line.
    pub(super) fn ip_all(&self, commands: &str) -> Result<String, UpError> {
        run(&self.ip, &["-batch", "-"], commands)
    }

    /// Lists the interfaces of this network namespace. `/sys` may show those of another one: it is not mounted again
    /// when a process enters a namespace (`nsenter --net`).
    pub(super) fn links(&self) -> Result<Vec<Link>, UpError> {
        listed("interfaces", &self.ip(&["-json", "link", "show"])?)
    }

    /// Makes `nft` apply all of `rules`, or none.
    pub(super) fn nft(&self, rules: &str) -> Result<String, UpError> {
        run(&self.nft, &["-f", "-"], rules)
    }
}

/// Parses the output of `ip -json`, which is empty for an empty list.
pub(super) fn listed<T: DeserializeOwned>(what: &str, text: &str) -> Result<Vec<T>, UpError> {
    let text = if text.trim().is_empty() { "[]" } else { text };
    serde_json::from_str(text).map_err(|error| refuse(format!("the {what} that `ip` shows cannot be read: {error}")))
}

/// Runs a program with `input`, and returns its output.
pub(super) fn run<A: AsRef<OsStr>>(program: &Path, args: &[A], input: &str) -> Result<String, UpError> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let cannot = |error: std::io::Error| refuse(format!("`{name}` cannot be run: {error}"));
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(cannot)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading its input reports the reason.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(cannot)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let words: Vec<_> = args.iter().take(3).map(|arg| arg.as_ref().to_string_lossy()).collect();
    Err(refuse(format!("`{name} {}`: {}", words.join(" "), said.lines().next().unwrap_or_default().trim())))
}

pub(super) fn refuse(reason: impl Into<String>) -> UpError {
    UpError::Network { reason: reason.into() }
}
