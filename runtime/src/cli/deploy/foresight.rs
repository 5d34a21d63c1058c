//! Foreseeable failures in the cloud: names that do not exist, and insufficient quotas.

use std::sync::Arc;

use wattle::model::Diagnostic;
use wattle::plan::{Action, Plan};
use wattle_converge::Target as _;
use wattle_deploy::{Deployment, Named};
use wattle_heat::check::property_refused;
use wattle_openstack::driver::{Inventory, Short};
use wattle_openstack::{Fault, Session};

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::openstack::TemplateSource;

use super::cloud::{answered, of_fault};
use super::through;

/// Checks that everything named by the resources to create or change exists, and that the project's quotas suffice.
/// Unchanged resources are not checked: the image of a running server may be gone.
///
/// # Errors
/// Everything that is missing, or a service that does not respond.
pub(super) async fn foresee(
    source: &TemplateSource,
    target: &Deployment,
    plan: &Plan,
    session: &Arc<Session>,
    console: &mut Console,
) -> Result<(), CommandError> {
    let mut inventory = Inventory::new(Arc::clone(session));
    let wrong = answered(session, console, missing(target, plan, &mut inventory)).await?.map_err(of_fault)?;
    if !wrong.is_empty() {
        through::show(source, &wrong, console)?;
        let what = through::wrongs(wrong.len());
        return Err(CommandError::usage(format!(
            "{what} in `{}` for the cloud `{}`, and nothing was done",
            source.template,
            session.cloud().name
        )));
    }
    let made = target
        .resources()
        .into_iter()
        .filter(|(name, _)| matches!(action(plan, name), Action::Create | Action::Replace));
    let given: Vec<_> = made.filter_map(|(name, _)| target.given(&name)).collect();
    let short = answered(session, console, inventory.room(&given)).await?.map_err(of_fault)?;
    if short.is_empty() {
        return Ok(());
    }
    let failure = CommandError::new("the project's quota does not allow this, and nothing was done").help(
        "`openstack quota show --usage` shows the quota: delete what is not needed, or ask an administrator of the \
         cloud to raise it with `openstack quota set`",
    );
    Err(short.iter().fold(failure, |failure, short| failure.note(said(short))))
}

/// The names that do not exist in the cloud, each with its place.
async fn missing(target: &Deployment, plan: &Plan, inventory: &mut Inventory) -> Result<Vec<Diagnostic>, Fault> {
    let mut wrong: Vec<Diagnostic> = Vec::new();
    for named in target.named().iter().filter(|named| is_asked_for(plan, named)) {
        let Some(lack) = inventory.lacks(&named.constraint, &named.name).await? else { continue };
        let diagnostic = property_refused(&named.resource, &named.path, &lack.what, &named.at).help(lack.help);
        // Members of a group are listed once.
        if !wrong.iter().any(|known| known.labels == diagnostic.labels && known.help == diagnostic.help) {
            wrong.push(diagnostic);
        }
    }
    Ok(wrong)
}

/// Describes a quota.
fn said(short: &Short) -> String {
    let Short { what, wanted, limit, used } = short;
    format!("{what}: {wanted} more are needed; the quota is {limit}, and {used} are in use")
}

/// The planned action for a resource. A resource that is not in the plan is new.
fn action(plan: &Plan, name: &str) -> Action {
    plan.resources.get(name).map_or(Action::Create, |planned| planned.action)
}

/// Whether the plan requests what is named there from the cloud.
fn is_asked_for(plan: &Plan, named: &Named) -> bool {
    match action(plan, &named.resource) {
        Action::Unchanged
        | Action::MayUpdate
        | Action::MayRebuild
        | Action::MayReplace
        | Action::Delete
        | Action::Refused => false,
        Action::Create | Action::Replace => true,
        Action::Update | Action::Rebuild => {
            let because = plan.resources.get(&named.resource).into_iter().flat_map(|planned| &planned.because);
            because.into_iter().any(|reason| reason.what == named.property())
        }
    }
}
