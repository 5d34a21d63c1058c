//! The policy `open-ports`: which ports the world can reach.

use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Arc;

use wattle_heat::truth;
use wattle_model::names::meant;
use wattle_model::{Diagnostic, Model, Severity, Source, Value};

use crate::codes::OPEN_PORTS as CODE;
use crate::look::{Known, Node, Seen, seen};
use crate::{Look, Policy, PolicySettings, Refused};

/// Ports that may be open to the world: `allowed`, each as `443`, `8000-8099`, `53/udp` or `icmp`.
pub const OPEN_PORTS: Policy = Policy::with_settings("open-ports", &["allowed"], read);

/// The names of protocols that Neutron knows. Source: `IP_PROTOCOL_MAP` in neutron-lib's constants.
const PROTOCOLS: [&str; 25] = [
    "ah",
    "any",
    "dccp",
    "egp",
    "esp",
    "gre",
    "hopopt",
    "icmp",
    "icmpv6",
    "igmp",
    "ip",
    "ipip",
    "ipv6-encap",
    "ipv6-frag",
    "ipv6-nonxt",
    "ipv6-opts",
    "ipv6-route",
    "ospf",
    "pgm",
    "rsvp",
    "sctp",
    "tcp",
    "udp",
    "udplite",
    "vrrp",
];

/// Every port.
const EVERY: (u16, u16) = (0, u16::MAX);

/// Ports of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ports {
    protocol: String,
    range: (u16, u16),
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = self.protocol.to_uppercase();
        let ports = match self.range {
            EVERY if self.protocol == "any" => return f.write_str("everything"),
            EVERY => return write!(f, "all of {protocol}"),
            (first, last) if first == last => format!("port {first}"),
            (first, last) => format!("ports {first} to {last}"),
        };
        if self.protocol == "any" { write!(f, "{ports} of every protocol") } else { write!(f, "{protocol} {ports}") }
    }
}

impl Ports {
    /// As written in a policy file.
    fn written(&self) -> String {
        let range = match self.range {
            EVERY => return self.protocol.clone(),
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        if self.protocol == "tcp" { range } else { format!("{range}/{}", self.protocol) }
    }
}

fn read(given: &PolicySettings<'_>) -> Result<Look, Refused> {
    let allowed = given.texts("allowed")?;
    let ports: Result<Vec<Ports>, Refused> = allowed
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let refused = |why: &str| given.refuse_item("allowed", index, format!("`{text}` {why}"));
            let ports = ports(text).ok_or_else(|| {
                refused("is not a port, a range of ports or a protocol")
                    .help("write, for example, `443`, `8000-8099`, `53/udp` or `icmp`")
            })?;
            if is_protocol(&ports.protocol) {
                return Ok(ports);
            }
            let help = meant(&ports.protocol, PROTOCOLS).unwrap_or_else(|| "write its number instead".to_owned());
            Err(refused(&format!("names the protocol `{}`, which Neutron does not know", ports.protocol)).help(help))
        })
        .collect();
    let ports = ports?;
    Ok(Arc::new(move |model| look(model, &ports)))
}

