//! Selects what stands for a name, from its rows and from the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use wattle::model::{Name, Resource as Declared};
use wattle::shown::{bounded, one_line};
use wattle_agent_core::time::Time;
use wattle_converge::{Act, Row, RowFailure, Stage, Wait, Why};

use crate::deploy::{Known, Planned};
use crate::report::natural;

use super::{How, Resource};

/// Everything that exists for a name.
#[derive(Default)]
pub(super) struct Named<'k> {
    pub(super) is_wanted: bool,
    planned: Option<&'k Planned>,
    /// Its rows for which something exists, the oldest first.
    pub(super) rows: Vec<&'k Row>,
    /// The row that stands for the name.
    stands: Option<&'k Row>,
    number: u64,
}

pub(super) fn all(known: &Known) -> BTreeMap<&Name, Named<'_>> {
    let mut named: BTreeMap<&Name, Named<'_>> = BTreeMap::new();
    for planned in known.planned.iter().flatten() {
        let named = named.entry(&planned.name).or_default();
        (named.is_wanted, named.planned) = (true, Some(planned));
    }
    for row in &known.rows {
        if row.stage == Stage::Gone && row.is_idle() && failure(row, known.number).is_none() {
            continue;
        }
        named.entry(&row.name).or_default().rows.push(row);
    }
    for named in named.values_mut() {
        named.number = known.number;
        named.stands = named.rows.iter().rev().find(|row| may_stand(row, known.number)).copied();
        named.is_wanted |= known.planned.is_none() && named.stands.is_some();
    }
    named
}

/// Whether a row can stand for its name. If several can, the newest does.
fn may_stand(row: &Row, number: u64) -> bool {
    if let Some(failure) = failure(row, number) {
        return !failure.deleting;
    }
    let is_broken = row.stage == Stage::Failed && row.drift.is_some();
    (is_broken || matches!(row.stage, Stage::New | Stage::Sound)) && !row.is_being_deleted()
}

/// The failure in this deployment, if any. Earlier failures are retried.
fn failure(row: &Row, number: u64) -> Option<&RowFailure> {
    row.failed.as_ref().filter(|failure| failure.generation == number)
}

/// The row's own description of its difference from the request.
pub(super) fn said_of(row: &Row, number: u64) -> Option<String> {
    let failure = failure(row, number)?;
    let cause = failure.cause.clone();
    let why = if failure.deleting { Why::Left(cause) } else { Why::Failed(cause) };
    Some(Wait { name: row.name.clone(), why }.to_string())
}

impl Named<'_> {
    pub(super) fn is_there(&self) -> bool {
        self.stands.is_some_and(|row| row.is_idle() && row.stage == Stage::Sound && failure(row, self.number).is_none())
    }

    pub(super) fn shown(&self, name: &Name, known: &Known, there: &BTreeSet<&Name>) -> Vec<Resource> {
        // If the name is not wanted, its newest row bears it.
        let bearer = self.stands.or_else(|| self.rows.last().copied().filter(|_| !self.is_wanted));
        let rows = self.rows.iter().rev().map(|row| {
            let is_bearer = bearer.is_some_and(|bearer| bearer.id == row.id);
            let stands = self.is_wanted && self.stands.is_some_and(|stands| stands.id == row.id);
            let key = if is_bearer { name.clone() } else { format!("{name} ({})", row.id).into() };
            of_row(row, key, stands, known.number)
        });
        let mut shown: Vec<Resource> = rows.collect();
        if let Some(planned) = self.planned
            && self.stands.is_none()
        {
            shown.push(missing(planned, known, there));
        }
        shown
    }
}

fn of_row(row: &Row, key: Name, stands: bool, number: u64) -> Resource {
    let how = match (failure(row, number), row.act()) {
        (Some(failure), _) if !failure.deleting => How::Failed(legible(&failure.cause)),
        (_, Some(Act::Create)) => How::Busy("is being created"),
        (_, Some(Act::Look)) => How::Busy("is being looked for"),
        (_, Some(Act::Read { .. })) => How::Busy("is being read again"),
        (_, Some(Act::Update { .. })) => How::Busy("is being changed"),
        (_, Some(Act::Release { .. })) => How::Busy("releases what another resource needs"),
        (_, Some(Act::Delete)) => How::Leaving,
        (Some(failure), None) => How::Failed(format!("could not be deleted: {}", legible(&failure.cause))),
        (None, None) => match (row.stage, &row.drift) {
            (Stage::New, _) => How::Busy("is being looked for"),
            (Stage::Failed, Some(why)) if stands => How::Failed(format!("is broken: {}", legible(why))),
            (Stage::Sound, Some(how)) if stands => How::Differs(legible(how)),
            (Stage::Sound, None) if stands => How::There,
            (Stage::Sound | Stage::Failed | Stage::Gone, _) => How::ToGo,
        },
    };
    Resource {
        key,
        name: row.name.clone(),
        kind: Some(row.kind.clone()),
        how,
        id: row.thing.as_ref().map(|thing| thing.phys.clone()),
        since: time(row.since),
        server: server(&row.name, Some(&row.kind)),
    }
}

/// A planned resource for which nothing stands.
fn missing(planned: &Planned, known: &Known, there: &BTreeSet<&Name>) -> Resource {
    let how = if known.is_reached && known.is_settled {
        How::Differs("it is gone".to_owned())
    } else {
        let mut waits: Vec<Name> = planned.after.iter().filter(|name| !there.contains(name)).cloned().collect();
        waits.sort_by(|a, b| natural(a, b));
        How::ToCome(waits)
    };
    let Planned { name, kind, .. } = planned;
    let server = server(name, kind.as_ref());
    Resource { key: name.clone(), name: name.clone(), kind: kind.clone(), how, id: None, since: None, server }
}

/// Converts the time, if known.
pub(super) fn time(at: wattle_converge::Time) -> Option<Time> {
    let millis = Some(at.as_millis()).filter(|millis| *millis > 0);
    millis.map(|millis| Time::EPOCH + Duration::from_millis(millis))
}

/// The name by which components know a server. In a nested stack or a group, its own name comes last.
pub(super) fn server(name: &str, kind: Option<&Name>) -> Option<Name> {
    let is_server = kind.is_some_and(|kind| &**kind == Declared::SERVER);
    is_server.then(|| name.rsplit('/').next().unwrap_or(name).into())
}

/// Makes a service's message safe to show.
pub(super) fn legible(text: &str) -> String {
    one_line(&bounded(text.to_owned()))
}
