//! Inputs: from where they are to come from to their values.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use futures_util::poll;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{self, Instant};
use wattle::model::{IndexMap, Name, Value};
use wattle::values::ASKING;
use wattle::values::{self, span};
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::Vault as _;

use crate::clock;
use crate::space::{Content, Failure, Held, Kind, PlannedInput, Source, Space, SpaceError, Waiting};

use super::revision::{Outcome, Revision};
use super::shared::Shared;
use super::why::{Cause, root_causes};

/// Most of what is awaited that a status tells.
const TOLD: usize = 64;

/// Something that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Awaited {
    /// An entry of this stack.
    Entry(Name),
    /// An entry of another stack.
    Foreign(Name, Name),
    /// That a component has ended: `SERVER/COMPONENT`.
    Ended(Name),
}

impl Awaited {
    /// The entry that holds a value, if one does.
    fn of(held: &Held) -> Option<Self> {
        match held {
            Held::Entry(entry) => Some(Self::Entry(entry.clone())),
            Held::Foreign { stack, entry } => Some(Self::Foreign(stack.clone(), entry.clone())),
            Held::Sealed(_) | Held::UserData(_) => None,
        }
    }

    /// As a status names it.
    fn name(&self) -> Name {
        match self {
            Self::Entry(name) | Self::Ended(name) => name.clone(),
            Self::Foreign(stack, entry) => format!("{stack}:{entry}").into(),
        }
    }
}

/// What is awaited, and the inputs that need it, none for mere order.
pub(super) type Needs = IndexMap<Awaited, Option<Name>>;

/// What of the input `name` is awaited.
pub(super) fn needs(name: &Name, source: &Source, needs: &mut Needs) {
    add(source, Some(name), needs);
}

/// What is awaited for a value, and the input that it is for.
pub(super) fn add(source: &Source, input: Option<&Name>, needs: &mut Needs) {
    for awaited in source.leaves().filter_map(Awaited::of) {
        needs.entry(awaited).or_insert_with(|| input.cloned());
    }
}

/// What was awaited and has come.
pub(super) type Found = HashMap<Awaited, Value>;

/// Why something that was awaited does not come.
#[derive(Debug)]
pub(super) enum Missing {
    /// It failed; whose failure it is stands in it, and who awaited it has not passed it on yet.
    Failed(Failure),
    /// The wait itself failed, which is the failure of who awaited it.
    Own(Kind, String),
    /// There is a newer revision.
    Superseded,
}

/// Waits for all that is needed, at the same time; what is missing yet is told to `report` whenever it changes. Whatever
/// does not come ends the wait for the rest.
pub(super) async fn wait(
    shared: &Shared,
    revision: &Revision,
    needs: &Needs,
    limit: Duration,
    mut report: impl FnMut(Vec<Waiting>),
) -> Result<Found, Missing> {
    let since = clock::now();
    let mut missing = needs.clone();
    let mut found = Found::with_capacity(needs.len());
    let mut pending: FuturesUnordered<_> = needs
        .keys()
        .map(|awaited| async move { (awaited.clone(), fetch(shared, revision, awaited).await) }.boxed())
        .collect();
    let end = Instant::now() + limit;
    let mut told = false;
    loop {
        let next = match poll!(pending.next()) {
            std::task::Poll::Ready(next) => next,
            std::task::Poll::Pending => {
                told = true;
                report(waiting(&missing, since));
                tokio::select! {
                    biased;
                    next = pending.next() => next,
                    why = in_vain(shared, revision, &missing, since, (limit, end)) => {
                        return Err(Missing::Own(Kind::Wait, why));
                    }
                }
            }
        };
        let Some((awaited, value)) = next else { break };
        missing.shift_remove(&awaited);
        match value {
            Ok(value) => {
                found.insert(awaited, value);
            }
            Err(why) => return Err(why),
        }
    }
    if told {
        report(Vec::new());
    }
    Ok(found)
}

/// What is missing; of very much, a part, which a status has room for.
fn waiting(missing: &Needs, since: Time) -> Vec<Waiting> {
    missing
        .iter()
        .take(TOLD)
        .map(|(awaited, input)| Waiting { what: awaited.name(), input: input.clone(), since })
        .collect()
}

