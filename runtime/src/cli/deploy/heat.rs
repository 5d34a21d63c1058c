//! The infrastructure of a stack that Heat brings to its desired state. It is requested through Heat's API, and
//! followed by Heat's events.
//!
//! Nothing is lost if this is interrupted: a request is written down before it is made, Heat continues by itself, and
//! the next call waits for that and then requests again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use wattle::model::{Name, Resource};
use wattle::plan::{Found, Left};
use wattle_converge::{OnFailure, Time};
use wattle_openstack::orchestration::{Change, Follow, Orchestration, Stack, Step, Terms, Tree};
use wattle_openstack::{Fault, Session};
use wattle_words::names::some;
use wattle_words::time::short;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::signals::Signals;
use crate::clock;
use crate::deploy::{Servers, Wanted};
use crate::openstack::{TemplateSource, package};

use super::cloud::{answered, of_fault};
use super::display::Display;
use super::site::{Brought, Site};
use super::software;

/// How often to check what has happened.
const PAUSE: Duration = Duration::from_secs(1);

/// The number of minutes after which Heat gives up, unless the user says otherwise. It is Heat's own default.
const MINUTES: u64 = 60;

/// How much longer than that to wait for Heat to say so.
const GRACE: Duration = Duration::from_mins(5);

/// How many times in a row Heat may fail to say what has happened.
const MOST_BLIND: u32 = 10;

/// How many times to repeat a request that another process was faster with.
const TRIES: u32 = 5;

/// Makes Heat do what is wanted, and reports the progress.
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

/// Makes Heat check whether what it created exists.
pub(super) async fn look(site: &Site, heat: &Orchestration, console: &mut Console) -> Result<Vec<Found>, CommandError> {
    let mut errand = Errand { site, heat, display: Display::new(console.err.color), console };
    errand.look().await
}

