//! Handles a request to adopt resources that existed before the stack.

use std::collections::{BTreeMap, BTreeSet};

use wattle_model::{IndexMap, Name};

use crate::desired_state::places;
use crate::event::Adopted;
use crate::state::State;
use crate::view::View as _;
use crate::{Id, Known, Refusal, Row, Stage, Target, Thing, Wanted};

/// The wanted state of a resource, its thing, and its dependencies.
type Judged = (Wanted, Thing, Vec<Name>);

impl State {
    /// Gives each adopted thing a row. The row differs until an update has marked the thing. Predicates treat it like
    /// any other row, except that it is not deleted before a desired state has contained it.
    pub(crate) fn on_adopt(&mut self, target: &dyn Target, things: Vec<Adopted>) {
        let adopted = match self.judged(target, &things) {
            Ok(adopted) => adopted,
            Err(refusal) => return self.out.notices.push(crate::Notice::Refused(refusal)),
        };
        let ids: BTreeMap<Name, Id> = adopted.keys().map(|name| (name.clone(), self.issue())).collect();
        let mut differs: BTreeMap<Name, Option<Name>> =
            things.into_iter().map(|adopted| (adopted.name, adopted.differs)).collect();
        for (name, (wanted, thing, needs)) in adopted {
            let own =
                needs.iter().filter_map(|needed| ids.get(needed).copied().or_else(|| Some(self.sound(needed)?.id)));
            let row = Row {
                id: ids[&name],
                kind: wanted.kind.clone(),
                made: 0,
                fixed: wanted.fixed.clone(),
                free: None,
                varying: wanted.values(),
                given: BTreeSet::new(),
                requires: own.collect(),
                edition: Id::default(),
                shown: BTreeSet::new(),
                // It gets what another row holds by its update.
                holds: wanted.exclusive.into_iter().filter(|held| self.holders(held).is_empty()).collect(),
                turns: wanted.turns,
                drains: wanted.drains,
                adopted: true,
                stage: Stage::Sound,
                thing: Some(thing),
                failed: None,
                intent: None,
                until: None,
                drift: differs.remove(&name).flatten(),
                since: self.now,
                name,
            };
            self.add(row);
        }
    }

    /// The data for each adopted thing, if all of them can be adopted.
    fn judged(&self, target: &dyn Target, things: &[Adopted]) -> Result<IndexMap<Name, Judged>, Refusal> {
        places(target)?;
        let mut resources: IndexMap<Name, Vec<Name>> = target.resources().into_iter().collect();
        let mut judged: IndexMap<Name, Judged> = IndexMap::default();
        for Adopted { name, thing, .. } in things {
            let needs = resources.shift_remove(name).ok_or_else(|| Refusal::NoResource(name.clone()))?;
            let known = |needed: &str| {
                let adopted = things.iter().find(|adopted| &*adopted.name == needed).map(|adopted| &adopted.thing);
                adopted
                    .or_else(|| self.sound(needed)?.thing.as_ref())
                    .filter(|_| needs.iter().any(|need| &**need == needed))
            };
            let unresolved = |cause: String| Refusal::Unresolved { name: name.clone(), cause: cause.into() };
            let wanted = target.resolve(name, &Known(&known)).map_err(unresolved)?;
            let phys = |row: &Row| row.thing.as_ref().map(|thing| thing.phys.clone());
            if let Some(row) = self.rows().find(|row| row.name == *name && row.stage != Stage::Gone) {
                return Err(Refusal::Stands { name: name.clone(), phys: phys(row).unwrap_or_default() });
            }
            let row = self.rows().find(|row| row.kind == wanted.kind && phys(row).as_ref() == Some(&thing.phys));
            let other = judged.iter().find(|(_, (other, had, _))| other.kind == wanted.kind && had.phys == thing.phys);
            if let Some(name) = row.map(|row| &row.name).or(other.map(|(name, _)| name)) {
                return Err(Refusal::Taken { phys: thing.phys.clone(), name: name.clone() });
            }
            judged.insert(name.clone(), (wanted, thing.clone(), needs));
        }
        Ok(judged)
    }

    /// The youngest row of a name whose thing exists and is usable.
    fn sound(&self, name: &str) -> Option<&Row> {
        self.rows().filter(|row| &*row.name == name && row.stage == Stage::Sound).last()
    }
}
