//! Infrastructure that Heat deploys. It is requested through Heat's API, and followed by Heat's events.
//!
//! An interruption loses nothing: a request is recorded before it is sent, Heat continues by itself, and the next call
//! waits for Heat and then sends the request again.

mod check;
mod follow;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use wattle::model::{Name, Resource};
use wattle_converge::{OnFailure, Time};
use wattle_openstack::Fault;
use wattle_openstack::orchestration::{Follow, Orchestration, Stack, Terms, Tree};

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::signals::Signals;
use crate::clock;
use crate::deploy::{Servers, Wanted};
use crate::openstack::{TemplateSource, package};

use super::cloud::of_fault;
use super::display::Display;
use super::site::{Brought, Site};
use super::software;
pub(super) use check::{glance, look};
use follow::Until;

/// How often to poll for events.
const PAUSE: Duration = Duration::from_secs(1);

/// Heat's default timeout in minutes, unless the user sets one.
const MINUTES: u64 = 60;

/// How much longer than that to wait for Heat to report it.
const GRACE: Duration = Duration::from_mins(5);

/// How many times to repeat a request that another process preempted.
const TRIES: u32 = 5;

/// Requests the wanted state from Heat, and reports the progress.
pub(super) async fn bring(
    site: &Site,
    heat: &Orchestration,
    wanted: &Wanted,
    console: &mut Console,
) -> Result<Brought, CommandError> {
    let mut signals = Signals::listen()?;
    let stack = heat.name().to_owned();
    let ended = {
        let mut errand = Errand { site, heat, display: Display::new(console.err.color), console: &mut *console };
        tokio::select! {
            brought = errand.bring(wanted) => Some(brought),
            () = signals.end() => None,
        }
    };
    if let Some(brought) = ended {
        return brought;
    }
    let text = format!("`{stack}` is not done: Heat continues by itself, and the next call continues from there\n");
    console.err.write(&text)?;
    Ok(Brought::Ended)
}

/// Refuses what Heat would refuse, before anything is created.
///
/// # Errors
/// Heat would not accept it, or the stack belongs to someone else.
pub(super) async fn judge(heat: &Orchestration, source: &TemplateSource, is_known: bool) -> Result<(), CommandError> {
    let there = heat.find().await.map_err(of_fault)?;
    if there.is_some() && !is_known {
        return Err(foreign(heat));
    }
    if there.as_ref().is_some_and(Stack::is_busy) {
        return Ok(());
    }
    let id = there.as_ref().map(|there| there.id.as_str());
    heat.preview(id, &package(source)).await.map_err(of_fault)
}

fn foreign(heat: &Orchestration) -> CommandError {
    CommandError::usage(format!("Heat already has a stack `{}`, which `wattle deploy` did not create", heat.name()))
        .help("choose another name for this one: `--stack NAME`")
        .help(format!("or delete that one: `openstack stack delete {}`", heat.name()))
}

/// The work for one command.
struct Errand<'a> {
    site: &'a Site,
    heat: &'a Orchestration,
    display: Display,
    console: &'a mut Console,
}

