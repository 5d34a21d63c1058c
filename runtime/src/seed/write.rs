//! The operations for a seed, prepared before anything is written.

mod carry_out;
mod identities;

use std::collections::HashSet;

use wattle::lower::Seed;
use wattle::model::{IndexMap, Name};

use crate::space::{Layout, OVERHEAD, SERVER, is_signed, to_json};
use crate::store::{Access, MAX_DATA, Op, Principal};

use super::deployed::Steps;
use super::places::Passing;
use super::present::Present;
use super::wanted::Wanted;
use super::{SeedError, imports, rights};

/// All operations, prepared before anything is written.
pub(super) struct Writing {
    /// Operations before the servers are notified.
    before: Vec<Op>,
    /// Rights that are granted.
    granted: Vec<(String, Access)>,
    /// Places of agents that get a quota.
    places: Vec<String>,
    plans: Vec<Op>,
    /// The identities of servers. They come after all plans, so that a call after an interruption still finds that they
    /// have changed.
    records: Vec<Op>,
    /// Places whose servers get new identities.
    inherited: Vec<Passing>,
    /// Places of agents whose servers have changed, which these agents lose.
    places_lost: Vec<Passing>,
    /// Rights that are withdrawn once the servers are notified.
    withdrawn: Vec<(String, Access)>,
    /// Nodes to remove, children first.
    gone: Vec<Op>,
    /// Entries whose rights change.
    pub(super) rights: Vec<Name>,
    pub(super) warnings: Vec<String>,
}

struct Maker<'a> {
    layout: &'a Layout,
    present: &'a Present,
    wanted: &'a Wanted,
    /// The existing nodes that stay.
    kept: HashSet<String>,
    /// Grouping nodes that are already prepared.
    levels: HashSet<String>,
    writing: Writing,
}

impl Writing {
    /// Prepares everything. Without a `seed`, the recipe files stay as they are.
    pub(super) fn make(
        layout: &Layout,
        seed: Option<&Seed>,
        present: &Present,
        wanted: &Wanted,
    ) -> Result<Self, SeedError> {
        let writing = Self {
            before: Vec::with_capacity(8 + wanted.plans.len() * 5 + wanted.entries.len() * 4),
            granted: Vec::new(),
            places: Vec::new(),
            plans: Vec::with_capacity(wanted.plans.len()),
            records: Vec::new(),
            inherited: Vec::new(),
            places_lost: Vec::new(),
            withdrawn: Vec::new(),
            gone: Vec::new(),
            rights: Vec::new(),
            warnings: Vec::new(),
        };
        let mut maker = Maker { layout, present, wanted, kept: HashSet::new(), levels: HashSet::new(), writing };
        match seed {
            Some(seed) => maker.recipes(seed)?,
            None => maker.recipes_as_they_are(),
        }
        maker.servers()?;
        maker.entries()?;
        maker.exports()?;
        maker.gone();
        Ok(maker.writing)
    }

    /// Takes the places from the agents of these `servers`, if there are any.
    pub(super) fn replace_agents<'a>(&mut self, wanted: &Wanted, servers: impl Iterator<Item = &'a Name>) {
        self.places_lost.extend(servers.map(|server| {
            let principal = wanted.principals.get(server).filter(|_| wanted.plans.contains_key(server));
            let access = principal.map_or_else(Access::new, rights::agent);
            Passing { server: server.clone(), access }
        }));
    }

    /// Adds the steps for the stored files of the deployment.
    pub(super) fn keep(&mut self, steps: Steps) {
        self.before.extend(steps.before);
        self.granted.extend(steps.granted);
        self.plans.extend(steps.last);
        self.gone.extend(steps.gone);
    }
}

