//! Resolves names to ids where services require ids.

use serde_json::Value;

use super::json::text;
use super::stop::{Stop, of_reading};
use super::work::Work;
use crate::Method;
use crate::session::Call;

/// How many names a message lists.
const LISTED: usize = 8;

/// The kind of resource that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Flavor,
    Image,
    Network,
    Subnet,
    SubnetPool,
    Port,
    Router,
    Group,
    Policy,
    Key,
}

impl Sort {
    /// The service, the list's path and key, and the noun for messages.
    const fn place(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Flavor => ("compute", "/flavors", "flavors", "flavor"),
            Self::Image => ("image", "/images", "images", "image"),
            Self::Network => ("network", "/networks", "networks", "network"),
            Self::Subnet => ("network", "/subnets", "subnets", "subnet"),
            Self::SubnetPool => ("network", "/subnetpools", "subnetpools", "subnet pool"),
            Self::Port => ("network", "/ports", "ports", "port"),
            Self::Router => ("network", "/routers", "routers", "router"),
            Self::Group => ("network", "/security-groups", "security_groups", "security group"),
            Self::Policy => ("network", "/qos/policies", "policies", "QoS policy"),
            Self::Key => ("compute", "/os-keypairs", "keypairs", "key pair"),
        }
    }
}

impl Work<'_> {
    /// Returns the id of what a template names. A name that looks like an id is taken for one; the service will reject
    /// it if nothing has that id.
    pub(super) async fn find(&self, sort: Sort, name: &str) -> Result<String, Stop> {
        if is_id(name) {
            return Ok(name.to_owned());
        }
        self.session.names.id(sort.key(), name, self.session.now(), self.look_up(sort, name)).await
    }

    /// Returns the ids of all names in a list.
    pub(super) async fn find_all(&self, sort: Sort, names: &Value) -> Result<Value, Stop> {
        let mut ids = Vec::new();
        for name in super::json::items(names) {
            ids.push(Value::from(self.find(sort, name.as_str().unwrap_or_default()).await?));
        }
        Ok(ids.into())
    }

    async fn look_up(&self, sort: Sort, name: &str) -> Result<String, Stop> {
        let all = self.every(sort.list(), sort.key()).await.map_err(of_reading)?;
        sort.chosen(&all, name).map_err(|lack| Stop::refused(format!("{}: {}", lack.what, lack.help)))
    }
}

/// Why a name does not refer to an existing resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// What is wrong.
    pub what: String,
    /// The name that was probably meant, or the available ones.
    pub help: String,
}

impl Sort {
    /// The call that lists all resources of this sort.
    pub(super) fn list(self) -> Call {
        let (service, path, ..) = self.place();
        Call::new(service, Method::Get, path)
    }

    /// The key of the list.
    pub(super) fn key(self) -> &'static str {
        self.place().2
    }

    /// The noun for messages.
    pub(super) fn called(self) -> &'static str {
        self.place().3
    }

    /// Returns the id of the item of `all` that `name` refers to.
    ///
    /// # Errors
    ///
    /// No item matches, or several do.
    pub(super) fn chosen(self, all: &[Value], name: &str) -> Result<String, Lack> {
        let called = self.called();
        let lack = |what: String, help: String| Lack { what, help };
        if let Some(found) = all.iter().find(|thing| text(thing, "id") == name) {
            return Ok(text(found, "id").to_owned());
        }
        let mut found = all.iter().filter(|thing| text(thing, "name") == name);
        match (found.next(), found.count()) {
            (Some(one), 0) => Ok(text(one, "id").to_owned()),
            (Some(_), more) => Err(lack(
                format!("`{name}` is the name of more than one {called}: there are {}", more + 1),
                "write the id of the one that you mean".to_owned(),
            )),
            (None, _) => {
                let names = || all.iter().map(|thing| text(thing, "name")).filter(|name| !name.is_empty());
                let help = wattle_words::names::meant(name, names()).unwrap_or_else(|| match names().next() {
                    Some(_) => format!("there are {}", wattle_words::names::some(names(), LISTED)),
                    None => "there are none".to_owned(),
                });
                Err(lack(format!("the cloud has no {called} `{name}`"), help))
            }
        }
    }
}

/// Whether the text looks like an id: a UUID, with or without dashes.
pub(super) fn is_id(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_hexdigit).count();
    let dashes = name.chars().filter(|c| *c == '-').count();
    digits == 32 && digits + dashes == name.len() && matches!(dashes, 0 | 4)
}
