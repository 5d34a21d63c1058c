//! Root causes: why something that is awaited does not come.

use std::collections::{HashSet, VecDeque};

use wattle::model::Name;
use wattle_agent_core::machine::Cause;

use crate::space::{SERVER, Space, SpaceError, State};

/// Most components that are asked: a chain of waits may be as long as the model is large.
const ASKED: usize = 256;

/// Why what is `awaited` does not come in `revision`: entries `SERVER/COMPONENT/OUTPUT` or components
/// `SERVER/COMPONENT`. Follows
/// who waits for whom to the end, and gives every end once, the nearest first.
///
/// # Errors
/// When the data space cannot be read.
pub(super) async fn root_causes(space: &Space, awaited: &[Name], revision: u64) -> Result<Vec<Cause>, SpaceError> {
    let mut causes = Vec::new();
    let mut seen = HashSet::new();
    let mut queue = awaited.iter().map(|what| component_of(what)).collect::<VecDeque<_>>();
    while let Some(component) = queue.pop_front() {
        if seen.len() >= ASKED || !seen.insert(component.clone()) {
            continue;
        }
        let found = one(space, &component, revision).await?;
        let cause = match found {
            Found::Waits(list) => {
                for (what, input) in list {
                    match what.split_once(':') {
                        Some(_) if input => {
                            push(&mut causes, Cause::Foreign { component: component.clone(), what });
                        }
                        _ => queue.push_back(component_of(&what)),
                    }
                }
                continue;
            }
            Found::Cause(cause) => cause,
        };
        push(&mut causes, cause);
    }
    Ok(causes)
}

fn push(causes: &mut Vec<Cause>, cause: Cause) {
    if !causes.contains(&cause) {
        causes.push(cause);
    }
}

/// `SERVER/COMPONENT` of an entry or a component.
fn component_of(what: &str) -> Name {
    let mut parts = what.splitn(3, '/');
    match (parts.next(), parts.next()) {
        (Some(server), Some(component)) => format!("{server}/{component}").into(),
        _ => what.into(),
    }
}

enum Found {
    Waits(Vec<(Name, bool)>),
    Cause(Cause),
}

async fn one(space: &Space, full: &Name, revision: u64) -> Result<Found, SpaceError> {
    let server: Name = full.split('/').next().unwrap_or(full).into();
    let alive = space.alive(&server).await?.is_some();
    let of_server = full.ends_with(&format!("/{SERVER}"));
    let status = if of_server { None } else { space.status(full).await? };
    let known = status.is_some() || (of_server && space.server_status(&server).await?.is_some());
    let component = full.clone();
    let cause = match status.filter(|status| status.revision == revision) {
        Some(status) => match status.state {
            State::Failed(failure) => Cause::Failed(failure),
            State::Done => Cause::Done { component },
            _ if !alive => Cause::Away { server },
            State::Running => Cause::Runs { component, since: status.since },
            State::Waiting(list) if list.is_empty() => Cause::NotReached { component },
            State::Waiting(list) => {
                return Ok(Found::Waits(list.into_iter().map(|wait| (wait.what, wait.input.is_some())).collect()));
            }
        },
        None if alive => Cause::NotReached { component },
        None if known => Cause::Away { server },
        None => Cause::NeverStarted { server },
    };
    Ok(Found::Cause(cause))
}