async fn fetch(shared: &Shared, revision: &Revision, awaited: &Awaited) -> Result<Value, Missing> {
    let number = revision.id.number;
    let content = match awaited {
        Awaited::Entry(entry) => shared.insist(|| shared.space.read(entry, number)).await,
        Awaited::Foreign(stack, entry) => {
            let space = Space::new(shared.space.store().clone(), stack);
            shared.insist(|| space.read_latest(entry)).await.map(|written| written.content)
        }
        Awaited::Ended(component) => {
            let own = component.strip_prefix(&*shared.server).and_then(|rest| rest.strip_prefix('/'));
            let ended = match own {
                Some(own) => match revision.ended(own).await {
                    Outcome::Done => Ok(None),
                    Outcome::Failed(failure) => Ok(Some(failure)),
                    Outcome::Abandoned => return Err(Missing::Superseded),
                },
                None => shared.insist(|| shared.space.ended(component, number)).await,
            };
            ended.map(|failure| failure.map_or(Content::Value(Value::Null), Content::Failure))
        }
    };
    let what = awaited.name();
    match content {
        Ok(Content::Failure(failure)) => Err(Missing::Failed(failure)),
        Ok(content) => match shared.vault.reveal(&content) {
            Ok(value) => Ok(value.unwrap_or(Value::Null)),
            Err(error) => Err(Missing::Own(Kind::Input, format!("cannot read `{what}`: {error}"))),
        },
        Err(SpaceError::Superseded { .. }) => Err(Missing::Superseded),
        Err(error) => Err(Missing::Own(Kind::Input, format!("cannot read `{what}`: {error}"))),
    }
}

/// Waits until the wait is over, and tells what was waited for in vain, from whom, since when, and what is in the way. As
/// long as that is a wait of someone else's that is over as well, it waits a little for their failure, to pass it on.
async fn in_vain(
    shared: &Shared,
    revision: &Revision,
    missing: &Needs,
    since: Time,
    (limit, end): (Duration, Instant),
) -> String {
    // One cause of each is enough to begin mending; a hundred missing values have few causes.
    const NAMED: usize = 5;
    time::sleep_until(end).await;
    let mut message = format!("waited {} since {since:.0} for ", span(limit));
    for (at, (awaited, input)) in missing.iter().take(NAMED).enumerate() {
        message.push_str(if at > 0 { ", " } else { "" });
        let _ = match input {
            Some(input) => write!(message, "`{}` (its input `{input}`)", awaited.name()),
            None => write!(message, "`{}` to end", awaited.name()),
        };
    }
    if missing.len() > NAMED {
        let _ = write!(message, " and {} more", missing.len() - NAMED);
    }
    let awaited = missing.keys().take(NAMED).filter(|awaited| !matches!(awaited, Awaited::Foreign(..)));
    let names: Vec<Name> = awaited.map(Awaited::name).collect();
    // The store may be what is in the way.
    let causes = match time::timeout(ASKING, root_causes(&shared.space, &names, revision.id.number)).await {
        Ok(Ok(causes)) => causes,
        Ok(Err(error)) => return format!("{message}; why, cannot be told: {error}"),
        Err(_) => return format!("{message}; why, cannot be told: the data space does not answer"),
    };
    let is_awaited = |server: &Name| {
        names.iter().any(|name| name.strip_prefix(&**server).is_some_and(|component| component.starts_with('/')))
    };
    let is_near = causes.iter().any(|cause| match cause {
        Cause::NeverStarted { server } | Cause::Away { server } => is_awaited(server),
        _ => false,
    });
    if !is_near && !causes.is_empty() {
        time::sleep_until(end + ASKING).await;
    }
    for (at, cause) in causes.iter().take(NAMED).enumerate() {
        let _ = write!(message, "{}{cause}", if at == 0 { ": " } else { "; " });
    }
    message
}

/// The value of an input, all that it needs being there.
///
/// # Errors
/// Why there is none.
pub(super) fn value(shared: &Shared, name: &str, input: &PlannedInput, found: &Found) -> Result<Value, (Kind, String)> {
    let value = resolve(shared, &input.from, found).map_err(|why| (Kind::Input, format!("input `{name}`: {why}")))?;
    match values::refuse(&input.ty, &value) {
        None => Ok(value),
        Some(why) => Err((Kind::Type, format!("input `{name}`: {why}"))),
    }
}

/// The value, all that it needs being there.
///
/// # Errors
/// Why there is none.
pub(super) fn resolve(shared: &Shared, source: &Source, found: &Found) -> Result<Value, String> {
    let value = |held: &Held| match held {
        Held::Sealed(sealed) => shared.vault.open(sealed),
        Held::UserData(key) => shared.user_data.get(key).cloned().ok_or_else(|| {
            format!(
                "the user data of this server does not tell `{key}`: the stack was created from another template \
                 than the seed"
            )
        }),
        Held::Entry(entry) | Held::Foreign { entry, .. } => {
            let value = Awaited::of(held).and_then(|awaited| found.get(&awaited));
            value.cloned().ok_or_else(|| format!("nobody waited for `{entry}`"))
        }
    };
    source.evaluate(&mut |held| value(held), &mut wattle_heat::evaluate::apply)
}
