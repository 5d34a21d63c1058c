//! The desired state of a template: all resources, including those of nested stacks, with their properties as far as they
//! are known.
//!
//! What lives here: [`Desired`], and the stacks behind it (`part`), which resolve `OS::Heat::Value` and the outputs of
//! nested stacks and, on request, of groups (`group`); and resources whose references are resolved once their targets exist
//! (`resolved`). What must not: the consequences of a difference between two of them, and how a value is resolved
//! (`evaluate`).

mod group;
mod part;
mod resolved;

use std::collections::{BTreeSet, HashMap};

use wattle_model::{IndexMap, PropertySchema, Source};

use crate::Loaded;
use crate::evaluate::Value;
use crate::resource::{self, Class, Given, Maker};
use crate::template::Version;

use self::part::Reading;

/// The limit for the values of one deployment, in values and units of 64 characters of text. Values beyond it are unknown.
const BUDGET: u64 = 4_000_000;

/// All resources of a deployment by full name: `NAME`, or `NESTED/NAME` in a nested stack.
#[derive(Debug, Default)]
pub struct Desired {
    /// The resources that exist or may exist.
    pub resources: IndexMap<String, Resource>,
    /// The outputs of the template itself that exist or may exist.
    pub outputs: IndexMap<String, Output>,
}

/// An output of a template.
#[derive(Debug)]
pub struct Output {
    /// Its description.
    pub description: Option<String>,
    /// Its value, as far as it is known.
    pub value: Value,
    /// The version whose rules its functions follow.
    pub version: Version,
}

/// What is known about existing resources, by full name.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The values by which references to them resolve.
    pub references: HashMap<String, Value>,
    /// Their attributes.
    pub attributes: HashMap<(String, String), Value>,
}

/// A resource as Heat compares it.
#[derive(Debug)]
pub struct Resource {
    inner: resource::Resource,
    /// The other keys of its definition. `condition` is included only while its value is unknown.
    pub rest: IndexMap<&'static str, Value>,
    /// The resources that `depends_on` names.
    pub depends_on: BTreeSet<String>,
    /// Whether it is a nested stack whose resources, or members, are listed themselves.
    pub is_stack: bool,
    /// The place of its declaration. For a member of a group, the place of the group.
    pub at: Source,
    /// The version whose rules its functions follow.
    pub version: Version,
}

impl Desired {
    /// The desired state, given known facts. A group is listed, and so are its members: if only Heat knows its size, one
    /// member stands for all. The same holds for a stack whose template is given as text.
    pub fn of(loaded: &Loaded, facts: &Facts) -> Self {
        part::desired(loaded, facts, Reading::Compared)
    }

    /// Only the outputs of the template, as [`Self::of`] computes them without any facts.
    pub fn outputs_of(loaded: &Loaded) -> IndexMap<String, Output> {
        part::outputs(loaded)
    }

    /// The desired state in terms of the resources that a cloud creates: groups are the stacks of their members, and values
    /// of hidden parameters are visible. Unknown values remain expressions, for [`Resource::resolved`].
    pub fn unfolded(loaded: &Loaded) -> Self {
        part::desired(loaded, &Facts::default(), Reading::Unfolded)
    }
}

impl Resource {
    /// Its type, as written.
    pub fn ty(&self) -> &str {
        &self.inner.ty
    }

    /// The schema of a property.
    pub fn schema(&self, property: &str) -> Option<&PropertySchema> {
        self.inner.properties().schema.get(property)
    }

    /// Whether its type is a placeholder in Heat, with no implementation.
    pub fn is_placeholder(&self) -> bool {
        self.inner.is_placeholder()
    }

    /// Whether it is only a nested stack of a template, of which Heat compares only the resources.
    pub fn is_only_a_stack(&self) -> bool {
        self.is_stack && matches!(self.inner.maker, Maker::Template(_))
    }

    /// The resource as the rules of an update see it.
    pub(crate) fn compared(&self) -> Given<'_> {
        Given(&self.inner)
    }

    /// The behaviour of its type beyond its schema.
    pub(crate) fn class(&self) -> &'static Class {
        self.inner.class()
    }

    /// The names of the given properties. A property given under an outdated name appears under the name that Heat reads.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let translates = self.class().translates;
        self.inner.given.keys().map(|name| {
            match translates.iter().find(|rule| rule.to.len() == 1 && *rule.from == [name]) {
                Some(rule) => rule.to[0],
                None => name,
            }
        })
    }

    /// The given value of a property, including under an outdated name.
    pub fn given(&self, name: &str) -> Option<&Value> {
        let older = || self.class().translates.iter().find(|rule| *rule.to == [name] && rule.from.len() == 1);
        self.compared().value(name).or_else(|| self.compared().value(older()?.from[0]))
    }

    /// A property as Heat reads it: converted to the type in its schema, or its default, or null if there is none. A value
    /// that cannot be read like this is returned as given.
    pub fn property(&self, name: &str) -> Value {
        let (properties, given) = (self.inner.properties(), self.given(name));
        let is_read = properties.schema.contains_key(name) && !given.is_some_and(Value::is_cut);
        let read = if is_read { properties.get(name).ok() } else { None };
        read.or_else(|| given.cloned()).unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::parameters::Inputs;

    fn loaded(text: &str, files: &[(&str, &str)]) -> Loaded {
        let head = "heat_template_version: 2021-04-16\n";
        let files: BTreeMap<String, Vec<u8>> =
            files.iter().map(|(name, text)| ((*name).to_owned(), format!("{head}{text}").into_bytes())).collect();
        Loaded::load(&format!("{head}{text}"), "template.yaml", &files, &Inputs::default())
    }

    fn shown(desired: &Desired, resource: &str, property: &str) -> String {
        desired.resources[resource].property(property).to_model().to_string()
    }

    const ROOT: &str = "
resources:
  net: {type: OS::Neutron::Net}
  told: {type: OS::Heat::Value, properties: {value: {a: [{get_resource: net}]}}}
  part:
    type: part.yaml
    metadata: {of: {get_attr: [net, mtu]}}
    properties: {net: {get_resource: net}, tags: [{get_attr: [net, name]}, b], size: '5'}
  web: {type: OS::Nova::Server, properties: {flavor: 1, name: {get_attr: [part, name]}, key_name: {get_attr: [told, value, a, 0]}}}
";
    const PART: &str = "
parameters: {net: {type: string}, tags: {type: comma_delimited_list}, size: {type: number}}
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: {get_param: net}, name: {list_join: [x, {get_param: tags}]}}}
  volume: {type: OS::Cinder::Volume, properties: {size: {get_param: size}, metadata: {resource_facade: metadata}}}
