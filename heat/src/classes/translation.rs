//! Properties that Heat reads under another name.

/// Heat's name for it: what is given as `from` is what `to` is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// The property that counts, as a path through maps, and through lists without their indices.
    pub(crate) to: &'static [&'static str],
    /// Where its value may stand instead: beside it if it is in a list, otherwise from the outermost on.
    pub(crate) from: &'static [&'static str],
}

const fn rule(to: &'static [&'static str], from: &'static [&'static str]) -> Rule {
    Rule { to, from }
}

/// The rules of the type called `ty`: `translation_rules` of its class, those that ask a service left out, as validation
/// does.
pub(crate) fn rules(ty: &str) -> &'static [Rule] {
    match ty {
        "OS::Cinder::Volume" => const { &[rule(&["image"], &["imageRef"])] },
        "OS::Designate::Zone" => const { &[rule(&["masters"], &["primaries"])] },
        "OS::Mistral::Workflow" => {
            const {
                &[
                    rule(&["tasks", "pause_before"], &["policies", "pause_before"]),
                    rule(&["tasks", "wait_after"], &["policies", "wait_after"]),
                    rule(&["tasks", "wait_before"], &["policies", "wait_before"]),
                    rule(&["tasks", "timeout"], &["policies", "timeout"]),
                    rule(&["tasks", "concurrency"], &["policies", "concurrency"]),
                    rule(&["tasks", "retry"], &["policies", "retry"]),
                ]
            }
        }
        "OS::Neutron::FloatingIP" => const { &[rule(&["floating_network"], &["floating_network_id"])] },
        "OS::Neutron::NetworkGateway" => const { &[rule(&["connections", "network"], &["network_id"])] },
        "OS::Neutron::Port" => {
            const { &[rule(&["network"], &["network_id"]), rule(&["fixed_ips", "subnet"], &["subnet_id"])] }
        }
        "OS::Neutron::RouterGateway" | "OS::Neutron::Subnet" => const { &[rule(&["network"], &["network_id"])] },
        "OS::Neutron::RouterInterface" => {
            const { &[rule(&["port"], &["port_id"]), rule(&["router"], &["router_id"]), rule(&["subnet"], &["subnet_id"])] }
        }
        "OS::Neutron::VPNService" => const { &[rule(&["subnet"], &["subnet_id"]), rule(&["router"], &["router_id"])] },
        "OS::Nova::Server" => {
            const { &[rule(&["networks", "network"], &["uuid"]), rule(&["block_device_mapping_v2", "image"], &["image_id"])] }
        }
        _ => &[],
    }
}
