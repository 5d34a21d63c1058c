//! The targets of properties that are references: Heat's constraints that name a kind of resource, and targets that only
//! Heat's descriptions mention.

/// A kind of resource that properties refer to.
#[derive(Debug)]
pub(crate) struct ReferenceTarget {
    /// Heat's constraint (`neutron.network`), or a similar name if Heat has none.
    pub(crate) name: &'static str,
    /// The type of such properties.
    pub(crate) rust: &'static str,
    /// Its name in messages, with an article.
    pub(crate) words: &'static str,
    /// The types whose resources are of this kind.
    pub(crate) types: &'static [&'static str],
}

macro_rules! targets {
    ($($name:literal $rust:literal $words:literal [$($ty:literal)*];)*) => {
        &[$(ReferenceTarget { name: $name, rust: $rust, words: $words, types: &[$(concat!("OS::", $ty)),*] }),*]
    };
}

/// Kinds for which secret text is allowed: user data, which is a configuration as text, contains the initial data of a
/// server.
pub(crate) const SECRET: &[&str] = &["heat.config"];

/// All kinds, in the order of their names.
pub(crate) const TARGETS: &[ReferenceTarget] = targets! {
    "barbican.container" "SecretContainerRef" "a container of secrets"
        ["Barbican::CertificateContainer" "Barbican::GenericContainer" "Barbican::RSAContainer"];
    "barbican.secret" "SecretRef" "a secret of Barbican" ["Barbican::Secret" "Barbican::Order"];
    "cinder.backup" "VolumeBackupRef" "a backup of a volume" [];
    "cinder.qos_specs" "QosSpecsRef" "specifications of a volume's quality of service" ["Cinder::QoSSpecs"];
    "cinder.snapshot" "VolumeSnapshotRef" "a snapshot of a volume" [];
    "cinder.volume" "VolumeRef" "a volume" ["Cinder::Volume"];
    "cinder.vtype" "VolumeTypeRef" "a type of volumes" ["Cinder::VolumeType"];
    "designate.zone" "ZoneRef" "a DNS zone" ["Designate::Zone"];
    "glance.image" "ImageRef" "an image" ["Glance::Image" "Glance::WebImage"];
    "heat.config" "ConfigRef" "a software configuration" ["Heat::CloudConfig" "Heat::MultipartMime"
        "Heat::SoftwareComponent" "Heat::SoftwareConfig" "Heat::StructuredConfig"];
    "heat.scaling_group" "ScalingGroupRef" "a scaling group" ["Heat::AutoScalingGroup" "Heat::InstanceGroup"];
    "heat.stack" "StackRef" "a stack" ["Heat::Stack"];
    "heat.swift_handle" "SwiftSignalHandleRef" "a handle for Swift signals" ["Heat::SwiftSignalHandle"];
    "heat.wait_handle" "WaitHandleRef" "a wait condition's handle"
        ["Heat::UpdateWaitConditionHandle" "Heat::WaitConditionHandle"];
    "ironic.node" "NodeRef" "a node of Ironic" [];
    "ironic.portgroup" "PortGroupRef" "a port group of Ironic" [];
    "keystone.domain" "DomainRef" "a domain of Keystone" ["Keystone::Domain"];
    "keystone.group" "UserGroupRef" "a group of users" ["Keystone::Group"];
    "keystone.project" "ProjectRef" "a project" ["Keystone::Project"];
    "keystone.region" "RegionRef" "a region" ["Keystone::Region"];
    "keystone.role" "RoleRef" "a role" ["Keystone::Role"];
    "keystone.service" "ServiceRef" "a service" ["Keystone::Service"];
    "keystone.user" "UserRef" "a user" ["Keystone::User"];
    "magnum.cluster_template" "ClusterTemplateRef" "a cluster template"
        ["Magnum::BayModel" "Magnum::ClusterTemplate"];
    "manila.share_network" "ShareNetworkRef" "a share network" ["Manila::ShareNetwork"];
    "manila.share_snapshot" "ShareSnapshotRef" "a snapshot of a share" [];
    "manila.share_type" "ShareTypeRef" "a type of shares" ["Manila::ShareType"];
    "mistral.workflow" "WorkflowRef" "a workflow" ["Mistral::Workflow"];
    "neutron.address_scope" "AddressScopeRef" "an address scope" ["Neutron::AddressScope"];
    "neutron.firewall_policy" "FirewallPolicyRef" "a firewall policy" ["Neutron::FirewallPolicy"];
    "neutron.firewall_rule" "FirewallRuleRef" "a firewall rule" ["Neutron::FirewallRule"];
    "neutron.floatingip" "FloatingIpRef" "a floating address" ["Neutron::FloatingIP"];
    "neutron.flow_classifier" "FlowClassifierRef" "a flow classifier" ["Neutron::FlowClassifier"];
    "neutron.ikepolicy" "IkePolicyRef" "an IKE policy" ["Neutron::IKEPolicy"];
    "neutron.ipsecpolicy" "IpsecPolicyRef" "an IPsec policy" ["Neutron::IPsecPolicy"];
    "neutron.l2_gateway" "L2GatewayRef" "a layer 2 gateway" ["Neutron::L2Gateway"];
    "neutron.metering_label" "MeteringLabelRef" "a metering label" ["Neutron::MeteringLabel"];
    "neutron.network" "NetworkRef" "a network" ["Neutron::Net" "Neutron::ProviderNet"];
    "neutron.port" "PortRef" "a port" ["Neutron::Port"];
    "neutron.port_pair" "PortPairRef" "a port pair" ["Neutron::PortPair"];
    "neutron.port_pair_group" "PortPairGroupRef" "a group of port pairs" ["Neutron::PortPairGroup"];
    "neutron.qos_policy" "QosPolicyRef" "a QoS policy" ["Neutron::QoSPolicy"];
    "neutron.router" "RouterRef" "a router" ["Neutron::Router"];
    "neutron.security_group" "SecurityGroupRef" "a security group" ["Neutron::SecurityGroup"];
    "neutron.segment" "SegmentRef" "a segment" ["Neutron::Segment"];
    "neutron.subnet" "SubnetRef" "a subnet" ["Neutron::Subnet"];
    "neutron.subnetpool" "SubnetPoolRef" "a subnet pool" ["Neutron::SubnetPool"];
    "neutron.taas.tap_service" "TapServiceRef" "a tap service" ["Neutron::TaaS::TapService"];
    "neutron.vpnservice" "VpnServiceRef" "a VPN service" ["Neutron::VPNService"];
    "nova.flavor" "FlavorRef" "a flavor" ["Nova::Flavor"];
    "nova.host" "HostRef" "a host of Nova" [];
    "nova.keypair" "KeyPairRef" "a key pair" ["Nova::KeyPair"];
    "nova.server" "ServerRef" "a server" ["Nova::Server" "Heat::DeployedServer"];
    "nova.servergroup" "ServerGroupRef" "a server group" ["Nova::ServerGroup"];
    "octavia.availabilityzone" "OctaviaAvailabilityZoneRef" "an availability zone of Octavia"
        ["Octavia::AvailabilityZone"];
    "octavia.availabilityzoneprofile" "AvailabilityZoneProfileRef" "a profile of availability zones"
        ["Octavia::AvailabilityZoneProfile"];
    "octavia.flavor" "OctaviaFlavorRef" "a flavor of Octavia" ["Octavia::Flavor"];
    "octavia.flavorprofile" "FlavorProfileRef" "a profile of Octavia's flavors" ["Octavia::FlavorProfile"];
    "octavia.l7policy" "L7PolicyRef" "a layer 7 policy" ["Octavia::L7Policy"];
    "octavia.listener" "ListenerRef" "a listener" ["Octavia::Listener"];
    "octavia.loadbalancer" "LoadBalancerRef" "a load balancer" ["Octavia::LoadBalancer"];
    "octavia.pool" "PoolRef" "a pool of a load balancer" ["Octavia::Pool"];
    "trove.flavor" "TroveFlavorRef" "a flavor of Trove" ["Nova::Flavor"];
    "zaqar.queue" "QueueRef" "a queue" ["Zaqar::Queue"];
};