/// What Heat already knows to differ from what it should be.
///
/// # Errors
/// Why it is not known.
pub(super) async fn glance(
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

/// What Heat says is not as it should be.
fn differences(heat: &Orchestration, stack: &Stack, tree: &Tree) -> Vec<Found> {
    let how = |reason: &str| format!("is not as Heat made it: {reason}");
    let failed = tree.failed().into_iter();
    let mut differs: Vec<Found> =
        failed.map(|failed| Found { left: Left::Wreck, name: failed.path.clone(), how: how(&failed.reason) }).collect();
    if differs.is_empty() && stack.is_busy() {
        let how = format!("is not done yet: Heat is still at it ({})", stack.status);
        differs.push(Found { left: Left::Itself, name: heat.name().into(), how });
    }
    if differs.is_empty() && stack.status.ends_with("_FAILED") {
        differs.push(Found { left: Left::Wreck, name: heat.name().into(), how: how(&stack.reason) });
    }
    differs
}

/// Refuses what Heat would refuse, before anything is created.
///
/// # Errors
/// Why Heat would not accept it, or that the stack belongs to someone else.
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

/// The time after which waiting ends.
#[derive(Clone, Copy)]
struct Until(Option<Instant>);

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

    /// Makes the stack what a source says.
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
                // Another process was faster, or it is not known. Then look for what is there. A stack that has just
                // gone also keeps its name for a moment longer.
                Err(Fault::Refused { status: 404 | 409, .. } | Fault::Unknown { .. }) => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(fault) => return Err(of_fault(fault)),
            }
        }
        Err(CommandError::new(format!("someone else keeps changing the stack `{}` in Heat", self.heat.name()))
            .help("try again once that has stopped"))
    }

    /// Waits until the stack is as requested, or cannot be.
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
                let servers = self.site.servers(servers(&tree)).await;
                deployment.heat_has_reached(number, &servers).await?;
                Ok(Brought::Done)
            }
            "ROLLBACK_COMPLETE" => {
                let servers = self.site.servers(servers(&tree)).await;
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

    /// The stack once nothing is being done to it, if it exists. The outer value is `None` if that takes too long.
    async fn idle(&mut self, until: Until) -> Result<Option<Option<Stack>>, CommandError> {
        let found = self.heat.find().await.map_err(of_fault)?;
        let Some(stack) = found else { return Ok(Some(None)) };
        if !stack.is_own {
            return Err(foreign(self.heat));
        }
        if !stack.is_busy() {
            return Ok(Some(Some(stack)));
        }
        let text = format!(
            "Heat is already at work on `{}` ({}): this command waits until it has ended",
            self.heat.name(),
            stack.status
        );
        let text = self.display.quiet(&text);
        self.console.err.write(&format!("{text}\n"))?;
        let mut follow = Follow::from_now(self.heat, &stack.id).await.map_err(of_fault)?;
        let until = Until(Some(until.0.unwrap_or_else(|| Instant::now() + Duration::from_mins(MINUTES) + GRACE)));
        self.follow(&mut follow, until).await
    }

    /// Reports what happens to a stack until that comes to an end. Returns the stack as it is then, if it exists. The
    /// outer value is `None` if that takes too long.
    async fn follow(&mut self, follow: &mut Follow, until: Until) -> Result<Option<Option<Stack>>, CommandError> {
        let (mut moved, mut blind) = (Instant::now(), 0);
        loop {
            match follow.look(self.heat).await {
                Ok(Step { changes, ended }) => {
                    blind = 0;
                    if !changes.is_empty() {
                        moved = Instant::now();
                    }
                    for change in &changes {
                        if let Some(line) = line(&mut self.display, change) {
                            self.console.err.write(&format!("{line}\n"))?;
                        }
                    }
                    if ended.is_some() {
                        return Ok(ended);
                    }
                }
                Err(fault) => {
                    blind += 1;
                    if blind > MOST_BLIND || !may_pass(&fault) {
                        return Err(of_fault(fault));
                    }
                }
            }
            let stall = self.site.deployment.limits.stall;
            if moved.elapsed() >= stall {
                moved = Instant::now();
                self.say_what_is_waited_for(follow.id(), stall).await?;
            }
            if is_over(until) {
                let name = self.heat.name();
                let text = format!(
                    "`{name}` is not done in time: Heat continues by itself, and so does the next call\n\
                     if it never ends, `openstack stack cancel {name}` ends it\n"
                );
                self.console.err.write(&text)?;
                return Ok(None);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn say_what_is_waited_for(&mut self, id: &str, since: Duration) -> Result<(), CommandError> {
        // Whether Heat answers is reported where what has happened is checked.
        let Ok(tree) = self.heat.resources(id).await else { return Ok(()) };
        let busy: Vec<String> = tree
            .busy()
            .map(|resource| format!("\n  {} ({}): {}", resource.path, resource.kind, resource.status))
            .collect();
        let text = format!("nothing has changed for {}:{}", short(since.as_secs()), busy.concat());
        let text = self.display.quiet(&text);
        self.console.err.write(&format!("{text}\n"))
    }
}

/// The same as [`Errand::follow`], without reporting anything.
async fn silent(
    heat: &Orchestration,
    follow: &mut Follow,
    until: Until,
) -> Result<Option<Option<Stack>>, CommandError> {
    while !is_over(until) {
        let step = follow.look(heat).await.map_err(of_fault)?;
        if step.ended.is_some() {
            return Ok(step.ended);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(None)
}

/// The servers of a stack, each with its name in the cloud.
fn servers(tree: &Tree) -> BTreeMap<Name, Name> {
    let servers = tree.resources.values().filter(|resource| &*resource.kind == Resource::SERVER);
    servers.map(|server| (server.path.clone(), server.phys.clone())).collect()
}

fn is_over(until: Until) -> bool {
    until.0.is_some_and(|until| Instant::now() >= until)
}

/// Whether another attempt may succeed.
fn may_pass(fault: &Fault) -> bool {
    fault.is_passing() || matches!(fault, Fault::Refused { status: 500.., .. } | Fault::Senseless { .. })
}

/// Whether Heat has checked a resource. Heat says so if it cannot check one.
fn is_checked(status: &str, reason: &str) -> bool {
    status.starts_with("CHECK_") && !reason.contains("not supported")
}

/// What is not as it should be, each in words.
fn roots(stack: &Stack, tree: &Tree) -> Vec<String> {
    let failed = tree.failed();
    if failed.is_empty() {
        return vec![format!("Heat says {}: {}", stack.status, stack.reason)];
    }
    failed.into_iter().map(|failed| format!("{} failed: {}", failed.path, failed.reason)).collect()
}

/// The line that reports a change, if it deserves one.
fn line(display: &mut Display, change: &Change) -> Option<String> {
    // A stack is reported through its resources.
    if change.is_stack {
        return None;
    }
    let (action, state) = change.status.split_once('_')?;
    let word = match action {
        "CREATE" | "ADOPT" => "created",
        "DELETE" => "deleted",
        _ => "changed",
    };
    match state {
        "IN_PROGRESS" => {
            display.begin(&change.path, &change.kind, word);
            None
        }
        "COMPLETE" => {
            // If this process did not see the beginning, it does not know how long it took.
            display.begin(&change.path, &change.kind, word);
            display.done(&change.path)
        }
        _ => Some(display.fail(&change.path, &change.reason)),
    }
}
