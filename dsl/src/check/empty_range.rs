//! W0407: an invalid port range.

use crate::model::{Expr, Name, Resource, Source, Value};

use super::counted::open;
use super::place::Place;
use super::registry::check;
use super::sink::Sink;

check! {
    /// The port range of a security group rule ends below the port at which it begins. Neutron refuses the rule when it
    /// is created.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::item;
    /// # let mut t = Topology::new("demo");
    /// let rule = [("protocol", item("tcp")), ("port_range_min", item(90)), ("port_range_max", item(80))];
    /// t.add("web", RawResource::new("OS::Neutron::SecurityGroup").property("rules", [rule]));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0407"));
    /// ```
    ///
    /// Give the lower port first:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::item;
    /// # let mut t = Topology::new("demo");
    /// let rule = [("protocol", item("tcp")), ("port_range_min", item(80)), ("port_range_max", item(90))];
    /// t.add("web", RawResource::new("OS::Neutron::SecurityGroup").property("rules", [rule]));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0407"));
    /// ```
    ///
    /// Only TCP, UDP, DCCP, SCTP and UDP-Lite have ports. Ports start at 1, and both ends of the range must be given.
    /// For ICMP, the two numbers are the type and the code. Both are at most 255, and a code requires a type. Rules for
    /// other protocols, or for all protocols, cannot have ports. (Neutron: `_validate_port_range`.)
    CHECK: "W0407", Error, "an invalid port range", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, resource) in &sink.model.resources {
        for Refused { why, help, property, at } in ranges(resource) {
            let place = Place::Property { resource: name, property: &property };
            let diagnostic = CHECK.diagnostic(format!("{place} {why}")).label(&at, "refused by Neutron").help(help);
            sink.push(diagnostic);
        }
    }
}

/// Ports of a rule that Neutron refuses, and where they are given.
pub(super) struct Refused {
    why: String,
    help: String,
    property: Name,
    at: Source,
}

/// The ranges of a resource that Neutron refuses.
pub(super) fn ranges(resource: &Resource) -> Vec<Refused> {
    let mut found = Vec::new();
    if !resource.ty.starts_with("OS::Neutron::") {
        return found;
    }
    let own = |key: &str| resource.properties.get(key).map_or(Given::Nothing, |binding| of(&binding.value));
    // Heat's default for a rule that is a resource of its own.
    let protocol = if &*resource.ty == "OS::Neutron::SecurityGroupRule" { Some("tcp") } else { None };
    let first = ["port_range_min", "port_range_max"].iter().find_map(|key| resource.properties.get_key_value(*key));
    if let (Some((property, binding)), Some((why, help))) = (first, refused(own, protocol)) {
        found.push(Refused { why, help, property: property.clone(), at: binding.at.clone() });
    }
    for (property, binding) in &resource.properties {
        let mut all = Vec::new();
        within(&open(&binding.value), &mut all);
        let all = all.into_iter();
        found.extend(all.map(|(why, help)| Refused { why, help, property: property.clone(), at: binding.at.clone() }));
    }
    found
}

fn within(value: &Expr, found: &mut Vec<(String, String)>) {
    match value {
        Expr::Map(parts) => {
            found.extend(refused(|key| parts.get(key).map_or(Given::Nothing, of), None));
            parts.values().for_each(|part| within(part, found));
        }
        Expr::List(parts) => parts.iter().for_each(|part| within(part, found)),
        _ => {}
    }
}

/// A part of a rule.
#[derive(Clone)]
enum Given<'v> {
    Nothing,
    Number(i128),
    Text(&'v str),
    /// Not known yet, or of the wrong type, which another check reports.
    Something,
}

fn of(value: &Expr) -> Given<'_> {
    match value.constant() {
        Some(Value::Null) => Given::Nothing,
        Some(Value::Integer(number)) => Given::Number(*number),
        Some(Value::Str(text)) => text.parse().map_or(Given::Text(text), Given::Number),
        _ => Given::Something,
    }
}

/// The meaning of a rule's two numbers, which depends on its protocol.
enum Meaning {
    Ports,
    Icmp,
    Nothing(String),
}

