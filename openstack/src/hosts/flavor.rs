//! Flavors as Placement sees them: what a server of a flavor asks for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::version::Version;
use crate::{Fault, Session};

use super::{get, text};

/// The first version in which the list of flavors has their extra specs.
const SPECS: Version = Version::new(2, 61);

/// What a server of a flavor asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flavor {
    /// The flavor's name.
    pub name: String,
    /// How much, by resource class.
    pub asks: BTreeMap<String, i64>,
    /// How much of `DISK_GB` is the root disk, which a server that boots from a volume does not take.
    pub root: i64,
    /// The traits that its host must have.
    pub traits: BTreeSet<String>,
}

/// Reads the flavors of a cloud, by their names. Administrators see those of all projects.
///
/// # Errors
///
/// Nova does not answer.
pub async fn flavors(session: &Session) -> Result<Vec<Flavor>, Fault> {
    let call = get("compute", "/flavors/detail?is_public=None").version(SPECS);
    let mut flavors: Vec<Flavor> = session.list(call, "flavors").await?.iter().map(read).collect();
    flavors.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(flavors)
}

fn read(flavor: &Value) -> Flavor {
    let amount = |key: &str| flavor[key].as_i64().unwrap_or(0);
    // Swap is in MiB, and on the same disk as the rest.
    let swap = (amount("swap") + 1023) / 1024;
    let specs: BTreeMap<&str, &str> =
        flavor["extra_specs"].as_object().into_iter().flatten().map(|(key, value)| (&**key, text(value))).collect();
    let processors = if specs.get("hw:cpu_policy") == Some(&"dedicated") { "PCPU" } else { "VCPU" };
    let mut asks: BTreeMap<String, i64> = BTreeMap::from([
        (processors.to_owned(), amount("vcpus")),
        ("MEMORY_MB".to_owned(), amount("ram")),
        ("DISK_GB".to_owned(), amount("disk") + amount("OS-FLV-EXT-DATA:ephemeral") + swap),
    ]);
    let mut traits = BTreeSet::new();
    let mut further: BTreeMap<String, i64> = BTreeMap::new();
    for (key, value) in specs {
        let Some((group, name)) = key.split_once(':') else { continue };
        // `resources1:VGPU` is the same in a group of its own.
        match group.trim_end_matches(|digit: char| digit.is_ascii_digit()) {
            "resources" => *further.entry(name.to_owned()).or_default() += value.parse().unwrap_or(0),
            "trait" if value == "required" => drop(traits.insert(name.to_owned())),
            _ => {}
        }
    }
    // What the extra specs say of the disk is said of all of it, whatever it boots from.
    let root = if further.contains_key("DISK_GB") { 0 } else { amount("disk") };
    // What the extra specs say takes the place of what the flavor says.
    asks.extend(further);
    Flavor { name: text(&flavor["name"]).to_owned(), asks, root, traits }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn extra_specs_take_the_place_of_what_the_flavor_says() {
        let flavor = read(&json!({
            "name": "gpu", "vcpus": 4, "ram": 8192, "disk": 20, "OS-FLV-EXT-DATA:ephemeral": 10, "swap": 512,
            "extra_specs": {
                "hw:cpu_policy": "dedicated", "resources:CUSTOM_GPU": "1", "resources2:CUSTOM_GPU": "1", "resources:DISK_GB": "0",
                "trait:CUSTOM_DB2": "required", "trait1:HW_CPU_X86_AVX2": "required", "trait:CUSTOM_OLD": "forbidden",
            },
        }));
        let asks = [("CUSTOM_GPU", 2), ("DISK_GB", 0), ("MEMORY_MB", 8192), ("PCPU", 4)];
        assert_eq!(flavor.root, 0);
        assert_eq!(flavor.asks, asks.map(|(class, amount)| (class.to_owned(), amount)).into());
        assert_eq!(flavor.traits, ["CUSTOM_DB2", "HW_CPU_X86_AVX2"].map(str::to_owned).into());
        let plain = read(
            &json!({ "name": "m1", "vcpus": 1, "ram": 512, "disk": 1, "swap": 1, "OS-FLV-EXT-DATA:ephemeral": 3 }),
        );
        assert_eq!(
            plain.asks,
            [("DISK_GB", 5), ("MEMORY_MB", 512), ("VCPU", 1)].map(|(class, amount)| (class.to_owned(), amount)).into()
        );
        assert_eq!(plain.root, 1);
    }
}
