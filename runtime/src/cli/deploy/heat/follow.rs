//! Waiting for Heat: what happens to a stack is reported until that comes to an end.

use std::time::{Duration, Instant};

use wattle_openstack::Fault;
use wattle_openstack::orchestration::{Change, Follow, Orchestration, Stack, Step};
use wattle_words::time::short;

use crate::cli::deploy::cloud::of_fault;
use crate::cli::deploy::display::Display;
use crate::cli::error::CommandError;

use super::{Errand, GRACE, MINUTES, PAUSE, foreign};

/// How many times in a row Heat may fail to say what has happened.
const MOST_BLIND: u32 = 10;

/// The time after which waiting ends.
#[derive(Clone, Copy)]
pub(super) struct Until(pub(super) Option<Instant>);

impl Errand<'_> {
    /// The stack once nothing is being done to it, if it exists. The outer value is `None` if that takes too long.
    pub(super) async fn idle(&mut self, until: Until) -> Result<Option<Option<Stack>>, CommandError> {
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
    pub(super) async fn follow(
        &mut self,
        follow: &mut Follow,
        until: Until,
    ) -> Result<Option<Option<Stack>>, CommandError> {
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
pub(super) async fn silent(
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

fn is_over(until: Until) -> bool {
    until.0.is_some_and(|until| Instant::now() >= until)
}

/// Whether another attempt may succeed.
fn may_pass(fault: &Fault) -> bool {
    fault.is_passing() || matches!(fault, Fault::Refused { status: 500.., .. } | Fault::Senseless { .. })
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
