//! The search for root causes, which starts at what is awaited and follows all chains of waits to their ends.

use std::collections::{HashSet, VecDeque};

use wattle_model::Name;

use crate::failure::Failure;
use crate::revision::Revision;
use crate::status::{State, Status};

use super::causes::Cause;
use super::needs::SHOWN;

/// The maximum number of components to examine: a chain of waits can be as long as the model is large.
const ASKED: usize = 256;

/// A search for the reasons why something is missing. It names the components that it has to examine, one at a time,
/// and the caller reports the visible state of each.
#[derive(Debug)]
pub struct Search {
    queue: VecDeque<(Name, Option<Revision>)>,
    /// The revision in which the last named component is awaited. `None` if the search only checks whether it has
    /// failed.
    revision: Option<Revision>,
    /// Components that report a failure of another component, with that failure.
    blames: Vec<(Name, Failure)>,
    seen: HashSet<Name>,
    causes: Vec<Cause>,
}

/// The visible state of a component, or of a server itself.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Whether an agent acts for its server now.
    pub is_alive: bool,
    /// Whether an agent has ever published anything about it.
    pub is_known: bool,
    /// Its status, of any revision.
    pub status: Option<Status>,
}

impl Search {
    /// Starts a search for why these are missing, each in its revision: entries `SERVER/COMPONENT/OUTPUT` or components
    /// `SERVER/COMPONENT`.
    pub fn new(awaited: &[(Name, Revision)]) -> Self {
        let queue = awaited.iter().map(|(what, revision)| (component_of(what), Some(revision.clone()))).collect();
        Self { queue, revision: None, blames: Vec::new(), seen: HashSet::new(), causes: Vec::new() }
    }

    /// The component to look at next, `SERVER/COMPONENT`. `None` when the search is over.
    pub fn looks_at(&mut self) -> Option<Name> {
        while let Some((component, revision)) = self.queue.pop_front() {
            if self.seen.len() < ASKED && self.seen.insert(component.clone()) {
                self.revision = revision;
                return Some(component);
            }
        }
        None
    }

    /// Records the visible state of a component.
    pub fn sees(&mut self, component: Name, sighting: Sighting) {
        let server = || component.split('/').next().unwrap_or(&component).into();
        let Sighting { is_alive, is_known, status } = sighting;
        let is_awaited = |status: &Status| self.revision.as_ref().is_none_or(|revision| *revision == status.of());
        let known = status.filter(is_awaited);
        let has_failed = matches!(known, Some(Status { state: State::Failed(_), .. }));
        if self.revision.is_none() && !has_failed {
            return;
        }
        let cause = match known {
            Some(Status { revision, space, state, since, .. }) => match state {
                State::Failed(failure) => return self.failed(component, failure.bounded()),
                State::Done => Cause::Done { component },
                State::Waiting(_) | State::Running if !is_alive => Cause::Away { server: server() },
                State::Running => Cause::Runs { component, since },
                State::Waiting(list) if list.is_empty() => Cause::NotReached { component },
                State::Waiting(list) => {
                    // Agents list no more than this. A longer list would only keep others searching for long.
                    for wait in list.into_iter().take(SHOWN) {
                        if wait.what.contains(':') && wait.input.is_some() {
                            self.add(Cause::Foreign { component: component.clone(), what: wait.what });
                        } else {
                            let number = wait.revision.unwrap_or(revision);
                            let awaited = Revision { space: space.clone(), number };
                            self.queue.push_back((component_of(&wait.what), Some(awaited)));
                        }
                    }
                    return;
                }
            },
            None if is_alive => Cause::NotReached { component },
            None if is_known => Cause::Away { server: server() },
            None => Cause::NeverStarted { server: server() },
        };
        self.add(cause);
    }

    /// A component is blamed only if it reports the failure itself.
    fn failed(&mut self, component: Name, failure: Failure) {
        if failure.component == component {
            return self.add(Cause::Failed(failure));
        }
        if !failure.component.contains(':') {
            self.queue.push_back((component_of(&failure.component), None));
        }
        self.blames.push((component, failure));
    }

    fn add(&mut self, cause: Cause) {
        if !self.causes.contains(&cause) {
            self.causes.push(cause);
        }
    }

    /// Every end of a chain once, the nearest first.
    pub fn causes(mut self) -> Vec<Cause> {
        for (component, failure) in std::mem::take(&mut self.blames) {
            let blamed = failure.component.clone();
            let says_so = |cause: &Cause| matches!(cause, Cause::Failed(own) if own.component == blamed);
            // A name with the prefix of a stack belongs to that other stack.
            if blamed.contains(':') {
                self.add(Cause::Failed(failure.said_of_another_stack(&component)));
            } else if !self.causes.iter().any(says_so) {
                self.add(Cause::Failed(failure.only_said_by(&component)));
            }
        }
        self.causes
    }
}

