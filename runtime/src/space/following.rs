//! Following what a server is to do, one plan after the other.

use std::sync::{Mutex, MutexGuard};

use wattle_agent_core::machine::Desired;
use wattle_agent_core::request::{Answer, Follow, Op, Step};

use super::{Goal, Space, SpaceError, parse_json};

/// Follows what a server is to do. Each change of its plan costs two requests or three; what changes nothing for it costs
/// none.
#[derive(Debug)]
pub struct Following {
    space: Space,
    follow: Mutex<Follow>,
}

impl Following {
    pub(super) fn new(space: &Space, server: &str) -> Self {
        Self { space: space.clone(), follow: Mutex::new(Follow::new(&space.layout, server)) }
    }

    /// Where the server's plan is.
    pub fn plan(&self) -> String {
        self.follow().plan().to_owned()
    }

    /// Waits until there is something to be done that is newer than what was given before, or of another data space; says
    /// what each goal is on the way. Dropped, it passes nothing over.
    ///
    /// # Errors
    /// When the goal or the plan cannot be read. Called again, it waits for another one in place of what made no sense.
    pub async fn next(&self, say: impl Fn(Goal)) -> Result<Desired, SpaceError> {
        let goal = self.space.layout.revision();
        let mut op = self.follow().begin();
        loop {
            let (path, node) = match op {
                Op::Get(path) => (path.clone(), self.space.get(&path).await?),
                Op::Changed(path, seen) => (path.clone(), self.space.store.follow(&path, seen).await?),
                Op::Set(..) => unreachable!("INVARIANT: whoever follows writes nothing"),
            };
            if path == goal
                && let Some(node) = &node
                && let Some(goal) = parse_json::<Goal>(&path, &node.data)?.filter(|goal| goal.revision > 0)
            {
                say(goal);
            }
            let step = self.follow().answered(Answer::Node(node));
            match step {
                Step::Ask(next) => op = next,
                Step::Over(desired) => return desired.map_err(SpaceError::from),
            }
        }
    }

    fn follow(&self) -> MutexGuard<'_, Follow> {
        self.follow.lock().expect("INVARIANT: nothing panics while it follows")
    }
}
