//! Values of other stacks.
//!
//! The exports of a stack are below its `exports`. A stack that reads entries of another one registers below that
//! stack's `importers`. The exporting stack takes the importers' rights from there whenever it is applied again.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, IndexSet, Name, Type};
use wattle::names::meant;
use wattle::shown::argument;
use wattle_agent_core::planning::ImportKey;

use crate::space::{Export, Exported, Held, Importer, Keys, Layout, ROOT, ValueSource, parse_json, to_json};
use crate::store::{Access, Op, Principal, Rights, Store, StoreError};

use super::present::{AT_ONCE, get_json};
use super::turn::{self, busy};
use super::{SeedError, names};

/// The values that a seed reads from other stacks.
#[derive(Default)]
pub(super) struct Imports {
    /// Where its own agents read each import.
    pub(super) sources: IndexMap<ImportKey, ValueSource>,
    /// The keys that verify the signatures of the servers that write these values, by stack.
    pub(super) keys: IndexMap<Name, Keys>,
}

/// Resolves the imports of `seed`.
///
/// # Errors
/// [`SeedError::Imports`], with everything that is not available.
pub(super) async fn resolve(store: &Arc<dyn Store>, seed: &Seed, stack: &str) -> Result<Imports, SeedError> {
    let mut found = Imports::default();
    let mut faults = Vec::new();
    for (other, name) in wanted(seed) {
        names::check("stack", &other)?;
        names::check("export", &name)?;
        let path = Layout::new(&other).export(&name);
        let node = store.get(&path).await?;
        let is_there = node.is_some();
        let export = node.map(|node| parse_json::<Export>(&path, &node.data)).transpose()?.flatten();
        let fault = match export {
            _ if *other == *stack => {
                Some("a stack cannot import from itself: read the value where it is made".to_owned())
            }
            None if is_there => {
                Some(format!("this operator has not signed it: apply the seed of `{other}` with `--restore` first"))
            }
            None => Some(meant_of(store, &other, &name, stack).await),
            Some(Export { from: None, .. }) => Some(
                "it is secret, and a secret does not leave its stack: give it to both stacks as a parameter".to_owned(),
            ),
            Some(Export { from: Some(source), .. }) if is_from_heat(&source) => Some(format!(
                "only Heat knows it: pass it as a parameter (`openstack stack output show {} {}`)",
                argument(&other),
                argument(&name)
            )),
            Some(Export { ty, .. }) if let Some(why) = misread(seed, &other, &name, &ty) => Some(why),
            Some(Export { from: Some(source), keys, .. }) => {
                found.sources.insert((other.clone(), name.clone()), foreign(&source, &other));
                found.keys.entry(other.clone()).or_default().extend(keys);
                None
            }
        };
        let at =
            seed.imports.iter().find(|import| import.stack == other && import.export == name && !import.at.is_empty());
        let at = at.map(|import| format!(" ({})", import.at)).unwrap_or_default();
        faults.extend(
            fault.map(|fault| format!("the export `{name}` of the stack `{other}` cannot be read{at}: {fault}")),
        );
    }
    if faults.is_empty() { Ok(found) } else { Err(SeedError::Imports { faults }) }
}

/// A suggestion for an export that does not exist: a similar name, or that its stack does not exist yet.
async fn meant_of(store: &Arc<dyn Store>, stack: &str, export: &str, own: &str) -> String {
    // Do not suggest names that the operator may not list, or that are invalid for a stack of wattle.
    let listed = |kind: &'static str, path: String| async move {
        let mut names = store.children(&path).await.unwrap_or_default();
        names.retain(|name| names::check(kind, name).is_ok());
        names
    };
    let exports = listed("export", Layout::new(stack).exports()).await;
    if let Some(help) = meant(export, exports.iter().map(String::as_str)) {
        return format!("`{stack}` exports no `{export}`; {help}");
    }
    if !exports.is_empty() {
        return format!("`{stack}` exports no `{export}`: add it there, and apply its seed first");
    }
    let stacks = listed("stack", ROOT.to_owned()).await;
    let others = stacks.iter().map(String::as_str).filter(|other| *other != own && *other != stack);
    let help = meant(stack, others).map(|help| format!("; {help}")).unwrap_or_default();
    format!("apply the seed of `{stack}` first, and make sure that it exports `{export}`{help}")
}

