//! Flavors as Placement sees them: the resources that a server of a flavor requests.

use serde_json::Value;
use wattle_words::flavor::{Asks, Sizes};

use crate::version::Version;
use crate::{Fault, Session};

use super::{get, text};

/// The first version in which the list of flavors includes extra specs.
const SPECS: Version = Version::new(2, 61);

/// The resources that a server of a flavor requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flavor {
    /// The flavor's name.
    pub name: String,
    /// The requested resources.
    pub asks: Asks,
}

/// Lists the flavors of a cloud, by name. Administrators see those of all projects.
///
/// # Errors
///
/// Nova does not respond.
pub async fn flavors(session: &Session) -> Result<Vec<Flavor>, Fault> {
    let call = get("compute", "/flavors/detail?is_public=None").version(SPECS);
    let mut flavors: Vec<Flavor> = session.list(call, "flavors").await?.iter().map(read).collect();
    flavors.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(flavors)
}

fn read(flavor: &Value) -> Flavor {
    let amount = |key: &str| flavor[key].as_i64().unwrap_or(0);
    let specs = flavor["extra_specs"].as_object().into_iter().flatten().map(|(key, value)| (&**key, text(value)));
    let sizes = Sizes {
        vcpus: amount("vcpus"),
        ram: amount("ram"),
        root: amount("disk"),
        ephemeral: amount("OS-FLV-EXT-DATA:ephemeral"),
        swap: amount("swap"),
    };
    Flavor { name: text(&flavor["name"]).to_owned(), asks: sizes.asks(specs) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flavor_is_read_as_nova_shows_it() {
        let flavor = read(&json!({
            "name": "gpu", "vcpus": 4, "ram": 8192, "disk": 20, "OS-FLV-EXT-DATA:ephemeral": 10, "swap": 512,
            "extra_specs": { "resources:CUSTOM_GPU": "1", "trait:CUSTOM_DB2": "required" },
        }));
        let sizes = Sizes { vcpus: 4, ram: 8192, root: 20, ephemeral: 10, swap: 512 };
        assert_eq!(flavor.asks, sizes.asks([("resources:CUSTOM_GPU", "1"), ("trait:CUSTOM_DB2", "required")]));
        let plain = read(&json!({ "name": "m1", "vcpus": 1, "ram": 512, "disk": 1, "swap": "" }));
        assert_eq!(plain.asks, Sizes { vcpus: 1, ram: 512, root: 1, ..Sizes::default() }.asks([]));
    }
}
