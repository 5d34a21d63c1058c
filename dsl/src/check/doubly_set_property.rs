//! W0406: a property is set more than once.

use crate::model::ElementKind;

use super::registry::check;
use super::sink::Sink;

check! {
    /// A property of a resource is set more than once, but only the last value would count.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").property("flavor", "m1.small").property("flavor", "m1.large"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0406"));
    /// ```
    ///
    /// Set it once:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("db", RawResource::new("OS::Nova::Server").property("flavor", "m1.large"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0406"));
    /// ```
    CHECK: "W0406", Error, "a property is set more than once", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for duplicate in sink.model.duplicates.iter().filter(|duplicate| duplicate.kind == ElementKind::Property) {
        // `RESOURCE.PROPERTY`; the names of resources may have dots, those of properties have none.
        let (resource, property) = duplicate.name.rsplit_once('.').unwrap_or(("", &duplicate.name));
        let diagnostic = CHECK
            .diagnostic(format!("the property `{property}` of `{resource}` is set more than once"))
            .label(&duplicate.again, "set again here")
            .label(&duplicate.first, "set here first")
            .help("set it once; only the last value would count");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::codes;
    use crate::model::Model;

    fn set(values: &[&str]) -> Model {
        let mut t = Topology::new("demo");
        let server = RawResource::new("OS::Nova::Server");
        t.add("db", values.iter().fold(server, |server, value| server.property("flavor", *value)));
        t.finish(Exports::new())
    }

    pub(in crate::check) fn failing() -> Model {
        set(&["m1.small", "m1.large"])
    }

    #[test]
    fn once_is_fine() {
        assert!(codes(&set(&["m1.small"])).is_empty());
    }
}
