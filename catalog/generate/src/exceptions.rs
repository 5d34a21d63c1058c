//! Deviations of the catalog from the schema: few, and each with a reason.

/// Nested values that have a better name than their property: handwritten code extends them.
pub(crate) const NAMES: [(&str, &str); 1] = [("OS::Neutron::SecurityGroup.rules", "Rule")];

/// Setters that have a better name than their property.
pub(crate) const SETTERS: [(&str, &str); 1] = [("OS::Neutron::FloatingIP.port_id", "port")];

/// Properties whose text is narrower than Heat declares, or than it can declare for a list.
pub(crate) const TYPES: [(&str, &str); 4] = [
    ("OS::Ironic::Port.address", "Mac"),
    ("OS::Neutron::MeteringRule.remote_ip_prefix", "Cidr"),
    ("OS::Neutron::Subnet.dns_nameservers[]", "IpAddress"),
    // Empty text means none.
    ("OS::Neutron::Subnet.gateway_ip", "IpAddress"),
];

/// A required property that is set like the others, and whose absence the compiler reports when the resource is added.
pub(crate) const STAGED: (&str, &str) = ("OS::Nova::Server", "flavor");

/// Types whose `new` is handwritten: Heat requires one of their properties only sometimes.
pub(crate) const BEGUN_BY_HAND: [&str; 1] = ["OS::Cinder::Volume"];

/// Services with a handwritten module, which re-exports the generated one.
pub(crate) const WITH_CODE_BESIDE: [&str; 3] = ["cinder", "neutron", "nova"];

/// The name in `table` for `path`.
pub(crate) fn name(table: &'static [(&str, &str)], path: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == path).map(|(_, name)| *name)
}

/// All paths in the tables.
#[cfg(test)]
pub(crate) fn paths() -> Vec<String> {
    let named = NAMES.iter().chain(&SETTERS).chain(&TYPES).map(|(path, _)| (*path).to_owned());
    let staged = format!("{}.{}", STAGED.0, STAGED.1);
    named.chain([staged]).chain(BEGUN_BY_HAND.iter().map(|ty| (*ty).to_owned())).collect()
}
