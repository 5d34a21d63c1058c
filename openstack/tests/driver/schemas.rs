//! Compares Heat's schemas with what the driver implements.

use std::collections::BTreeSet;

use wattle_heat::schema::schema;
use wattle_openstack::driver::kinds;

use super::life::all;
use super::stage::Stage;

/// Properties that can be changed, and that no service shows in its lists.
const NOT_SHOWN: [(&str, &str); 2] = [
    // Nova chooses the device.
    ("OS::Cinder::VolumeAttachment", "mountpoint"),
    ("OS::Nova::Server", "user_data"),
];

#[test]
fn what_can_be_changed_has_a_case_or_is_fixed_or_refused() {
    let stage = Stage::new();
    let cases = all(&stage);
    for kind in kinds() {
        let schema = schema(kind.name).unwrap_or_else(|| panic!("{} is not Heat's", kind.name));
        let changes = cases.iter().filter(|case| case.kind == kind.name).flat_map(|case| &case.changes);
        let has_case: BTreeSet<&str> = changes.map(|(property, _)| *property).collect();
        for (name, property) in schema.properties.iter().filter(|(_, property)| !property.hidden) {
            let is_policy =
                name.ends_with("_policy") && &**name != "qos_policy" || &**name == "software_config_transport";
            let is_known = has_case.contains(&**name)
                || kind.fixed().contains(&&**name)
                || !kind.takes(name)
                || is_policy
                // Networks' `value_specs` have a case.
                || &**name == "value_specs"
                || NOT_SHOWN.contains(&(kind.name, &**name));
            assert!(is_known || !property.updatable, "{} `{name}` can be changed in Heat", kind.name);
        }
        for name in kind.fixed() {
            assert!(schema.properties.contains_key(*name) && kind.takes(name), "{} `{name}`", kind.name);
        }
        for name in has_case {
            assert!(schema.properties[name].updatable || kind.name == "OS::Nova::Server", "{} `{name}`", kind.name);
        }
    }
}

#[test]
fn what_heat_does_not_have_is_not_taken() {
    for kind in kinds() {
        let schema = schema(kind.name).expect("one of Heat's");
        let taken: Vec<&str> =
            ["name", "description", "tags", "metadata", "rules", "size", "allocate_network", "value_specs"]
                .into_iter()
                .filter(|name| kind.takes(name) && !schema.properties.contains_key(*name))
                .collect();
        assert_eq!(taken, Vec::<&str>::new(), "{}", kind.name);
    }
}
