//! Writes an entry, once for each revision.

use std::cmp::Ordering;

use wattle_model::Name;

use crate::content::{Content, Written};
use crate::layout::Layout;
use crate::node::Version;
use crate::revision::Revision;

use super::{Answer, Named, Op, Refused, Request, Step, parse};

/// Writes an entry for a revision, unless it already has content of that revision. In that case, the existing content
/// stays and is the result. A failure keeps the value that it replaces.
#[derive(Clone, Debug)]
pub struct Write {
    path: String,
    name: Named,
    revision: Revision,
    written: Written,
    known: Option<(Version, Option<Written>)>,
}

impl Write {
    /// Writes `content` to the entry `SERVER/COMPONENT/OUTPUT`. If the version with which it can be written is `known`,
    /// along with the entry's content, it need not be read first.
    pub fn new(
        layout: &Layout,
        name: &Name,
        revision: &Revision,
        content: &Content,
        known: Option<(Version, Option<Written>)>,
    ) -> Self {
        let written = Written::new(revision, content.clone());
        Self { path: layout.entry(name), name: Named::new(layout, name), revision: revision.clone(), written, known }
    }

    fn set(&self, former: Option<Written>, version: Version) -> Op {
        let data = self.written.clone().in_the_place_of(former).to_bytes();
        Op::Set(self.path.clone(), data, version)
    }
}

impl Request for Write {
    type Out = Option<Content>;

    fn begin(&mut self) -> Op {
        match self.known.take() {
            Some((version, former)) => self.set(former, version),
            None => Op::Get(self.path.clone()),
        }
    }

    fn answered(&mut self, answer: Answer) -> Step<Result<Option<Content>, Refused>> {
        match answer {
            Answer::Set(_) => Step::Over(Ok(None)),
            Answer::Conflict => Step::Ask(Op::Get(self.path.clone())),
            Answer::Missing | Answer::Node(None) => Step::Over(Err(self.name.unknown())),
            Answer::Node(Some(node)) => {
                let written = match parse::<Written>(&self.path, &node.data) {
                    Ok(written) => written,
                    Err(refused) => return Step::Over(Err(refused)),
                };
                if let Some(written) = &written {
                    let newer = written.of();
                    match newer.cmp(&self.revision) {
                        Ordering::Less => {}
                        Ordering::Equal => return Step::Over(Ok(Some(written.content.clone()))),
                        Ordering::Greater => {
                            return Step::Over(Err(Refused::Superseded { ours: self.revision.clone(), newer }));
                        }
                    }
                }
                Step::Ask(self.set(written, node.version))
            }
        }
    }
}
