//! What can be foreseen to fail in the cloud: names of things that it does not have, and quotas that are too small.

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

/// Checks that the cloud has what is named by the resources to create or change, and that the project may have it.
/// Resources that stay as they are are not checked: the image of a running server may be gone.
///
/// # Errors
/// Everything that is missing, or a service that does not answer.
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

/// What is named and the cloud does not have, at its places.
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

/// A quota in words.
fn said(short: &Short) -> String {
    let Short { what, wanted, limit, used } = short;
    format!("{what}: {wanted} more are needed; the quota is {limit}, and {used} are in use")
}

/// What happens to a resource. A resource that the plan does not mention is new.
fn action(plan: &Plan, name: &str) -> Action {
    plan.resources.get(name).map_or(Action::Create, |planned| planned.action)
}

/// Whether the cloud will be asked for what is named there.
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
