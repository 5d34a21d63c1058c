//! Following what a server is to do, one plan after the other.

use std::cmp::Ordering;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde::Deserialize;
use tokio::time;
use wattle::model::Name;
use wattle_agent_core::machine::Desired;
use wattle_agent_core::request::{Answer, Follow, Op, Step};

use crate::store::{Node, StoreError};

use super::{Authority, Goal, Revision, Space, SpaceError, parse_json, unverified};

/// How long to wait before what was not believed is judged again though it is as it was: clocks are set.
const AGAIN: Duration = Duration::from_mins(1);

/// Who follows.
pub trait Hears: Sync {
    /// There is a goal, by the word of an operator if that counts. From then on, no key's word counts that came before.
    ///
    /// # Errors
    /// Why it is not to be reached, although whoever may has signed it.
    fn goal(&self, goal: Goal, by: Option<Authority>) -> Result<(), String>;

    /// What is there is not believed, and why; or it is again. If it is a goal, `shown` is what it would say: nothing is done by it.
    fn refused(&self, why: Option<String>, shown: Option<Goal>);
}

/// Follows what a server is to do. Each change of its plan costs two requests or three; what changes nothing for it costs
/// none.
#[derive(Debug)]
pub struct Following {
    space: Space,
    server: Name,
    follow: Mutex<Follow>,
    /// The last goal that was believed.
    goal: Mutex<Option<Goal>>,
}

/// Of which revision something is.
#[derive(Deserialize)]
pub(super) struct Dated {
    revision: u64,
    #[serde(default)]
    space: Option<Name>,
}

impl Dated {
    pub(super) fn of(self) -> Revision {
        Revision { space: self.space, number: self.revision }
    }
}

impl Following {
    pub(super) fn new(space: &Space, server: &str) -> Self {
        let follow = Mutex::new(Follow::new(&space.layout, server));
        Self { space: space.clone(), server: server.into(), follow, goal: Mutex::default() }
    }

    /// Where the server's plan is.
    pub fn plan(&self) -> String {
        self.follow().plan().to_owned()
    }

    /// Waits until there is something to be done that is newer than what was given before, or of another data space; says
    /// what each goal is on the way. What is not believed is as if it were not there yet. Dropped, it passes nothing over.
    ///
    /// # Errors
    /// When the goal or the plan cannot be read. Called again, it waits for another one in place of what made no sense.
    pub async fn next(&self, who: &impl Hears) -> Result<Desired, SpaceError> {
        let mut op = self.follow().begin();
        loop {
            let (path, node) = self.ask(op).await?;
            let node = self.believed(&path, node, who).await?;
            let step = self.follow().answered(Answer::Node(node));
            match step {
                Step::Ask(next) => op = next,
                Step::Over(desired) => {
                    let desired = desired.map_err(SpaceError::from)?;
                    return self.goes_with_goal(desired);
                }
            }
        }
    }

    /// Looks at the goal, although nothing of it may be for this server.
    ///
    /// # Errors
    /// When it cannot be read, or is not believed.
    pub async fn look(&self, who: &impl Hears) -> Result<(), SpaceError> {
        let path = self.space.layout.revision();
        if let Some(node) = self.space.get(&path).await? {
            self.judged(&path, node, who)?;
        }
        Ok(())
    }

    /// What is there, and where: who has left the model may not read the goal any more, and has what is left of it.
    async fn ask(&self, op: Op) -> Result<(String, Option<Node>), SpaceError> {
        let (path, seen) = match op {
            Op::Get(path) => (path, None),
            Op::Changed(path, seen) => (path, Some(seen)),
            Op::Set(..) => unreachable!("INVARIANT: whoever follows writes nothing"),
        };
        let asked = async |path: &str| match seen {
            None => self.space.get(path).await,
            // A watch that was there before would say nothing if what servers share is another login since.
            Some(seen) if self.is_goal(path) => self.space.store.changed(path, seen).await,
            Some(seen) => self.space.store.follow(path, seen).await,
        };
        let denied = match asked(&path).await {
            Err(error @ StoreError::Denied { .. }) if path == self.space.layout.revision() => error,
            node => return Ok((path, node?)),
        };
        let last = self.space.layout.last_goal(&self.server);
        match self.space.get(&last).await {
            Ok(Some(_)) => Ok((last.clone(), asked(&last).await?)),
            _ => Err(denied.into()),
        }
    }

