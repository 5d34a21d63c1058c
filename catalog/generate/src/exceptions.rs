//! What the catalog says otherwise than the schema would: few, and each for a reason.

/// Nested values that have a better name than their property's: handwritten code adds to them.
pub(crate) const NAMES: [(&str, &str); 1] = [("OS::Neutron::SecurityGroup.rules", "Rule")];

/// Setters that have a better name than their property.
pub(crate) const SETTERS: [(&str, &str); 1] = [("OS::Neutron::FloatingIP.port_id", "port")];

/// A required property that is set like the others, and whose absence the compiler tells when the resource is added.
pub(crate) const STAGED: (&str, &str) = ("OS::Nova::Server", "flavor");

/// Types that are begun by handwritten code: Heat requires a property of theirs only sometimes.
pub(crate) const BEGUN_BY_HAND: [&str; 1] = ["OS::Cinder::Volume"];

/// Services with a handwritten module, which offers what is generated beside its own.
pub(crate) const WITH_CODE_BESIDE: [&str; 3] = ["cinder", "neutron", "nova"];

/// Attributes whose handwritten method says more.
pub(crate) const ATTRIBUTES_BY_HAND: [&str; 0] = [];

/// The name that `table` gives to `path`.
pub(crate) fn name(table: &'static [(&str, &str)], path: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == path).map(|(_, name)| *name)
}
