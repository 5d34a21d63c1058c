//! W0410: a function with invalid arguments.

use std::collections::HashMap;

use wattle_heat::Loaded;
use wattle_heat::rules::{Called, Stands, calls};

use crate::emit;
use crate::lower::hot::{Hot, HotResource, Template};
use crate::lower::resolve::{Late, for_heat_with};
use crate::lower::template::with_parameters;
use crate::model::{Expr, Model, Name, Reference, Source};

use super::place::{self, Place};
use super::registry::check;
use super::sink::Sink;

check! {
    /// A Heat function is called with too few or too many arguments, or with arguments of the wrong type. Either Heat
    /// refuses the stack, or the computation of the value fails. `wattle check template.yaml` reports the same mistake
    /// as W1110.
    ///
    /// What is not known before the stack is created is assumed to be right.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let name = hot::str_replace("x", [("", "b")]);
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("name", name));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0410"));
    /// ```
    ///
    /// Call the function with valid arguments:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let name = hot::str_replace("x", [("x", "b")]);
    /// t.add("net", RawResource::new("OS::Neutron::Net").property("name", name));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0410"));
    /// ```
    CHECK: "W0410", Error, "a function with invalid arguments", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let written = Written::of(model);
    if written.places.is_empty() {
        return;
    }
    // Another check reports what a template cannot express.
    let Ok(text) = emit::to_json(&written.template) else { return };
    for Called { within, why, help, late } in calls(&Loaded::of(&text, "")) {
        let Some((place, at)) = written.places.get(&within) else { continue };
        // Values that Heat only shows become empty if a function fails; everything else needs the value.
        let is_shown = matches!(place, Place::Output(_) | Place::Setting { .. });
        if late && (is_shown || matches!(place, Place::Condition(_))) {
            continue;
        }
        let diagnostic = CHECK.diagnostic(format!("{place} cannot be computed: {why}"));
        sink.push(diagnostic.label(at, "called here").help(help));
    }
}

/// All function calls, as a template.
struct Written<'m> {
    template: Template,
    /// The origin of each part of the template.
    places: HashMap<Stands, (Place<'m>, &'m Source)>,
}

impl<'m> Written<'m> {
    fn of(model: &'m Model) -> Self {
        let mut template = with_parameters(model);
        // Messages must not show secrets.
        template.parameters.values_mut().filter(|parameter| parameter.hidden).for_each(|secret| secret.default = None);
        let mut places = HashMap::new();
        place::each(model, |place, at, value| {
            let is_call = |part: &Expr| matches!(part, Expr::Function { .. });
            if !value.each().any(is_call) {
                return;
            }
            let written = || for_heat_with(value, &Later);
            match place {
                Place::Condition(name) => {
                    places.insert(Stands::Condition(name.to_string()), (place, at));
                }
                Place::Property { resource, property } => {
                    let known = &model.resources[resource];
                    if known.external_id.is_some() {
                        return;
                    }
                    let given = template.resources.entry(resource.clone()).or_insert_with(|| {
                        let condition =
                            known.condition.as_deref().map(|condition| Box::new(for_heat_with(condition, &Later)));
                        HotResource { condition, ..HotResource::new(known.ty.clone()) }
                    });
                    given.properties.push((property.clone(), written()));
                    places.insert(Stands::Property(resource.to_string(), property.to_string()), (place, at));
                }
                // No author's resource has such a name.
                _ => {
                    let name: Name = format!("wattle/{}", places.len()).into();
                    let holder = HotResource {
                        metadata: Some(Box::new(written())),
                        ..HotResource::new("OS::Heat::Value".into())
                    };
                    places.insert(Stands::Setting(name.to_string()), (place, at));
                    template.resources.insert(name, holder);
                }
            }
        });
        Self { template, places }
    }
}

/// Values that are known only once software runs. Attributes are not known before that either.
struct Later;

impl Late for Later {
    fn value(&self, _: &Reference) -> Hot {
        Hot::GetAttr { resource: "wattle".into(), attribute: "later".into(), path: Vec::new() }
    }

    fn text(&self, expr: &Expr) -> Hot {
        for_heat_with(expr, self)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, output, parameter, secret, sound};
    use crate::check::{Limits, check};
    use crate::model::{Condition, Expr, Model, Type};

    fn named(name: Expr) -> Sketch {
        Sketch::new().resource("net", "OS::Neutron::Net").property("net", "name", name)
    }

    fn replaced(what: &str) -> Expr {
        Expr::function("str_replace", map([("template", "x".into()), ("params", map([(what, "b".into())]))]))
    }

    pub(in crate::check) fn failing() -> Model {
        named(replaced("")).model
    }

    #[test]
    fn it_is_reported_at_the_property() {
        let found = check(&named(map([("a", replaced(""))])).model, &Limits::default());
        assert!(
            found[0].message.starts_with("the property `name` of `net` cannot be computed: `str_replace`: "),
            "{found:?}"
        );
        assert_eq!(found[0].labels[0].at.line, 3);
        assert!(codes(&named(replaced("x")).model).is_empty());
        let yaql =
            Expr::function("yaql", map([("expression", "$.data.nope".into()), ("data", map([("a", 1.into())]))]));
        assert_eq!(codes(&named(yaql).model), ["W0410"]);
        for expression in ["$.data.(", "$.data[", "$.data.a.nosuch()", "$.data.nope.len()", ""] {
            let data = map([("a", 1.into())]);
            let yaql = Expr::function("yaql", map([("expression", expression.into()), ("data", data)]));
            assert_eq!(codes(&named(yaql).model), ["W0410"], "{expression}");
        }
    }

    #[test]
    fn conditions_and_inputs_are_computed_too() {
        let mut model = sound().model;
        let equals = Expr::function("equals", Expr::list([1.into()]));
        model.conditions.insert("c".into(), Condition::new(equals, model.at.clone()));
        assert!(codes(&model).contains(&"W0410"));
        let wired = |value: Expr| {
            let sketch = sound().kind("Web", &[("url", Type::Any)], &[]).component("db", "web", "Web");
            codes(&sketch.input("db/web", "url", value).model)
        };
        assert!(wired(replaced("")).contains(&"W0410"));
        // An unknown value may be valid.
        let joined = |item: Expr| Expr::function("list_join", Expr::list([",".into(), Expr::list([item])]));
        assert!(!wired(joined(output("db/db2", "url"))).contains(&"W0410"));
        assert!(wired(joined(map([("a", 1.into())]))).is_empty());
        assert!(wired(joined(1.into())).contains(&"W0410"));
    }

    #[test]
    fn defaults_of_parameters_count_unless_they_are_secret() {
        let with = |ty: Type| {
            let split = Expr::function("str_split", Expr::list([parameter("delimiter"), "a".into()]));
            let mut model = named(split).parameter("delimiter", ty).model;
            model.parameters["delimiter"].default = Some("".into());
            codes(&model)
        };
        assert!(with(Type::STR).contains(&"W0410"));
        assert!(!with(secret(Type::STR)).contains(&"W0410"));
    }
}
