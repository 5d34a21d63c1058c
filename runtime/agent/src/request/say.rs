//! Publishes statuses.

use crate::layout::Layout;
use crate::node::Version;
use crate::revision::Revision;
use crate::status::{ServerStatus, Status};

use super::{Answer, Named, Op, Refused, Request, Stamp, Step};

/// Publishes a status, unless the existing one is of a newer revision. The result is the new version, which the caller
/// passes to the next request, so that nothing that another agent has published in the meantime is overwritten unread.
#[derive(Clone, Debug)]
pub struct Say {
    path: String,
    name: Named,
    revision: Revision,
    data: Vec<u8>,
    known: Option<Version>,
}

impl Say {
    /// The status of `component`, `SERVER/COMPONENT`.
    pub fn of_component(layout: &Layout, component: &str, status: &Status, known: Option<Version>) -> Self {
        let name = Named::new(layout, &component.into());
        Self { path: layout.status(component), name, revision: status.of(), data: status.to_bytes(), known }
    }

    /// The status of `server`.
    pub fn of_server(layout: &Layout, server: &str, status: &ServerStatus, known: Option<Version>) -> Self {
        let name = Named::new(layout, &server.into());
        Self { path: layout.server_status(server), name, revision: status.of(), data: status.to_bytes(), known }
    }

    /// The path of the status.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Request for Say {
    type Out = Version;

    fn begin(&mut self) -> Op {
        match self.known.take() {
            Some(version) => Op::Set(self.path.clone(), self.data.clone(), version),
            None => Op::Get(self.path.clone()),
        }
    }

    fn answered(&mut self, answer: Answer) -> Step<Result<Version, Refused>> {
        match answer {
            Answer::Set(version) => Step::Over(Ok(version)),
            Answer::Conflict => Step::Ask(Op::Get(self.path.clone())),
            Answer::Missing | Answer::Node(None) => Step::Over(Err(self.name.unknown())),
            Answer::Node(Some(node)) => {
                // An unreadable node is not an agent's status of a newer revision.
                match Stamp::of(&self.path, &node.data) {
                    Ok(Some(newer)) if newer > self.revision => {
                        Step::Over(Err(Refused::Superseded { ours: self.revision.clone(), newer }))
                    }
                    Ok(_) | Err(_) if node.data == self.data => Step::Over(Ok(node.version)),
                    Ok(_) | Err(_) => Step::Ask(Op::Set(self.path.clone(), self.data.clone(), node.version)),
                }
            }
        }
    }
}
