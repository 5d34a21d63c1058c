//! W0908: a name that Heat's deployments need for something else.

use crate::lower::native;

use super::registry::check;
use super::sink::Sink;

check! {
    /// The model is lowered for Heat's own agents (`--lowering heat-native`), in which a name already has another
    /// meaning.
    ///
    /// Heat gives each deployment inputs of its own and takes outputs of its own from it, whose names begin with
    /// `deploy_`. A deployment is named `SERVER.COMPONENT`, which may also be the name of a resource in a module. The
    /// name of a deployment can have at most 255 bytes.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new());
    /// // #[input(default = 80)]
    /// // deploy_action: u16,
    /// # for kind in model.declarations.values_mut() {
    /// #     let port = kind.inputs.shift_remove("port").expect("an input");
    /// #     kind.inputs.insert("deploy_action".into(), port);
    /// # }
    /// # assert!(wattle::check::finds(&model, "W0908"));
    /// ```
    ///
    /// Choose another name:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # t.on(server).run("web", Web::new());
    /// # let model = t.finish(Exports::new());
    /// // #[input(default = 80)]
    /// // port: u16,
    /// # assert!(!wattle::check::finds(&model, "W0908"));
    /// ```
    CHECK: "W0908", Error, "a name that Heat's deployments need for something else", run, only HeatNative
}

/// The prefix of Heat's own inputs and outputs of a deployment.
const RESERVED: &str = "deploy_";

/// The maximum length of a resource name in Heat.
const LONGEST: usize = 255;

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for kind in model.declarations.values() {
        let inputs = kind.inputs.iter().map(|(name, input)| ("input", name, &input.at));
        let outputs = kind.outputs.iter().map(|(name, output)| ("output", name, &output.at));
        for (what, name, at) in inputs.chain(outputs).filter(|(_, name, _)| name.starts_with(RESERVED)) {
            let diagnostic = CHECK
                .diagnostic(format!("the {what} `{name}` of `{}` has a name that Heat reserves", kind.name))
                .label(at, "Heat uses, or may use, this name in its deployments")
                .help(format!("give it a name that does not begin with `{RESERVED}`"));
            sink.push(diagnostic);
        }
    }
    for component in model.components.values() {
        let name = native::deployment_name(component);
        if let Some(resource) = model.resources.get(&name) {
            let diagnostic = CHECK
                .diagnostic(format!("the deployment of `{}` and a resource are both called `{name}`", component.name))
                .label(&component.at, "its deployment has this name")
                .label(&resource.at, "and so does this resource")
                .help("rename the component or the resource");
            sink.push(diagnostic);
        } else if name.len() > LONGEST {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the name of the deployment of `{}` has {} bytes, but Heat allows at most {LONGEST}",
                    component.name,
                    name.len()
                ))
                .label(&component.at, "its deployment is called `SERVER.COMPONENT`")
                .help("give the server or the component a shorter name");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{native_codes, sound};
    use crate::model::{Model, Module, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().kind("Web", &[("deploy_action", Type::STR)], &[]).model
    }

    #[test]
    fn a_resource_of_a_module_may_be_called_as_a_deployment() {
        let mut sketch = sound();
        let at = sketch.at();
        sketch.model.modules.insert("db".into(), Module { kind: "Db".into(), at });
        let model = sketch.resource("db.db2", "OS::Neutron::Net").model;
        assert_eq!(native_codes(&model), ["W0908"]);
    }

    #[test]
    fn a_name_may_be_too_long() {
        let long = |length: usize| {
            let name = "c".repeat(length);
            native_codes(&sound().kind("Web", &[], &[]).component("db", &name, "Web").model)
        };
        assert!(long(252).is_empty());
        assert_eq!(long(253), ["W0908"]);
    }
}