fn ports(text: &str) -> Option<Ports> {
    let (range, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
    let word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if range.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return (range == text && word(range)).then(|| Ports { protocol: named(range), range: EVERY });
    }
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let range: (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
    (range.0 <= range.1 && word(protocol)).then(|| Ports { protocol: named(protocol), range })
}

/// The canonical name of a protocol. Neutron accepts protocols by number as well, and in any case.
fn named(protocol: &str) -> String {
    match &*protocol.to_ascii_lowercase() {
        "6" => "tcp".into(),
        "17" => "udp".into(),
        "1" => "icmp".into(),
        "58" | "icmpv6" | "ipv6-icmp" => "icmpv6".into(),
        "132" => "sctp".into(),
        "" | "any" | "0" | "-1" => "any".into(),
        other => other.to_owned(),
    }
}

/// Whether Neutron has a protocol of this canonical name or number.
fn is_protocol(protocol: &str) -> bool {
    PROTOCOLS.contains(&protocol) || protocol.parse::<u8>().is_ok()
}

fn look(model: &Model, allowed: &[Ports]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for one in seen(model) {
        match one.ty {
            "OS::Neutron::SecurityGroup" => found.extend(rules(&one, allowed, "rules", |key| key)),
            "AWS::EC2::SecurityGroup" => found.extend(rules(&one, allowed, "SecurityGroupIngress", amazon)),
            "OS::Neutron::SecurityGroupRule" => {
                let get = |name: &str| one.property(name).map(|(node, _)| node);
                let at = one.property("port_range_min").map_or(one.at, |(_, at)| at);
                found.extend(judge(&one, allowed, &get, false, "tcp", at));
            }
            "OS::Neutron::Net" | "OS::Neutron::Port" | "OS::Neutron::ProviderNet" => {
                found.extend(unfiltered(&one, allowed));
            }
            _ => {}
        }
    }
    found
}

/// The rules of a group, which are in its property `property`. `key` gives the keys of these rules for Neutron's.
fn rules(one: &Seen<'_>, allowed: &[Ports], property: &str, key: fn(&str) -> &str) -> Vec<Diagnostic> {
    let Some((rules, at)) = one.property(property) else { return Vec::new() };
    // Nothing is known about a rule, or a list of rules, that is computed as a whole.
    let Some(items) = rules.items() else { return judge(one, allowed, &|_| None, true, "", at).into_iter().collect() };
    items
        .into_iter()
        .filter_map(|item| judge(one, allowed, &|name| item.key(key(name)), item.keys().is_none(), "", at))
        .collect()
}

/// The keys of Amazon's rules. A group that is named may connect, as with `remote_group`.
fn amazon(key: &str) -> &str {
    match key {
        "protocol" => "IpProtocol",
        "port_range_min" => "FromPort",
        "port_range_max" => "ToPort",
        "remote_ip_prefix" => "CidrIp",
        "remote_group" => "SourceSecurityGroupId",
        "remote_group_id" => "SourceSecurityGroupName",
        other => other,
    }
}

/// A network or port without port security admits everything, whatever its groups say.
fn unfiltered(one: &Seen<'_>, allowed: &[Ports]) -> Option<Diagnostic> {
    let (node, at) = one.property("port_security_enabled")?;
    let everything = Ports { protocol: "any".into(), range: EVERY };
    if is_allowed(&everything, allowed) {
        return None;
    }
    let found = match node.known() {
        Known::Value(value) if !is_off(value) => return None,
        Known::Value(_) => CODE.diagnostic(format!("{} opens everything: it has no port security", one.name)),
        Known::Parameter(_) | Known::Open => {
            let mut found =
                CODE.diagnostic(format!("whether {} has port security is known only at deployment", one.name));
            found.severity = Severity::Warning;
            found
        }
    };
    Some(
        found
            .label(at, "set here")
            .help("leave out `port_security_enabled`, so that security groups apply")
            .help(words(allowed)),
    )
}

/// Whether this value switches something off, in any word that Heat knows for that.
fn is_off(value: &Value) -> bool {
    match value {
        Value::Boolean(value) => !value,
        Value::Integer(value) => *value == 0,
        Value::Str(text) => truth::of_parameter(text) == Some(false),
        _ => false,
    }
}

/// Whether a prefix is wider than the widest private network, `10.0.0.0/8` or `fc00::/7`: such a rule is meant for the world,
/// even if it takes two of them to cover it.
fn is_world(prefix: &str) -> bool {
    let Some((address, length)) = prefix.trim().rsplit_once('/') else { return false };
    let widest = if address.contains(':') { 7 } else { 8 };
    let bits = |mask: Ipv4Addr| mask.to_bits().count_ones();
    let length = length.parse().ok().or_else(|| length.parse().map(bits).ok());
    length.is_some_and(|length| length < widest)
}

/// Judges a rule by its properties. `usual` is the protocol of a rule that names none.
fn judge<'m>(
    one: &Seen<'m>,
    allowed: &[Ports],
    get: &dyn Fn(&str) -> Option<Node<'m>>,
    is_open: bool,
    usual: &str,
    at: &Source,
) -> Option<Diagnostic> {
    let mut is_open = is_open;
    let mut text = |name: &str| match get(name).map(Node::known) {
        None | Some(Known::Value(Value::Null)) => None,
        Some(Known::Value(Value::Str(text))) => Some(text.to_string()),
        Some(Known::Value(value)) => Some(value.to_string()),
        Some(Known::Parameter(_) | Known::Open) => {
            is_open = true;
            None
        }
    };
    let (direction, mode, prefix) = (text("direction"), text("remote_mode"), text("remote_ip_prefix"));
    let (protocol, first, last) = (text("protocol"), text("port_range_min"), text("port_range_max"));
    if direction.as_deref() == Some("egress") || mode.as_deref() == Some("remote_group_id") {
        return None;
    }
    // A remote group is only a part of the world.
    if ["remote_group", "remote_group_id"].iter().any(|name| get(name).is_some()) {
        return None;
    }
    if prefix.as_deref().is_some_and(|prefix| !prefix.is_empty() && !is_world(prefix)) {
        return None;
    }
    // An unknown value may be anything.
    let is_known = |name: &str| get(name).is_none_or(|node| matches!(node.known(), Known::Value(_)));
    let usual = if is_known("protocol") { usual } else { "any" };
    let protocol = named(protocol.as_deref().unwrap_or(usual));
    let port = |text: Option<String>| text.and_then(|text| text.parse().ok());
    let range = match (port(first), port(last)) {
        // For ICMP, these are types and codes.
        _ if protocol.starts_with("icmp") => EVERY,
        _ if !is_known("port_range_min") || !is_known("port_range_max") => EVERY,
        (Some(first), Some(last)) => (first, last),
        (Some(only), None) | (None, Some(only)) => (only, only),
        (None, None) => EVERY,
    };
    let opened = Ports { protocol, range };
    if is_allowed(&opened, allowed) {
        return None;
    }
    let mut found = if is_open {
        CODE.diagnostic(format!("whether {} opens {opened} to the world is known only at deployment", one.name))
    } else {
        CODE.diagnostic(format!("{} opens {opened} to the world", one.name))
    };
    if is_open {
        found.severity = Severity::Warning;
    }
    found = found.label(at, "opened here");
    Some(
        found
            .help("restrict the source: set `remote_ip_prefix`, or a group of servers that may connect")
            .help(words(allowed)),
    )
}