/// The `SERVER/COMPONENT` of an entry or a component.
fn component_of(what: &str) -> Name {
    let mut parts = what.splitn(3, '/');
    match (parts.next(), parts.next()) {
        (Some(server), Some(component)) => format!("{server}/{component}").into(),
        _ => what.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;
    use crate::status::Waiting;
    use crate::time::Time;

    fn status(state: State) -> Status {
        Status { revision: 2, space: Some("new".into()), since: Time::EPOCH, deadline: None, state, past: Vec::new() }
    }

    fn waits(on: &[&str]) -> Status {
        let wait = |what: &&str| Waiting {
            what: (*what).into(),
            input: Some("url".into()),
            revision: what.starts_with("g/").then_some(1),
            since: Time::EPOCH,
        };
        status(State::Waiting(on.iter().map(wait).collect()))
    }

    #[test]
    fn nobody_is_blamed_by_another_ones_word() {
        let failed = |component: &str| {
            let (component, message) = (component.into(), format!("{component} broke"));
            let (log, through) = (Vec::new(), Vec::new());
            status(State::Failed(Failure {
                component,
                kind: FailureKind::Recipe,
                message,
                log,
                at: Time::EPOCH,
                through,
            }))
        };
        let of = status(State::Done).of();
        let causes = |said: &dyn Fn(&str) -> Option<Status>| {
            let mut search = Search::new(&[("a/x".into(), of.clone())]);
            while let Some(component) = search.looks_at() {
                let status = said(&component);
                search.sees(component, Sighting { is_alive: true, is_known: status.is_some(), status });
            }
            search.causes().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let blames =
            |by: Option<Status>| move |name: &str| if name == "a/x" { Some(failed("b/y")) } else { by.clone() };
        // Its revision does not matter.
        let own = Status { revision: 1, ..failed("b/y") };
        let found = causes(&blames(Some(own)));
        assert!(found.len() == 1 && found[0].contains("b/y broke") && !found[0].contains("it reports"), "{found:?}");
        for other in [None, Some(status(State::Done)), Some(status(State::Running)), Some(failed("c/z"))] {
            let found = causes(&blames(other.clone()));
            assert!(
                found.iter().any(|one| one.contains("it reports that b/y has failed, but b/y does not report it")),
                "{other:?}: {found:?}"
            );
            assert!(!found.iter().any(|one| one.starts_with("`b/y` failed")), "{found:?}");
        }
        // Other stacks are beyond this search.
        let found = causes(&|_| Some(failed("other:d/v")));
        assert!(found.len() == 1 && found[0].contains("other:d/v"), "{found:?}");
    }

    /// Chains of waits are followed to their ends, even in circles, and every end is reported once.
    #[test]
    fn chains_are_followed_to_their_ends() {
        let of = status(State::Done).of();
        let mut search = Search::new(&[("a/x/url".into(), of.clone()), ("b/y".into(), of)]);
        let mut asked = Vec::new();
        while let Some(component) = search.looks_at() {
            asked.push(component.to_string());
            let (is_alive, status) = match &*component {
                "a/x" => (true, Some(waits(&["b/y/url", "c/z/url", "other:d/v/url"]))),
                "b/y" => (true, Some(waits(&["c/z/url", "a/x/url", "e/server/id", "f/w", "g/v/url"]))),
                "c/z" => (true, Some(Status { revision: 1, ..status(State::Done) })),
                // Its plan is of an earlier revision, which is the one awaited from it.
                "g/v" => (true, Some(Status { revision: 1, ..status(State::Running) })),
                "f/w" => (true, Some(Status { space: None, ..status(State::Done) })),
                _ => (false, None),
            };
            search.sees(component, Sighting { is_alive, is_known: status.is_some(), status });
        }
        assert_eq!(asked, ["a/x", "b/y", "c/z", "e/server", "f/w", "g/v"]);
        let causes: Vec<String> = search.causes().iter().map(ToString::to_string).collect();
        assert_eq!(
            causes,
            [
                "`a/x` waits for `other:d/v/url` of another stack",
                "`c/z` has not begun yet",
                "never started: no agent of server `e` has come up",
                "`f/w` has not begun yet",
                "`g/v` runs",
            ]
        );
    }
}
