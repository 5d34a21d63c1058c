//! A value for everything: what the tests give to Heat.

use serde_json::Value;

use crate::exceptions::STAGED;
use crate::plan::{Choice, Field, Nested, Part, Resource, Service, Type};
use crate::schema::{Property, PropertyType};

/// Properties that Heat's `validate()` does not take beside others of the same sample.
///
/// What is hidden because another property replaces it is left out without being named here.
const LEFT_OUT: &[&str] = &[
    // Only for other types of orders.
    "OS::Barbican::Order.ca_id",
    "OS::Barbican::Order.pass_phrase",
    "OS::Barbican::Order.profile",
    "OS::Barbican::Order.request_data",
    "OS::Barbican::Order.request_type",
    "OS::Barbican::Order.source_container_ref",
    "OS::Barbican::Order.subject_dn",
    // One source is enough.
    "OS::Cinder::Volume.backup_id",
    "OS::Cinder::Volume.snapshot_id",
    "OS::Cinder::Volume.source_volid",
    "OS::Designate::Zone.masters",
    "OS::Designate::Zone.primaries",
    "OS::Heat::RandomString.sequence",
    // The stub of the cloud has no such secret.
    "OS::Heat::Stack.context.credential_secret_id",
    "OS::Keystone::Group.roles[].domain",
    "OS::Keystone::GroupRoleAssignment.roles[].domain",
    "OS::Keystone::User.roles[].domain",
    "OS::Keystone::UserRoleAssignment.roles[].domain",
    "OS::Manila::ShareNetwork.nova_network",
    "OS::Mistral::Workflow.tasks[].requires",
    "OS::Mistral::Workflow.tasks[].workflow",
    "OS::Neutron::NetworkGateway.connections[].network_id",
    "OS::Neutron::Port.no_fixed_ips",
    "OS::Neutron::Router.distributed",
    "OS::Neutron::Router.l3_agent_id",
    "OS::Neutron::RouterInterface.port",
    "OS::Neutron::RouterInterface.port_id",
    "OS::Neutron::RouterInterface.router_id",
    "OS::Neutron::SecurityGroupRule.remote_ip_prefix",
    "OS::Neutron::Subnet.prefixlen",
    "OS::Neutron::Subnet.subnetpool",
    "OS::Neutron::VPNService.router_id",
    "OS::Nova::Server.block_device_mapping",
    "OS::Nova::Server.networks[].allocate_network",
    "OS::Nova::Server.networks[].port",
    "OS::Nova::Server.networks[].uuid",
    "OS::Nova::Server.block_device_mapping_v2[].ephemeral_format",
    "OS::Nova::Server.block_device_mapping_v2[].ephemeral_size",
    "OS::Nova::Server.block_device_mapping_v2[].image",
    "OS::Nova::Server.block_device_mapping_v2[].snapshot_id",
    "OS::Nova::Server.block_device_mapping_v2[].swap_size",
    "OS::Nova::Server.personality",
    "OS::Octavia::L7Policy.redirect_url",
    "OS::Octavia::Pool.loadbalancer",
    "OS::Trove::Cluster.instances[].networks[].port",
    "OS::Trove::Instance.networks[].port",
    "OS::Zun::Container.mounts[].volume_size",
    "OS::Zun::Container.networks[].port",
];

/// Properties that `validate()` asks for although the schema does not require them, often one of several.
const NEEDED: &[&str] = &[
    "OS::Barbican::Order.algorithm",
    "OS::Barbican::Order.bit_length",
    "OS::Cinder::Quota.volumes",
    "OS::Designate::Zone.email",
    "OS::Mistral::CronTrigger.pattern",
    "OS::Neutron::Quota.port",
    "OS::Neutron::RouterInterface.subnet",
    "OS::Neutron::Segment.physical_network",
    "OS::Neutron::Segment.segmentation_id",
    "OS::Neutron::Subnet.cidr",
    "OS::Nova::KeyPair.public_key",
    "OS::Nova::Quota.cores",
    "OS::Nova::Server.image",
    "OS::Octavia::Pool.listener",
    "OS::Octavia::Quota.pool",
    "OS::Octavia::L7Policy.redirect_pool",
    "OS::Trove::Instance.databases",
];