/// Whether all opened ports are allowed.
fn is_allowed(opened: &Ports, allowed: &[Ports]) -> bool {
    let mut ranges: Vec<(u16, u16)> = allowed
        .iter()
        .filter(|ports| ports.protocol == opened.protocol || ports.protocol == "any")
        .map(|ports| ports.range)
        .collect();
    ranges.sort_unstable();
    // Adjacent ranges count as one.
    let mut next = u32::from(opened.range.0);
    for (first, last) in ranges {
        if u32::from(first) <= next {
            next = next.max(u32::from(last) + 1);
        }
    }
    next > u32::from(opened.range.1)
}

fn words(allowed: &[Ports]) -> String {
    if allowed.is_empty() {
        return "nothing may be open to the world".to_owned();
    }
    let words = allowed.iter().map(|ports| format!("`{}`", ports.written()));
    format!("only {} may be open to the world", wattle_model::names::join(words, "and"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Ports {
        ports(text).expect(text)
    }

    #[test]
    fn ports_are_read_as_they_are_written() {
        assert_eq!(of("443"), Ports { protocol: "tcp".into(), range: (443, 443) });
        assert_eq!(of("8000-8099/TCP"), Ports { protocol: "tcp".into(), range: (8000, 8099) });
        assert_eq!(of("icmp"), Ports { protocol: "icmp".into(), range: EVERY });
        for wrong in ["", "80-70", "70000", "http/", "80/", "a b", "-", "icmp/3"] {
            assert_eq!(ports(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_wider_than_a_private_network_is_the_world() {
        for (prefix, is) in [
            ("0.0.0.0/0", true),
            ("::/0", true),
            ("0.0.0.0/0.0.0.0", true),
            ("128.0.0.0/1", true),
            ("2000::/3", true),
            ("10.0.0.0/8", false),
            ("10.0.0.0/255.0.0.0", false),
            ("fc00::/7", false),
            ("192.0.2.7", false),
        ] {
            assert_eq!(is_world(prefix), is, "{prefix}");
        }
    }

    #[test]
    fn all_of_a_range_must_be_allowed() {
        let allowed = ["80", "443", "444-500", "53/udp"].map(of);
        for (opened, is) in [
            ("80", true),
            ("443-500", true),
            ("443-501", false),
            ("80-443", false),
            ("53", false),
            ("53/udp", true),
            ("tcp", false),
            ("icmp", false),
        ] {
            assert_eq!(is_allowed(&of(opened), &allowed), is, "{opened}");
        }
        assert!(is_allowed(&of("tcp"), &[of("0-1000"), of("1001-65535")]));
        assert!(is_allowed(&of("any"), &[of("any")]) && is_allowed(&of("22"), &[of("any")]));
    }
}