/// Why Neutron refuses the ports of a rule, and how to fix it.
fn refused<'v>(value: impl Fn(&str) -> Given<'v>, default: Option<&str>) -> Option<(String, String)> {
    let (first, last) = (value("port_range_min"), value("port_range_max"));
    if matches!((&first, &last), (Given::Nothing, Given::Nothing)) {
        return None;
    }
    let protocol = match value("protocol") {
        Given::Nothing => default.unwrap_or("any").to_owned(),
        Given::Number(number) => number.to_string(),
        Given::Text(name) => name.to_ascii_lowercase(),
        Given::Something => return None,
    };
    let meaning = match &*protocol {
        "tcp" | "6" | "udp" | "17" | "dccp" | "33" | "sctp" | "132" | "udplite" | "136" => Meaning::Ports,
        "icmp" | "1" | "icmpv6" | "ipv6-icmp" | "icmp6" | "58" => Meaning::Icmp,
        "any" => Meaning::Nothing("a rule for all protocols".to_owned()),
        other => Meaning::Nothing(format!("the protocol `{other}`")),
    };
    match (meaning, first, last) {
        (Meaning::Nothing(what), ..) => Some((
            format!("names ports, but {what} has none"),
            "name their protocol, such as `tcp` or `udp`, or remove them".to_owned(),
        )),
        (Meaning::Ports, Given::Number(0), _) | (Meaning::Ports, _, Given::Number(0)) => {
            Some(("names the port 0, which does not exist".to_owned(), "start at port 1".to_owned()))
        }
        (Meaning::Ports, Given::Number(one), Given::Nothing) | (Meaning::Ports, Given::Nothing, Given::Number(one)) => {
            Some((
                format!("names one end of a port range, {one}, but not the other"),
                format!(
                    "give both `port_range_min` and `port_range_max`: a single port is the range from {one} to {one}"
                ),
            ))
        }
        (Meaning::Ports, Given::Number(first), Given::Number(last)) if first > last => Some((
            format!("names the ports from {first} to {last}, which is an empty range"),
            format!("write the lower one first: {last} to {first}"),
        )),
        (Meaning::Icmp, Given::Nothing, _) => Some((
            "names an ICMP code without the type that it belongs to".to_owned(),
            "for ICMP, `port_range_min` is the type and `port_range_max` the code: give both, or the type alone"
                .to_owned(),
        )),
        (Meaning::Icmp, first, last) => {
            let number = [first, last].into_iter().find_map(|part| match part {
                Given::Number(number) if !(0..=255).contains(&number) => Some(number),
                _ => None,
            })?;
            Some((
                format!("names {number}, which is neither an ICMP type nor an ICMP code"),
                "for ICMP, `port_range_min` is the type and `port_range_max` the code, each from 0 to 255; without them the rule is for all of ICMP".to_owned(),
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, parameter};
    use crate::model::{Expr, Model, Type, Value};

    fn rule(protocol: &str, first: impl Into<Expr>, last: i32) -> Model {
        let rule = [("protocol", protocol.into()), ("port_range_min", first.into()), ("port_range_max", last.into())];
        let sketch = Sketch::new().resource("web", "OS::Neutron::SecurityGroup").parameter("first", Type::FLOAT);
        let sketch = sketch.export("first", Type::FLOAT, parameter("first"));
        sketch.property("web", "rules", Expr::List(vec![map(rule)])).model
    }

    pub(in crate::check) fn failing() -> Model {
        rule("tcp", 90, 80)
    }

    #[test]
    fn what_is_right_or_not_known_is_not_reported() {
        for model in [
            rule("tcp", 80, 80),
            rule("6", 80, 90),
            rule("icmp", 8, 0),
            rule("ipv6-icmp", 255, 255),
            rule("udp", parameter("first"), 80),
            rule("udp", "80", 90),
        ] {
            assert!(codes(&model).is_empty());
        }
    }

    #[test]
    fn what_neutron_refuses_is_reported_whatever_the_protocol_is_called() {
        for model in [
            rule("udp", 90, 80),
            rule("SCTP", 90, 80),
            rule("17", 90, 80),
            rule("tcp", "90", 80),
            rule("tcp", 0, 80),
            rule("tcp", Value::Null, 80),
            rule("icmp", 8, 256),
            rule("58", Value::Null, 0),
            rule("esp", 1, 1),
            rule("any", 80, 90),
        ] {
            assert_eq!(codes(&model), ["W0407"]);
        }
    }

    #[test]
    fn without_a_protocol_a_rule_is_for_all_and_a_resource_for_tcp() {
        let parts = [("port_range_min", 80.into()), ("port_range_max", 90.into())];
        let group = Sketch::new().resource("web", "OS::Neutron::SecurityGroup");
        assert_eq!(codes(&group.property("web", "rules", Expr::List(vec![map(parts)])).model), ["W0407"]);
        let rule = |first: i32| {
            let rule = Sketch::new().resource("rule", "OS::Neutron::SecurityGroupRule");
            codes(&rule.property("rule", "port_range_min", first).property("rule", "port_range_max", 90).model)
        };
        assert!(rule(80).is_empty());
        assert_eq!(rule(91), ["W0407"]);
    }

    #[test]
    fn a_rule_of_its_own_is_one_too() {
        let rule = Sketch::new().resource("rule", "OS::Neutron::SecurityGroupRule").property("rule", "protocol", "udp");
        let rule = rule.property("rule", "port_range_min", 9).property("rule", "port_range_max", 8);
        assert_eq!(codes(&rule.model), ["W0407"]);
    }
}
