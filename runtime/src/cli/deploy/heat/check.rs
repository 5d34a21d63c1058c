//! Checks the resources that Heat created, by means of Heat.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use wattle::plan::{Found, Left};
use wattle_openstack::orchestration::{Follow, Orchestration, Stack, Tree};
use wattle_openstack::{Fault, Session};
use wattle_words::names::some;

use crate::cli::console::Console;
use crate::cli::deploy::cloud::{answered, of_fault};
use crate::cli::deploy::display::Display;
use crate::cli::deploy::site::Site;
use crate::cli::error::CommandError;

use super::follow::{Until, silent};
use super::{Errand, GRACE, MINUTES};

/// Makes Heat check whether the resources that it created exist.
pub(in crate::cli::deploy) async fn look(
    site: &Site,
    heat: &Orchestration,
    console: &mut Console,
) -> Result<Vec<Found>, CommandError> {
    let mut errand = Errand { site, heat, display: Display::new(console.err.color), console };
    errand.look().await
}

/// The differences that Heat already knows.
///
/// # Errors
/// Heat cannot be queried.
pub(in crate::cli::deploy) async fn glance(
    session: &Session,
    heat: &Orchestration,
    console: &mut Console,
) -> Result<Vec<Found>, CommandError> {
    let known = async {
        let Some(stack) = heat.find().await? else { return Ok(None) };
        let tree = heat.resources(&stack.id).await?;
        Ok(Some((stack, tree)))
    };
    let known: Result<_, Fault> = answered(session, console, known).await?;
    let Some((stack, tree)) = known.map_err(of_fault)? else { return Ok(vec![gone(heat)]) };
    console.err.write("this is what Heat knows: `wattle drift` makes it look again\n")?;
    Ok(differences(heat, &stack, &tree))
}

fn gone(heat: &Orchestration) -> Found {
    Found { left: Left::Nothing, name: heat.name().into(), how: "is gone from Heat".into() }
}

/// Describes the differences according to Heat.
fn differences(heat: &Orchestration, stack: &Stack, tree: &Tree) -> Vec<Found> {
    let how = |reason: &str| format!("is not as Heat made it: {reason}");
    let failed = tree.failed().into_iter();
    let mut differs: Vec<Found> =
        failed.map(|failed| Found { left: Left::Wreck, name: failed.path.clone(), how: how(&failed.reason) }).collect();
    if differs.is_empty() && stack.is_busy() {
        let how = format!("is not done yet: Heat is still working on it ({})", stack.status);
        differs.push(Found { left: Left::Itself, name: heat.name().into(), how });
    }
    if differs.is_empty() && stack.status.ends_with("_FAILED") {
        differs.push(Found { left: Left::Wreck, name: heat.name().into(), how: how(&stack.reason) });
    }
    differs
}

impl Errand<'_> {
    async fn look(&mut self) -> Result<Vec<Found>, CommandError> {
        let not_known = CommandError::new(format!("the state of the stack `{}` is not known", self.heat.name()));
        let Some(there) = self.idle(Until(None)).await? else { return Err(not_known) };
        let Some(stack) = there else { return Ok(vec![gone(self.heat)]) };
        let mut follow = Follow::from_now(self.heat, &stack.id).await.map_err(of_fault)?;
        self.heat.check(&stack.id).await.map_err(of_fault)?;
        let until = Until(Some(Instant::now() + Duration::from_mins(MINUTES) + GRACE));
        // The caller reports what has failed.
        let Some(ended) = silent(self.heat, &mut follow, until).await? else { return Err(not_known) };
        let Some(stack) = ended else { return Ok(vec![gone(self.heat)]) };
        let tree = self.heat.resources(&stack.id).await.map_err(of_fault)?;
        self.say_what_heat_does_not_know(&tree)?;
        Ok(differences(self.heat, &stack, &tree))
    }

    fn say_what_heat_does_not_know(&mut self, tree: &Tree) -> Result<(), CommandError> {
        // Heat's own resources exist nowhere else.
        let checkable =
            tree.resources.values().filter(|resource| !resource.is_stack && !resource.kind.starts_with("OS::Heat::"));
        let unchecked = checkable.filter(|resource| !is_checked(&resource.status, &resource.reason));
        let kinds: BTreeSet<&str> = unchecked.map(|resource| &*resource.kind).collect();
        let mut text = "Heat has checked whether what it made exists, but not whether it has changed".to_owned();
        if !kinds.is_empty() {
            text.extend([format!("; for {} it does not know even that", some(kinds.into_iter(), 5))]);
        }
        let text = self.display.quiet(&text);
        self.console.err.write(&format!("{text}\n"))
    }
}

/// Whether Heat has checked a resource. Heat reports resources that it cannot check.
fn is_checked(status: &str, reason: &str) -> bool {
    status.starts_with("CHECK_") && !reason.contains("not supported")
}
