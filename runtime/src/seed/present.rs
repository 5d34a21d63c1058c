//! The present contents of a stack in a data space.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wattle::model::{IndexMap, Name};

use wattle_agent_core::status::ServerStatus;

use crate::space::{
    DesiredRevision, Export, Importer, Layout, Record, Revision, ServerPlan, Shared, parse_json, places, unverified,
};
use crate::store::{Principal, Store, Version, below};

use super::deployed::There;
use super::error::Tampered;
use super::roster::Register;
use super::turn::{Seen, over};
use super::{SeedError, rights};

/// The maximum number of concurrent requests.
pub(super) const AT_ONCE: usize = 256;

/// The desired revision, with the fields that only `seed apply` needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent, and former versions lack them")]
pub(super) struct Deployed {
    #[serde(flatten)]
    pub(super) desired: DesiredRevision,
    /// A keyed digest of everything apart from the seed that plans depend on.
    #[serde(default)]
    pub(super) given: String,
    /// A digest of the servers' identities.
    #[serde(default)]
    pub(super) identities: String,
    /// A random name of the turn while something is being applied. Two writers that announce the same revision write
    /// different desired revisions. So a writer that does not learn whether its own was written does not mistake the
    /// other's for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<String>,
    /// Whether each server's agent has a place. Earlier versions have none.
    #[serde(default)]
    pub(super) places: bool,
    /// Whether these places have a quota. Not set by earlier versions, nor where the store does not allow it.
    #[serde(default)]
    pub(super) bounded: bool,
    /// Whether only the operator creates nodes beside the data space. Not set by earlier versions, nor where others do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) closed: bool,
    /// Whether any server has a place other than its first. Otherwise there is no need to look for such places.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) moved: bool,
    /// Whether servers can announce their own keys.
    #[serde(default)]
    pub(super) announces: bool,
    /// Whether the operator's key is being replaced. The deployment then stays the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) rotates: bool,
    /// The servers that are being admitted to a deployment that otherwise stays the same. Each has a flag for whether
    /// it was named, so that its new agent replaces the former one.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(super) admitting: IndexMap<Name, bool>,
    /// Whether these servers have renewed their keys.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) renewing: bool,
}

impl Deployed {
    /// The desired revision of an otherwise empty data space. `revision` is being written.
    pub(super) fn beginning(space: Option<Name>, operator: Option<Principal>, revision: u64) -> Self {
        let desired = DesiredRevision {
            revision: 0,
            space,
            digest: String::new(),
            applying: Some(revision),
            operator,
            expires: None,
            plans: None,
        };
        Self {
            desired,
            given: String::new(),
            identities: String::new(),
            turn: None,
            places: false,
            bounded: false,
            closed: false,
            moved: false,
            announces: false,
            rotates: false,
            admitting: IndexMap::default(),
            renewing: false,
        }
    }

    /// Whether earlier contents may still be there. Then only this desired revision is trusted.
    pub(super) fn is_to_be_cleared(&self) -> bool {
        self.desired.revision == 0 && self.desired.applying == Some(0)
    }
}

/// The present contents of a stack in a data space.
#[derive(Default)]
pub(super) struct Present {
    pub(super) deployed: Option<(Deployed, Version)>,
    /// Shows whether the contents are still the same.
    pub(super) seen: Seen,
    /// Nodes that differ from what the operator has written, besides unsigned ones.
    pub(super) replaced: Vec<Tampered>,
    /// Whether everything matches the plans, so that no `seed apply` was interrupted.
    pub(super) whole: bool,
    /// Every node below the stack except those that agents create.
    pub(super) paths: HashSet<String>,
    /// The name of the place of each server's agent.
    places: BTreeMap<Name, String>,
    pub(super) plans: IndexMap<Name, ServerPlan>,
    /// The principal to which each server's rights were granted.
    pub(super) principals: HashMap<Name, Principal>,
    /// The identities of the servers, and their announcements.
    pub(super) register: Register,
    /// The servers that have left the model and have nothing left to tear down, or that the operator forgets.
    pub(super) over: HashSet<Name>,
    /// The data that servers share.
    pub(super) shared: Option<Shared>,
    pub(super) exports: IndexMap<Name, Export>,
    /// The stored files of the deployment.
    pub(super) files: There,
    /// By stack.
    pub(super) importers: IndexMap<Name, Importer>,
}

/// The desired revision of `layout`'s stack. `None` also if it is not trusted.
pub(super) async fn deployed(
    store: &Arc<dyn Store>,
    layout: &Layout,
) -> Result<Option<(Deployed, Version)>, SeedError> {
    let path = layout.revision();
    let Some(node) = store.get(&path).await? else { return Ok(None) };
    Ok(parse_json(&path, &node.data)?.map(|desired| (desired, node.version)))
}