outputs:
  name: {value: {list_join: ['-', [{get_attr: [port, name]}, {get_param: size}]]}}
  port: {value: {get_attr: [port, name]}}
";

    #[test]
    fn values_and_outputs_are_looked_through() {
        let loaded = loaded(ROOT, &[("part.yaml", PART)]);
        let desired = Desired::of(&loaded, &Facts::default());
        let names: Vec<_> = desired.resources.keys().map(String::as_str).collect();
        assert_eq!(names, ["net", "told", "part", "part/port", "part/volume", "web"]);
        assert!(desired.resources["part"].is_stack && !desired.resources["web"].is_stack);
        for (resource, property, expected) in [
            // As Heat reads them: converted to the type in the schema, under the effective name.
            ("web", "flavor", r#""1""#),
            ("part/port", "network", r#"{"get_resource":"net"}"#),
            ("part/volume", "size", "5"),
            ("part/volume", "metadata", r#"{"of":{"get_attr":["net","mtu"]}}"#),
            ("part/port", "name", r#"{"list_join":["x",[{"get_attr":["net","name"]},"b"]]}"#),
            ("web", "key_name", r#"{"get_resource":"net"}"#),
            // Heat does not join a number as text.
            ("web", "name", r#"{"list_join":["-",[{"get_attr":["part/port","name"]},5]]}"#),
        ] {
            assert_eq!(shown(&desired, resource, property), expected, "{resource}: {property}");
        }
        let facts = Facts {
            references: [("net".to_owned(), "4711".into())].into(),
            attributes: [(("net".to_owned(), "name".to_owned()), "n".into())].into(),
        };
        let known = Desired::of(&loaded, &facts);
        assert_eq!(shown(&known, "part/port", "network"), r#""4711""#);
        assert_eq!(shown(&known, "part/port", "name"), r#""nxb""#);
        assert_eq!(shown(&known, "web", "key_name"), r#""4711""#);
    }

    #[test]
    fn a_condition_that_is_not_known_takes_nothing_out() {
        let text = "
parameters: {p: {type: string}}
conditions: {no: false, open: {equals: [{get_param: p}, x]}}
resources:
  a: {type: OS::Heat::None, condition: no}
  b: {type: OS::Heat::None, condition: open}
  c: {type: OS::Heat::None, condition: {not: no}, deletion_policy: Retain, external_id: x, metadata: {a: 1}}
";
        let desired = Desired::of(&loaded(text, &[]), &Facts::default());
        let rest = |name: &str| desired.resources[name].rest.keys().copied().collect::<Vec<_>>();
        assert_eq!(desired.resources.keys().collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!((rest("b"), rest("c")), (vec!["condition"], vec!["metadata", "external_id"]));
    }

    #[test]
    fn it_ends_whatever_refers_to_what() {
        let value = |name: usize, value: &str| {
            format!("  v{name}: {{type: OS::Heat::Value, properties: {{value: {value}}}}}\n")
        };
        let of = |name: usize| format!("{{get_attr: [v{name}, value]}}");
        // Each is twice as large as the one before.
        let twice: String = (1..60).map(|name| value(name, &format!("[{0}, {0}]", of(name - 1)))).collect();
        let desired = Desired::of(&loaded(&format!("resources:\n{}{twice}", value(0, "x")), &[]), &Facts::default());
        assert_eq!(desired.resources.len(), 60);
        assert!(desired.resources["v59"].property("value").is_cut());
        // A chain longer than any allowed depth, from either end.
        let chain: Vec<String> = (1..2_000).map(|name| value(name, &of(name - 1))).collect();
        for chain in [chain.concat(), chain.iter().rev().cloned().collect()] {
            let desired =
                Desired::of(&loaded(&format!("resources:\n{chain}{}", value(0, "x")), &[]), &Facts::default());
            assert_eq!(shown(&desired, "v20", "value"), "\"x\"");
            assert_eq!(desired.resources.len(), 2_000);
        }
        // Values that contain themselves, directly and nested.
        let ring = format!("resources:\n{}{}", value(0, &of(1)), value(1, &of(0)));
        let desired = Desired::of(&loaded(&ring, &[]), &Facts::default());
        assert_eq!(shown(&desired, "v0", "value"), r#"{"get_attr":["v1","value"]}"#);
        let part = "resources: {a: {type: part.yaml}, b: {type: part.yaml}}\noutputs: {o: {value: {get_attr: [a, o]}}}";
        let root = format!("resources:\n  part: {{type: part.yaml}}\n{}", value(0, "{get_attr: [part, o]}"));
        let desired = Desired::of(&loaded(&root, &[("part.yaml", part)]), &Facts::default());
        assert_eq!(desired.resources.len(), 1 + 1 + (2 + 4 + 8 + 16 + 32));
    }
}