    fn is_goal(&self, path: &str) -> bool {
        path == self.space.layout.revision() || path == self.space.layout.last_goal(&self.server)
    }

    /// What is at `path` once it is believed, without its signature.
    async fn believed(&self, path: &str, mut node: Option<Node>, who: &impl Hears) -> Result<Option<Node>, SpaceError> {
        let mut is_refused = false;
        loop {
            let Some(there) = node else { return Ok(None) };
            let version = there.version;
            let shown = self.is_goal(path).then(|| unverified(&there.data).to_vec());
            let why = match self.judged(path, there, who) {
                Ok(there) => {
                    if is_refused {
                        who.refused(None, None);
                    }
                    return Ok(Some(there));
                }
                Err(SpaceError::Untrusted { path, reason }) => format!("`{path}` is not believed: {reason}"),
                Err(error) => return Err(error),
            };
            is_refused = true;
            who.refused(Some(why), shown.and_then(|shown| serde_json::from_slice(&shown).ok()));
            let changed = self.space.store.changed(path, Some(version));
            node = match time::timeout(AGAIN, changed).await {
                Ok(changed) => changed?,
                Err(_) => self.space.get(path).await?,
            };
        }
    }

    fn judged(&self, path: &str, node: Node, who: &impl Hears) -> Result<Node, SpaceError> {
        let (by, held) = self.space.held_by(path, &node.data)?;
        let untrusted = |reason| SpaceError::Untrusted { path: path.to_owned(), reason };
        if self.is_goal(path) {
            if let Some(goal) = parse_json::<Goal>(path, held)?.filter(|goal| goal.revision > 0) {
                who.goal(goal.clone(), by).map_err(untrusted)?;
                by.into_iter().for_each(|by| self.space.passes_to(by));
                *self.goal() = Some(goal);
            }
        } else if let Ok(plan) = serde_json::from_slice::<Dated>(held) {
            let asked = self.asked(plan.space.as_ref());
            if let Some(asked) = asked.filter(|asked| plan.revision < *asked) {
                return Err(untrusted(other(plan.revision, asked)));
            }
        }
        Ok(Node { data: held.to_vec(), version: node.version })
    }

    /// The number that the goal says that the plan has, if that is of the same data space.
    fn asked(&self, space: Option<&Name>) -> Option<u64> {
        let goal = self.goal();
        let goal = goal.as_ref().filter(|goal| goal.space.as_ref() == space)?;
        if !self.space.is_strict {
            return None;
        }
        Some(goal.plans.as_ref()?.of(&self.server))
    }

    fn goes_with_goal(&self, desired: Desired) -> Result<Desired, SpaceError> {
        let plan = &desired.plan;
        match self.asked(plan.space.as_ref()).map(|asked| (asked, plan.revision.cmp(&asked))) {
            None | Some((_, Ordering::Equal)) => Ok(desired),
            Some((asked, _)) => Err(SpaceError::Untrusted { path: self.plan(), reason: other(plan.revision, asked) }),
        }
    }

    fn follow(&self) -> MutexGuard<'_, Follow> {
        self.follow.lock().expect("INVARIANT: nothing panics while it follows")
    }

    fn goal(&self) -> MutexGuard<'_, Option<Goal>> {
        self.goal.lock().expect("INVARIANT: nothing panics while it holds the goal")
    }
}

/// Why a plan does not go with a goal.
fn other(number: u64, asked: u64) -> String {
    format!("it is the one of revision {number}, and the goal asks for the one of revision {asked}")
}
