//! W0409: what a type asks of its properties together.

use std::collections::HashSet;

use wattle_heat::evaluate::Value as Known;
use wattle_heat::rules::{self, Asked, Refused};

use crate::model::{Expr, IndexMap, Model, Reference, Resource, Value};

use super::registry::check;
use super::sink::Sink;
use super::{empty_range, property_value};

check! {
    /// Some types ask more of their properties than that each of them fits: one of two, not both, not in that combination. A
    /// server boots from an image or a volume, a subnet has a `cidr` or a pool. Heat refuses the resource, and the
    /// stack with it; `wattle check template.yaml` reports the same as W1207.
    ///
    /// What is not known before the stack is created is taken to be right.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("server", RawResource::new("OS::Nova::Server").property("flavor", "m1.small"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"flavor": {"t": "string"}, "image": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Nova::Server".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(wattle::check::finds(&model, "W0409"));
    /// ```
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("server", RawResource::new("OS::Nova::Server").property("flavor", "m1.small").property("image", "debian-12"));
    /// # let mut model = t.finish(Exports::new());
    /// # let schema = r#"{"props": {"flavor": {"t": "string"}, "image": {"t": "string"}}}"#;
    /// # model.schemas.insert("OS::Nova::Server".into(), serde_json::from_str(schema).unwrap());
    /// # assert!(!wattle::check::finds(&model, "W0409"));
    /// ```
    CHECK: "W0409", Error, "properties that a type does not take together", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let judged = sink.properties();
    // What is wrong with one property by itself is reported as that.
    let given = judged.unknown.iter().chain(judged.refused.iter().map(|(given, _)| given)).map(|given| given.name);
    let reported: HashSet<_> = given.chain(judged.missing.iter().map(|(name, ..)| *name)).collect();
    let asked = |(name, resource): &(_, &Resource)| {
        model.schemas.contains_key(&resource.ty)
            && resource.external_id.is_none()
            && resource.condition.as_deref().and_then(Expr::constant) != Some(&Value::Boolean(false))
            && !reported.contains(name)
            && empty_range::ranges(resource).is_empty()
    };
    let asked: Vec<_> = model.resources.iter().filter(asked).collect();
    if asked.is_empty() {
        return;
    }
    // What is refused whatever stands for what is not known yet: nothing, some text, and a file that is a template.
    let texts = ["x", "heat_template_version: 2021-04-16"].map(|text| Known::Text(text.to_owned()));
    let found = rules::refused(&all(model, &Known::Null));
    let others = texts.map(|open| rules::refused(&all(model, &open)));
    for (name, resource) in asked {
        let is_so = |refused: &&Refused| {
            others.iter().all(|other| other.get(&**name).is_some_and(|other| other.contains(refused)))
        };
        let Some(Refused { property, why, help }) = found.get(&**name).and_then(|found| found.iter().find(is_so))
        else {
            continue;
        };
        let at = property.as_deref().and_then(|path| {
            let own = path.split(['.', '[']).next()?;
            Some((path, &resource.properties.get(own)?.at))
        });
        let diagnostic = match at {
            // That is no matter of several properties.
            Some((path, at)) => property_value::CHECK
                .diagnostic(format!("the property `{path}` of `{name}` does not take this value: {why}"))
                .label(at, why),
            None => CHECK
                .diagnostic(format!("`{name}`: {why}"))
                .label(&resource.at, format!("`{}` asks for it", resource.ty)),
        };
        sink.push(diagnostic.help_if(help.map(str::to_owned)));
    }
}

/// The resources as Heat would have them, with `open` in the place of all that is not known yet.
fn all(model: &Model, open: &Known) -> IndexMap<String, Asked> {
    let seen = Seen { model, open };
    model.resources.iter().map(|(name, resource)| (name.to_string(), seen.resource(resource))).collect()
}

struct Seen<'m> {
    model: &'m Model,
    open: &'m Known,
}