/// Properties that refer to a kind which Heat names only in their description: the end of their path, and the kind.
const DESCRIBED: [(&str, &str); 34] = [
    ("Aodh::LBMemberHealthAlarm.pool", "octavia.pool"),
    ("Aodh::LBMemberHealthAlarm.stack", "heat.stack"),
    ("Aodh::LBMemberHealthAlarm.autoscaling_group_id", "heat.scaling_group"),
    ("Cinder::VolumeAttachment.instance_uuid", "nova.server"),
    ("Heat::ScalingPolicy.auto_scaling_group_id", "heat.scaling_group"),
    ("Heat::MultipartMime.parts[].config", "heat.config"),
    ("Deployment.config", "heat.config"),
    ("DeploymentGroup.config", "heat.config"),
    ("Deployments.config", "heat.config"),
    ("Deployment.server", "nova.server"),
    ("Heat::SwiftSignal.handle", "heat.swift_handle"),
    ("Heat::WaitCondition.handle", "heat.wait_handle"),
    ("context.credential_secret_id", "barbican.secret"),
    ("Neutron::Firewall.firewall_policy_id", "neutron.firewall_policy"),
    ("Neutron::FirewallPolicy.firewall_rules[]", "neutron.firewall_rule"),
    ("FloatingIPAssociation.floatingip_id", "neutron.floatingip"),
    ("FloatingIPPortForward.floating_ip", "neutron.floatingip"),
    ("networks[].floating_ip", "neutron.floatingip"),
    ("networks[].subnet", "neutron.subnet"),
    ("IPsecSiteConnection.ikepolicy_id", "neutron.ikepolicy"),
    ("IPsecSiteConnection.ipsecpolicy_id", "neutron.ipsecpolicy"),
    ("IPsecSiteConnection.vpnservice_id", "neutron.vpnservice"),
    ("L2GatewayConnection.l2_gateway_id", "neutron.l2_gateway"),
    ("MeteringRule.metering_label_id", "neutron.metering_label"),
    ("external_gateway_info.network", "neutron.network"),
    (".security_groups[]", "neutron.security_group"),
    (".tenant_id", "keystone.project"),
    ("Neutron::RBACPolicy.target_tenant", "keystone.project"),
    ("Octavia::Listener.default_tls_container_ref", "barbican.container"),
    ("Octavia::Listener.sni_container_refs[]", "barbican.container"),
    ("Nova::Server.user_data", "heat.config"),
    ("Zun::Container.image", "glance.image"),
    ("Glance::WebImage.kernel_id", "glance.image"),
    ("Glance::WebImage.ramdisk_id", "glance.image"),
];

