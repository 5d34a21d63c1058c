//! Writes the identities of servers, their shared data, and what remains for those that have left the model.

use std::collections::HashMap;

use wattle::model::Name;

use crate::clock;
use crate::parallel;
use crate::seed::{SeedError, rights};
use crate::space::{Announced, DesiredRevision, Membership, Numbers, ServerPlan, to_json};
use crate::store::{Access, Op};

use super::Maker;

impl Maker<'_> {
    /// Whether the signed identity of a server is its present one.
    pub(super) fn is_registered(&self, server: &Name) -> bool {
        let there = self.present.register.records.get(server).and_then(|record| record.registered());
        self.present.whole && there == self.wanted.roster.servers.get(server)
    }

    /// The places where servers make announcements.
    pub(super) fn places(&mut self) {
        let top = self.layout.admission();
        if !self.wanted.has_places && !self.present.paths.contains(&top) {
            return;
        }
        self.above(&top, Vec::new());
        let wanted = self.wanted;
        for (server, registered) in &wanted.roster.servers {
            let path = self.layout.announcement(server);
            let access = rights::announcement(&registered.credential.principal);
            let empty = Announced { space: wanted.space.clone() };
            let Some(there) = self.present.register.announced.get(server) else {
                self.create(path, empty.to_bytes(), access);
                continue;
            };
            let is_disowned = self.present.register.is_disowned(self.layout, server);
            // Announcements made with another credential no longer belong to any server.
            let known = self.present.register.records.get(server).and_then(|record| record.registered());
            let is_other = known.is_some_and(|known| !known.credential.has_key_of(&registered.credential));
            if is_disowned || is_other || Announced::read(there).space != wanted.space {
                // It is from another data space or malformed. Its server announces itself again.
                self.writing.before.push(Op::Set { path: path.clone(), data: empty.to_bytes(), expected: None });
            }
            if !self.present.whole || known.is_none_or(|known| known.credential != registered.credential) {
                self.writing.granted.push((path, access));
            }
        }
    }

    /// The servers' parts of the shared data, as far as they do not exist yet, encrypted for each server.
    pub(super) fn memberships(&self) -> Result<HashMap<Name, Vec<u8>>, SeedError> {
        let (wanted, present) = (self.wanted, self.present);
        let (sharing, announces) = (&wanted.sharing, wanted.has_places);
        let is_same = present.deployed.as_ref().is_some_and(|(there, _)| there.announces == announces);
        let stands = present.whole && sharing.is_known && is_same;
        let has_it = |server: &Name| {
            let known = wanted.principals.get(server).is_some_and(|now| present.principals.get(server) == Some(now));
            stands && known && present.paths.contains(&self.layout.membership(server))
        };
        let rest: Vec<&Name> = wanted.plans.keys().filter(|server| !has_it(server)).collect();
        let made = parallel::map(&rest, |server| {
            let identity = wanted.roster.identity(server)?;
            let login = (&sharing.login, sharing.store);
            let made = Membership::new(identity, sharing.members.generation, login, announces);
            Some(made.map(|made| ((*server).clone(), to_json(&made))))
        });
        Ok(made.into_iter().flatten().collect::<Result<_, _>>()?)
    }

    /// Gives a server the shared data.
    pub(super) fn membership(&mut self, server: &Name, known: bool, data: Vec<u8>) {
        let Some(identity) = self.wanted.roster.identity(server) else { return };
        let path = self.layout.membership(server);
        let access = rights::plan(&identity.principal);
        if self.present.paths.contains(&path) {
            if !known || !self.present.whole {
                self.writing.granted.push((path.clone(), access));
            }
            self.writing.plans.push(Op::Set { path, data, expected: None });
        } else {
            // Before any server loses the shared data, and after the server's own node is created.
            self.writing.plans.push(Op::Create { path, data, access });
        }
    }

    /// The node that a server that has left reads in place of the desired revision: it says that its plan is valid, and
    /// nothing about other servers.
    pub(super) fn last_desired(&mut self, server: &Name, plan: &ServerPlan) {
        let Some(principal) = self.present.principals.get(server) else { return };
        let path = self.layout.last_desired(server);
        let is_there = self.present.paths.contains(&path);
        if is_there && self.present.whole && self.present.plans.get(server) == Some(plan) {
            return;
        }
        let desired = DesiredRevision {
            revision: plan.revision,
            space: plan.space.clone(),
            operator: Some(self.wanted.operator.clone()),
            expires: Some(clock::now() + DesiredRevision::COUNTS),
            plans: Some(Numbers { most: plan.revision, others: Vec::new() }),
            ..DesiredRevision::default()
        };
        let (data, access) = (to_json(&desired), rights::plan(principal));
        self.writing.plans.push(if is_there {
            if !self.present.whole {
                self.writing.granted.push((path.clone(), access));
            }
            Op::Set { path, data, expected: None }
        } else {
            Op::Create { path, data, access }
        });
    }

    /// Revokes what a server that has left had for its teardown. Its identity stays known, so that its credential
    /// cannot be used again.
    pub(super) fn forgotten(&mut self, server: &Name, plan: &ServerPlan) {
        let path = self.layout.plan(server);
        if !self.present.has_forgotten(server) || !self.present.whole {
            let own = [path.clone(), self.layout.agent(self.present.place(server))];
            let there = own.into_iter().filter(|path| self.present.paths.contains(path));
            self.writing.withdrawn.extend(there.map(|path| (path, Access::new())));
        }
        let op = Op::Set { path, data: to_json(plan), expected: None };
        self.writing.plans.extend((self.present.plans.get(server) != Some(plan)).then_some(op));
    }

    /// The nodes to remove or replace once all identities are known.
    pub(super) fn over(&mut self) -> Vec<Op> {
        let (wanted, present) = (self.wanted, self.present);
        let mut ops = Vec::new();
        let under_way = &wanted.sharing.under_way;
        if *under_way != wanted.sharing.members {
            let data = to_json(&wanted.sharing.members);
            ops.push(Op::Set { path: self.layout.servers(), data, expected: None });
        }
        let mut gone = |path: String| {
            if present.paths.contains(&path) {
                ops.push(Op::Delete { path });
            }
        };
        wanted.plans.keys().for_each(|server| gone(self.layout.last_desired(server)));
        wanted.retired.keys().for_each(|server| gone(self.layout.membership(server)));
        let forgotten = wanted.retired.iter().filter(|(_, plan)| plan.forgotten);
        forgotten.for_each(|(server, _)| gone(self.layout.last_desired(server)));
        let announced = present.register.announced.keys();
        announced
            .filter(|server| !wanted.roster.servers.contains_key(*server))
            .for_each(|server| gone(self.layout.announcement(server)));
        ops
    }
}
