//! Follows an action of Heat, and reports events until it ends.

use std::time::{Duration, Instant};

use wattle_openstack::Fault;
use wattle_openstack::orchestration::{Follow, Orchestration, ResourceEvent, Stack, Step};
use wattle_words::time::short;

use crate::cli::deploy::cloud::of_fault;
use crate::cli::deploy::display::Display;
use crate::cli::error::CommandError;

use super::{Errand, GRACE, MINUTES, PAUSE, foreign};

/// How many times in a row reading the events may fail.
const MOST_BLIND: u32 = 10;

/// The time after which waiting ends.
#[derive(Clone, Copy)]
pub(super) struct Until(pub(super) Option<Instant>);

impl Errand<'_> {
    /// Waits until no action on the stack is in progress. Returns the stack, if it exists. The outer value is `None` on
    /// a timeout.
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
            "Heat is already working on `{}` ({}): this command waits until it is done",
            self.heat.name(),
            stack.status
        );
        let text = self.display.quiet(&text);
        self.console.err.write(&format!("{text}\n"))?;
        let mut follow = Follow::from_now(self.heat, &stack.id).await.map_err(of_fault)?;
        let until = Until(Some(until.0.unwrap_or_else(|| Instant::now() + Duration::from_mins(MINUTES) + GRACE)));
        self.follow(&mut follow, until).await
    }

    /// Reports the events of a stack until its action ends. Returns the resulting stack, if it exists. The outer value
    /// is `None` on a timeout.
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
                    "`{name}` was not done in time: Heat continues by itself, and so does the next call\n\
                     if it never ends, `openstack stack cancel {name}` ends it\n"
                );
                self.console.err.write(&text)?;
                return Ok(None);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn say_what_is_waited_for(&mut self, id: &str, since: Duration) -> Result<(), CommandError> {
        // A silent Heat is reported where the events are read.
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

/// Like [`Errand::follow`], without reporting anything.
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

/// Whether a retry may succeed.
fn may_pass(fault: &Fault) -> bool {
    fault.is_passing() || matches!(fault, Fault::Refused { status: 500.., .. } | Fault::Senseless { .. })
}

/// The line that reports a change, if it is worth one.
fn line(display: &mut Display, change: &ResourceEvent) -> Option<String> {
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
            // Without having seen the beginning, this process does not know the duration.
            display.begin(&change.path, &change.kind, word);
            display.done(&change.path)
        }
        _ => Some(display.fail(&change.path, &change.reason)),
    }
}
