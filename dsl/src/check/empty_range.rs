//! W0407: a range of ports that has none.

use crate::model::{Expr, Name, Resource, Source, Value};

use super::place::Place;
use super::registry::check;
use super::sink::Sink;

check! {
    /// A rule of a security group is for the ports from one to another that is below it. Neutron refuses that when it
    /// creates the rule.
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
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::item;
    /// # let mut t = Topology::new("demo");
    /// let rule = [("protocol", item("tcp")), ("port_range_min", item(80)), ("port_range_max", item(90))];
    /// t.add("web", RawResource::new("OS::Neutron::SecurityGroup").property("rules", [rule]));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0407"));
    /// ```
    ///
    /// For ICMP both are other numbers, and are not compared.
    CHECK: "W0407", Error, "a range of ports that has none", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, resource) in &sink.model.resources {
        for ((first, last), property, at) in ranges(resource) {
            let place = Place::Property { resource: name, property: &property };
            let diagnostic = CHECK
                .diagnostic(format!("{place} names the ports from {first} to {last}, which are none"))
                .label(&at, "refused by Neutron")
                .help(format!("begin with the lower one: {last} to {first}"));
            sink.push(diagnostic);
        }
    }
}

/// The ranges of a resource in which there is no port, each with where it is given.
pub(super) fn ranges(resource: &Resource) -> Vec<((i128, i128), Name, Source)> {
    let mut found = Vec::new();
    if !resource.ty.starts_with("OS::Neutron::") {
        return found;
    }
    let own = |key: &str| resource.properties.get(key).and_then(|binding| binding.value.constant());
    if let (Some(range), Some(first)) = (empty(own), resource.properties.get("port_range_min")) {
        found.push((range, "port_range_min".into(), first.at.clone()));
    }
    for (property, binding) in &resource.properties {
        let mut ranges = Vec::new();
        within(&binding.value, &mut ranges);
        found.extend(ranges.into_iter().map(|range| (range, property.clone(), binding.at.clone())));
    }
    found
}

fn within(value: &Expr, found: &mut Vec<(i128, i128)>) {
    match value {
        Expr::Map(parts) => {
            found.extend(empty(|key| parts.get(key).and_then(Expr::constant)));
            parts.values().for_each(|part| within(part, found));
        }
        Expr::List(parts) => parts.iter().for_each(|part| within(part, found)),
        Expr::Constant(value) => within_constant(value, found),
        _ => {}
    }
}

fn within_constant(value: &Value, found: &mut Vec<(i128, i128)>) {
    match value {
        Value::Map(parts) => {
            found.extend(empty(|key| parts.get(key)));
            parts.values().for_each(|part| within_constant(part, found));
        }
        Value::List(parts) => parts.iter().for_each(|part| within_constant(part, found)),
        _ => {}
    }
}

/// The bounds of the ports of one rule, if there is no port between them.
fn empty<'v>(value: impl Fn(&str) -> Option<&'v Value>) -> Option<(i128, i128)> {
    let has_ports = value("protocol")?.as_str().is_some_and(|protocol| {
        matches!(protocol.to_ascii_lowercase().as_str(), "tcp" | "udp" | "sctp" | "dccp" | "udplite")
    });
    let (Value::Integer(first), Value::Integer(last)) = (value("port_range_min")?, value("port_range_max")?) else {
        return None;
    };
    (has_ports && first > last).then_some((*first, *last))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, parameter};
    use crate::model::{Expr, Model, Type};

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
    fn what_is_no_port_or_not_known_is_not_compared() {
        for model in [rule("tcp", 80, 80), rule("icmp", 8, 0), rule("udp", parameter("first"), 80)] {
            assert!(codes(&model).is_empty());
        }
    }

    #[test]
    fn a_rule_of_its_own_is_one_too() {
        let rule = Sketch::new().resource("rule", "OS::Neutron::SecurityGroupRule").property("rule", "protocol", "udp");
        let rule = rule.property("rule", "port_range_min", 9).property("rule", "port_range_max", 8);
        assert_eq!(codes(&rule.model), ["W0407"]);
    }
}
