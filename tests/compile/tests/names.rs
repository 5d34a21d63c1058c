//! Names that could break the macros: keywords, shadowed standard types, no prelude.

#[allow(dead_code, missing_docs)]
pub mod shadowed {
    struct String;
    struct Option;
    struct Vec;
    struct Result;
    trait Into {}
    trait From {}

    /// A component where every usual name means something else.
    #[wattle::component(recipe = "recipes/app.sh")]
    pub struct Some {
        #[input]
        r#in: bool,
        #[input]
        inputs: bool,
        #[input]
        value: bool,
        #[input]
        self_: bool,
        #[input(default = true)]
        r#type: bool,
        #[allow(non_snake_case)]
        #[input]
        a_b: bool,
        #[allow(non_snake_case)]
        #[input]
        aB: bool,
        #[output(dynamic)]
        r#ref: wattle::prelude::Url,
    }

    /// A value.
    #[derive(wattle::PortType)]
    pub struct Ok {
        r#type: u16,
        t: bool,
    }

    /// Parameters.
    #[derive(wattle::Parameters)]
    pub struct Default {
        t: wattle::prelude::Parameter<u16>,
        r#type: wattle::prelude::Parameter<f64>,
    }

    /// A blueprint called like the variables of its expansion.
    #[wattle::blueprint]
    pub fn topology(t: &mut wattle::prelude::Topology, parameters: Default) {
        let server = t.add("x", wattle::prelude::RawResource::new("OS::Nova::Server"));
        let text = "text";
        let r#type = 1_u8;
        let _ = wattle::text!("{text}{}{}{r#type}{r#type}", parameters.t, text);
        let some =
            t.on(server).run("some", Some::new().value(true).inputs(true).r#in(true).self_(true).a_b(true).aB(true));
        let _ = some.r#ref;
    }
}

#[test]
fn no_name_trips_the_macros_over() {
    let model = wattle::author::Blueprint::model(&shadowed::topology, wattle::author::NoConfig {});
    assert_eq!(model.components["x/some"].inputs.len(), 6);
    assert!(model.parameters.contains_key("type"));
}
