//! W0207: a `moved_from` name that cannot have been deployed.

use crate::analysis::identity::Identities;
use crate::model::ElementKind;

use super::illegal_name::is_name;
use super::registry::check;
use super::sink::Sink;

check! {
    /// `moved_from` gives a name under which the thing cannot have been deployed.
    ///
    /// Names consist of letters, digits, `_` and `-`. The names of modules and of their contents are separated by dots.
    /// A component belongs to its server: on another server it is a different component, which runs again.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").moved_from("old db"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0207"));
    /// ```
    ///
    /// Give the name under which it was deployed:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").moved_from("old_db"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0207"));
    /// ```
    CHECK: "W0207", Error, "a `moved_from` name that cannot have been deployed", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    if model.moved.is_empty() {
        return;
    }
    let identities = Identities::of(model);
    for (at, moved) in model.moved.iter().enumerate() {
        let again = model.moved[..at].iter().find(|other| other.kind == moved.kind && other.name == moved.name);
        let diagnostic = |text: String| CHECK.diagnostic(text);
        let what = format!("the {} `{}`", moved.kind, moved.name);
        if let Some(first) = again {
            let diagnostic = diagnostic(format!("{what} is moved from two names"))
                .label(&moved.at, format!("`{}` here", moved.from))
                .label(&first.at, format!("and `{}` here", first.from))
                .help("keep the name under which it was first deployed");
            sink.push(diagnostic);
            continue;
        }
        let (server, name) = match moved.from.rsplit_once('/') {
            Some((server, name)) if moved.kind == ElementKind::Component => (Some(server), name),
            _ => (None, &*moved.from),
        };
        let own = if moved.kind == ElementKind::Component { name } else { name.strip_prefix('.').unwrap_or(name) };
        let is_legal = match moved.kind {
            ElementKind::Component => is_name(own),
            _ => own.split('.').all(is_name),
        };
        if !is_legal {
            let diagnostic = diagnostic(format!("{what} cannot have been deployed as `{}`", moved.from))
                .label(&moved.at, "not a name")
                .help("a name has letters, digits, `_` and `-`, and begins with a letter; dots lead into modules");
            sink.push(diagnostic);
            continue;
        }
        let Some(component) = model.components.get(&moved.name) else { continue };
        let identity = identities.resource(&component.server);
        if let Some(server) = server.filter(|server| *server != &**identity) {
            let diagnostic = diagnostic(format!("{what} cannot have run on the server `{server}`"))
                .label(&moved.at, format!("its own server is deployed as `{identity}`"))
                .help(format!("if that server was renamed, declare it on the server: `.moved_from(\"{server}\")`"))
                .help("a component on another server is a different one: remove this, and it runs there again");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, MovedFrom as _, RawResource, Topology};
    use crate::check::testing::{Sketch, codes};
    use crate::model::{ElementKind, Model};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new().server("db").moved(ElementKind::Resource, "db", "old db").model
    }

    fn component(from: &str) -> Vec<&'static str> {
        let sketch = Sketch::new().server("db").kind("K", &[], &[]).component("db", "k", "K");
        codes(&sketch.moved(ElementKind::Component, "db/k", from).model)
    }

    #[test]
    fn a_component_stays_on_its_server() {
        assert!(component("old").is_empty() && component("db/old").is_empty());
        assert_eq!(component("other/k"), ["W0207"]);
        assert_eq!(component("a.b"), ["W0207"]);
        assert_eq!(component("db/"), ["W0207"]);
    }

    #[test]
    fn one_name_is_enough() {
        let mut t = Topology::new("demo");
        t.add("db", RawResource::new("OS::Heat::None").moved_from("a").moved_from("b"));
        assert_eq!(codes(&t.finish(Exports::new())), ["W0207"]);
    }
}