impl Present {
    /// Reads everything, except for a desired revision that is `known`: a desired revision that names a turn was
    /// written by this operator. If the stack should be `restored`, its desired revision does not count, because
    /// another data space begins.
    pub(super) async fn read(
        store: &Arc<dyn Store>,
        layout: &Layout,
        known: Option<(Deployed, Version)>,
        restored: bool,
    ) -> Result<Self, SeedError> {
        let path = layout.revision();
        let is_turn = !restored && known.as_ref().is_some_and(|(desired, _)| desired.turn.is_some());
        let (written, deployed) = match known.filter(|_| !restored) {
            Some((desired, version)) => (Some(version), Some((desired, version))),
            None => match store.get(&path).await? {
                Some(node) if restored => (Some(node.version), None),
                Some(node) => {
                    (Some(node.version), parse_json(&path, &node.data)?.map(|desired| (desired, node.version)))
                }
                None => (None, None),
            },
        };
        let seen = match (&deployed, written) {
            (None, Some(version)) => Seen::of_unknown(store, layout, version).await?,
            (deployed, _) => Seen::read(store, layout, deployed.as_ref()).await?,
        };
        if is_turn && !seen.is_of_turn() {
            // A writer that has taken a turn has seen its data space, which no longer exists.
            return Err(over(layout));
        }
        let mut present = Self { whole: true, seen, ..Self::default() };
        if written.is_none() && store.get(&layout.root()).await?.is_none() {
            return Ok(present);
        }
        present.paths.insert(layout.root());
        present.whole = deployed.as_ref().is_some_and(|(deployed, _)| deployed.desired.applying.is_none());
        present.paths.extend(written.map(|_| path));
        present.deployed = deployed;
        let tops = [
            layout.servers(),
            layout.agents(),
            layout.entries(),
            layout.statuses(),
            layout.recipes(),
            layout.exports(),
            layout.importers(),
        ];
        let has_places = present.deployed.as_ref().is_some_and(|(deployed, _)| deployed.places);
        let has_moved = present.deployed.as_ref().is_some_and(|(deployed, _)| deployed.moved);
        if present.whole && has_places {
            present.paths.extend(tops);
        } else {
            let names: HashSet<String> = store.children(&layout.root()).await?.into_iter().collect();
            let there = |top: &String| top.rsplit_once('/').is_some_and(|(_, name)| names.contains(name));
            present.paths.extend(tops.into_iter().filter(there));
        }
        present.servers(store, layout).await?;
        let places = if present.whole && has_places && !has_moved {
            present.plans.keys().map(ToString::to_string).collect()
        } else {
            store.children(&layout.agents()).await?
        };
        present.paths.extend(places.iter().map(|name| layout.agent(name)));
        present.places = places::newest(&places);
        present.announced(store, layout).await?;
        present.judge_numbers(layout);
        present.torn_down(store, layout).await?;
        for top in [layout.recipes(), layout.exports(), layout.importers()] {
            let names = store.children(&top).await?;
            present.paths.extend(names.into_iter().map(|name| format!("{top}/{name}")));
        }
        // Other stacks rely on it.
        store.get(&layout.exports()).await?;
        present.judge_recipes(store, layout).await?;
        present.files = There::read(store, layout, restored).await?;
        present.exports = present.named(store, &layout.exports()).await?;
        present.importers = present.named(store, &layout.importers()).await?;
        if present.whole {
            present.infer(layout);
        } else {
            present.walk(store, layout).await?;
        }
        Ok(present)
    }

    async fn servers(&mut self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        let path = layout.servers();
        let Some(node) = store.get(&path).await? else { return Ok(()) };
        self.shared = parse_json(&path, &node.data)?;
        let names = store.children(&path).await?;
        let mut read = stream::iter(names)
            .map(|name| async move {
                let path = layout.server(&name);
                let record = get_json::<Record>(store, &path).await?;
                let path = layout.plan(&name);
                let plan = match store.get(&path).await? {
                    Some(node) => Some(parse_json::<ServerPlan>(&path, &node.data)?),
                    None => None,
                };
                Ok::<_, SeedError>((record, plan, name))
            })
            .buffered(AT_ONCE);
        while let Some((record, plan, name)) = read.try_next().await? {
            let name: Name = name.into();
            self.paths.insert(layout.server(&name));
            self.paths.extend(plan.is_some().then(|| layout.plan(&name)));
            if let Some(plan) = plan.flatten() {
                self.plans.insert(name.clone(), plan);
            }
            if let Some(record) = record {
                self.principals.insert(name.clone(), record.principal().clone());
                self.register.records.insert(name, record);
            }
        }
        Ok(())
    }

