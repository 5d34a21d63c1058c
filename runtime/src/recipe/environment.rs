//! The environment of a recipe's process.
//!
//! Of the agent's own environment, a recipe inherits only the search path, the user, the language and time zone, and
//! the proxy settings. So an unset input is unset, whatever the agent's environment, and the agent's credentials stay
//! private.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use super::directory::Directory;
use wattle::values;

use super::{RecipeRun, former};

/// Variables that name a proxy, which are used in lower and in upper case.
pub(crate) const PROXIES: [&str; 4] = ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy"];
/// The variable that names the hosts to be reached without a proxy, in both cases; programs read one of the two.
pub(crate) const WITHOUT_PROXY: [&str; 2] = ["no_proxy", "NO_PROXY"];
/// Variables that are inherited, besides those of proxies and all whose names begin with `LC_`.
const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_INDEX_URL",
    "PIP_CERT",
];
/// The default search path.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// The maximum number of bytes of a variable, its name and end included (Linux's `MAX_ARG_STRLEN`).
const LONGEST: usize = 128 * 1024;

/// The variables of one process. A later one replaces an earlier one with the same name.
#[derive(Debug, Default)]
pub(super) struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// The variables for every tool: inherited ones, and those of the run.
    pub(super) fn of(job: &RecipeRun, directory: &Directory) -> Self {
        let mut environment = Self::default();
        environment.set("PATH", PATH);
        environment.set("HOME", if rustix::process::geteuid().is_root() { "/root" } else { "/" });
        environment.set("LANG", "C.UTF-8");
        for (name, value) in env::vars_os() {
            let of_proxies = |name: &str| {
                WITHOUT_PROXY.contains(&name)
                    || PROXIES.iter().any(|known| name == *known || name == known.to_uppercase())
            };
            let is_inherited = |name: &str| INHERITED.contains(&name) || name.starts_with("LC_") || of_proxies(name);
            if name.to_str().is_some_and(is_inherited) && !value.is_empty() {
                environment.set(name, value);
            }
        }
        if let Some(path) = with_wattle(&environment) {
            environment.set("PATH", path);
        }
        environment.set("heat_outputs_path", directory.outputs());
        environment.set("WATTLE_RUN_DIR", directory.path());
        if let Some((socket, token)) = job.live.socket() {
            environment.set("WATTLE_SOCKET", socket);
            environment.set("WATTLE_TOKEN", token);
        }
        environment
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.0.retain(|(other, _)| *other != name);
        self.0.push((name, value.into()));
    }

    /// Sets a variable for each input, named `PREFIX` and its name. Omits and logs what the system does not accept as a
    /// variable.
    pub(super) fn set_inputs(&mut self, job: &RecipeRun, prefix: &str) {
        for (name, value) in &job.inputs {
            let text = values::text(value);
            let variable = format!("{prefix}{name}");
            let why = if text.contains('\0') {
                "it holds a zero byte"
            } else if variable.len() + text.len() + 2 > LONGEST {
                "it is longer than 128 KiB"
            } else {
                self.set(variable, text);
                continue;
            };
            tracing::warn!(
                target: super::LOG,
                component = &*job.name,
                "the input `{name}` is not in the environment, because {why}: `wattle get {}` prints it, and it is in \
                 `inputs.json`",
                wattle::shown::argument(name)
            );
        }
    }

    /// Removes a variable.
    pub(super) fn unset(&mut self, name: &str) {
        self.0.retain(|(other, _)| other != name);
    }

    /// Makes sure that texts are UTF-8.
    pub(super) fn speak_utf8(&mut self) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| self.get(name));
        let locale = locale.map(|locale| locale.to_string_lossy().to_lowercase()).unwrap_or_default();
        if !locale.ends_with("utf-8") && !locale.ends_with("utf8") {
            self.set("LC_ALL", "C.UTF-8");
        }
    }

    /// Whether there is such a program on the search path.
    pub(super) fn finds(&self, program: &str) -> bool {
        self.get("PATH").is_some_and(|path| env::split_paths(path).any(|directory| directory.join(program).exists()))
    }

    /// Sets the variable that identifies the run of the process.
    pub(super) fn set_run(&mut self, run: &str) {
        self.set(former::RUN, run);
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    pub(super) fn into_variables(self) -> Vec<(OsString, OsString)> {
        self.0
    }
}

/// A search path that includes `wattle`, for `wattle get` in recipes; `None` if it already does.
fn with_wattle(environment: &Environment) -> Option<OsString> {
    let own = env::current_exe().ok()?;
    if own.file_name()? != "wattle" {
        return None;
    }
    let path = environment.get("PATH")?;
    let directories: Vec<_> = env::split_paths(path).collect();
    if directories.iter().any(|directory| directory.join("wattle").exists()) {
        return None;
    }
    env::join_paths(directories.iter().map(std::path::PathBuf::as_path).chain([own.parent()? as &Path])).ok()
}
