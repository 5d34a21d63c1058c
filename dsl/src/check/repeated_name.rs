//! W0311: several servers have the same name.

use super::counted::{members, text_of};
use super::registry::check;
use super::sink::Sink;
use crate::model::{IndexMap, Name, Source};

check! {
    /// Several servers have the same name. Nova allows this, but gives them all the same host name, so it does not
    /// identify them. A name in the definition of a group's members is reported too, if the group has several members.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for name in ["left", "right"] {
    ///     t.add(name, RawResource::new("OS::Nova::Server").property("name", "web"));
    /// }
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0311"));
    /// ```
    ///
    /// Give each server its own name:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for name in ["left", "right"] {
    ///     t.add(name, RawResource::new("OS::Nova::Server").property("name", text!("web-{}", name)));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0311"));
    /// ```
    CHECK: "W0311", Warning, "several servers have the same name", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut named: IndexMap<&str, Vec<(&Name, &Source)>> = IndexMap::default();
    for (name, server) in model.resources.iter().filter(|(_, resource)| resource.is_server()) {
        let is_certain = server.condition.is_none() && server.external_id.is_none();
        let Some(binding) = server.properties.get("name").filter(|_| is_certain) else { continue };
        if let Some(given) = text_of(&binding.value) {
            named.entry(given).or_default().push((name, &binding.at));
        }
    }
    for (given, servers) in named {
        let [(one, first), (other, second), more @ ..] = &*servers else { continue };
        let more = match more.len() {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        let mut diagnostic = CHECK
            .diagnostic(format!("the servers `{one}` and `{other}`{more} are all named `{given}`"))
            .label(second, "named here");
        if first != second {
            diagnostic = diagnostic.label(first, "and here");
        }
        sink.push(diagnostic.help("give each its own name, or let Heat choose the names"));
    }
    for group in members(model).filter(|group| group.ty == "OS::Nova::Server") {
        let Some(given) = group.one_name() else { continue };
        let diagnostic = CHECK
            .diagnostic(format!("{} of `{}` are named `{given}`", group.all("servers"), group.name))
            .label(group.at, "named here")
            .help(group.own_names(given, "let Heat choose the names"));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map, parameter, text};
    use crate::model::{Expr, Model, Type};

    fn servers(name: impl Fn(&str) -> Expr) -> Sketch {
        let sketch = Sketch::new().parameter("name", Type::STR).export("name", Type::STR, parameter("name"));
        let sketch = sketch.server("left").property("left", "name", name("left"));
        sketch.server("right").property("right", "name", name("right"))
    }

    pub(in crate::check) fn failing() -> Model {
        servers(|_| "web".into()).model
    }

    #[test]
    fn names_of_their_own_are_fine() {
        assert!(codes(&servers(|name| format!("web-{name}").as_str().into()).model).is_empty());
        assert!(codes(&servers(|name| text([parameter("name"), name.into()])).model).is_empty());
    }

    #[test]
    fn members_of_a_group_are_counted() {
        let group = |name: &str, index: Option<&str>| {
            let properties = map([("name", name.into())]);
            let member = map([("type", "OS::Nova::Server".into()), ("properties", properties)]);
            let mut sketch = Sketch::new().resource("group", "OS::Heat::ResourceGroup").property("group", "count", 3);
            if let Some(index) = index {
                sketch = sketch.property("group", "index_var", index);
            }
            codes(&sketch.property("group", "resource_def", member).model)
        };
        assert_eq!(group("web", None), ["W0311"]);
        assert!(group("web-%index%", None).is_empty());
        assert!(group("web-N", Some("N")).is_empty());
    }
}
