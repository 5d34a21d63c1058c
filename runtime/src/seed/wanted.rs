//! What a data space is to hold for a seed.

use std::collections::{BTreeSet, HashMap};

use wattle::lower::Seed;
use wattle::lower::seed::{SeedComponent, SeedDeclaration, SeedServer};
use wattle::model::{IndexMap, Name};
use wattle::requirement::Operand;

use crate::space::{Export, Held, Importer, Plan, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement};
use crate::store::{Access, MAX_DATA, Principal};

use super::credentials::Credentials;
use super::present::Present;
use super::resolve::{Resolver, Sealer};
use super::{SeedError, rights};

/// Bytes that each reader of a secret adds to its sealed form (age's stanza for X25519, in base64).
const STANZA: usize = 132;

/// What a data space is to hold for a seed.
pub(super) struct Wanted {
    /// Of the seed's servers.
    pub(super) plans: IndexMap<Name, Plan>,
    /// Of servers that have left the model.
    pub(super) retired: IndexMap<Name, Plan>,
    /// The stack's own rights to each entry, without those of importers.
    pub(super) entries: IndexMap<Name, Access>,
    pub(super) exports: IndexMap<Name, Export>,
    /// What is read of other stacks.
    pub(super) foreign: IndexMap<Name, Importer>,
    pub(super) principals: HashMap<Name, Principal>,
    pub(super) member: Principal,
}

/// How each server proves itself.
pub(super) fn principals(stack: &str, seed: &Seed, credentials: &Credentials) -> HashMap<Name, Principal> {
    let principal = |server: &Name| {
        let [own, _] = credentials.get(server)?.logins(stack, server);
        Some((server.clone(), own.principal()))
    };
    seed.servers.keys().filter_map(principal).collect()
}

pub(super) struct Building<'a> {
    pub(super) seed: &'a Seed,
    pub(super) credentials: &'a Credentials,
    pub(super) principals: HashMap<Name, Principal>,
    pub(super) member: Principal,
    pub(super) resolver: Resolver<'a>,
    pub(super) present: &'a Present,
    pub(super) revision: u64,
}

