//! W0802: a named constraint that Heat does not have.

use crate::model::Constraint;

use super::registry::check;
use super::sink::Sink;

/// The named constraints of Heat (`heat.constraints` among its entry points), sorted. A cloud may have more.
pub const NAMES: [&str; 70] = [
    "barbican.container",
    "barbican.secret",
    "blazar.reservation",
    "cinder.backup",
    "cinder.qos_specs",
    "cinder.snapshot",
    "cinder.volume",
    "cinder.vtype",
    "cron_expression",
    "designate.zone",
    "dns_domain",
    "dns_name",
    "expiration",
    "glance.image",
    "ip_addr",
    "ip_or_cidr",
    "ironic.node",
    "ironic.portgroup",
    "iso_8601",
    "json_string",
    "keystone.domain",
    "keystone.group",
    "keystone.project",
    "keystone.region",
    "keystone.role",
    "keystone.service",
    "keystone.user",
    "mac_addr",
    "magnum.cluster_template",
    "manila.share_network",
    "manila.share_snapshot",
    "manila.share_type",
    "mistral.workflow",
    "net_cidr",
    "neutron.address_scope",
    "neutron.flow_classifier",
    "neutron.lbaas.listener",
    "neutron.lbaas.loadbalancer",
    "neutron.lbaas.pool",
    "neutron.lbaas.provider",
    "neutron.network",
    "neutron.port",
    "neutron.port_pair",
    "neutron.port_pair_group",
    "neutron.qos_policy",
    "neutron.router",
    "neutron.security_group",
    "neutron.segment",
    "neutron.subnet",
    "neutron.subnetpool",
    "neutron.taas.tap_flow",
    "neutron.taas.tap_service",
    "nova.flavor",
    "nova.host",
    "nova.keypair",
    "nova.network",
    "nova.server",
    "octavia.availabilityzone",
    "octavia.availabilityzoneprofile",
    "octavia.flavor",
    "octavia.flavorprofile",
    "octavia.l7policy",
    "octavia.listener",
    "octavia.loadbalancer",
    "octavia.pool",
    "rel_dns_name",
    "test_constr",
    "timezone",
    "trove.flavor",
    "zaqar.queue",
];

check! {
    /// A parameter names a constraint that Heat does not have: it refuses the template, unless the cloud has a plugin of
    /// that name.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     constraints: vec![Constraint::CustomConstraint("neutron.netwrk".into())],
    ///     ..ParameterOptions::default()
    /// };
    /// # let network = t.parameter::<String>("network", Type::Str, options, Source::caller());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("network", network)), "W0802"));
    /// ```
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     constraints: vec![Constraint::CustomConstraint("neutron.network".into())],
    ///     ..ParameterOptions::default()
    /// };
    /// # let network = t.parameter::<String>("network", Type::Str, options, Source::caller());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("network", network)), "W0802"));
    /// ```
    UNKNOWN_CONSTRAINT: "W0802", Warning, "a named constraint that Heat does not have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, parameter) in &sink.model.parameters {
        for constraint in &parameter.constraints {
            let Constraint::CustomConstraint(constraint) = constraint.bare() else { continue };
            if NAMES.contains(&&**constraint) {
                continue;
            }
            let help = sink
                .suggest(constraint, NAMES.into_iter())
                .unwrap_or_else(|| "Heat refuses the template, unless the cloud has a plugin of that name".to_owned());
            let finding = UNKNOWN_CONSTRAINT
                .finding(format!("Heat has no constraint `{constraint}`, which the parameter `{name}` names"))
                .label(&parameter.at, "declared here")
                .help(help);
            sink.push(finding);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::NAMES;
    use crate::check::testing::{codes, parameter, sound};
    use crate::model::{Constraint, Model, Type};

    fn named(constraint: &str) -> Model {
        let mut model = sound().parameter("p", Type::Str).export("p", Type::Str, parameter("p")).model;
        model.parameters["p"].constraints = vec![Constraint::CustomConstraint(constraint.into())];
        model
    }

    pub(in crate::check) fn failing() -> Model {
        named("neutron.netwrk")
    }

    #[test]
    fn names_that_heat_does_not_have_are_told() {
        for name in ["neutron.netwrk", "neutron", "", "image", "ours.rack"] {
            assert_eq!(codes(&named(name)), ["W0802"], "{name}");
        }
    }

    #[test]
    fn names_that_heat_has_are_taken() {
        assert!(NAMES.is_sorted());
        for name in NAMES {
            assert!(codes(&named(name)).is_empty(), "{name}");
        }
    }

    /// What the catalog says of Heat's resource types uses no other.
    #[test]
    fn every_constraint_of_a_resource_type_is_known() {
        let types = include_str!("../../../catalog/heat/resource-types.json");
        let used = types.split("\"custom\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut seen = 0;
        for name in used {
            assert!(NAMES.contains(&name), "{name}");
            seen += 1;
        }
        assert!(seen > 100, "only {seen}");
    }
}
