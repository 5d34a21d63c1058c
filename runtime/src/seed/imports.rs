//! Values of other stacks.
//!
//! A stack's exports stand below `exports`. Whoever reads an entry of another stack says so below that stack's
//! `importers`, from which the exporter takes their rights whenever it is applied again.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, IndexSet, Name, Type};
use wattle::names::meant;
use wattle::shown::argument;
use wattle_agent_core::planning::ImportKey;

use crate::space::{Export, Exported, Held, Importer, Keys, Layout, ROOT, Source, parse_json, to_json};
use crate::store::{Access, Op, Principal, Rights, Store, StoreError};

use super::present::{AT_ONCE, get_json};
use super::turn::{self, busy};
use super::{SeedError, names};

/// What a seed reads of other stacks.
#[derive(Default)]
pub(super) struct Imports {
    /// As its own agents read it.
    pub(super) sources: IndexMap<ImportKey, Source>,
    /// What signatures of the servers are judged by that the values come from, by stack.
    pub(super) keys: IndexMap<Name, Keys>,
}

/// What the imports of `seed` are.
///
/// # Errors
/// [`SeedError::Imports`], with all that cannot be had.
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
                Some("a stack does not import from itself: read the value where it is made".to_owned())
            }
            None if is_there => {
                Some(format!("this operator has not signed it: apply the seed of `{other}` with `--restore` first"))
            }
            None => Some(meant_of(store, &other, &name, stack).await),
            Some(Export { from: None, .. }) => Some(
                "it is secret, and a secret does not leave its stack: give it to both stacks as a parameter".to_owned(),
            ),
            Some(Export { from: Some(source), .. }) if told(&source) => Some(format!(
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

/// What to do about an export that is not there: what it may be called, or that its stack is not there yet.
async fn meant_of(store: &Arc<dyn Store>, stack: &str, export: &str, own: &str) -> String {
    // What may not be listed is not suggested, and neither is what no stack of ours is called.
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
    format!("apply the seed of `{stack}` first, and see that it exports `{export}`{help}")
}

/// Why an export of the type `ty` is not what `seed` reads it as; none if it is.
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

/// Whether a part of it is known to Heat alone.
fn told(source: &Source) -> bool {
    source.leaves().any(|held| matches!(held, Held::UserData(_)))
}

/// An export of `stack`, in the terms of another one.
fn foreign(source: &Source, stack: &Name) -> Source {
    source.replace(&mut |part| match part {
        Source::Leaf(Held::Entry(entry)) => {
            Some(Source::Leaf(Held::Foreign { stack: stack.clone(), entry: entry.clone() }))
        }
        _ => None,
    })
}

/// What stands above the exports: each entry of the stack's own that is exported or still read by an importer, with the
/// stack's own rights to it.
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

/// The rights to `entry` with those of importers.
pub(super) fn with_importers<'i>(
    entry: &str,
    own: &Access,
    importers: impl IntoIterator<Item = &'i Importer>,
) -> Access {
    let readers = importers.into_iter().filter_map(|importer| importer.entries.get(entry)).flatten();
    readers.fold(own.clone(), |access, reader| access.grant(reader, Rights::READ))
}

/// What `stack` is known to read of all other stacks.
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

/// What `stack` is known to read of other stacks, and `foreign` besides.
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

/// Says to each stack in `foreign` what `stack` reads of it, and to all others that it reads nothing of them any more, and
/// has the rights follow; also where that is said already, if it was `broken` off before. All of it while the `checks` hold.
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
        // A node without entries goes only once the rights have gone: what is broken off before that is repeated.
        let say = match before {
            Some(_) => Op::Set { path: path.clone(), data, expected: None },
            None => Op::Create { path: path.clone(), data, access: Access::new() },
        };
        // Whoever gives this stack's rights at the same time is told by the node above.
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

/// Gives the exported entries of a stack the rights that it and its importers need, while the `checks` of who does so hold.
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
            // Someone else has come between what was read and what is written.
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