impl Errand<'_> {
    async fn bring(&mut self, wanted: &Wanted) -> Result<Brought, CommandError> {
        let deployment = &self.site.deployment;
        match wanted {
            Wanted::Nothing => self.delete().await,
            Wanted::AsDeployed { .. } => {
                let source = deployment.hand_again(None).await?;
                self.put(&source, OnFailure::Stop, None).await
            }
            Wanted::Rollback { to } => {
                let source = deployment.hand_again(*to).await?;
                self.put(&source, OnFailure::Stop, None).await
            }
            Wanted::Deploy { source, on_failure, deadline, .. } => {
                deployment.hand_to_heat(source).await?;
                self.put(source, *on_failure, *deadline).await
            }
        }
    }

    /// Brings the stack to the state of a source.
    async fn put(
        &mut self,
        source: &str,
        on_failure: OnFailure,
        deadline: Option<Time>,
    ) -> Result<Brought, CommandError> {
        let number = self.site.deployment.heats_number().await?;
        let source = TemplateSource::read(source)
            .map_err(|error| CommandError::new(format!("what was deployed as {number} cannot be read: {error}")))?;
        let package = package(&source);
        let left = deadline.map(|at| Duration::from_millis(at.as_millis().saturating_sub(clock::millis())));
        let minutes = left.map_or(MINUTES, |left| left.as_secs().div_ceil(60).max(1));
        let until = Until(left.map(|left| Instant::now() + left));
        let terms = Terms { minutes, goes_back: on_failure == OnFailure::Rollback };
        for _ in 0..TRIES {
            let Some(there) = self.idle(until).await? else { return Ok(Brought::Failed) };
            let asked = match &there {
                Some(stack) => {
                    software::retired(self.site).await?;
                    let follow = Follow::from_now(self.heat, &stack.id).await.map_err(of_fault)?;
                    self.heat.update(&stack.id, &package, terms).await.map(|()| follow)
                }
                None => self.heat.create(&package, terms).await.map(|id| Follow::from_the_beginning(&id)),
            };
            match asked {
                Ok(mut follow) => return self.until_it_is(&mut follow, number, terms, until).await,
                // Another process was faster, or the outcome is unknown. Then read the present state. A stack that has
                // just been deleted also keeps its name for a moment.
                Err(Fault::Refused { status: 404 | 409, .. } | Fault::Unknown { .. }) => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(fault) => return Err(of_fault(fault)),
            }
        }
        Err(CommandError::new(format!("someone else keeps changing the stack `{}` in Heat", self.heat.name()))
            .help("try again once that has stopped"))
    }

    /// Waits until the stack reaches the requested state, or fails to.
    async fn until_it_is(
        &mut self,
        follow: &mut Follow,
        number: u64,
        terms: Terms,
        until: Until,
    ) -> Result<Brought, CommandError> {
        let longest = Duration::from_mins(terms.minutes) + GRACE;
        let until = Until(Some(until.0.unwrap_or_else(|| Instant::now() + longest)));
        let Some(ended) = self.follow(follow, until).await? else { return Ok(Brought::Failed) };
        let deployment = &self.site.deployment;
        let Some(stack) = ended else {
            return self
                .site
                .failed(&["someone else has deleted the stack in Heat in the meantime".into()], self.console);
        };
        let tree = self.heat.resources(&stack.id).await.map_err(of_fault)?;
        match stack.status.as_str() {
            "CREATE_COMPLETE" => {
                let servers = Servers { phys: servers(&tree), ..Servers::default() };
                deployment.heat_has_reached(number, &servers).await?;
                Ok(Brought::Done)
            }
            "UPDATE_COMPLETE" => {
                let servers = self.site.servers(servers(&tree)).await?;
                deployment.heat_has_reached(number, &servers).await?;
                Ok(Brought::Done)
            }
            "ROLLBACK_COMPLETE" => {
                let servers = self.site.servers(servers(&tree)).await?;
                deployment.heat_has_gone_back(&servers).await?;
                let back = format!("Heat has rolled the stack back: {}", stack.reason);
                let _ = self.site.failed(&[back], self.console)?;
                Ok(Brought::WentBack)
            }
            _ => self.site.failed(&roots(&stack, &tree), self.console),
        }
    }

    async fn delete(&mut self) -> Result<Brought, CommandError> {
        let Some(there) = self.idle(Until(None)).await? else { return Ok(Brought::Failed) };
        let Some(stack) = there else { return Ok(Brought::Done) };
        let mut follow = Follow::from_now(self.heat, &stack.id).await.map_err(of_fault)?;
        self.heat.delete(&stack.id).await.map_err(of_fault)?;
        let until = Until(Some(Instant::now() + Duration::from_mins(MINUTES) + GRACE));
        match self.follow(&mut follow, until).await? {
            None => Ok(Brought::Failed),
            Some(None) => Ok(Brought::Done),
            Some(Some(stack)) => {
                let tree = self.heat.resources(&stack.id).await.map_err(of_fault)?;
                self.site.failed(&roots(&stack, &tree), self.console)
            }
        }
    }
}

/// The servers of the stack, each with its name in the cloud, as far as Heat has created them.
pub(super) async fn machines(heat: &Orchestration) -> Result<BTreeMap<Name, Name>, Fault> {
    let stack = match heat.find().await {
        Ok(Some(stack)) => stack,
        Ok(None) | Err(Fault::NoService { .. }) => return Ok(BTreeMap::new()),
        Err(fault) => return Err(fault),
    };
    let mut servers = servers(&heat.resources(&stack.id).await?);
    // Those that do not exist yet have no name.
    servers.retain(|_, phys| !phys.is_empty());
    Ok(servers)
}

/// The servers of a stack, each with its name in the cloud.
fn servers(tree: &Tree) -> BTreeMap<Name, Name> {
    let servers = tree.resources.values().filter(|resource| &*resource.kind == Resource::SERVER);
    servers.map(|server| (server.path.clone(), server.phys.clone())).collect()
}

/// The differences from the wanted state, as texts.
fn roots(stack: &Stack, tree: &Tree) -> Vec<String> {
    let failed = tree.failed();
    if failed.is_empty() {
        return vec![format!("Heat says {}: {}", stack.status, stack.reason)];
    }
    failed.into_iter().map(|failed| format!("{} failed: {}", failed.path, failed.reason)).collect()
}