/// Why an export of the type `ty` does not match the type as which `seed` reads it. `None` if it does.
fn misread(seed: &Seed, stack: &str, export: &str, ty: &Type) -> Option<String> {
    let mut read = seed.imports.iter().filter(|import| *import.stack == *stack && *import.export == *export);
    let wrong = read.find(|import| !ty.is_within(&import.ty))?;
    let (expected, found) = (wrong.ty.revealed(), ty.revealed());
    Some(format!("`{stack}` exports {found}, and this stack imports {expected}: let both use the same constant"))
}

fn wanted(seed: &Seed) -> IndexSet<ImportKey> {
    let components = seed.servers.values().flat_map(|server| server.components.values());
    let inputs = components.flat_map(|component| component.inputs.values());
    let wires = inputs.chain(seed.exports.values().map(|export| &export.value));
    let import = |origin: &Origin| match origin {
        Origin::Import { stack, export } => Some((stack.clone(), export.clone())),
        Origin::Parameter(_) | Origin::Entry(_) | Origin::UserData(_) => None,
    };
    wires.flat_map(Wire::leaves).filter_map(import).collect()
}

/// Whether a part of it is known only to Heat.
fn is_from_heat(source: &ValueSource) -> bool {
    source.leaves().any(|held| matches!(held, Held::UserData(_)))
}

/// An export of `stack`, as another stack reads it.
fn foreign(source: &ValueSource, stack: &Name) -> ValueSource {
    source.replace(&mut |part| match part {
        ValueSource::Leaf(Held::Entry(entry)) => {
            Some(ValueSource::Leaf(Held::Foreign { stack: stack.clone(), entry: entry.clone() }))
        }
        _ => None,
    })
}

/// What is published above the exports: each of the stack's own entries that is exported or still read by an importer,
/// with the stack's own rights to it.
pub(super) fn exported(
    exports: &IndexMap<Name, Export>,
    entries: &IndexMap<Name, Access>,
    importers: &IndexMap<Name, Importer>,
) -> Exported {
    let mut names: IndexSet<&Name> = IndexSet::default();
    for source in exports.values().filter_map(|export| export.from.as_ref()) {
        names.extend(source.leaves().filter_map(Held::entry));
    }
    names.extend(importers.values().flat_map(|importer| importer.entries.keys()));
    let rights = |entry: &Name| Some((entry.clone(), entries.get(entry)?.clone()));
    Exported { entries: names.into_iter().filter_map(rights).collect() }
}

/// The rights to `entry`, with those of importers.
pub(super) fn with_importers<'i>(
    entry: &str,
    own: &Access,
    importers: impl IntoIterator<Item = &'i Importer>,
) -> Access {
    let readers = importers.into_iter().filter_map(|importer| importer.entries.get(entry)).flatten();
    readers.fold(own.clone(), |access, reader| access.grant(reader, Rights::READ))
}

/// The registrations of `stack` with all other stacks.
async fn known(store: &Arc<dyn Store>, stack: &str) -> Result<IndexMap<Name, Importer>, SeedError> {
    let stacks = store.children(ROOT).await?;
    let mut read = stream::iter(stacks)
        .map(|other| async move {
            let importer = get_json::<Importer>(store, &Layout::new(&other).importer(stack)).await?;
            Ok::<_, SeedError>((other, importer))
        })
        .buffered(AT_ONCE);
    let mut found = IndexMap::default();
    while let Some((other, importer)) = read.try_next().await? {
        found.extend(importer.map(|importer| (Name::from(other), importer)));
    }
    Ok(found)
}

