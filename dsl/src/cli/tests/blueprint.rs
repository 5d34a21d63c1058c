//! The blueprint that the tests run, written without macros.

use std::cell::RefCell;

use serde::Deserialize;

use crate::author::{
    Blueprint, Export, Exports, Parameter, ParameterOptions, Parameters, PortType, RawResource, Secret, Topology,
};
use crate::model::Source;

pub(super) const SOURCE: &str = "\
#[blueprint]
pub fn demo(t: &mut Topology, p: Settings, c: Config) -> Exports {
    t.later::<String>(\"loose\");
}
";

thread_local! {
    /// The configuration of the last run.
    pub(super) static CONFIG: RefCell<Option<Config>> = const { RefCell::new(None) };
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Config {
    pub(super) nodes: u16,
    pub(super) loose: bool,
    pub(super) cell: Cell,
    pub(super) profile: Profile,
    pub(super) label: Option<String>,
    pub(super) version: String,
    pub(super) tags: std::collections::BTreeMap<String, i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Profile {
    #[default]
    Small,
    Large,
    Custom {
        cores: u8,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Cell {
    pub(super) name: String,
    pub(super) members: Vec<u8>,
    pub(super) inner: Option<Box<Cell>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            nodes: 2,
            loose: false,
            cell: Cell::default(),
            profile: Profile::Small,
            label: None,
            version: "8.0".into(),
            tags: std::collections::BTreeMap::new(),
        }
    }
}

pub(super) struct Settings {
    image: Parameter<String>,
    password: Parameter<Secret<String>>,
}

impl Parameters for Settings {
    fn declare(t: &mut Topology) -> Self {
        let options = |description, default: Option<&str>| ParameterOptions {
            description,
            default: default.map(Into::into),
            ..ParameterOptions::default()
        };
        let at = Source::new("src/demo.rs", 1, 1);
        let image = options("Glance image of every server.\n\nAny Debian.", Some("debian-12"));
        let image = t.parameter("image", String::port_type(), image, at.clone());
        let password = options("Password of the owner.", None);
        let password = t.parameter("password", Secret::<String>::port_type(), password, at);
        Self { image, password }
    }
}

pub(super) struct Demo;

impl Blueprint for Demo {
    const NAME: &'static str = "demo";
    const DESCRIPTION: &'static str = "A few servers in a row.\n\nFor tests.";
    type Parameters = Settings;
    type Config = Config;

    fn at(&self) -> Source {
        Source::new("src/demo.rs", 2, 1)
    }

    fn build(&self, t: &mut Topology, p: Settings, c: Config) -> Exports {
        for number in 0..c.nodes {
            let server = RawResource::new("OS::Nova::Server").property("image", p.image).property("flavor", "m1.small");
            t.add(format!("server{number}"), server);
        }
        CONFIG.set(Some(c));
        Exports::new().entry(Export::<Secret<String>>::new("demo", "password"), p.password)
    }

    fn model(&self, config: Config) -> crate::model::Model {
        let loose = config.loose;
        let mut t = Topology::new(Self::NAME);
        let parameters = Settings::declare(&mut t);
        let exports = self.build(&mut t, parameters, config);
        let mut model = t.finish(exports);
        // Two resources that need each other, at places of the source above.
        if loose && model.resources.len() > 1 {
            for (index, other, column) in [(0, "server1", 7), (1, "server0", 5)] {
                let binding = crate::model::Binding {
                    value: crate::model::Expr::resource(other),
                    at: Source::new("src/demo.rs", 3, column),
                };
                model.resources[index].ty = "OS::Heat::Value".into();
                model.resources[index].properties.insert("hint".into(), binding);
            }
        }
        model
    }
}

/// A blueprint that exports nothing.
pub(super) struct Quiet;

impl Blueprint for Quiet {
    const NAME: &'static str = "quiet";
    const DESCRIPTION: &'static str = "A server.";
    type Parameters = ();
    type Config = ();

    fn at(&self) -> Source {
        Source::new("src/demo.rs", 2, 1)
    }

    fn build(&self, t: &mut Topology, (): (), (): ()) -> Exports {
        t.add(
            "server",
            RawResource::new("OS::Nova::Server").property("flavor", "m1.small").property("image", "debian-12"),
        );
        Exports::new()
    }
}
