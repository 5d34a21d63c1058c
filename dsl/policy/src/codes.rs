//! W15xx: violations of a team's policies.
//!
//! In the documentation of each code, the first code block is a policy file, the second a template that violates it, and the
//! third one that does not.

use wattle_model::check::About;

/// Every code.
pub(crate) const ALL: &[&About] = &[&TAGS.about, &OPEN_PORTS.about, &IMAGES.about, &UNSEEN.about];

wattle_model::check! {
    /// The policy `tags` asks for labels on what costs money, so that a bill can be told apart: keys of `metadata`, or
    /// `tags` that are `NAME`, `NAME=VALUE` or `NAME:VALUE`. `types` says which resources; without it they are servers and volumes.
    /// What is only decided at deployment is a warning.
    ///
    /// ```yaml
    /// tags:
    ///   required: [owner, service]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12, metadata: {owner: sales}}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12, metadata: {owner: sales}, tags: [service=shop]}
    /// ```
    pub(crate) TAGS: "W1501", Error, "a resource without a label that the team's policy requires", (), ()
}

wattle_model::check! {
    /// The policy `open-ports` lets the world reach the ports that it names, and no others: a rule of a security group that lets in
    /// traffic from every address (`0.0.0.0/0`, `::/0`, or no `remote_ip_prefix` and no remote group). A port is a number or a range,
    /// with `/udp` or another protocol behind it if it is not TCP; a protocol without ports, such as `icmp`, is its name.
    /// What is only decided at deployment is a warning.
    ///
    /// ```yaml
    /// open-ports:
    ///   allowed: [80, 443, 8000-8099, 53/udp, icmp]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   access:
    ///     type: OS::Neutron::SecurityGroup
    ///     properties:
    ///       rules:
    ///         - {protocol: tcp, port_range_min: 22, port_range_max: 22}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   access:
    ///     type: OS::Neutron::SecurityGroup
    ///     properties:
    ///       rules:
    ///         - {protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 10.0.0.0/8}
    ///         - {protocol: tcp, port_range_min: 443, port_range_max: 443}
    /// ```
    pub(crate) OPEN_PORTS: "W1502", Error, "a port that is open to the world, which the team's policy does not allow", (), ()
}

wattle_model::check! {
    /// The policy `images` names the images from which servers and volumes may be made; `*` stands for any text. If an image is a
    /// parameter, its default is judged, and that it may be given another value is a warning: `allowed_values` rule that out.
    ///
    /// ```yaml
    /// images:
    ///   allowed: [debian-12, ubuntu-24.04*]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: windows-2019}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   image:
    ///     type: string
    ///     default: debian-12
    ///     constraints:
    ///       - allowed_values: [debian-12, ubuntu-24.04-minimal]
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: {get_param: image}}
    /// ```
    pub(crate) IMAGES: "W1503", Error, "an image that the team's policy does not allow", (), ()
}

wattle_model::check! {
    /// Policies look at the resources of the template that they are given, members of its groups among them, and not into
    /// other templates that it names. Check each of these by itself.
    ///
    /// ```yaml
    /// images:
    ///   allowed: [debian-12]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   inner:
    ///     type: OS::Heat::Stack
    ///     properties: {template: "heat_template_version: 2021-04-16"}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    /// ```
    pub(crate) UNSEEN: "W1504", Warning, "a nested template, into which policies do not look", (), ()
}