impl Seen<'_> {
    fn resource(&self, resource: &Resource) -> Asked {
        let mut asked = Asked { ty: resource.ty.to_string(), ..Asked::default() };
        for (name, binding) in &resource.properties {
            asked.properties.insert(name.to_string(), self.value(&binding.value));
            let leaves = || {
                binding.value.each().filter(|part| !matches!(part, Expr::Constant(_) | Expr::List(_) | Expr::Map(_)))
            };
            if leaves().next().is_some() {
                asked.open.push(name.to_string());
            }
            for leaf in binding.value.leaves() {
                if let Reference::Resource(other) = leaf {
                    asked.references.push(other.to_string());
                }
            }
        }
        asked.metadata = resource.metadata.as_deref().map(|metadata| self.value(metadata));
        let policy = resource.deletion_policy.as_deref().and_then(Expr::constant);
        asked.deletion_policy = policy.and_then(|policy| Some(policy.as_str()?.to_owned()));
        if let Some(Known::Map(policy)) = resource.update_policy.as_deref().map(|policy| self.value(policy)) {
            asked.update_policy = policy;
        }
        asked
    }

    fn value(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Constant(value) => constant(value),
            Expr::List(items) => Known::List(items.iter().map(|item| self.value(item)).collect()),
            Expr::Map(items) => {
                Known::Map(items.iter().map(|(key, item)| (key.to_string(), self.value(item))).collect())
            }
            Expr::Leaf(Reference::Resource(name)) => {
                let ty = self.model.resources.get(name).map_or("", |resource| &*resource.ty);
                rules::identity(ty, name)
            }
            Expr::Leaf(_) | Expr::Text(_) | Expr::Function { .. } => self.open.clone(),
        }
    }
}

fn constant(value: &Value) -> Known {
    match value {
        Value::Null => Known::Null,
        Value::Boolean(is) => Known::Boolean(*is),
        Value::Integer(number) => Known::Integer(*number),
        Value::Float(number) => Known::Float(*number),
        Value::Str(text) => Known::Text(text.to_string()),
        Value::List(items) => Known::List(items.iter().map(constant).collect()),
        Value::Map(items) => Known::Map(items.iter().map(|(key, item)| (key.to_string(), constant(item))).collect()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, parameter, resource};
    use crate::model::{Expr, Model, Type};

    const SERVER: &str = r#"{"props": {"image": {"t": "string"}, "flavor": {"t": "string"}}}"#;
    const SUBNET: &str = r#"{"props": {"cidr": {"t": "string"}, "subnetpool": {"t": "string"}}}"#;

    fn server() -> Sketch {
        Sketch::new().server("db").schema("OS::Nova::Server", SERVER).property("db", "flavor", "m1.small")
    }

    pub(in crate::check) fn failing() -> Model {
        server().model
    }

    #[test]
    fn what_may_be_right_is_not_refused() {
        let with = |image: Expr| {
            let sketch = server().parameter("image", Type::STR).property("db", "image", image);
            sketch.export("image", Type::STR, parameter("image")).model
        };
        for image in ["debian".into(), parameter("image")] {
            assert!(codes(&with(image)).is_empty());
        }
        // Heat puts nothing in the place of an attribute, and asks whether there is a property, not what it is.
        let subnet = |name: &str, value: Expr| {
            let sketch = Sketch::new().resource("net", "OS::Neutron::Net").resource("subnet", "OS::Neutron::Subnet");
            sketch.schema("OS::Neutron::Subnet", SUBNET).property("subnet", name, value).model
        };
        for (name, value) in [("cidr", "10.0.0.0/24".into()), ("subnetpool", resource("net"))] {
            assert!(codes(&subnet(name, value)).is_empty(), "{name}");
        }
    }

    #[test]
    fn both_of_two_are_refused_whatever_they_are() {
        let sketch = Sketch::new().resource("subnet", "OS::Neutron::Subnet").schema("OS::Neutron::Subnet", SUBNET);
        let sketch = sketch.property("subnet", "cidr", "10.0.0.0/24");
        assert_eq!(codes(&sketch.property("subnet", "subnetpool", "pool").model), ["W0409"]);
    }

    #[test]
    fn what_exists_already_or_never_will_is_not_asked() {
        let mut model = failing();
        model.resources["db"].external_id = Some(Box::new("id".into()));
        assert!(codes(&model).is_empty());
        let mut model = failing();
        model.resources["db"].condition = Some(Box::new(false.into()));
        assert!(codes(&model).is_empty());
    }
}