/// Values that no constraint tells, as Rust.
const VALUES: &[(&str, &str)] = &[
    ("OS::Barbican::Secret.payload_content_type", "SecretPayloadContentType::ApplicationOctetStream"),
    ("OS::Cinder::VolumeType.is_public", "false"),
    ("OS::Glance::WebImage.visibility", "WebImageVisibility::Shared"),
    ("OS::Heat::AccessPolicy.AllowedResources", "[\"it\"]"),
    ("OS::Heat::AutoScalingGroup.resource", "[(\"type\", \"OS::Heat::None\")]"),
    ("OS::Heat::RandomString.length", "32"),
    ("OS::Heat::ResourceChain.resources", "[\"OS::Heat::RandomString\"]"),
    ("OS::Heat::ResourceGroup.resource_def.type", "\"OS::Heat::None\""),
    ("OS::Heat::ScalingPolicy.adjustment_type", "ScalingPolicyAdjustmentType::PercentChangeInCapacity"),
    ("OS::Heat::Stack.template", "\"heat_template_version: 2021-04-16\""),
    ("OS::Neutron::NetworkGateway.connections[].segmentation_type", "NetworkGatewayConnectionSegmentationType::Vlan"),
    ("OS::Neutron::Subnet.cidr", "\"2001:db8::/64\""),
    ("OS::Neutron::Subnet.gateway_ip", "\"2001:db8::1\""),
    ("OS::Neutron::Subnet.ip_version", "SubnetIpVersion::V6"),
    ("OS::Neutron::ProviderNet.network_type", "ProviderNetNetworkType::Vlan"),
    ("OS::Neutron::ProviderNet.segmentation_id", "\"100\""),
    ("OS::Neutron::Segment.network_type", "SegmentNetworkType::Vlan"),
    ("OS::Octavia::L7Policy.action", "L7PolicyAction::RedirectToPool"),
    ("OS::Octavia::Pool.session_persistence.type", "PoolSessionPersistenceType::AppCookie"),
    ("OS::Trove::Instance.users[].databases", "[\"abcdefgh\"]"),
    ("OS::Zaqar::Subscription.subscriber", "\"http://example.org/\""),
    ("OS::Zun::Container.restart_policy", "\"always\""),
    ("OS::Neutron::SecurityGroup.rules[].remote_mode", "RuleRemoteMode::RemoteGroupId"),
];

/// All that the tables name.
#[cfg(test)]
pub(crate) fn paths() -> impl Iterator<Item = String> {
    let values = VALUES.iter().map(|(path, _)| path);
    LEFT_OUT.iter().chain(NEEDED).chain(values).map(|path| (*path).to_owned())
}

/// `tests/tests/catalog/types/mod.rs`: all cases.
pub(crate) fn modules(heat: &str, services: &[Service]) -> String {
    let mut out = format!("// @generated by `catalog/renew` (Heat {heat}). Not edited by hand.\n\n");
    out += "//! Every resource type, with all that it requires and with all that it takes.\n\n";
    out += "#![allow(deprecated, reason = \"all types are tested\")]\n\n";
    out += "use wattle::prelude::*;\n\n";
    for service in services {
        out += &format!("mod {};\n", service.name);
    }
    out += "\n/// A resource type with its required properties, and with all of them.\n";
    out += "pub(crate) struct Case {\n/// Heat's name.\npub(crate) ty: &'static str,\n/// Adds one with what is required.\npub(crate) required: fn(&mut Topology),\n/// Adds one with everything.\npub(crate) every: fn(&mut Topology),\n}\n\n";
    out += "/// All of them.\npub(crate) fn all() -> Vec<Case> {\n[\n";
    for service in services {
        out += &format!("{}::CASES,\n", service.name);
    }
    out += "]\n.into_iter()\n.flat_map(|cases| cases.iter().map(|case| Case { ..*case }))\n.collect()\n}\n";
    out
}

/// `tests/tests/catalog/types/SERVICE.rs`.
pub(crate) fn service(heat: &str, service: &Service) -> String {
    let mut out = format!("// @generated by `catalog/renew` (Heat {heat}). Not edited by hand.\n\n");
    out += &format!("use wattle_catalog::{}::*;\n\nuse super::Case;\n\n", service.name);
    out += "pub(super) const CASES: &[Case] = &[\n";
    for resource in &service.resources {
        out += &case(resource);
    }
    out + "];\n"
}

fn case(resource: &Resource) -> String {
    let sampler = Sampler { resource };
    let begin = sampler.begin(&resource.handle, &resource.fields, &resource.ty);
    let (required, staged) = if resource.begins {
        let staged = resource.fields.iter().find(|field| (&*resource.ty, &*field.heat) == STAGED);
        (begin, staged.map_or_else(String::new, |field| sampler.set(field, &resource.ty)))
    } else {
        (format!("{}::new({})", resource.handle, number(&resource.schema.props["size"])), String::new())
    };
    let rest = |needed: bool| -> String {
        resource
            .fields
            .iter()
            .filter(|field| !field.required && (&*resource.ty, &*field.heat) != STAGED)
            .filter(|field| resource.begins || field.heat != "size")
            .filter(|field| !needed || NEEDED.contains(&&*format!("{}.{}", resource.ty, field.heat)))
            .map(|field| sampler.set(field, &resource.ty))
            .collect()
    };
    let (needed, every) = (rest(true), rest(false));
    format!(
        "Case {{\nty: \"{}\",\nrequired: |t| {{\nt.add(\"it\", {required}{staged}{needed});\n}},\nevery: |t| {{\nt.add(\"it\", {required}{staged}{every});\n}},\n}},\n",
        resource.ty
    )
}

struct Sampler<'r> {
    resource: &'r Resource,
}

