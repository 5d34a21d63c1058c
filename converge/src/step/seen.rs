//! Handles observations.

use wattle_model::Name;

use crate::state::{Phase, State};
use crate::{Act, Id, Row, Sight, Stage, Thing, Time};

impl State {
    /// Handles an observation of a mark. It is ignored if it is older than the known state. An unknown thing gets a
    /// row, so that it is deleted.
    pub(crate) fn on_seen(&mut self, mark: Id, kind: Name, at: Time, sight: Sight) {
        let phys = match &sight {
            Sight::Ready(thing) | Sight::Changed(thing, _) => Some(&thing.phys),
            Sight::Busy(phys) | Sight::Broken(phys, _) => Some(phys),
            Sight::Absent => None,
        };
        let Some(entry) = self.rows.get(&mark) else {
            if at > self.removed {
                self.stray(mark, kind, phys.cloned());
            }
            return;
        };
        let known = entry.row.thing.as_ref().map(|thing| &thing.phys);
        if known.is_some() && phys.is_some() && known != phys {
            return self.stray(mark, kind, phys.cloned());
        }
        match entry.phase {
            Phase::Idle if at > entry.changed => self.on_seen_idle(mark, sight),
            Phase::Accepted if at > entry.changed && entry.drain.is_none() => self.on_seen_accepted(mark, sight),
            Phase::Lease => self.on_seen_unsure(mark, sight),
            Phase::Idle | Phase::Accepted | Phase::Running(_) | Phase::Retry => {}
        }
    }

    /// The row is idle, so any difference is drift.
    fn on_seen_idle(&mut self, id: Id, sight: Sight) {
        let row = &self.rows[&id].row;
        match (row.stage, sight) {
            (Stage::Sound | Stage::Failed, Sight::Absent) => self.vanish(id),
            (Stage::Sound, Sight::Changed(_, how)) if row.drift.as_ref() != Some(&how) => {
                self.alter(id, |row| row.drift = Some(how));
            }
            (Stage::Sound, Sight::Broken(_, why)) => self.alter(id, |row| {
                row.stage = Stage::Failed;
                row.drift = Some(why);
            }),
            // A spontaneous failure may be followed by a spontaneous recovery.
            (Stage::Failed, Sight::Ready(_)) if row.drift.is_some() && row.failed.is_none() => {
                self.alter(id, |row| {
                    row.stage = Stage::Sound;
                    row.drift = None;
                });
            }
            (Stage::Sound, Sight::Ready(_)) if row.drift.is_some() && !row.adopted => {
                self.alter(id, |row| row.drift = None);
            }
            _ => {}
        }
    }

    /// Handles an observation of the result of an action that the cloud was carrying out.
    fn on_seen_accepted(&mut self, id: Id, sight: Sight) {
        let is_being_deleted = self.rows[&id].row.is_being_deleted();
        match sight {
            Sight::Absent if is_being_deleted => self.succeed(id, None),
            Sight::Absent => self.vanish(id),
            Sight::Ready(thing) | Sight::Changed(thing, _) if !is_being_deleted => self.succeed(id, Some(thing)),
            Sight::Broken(_, cause) if !is_being_deleted => self.fail(id, cause, true),
            Sight::Ready(_) | Sight::Changed(..) | Sight::Broken(..) | Sight::Busy(_) => {}
        }
    }

    /// Handles an observation of a thing whose creation had an unknown outcome.
    fn on_seen_unsure(&mut self, id: Id, sight: Sight) {
        if let (Some(Act::Create | Act::Look), Sight::Ready(thing) | Sight::Changed(thing, _)) =
            (self.rows[&id].row.act(), sight)
        {
            self.succeed(id, Some(thing));
        }
    }

    /// Handles a thing of the stack without a row, or a second thing of one row, created by a late request. It gets a
    /// row, so that it is deleted like any other thing.
    fn stray(&mut self, mark: Id, kind: Name, phys: Option<Name>) {
        let Some(phys) = phys else { return };
        let is_known = |row: &Row| row.thing.as_ref().is_some_and(|thing| thing.phys == phys && row.kind == kind);
        if self.rows.values().any(|entry| is_known(&entry.row)) {
            return;
        }
        let name = self.rows.get(&mark).map_or_else(|| Name::from(mark.to_string()), |entry| entry.row.name.clone());
        let row = Row {
            id: self.issue(),
            name,
            kind,
            made: 0,
            fixed: "".into(),
            free: None,
            varying: Default::default(),
            given: Default::default(),
            requires: Default::default(),
            edition: Id::default(),
            shown: Default::default(),
            holds: Default::default(),
            turns: Default::default(),
            drains: false,
            adopted: false,
            stage: Stage::Failed,
            thing: Some(Thing { phys, attributes: Default::default() }),
            failed: None,
            intent: None,
            until: None,
            drift: None,
            since: self.now,
        };
        self.add(row);
    }
}