impl Maker<'_> {
    fn recipes(&mut self, seed: &Seed) -> Result<(), SeedError> {
        let members = self.wanted.sharing.access();
        let top = self.layout.recipes();
        self.above(&top, Vec::new());
        let mut needed: IndexMap<&str, &str> = IndexMap::default();
        for declaration in seed
            .servers
            .values()
            .flat_map(|server| server.components.values())
            .filter_map(|component| seed.declarations.get(&component.declaration))
        {
            needed.extend(declaration.recipe.files.iter().map(|(path, digest)| (digest.as_str(), &**path)));
        }
        for (digest, path) in needed {
            let content = seed.recipes.get(digest).ok_or_else(|| SeedError::Damaged {
                what: format!("it has no file `{digest}`, which is `{path}` of a recipe"),
            })?;
            let node = self.layout.recipe(digest);
            if self.present.paths.contains(&node) {
                self.again(node.clone());
                // Its writer is unknown.
                let data = content.bytes().to_vec();
                let op = Op::Set { path: node.clone(), data, expected: None };
                self.writing.before.extend(self.present.deployed.is_none().then_some(op));
            } else {
                let op = Op::Create { path: node.clone(), data: content.bytes().to_vec(), access: members.clone() };
                let what = || format!("the file `{path}` of a recipe");
                check(&op, what, "let the recipe fetch it from where large files are kept")?;
                self.writing.before.push(op);
            }
            self.kept.insert(node);
        }
        // Agents may still run the earlier files.
        for component in self.present.plans.values().flat_map(|plan| plan.components.values()) {
            for node in component.recipe.files.values().map(|digest| self.layout.recipe(digest)) {
                if !self.kept.contains(&node) && self.present.paths.contains(&node) {
                    self.again(node.clone());
                }
                self.kept.insert(node);
            }
        }
        Ok(())
    }

    fn recipes_as_they_are(&mut self) {
        let top = format!("{}/", self.layout.recipes());
        let there: Vec<String> = self.present.paths.iter().filter(|path| path.starts_with(&top)).cloned().collect();
        for node in there {
            self.again(node.clone());
            self.kept.insert(node);
        }
    }

    fn servers(&mut self) -> Result<(), SeedError> {
        let wanted = self.wanted;
        let top = self.layout.servers();
        if self.present.paths.contains(&self.layout.revision()) {
            self.again(self.layout.revision());
        }
        self.above(&top, to_json(&wanted.sharing.under_way));
        self.places();
        let tops = (self.layout.entries(), self.layout.statuses());
        self.above(&tops.0, Vec::new());
        self.above(&tops.1, Vec::new());
        self.above(&self.layout.agents(), Vec::new());
        let mut memberships = self.memberships()?;
        for (name, plan) in &wanted.plans {
            let Some(principal) = wanted.principals.get(name) else { continue };
            let known = self.present.principals.get(name) == Some(principal) && !self.present.has_forgotten(name);
            let path = self.layout.plan(name);
            let data = to_json(plan);
            let op = if self.present.paths.contains(&path) {
                if !known || !self.present.whole {
                    self.writing.granted.push((path.clone(), rights::plan(principal)));
                }
                Op::Set { path, data, expected: None }
            } else {
                Op::Create { path, data, access: rights::plan(principal) }
            };
            let help = "put some of its components on another server, or hand large constants over as a recipe's files";
            check(&op, || format!("the plan of the server `{name}`"), help)?;
            // A plan that stays is not written again.
            self.writing.plans.extend((self.present.plans.get(name) != Some(plan)).then_some(op));
            let node = self.layout.server(name);
            let registered = wanted.roster.servers.get(name);
            if !self.present.paths.contains(&node) {
                self.create(node, to_json(&registered), Access::new());
            } else if !self.is_registered(name) {
                self.writing.records.push(Op::Set { path: node, data: to_json(&registered), expected: None });
            }
            if let Some(data) = memberships.remove(name) {
                self.membership(name, known, data);
            }
            self.agent(name, principal, known);
            self.level(format!("{}/{name}", tops.1));

            for component in std::iter::once(SERVER).chain(plan.components.keys().map(|name| &**name)) {
                let path = format!("{}/{name}/{component}", tops.1);
                if self.present.paths.contains(&path) {
                    if !known || wanted.sharing.changes() || !self.present.whole {
                        self.shared(path.clone(), |share| rights::status(principal, share));
                    }
                    self.kept.insert(path);
                } else {
                    self.create(path, Vec::new(), rights::status(principal, wanted.sharing.access()));
                }
            }
        }
        for (name, plan) in &wanted.retired {
            if plan.forgotten {
                self.forgotten(name, plan);
                continue;
            }
            match self.present.principals.get(name) {
                Some(principal) => self.agent(name, principal, true),
                None if self.present.paths.contains(&self.layout.agent(self.present.place(name))) => {}
                None => self.create(self.layout.agent(name), Vec::new(), Access::new()),
            }
            // Its agent reports the result here.
            let status = self.layout.server_status(name);
            if let Some(principal) = self.present.principals.get(name)
                && self.present.paths.contains(&status)
                && (wanted.sharing.changes() || !self.present.whole)
            {
                self.shared(status.clone(), |share| rights::status(principal, share));
            }
            self.kept.extend([format!("{}/{name}", tops.1), status]);
            self.last_desired(name, plan);
            let path = self.layout.plan(name);
            if let Some(principal) = self.present.principals.get(name).filter(|_| !self.present.whole) {
                self.writing.granted.push((path.clone(), rights::plan(principal)));
            }
            let op = Op::Set { path, data: to_json(plan), expected: None };
            self.writing.plans.extend((self.present.plans.get(name) != Some(plan)).then_some(op));
        }
        Ok(())
    }

    /// The place of a server's agent.
    fn agent(&mut self, name: &str, principal: &Principal, known: bool) {
        let place = self.present.place(name);
        let (path, access) = (self.layout.agent(place), rights::agent(principal));
        let server = self.layout.server(name);
        let is_bounded = self.present.deployed.as_ref().is_some_and(|(there, _)| there.bounded);
        if !is_bounded || !self.present.paths.contains(&path) {
            self.writing.places.push(path.clone());
        }
        if !self.present.paths.contains(&path) {
            self.create(path, Vec::new(), access);
            // Earlier versions let the server create and remove nodes beside its plan.
            if self.present.paths.contains(&server) {
                self.writing.withdrawn.push((server, Access::new()));
            }
        } else if !known || !self.present.whole {
            self.writing.granted.push((path, access.clone()));
            self.writing.granted.push((server, Access::new()));
            if !known {
                self.writing.inherited.push(Passing { server: name.into(), access });
            }
        }
    }

    fn entries(&mut self) -> Result<(), SeedError> {
        let (wanted, present) = (self.wanted, self.present);
        let granted =
            if present.whole { rights::granted(present.plans.iter(), &present.principals) } else { Default::default() };
        let top = self.layout.entries();
        let mut above = String::new();
        for (entry, own) in &wanted.entries {
            let path = self.layout.entry(entry);
            let access = imports::with_importers(entry, own, present.importers.values());
            let component = path.rsplit_once('/').map_or("", |(component, _)| component);
            if component != above {
                let server = component.rsplit_once('/').map_or(top.as_str(), |(server, _)| server).to_owned();
                component.clone_into(&mut above);
                self.level(server);
                self.level(above.clone());
            }
            let op = Op::Create { path, data: Vec::new(), access };
            check(
                &op,
                || format!("the list of the {} servers that may read the entry `{entry}`", own.grants().count()),
                "let one component of each group of servers read it and pass it on to the others in the group",
            )?;
            let Op::Create { path, access, .. } = op else { continue };
            if !present.paths.contains(&path) {
                self.create(path, Vec::new(), access);
                continue;
            }
            match granted.get(&**entry) {
                Some(before) if before == own => {}
                Some(before) => {
                    let both = before.grants().fold(access.clone(), |all, (who, rights)| all.grant(who, rights));
                    if both != access {
                        self.writing.withdrawn.push((path.clone(), access));
                    }
                    self.writing.granted.push((path.clone(), both));
                    self.writing.rights.push(entry.clone());
                }
                None => {
                    self.writing.granted.push((path.clone(), access));
                    self.writing.rights.extend(present.whole.then(|| entry.clone()));
                }
            }
            self.kept.insert(path);
        }
        Ok(())
    }

    fn exports(&mut self) -> Result<(), SeedError> {
        let (wanted, present) = (self.wanted, self.present);
        let exported = imports::exported(&wanted.exports, &wanted.entries, &present.importers);
        let exported_only = imports::exported(&wanted.exports, &wanted.entries, &IndexMap::default());
        for (stack, importer) in &present.importers {
            let lost = importer.entries.keys().filter(|entry| !exported_only.entries.contains_key(*entry));
            let warn = |entry| {
                format!("the stack `{stack}` reads `{entry}`, which is no longer exported: apply its seed again")
            };
            self.writing.warnings.extend(lost.map(warn));
        }
        let top = self.layout.exports();
        self.above(&top, to_json(&exported));
        let importers = self.layout.importers();
        self.above(&importers, Vec::new());
        for (name, export) in &wanted.exports {
            let path = self.layout.export(name);
            let data = to_json(export);
            if !present.paths.contains(&path) {
                self.create(path.clone(), data, Access::new());
            } else if present.exports.get(name) != Some(export) || !present.whole {
                self.writing.before.push(Op::Set { path: path.clone(), data, expected: None });
            }
            self.kept.insert(path);
        }
        let last = self.writing.before.iter().find(|op| op.size() > MAX_DATA);
        last.map_or(Ok(()), |op| check(op, || format!("`{}`", op.path()), "export fewer values"))
    }

    /// The existing nodes that are not wanted.
    fn gone(&mut self) {
        let tops = [self.layout.entries(), self.layout.statuses(), self.layout.recipes(), self.layout.exports()];
        let mut over: Vec<Op> = self.over();
        let below = |path: &&String| {
            tops.iter().any(|top| path.strip_prefix(top.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        let gone = self.present.paths.iter().filter(below).filter(|path| !self.kept.contains(*path));
        let mut gone: Vec<&String> = gone.collect();
        // Children come after their parents.
        gone.sort_unstable_by(|a, b| b.cmp(a));
        over.extend(gone.into_iter().map(|path| Op::Delete { path: path.clone() }));
        self.writing.gone = over;
    }

    fn create(&mut self, path: String, data: Vec<u8>, access: Access) {
        self.writing.before.push(Op::Create { path, data, access });
    }

    /// A grouping node of the stack itself.
    fn above(&mut self, path: &str, data: Vec<u8>) {
        if !self.present.paths.contains(path) {
            self.create(path.to_owned(), data, Access::new());
        } else if !data.is_empty() {
            self.writing.before.push(Op::Set { path: path.to_owned(), data, expected: None });
        }
    }

    /// A grouping node of a server or a component.
    fn level(&mut self, path: String) {
        if !self.levels.insert(path.clone()) {
            return;
        }
        if self.present.paths.contains(&path) {
            self.kept.insert(path);
        } else {
            self.writing.before.push(Op::Create { path, data: Vec::new(), access: Access::new() });
        }
    }

    /// Resets the rights of a node that stays and that all servers share, if they may have changed.
    fn again(&mut self, path: String) {
        if !self.present.whole || self.wanted.sharing.changes() {
            self.shared(path, |share| share);
        }
    }

    /// Changes the rights to a node that servers share. Servers that do not know the new login yet lose theirs last.
    fn shared(&mut self, path: String, access: impl Fn(Access) -> Access) {
        let sharing = &self.wanted.sharing;
        let (meanwhile, then) = (access(sharing.access_meanwhile()), access(sharing.access()));
        if meanwhile != then {
            self.writing.withdrawn.push((path.clone(), then));
        }
        self.writing.granted.push((path, meanwhile));
    }
}

/// Refuses data that no store would accept.
fn check(op: &Op, what: impl Fn() -> String, help: &'static str) -> Result<(), SeedError> {
    let bytes = op.size() + if is_signed(op.path()) { OVERHEAD } else { 0 };
    if bytes > MAX_DATA {
        return Err(SeedError::TooLarge { what: what(), bytes, help });
    }
    Ok(())
}
