//! The resources that a server consumes on its host, as Placement counts them.

use std::collections::{BTreeMap, BTreeSet};

/// The class of processors that servers share.
pub const VCPU: &str = "VCPU";
/// The class of memory, in MiB.
pub const MEMORY_MB: &str = "MEMORY_MB";
/// The class of local disks, in GiB.
pub const DISK_GB: &str = "DISK_GB";

/// The sizes of a Nova flavor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The number of processors.
    pub vcpus: i64,
    /// Memory, in MiB.
    pub ram: i64,
    /// The root disk, in GiB.
    pub root: i64,
    /// The ephemeral disk, in GiB.
    pub ephemeral: i64,
    /// Swap, in MiB.
    pub swap: i64,
}

/// The resources that a server of a flavor needs on its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// How much, by resource class.
    pub resources: BTreeMap<String, i64>,
    /// How much of [`DISK_GB`] is the root disk, which a server that boots from a volume does not need.
    pub root: i64,
    /// The traits that the host must have.
    pub traits: BTreeSet<String>,
}

impl Sizes {
    /// The resources that a server needs if the flavor also has these extra specs.
    pub fn asks<'s>(self, specs: impl IntoIterator<Item = (&'s str, &'s str)>) -> Asks {
        let mut processors = VCPU;
        let mut further: BTreeMap<String, i64> = BTreeMap::new();
        let mut traits = BTreeSet::new();
        for (key, value) in specs {
            let Some((group, name)) = key.split_once(':') else { continue };
            // `resources1:VGPU` is the same in a separate group.
            match group.trim_end_matches(|digit: char| digit.is_ascii_digit()) {
                "hw" if name == "cpu_policy" && value == "dedicated" => processors = "PCPU",
                "resources" => {
                    let all = further.entry(name.to_owned()).or_default();
                    *all = all.saturating_add(value.parse().unwrap_or(0));
                }
                "trait" if value == "required" => drop(traits.insert(name.to_owned())),
                _ => {}
            }
        }
        // Swap is on the same disk as the rest.
        let disk = self.root.saturating_add(self.ephemeral).saturating_add(self.swap.saturating_add(1023) / 1024);
        // What the extra specs say about the disk applies to all of it, whatever the server boots from.
        let root = if further.contains_key(DISK_GB) { 0 } else { self.root };
        let own = [(processors, self.vcpus), (MEMORY_MB, self.ram), (DISK_GB, disk)];
        let mut resources: BTreeMap<String, i64> =
            own.into_iter().map(|(class, amount)| (class.to_owned(), amount)).collect();
        // Extra specs override the flavor.
        resources.extend(further);
        Asks { resources, root, traits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(amounts: &[(&str, i64)]) -> BTreeMap<String, i64> {
        amounts.iter().map(|(class, amount)| ((*class).to_owned(), *amount)).collect()
    }

    #[test]
    fn extra_specs_take_the_place_of_what_the_flavor_says() {
        let sizes = Sizes { vcpus: 4, ram: 8192, root: 20, ephemeral: 10, swap: 512 };
        let asks = sizes.asks([
            ("hw:cpu_policy", "dedicated"),
            ("resources:DISK_GB", "0"),
            ("resources1:CUSTOM_GPU", "1"),
            ("resources2:CUSTOM_GPU", "1"),
            ("trait:CUSTOM_DB2", "required"),
            ("trait1:HW_CPU_X86_AVX2", "required"),
            ("trait:CUSTOM_OLD", "forbidden"),
            ("quota:cpu_quota", "1000"),
        ]);
        assert_eq!(asks.resources, of(&[("CUSTOM_GPU", 2), ("DISK_GB", 0), ("MEMORY_MB", 8192), ("PCPU", 4)]));
        assert_eq!((asks.root, asks.traits.len()), (0, 2));
        let plain = Sizes { vcpus: 1, ram: 512, root: 1, ephemeral: 3, swap: 1 }.asks([]);
        assert_eq!(plain.resources, of(&[("DISK_GB", 5), ("MEMORY_MB", 512), ("VCPU", 1)]));
        assert_eq!((plain.root, plain.traits.len()), (1, 0));
    }
}
