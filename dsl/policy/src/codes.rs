//! W15xx: violations of a team's policies.
//!
//! In the documentation of each code, the first code block is a policy file, the second a template that violates it, and the
//! third one that does not.

use wattle_model::check::About;

/// Every code.
pub(crate) const ALL: &[&About] = &[&TAGS.about, &OPEN_PORTS.about, &IMAGES.about, &UNSEEN.about];

wattle_model::check! {
    /// The policy `tags` requires labels on resources that cost money, so that costs can be attributed. Labels are keys
    /// of `metadata`, or `tags` in the form `NAME`, `NAME=VALUE` or `NAME:VALUE`. `types` lists the resource types that
    /// need labels. Without it, servers and volumes need them. If a label is decided only at deployment, this is a
    /// warning.
    ///
    /// A policy:
    ///
    /// ```yaml
    /// tags:
    ///   required: [owner, service]
    /// ```
    ///
    /// A template that violates it, because the server lacks the label `service`:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12, metadata: {owner: sales}}
    /// ```
    ///
    /// A template that does not:
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
    /// The policy `open-ports` lists the ports that the world may reach. A rule of a security group opens a port to the
    /// world if it has neither a `remote_ip_prefix` nor a remote group, or a prefix that is wider than any private
    /// network, such as `0.0.0.0/0` and `::/0` (wider than `/8`; for IPv6, wider than `/7`). So does a network or port
    /// with `port_security_enabled: false`, for which groups do not count. In the list, a port is a number or a range,
    /// followed by `/udp` or another protocol if it is not TCP. A protocol without ports, such as `icmp`, is given by
    /// its name. If something is decided only at deployment, this is a warning.
    ///
    /// A policy:
    ///
    /// ```yaml
    /// open-ports:
    ///   allowed: [80, 443, 8000-8099, 53/udp, icmp]
    /// ```
    ///
    /// A template that violates it, because it opens port 22:
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
    /// A template that does not:
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
    /// The policy `images` lists the images from which servers and volumes may be created. `*` stands for any text. If
    /// an image is a parameter, its default is checked, and a warning says that another value can be given.
    /// `allowed_values` rule that out. There is also a warning if a server or volume comes from something that is not in
    /// the template, such as a snapshot, because nobody can tell which image that was made from.
    ///
    /// A policy:
    ///
    /// ```yaml
    /// images:
    ///   allowed: [debian-12, ubuntu-24.04*]
    /// ```
    ///
    /// A template that violates it:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: windows-2019}
    /// ```
    ///
    /// A template that does not:
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
    /// Policies examine the resources of the template that they are given, including the members of its groups, but not
    /// other templates that it refers to. Check each of those on its own. The same holds for a type that the environment
    /// maps to a template, and for one that Heat does not have itself, such as a plug-in of the cloud. Members of a group
    /// whose type is known only at deployment are not examined either.
    ///
    /// A policy:
    ///
    /// ```yaml
    /// images:
    ///   allowed: [debian-12]
    /// ```
    ///
    /// A template with a nested template, which is not examined:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   inner:
    ///     type: OS::Heat::Stack
    ///     properties: {template: "heat_template_version: 2021-04-16"}
    /// ```
    ///
    /// A template without one:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    /// ```
    pub(crate) UNSEEN: "W1504", Warning, "a resource whose content policies do not examine", (), ()
}
