//! Following the goal: which revision is to be reached, one after the other.

use std::sync::{Mutex, MutexGuard};

use wattle_agent_core::record::RevisionId;
use wattle_agent_core::request::{Answer, Newer, Request as _, Step};

use super::{Goal, Space, SpaceError, parse_json};
use crate::store::{StoreError, Version};

/// Follows the goal of a stack. Whatever is written to it costs one request.
#[derive(Debug)]
pub struct Goals {
    space: Space,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    goal: Option<RevisionId>,
    // Whether the node was looked at, and which version it had; none if it was not there.
    is_known: bool,
    version: Option<Version>,
}

impl Goals {
    pub(super) fn new(space: &Space) -> Self {
        Self { space: space.clone(), seen: Mutex::default() }
    }

    /// Waits for a revision that is newer than those that were given before, or of another data space. Dropped, it passes
    /// nothing over.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn next(&self) -> Result<Goal, SpaceError> {
        let path = self.space.layout.revision();
        let mut newer = Newer::wait(&self.space.layout, self.seen().goal.clone());
        loop {
            let (is_known, version) = {
                let seen = self.seen();
                (seen.is_known, seen.version)
            };
            let node =
                if is_known { self.space.store.follow(&path, version).await? } else { self.space.get(&path).await? };
            {
                let mut seen = self.seen();
                (seen.is_known, seen.version) = (true, node.as_ref().map(|node| node.version));
            }
            match newer.answered(Answer::Node(node)) {
                Step::Ask(_) => {}
                Step::Over(Err(refused)) => return Err(self.space.refused(refused)),
                Step::Over(Ok((goal, data))) => {
                    self.seen().goal = Some(goal);
                    return parse_json(&path, &data)?.ok_or_else(|| StoreError::missing(&path).into());
                }
            }
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("INVARIANT: nothing panics while it holds what was seen")
    }
}
