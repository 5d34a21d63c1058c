//! The end of a history, and its invariants.

use std::collections::BTreeMap;

use wattle_converge::{Desire, Event, Row, Stage, State};
use wattle_model::Name;

use super::World;
use super::happening::Happening;
use crate::cloud::attribute_of;
use crate::wish::may_be_noted;

impl World {
    /// Checks that after the faults everything comes to rest, and that the next desired state is reached, whatever has
    /// happened before.
    pub(super) fn ends(&mut self) {
        if self.broken.is_some() {
            return;
        }
        let is_settled = self.settled.is_some() || self.store.desired.is_none();
        if !self.current().is_some_and(State::is_quiet) || !is_settled {
            return self.breaks(|| "it does not come to rest".to_owned());
        }
        self.wish = self.wish.next(&mut self.chance, self.size, self.shows);
        self.say(|| "the last desired state but two".to_owned());
        self.want(true);
        self.check_reached();
        if self.broken.is_some() {
            return;
        }
        self.say(|| "somebody changes what there is".to_owned());
        let things: Vec<Name> = self.cloud.things.keys().cloned().collect();
        if self.chance.flip() && !things.is_empty() {
            self.cloud.things.remove(&things[self.chance.index(things.len())]);
        }
        if self.chance.flip() {
            self.cloud.things.values_mut().for_each(|thing| thing.is_changed = self.chance.flip());
        }
        self.after(0, Happening::Calm);
        self.go_on();
        self.check_reached();
        if self.broken.is_some() {
            return;
        }
        self.say(|| "once more the same".to_owned());
        self.want(true);
        self.check_reached();
        if self.broken.is_none() && (self.jobs > 0 || !self.writes.is_empty() || self.others != 2) {
            let (jobs, writes, others) = (self.jobs, self.writes.len(), self.others);
            return self
                .breaks(|| format!("nothing changed, and there were {jobs} jobs and {writes} and {others} writes"));
        }
        self.say(|| "another one".to_owned());
        self.wish = self.wish.next(&mut self.chance, self.size, self.shows);
        self.want(true);
        self.check_reached();
        let twice = self.writes.iter().find(|(_, count)| **count > 2).map(|(id, count)| (*id, *count));
        if let Some((id, count)) = twice.filter(|_| self.releases == 0) {
            self.breaks(|| format!("{id} was written {count} times"));
        }
    }

    fn want(&mut self, corrects: bool) {
        (self.jobs, self.others, self.releases) = (0, 0, 0);
        self.writes.clear();
        self.settled = None;
        let desire = Desire { corrects, ..Desire::new(self.wish.target()) };
        self.tell(self.leaders.len() - 1, Event::Desire(desire));
        self.after(0, Happening::Calm);
        self.go_on();
    }

    /// Checks that reality matches the target: one thing for each name, in its wanted state, and nothing else.
    fn check_reached(&mut self) {
        if self.broken.is_some() {
            return;
        }
        let settled = self.settled.clone();
        if settled.as_ref().is_none_or(|(_, roots)| !roots.is_empty()) {
            return self.breaks(|| format!("nothing goes wrong, and the desired state is not reached: {settled:?}"));
        }
        let mut of_name: BTreeMap<&Name, Vec<&Name>> = BTreeMap::new();
        for (phys, thing) in self.cloud.things.iter().filter(|(_, thing)| !thing.is_nobodys()) {
            of_name.entry(&thing.name).or_default().push(phys);
        }
        let mut wrong = None;
        for place in self.wish.0.keys() {
            let found = of_name.remove(&crate::wish::name(*place)).unwrap_or_default();
            let [phys] = found[..] else {
                wrong = Some(format!("there are {found:?} of {}", crate::wish::name(*place)));
                break;
            };
            let stands = |place: usize| {
                let name = crate::wish::name(place);
                self.cloud
                    .things
                    .iter()
                    .find(|(_, thing)| thing.name == name && !thing.is_nobodys())
                    .map(|(phys, _)| (&**phys, attribute_of(&self.cloud.things, phys)))
            };
            let thing = &self.cloud.things[phys];
            let wanted = self.wish.wanted(*place, stands);
            let is_as_wanted = wanted.as_ref().is_ok_and(|wanted| {
                let has_varied = thing.varying != *wanted.varying["v"].0 && !may_be_noted(&thing.name);
                let is_it = (&*wanted.fixed, &*wanted.free) == (&*thing.fixed, &*thing.free);
                is_it && !has_varied && wanted.exclusive == thing.holds
            });
            if !is_as_wanted || thing.is_broken || thing.is_changed {
                wrong = Some(format!("{phys} is {thing:?}, and not {wanted:?}"));
                break;
            }
        }
        if let Some(wrong) = wrong.or_else(|| (!of_name.is_empty()).then(|| format!("there are also {of_name:?}"))) {
            return self.breaks(|| wrong);
        }
        let unwritten = self.store.rows.values().find(|row| {
            let varies = self.wish.0.iter().find(|(place, _)| crate::wish::name(**place) == row.name);
            varies.is_some_and(|(_, resource)| {
                *row.varying["v"] != *resource.varies.0.to_string() || row.drains != resource.drains
            })
        });
        if let Some(row) = unwritten {
            let what = format!("of {} something else is written down than what is wanted", row.id);
            return self.breaks(|| what);
        }
        let is_of_before = |row: &&Row| {
            row.stage == Stage::Sound && row.thing != row.thing.as_ref().map(|thing| self.cloud.thing(&thing.phys))
        };
        if let Some(row) = self.store.rows.values().filter(|row| !row.adopted).find(is_of_before) {
            let what = format!("what is written down of {} can be read no more: {:?}", row.id, row.thing);
            return self.breaks(|| what);
        }
        let rows = self.store.rows.values().filter(|row| !row.adopted).count();
        if rows != self.wish.0.len() {
            self.breaks(|| format!("there are {rows} rows"));
        }
    }
}
