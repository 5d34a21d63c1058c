//! Saying how something is doing.

use crate::layout::Layout;
use crate::node::Version;
use crate::revision::Revision;
use crate::status::{ServerStatus, Status};

use super::{Answer, Named, Op, Refused, Request, Stamp, Step};

/// Says how something is doing, unless what was said of it is of a newer revision. Comes to the version that it has then:
/// whoever says more passes it on, and overwrites nothing that another agent has said meanwhile without looking at it.
#[derive(Clone, Debug)]
pub struct Say {
    path: String,
    name: Named,
    revision: Revision,
    data: Vec<u8>,
    known: Option<Version>,
}

impl Say {
    /// How `component`, `SERVER/COMPONENT`, is doing.
    pub fn of_component(layout: &Layout, component: &str, status: &Status, known: Option<Version>) -> Self {
        let name = Named::new(layout, &component.into());
        Self { path: layout.status(component), name, revision: status.of(), data: status.to_bytes(), known }
    }

    /// How `server` is doing.
    pub fn of_server(layout: &Layout, server: &str, status: &ServerStatus, known: Option<Version>) -> Self {
        let name = Named::new(layout, &server.into());
        Self { path: layout.server_status(server), name, revision: status.of(), data: status.to_bytes(), known }
    }

    /// The path of what is said.
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
                // Whatever cannot be read is none that an agent said of a newer revision.
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