impl Building<'_> {
    pub(super) fn build(self) -> Result<Wanted, SeedError> {
        let mut recipients = HashMap::new();
        let plans = self
            .seed
            .servers
            .iter()
            .map(|(name, server)| Ok((name.clone(), self.plan(name, server, &mut recipients)?)));
        let plans = plans.collect::<Result<IndexMap<_, _>, SeedError>>()?;
        let retired = self.present.plans.iter().filter(|(server, _)| !self.seed.servers.contains_key(*server));
        let retired = retired.map(|(server, before)| {
            let plan = Plan {
                revision: self.revision,
                order: before.order,
                retired: true,
                publishes: IndexMap::default(),
                components: IndexMap::default(),
            };
            (server.clone(), plan)
        });
        Ok(Wanted {
            retired: retired.collect(),
            entries: self.entries()?,
            exports: self.exports()?,
            foreign: foreign(&plans, &self.principals),
            plans,
            principals: self.principals,
            member: self.member,
        })
    }

    fn plan(
        &self,
        name: &Name,
        server: &SeedServer,
        recipients: &mut HashMap<Name, String>,
    ) -> Result<Plan, SeedError> {
        let credential = self.credentials.get(name).ok_or_else(|| unknown_server(name))?;
        let mut sealer = Sealer::new(credential, self.present.plans.get(name));
        let mut components = IndexMap::default();
        for (key, component) in &server.components {
            let declaration = self.seed.declarations.get(&component.declaration).ok_or_else(|| SeedError::Damaged {
                what: format!("it has no declaration `{}`, of which `{name}/{key}` is", component.declaration),
            })?;
            let planned = self.component(name, key, component, declaration, &mut sealer, recipients)?;
            components.insert(key.clone(), planned);
        }
        Ok(Plan {
            revision: self.revision,
            order: server.order,
            retired: false,
            publishes: server.publishes.clone(),
            components,
        })
    }

    fn component(
        &self,
        server: &Name,
        name: &Name,
        component: &SeedComponent,
        declaration: &SeedDeclaration,
        sealer: &mut Sealer<'_>,
        recipients: &mut HashMap<Name, String>,
    ) -> Result<PlannedComponent, SeedError> {
        let mut inputs = IndexMap::default();
        for (name, input) in &declaration.inputs {
            let secret = input.ty.is_secret();
            let from = match (component.inputs.get(name), &input.default) {
                (Some(wire), _) => self.resolver.source(wire, secret, sealer)?,
                (None, Some(default)) => sealer.source(default, secret)?,
                (None, None) => continue,
            };
            inputs.insert(name.clone(), PlannedInput { ty: input.ty.clone(), path: input.path.clone(), from });
        }
        let mut outputs = IndexMap::default();
        for (output, declared) in &declaration.outputs {
            let recipients = if declared.ty.is_secret() {
                self.recipients(&format!("{server}/{name}/{output}"), server, recipients)?
            } else {
                Vec::new()
            };
            let planned = PlannedOutput { declared: declared.clone(), recipients };
            outputs.insert(output.clone(), planned);
        }
        let requires = component.requires.iter().map(|name| Ok((name.clone(), self.requirement(name, sealer)?)));
        Ok(PlannedComponent {
            recipe: declaration.recipe.clone(),
            after: component.after.clone(),
            inputs,
            outputs,
            requires: requires.collect::<Result<_, SeedError>>()?,
        })
    }

    fn requirement(&self, name: &Name, sealer: &mut Sealer<'_>) -> Result<PlannedRequirement, SeedError> {
        let requirement = self.seed.requirements.get(name).ok_or_else(|| SeedError::Damaged {
            what: format!("it has no requirement `{name}`, of which it speaks"),
        })?;
        let mut secret = false;
        requirement.predicate.tested(&mut |tested| secret |= tested.secret);
        let predicate = requirement.predicate.try_map(&mut |operand| {
            let from = self.resolver.source(&operand.from, secret, sealer)?;
            Ok::<_, SeedError>(Operand { name: operand.name.clone(), from })
        })?;
        Ok(PlannedRequirement { predicate, because: requirement.because.clone(), at: requirement.at.clone() })
    }

    /// For whom a secret entry is encrypted: its readers, and the writer, who gives it out again in later revisions.
    fn recipients(
        &self,
        entry: &str,
        writer: &Name,
        known: &mut HashMap<Name, String>,
    ) -> Result<Vec<String>, SeedError> {
        let readers = self.seed.entries.get(entry).map_or(&[][..], |entry| &entry.readers);
        if readers.len() * STANZA > MAX_DATA {
            return Err(SeedError::TooLarge {
                what: format!("a secret in the entry `{entry}`, encrypted for {} servers,", readers.len()),
                bytes: readers.len() * STANZA,
                help: "give it to all of them as a parameter, or let a component of each group of servers pass it on",
            });
        }
        let mut recipients = Vec::with_capacity(readers.len() + 1);
        for server in std::iter::once(writer).chain(readers.iter().filter(|reader| *reader != writer)) {
            let credential = self.credentials.get(server).ok_or_else(|| unknown_server(server))?;
            recipients.push(known.entry(server.clone()).or_insert_with(|| credential.recipient()).clone());
        }
        Ok(recipients)
    }

    fn entries(&self) -> Result<IndexMap<Name, Access>, SeedError> {
        let principal = |server: &str| self.principals.get(server).ok_or_else(|| unknown_server(server));
        let access = |(entry, declared): (&Name, &wattle::lower::seed::SeedEntry)| {
            let writer = principal(rights::server_of(entry))?;
            let readers = declared.readers.iter().map(|reader| principal(reader)).collect::<Result<Vec<_>, _>>()?;
            let access = rights::entry(writer, readers);
            Ok((entry.clone(), access))
        };
        self.seed.entries.iter().map(access).collect()
    }

    fn exports(&self) -> Result<IndexMap<Name, Export>, SeedError> {
        // Nothing is sealed here: a secret export has no source.
        let nobody = crate::space::Credential::generate("");
        let mut sealer = Sealer::new(&nobody, None);
        let mut export = |(name, export): (&Name, &wattle::lower::seed::SeedExport)| {
            let from = if export.ty.is_secret() {
                None
            } else {
                Some(self.resolver.source(&export.value, false, &mut sealer)?)
            };
            Ok((name.clone(), Export { ty: export.ty.clone(), from }))
        };
        self.seed.exports.iter().map(&mut export).collect()
    }
}

fn unknown_server(server: &str) -> SeedError {
    SeedError::Damaged { what: format!("it has no server `{server}`, of which it speaks") }
}

/// What servers read of other stacks.
fn foreign(plans: &IndexMap<Name, Plan>, principals: &HashMap<Name, Principal>) -> IndexMap<Name, Importer> {
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
