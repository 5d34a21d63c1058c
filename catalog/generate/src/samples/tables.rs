//! Knowledge about Heat that its schemas do not contain, for the samples.

/// Properties that Heat's `validate()` does not accept together with others of the same sample.
///
/// Hidden properties that others replace are omitted without being listed here.
pub(super) const LEFT_OUT: &[&str] = &[
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
    "OS::Neutron::Port.no_fixed_ips",
    "OS::Neutron::Router.distributed",
    "OS::Neutron::Router.l3_agent_id",
    "OS::Neutron::RouterInterface.port",
    "OS::Neutron::RouterInterface.port_id",
    "OS::Neutron::SecurityGroupRule.remote_ip_prefix",
    "OS::Neutron::Subnet.prefixlen",
    "OS::Neutron::Subnet.subnetpool",
    "OS::Nova::Server.block_device_mapping",
    "OS::Nova::Server.block_device_mapping[].snapshot_id",
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

/// Properties that `validate()` requires although the schema does not, often one of several.
pub(super) const NEEDED: &[&str] = &[
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

/// Values that no constraint determines, as Rust.
pub(super) const VALUES: &[(&str, &str)] = &[
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

/// A different or additional value that a property of `LEFT_OUT` needs: its path, that of the other property, and the
/// value.
pub(super) const OTHERWISE: &[(&str, &str, &str)] = &[
    ("OS::Barbican::Order.ca_id", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Barbican::Order.pass_phrase", "OS::Barbican::Order.type", "OrderType::Asymmetric"),
    ("OS::Barbican::Order.profile", "OS::Barbican::Order.ca_id", "\"ca_id\""),
    ("OS::Barbican::Order.profile", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Barbican::Order.request_data", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Barbican::Order.request_type", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Barbican::Order.source_container_ref", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Barbican::Order.subject_dn", "OS::Barbican::Order.type", "OrderType::Certificate"),
    ("OS::Mistral::Workflow.tasks[].requires", "OS::Mistral::Workflow.tasks[].action", "\"std.noop\""),
    ("OS::Mistral::Workflow.tasks[].requires", "OS::Mistral::Workflow.params", "[(\"task_name\", \"text\")]"),
    ("OS::Mistral::Workflow.tasks[].requires", "OS::Mistral::Workflow.type", "WorkflowType::Reverse"),
    ("OS::Neutron::Subnet.prefixlen", "OS::Neutron::Subnet.subnetpool", "\"subnetpool\""),
    ("OS::Octavia::L7Policy.redirect_url", "OS::Octavia::L7Policy.action", "L7PolicyAction::RedirectToUrl"),
    ("OS::Octavia::L7Policy.redirect_url", "OS::Octavia::L7Policy.redirect_url", "\"http://example.org/\""),
];

/// All paths in the tables.
#[cfg(test)]
pub(crate) fn paths() -> impl Iterator<Item = String> {
    let values = VALUES.iter().map(|(path, _)| path);
    let otherwise = OTHERWISE.iter().flat_map(|(path, other, _)| [path, other]);
    LEFT_OUT.iter().chain(NEEDED).chain(values).chain(otherwise).map(|path| (*path).to_owned())
}
