//! A small stack with secrets, and `wattle up --ui` for it.

use std::time::Duration;

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::diagram::{self, Diagram};
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::running::{Foreground, Stage};

/// The password, which must never be visible.
pub(crate) const PASSWORD: &str = "hunter2-tell-nobody";

/// Confides.
#[component(recipe = "recipes/confide.sh", deadline = "5m")]
pub(crate) struct Confide {
    /// What is confided.
    #[input]
    password: Secret<String>,
    /// How it feels.
    #[input]
    mood: Option<String>,
    /// Seconds that it takes.
    #[input]
    takes: Option<u16>,
    /// Whether it then waits until the test lets it go.
    #[input]
    held: Option<bool>,
    /// A secret that it makes.
    #[output]
    token: Secret<String>,
    /// How it feels now.
    #[output]
    felt: String,
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// The password.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// How the run goes.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Story {
    /// `bad`: the first component fails. `loud`: it prints a lot.
    mood: String,
    /// How many seconds the first component takes.
    takes: u16,
    /// Whether the first component waits until the test releases it.
    held: bool,
}

/// Three components that pass secrets to each other.
#[blueprint]
pub(crate) fn secrets(t: &mut Topology, p: Settings, story: Story) {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let server = || nova::Server::new().image("debian-12").flavor("m1.small").network(net);
    let servers = ["a", "b", "c"].map(|name| t.add(name, server()));
    let first = Confide::new().password(p.password).mood(story.mood).takes(story.takes).held(story.held);
    let first = t.on(servers[0]).run("first", first);
    let second = t.on(servers[1]).run("second", Confide::new().password(first.token).mood(first.felt));
    t.on(servers[2]).run("third", Confide::new().password(second.token));
}

pub(crate) fn model(mood: &str, takes: u16) -> Model {
    secrets.model(Story { mood: mood.into(), takes, held: false })
}

/// The same, with a first component that waits until it is released.
pub(crate) fn held(mood: &str) -> Model {
    secrets.model(Story { mood: mood.into(), takes: 0, held: true })
}

/// A running stack, and the URL of its view.
pub(crate) struct Shown {
    pub(crate) stage: Stage,
    pub(crate) up: Foreground,
    pub(crate) url: String,
}

impl Shown {
    /// `wattle up --ui` of the three components.
    pub(crate) fn up(mood: &str) -> Self {
        Self::telling(Story { mood: mood.into(), ..Story::default() })
    }

    /// The same, with a first component that waits until [released](Self::let_go).
    pub(crate) fn held() -> Self {
        Self::telling(Story { held: true, ..Story::default() })
    }

    /// The same, and the first component then prints a lot.
    pub(crate) fn held_loud() -> Self {
        Self::telling(Story { mood: "loud".into(), held: true, ..Story::default() })
    }

    fn telling(story: Story) -> Self {
        Self::of(&secrets.model(story), &["--parameter", &format!("password={PASSWORD}")])
    }

    /// Releases the first component, so that everything ends.
    pub(crate) fn let_go(&self) {
        self.tell("go");
    }

    /// Makes the first component fail.
    pub(crate) fn let_fail(&self) {
        self.tell("go-badly");
        self.tell("go");
    }

    fn tell(&self, what: &str) {
        std::fs::write(self.stage.path().join(".wattle/servers/a/state").join(what), "").expect("writes");
    }

    /// `wattle up --ui` of another stack.
    pub(crate) fn of(model: &Model, options: &[&str]) -> Self {
        Self::drawn(model, diagram::of(model), options)
    }

    /// The same, with this diagram of it.
    pub(crate) fn drawn(model: &Model, diagram: Diagram, options: &[&str]) -> Self {
        let stage = Stage::new(model);
        let diagram = diagram.without_texts().to_json();
        std::fs::write(stage.path().join("graph.json"), diagram).expect("writes");
        let mut up = stage.up(&[&["--ui", "--network", "loopback"], options].concat());
        let url = url(&mut up);
        Self { stage, up, url }
    }
}

/// The URL that a command has printed.
pub(crate) fn url(command: &mut Foreground) -> String {
    command.wait_for("live view: ", Duration::from_mins(2));
    let said = command.said();
    let line = said.lines().find_map(|line| line.split_once("live view: ")).expect("said");
    line.1.to_owned()
}
