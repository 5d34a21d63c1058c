//! Where what is kept.

use wattle_model::Name;

use crate::SERVER;

/// Above all stacks.
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

    /// The stack.
    pub fn stack(&self) -> &str {
        &self.stack
    }

    /// Above everything of the stack.
    pub fn root(&self) -> String {
        format!("{ROOT}/{}", self.stack)
    }

    /// The goal: number and digest of the revision that is to be reached.
    pub fn revision(&self) -> String {
        format!("{ROOT}/{}/revision", self.stack)
    }

    /// Above what is known of the stack's infrastructure, where wattle brings it up itself.
    pub fn infrastructure(&self) -> String {
        format!("{ROOT}/{}/infrastructure", self.stack)
    }

    /// The node of the data space that has this name: no other one has it.
    pub fn mark(&self, space: Option<&Name>) -> String {
        format!("{ROOT}/{}/revision/{}", self.stack, space.map_or("unnamed", |name| name))
    }

    /// Above the servers.
    pub fn servers(&self) -> String {
        format!("{ROOT}/{}/servers", self.stack)
    }

    /// Above what is kept of `server`: nothing here is the server's own to make or to remove.
    pub fn server(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}", self.stack)
    }

    /// What `server` is to do.
    pub fn plan(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/plan", self.stack)
    }

    /// What `server` is told of what all servers of the stack share.
    pub fn membership(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/membership", self.stack)
    }

    /// What is left of the goal to `server` once it has left the model.
    pub fn last_goal(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/goal", self.stack)
    }

    /// Above what servers announce of themselves.
    pub fn admission(&self) -> String {
        format!("{ROOT}/{}/admission", self.stack)
    }

    /// Who `server` says that it will be: whoever has its credential may write it.
    pub fn announcement(&self, server: &str) -> String {
        format!("{ROOT}/{}/admission/{server}", self.stack)
    }

    /// Above the places of agents.
    pub fn agents(&self) -> String {
        format!("{ROOT}/{}/agents", self.stack)
    }

    /// The place of `server`'s agent: all that is below is the server's own.
    pub fn agent(&self, server: &str) -> String {
        format!("{ROOT}/{}/agents/{server}", self.stack)
    }

    /// There while an agent acts for `server`.
    pub fn alive(&self, server: &str) -> String {
        format!("{ROOT}/{}/agents/{server}/alive", self.stack)
    }

    /// What `server` says to whoever waits for it.
    pub fn signals(&self, server: &str) -> String {
        format!("{ROOT}/{}/agents/{server}/signals", self.stack)
    }

    /// Where agents said so that know no place of their own: those of former versions.
    pub fn former_alive(&self, server: &str) -> String {
        format!("{ROOT}/{}/servers/{server}/alive", self.stack)
    }

    /// Above the entries.
    pub fn entries(&self) -> String {
        format!("{ROOT}/{}/entries", self.stack)
    }

    /// One entry, by `SERVER/COMPONENT/OUTPUT`.
    pub fn entry(&self, entry: &str) -> String {
        format!("{ROOT}/{}/entries/{entry}", self.stack)
    }

    /// Above how everything is doing.
    pub fn statuses(&self) -> String {
        format!("{ROOT}/{}/status", self.stack)
    }

    /// How one component is doing, by `SERVER/COMPONENT`.
    pub fn status(&self, component: &str) -> String {
        format!("{ROOT}/{}/status/{component}", self.stack)
    }

    /// How `server` itself is doing. No component has this name, since a server's own attributes have it among entries.
    pub fn server_status(&self, server: &str) -> String {
        format!("{ROOT}/{}/status/{server}/{SERVER}", self.stack)
    }

    /// Above the files of recipes.
    pub fn recipes(&self) -> String {
        format!("{ROOT}/{}/recipes", self.stack)
    }

    /// One file of a recipe, by its digest.
    pub fn recipe(&self, digest: &str) -> String {
        format!("{ROOT}/{}/recipes/{digest}", self.stack)
    }

    /// Above what other stacks may read.
    pub fn exports(&self) -> String {
        format!("{ROOT}/{}/exports", self.stack)
    }

    /// One export: where its value comes from.
    pub fn export(&self, export: &str) -> String {
        format!("{ROOT}/{}/exports/{export}", self.stack)
    }

    /// Above the stacks that read from this one.
    pub fn importers(&self) -> String {
        format!("{ROOT}/{}/importers", self.stack)
    }

    /// What one other stack reads from this one.
    pub fn importer(&self, stack: &str) -> String {
        format!("{ROOT}/{}/importers/{stack}", self.stack)
    }

    /// What was deployed last, with its templates and its seed; what it consists of lies below.
    pub fn deployed(&self) -> String {
        format!("{ROOT}/{}/deployed", self.stack)
    }

    /// A piece of a file of what was deployed, by its digest.
    pub fn deployed_piece(&self, digest: &str) -> String {
        format!("{ROOT}/{}/deployed/{digest}", self.stack)
    }

    /// Which pieces are the picture of what was deployed.
    pub fn deployed_picture(&self) -> String {
        format!("{ROOT}/{}/deployed/picture", self.stack)
    }
}
