//! W0201: a name is used twice.

use crate::model::ElementKind;

use super::registry::check;
use super::sink::Sink;

check! {
    /// Two things of the same kind, such as two resources, have the same name.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("app", RawResource::new("OS::Nova::Server"));
    /// t.add("app", RawResource::new("OS::Nova::Server"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0201"));
    /// ```
    ///
    /// Number the names, or add a module twice, which qualifies the names of its parts:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for i in 0..2 {
    ///     t.add(format!("app{i}"), RawResource::new("OS::Nova::Server"));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0201"));
    /// ```
    CHECK: "W0201", Error, "a name is used twice", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for duplicate in model
        .duplicates
        .iter()
        .filter(|duplicate| !matches!(duplicate.kind, ElementKind::Input | ElementKind::Property))
    {
        let (kind, name) = (duplicate.kind, &duplicate.name);
        let help = match (kind, name.rsplit_once('/')) {
            (ElementKind::Component, Some((server, _))) => {
                format!("give each component of `{server}` a name of its own")
            }
            _ => format!("give each {kind} a name of its own"),
        };
        let diagnostic = CHECK
            .diagnostic(format!("the {kind} `{name}` is defined twice"))
            .label(&duplicate.again, format!("`{name}` defined again here"))
            .label(&duplicate.first, format!("`{name}` first defined here"))
            .help(help);
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::{codes, modules};
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        let mut t = Topology::new("demo");
        t.add("app", RawResource::new("OS::Nova::Server"));
        t.add("app", RawResource::new("OS::Nova::Server"));
        let mut model = t.finish(Exports::new());
        let at = |line| crate::model::Source::new("blueprint.rs", line, 5);
        (model.duplicates[0].first, model.duplicates[0].again) = (at(2), at(3));
        model
    }

    #[test]
    fn modules_exports_and_forward_references_are_named_once() {
        // Its parts are not reported again, nor the illegal name `net#2`.
        assert_eq!(codes(&modules(&["net", "net"])), ["W0201"]);

        let mut t = Topology::new("demo");
        let p = t.later::<String>("p");
        let q = t.later::<String>("p");
        t.fulfil(p, "p");
        t.fulfil(q, "q");
        assert_eq!(codes(&t.finish(Exports::new().entry("p", p).entry("p", q))), ["W0201", "W0201"]);
    }

    #[test]
    fn different_kinds_of_things_may_share_a_name() {
        let mut t = Topology::new("demo");
        t.add("url", RawResource::new("OS::Neutron::Net"));
        assert!(codes(&t.finish(Exports::new().entry("url", "http://a/"))).is_empty());
    }
}