    /// Reads the servers' announcements, and what they receive besides their plans.
    async fn announced(&mut self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        let top = layout.admission();
        let is_none = self.whole && self.deployed.as_ref().is_some_and(|(deployed, _)| !deployed.announces);
        if !is_none && store.get(&top).await?.is_some() {
            self.paths.insert(top.clone());
            let names = store.children(&top).await?;
            let read = names.into_iter().map(|name| async move {
                let node = store.get(&layout.announcement(&name)).await?;
                Ok::<_, SeedError>((Name::from(name), node))
            });
            let read: Vec<_> = stream::iter(read).buffered(AT_ONCE).try_collect().await?;
            for (name, node) in read {
                let Some(node) = node else { continue };
                self.paths.insert(layout.announcement(&name));
                self.register.announced.insert(name, node.data);
            }
        }
        if self.whole {
            self.paths.extend(self.expected_paths(layout));
            return Ok(());
        }
        let both = [Layout::membership, Layout::last_desired];
        let servers: Vec<Name> = self.register.records.keys().chain(self.plans.keys()).cloned().collect();
        let paths = servers.iter().flat_map(|name| both.map(|path| path(layout, name)));
        let there = paths.map(|path| async move {
            let node = store.get(&path).await?;
            Ok::<_, SeedError>(node.map(|_| path))
        });
        let there: Vec<_> = stream::iter(there.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        self.paths.extend(there.into_iter().flatten());
        Ok(())
    }

    /// The paths of what each server receives besides its plan, if everything matches the plans. None of these has to
    /// be read.
    pub(super) fn expected_paths(&self, layout: &Layout) -> Vec<String> {
        if !self.whole || !matches!(self.shared, Some(Shared::Now(_))) {
            return Vec::new();
        }
        let path = |(name, plan): (&Name, &ServerPlan)| {
            if plan.retired { layout.last_desired(name) } else { layout.membership(name) }
        };
        self.plans.iter().filter(|(_, plan)| !plan.forgotten).map(path).collect()
    }

    /// Determines whether servers that have left the model have anything left to tear down. Only their own reports
    /// tell, and a false report harms only the server itself.
    async fn torn_down(&mut self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        let leaving = self.plans.iter().filter(|(_, plan)| plan.retired && !plan.forgotten);
        let asked = leaving.map(|(name, plan)| async move {
            let path = layout.server_status(name);
            let Some(node) = store.get(&path).await? else { return Ok(None) };
            let status = parse_json::<ServerStatus>(&path, unverified(&node.data)).ok().flatten();
            let is_over = status.is_some_and(|status| status.of() == plan.of() && status.leaving.is_empty());
            let is_gone = is_over && !is_acting(store, layout, name).await?;
            Ok::<_, SeedError>(is_gone.then(|| name.clone()))
        });
        let asked: Vec<_> = stream::iter(asked.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        self.over.extend(asked.into_iter().flatten());
        Ok(())
    }

    /// The next plan of a server that leaves the model or has left it, whose plan was `plan` so far.
    pub(super) fn left_behind(&self, server: &Name, plan: &ServerPlan, revision: &Revision) -> ServerPlan {
        let next = plan.left_behind(revision);
        ServerPlan { forgotten: next.forgotten || self.over.contains(server), ..next }
    }

    /// Whether any server has a place other than its first.
    pub(super) fn has_moved(&self) -> bool {
        self.places.iter().any(|(server, place)| **server != **place)
    }

    /// The name of the place of `server`'s agent.
    pub(super) fn place<'a>(&'a self, server: &'a str) -> &'a str {
        self.places.get(server).map_or(server, String::as_str)
    }

    /// Whether the server no longer has any rights.
    pub(super) fn has_forgotten(&self, server: &Name) -> bool {
        self.plans.get(server).is_some_and(|plan| plan.forgotten)
    }

    /// The principals of the servers that have not left the model, as their rights were granted.
    pub(super) fn active(&self) -> HashMap<Name, Principal> {
        let is_active = |server: &Name| self.plans.get(server).is_none_or(|plan| !plan.retired);
        let active = self.principals.iter().filter(|(server, _)| is_active(server));
        active.map(|(server, principal)| (server.clone(), principal.clone())).collect()
    }

    /// Also distrusts a plan or identity that the operator has signed for another revision.
    fn judge_numbers(&mut self, layout: &Layout) {
        let Some((Deployed { desired, .. }, _)) = &self.deployed else { return };
        // While plans are being written, the desired revision does not have their numbers yet.
        let Some(numbers) = desired.plans.as_ref().filter(|_| self.whole) else { return };
        let replaced = &mut self.replaced;
        self.plans.retain(|server, plan| {
            let asked = numbers.of(server);
            let is_it = plan.revision == asked && plan.space == desired.space;
            if !is_it {
                let why = format!(
                    "it is the one of revision {}, and the desired revision asks for the one of revision {asked}",
                    plan.revision
                );
                replaced.push(Tampered { node: layout.plan(server), why, writer: None, is_former: false });
            }
            is_it
        });
        // Each known server has a plan. So does a server that has left, as long as anything of it exists.
        let plans = self.register.records.keys().map(|server| layout.plan(server));
        for node in plans.filter(|plan| !self.paths.contains(plan)) {
            let why = "it is missing".to_owned();
            replaced.push(Tampered { node, why, writer: None, is_former: false });
        }
        // Earlier identities of a server are signed as well, and others may have their keys by now. The plan has the
        // valid key.
        for (server, plan) in self.plans.iter().filter(|(_, plan)| !plan.retired) {
            let Some(key) = &plan.key else { continue };
            let known = self.register.records.get(server).and_then(Record::registered);
            if known.is_none_or(|known| known.identity().key.to_string() != **key) {
                let why = "it is not the one that the server's plan was written with".to_owned();
                self.replaced.push(Tampered { node: layout.server(server), why, writer: None, is_former: false });
            }
        }
    }

    /// Checks recipe files against their digests, which are their names. One with another digest differs from what the
    /// operator has written.
    async fn judge_recipes(&mut self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        let top = format!("{}/", layout.recipes());
        let files = self.paths.iter().filter_map(|path| Some((path.strip_prefix(&top)?.to_owned(), path.clone())));
        let read = files.map(|(digest, path)| async move {
            let node = store.get(&path).await?;
            Ok::<_, SeedError>(
                node.is_some_and(|node| wattle_agent_core::seed::digest(&node.data) != digest).then_some(path),
            )
        });
        let read: Vec<_> = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        self.replaced.extend(read.into_iter().flatten().map(|node| {
            let why = "its content is not the file that it is named after".to_owned();
            Tampered { node, why, writer: None, is_former: false }
        }));
        Ok(())
    }

    /// The nodes directly below `top`, by name.
    async fn named<T: DeserializeOwned>(
        &self,
        store: &Arc<dyn Store>,
        top: &str,
    ) -> Result<IndexMap<Name, T>, SeedError> {
        let below = format!("{top}/");
        let mut names: Vec<&str> = self.paths.iter().filter_map(|path| path.strip_prefix(&below)).collect();
        names.sort_unstable();
        let mut read = stream::iter(names)
            .map(|name| async move { Ok::<_, SeedError>((name, get_json(store, &format!("{top}/{name}")).await?)) })
            .buffered(AT_ONCE);
        let mut found = IndexMap::default();
        while let Some((name, value)) = read.try_next().await? {
            if let Some(value) = value {
                found.insert(name.into(), value);
            }
        }
        Ok(found)
    }

    /// Derives the existing entries and statuses from the plans.
    fn infer(&mut self, layout: &Layout) {
        for (server, plan) in &self.plans {
            for entry in rights::written(server, plan) {
                add_parents(&mut self.paths, &layout.entry(&entry), &layout.entries());
            }
            if !plan.forgotten {
                add_parents(&mut self.paths, &layout.server_status(server), &layout.statuses());
            }
            for component in plan.components.keys() {
                self.paths.insert(layout.status(&format!("{server}/{component}")));
            }
        }
    }

    /// Lists the existing entries and statuses.
    async fn walk(&mut self, store: &Arc<dyn Store>, layout: &Layout) -> Result<(), SeedError> {
        for (top, depth) in [(layout.entries(), 3), (layout.statuses(), 2)] {
            let mut level = vec![top];
            for _ in 0..depth {
                level = below(store, level).await?;
                self.paths.extend(level.iter().cloned());
            }
        }
        Ok(())
    }
}

/// Adds `path` and its parents, up to `top`.
pub(super) fn add_parents(paths: &mut HashSet<String>, path: &str, top: &str) {
    let mut path = path;
    while path.len() > top.len() && paths.insert(path.to_owned()) {
        path = path.rsplit_once('/').map_or(top, |(parent, _)| parent);
    }
}

/// Whether an agent has the server's place, or a place beside the plan as in earlier versions. Anything else that the
/// server has created there is not an agent.
pub(super) async fn is_acting(store: &Arc<dyn Store>, layout: &Layout, server: &str) -> Result<bool, SeedError> {
    let place = places::of(store, layout, server).await?;
    Ok(store.is_held(&layout.alive(&place)).await? || store.is_held(&layout.former_alive(server)).await?)
}

pub(super) async fn get_json<T: DeserializeOwned>(store: &Arc<dyn Store>, path: &str) -> Result<Option<T>, SeedError> {
    match store.get(path).await? {
        Some(node) => Ok(parse_json(path, &node.data)?),
        None => Ok(None),
    }
}
