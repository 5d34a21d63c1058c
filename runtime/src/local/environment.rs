//! The environment of a sandboxed agent: that of a service on a server, not that of the caller of `up`.

use std::env;

use tokio::process::Command;

use crate::recipe::{PROXIES, WITHOUT_PROXY};

/// The search path on a server.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Removes everything from this process's environment, except the settings for proxies and logging.
pub(super) fn clean(command: &mut Command) {
    command.env_clear().envs([("HOME", "/root"), ("LANG", "C.UTF-8")]);
    for name in PROXIES.iter().chain(&WITHOUT_PROXY).copied().chain(["rust_log"]) {
        for name in [name.to_owned(), name.to_uppercase()] {
            if let Some(value) = env::var_os(&name) {
                command.env(name, value);
            }
        }
    }
}
