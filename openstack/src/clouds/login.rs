//! Converts settings to a cloud: how to log in, and with which scope.

use std::collections::BTreeMap;

use wattle_words::names;

use super::read::Settings;
use super::{Cloud, CloudError};
use crate::Secret;

/// How to log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// With a user's password.
    Password {
        /// The user.
        user: User,
        /// The password.
        password: Secret,
    },
    /// With an application credential, which is limited to one project.
    Application {
        /// Its id, or its name together with its user.
        credential: Result<String, (String, User)>,
        /// Its secret.
        secret: Secret,
    },
    /// With an existing token, which cannot be renewed.
    Token(Secret),
}

/// A user: an id, or a name within a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum User {
    /// By id.
    Id(String),
    /// By name and domain.
    Named(String, Domain),
}

/// A domain of users and projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// By id.
    Id(String),
    /// By name.
    Named(String),
}

/// The scope of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A project by its id.
    Project(String),
    /// A project by name and domain.
    NamedProject(String, Domain),
    /// A whole domain.
    Domain(Domain),
    /// The whole system.
    System,
    /// The scope that the login implies: the project of an application credential or a token.
    Given,
}

/// The keys of logins, used to detect misspelled ones.
const KEYS: [&str; 21] = [
    "auth_url",
    "username",
    "user_id",
    "password",
    "token",
    "project_name",
    "project_id",
    "user_domain_name",
    "user_domain_id",
    "project_domain_name",
    "project_domain_id",
    "domain_name",
    "domain_id",
    "default_domain",
    "application_credential_id",
    "application_credential_name",
    "application_credential_secret",
    "system_scope",
    "auth_type",
    "region_name",
    "interface",
];

/// Other clients' names for the authentication methods.
const PASSWORD: [&str; 3] = ["password", "v3password", "v3_password"];
const APPLICATION: [&str; 2] = ["v3applicationcredential", "v3_application_credential"];
const TOKEN: [&str; 3] = ["token", "v3token", "v3_token"];

/// The authentication methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Password,
    Application,
    Token,
}

impl Method {
    /// The method that the settings select, by name or by the settings specific to it.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        let kind = settings.get("auth_type");
        let is = |kinds: &[&str]| kind.is_some_and(|kind| kinds.contains(&kind));
        let has = |keys: &[&str]| kind.is_none() && settings.first(keys).is_some();
        if is(&APPLICATION) || has(&["application_credential_id", "application_credential_name"]) {
            return Some(Self::Application);
        }
        if is(&TOKEN) || has(&["token"]) && settings.get("password").is_none() {
            return Some(Self::Token);
        }
        (is(&PASSWORD) || has(&["username", "user_name", "user_id", "password"])).then_some(Self::Password)
    }
}

/// Converts the settings to a cloud.
pub(super) fn cloud(settings: Settings) -> Result<Cloud, CloudError> {
    let of = Reader { settings: &settings };
    let auth_url =
        without_version(of.need(&["auth_url"], "auth_url", "`auth_url` is the address of its identity service")?);
    if !auth_url.starts_with("http://") && !auth_url.starts_with("https://") {
        return Err(of.wrong("auth_url", "a URL that begins with `http://` or `https://` is expected"));
    }
    let login = of.login()?;
    let scope = of.scope(&login)?;
    // The older name takes precedence, as in other clients.
    let interface = of.get("endpoint_type").or_else(|| of.get("interface")).unwrap_or("public");
    let interface = interface.strip_suffix("URL").unwrap_or(interface).to_lowercase();
    if !["public", "internal", "admin"].contains(&interface.as_str()) {
        return Err(of.wrong("interface", "`public`, `internal` or `admin` is expected"));
    }
    // If several regions are listed, other clients take the first, whatever `region_name` says.
    let region = settings.regions.first().map(String::as_str).or(of.get("region_name")).map(str::to_owned);
    Ok(Cloud {
        name: settings.name.clone(),
        login,
        scope,
        region,
        interface,
        // `verify` may also name the certificate authorities, as for Python's `requests`.
        cacert: of.get("cacert").or(of.get("verify").filter(|path| path.contains('/'))).map(str::to_owned),
        verify: of.verify()?,
        endpoints: endpoints(&settings.values),
        auth_url,
    })
}

struct Reader<'s> {
    settings: &'s Settings,
}

