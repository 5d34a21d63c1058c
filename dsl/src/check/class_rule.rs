//! W0409: an invalid combination of properties.

use std::collections::HashSet;

use wattle_heat::evaluate::Value as Known;
use wattle_heat::rules::{self, Asked, OfMember, Refused};

use crate::model::{Diagnostic, Expr, IndexMap, Model, Name, Reference, Resource, Value};

use super::property::known_default;
use super::registry::check;
use super::sink::Sink;
use super::{empty_range, property_value, unknown_property};

check! {
    /// Some resource types have rules for several properties at once: exactly one of two is needed, two exclude each
    /// other, or a combination is not allowed. For example, a server boots from an image or a volume, and a subnet has
    /// a `cidr` or a subnet pool. If a rule is violated, Heat refuses the resource, and with it the stack.
    /// `wattle check template.yaml` reports the same mistake as W1207.
    ///
    /// Members of groups are checked as well, by their definition in the group.
    ///
    /// What is not known before the stack is created is assumed to be right.
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
    /// Set the properties that the type requires together:
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
    CHECK: "W0409", Error, "an invalid combination of properties", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let judged = sink.properties();
    // Other checks report properties that are wrong by themselves.
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
    // Rejected whatever the unknown values are: null, some text, and a file that is a template.
    let texts = ["x", "heat_template_version: 2021-04-16"].map(|text| Known::Text(text.to_owned()));
    let found = rules::refused(&all(model, &Known::Null));
    let others = texts.map(|open| rules::refused(&all(model, &open)));
    for (name, resource) in asked {
        let is_so = |refused: &&Refused| {
            others.iter().all(|other| other.get(&**name).is_some_and(|other| other.contains(refused)))
        };
        let mut sure = found.get(&**name).into_iter().flatten().filter(is_so).peekable();
        // Like Heat, report one error of the resource itself at a time.
        let only_one = sure.peek().is_none_or(|refused| refused.member.is_none());
        for refused in sure.take(if only_one { 1 } else { usize::MAX }) {
            let diagnostic = diagnostic(sink, name, resource, refused);
            sink.push(diagnostic);
        }
    }
}

fn diagnostic(sink: &Sink<'_, '_>, name: &Name, resource: &Resource, refused: &Refused) -> Diagnostic {
    let Refused { property, why, help, member } = refused;
    let at = property.as_deref().and_then(|path| {
        let own = path.split(['.', '[']).next()?;
        Some((path, &resource.properties.get(own)?.at))
    });
    let place = at.map_or(&resource.at, |(_, at)| at);
    let diagnostic = match (at, member) {
        // It does not involve several properties.
        (Some((path, at)), None | Some(OfMember::Type(_))) => property_value::CHECK
            .diagnostic(format!("the property `{path}` of `{name}` does not take this value: {why}"))
            .label(at, why),
        (_, Some(OfMember::Property { ty, .. })) => unknown_property::CHECK
            .diagnostic(format!("`{name}`: {why}"))
            .label(place, format!("the type `{ty}` has no property of this name")),
        (_, Some(_)) => CHECK.diagnostic(format!("`{name}`: {why}")).label(place, "its members are defined here"),
        (None, None) => CHECK
            .diagnostic(format!("`{name}`: {why}"))
            .label(&resource.at, format!("this is a rule of `{}`", resource.ty)),
    };
    let suggestion = match member {
        Some(OfMember::Property { name, known, .. }) => sink.suggest(name, known.iter().map(String::as_str)),
        Some(OfMember::Type(ty)) => sink.suggest(ty, wattle_heat::schema::types()),
        _ => None,
    };
    let parameter = at.and_then(|(path, _)| match &resource.properties.get(path)?.value {
        Expr::Leaf(Reference::Parameter(name)) => Some(name),
        _ => None,
    });
    let diagnostic = match parameter {
        Some(name) => diagnostic.note(format!("it is the default of the parameter `{name}`")),
        None => diagnostic,
    };
    diagnostic.help_if(suggestion.or_else(|| help.map(str::to_owned)))
}

/// The resources as Heat would see them, with `open` in place of every unknown value.
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
            let is_open = |part: &Expr| match part {
                Expr::Constant(_) | Expr::List(_) | Expr::Map(_) => false,
                Expr::Leaf(Reference::Parameter(name)) => known_default(self.model, name).is_none(),
                _ => true,
            };
            if binding.value.each().any(is_open) {
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
            Expr::Leaf(Reference::Parameter(name)) => {
                known_default(self.model, name).map_or_else(|| self.open.clone(), constant)
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
    use crate::check::testing::{Sketch, codes, map, parameter, resource, text};
    use crate::check::{Limits, check};
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
        // Heat does not resolve an attribute here; it tests whether the property is set, not what it is.
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
    fn members_are_what_their_group_says() {
        const GROUP: &str = r#"{"props": {"count": {"t": "integer"}, "resource_def": {"t": "map"}}}"#;
        let of = |ty: &str, properties: Expr| {
            let sketch =
                Sketch::new().resource("web", "OS::Heat::ResourceGroup").schema("OS::Heat::ResourceGroup", GROUP);
            let definition = map([("type", ty.into()), ("properties", properties)]);
            sketch.property("web", "count", 2).property("web", "resource_def", definition).model
        };
        let server = "OS::Nova::Server";
        let sound = map([("flavor", "m1.small".into()), ("image", "debian".into())]);
        assert!(codes(&of(server, sound.clone())).is_empty());
        assert_eq!(codes(&of(server, map([("flavor", "m1.small".into())]))), ["W0409"]);
        let found = check(&of(server, map([("image", "debian".into())])), &Limits::default());
        assert_eq!((found[0].code, &*found[0].message), ("W0409", "`web`: a member lacks the property `flavor`"));
        let wrong = map([("flavor", "m1.small".into()), ("image", "debian".into()), ("nmae", "a".into())]);
        let found = check(&of(server, wrong), &Limits::default());
        assert_eq!((found[0].code, &*found[0].message), ("W0401", "`web`: a member has no property `nmae`"));
        assert_eq!(found[0].help, ["did you mean `name`?"]);
        assert_eq!(found[0].labels[0].at.line, 4);
        assert_eq!(codes(&of("OS::Nova::Sever", sound.clone())), ["W0402"]);
        // Values that Heat cannot know yet, and types that exist only in one cloud.
        let open = map([("flavor", "m1.small".into()), ("image", text(["a".into(), resource("web")]))]);
        assert!(!codes(&of(server, open)).contains(&"W0409"));
        assert!(codes(&of("Acme::Server", sound)).is_empty());
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