impl Sampler<'_> {
    /// `NAME::new(...)` with a value for everything that is required.
    fn begin(&self, name: &str, fields: &[Field], path: &str) -> String {
        let required: Vec<&Field> = fields.iter().filter(|field| field.required).collect();
        let value = |field: &Field| self.value(&field.ty, &field.schema, &format!("{path}.{}", field.heat));
        if required.len() > 3 {
            let fields: Vec<String> =
                required.iter().map(|field| format!("{}: {}", field.method, value(field))).collect();
            return format!("{name}::new({name}Required {{ {} }})", fields.join(", "));
        }
        let values: Vec<String> = required.into_iter().map(value).collect();
        format!("{name}::new({})", values.join(", "))
    }

    fn set(&self, field: &Field, path: &str) -> String {
        let path = format!("{path}.{}", field.heat);
        let is_replaced = field.schema.is_hidden() && field.schema.support.message.starts_with("Use property ");
        if is_replaced || LEFT_OUT.contains(&&*path) {
            return String::new();
        }
        format!("\n.{}({})", field.method, self.value(&field.ty, &field.schema, &path))
    }

    fn value(&self, ty: &Type, schema: &Property, path: &str) -> String {
        if let Some((_, value)) = VALUES.iter().find(|(known, _)| *known == path) {
            return (*value).to_owned();
        }
        match ty {
            // Some types want others for each of their references.
            Type::Reference(_) if schema.pattern().is_some() => text(schema, path),
            Type::Reference(_) => format!("{:?}", path.rsplit('.').next().unwrap_or(path).trim_end_matches("[]")),
            Type::Choice(name) => self.variant(name),
            Type::Nested(name) => self.nested(name, path),
            Type::List(item) => {
                let inner = match &schema.item {
                    Some(inner) => (**inner).clone(),
                    None => Property { t: PropertyType::String, ..Property::default() },
                };
                let least = schema.bounds().and_then(|[min, _]| min).map_or(1, |min| if min > 1.0 { 2 } else { 1 });
                let one = self.value(item, &inner, &format!("{path}[]"));
                format!("[{}]", vec![one; least].join(", "))
            }
            Type::Named(name) => match *name {
                "bool" => "true".to_owned(),
                "AnyMap" => "[(\"key\", \"value\")]".to_owned(),
                "AnyList" => {
                    let least = schema.bounds().and_then(|[min, _]| min).map_or(1, |min| if min > 1.0 { 2 } else { 1 });
                    format!("[{}]", vec!["\"item\""; least].join(", "))
                }
                "IpAddress" => "\"10.0.0.10\"".to_owned(),
                "Cidr" | "IpOrCidr" => "\"10.0.0.0/24\"".to_owned(),
                "Mac" => "\"fa:16:3e:00:00:01\"".to_owned(),
                "AnyValue" => "\"value\"".to_owned(),
                "AnyRef" | "String" | "SecretText" => text(schema, path),
                _ => number(schema),
            },
        }
    }

    fn part(&self, name: &str) -> &Part {
        let named = |part: &&Part| match part {
            Part::Nested(nested) => nested.name == name,
            Part::Choice(choice) => choice.name == name,
        };
        self.resource.parts.iter().find(named).expect("INVARIANT: planned with the property")
    }

    fn variant(&self, name: &str) -> String {
        let Part::Choice(Choice { variants, .. }) = self.part(name) else { unreachable!("INVARIANT: a choice") };
        format!("{name}::{}", variants[0].0)
    }

    fn nested(&self, name: &str, path: &str) -> String {
        let Part::Nested(Nested { fields, .. }) = self.part(name) else { unreachable!("INVARIANT: nested") };
        let rest: String = fields.iter().filter(|field| !field.required).map(|field| self.set(field, path)).collect();
        self.begin(name, fields, path) + &rest
    }
}

fn number(schema: &Property) -> String {
    let value = match schema.bounds() {
        Some([Some(min), _]) => min.max(1.0),
        Some([None, Some(max)]) => max.min(1.0),
        _ => 1.0,
    };
    value.to_string()
}

fn text(schema: &Property, path: &str) -> String {
    let text = match (schema.custom(), schema.pattern()) {
        (Some("cron_expression"), _) => "* * * * *",
        (Some("timezone"), _) => "UTC",
        (Some("expiration"), _) => "2099-01-01T00:00:00Z",
        (Some("dns_name" | "dns_domain"), _) => "host.example.org.",
        (Some("rel_dns_name"), _) => "host",
        (Some("json_string"), _) => "{}",
        (Some(other), _) => panic!("{path}: no text for `{other}`"),
        (None, Some(pattern)) => match pattern {
            pattern if pattern.starts_with("\\d{4}-") => "2099-01-01 00:00",
            pattern if pattern.contains("0-9a-fA-F") => "0f0e0d0c-0b0a-0908-0706-050403020100",
            pattern if pattern.starts_with("^([0-9]+(-") => "1,3-5",
            pattern if pattern.starts_with("[a-zA-Z0-9_") => "abcdefgh",
            pattern => panic!("{path}: no text for `{pattern}`"),
        },
        (None, None) => match schema.bounds() {
            Some([Some(min), _]) if min > 1.0 => "%index%",
            _ => match &schema.def {
                Some(Value::String(text)) if !text.is_empty() => text,
                _ => "text",
            },
        },
    };
    format!("{text:?}")
}