/// The types that belong to any kind.
#[cfg(test)]
pub(crate) fn types() -> impl Iterator<Item = String> {
    TARGETS.iter().flat_map(|target| target.types).map(|ty| (*ty).to_owned())
}

/// The ends of paths whose target Heat names only in a description.
#[cfg(test)]
pub(crate) fn in_words() -> impl Iterator<Item = &'static str> {
    DESCRIBED.iter().map(|(end, _)| *end)
}

/// The target that Heat's constraint `constraint` names.
pub(crate) fn target(constraint: &str) -> Option<&'static ReferenceTarget> {
    TARGETS.iter().find(|target| target.name == constraint)
}

/// The target of the property at `path` (`OS::Nova::Server.networks[].subnet`) according to Heat's description.
pub(crate) fn described_target(path: &str) -> Option<&'static ReferenceTarget> {
    let (_, name) = DESCRIBED.iter().find(|(end, _)| path.ends_with(end))?;
    target(name)
}

/// Whether a property of this name contains the identity of a resource whose kind is not declared.
pub(crate) fn is_an_identity(name: &str) -> bool {
    ["_id", "_ids", "uuid", "_ref"].iter().any(|end| name.ends_with(end)) && name != "segmentation_id"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_name_of_its_own() {
        for (i, target) in TARGETS.iter().enumerate() {
            assert!(
                TARGETS[i + 1..].iter().all(|other| other.rust != target.rust && other.name > target.name),
                "{target:?}"
            );
        }
    }

    #[test]
    fn what_heat_describes_in_words_is_a_target() {
        for (end, name) in DESCRIBED {
            assert!(target(name).is_some(), "{end}: {name}");
        }
        assert_eq!(described_target("OS::Nova::Server.networks[].subnet").map(|target| target.rust), Some("SubnetRef"));
        assert!(described_target("OS::Nova::Server.name").is_none());
    }
}
