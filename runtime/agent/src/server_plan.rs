//! The plan of a server: its work, written by `seed apply` for its agent.

use serde::{Deserialize, Serialize};
use wattle_model::{Alternatives, Name, Order, Predicate, Tree, Type};
use wattle_model::{IndexMap, IndexSet, requirement::Operand};

use crate::revision::Revision;
use crate::seed::{SeedAttribute, SeedOutput, SeedRecipe};

/// The work of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerPlan {
    /// The number of the revision in which this plan last changed.
    pub revision: u64,
    /// The data space of that revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Name>,
    /// The other servers of the stack that this server reads from. Plans of earlier versions have none, because all
    /// plans had the same number.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub writers: IndexMap<Name, Writer>,
    /// The public half of the server's key, which verifies its signatures. `None` if the server signs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Name>,
    /// The keys of the servers of other stacks that this server reads from, by stack and server.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub foreign: IndexMap<Name, Keys>,
    /// What determines the order of its components.
    #[serde(default)]
    pub order: Order,
    /// Whether the server has left the model. Its agent then tears everything down, and ends afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
    /// Whether a server that has left the model no longer has any rights: its teardown is complete, or the operator has
    /// forgotten it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// The server's own attributes to publish, by the name of the output in `SERVER/server/OUTPUT`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub publishes: IndexMap<Name, SeedAttribute>,
    /// Its components, in order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub components: IndexMap<Name, PlannedComponent>,
}

/// Another server of the same stack, as known to its readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    /// The number of its plan. Its readers wait for the statuses and values of this revision.
    pub revision: u64,
    /// The key that verifies its signatures. `None` if it signs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Name>,
}

/// The keys that verify the signatures of a stack's servers, by server.
pub type Keys = IndexMap<Name, Name>;

impl ServerPlan {
    /// The plan of a server that has left the model. `order` and `key` are unchanged.
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

    /// The plan of this server once it has left the model. A forgotten server stays forgotten.
    #[must_use]
    pub fn left_behind(&self, revision: &Revision) -> Self {
        Self { forgotten: self.forgotten, ..Self::retired(revision, self.order, self.key.clone()) }
    }

    /// The revision that this plan is for.
    pub fn of(&self) -> Revision {
        Revision { space: self.space.clone(), number: self.revision }
    }

    /// Whether an agent with the plan `before` should move on to this plan: it is newer, or of another data space. Data
    /// spaces of earlier versions have no name, so only the contents of their plans may distinguish them.
    pub fn is_news_after(&self, before: &Self) -> bool {
        let is_other = self.space.is_none() && self.revision == before.revision && self != before;
        self.space != before.space || self.revision > before.revision || is_other
    }

    /// The revision for which `server` (this one or another one) writes the statuses and values that are read here.
    pub fn expects(&self, server: &str) -> Revision {
        let number = self.writers.get(server).map_or(self.revision, |writer| writer.revision);
        Revision { space: self.space.clone(), number }
    }

    /// The declaration of an entry `SERVER/COMPONENT/OUTPUT` of this server. `None` for its own attributes, and for what
    /// is not in this plan.
    pub fn output(&self, entry: &str) -> Option<&PlannedOutput> {
        let mut parts = entry.splitn(3, '/').skip(1);
        let (component, output) = (parts.next()?, parts.next()?);
        self.components.get(component)?.outputs.get(output)
    }

    /// The keys that verify the signatures of all servers that are read from, and the server's own. Each is paired with
    /// its stack (`None` for this one) and its server.
    pub fn keys<'p>(&'p self, own: &'p Name) -> impl Iterator<Item = (Option<&'p Name>, &'p Name, &'p Name)> {
        let own = self.key.iter().map(move |key| (None, own, key));
        let writers = self.writers.iter().filter_map(|(server, writer)| Some((None, server, writer.key.as_ref()?)));
        let foreign =
            |(stack, keys): (&'p Name, &'p Keys)| keys.iter().map(move |(server, key)| (Some(stack), server, key));
        own.chain(writers).chain(self.foreign.iter().flat_map(foreign))
    }

    /// The entries of other stacks that this server reads, each with its stack.
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

    /// The servers whose entries this server, named `own`, reads or whose components it waits for. Omits the server
    /// itself.
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

/// A component, with its whole declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedComponent {
    /// Its recipe.
    #[serde(flatten)]
    pub recipe: SeedRecipe,
    /// The components that must end first, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Name>,
    /// Its inputs. Omits optional inputs that are not wired.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, PlannedInput>,
    /// Its outputs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub outputs: IndexMap<Name, PlannedOutput>,
    /// The requirements on its inputs, checked before it runs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub requires: IndexMap<Name, PlannedRequirement>,
}

impl PlannedComponent {
    /// Calls `each` for every source that the component reads from, in its inputs and its requirements.
    pub fn sources<'p>(&'p self, each: &mut impl FnMut(&'p ValueSource)) {
        self.inputs.values().for_each(|input| each(&input.from));
        for requirement in self.requires.values() {
            requirement.predicate.each(&mut |operand| each(&operand.from));
        }
    }
}

/// A requirement on values that a component reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedRequirement {
    /// The condition that must hold.
    pub predicate: Predicate<Operand<ValueSource>>,
    /// The reason, in the author's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Where the requirement was made, as `FILE:LINE:COLUMN`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// Which script of a component runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// The recipe.
    Recipe,
    /// The teardown script, which undoes the recipe.
    Teardown,
}

/// An input of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedInput {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where a Chef recipe reads the input: its path in the node's attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Name>,
    /// Where its value comes from.
    pub from: ValueSource,
}

/// An output of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedOutput {
    /// Its declaration.
    #[serde(flatten)]
    pub declared: SeedOutput,
    /// For a secret: the age recipients that it is encrypted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// Where a value comes from: a [`crate::seed::Wire`] whose parameters and imports are resolved.
pub type ValueSource = Tree<Held>;

/// Where a value is held that is not in the plan itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// In a secret that is encrypted for this server.
    Sealed(String),
    /// In an entry of this stack.
    Entry(Name),
    /// In an entry of another stack, of any revision.
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
    /// The name of the entry, if the value is held in an entry of this stack.
    pub fn entry(&self) -> Option<&Name> {
        if let Self::Entry(name) = self { Some(name) } else { None }
    }
}
