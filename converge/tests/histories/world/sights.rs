//! Drift of things, and what a leader observes of them.

use std::collections::{BTreeMap, BTreeSet};

use wattle_converge::{Event, Id, Sight, Stage, Thing, Time};
use wattle_model::Name;

use super::World;
use crate::cloud::{Made, attribute_of};

impl World {
    /// Changes things behind everybody's back.
    pub(super) fn drifts(&mut self) {
        let things: Vec<Name> = self.cloud.things.keys().cloned().collect();
        for phys in things {
            if !self.chance.once_in(self.faults.drift.saturating_mul(3)) {
                continue;
            }
            let kind = self.chance.index(4);
            self.say(|| format!("{phys} drifts, in way {kind}"));
            let thing = self.cloud.things.get_mut(&phys).expect("it is there");
            match kind {
                0 => thing.is_changed = true,
                1 => thing.is_broken = true,
                2 => thing.is_broken = false,
                _ => {
                    self.cloud.things.remove(&phys);
                }
            }
        }
    }

    /// Passes the state at the time of the cloud's response to a leader: each thing, and each row without one.
    pub(super) fn sees(&mut self, leader: usize, at: u64, things: &BTreeMap<Name, Made>, then: u64) {
        let Some(state) = &self.leaders[leader].state else { return };
        let of_phys: BTreeMap<Name, Id> =
            state.rows().filter_map(|row| Some((row.thing.as_ref()?.phys.clone(), row.id))).collect();
        let mut sights = Vec::new();
        let mut absent: BTreeSet<Id> = state.rows().filter(|row| row.stage != Stage::Gone).map(|row| row.id).collect();
        for (phys, made) in things {
            // A preexisting thing is unknown until somebody adopts it.
            if made.is_nobodys() && !of_phys.contains_key(phys) {
                continue;
            }
            let mark = of_phys.get(phys).copied().unwrap_or(made.mark);
            let attributes = [(Name::from("a"), attribute_of(things, phys).into())];
            let thing = Thing { phys: phys.clone(), attributes: attributes.into() };
            absent.remove(&mark);
            sights.push((
                mark,
                match made {
                    _ if made.busy_until > then => Sight::Busy(phys.clone()),
                    _ if made.is_broken => Sight::Broken(phys.clone(), "it is broken".into()),
                    _ if made.is_changed => Sight::Changed(thing, "somebody changed it".into()),
                    _ => Sight::Ready(thing),
                },
            ));
        }
        sights.extend(absent.into_iter().map(|mark| (mark, Sight::Absent)));
        for (mark, sight) in sights {
            self.tell(leader, Event::Seen { mark, kind: "thing".into(), at: Time::from_millis(at), sight });
        }
    }
}
