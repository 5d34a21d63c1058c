//! The paths of a data space.

use wattle_model::Name;

use crate::SERVER;

/// The parent of all stacks.
pub const ROOT: &str = "/wattle";

/// The paths of one stack.
#[derive(Clone, Debug)]
pub struct Layout {
    stack: String,
}

impl Layout {
    /// The paths of `stack`.
    pub fn new(stack: &str) -> Self {
        Self { stack: stack.to_owned() }
    }

    /// The name of the stack.
    pub fn stack(&self) -> &str {
        &self.stack
    }

    /// The parent of everything in the stack.
    pub fn root(&self) -> String {
        format!("{ROOT}/{}", self.stack)
    }

    /// The desired revision.
    pub fn revision(&self) -> String {
        format!("{ROOT}/{}/revision", self.stack)
    }

    /// The parent of the records about the stack's infrastructure, if wattle deploys it.
    pub fn infrastructure(&self) -> String {
        format!("{ROOT}/{}/infrastructure", self.stack)
    }

    /// The node that marks the data space with this name. No other data space has it.
    pub fn mark(&self, space: Option<&Name>) -> String {
        format!("{ROOT}/{}/revision/{}", self.stack, space.map_or("unnamed", |name| name))
    }

    /// The parent of the servers.
    pub fn servers(&self) -> String {
        format!("{ROOT}/{}/servers", self.stack)
    }

    /// The parent of the nodes for `server`. The server itself can neither create nor remove nodes here.
    pub fn server(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}", self.stack)
    }

    /// The plan of `server`.
    pub fn plan(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/plan", self.stack)
    }

    /// The part for `server` of the data that all servers of the stack share.
    pub fn membership(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/membership", self.stack)
    }

    /// The desired revision visible to `server` once it has left the model.
    pub fn last_desired(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/goal", self.stack)
    }

    /// The parent of the servers' announcements.
    pub fn admission(&self) -> String {
        format!("{ROOT}/{}/admission", self.stack)
    }

    /// The key that `server` announces as its own. Anyone who has its credential can write this node.
    pub fn announcement(&self, server: &str) -> String {
        format!("{ROOT}/{}/admission/{server}", self.stack)
    }

    /// The parent of the agents' places.
    pub fn agents(&self) -> String {
        format!("{ROOT}/{}/agents", self.stack)
    }

    /// The name of the place of `server`'s agent with this number, from 1. The first one is named after the server, and
    /// no server's name has a colon.
    pub fn place(server: &str, number: u64) -> String {
        if number <= 1 { server.to_owned() } else { format!("{server}:{number}") }
    }

    /// The server and the number of the `place` of an agent.
    pub fn of_place(place: &str) -> (&str, u64) {
        let numbered = place.rsplit_once(':').and_then(|(server, number)| Some((server, number.parse().ok()?)));
        numbered.unwrap_or((place, 1))
    }

    /// The `place` of an agent, which is named after its server. Everything below it belongs to the server.
    pub fn agent(&self, place: &str) -> String {
        format!("{ROOT}/{}/agents/{place}", self.stack)
    }

    /// The node that exists while an agent acts for the server with this `place`.
    pub fn alive(&self, place: &str) -> String {
        format!("{ROOT}/{}/agents/{place}/alive", self.stack)
    }

    /// The signals of the server that has this `place`.
    pub fn signals(&self, place: &str) -> String {
        format!("{ROOT}/{}/agents/{place}/signals", self.stack)
    }

    /// The log of the server with this `place`, for operators who request it.
    pub fn log(&self, place: &str) -> String {
        format!("{ROOT}/{}/agents/{place}/log", self.stack)
    }

    /// The corresponding node for agents of earlier versions, which have no place of their own.
    pub fn former_alive(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/alive", self.stack)
    }

    /// The parent of the entries.
    pub fn entries(&self) -> String {
        format!("{ROOT}/{}/entries", self.stack)
    }

    /// An entry, by `SERVER/COMPONENT/OUTPUT`.
    pub fn entry(&self, entry: &str) -> String {
        format!("{ROOT}/{}/entries/{entry}", self.stack)
    }

    /// The parent of all statuses.
    pub fn statuses(&self) -> String {
        format!("{ROOT}/{}/status", self.stack)
    }

    /// The status of a component, by `SERVER/COMPONENT`.
    pub fn status(&self, component: &str) -> String {
        format!("{ROOT}/{}/status/{component}", self.stack)
    }

    /// The status of `server` itself. No component has this name, because the entries of a server's own attributes use
    /// it.
    pub fn server_status(&self, server: &str) -> String {
        format!("{ROOT}/{}/status/{server}/{SERVER}", self.stack)
    }

    /// The parent of the recipe files.
    pub fn recipes(&self) -> String {
        format!("{ROOT}/{}/recipes", self.stack)
    }

    /// A recipe file, by its digest.
    pub fn recipe(&self, digest: &str) -> String {
        format!("{ROOT}/{}/recipes/{digest}", self.stack)
    }

    /// The parent of the exports.
    pub fn exports(&self) -> String {
        format!("{ROOT}/{}/exports", self.stack)
    }

    /// An export, with the source of its value.
    pub fn export(&self, export: &str) -> String {
        format!("{ROOT}/{}/exports/{export}", self.stack)
    }

    /// The parent of the stacks that read from this one.
    pub fn importers(&self) -> String {
        format!("{ROOT}/{}/importers", self.stack)
    }

    /// The registration of another stack that reads from this one.
    pub fn importer(&self, stack: &str) -> String {
        format!("{ROOT}/{}/importers/{stack}", self.stack)
    }

    /// The last deployment, with its templates and its seed. Its pieces are below it.
    pub fn deployed(&self) -> String {
        format!("{ROOT}/{}/deployed", self.stack)
    }

    /// A piece of a deployed file, by its digest.
    pub fn deployed_piece(&self, digest: &str) -> String {
        format!("{ROOT}/{}/deployed/{digest}", self.stack)
    }

    /// The list of the pieces of the deployment's diagram.
    pub fn deployed_diagram(&self) -> String {
        format!("{ROOT}/{}/deployed/picture", self.stack)
    }
}
