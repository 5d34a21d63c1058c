//! The administrator of the real cloud, who has more rights than projects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_openstack::clouds::CloudConfig;

use super::clouds;
use crate::site::Ground;

/// The path of `tests/openstack/lab`.
pub fn lab() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("openstack/lab")
}

/// The administrator, as a user of deployments.
#[derive(Clone, Copy, Debug)]
pub struct Administrator;

impl Administrator {
    /// The password.
    pub fn password() -> String {
        variables().remove("OS_PASSWORD").expect("a password")
    }

    /// The settings by which clients choose the cloud.
    pub fn sources() -> CloudConfig {
        CloudConfig { environment: variables(), ..CloudConfig::default() }
    }
}

impl Ground for Administrator {
    const IS_SHARED: bool = true;

    fn clouds(&self, password: &str) -> String {
        let variables = variables();
        clouds(password, |name| variables[name].clone())
    }
}

/// The variables by which the administrator logs in.
fn variables() -> BTreeMap<String, String> {
    let out = Command::new(lab()).args(["env", "admin"]).output().expect("the lab");
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).expect("text");
    let pairs = text.lines().filter_map(|line| line.strip_prefix("export ")?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
