//! Chooses a cloud, and determines how to log in to it.
//!
//! This follows the rules of every OpenStack client (openstacksdk, `os_client_config`). The file is the first of
//! `$OS_CLIENT_CONFIG_FILE`, `./clouds.yaml`, `~/.config/openstack/clouds.yaml` and `/etc/openstack/clouds.yaml` that
//! exists, overlaid with the `secure.yaml` beside it. Alternatively, the variables `OS_*` describe the cloud, but a
//! cloud named by `--cloud` or `OS_CLOUD` takes precedence over them. Settings missing in such a cloud are taken from
//! the variables, unless these are for another cloud: a password need not be in any file. A `./clouds.yaml` that was
//! not named explicitly gets no password from the environment unless the environment says, by `OS_AUTH_URL`, that it is
//! for that cloud.
//!
//! Other clients overlay the first `secure.yaml` of all these folders. With such clients, a malicious folder with a
//! `clouds.yaml` in it could have the passwords that you keep at home sent to the address in that file.

mod fill;
mod login;
mod read;

use std::collections::BTreeMap;

use thiserror::Error;
use wattle_words::names;

pub use login::{Domain, Login, Scope, User};
pub(crate) use read::Settings;
pub use read::{SECURE, places};

/// The inputs from which a cloud is chosen.
#[derive(Clone, Debug, Default)]
pub struct CloudConfig {
    /// The path of `clouds.yaml` as displayed, and its contents.
    pub clouds: Option<(String, String)>,
    /// The path and the contents of `secure.yaml`.
    pub secure: Option<(String, String)>,
    /// The environment variables.
    pub environment: BTreeMap<String, String>,
}

/// A cloud, and how to log in to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// Its name in clouds.yaml, or `envvars`.
    pub name: String,
    /// The URL of its identity service, without the version.
    pub auth_url: String,
    /// How to log in.
    pub login: Login,
    /// The scope of the login: usually a project.
    pub scope: Scope,
    /// The region, if the cloud has several.
    pub region: Option<String>,
    /// The interface of the services' endpoints: `public`, `internal` or `admin`.
    pub interface: String,
    /// A file with the trusted certificate authorities; `None` for the system's.
    pub cacert: Option<String>,
    /// Whether certificates are verified.
    pub verify: bool,
    /// URLs that override the catalogue's, by type of service, spelled with `-`.
    pub endpoints: BTreeMap<String, String>,
}

/// Why no cloud could be chosen.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CloudError {
    /// A file is invalid.
    #[error("{file}{place}: {message}")]
    File {
        /// The file's path.
        file: String,
        /// `:LINE:COLUMN`, or empty.
        place: String,
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: Option<String>,
    },
    /// There is no such cloud.
    #[error("there is no cloud `{name}` in {file}")]
    NoSuchCloud {
        /// The requested name.
        name: String,
        /// The file.
        file: String,
        /// The names of the existing clouds.
        known: Vec<String>,
    },
    /// There are several clouds, and none is named.
    #[error("{file} has several clouds, and none of them is named")]
    Several {
        /// The file.
        file: String,
        /// The names of the existing clouds.
        known: Vec<String>,
    },
    /// No source specifies a cloud.
    #[error("{}", asked.as_ref().map_or_else(|| "no cloud is named".to_owned(), |name| format!("there is no clouds.yaml that describes the cloud `{name}`")))]
    Nothing {
        /// The requested name.
        asked: Option<String>,
    },
    /// A setting required to log in is missing.
    #[error("the cloud `{cloud}` has no {what}")]
    Missing {
        /// The cloud's name.
        cloud: String,
        /// The missing setting.
        what: String,
        /// How to fix it.
        help: String,
    },
    /// A value is invalid.
    #[error("the cloud `{cloud}` has the {key} `{value}`: {expected}")]
    Value {
        /// The cloud's name.
        cloud: String,
        /// The setting's name.
        key: String,
        /// Its value.
        value: String,
        /// The expected form.
        expected: String,
    },
}

impl CloudError {
    /// How to fix it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::File { help, .. } => help.clone(),
            Self::NoSuchCloud { name, known, .. } => {
                let known = known.iter().map(String::as_str);
                let has = format!("it has {}", names::some(known.clone(), 12));
                Some(names::meant(name, known).unwrap_or(has))
            }
            Self::Several { known, .. } => Some(format!(
                "name one with `--cloud NAME` or `OS_CLOUD`: {}",
                names::some(known.iter().map(String::as_str), 12)
            )),
            Self::Nothing { .. } => Some(
                "write ~/.config/openstack/clouds.yaml (you can download it from the cloud's dashboard, under `API Access`), and name a cloud \
                 of it with `--cloud NAME`; or set `OS_AUTH_URL` and the other variables that your `openrc` sets"
                    .into(),
            ),
            Self::Missing { help, .. } => Some(help.clone()),
            Self::Value { .. } => None,
        }
    }
}

impl Cloud {
    /// Chooses the cloud with this name. Without a name, chooses the cloud of `OS_CLOUD`, of the variables `OS_*`, or
    /// the only one in the file.
    ///
    /// # Errors
    ///
    /// No cloud can be chosen; the error says why and where.
    pub fn choose(sources: &CloudConfig, name: Option<&str>) -> Result<Self, CloudError> {
        let set = |name: &str| sources.environment.get(name).map(String::as_str).filter(|value| !value.is_empty());
        let asked = name.or_else(|| set("OS_CLOUD"));
        let is_said = ["OS_AUTH_URL", "OS_USERNAME", "OS_USER_ID", "OS_APPLICATION_CREDENTIAL_ID", "OS_TOKEN"];
        if asked.is_none() && is_said.iter().any(|name| set(name).is_some()) {
            return login::cloud(crate::environment::settings(&sources.environment));
        }
        let Some((file, text)) = &sources.clouds else {
            return Err(CloudError::Nothing { asked: asked.map(str::to_owned) });
        };
        let mut clouds = read::clouds(file, text)?;
        if let Some((file, text)) = &sources.secure {
            read::lay_over(&mut clouds, read::clouds(file, text)?);
        }
        let known = || clouds.keys().cloned().collect();
        let name = match (asked, clouds.len()) {
            (Some(name), _) => name.to_owned(),
            (None, 1) => clouds.keys().next().cloned().unwrap_or_default(),
            (None, 0) => return Err(CloudError::Nothing { asked: None }),
            (None, _) => return Err(CloudError::Several { file: file.clone(), known: known() }),
        };
        match clouds.get(&name) {
            Some(settings) => {
                let mut settings = settings.clone();
                let is_named = file != read::HERE || set("OS_CLIENT_CONFIG_FILE").is_some();
                fill::fill(&mut settings, crate::environment::settings(&sources.environment), is_named);
                login::cloud(settings)
            }
            None => Err(CloudError::NoSuchCloud { name, file: file.clone(), known: known() }),
        }
    }
}
