//! W0411: a resource of a type that Heat does not have.

use wattle_heat::schema::{is_type, types};

use crate::model::{Model, Resource};

use super::registry::check;
use super::sink::Sink;

check! {
    /// A `RawResource` has a type below `OS::` or `AWS::` that Heat does not have. These names are Heat's, so this one is
    /// misspelt, and Heat refuses the stack. `wattle check template.yaml` reports the same mistake as W1201.
    ///
    /// Types with other names may come from a plug-in that only your own cloud has.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("server", RawResource::new("OS::Nova::Serverr"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0411"));
    /// ```
    ///
    /// Use the type that was meant. The types of the catalog cannot be misspelt:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("server", RawResource::new("OS::Nova::Server"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0411"));
    /// ```
    CHECK: "W0411", Error, "a resource of a type that Heat does not have", run
}

/// The prefixes of Heat's own types.
const OWN: [&str; 2] = ["OS::", "AWS::"];

/// Whether the resource has a type that Heat does not have. It may be a misspelt server, so no other check reports that it
/// is not a server.
pub(super) fn is_unknown(model: &Model, resource: &Resource) -> bool {
    let ty = &*resource.ty;
    OWN.iter().any(|own| ty.starts_with(own)) && !is_type(ty) && !model.schemas.contains_key(ty)
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, resource) in model.resources.iter().filter(|(_, resource)| is_unknown(model, resource)) {
        let otherwise = || "a type of your own cloud has another name, such as `My::Type`".to_owned();
        let diagnostic = CHECK
            .diagnostic(format!("the type `{}` of `{name}` does not exist", resource.ty))
            .label(&resource.at, "Heat has no type of this name")
            .help(sink.suggest(&resource.ty, types()).unwrap_or_else(otherwise));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes, output, sound, text};
    use crate::check::{Limits, check};
    use crate::model::{Model, Type};

    fn of(ty: &str) -> Sketch {
        Sketch::new().resource("c9", ty)
    }

    pub(in crate::check) fn failing() -> Model {
        of("OS::Nova::Serverr").model
    }

    #[test]
    fn names_below_heats_are_heats() {
        let found = check(&failing(), &Limits::default());
        assert_eq!(found[0].message, "the type `OS::Nova::Serverr` of `c9` does not exist");
        assert_eq!(found[0].help, ["did you mean `OS::Nova::Server`?"]);
        for ty in ["AWS::EC2::Instanc", "OS::Acme::Backbone", "OS::nova::server"] {
            assert_eq!(codes(&of(ty).model), ["W0411"], "{ty}");
        }
        for ty in ["OS::Nova::Server", "AWS::EC2::Instance", "Our::Backbone"] {
            assert!(!codes(&of(ty).model).contains(&"W0411"), "{ty}");
        }
        // The author declares its schema.
        assert!(codes(&of("OS::Acme::Backbone").schema("OS::Acme::Backbone", "{}").model).is_empty());
    }

    #[test]
    fn a_misspelt_server_is_one_mistake() {
        let export = text([output("db/db2", "url"), attribute("db", "name")]);
        let mut model = sound().export("x", Type::STR, export).model;
        assert!(codes(&model).is_empty());
        model.resources["db"].ty = "OS::Nova::Serverr".into();
        assert_eq!(codes(&model), ["W0411"]);
    }
}
