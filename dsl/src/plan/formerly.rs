//! `moved_from` with names under which nothing was deployed.

use crate::model::{IndexMap, Name};
use crate::names::meant;

use super::called::own_name;
use super::state::State;
use super::{Action, ComponentPlan, Reason, ResourcePlan, Run};

/// Notes that nothing was deployed under a name that only `moved_from` gives. First creations need no such note.
pub(super) fn note(
    before: Option<&State>,
    after: &State,
    resources: &mut IndexMap<Name, ResourcePlan>,
    components: &mut IndexMap<Name, ComponentPlan>,
) {
    let (Some(before), Some(seed)) = (before, after.seed()) else { return };
    let because = |through: String| Reason { what: "name".to_owned(), through: Some(through), ..Reason::default() };
    let gone: Vec<(Name, Name)> = resources
        .iter()
        .filter(|(_, plan)| plan.action == Action::Delete && plan.group.is_none())
        .map(|(name, plan)| (own_name(name).into(), plan.ty.clone()))
        .collect();
    let comes = |plan: &ResourcePlan| plan.action == Action::Create && plan.group.is_none();
    for (name, plan) in resources.iter_mut().filter(|(_, plan)| comes(plan)) {
        let was = own_name(name);
        let Some(now) = seed.called_now.get(was).filter(|_| !gone.iter().any(|(gone, _)| **gone == *was)) else {
            continue;
        };
        plan.because.push(because(format!(
            "`{now}` is declared to have been `{was}`, but nothing was deployed under that name"
        )));
        let alike = gone.iter().filter(|(_, ty)| *ty == plan.ty).map(|(gone, _)| &**gone);
        if plan.help.is_empty()
            && let Some(meant) = meant(was, alike)
        {
            plan.help.push(format!("`moved_from` takes the name under which it was deployed: {meant}"));
        }
    }
    let was_deployed = |server: &str| before.seed().and_then(|seed| seed.servers.get(server));
    for (key, plan) in components.iter_mut().filter(|(_, plan)| plan.action == Run::Run) {
        let Some((server, was)) = key.rsplit_once('/') else { continue };
        let (Some(now), Some(deployed)) = (seed.called_now.get(key), was_deployed(server)) else { continue };
        // If only its server has another name, the server's own note says so.
        if now.rsplit_once('/').is_some_and(|(_, own)| own == was) || deployed.components.contains_key(was) {
            continue;
        }
        let of_server = seed.servers.get(server);
        let left = deployed.components.keys().map(|name| &**name);
        let left = left.filter(|name| of_server.is_none_or(|now| !now.components.contains_key(*name)));
        let meant = meant(was, left).map(|meant| format!(": {meant}")).unwrap_or_default();
        let said = format!("`{now}` is declared to have been `{was}`, but nothing was deployed under that name{meant}");
        plan.because.push(because(said));
    }
}
