//! Finds rights beyond those that the operator has granted. A store does not sign rights, so its administrator can
//! grant others.

use std::sync::Arc;

use crate::space::{Layout, OperatorKey, Record, SERVER};
use crate::store::{Access, Store};

use super::error::Tampered;
use super::present::Present;
use super::sharing::Sharing;
use super::{SeedError, imports, rights};

/// The nodes of a stack to which someone has more rights than the signed ones.
pub(super) async fn exceeding(
    store: &Arc<dyn Store>,
    layout: &Layout,
    present: &Present,
    key: &OperatorKey,
) -> Result<Vec<Tampered>, SeedError> {
    let found = store.exceeding(&granted(layout, present, key)).await?;
    let why = "others may do more with it than its operator allows";
    let tampered = |node| Tampered { node, why: why.to_owned(), writer: None, is_former: false };
    Ok(found.into_iter().map(tampered).collect())
}

/// The rights to each node, as far as they follow from signed nodes. During a write there may be more, and earlier
/// versions let servers create nodes beside their plans.
fn granted(layout: &Layout, present: &Present, key: &OperatorKey) -> Vec<(String, Access)> {
    let Some((there, _)) = present.deployed.as_ref().filter(|(there, _)| present.whole && there.places) else {
        return Vec::new();
    };
    let share =
        Sharing::as_it_is(key, (layout, there.desired.space.as_ref()), present.shared.as_ref()).access_meanwhile();
    let nobody = Access::new;
    let tops = [
        layout.root(),
        layout.servers(),
        layout.agents(),
        layout.entries(),
        layout.statuses(),
        layout.recipes(),
        layout.exports(),
        layout.admission(),
    ];
    let mut all: Vec<(String, Access)> = tops.map(|top| (top, nobody())).into();
    all.push((layout.revision(), share.clone()));
    let below = |top: String| {
        let top = format!("{top}/");
        present.paths.iter().filter(move |path| path.starts_with(&top)).cloned()
    };
    all.extend(below(layout.recipes()).map(|path| (path, share.clone())));
    all.extend(below(layout.exports()).map(|path| (path, nobody())));
    for (entry, own) in rights::granted(present.plans.iter(), &present.principals) {
        all.push((layout.entry(&entry), imports::with_importers(&entry, &own, present.importers.values())));
    }
    for (name, plan) in &present.plans {
        let Some(principal) = present.principals.get(name) else { continue };
        all.push((layout.server(name), nobody()));
        if plan.forgotten {
            all.extend([layout.plan(name), layout.agent(present.place(name))].map(|path| (path, nobody())));
            continue;
        }
        all.push((layout.agent(present.place(name)), rights::agent(principal)));
        for path in [layout.plan(name), layout.membership(name), layout.last_desired(name)] {
            all.push((path, rights::plan(principal)));
        }
        let components = plan.components.keys().map(|name| &**name).chain([SERVER]);
        all.extend(components.map(|component| {
            (layout.status(&format!("{name}/{component}")), rights::status(principal, share.clone()))
        }));
        if let Some(registered) = present.register.records.get(name).and_then(Record::registered) {
            let access = rights::announcement(&registered.credential.principal);
            all.push((layout.announcement(name), access));
        }
    }
    all
}
