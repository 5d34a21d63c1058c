//! W15xx: violations of a team's policies.
//!
//! In the documentation of each code, the first code block is a policy file, the second a template that violates it, and the
//! third one that does not.

use wattle_model::check::About;

/// Every code.
pub(crate) const ALL: &[&About] = &[&TAGS.about, &OPEN_PORTS.about, &IMAGES.about, &UNSEEN.about];

wattle_model::check! {
    /// The policy `tags` requires labels on resources that cost money, so that costs can be attributed. Labels are keys of
    /// `metadata`, or `tags` in the form `NAME`, `NAME=VALUE` or `NAME:VALUE`. `types` says which resources need them.
    /// Without it, servers and volumes do. If a label is decided only at deployment, that is a warning.
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
    /// The policy `open-ports` allows the world to reach the ports that it lists, and no others. A rule of a security group
    /// opens a port to the world if it admits traffic from every address (`0.0.0.0/0`, `::/0`, or no `remote_ip_prefix` and
    /// no remote group). A port is a number or a range, followed by `/udp` or another protocol if it is not TCP. A protocol
    /// without ports, such as `icmp`, is given by its name. What is decided only at deployment is a warning.
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
    /// The policy `images` lists the images from which servers and volumes may be made. `*` stands for any text. If an image
    /// is a parameter, its default is judged, and a warning says that it can be given another value. `allowed_values` rule
    /// that out.
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
    /// Policies examine the resources of the template that they are given, including members of its groups, but not other
    /// templates that it refers to. Check each of these on its own.
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
