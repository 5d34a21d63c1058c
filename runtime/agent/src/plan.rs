//! What a server is to do, written by `seed apply` for its agent.

use serde::{Deserialize, Serialize};
use wattle_model::{Alternatives, Name, Order, Predicate, Tree, Type};
use wattle_model::{IndexMap, IndexSet, requirement::Operand};

use crate::revision::Revision;
use crate::seed::{SeedAttribute, SeedOutput, SeedRecipe};

/// What a server is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The number of the revision in which it was last another.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The other servers of the stack that it reads from. Former versions wrote none: all plans had one number then.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub writers: IndexMap<Name, Writer>,
    /// What the server's own signatures are judged by: the public half of its key. None of a server that signs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Name>,
    /// The same of servers of other stacks that it reads from, by stack and server.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub foreign: IndexMap<Name, Keys>,
    /// What orders its components.
    #[serde(default)]
    pub order: Order,
    /// Whether the server has left the model: its agent tears everything down, and ends once it has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
    /// Whether nothing is granted any more to a server that has left: it has torn everything down, or the operator has forgotten it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// The server's own attributes to publish, by the output's name in `SERVER/server/OUTPUT`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub publishes: IndexMap<Name, SeedAttribute>,
    /// Its components, in order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub components: IndexMap<Name, PlannedComponent>,
}

/// Another server of the same stack, as whoever reads from it knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    /// The number that its plan has: what it says and writes for that one is awaited.
    pub revision: u64,
    /// What its signatures are judged by; none if it signs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Name>,
}

/// What the signatures of a stack's servers are judged by, by server.
pub type Keys = IndexMap<Name, Name>;

impl Plan {
    /// What a server is to do that has left the model; `order` is as it was, and so is its `key`.
    pub fn retired(revision: &Revision, order: Order, key: Option<Name>) -> Self {
        Self {
            revision: revision.number,
            space: revision.space.clone(),
            writers: IndexMap::default(),
            key,
            foreign: IndexMap::default(),
            order,
            retired: true,
            forgotten: false,
            publishes: IndexMap::default(),
            components: IndexMap::default(),
        }
    }

    /// What its server is to do once it has left the model. One that is forgotten stays so.
    #[must_use]
    pub fn left_behind(&self, revision: &Revision) -> Self {
        Self { forgotten: self.forgotten, ..Self::retired(revision, self.order, self.key.clone()) }
    }

    /// For which revision it is.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// Whether it is to be reached by whoever has been given `before`: it is newer, or of another data space. Data spaces of
    /// former versions have no name: what they ask for may tell them apart.
    pub fn is_news_after(&self, before: &Self) -> bool {
        let is_other = self.space.is_none() && self.revision == before.revision && self != before;
        self.space != before.space || self.revision > before.revision || is_other
    }

    /// The revision for which `server`, this one or another one, says and writes what is read here.
    pub fn expects(&self, server: &str) -> Revision {
        let number = self.writers.get(server).map_or(self.revision, |writer| writer.revision);
        Revision { space: self.space.clone(), number }
    }

    /// What signatures are judged by of whoever is read from, with the server's own: by stack, none of this one, and server.
    pub fn keys<'p>(&'p self, own: &'p Name) -> impl Iterator<Item = (Option<&'p Name>, &'p Name, &'p Name)> {
        let own = self.key.iter().map(move |key| (None, own, key));
        let writers = self.writers.iter().filter_map(|(server, writer)| Some((None, server, writer.key.as_ref()?)));
        let foreign =
            |(stack, keys): (&'p Name, &'p Keys)| keys.iter().map(move |(server, key)| (Some(stack), server, key));
        own.chain(writers).chain(self.foreign.iter().flat_map(foreign))
    }

    /// The entries of other stacks that it reads, with the stack of each.
    pub fn reads_abroad(&self) -> IndexSet<(Name, Name)> {
        let mut found = IndexSet::default();
        for component in self.components.values() {
            component.sources(&mut |source| {
                found.extend(source.leaves().filter_map(|held| match held {
                    Held::Foreign { stack, entry } => Some((stack.clone(), entry.clone())),
                    _ => None,
                }));
            });
        }
        found
    }

    /// The servers that this one, whose name is `own`, reads entries of or waits for, without itself.
    pub fn reads_from(&self, own: &str) -> IndexSet<Name> {
        let mut servers = IndexSet::default();
        for component in self.components.values() {
            servers.extend(component.after.iter().map(|what| server_of(what)));
            component.sources(&mut |source| {
                servers.extend(source.leaves().filter_map(Held::entry).map(|entry| server_of(entry)));
            });
        }
        servers.into_iter().filter(|server| *server != own).map(Name::from).collect()
    }
}

/// The server of an entry `SERVER/COMPONENT/OUTPUT`, or of a component `SERVER/COMPONENT`.
pub(crate) fn server_of(what: &str) -> &str {
    what.split_once('/').map_or(what, |(server, _)| server)
}

/// A component, with everything that its declaration says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedComponent {
    /// What it runs.
    #[serde(flatten)]
    pub recipe: SeedRecipe,
    /// The components that must have ended before, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Name>,
    /// What it reads. An optional input that is not wired is not here.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, PlannedInput>,
    /// What it writes.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, PlannedOutput>,
    /// What must hold of what it reads before it runs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub requires: IndexMap<Name, PlannedRequirement>,
}

impl PlannedComponent {
    /// Everywhere that it reads from: its inputs, and what is required.
    pub fn sources<'p>(&'p self, each: &mut impl FnMut(&'p Source)) {
        self.inputs.values().for_each(|input| each(&input.from));
        for requirement in self.requires.values() {
            requirement.predicate.each(&mut |operand| each(&operand.from));
        }
    }
}

/// What must hold of values that a component reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedRequirement {
    /// What must hold.
    pub predicate: Predicate<Operand<Source>>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Where it was required, as `FILE:LINE:COLUMN`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// Which script of a component runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// The recipe.
    Recipe,
    /// What undoes it.
    Teardown,
}

/// An input of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedInput {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where a Chef recipe reads it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Name>,
    /// Where its value comes from.
    pub from: Source,
}

/// An output of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedOutput {
    /// What its declaration says of it.
    #[serde(flatten)]
    pub declared: SeedOutput,
    /// For a secret: age's recipients for whom it is encrypted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// Where a value comes from: a [`crate::seed::Wire`] whose parameters and imports are resolved.
pub type Source = Tree<Held>;

/// Where a value is held that is not in the plan itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// In a secret, encrypted for this server.
    Sealed(String),
    /// In an entry of this stack.
    Entry(Name),
    /// In an entry of another stack, of whatever revision it is.
    Foreign {
        /// The stack.
        stack: Name,
        /// The entry.
        entry: Name,
    },
    /// In the user data of the server.
    UserData(Name),
}

impl Alternatives for Held {
    const NAMES: &'static [&'static str] =
        &["value", "sealed", "entry", "foreign", "user-data", "text", "list", "map", "function"];
}

impl Held {
    /// The entry of this stack, if it is one.
    pub fn entry(&self) -> Option<&Name> {
        if let Self::Entry(name) = self { Some(name) } else { None }
    }
}
