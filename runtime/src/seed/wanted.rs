//! The wanted contents of a data space for a seed.

use std::collections::{BTreeSet, HashMap};

use wattle::lower::seed::{SeedEntry, SeedExport};
use wattle::model::{IndexMap, Name};
use wattle_agent_core::planning::{Planning, Sealing as _, keep_standing};

use crate::space::{Export, Held, Importer, OperatorKey, Revision, ServerPlan, ValueSource};
use crate::store::{Access, Principal};

use super::present::Present;
use super::roster::Roster;
use super::sealing::ForServers;
use super::sharing::Sharing;
use super::{SeedError, rights, unknown_server};

/// The wanted contents of a data space for a seed.
pub(super) struct Wanted {
    /// The plans of the seed's servers.
    pub(super) plans: IndexMap<Name, ServerPlan>,
    /// The plans of servers that have left the model.
    pub(super) retired: IndexMap<Name, ServerPlan>,
    /// The stack's own rights to each entry, without those of importers.
    pub(super) entries: IndexMap<Name, Access>,
    pub(super) exports: IndexMap<Name, Export>,
    /// What the stack reads from other stacks.
    pub(super) foreign: IndexMap<Name, Importer>,
    pub(super) roster: Roster,
    pub(super) principals: HashMap<Name, Principal>,
    pub(super) sharing: Sharing,
    /// Whether servers can make announcements.
    pub(super) has_places: bool,
    /// The data space.
    pub(super) space: Option<Name>,
    /// The operator, as the store identifies it.
    pub(super) operator: Principal,
}

pub(super) struct Building<'a> {
    pub(super) planning: Planning<'a>,
    pub(super) key: &'a OperatorKey,
    pub(super) roster: Roster,
    pub(super) principals: HashMap<Name, Principal>,
    pub(super) sharing: Sharing,
    pub(super) has_places: bool,
    pub(super) present: &'a Present,
    pub(super) revision: Revision,
    /// Whether every plan is renewed, so that everything that failed is retried.
    pub(super) again: bool,
}

impl Building<'_> {
    pub(super) fn build(self) -> Result<Wanted, SeedError> {
        let mut sealing = ForServers::new(self.key, &self.roster, self.present);
        let mut plans = self.planning.plans(&self.revision, &mut sealing)?;
        let seed = self.planning.seed;
        let retired = self.present.plans.iter().filter(|(server, _)| !seed.servers.contains_key(*server));
        plans.extend(
            retired.map(|(server, before)| (server.clone(), self.present.left_behind(server, before, &self.revision))),
        );
        let is_another = |server: &Name| self.again || is_another(self.present, &self.principals, server);
        keep_standing(&mut plans, &self.present.plans, is_another);
        let retired = plans.split_off(seed.servers.len());
        Ok(Wanted {
            retired,
            entries: self.entries()?,
            exports: self.exports(&mut sealing)?,
            foreign: foreign(&plans, &self.principals),
            plans,
            roster: self.roster,
            principals: self.principals,
            sharing: self.sharing,
            has_places: self.has_places,
            space: self.revision.space,
            operator: self.key.login().principal(),
        })
    }

    fn entries(&self) -> Result<IndexMap<Name, Access>, SeedError> {
        let principal = |server: &str| self.principals.get(server).ok_or_else(|| unknown_server(server));
        let access = |(entry, declared): (&Name, &SeedEntry)| {
            let writer = principal(rights::server_of(entry))?;
            let readers = declared.readers.iter().map(|reader| principal(reader)).collect::<Result<Vec<_>, _>>()?;
            let access = rights::entry(writer, readers);
            Ok((entry.clone(), access))
        };
        self.planning.seed.entries.iter().map(access).collect()
    }

    /// A secret export has no source: its value stays in Heat.
    fn exports(&self, sealing: &mut ForServers<'_>) -> Result<IndexMap<Name, Export>, SeedError> {
        let exports = &self.planning.seed.exports;
        let mut sources = self.planning.exports(|export| !export.ty.is_secret(), sealing)?;
        let export = |(name, export): (&Name, &SeedExport)| {
            let from = sources.swap_remove(name);
            let servers =
                from.iter().flat_map(ValueSource::leaves).filter_map(Held::entry).map(|entry| rights::server_of(entry));
            let key = |server: &str| Some((server.into(), sealing.key(&server.into())?));
            let keys = servers.filter_map(key).collect();
            (name.clone(), Export { ty: export.ty.clone(), from, keys })
        };
        Ok(exports.iter().map(export).collect())
    }
}

/// Whether the identity of `server` has changed: it may be another machine, which has none of the earlier data.
pub(super) fn is_another(present: &Present, principals: &HashMap<Name, Principal>, server: &Name) -> bool {
    principals.get(server).is_some_and(|now| present.principals.get(server) != Some(now))
}

/// What servers read from other stacks.
pub(super) fn foreign(
    plans: &IndexMap<Name, ServerPlan>,
    principals: &HashMap<Name, Principal>,
) -> IndexMap<Name, Importer> {
    let mut found: IndexMap<Name, IndexMap<Name, BTreeSet<Principal>>> = IndexMap::default();
    for (server, plan) in plans {
        for input in plan.components.values().flat_map(|component| component.inputs.values()) {
            for held in input.from.leaves() {
                if let (Held::Foreign { stack, entry }, Some(principal)) = (held, principals.get(server)) {
                    let entries = found.entry(stack.clone()).or_default();
                    entries.entry(entry.clone()).or_default().insert(principal.clone());
                }
            }
        }
    }
    let importer = |entries: IndexMap<Name, BTreeSet<Principal>>| Importer {
        entries: entries.into_iter().map(|(entry, readers)| (entry, readers.into_iter().collect())).collect(),
    };
    found.into_iter().map(|(stack, entries)| (stack, importer(entries))).collect()
}
