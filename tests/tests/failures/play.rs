//! The software of the servers in these tests: components that follow instructions, each of which may read from another
//! one.

use std::collections::HashMap;

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

/// Follows an instruction.
#[component(recipe = "recipes/act.sh")]
pub(crate) struct Act {
    /// Its own name.
    #[input]
    name: String,
    /// What to do.
    #[input]
    act: String,
    /// What it has heard.
    #[input]
    heard: Option<String>,

    /// What it says.
    #[output]
    said: String,
    /// How long that is.
    #[output]
    count: u16,
}

/// Components, in order.
#[derive(Clone, Deserialize, Default)]
#[serde(default)]
pub(crate) struct Play {
    pub(crate) acts: Vec<One>,
    /// The operator's word, which components without a source read.
    pub(crate) word: String,
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Given {
    /// The word that components without a source read.
    #[parameter(default = "")]
    word: Parameter<String>,
}

/// A component.
#[derive(Clone, Deserialize)]
pub(crate) struct One {
    /// Where it runs.
    pub(crate) server: String,
    /// Its own name.
    pub(crate) name: String,
    /// What it does: see `recipes/act.sh`.
    pub(crate) act: String,
    /// The component from which it reads, as `SERVER/COMPONENT`.
    pub(crate) heard: Option<String>,
}

impl One {
    /// `SERVER/COMPONENT`.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }
}

impl Play {
    /// Parses lines such as `b/two say < a/one`.
    pub(crate) fn of(lines: &[&str]) -> Self {
        let one = |line: &&str| {
            let (what, heard) = line.split_once(" < ").map_or((*line, None), |(what, heard)| (what, Some(heard)));
            let (path, act) = what.split_once(' ').expect("SERVER/COMPONENT ACT");
            let (server, name) = path.split_once('/').expect("SERVER/COMPONENT");
            One { server: server.into(), name: name.into(), act: act.into(), heard: heard.map(str::to_owned) }
        };
        Self { acts: lines.iter().map(one).collect(), word: String::new() }
    }

    pub(crate) fn model(&self) -> Model {
        failures.model(self.clone())
    }

    /// The servers, in order.
    pub(crate) fn servers(&self) -> Vec<String> {
        let mut servers: Vec<String> = Vec::new();
        for one in &self.acts {
            if !servers.contains(&one.server) {
                servers.push(one.server.clone());
            }
        }
        servers
    }

    pub(crate) fn find(&self, path: &str) -> &One {
        self.acts.iter().find(|one| one.path() == path).expect("there is such a component")
    }

    /// Components that must succeed before `one` begins.
    pub(crate) fn needs(&self, one: &One) -> Vec<&One> {
        let on_server: Vec<&One> = self.acts.iter().filter(|other| other.server == one.server).collect();
        let at = on_server.iter().position(|other| other.name == one.name).expect("it is there");
        let before = at.checked_sub(1).map(|before| on_server[before]);
        before.into_iter().chain(one.heard.as_deref().map(|heard| self.find(heard))).collect()
    }

    /// The output of `one` if everything succeeds.
    pub(crate) fn said(&self, one: &One) -> String {
        let said = self.counted(one);
        if one.act.ends_with("fill") { format!("{said} {}", "\"".repeat(40_000)) } else { said }
    }

    /// The length of the output that the recipe reports.
    pub(crate) fn count(&self, one: &One) -> i128 {
        self.counted(one).len().try_into().expect("short")
    }

    /// The input of `one` if everything succeeds.
    pub(crate) fn heard(&self, one: &One) -> String {
        one.heard.as_deref().map_or_else(|| self.word.clone(), |heard| self.said(self.find(heard)))
    }

    /// The text whose length the recipe reports, without what fills a disk.
    fn counted(&self, one: &One) -> String {
        let heard = self.heard(one);
        if heard.is_empty() { one.name.clone() } else { format!("{} after {heard}", one.name) }
    }
}

/// Servers on a network, with components on them.
#[blueprint]
pub(crate) fn failures(t: &mut Topology, p: Given, play: Play) {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let servers: HashMap<String, _> = play
        .servers()
        .into_iter()
        .map(|name| {
            let server = t.add(&name, nova::Server::new().image("debian-12").flavor("m1.small").network(net));
            (name, server)
        })
        .collect();
    let mut done: HashMap<String, Act> = HashMap::new();
    for one in &play.acts {
        let act = Act::new().name(one.name.clone()).act(one.act.clone());
        let act = match &one.heard {
            Some(heard) => act.heard(done[heard].said),
            None => act.heard(p.word),
        };
        let handle = t.on(servers[&one.server]).run(&one.name, act);
        done.insert(one.path(), handle);
    }
}