/// The registrations of `stack` with other stacks, together with `foreign`.
pub(super) async fn joined(
    store: &Arc<dyn Store>,
    stack: &str,
    foreign: &IndexMap<Name, Importer>,
) -> Result<IndexMap<Name, Importer>, SeedError> {
    let mut all = foreign.clone();
    for (other, importer) in known(store, stack).await? {
        let there = all.entry(other).or_default();
        for (entry, readers) in importer.entries {
            let both: BTreeSet<Principal> =
                there.entries.get(&entry).into_iter().flatten().cloned().chain(readers).collect();
            there.entries.insert(entry, both.into_iter().collect());
        }
    }
    Ok(all)
}

/// Registers with each stack in `foreign` what `stack` reads from it, and removes the registration from all others.
/// Updates the rights accordingly. If an earlier call was `broken` off, existing registrations are written again. All
/// of this happens only while the `checks` hold.
pub(super) async fn register(
    store: &Arc<dyn Store>,
    stack: &str,
    foreign: &IndexMap<Name, Importer>,
    broken: bool,
    checks: &[Op],
) -> Result<(), SeedError> {
    let ours = Layout::new(stack);
    let known = known(store, stack).await?;
    let others: IndexSet<&Name> = foreign.keys().chain(known.keys()).collect();
    for other in others {
        let (before, now) = (known.get(other), foreign.get(other));
        if before == now && !broken {
            continue;
        }
        let layout = Layout::new(other);
        let path = layout.importer(stack);
        let data = to_json(&now.cloned().unwrap_or_default());
        // A node without entries is removed only after the rights. An interrupted call is repeated.
        let say = match before {
            Some(_) => Op::Set { path: path.clone(), data, expected: None },
            None => Op::Create { path: path.clone(), data, access: Access::new() },
        };
        // The node above shows the change to anyone who grants this stack's rights at the same time.
        let top = Op::Set { path: layout.importers(), data: Vec::new(), expected: None };
        let said = store.apply([checks, &[say, top.clone()]].concat()).await;
        said.map_err(|error| busy(&ours, error))?;
        protect(store, &layout, (&ours, checks)).await?;
        if now.is_none() {
            let removed = store.apply([checks, &[Op::Delete { path }, top]].concat()).await;
            removed.map_err(|error| busy(&ours, error))?;
        }
    }
    Ok(())
}

/// Gives the exported entries of a stack the rights that it and its importers need, while the caller's `checks` hold.
async fn protect(store: &Arc<dyn Store>, layout: &Layout, (ours, checks): (&Layout, &[Op])) -> Result<(), SeedError> {
    loop {
        let paths = [layout.exports(), layout.importers()];
        let [Some(node), Some(above)] = [store.get(&paths[0]).await?, store.get(&paths[1]).await?] else {
            return Ok(());
        };
        let exported: Exported = parse_json(&paths[0], &node.data)?.unwrap_or_default();
        let importers = importers(store, layout).await?;
        let entries = exported.entries.iter();
        let accesses: Vec<(String, Access)> =
            entries.map(|(entry, own)| (layout.entry(entry), with_importers(entry, own, importers.values()))).collect();
        let [exports, top] = paths.clone();
        let theirs =
            [Op::Check { path: exports, expected: node.version }, Op::Check { path: top, expected: above.version }];
        match store.protect(&accesses, &[checks, &theirs].concat()).await {
            // Another writer has changed something after it was read.
            Err(StoreError::Conflict { path } | StoreError::Missing { path }) if paths.contains(&path) => {}
            Err(StoreError::Replaced { .. }) => {
                turn::disturbed(store, layout).await?;
                return Err(turn::over(ours));
            }
            protected => return protected.map_err(|error| busy(ours, error)),
        }
    }
}

async fn importers(store: &Arc<dyn Store>, layout: &Layout) -> Result<IndexMap<Name, Importer>, SeedError> {
    let mut found = IndexMap::default();
    for name in store.children(&layout.importers()).await? {
        if let Some(importer) = get_json(store, &layout.importer(&name)).await? {
            found.insert(name.into(), importer);
        }
    }
    Ok(found)
}