impl Reader<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.settings.get(key)
    }

    fn missing(&self, what: &str, key: &str, why: &str) -> CloudError {
        // The setting may exist under a misspelled name.
        let unknown = self.settings.values.keys().map(String::as_str).filter(|key| !KEYS.contains(key));
        let help = match names::nearest(key, unknown) {
            _ if self.settings.withheld.iter().any(|withheld| withheld == key) => format!(
                "`OS_{}` is not sent to the address in a `clouds.yaml` of this folder, because someone else may have written that \
                 file: name the file with `OS_CLIENT_CONFIG_FILE=./clouds.yaml`, or set `OS_AUTH_URL` to the cloud that you mean",
                key.to_uppercase()
            ),
            Some(near) => format!("there is `{near}`: did you mean `{key}`?"),
            None => why.to_owned(),
        };
        CloudError::Missing { cloud: self.settings.name.clone(), what: what.to_owned(), help }
    }

    fn wrong(&self, key: &str, expected: &str) -> CloudError {
        CloudError::Value {
            cloud: self.settings.name.clone(),
            key: format!("`{key}`"),
            value: self.get(key).unwrap_or_default().to_owned(),
            expected: expected.to_owned(),
        }
    }

    fn need(&self, keys: &[&str], key: &str, why: &str) -> Result<&str, CloudError> {
        self.settings.first(keys).ok_or_else(|| self.missing(&format!("`{key}`"), key, why))
    }

    fn login(&self) -> Result<Login, CloudError> {
        let is_known = |kind: &&str| [&PASSWORD[..], &APPLICATION, &TOKEN].iter().any(|known| known.contains(kind));
        if let Some(kind) = self.get("auth_type").filter(|kind| !is_known(kind)) {
            let meant = names::nearest(kind, [PASSWORD[0], APPLICATION[0], TOKEN[0]]).map(names::did_you_mean);
            let expected =
                meant.unwrap_or_else(|| "`password`, `v3applicationcredential` or `v3token` is expected".into());
            return Err(self.wrong("auth_type", &expected));
        }
        match Method::of(self.settings) {
            Some(Method::Application) => self.application(),
            Some(Method::Token) => {
                let token = self.need(&["token", "auth_token"], "token", "`openstack token issue` creates one")?;
                Ok(Login::Token(Secret::new(token)))
            }
            Some(Method::Password) | None => self.password(),
        }
    }

    fn application(&self) -> Result<Login, CloudError> {
        let key = "application_credential_secret";
        let secret = Secret::new(self.need(&[key], key, "it is shown only once, when the credential is created")?);
        let credential = if let Some(id) = self.get("application_credential_id") {
            Ok(id.to_owned())
        } else {
            let why = "give the credential's id, or its name and its user";
            let name = self.need(&["application_credential_name"], "application_credential_id", why)?;
            Err((name.to_owned(), self.user()?))
        };
        Ok(Login::Application { credential, secret })
    }

    fn password(&self) -> Result<Login, CloudError> {
        let user = self.user()?;
        let password = self.need(
            &["password"],
            "password",
            "it can also be in secure.yaml, beside clouds.yaml, or in `OS_PASSWORD`",
        )?;
        Ok(Login::Password { user, password: Secret::new(password) })
    }

    fn user(&self) -> Result<User, CloudError> {
        if let Some(id) = self.get("user_id") {
            return Ok(User::Id(id.to_owned()));
        }
        let name = self.need(&["username", "user_name"], "username", "set `username` or `user_id`")?;
        Ok(User::Named(name.to_owned(), self.domain("user")))
    }

    /// The domain of users or projects. If none is given, it is `default`, as in the command `openstack`.
    fn domain(&self, of: &str) -> Domain {
        let id = self.get(&format!("{of}_domain_id"));
        match (id, self.get(&format!("{of}_domain_name"))) {
            (Some(id), _) => Domain::Id(id.to_owned()),
            (None, Some(name)) => Domain::Named(name.to_owned()),
            (None, None) => {
                match (self.settings.first(&["default_domain_id", "default_domain"]), self.get("default_domain_name")) {
                    (None, Some(name)) => Domain::Named(name.to_owned()),
                    (id, _) => Domain::Id(id.unwrap_or("default").to_owned()),
                }
            }
        }
    }

    fn scope(&self, login: &Login) -> Result<Scope, CloudError> {
        let is_given = matches!(login, Login::Application { .. });
        if is_given {
            return Ok(Scope::Given);
        }
        if let Some(id) = self.settings.first(&["project_id", "tenant_id"]) {
            return Ok(Scope::Project(id.to_owned()));
        }
        if let Some(name) = self.settings.first(&["project_name", "tenant_name"]) {
            return Ok(Scope::NamedProject(name.to_owned(), self.domain("project")));
        }
        if self.get("system_scope").is_some() {
            return Ok(Scope::System);
        }
        match (self.get("domain_id"), self.get("domain_name"), login) {
            (Some(id), ..) => Ok(Scope::Domain(Domain::Id(id.to_owned()))),
            (None, Some(name), _) => Ok(Scope::Domain(Domain::Named(name.to_owned()))),
            (None, None, Login::Token(_)) => Ok(Scope::Given),
            (None, None, _) => Err(self.missing("project", "project_name", "set `project_name` or `project_id`")),
        }
    }

    fn verify(&self) -> Result<bool, CloudError> {
        let is_insecure = self.get("insecure").map(truth);
        let verify = self.get("verify").map(|word| if word.contains('/') { Some(true) } else { truth(word) });
        match (verify, is_insecure) {
            (Some(None), _) => Err(self.wrong("verify", "`true` or `false` is expected")),
            (_, Some(None)) => Err(self.wrong("insecure", "`true` or `false` is expected")),
            (Some(Some(verify)), _) => Ok(verify),
            (None, Some(Some(insecure))) => Ok(!insecure),
            (None, None) => Ok(true),
        }
    }
}

fn truth(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// URLs that are given explicitly: `compute_endpoint_override`, `block_storage_endpoint_override`.
fn endpoints(values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let said = values.iter().filter_map(|(key, value)| {
        let service = key.strip_suffix("_endpoint_override").or_else(|| key.strip_suffix("_endpoint"))?;
        Some((service.replace('_', "-"), value.trim_end_matches('/').to_owned()))
    });
    said.filter(|(_, value)| value.contains("://")).collect()
}

/// The URL of an identity service without its version, which is 3 everywhere.
pub(super) fn without_version(url: &str) -> String {
    let url = url.trim_end_matches('/');
    ["/v3", "/v2.0"].iter().find_map(|version| url.strip_suffix(version)).unwrap_or(url).to_owned()
}
