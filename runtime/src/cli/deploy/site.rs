//! A stack's infrastructure, as used by commands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use wattle::model::{IndexMap, Name, Resource};
use wattle::names::join;
use wattle::plan::Found;
use wattle_converge::{Adopted, Limits, Target};
use wattle_openstack::orchestration::{self, Orchestration};
use wattle_openstack::{Fault, Session, actions};

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::paint::{Tone, paint};
use crate::cli::signals::Signals;
use crate::cli::silence;
use crate::deploy::{DeployError, Deployment, Ended, Identity, News, Servers, Through, Wanted, Whereabouts};
use crate::openstack::{Hands, TemplateSource, Templates};
use crate::space::{OperatorKey, ROOT, Space};
use crate::store::Store;

use super::cloud::{Silent, of_fault};
use super::display::Display;
use super::foot::Foot;
use super::heat;

/// How often to show the elapsed time.
const PAUSE: Duration = Duration::from_secs(1);

/// The interval between checks that the data space responds, and the timeout of a response.
const PROBE: Duration = Duration::from_secs(10);

/// The number of servers queried concurrently.
const AT_ONCE: usize = 8;

/// A stack's infrastructure.
pub(in crate::cli) struct Site {
    pub(in crate::cli) deployment: Deployment,
    pub(super) space: Space,
    cloud: String,
    here: Whereabouts,
    session: Arc<Session>,
    orchestration: Orchestration,
    /// Whether Heat deploys the infrastructure.
    pub(super) is_heats: bool,
}

/// The outcome.
pub(in crate::cli) enum Brought {
    /// The infrastructure is in the wanted state.
    Done,
    /// It failed, the reason was reported, and the former state was restored.
    WentBack,
    /// It failed, and that was reported.
    Failed,
    /// It was interrupted.
    Ended,
}

impl Site {
    pub(in crate::cli) async fn new(
        store: &Arc<dyn Store>,
        stack: &str,
        key: &OperatorKey,
        session: Arc<Session>,
    ) -> Result<Self, CommandError> {
        let here = whereabouts(&session).await?;
        if let Some(there) = Deployment::whereabouts(store, stack, key).await?.filter(|there| !there.is_also(&here)) {
            return Err(elsewhere(stack, &there, &here));
        }
        let identity = Identity::of(store, stack, key).await?;
        let space = Space::new(Arc::clone(store), stack).operated_by(key.signer().authority());
        let name = session.cloud().name.clone();
        let orchestration = Orchestration::new(Arc::clone(&session), stack, &identity.mark);
        let is_heats = Deployment::through(store, stack, key).await? == Some(Through::Heat);
        let cloud = Arc::new(Hands::new(Arc::clone(&session), &identity, space.clone()).await);
        let deployment = Deployment {
            store: Arc::clone(store),
            stack: stack.to_owned(),
            key: key.clone(),
            cloud,
            maker: Arc::new(Templates::new(&identity)),
            limits: Limits::default(),
        };
        Ok(Self { deployment, space, cloud: name, here, session, orchestration, is_heats })
    }

    /// The cloud's name.
    pub(super) fn cloud(&self) -> &str {
        &self.cloud
    }

    /// The source of the present deployment.
    pub(super) async fn present(&self) -> Result<Option<(u64, TemplateSource)>, CommandError> {
        self.deployment.present_source().await?.map(read).transpose()
    }

    /// The source that a rollback returns to.
    pub(super) async fn former(&self, to: Option<u64>) -> Result<Option<(u64, TemplateSource)>, CommandError> {
        self.deployment.former_source(to).await?.map(read).transpose()
    }

    /// Observes everything that exists.
    pub(super) async fn look(&self, console: &mut Console) -> Result<Vec<Found>, CommandError> {
        if self.is_heats {
            return heat::look(self, &self.orchestration, console).await;
        }
        let (news, mut heard) = mpsc::unbounded_channel();
        let (mut display, mut silent) = (Display::new(console.err.color), Silent::default());
        let look = self.deployment.look(&news);
        tokio::pin!(look);
        loop {
            let line = tokio::select! {
                biased;
                Some(one) = heard.recv() => match one {
                    News::Elsewhere => Some("another `wattle deploy` is running: this is what it has found".to_owned()),
                    News::Blind(_) => display.line(&one),
                    _ => None,
                },
                differences = &mut look => return Ok(differences?),
                () = tokio::time::sleep(silence::PAUSE) => silent.line(&self.session),
            };
            if let Some(line) = line {
                console.err.write(&format!("{line}\n"))?;
            }
        }
    }

    /// Like [`Self::look`], but triggers no observations elsewhere: for a stack in Heat, reads what Heat already knows.
    pub(super) async fn glance(&self, console: &mut Console) -> Result<Vec<Found>, CommandError> {
        if self.is_heats {
            return heat::glance(&self.session, &self.orchestration, console).await;
        }
        self.look(console).await
    }

    /// The existing servers, each with its name in the cloud. If the stack is not recorded, or not yet, asks Heat:
    /// somebody may have created it with OpenStack's own client.
    pub(super) async fn machines(&self) -> Result<BTreeMap<Name, Name>, CommandError> {
        let recorded = self.deployment.things(Resource::SERVER).await?;
        if !recorded.is_empty() {
            return Ok(recorded);
        }
        heat::machines(&self.orchestration).await.map_err(of_fault)
    }

    /// The outputs of the stack according to Heat.
    pub(super) async fn heats_outputs(&self) -> Result<Vec<orchestration::Output>, Fault> {
        match self.orchestration.find().await? {
            Some(stack) => self.orchestration.outputs(&stack.id).await,
            None => Ok(Vec::new()),
        }
    }

    /// Adopts these existing things as resources of `target`.
    pub(super) async fn adopt(&self, target: Arc<dyn Target>, things: Vec<Adopted>) -> Result<(), CommandError> {
        self.deployment.settle(&self.here).await?;
        Ok(self.deployment.adopt(target, things).await?)
    }

    /// Brings the infrastructure to the wanted state, and reports the progress.
    pub(in crate::cli) async fn bring(&self, wanted: &Wanted, console: &mut Console) -> Result<Brought, CommandError> {
        self.deployment.settle(&self.here).await?;
        if self.is_heats {
            return heat::bring(self, &self.orchestration, wanted, console).await;
        }
        let (news, mut heard) = mpsc::unbounded_channel();
        let mut signals = Signals::listen()?;
        let (mut display, mut foot) = (Display::new(console.err.color), Foot::new(console));
        let (end, end_asked) = tokio::sync::oneshot::channel::<()>();
        let mut end = Some(end);
        let (says, mut answers) = watch::channel(true);
        let mut probe = JoinSet::new();
        probe.spawn(listen_to(Arc::clone(&self.deployment.store), says));
        let bring = self.deployment.bring(wanted, &news, async move { drop(end_asked.await) });
        tokio::pin!(bring);
        let ended = loop {
            tokio::select! {
                ended = &mut bring => break ended,
                Some(news) = heard.recv() => report(&mut display, &news, &mut foot, console)?,
                () = signals.end() => {
                    if end.take().is_none() {
                        foot.clear(console)?;
                        return Ok(Brought::Ended);
                    }
                    foot.say("stops once everything that was begun is recorded; press again to stop at once", console)?;
                }
                Ok(()) = answers.changed() => {
                    let text = if *answers.borrow() {
                        "the data space answers again"
                    } else {
                        "the data space does not answer: nothing new is started until it does, and nothing is lost"
                    };
                    foot.say(&paint(text, Tone::Waiting, console.err.color), console)?;
                }
                () = tokio::time::sleep(PAUSE) => {}
            }
            foot.draw(&display, console)?;
        };
        while let Ok(news) = heard.try_recv() {
            report(&mut display, &news, &mut foot, console)?;
        }
        foot.clear(console)?;
        let is_nothing = matches!(wanted, Wanted::Nothing);
        self.conclude(ended?, is_nothing, console)
    }

    fn conclude(&self, ended: Option<Ended>, is_nothing: bool, console: &mut Console) -> Result<Brought, CommandError> {
        let stack = &self.deployment.stack;
        let Some(Ended { roots, before, generation, is_nothing: is_gone }) = ended else {
            console.err.write(&format!("`{stack}` is not done: the next `wattle deploy` continues\n"))?;
            return Ok(Brought::Ended);
        };
        match (is_nothing, is_gone) {
            (true, false) => return Err(wanted_again(stack)),
            // It was rolled back to the time before its first deployment.
            (false, true) if before.is_empty() => return Err(DeployError::Destroyed { stack: stack.clone() }.into()),
            _ => {}
        }
        if !before.is_empty() {
            let _ = self.failed(&before, console)?;
        }
        if !roots.is_empty() {
            return self.failed(&roots, console);
        }
        if before.is_empty() {
            return Ok(Brought::Done);
        }
        let back = if is_gone {
            format!("everything is deleted again: nothing of `{stack}` existed before")
        } else {
            format!("it is as it was before: that is now deployment {generation}")
        };
        console.err.write(&format!("{back}\n"))?;
        Ok(Brought::WentBack)
    }

    /// These servers, with the request that last rebuilt each of them.
    ///
    /// # Errors
    /// Nova does not respond. Without this, a rebuilt server would count as done before its agent has started again.
    pub(super) async fn servers(&self, phys: BTreeMap<Name, Name>) -> Result<Servers, CommandError> {
        let asked = phys.iter().map(async |(name, server)| {
            match actions::last_rebuild(&self.session, server).await {
                Ok(rebuild) => Ok(rebuild.map(|rebuild| (name.clone(), rebuild))),
                // It has just been deleted, or only administrators may know.
                Err(Fault::Refused { status: 403 | 404, .. }) => Ok(None),
                Err(fault) => Err(of_fault(fault)),
            }
        });
        let rebuilds: Vec<_> = stream::iter(asked).buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(Servers { phys, rebuilds: rebuilds.into_iter().flatten().collect() })
    }

    /// Reports the failures.
    pub(super) fn failed(&self, roots: &[String], console: &mut Console) -> Result<Brought, CommandError> {
        let stack = &self.deployment.stack;
        let head =
            paint(&format!("the infrastructure of `{stack}` is not as it should be:"), Tone::Bad, console.err.color);
        let roots: Vec<String> = gathered(roots).into_iter().map(|root| format!("\n  {root}")).collect();
        console.err.write(&format!("{head}{}\n", roots.concat()))?;
        Ok(Brought::Failed)
    }
}

/// The error that another command has requested a deployment of a stack to be destroyed.
pub(super) fn wanted_again(stack: &str) -> CommandError {
    CommandError::new(format!(
        "another `wattle deploy` has requested `{stack}` in the meantime, so it is not destroyed"
    ))
    .help("once no command deploys it, run `wattle destroy` again")
}

/// Reports changes of whether the data space responds.
async fn listen_to(store: Arc<dyn Store>, says: watch::Sender<bool>) {
    loop {
        tokio::time::sleep(PROBE).await;
        let answers = tokio::time::timeout(PROBE, store.look(ROOT)).await.is_ok();
        says.send_if_modified(|known| std::mem::replace(known, answers) != answers);
    }
}

/// The cloud and project that the session is logged in to.
async fn whereabouts(session: &Session) -> Result<Whereabouts, CommandError> {
    let project = session.token().await.map_err(of_fault)?.project.clone();
    let cloud = session.cloud();
    Ok(Whereabouts { auth_url: cloud.auth_url.clone(), region: cloud.region.clone(), project })
}

fn elsewhere(stack: &str, there: &Whereabouts, here: &Whereabouts) -> CommandError {
    CommandError::usage(format!("`{stack}` was deployed in another cloud or project than this one"))
        .note(format!("it is at {there}"))
        .note(format!("this is {here}"))
        .help("name that one: `--cloud NAME`")
        .help("to move it, delete it there first: `wattle destroy`")
}

/// Groups failures with the same reason into one line each, keeping the order.
fn gathered(roots: &[String]) -> Vec<String> {
    let mut gathered: IndexMap<&str, Vec<&str>> = IndexMap::default();
    for root in roots {
        match root.split_once(FAILED) {
            Some((who, why)) => gathered.entry(why).or_default().push(who),
            None => drop(gathered.entry(root).or_default()),
        }
    }
    let line = |(what, who): (&str, Vec<&str>)| {
        if who.is_empty() {
            return what.to_owned();
        }
        format!("{}{FAILED}{what}", join(who.into_iter().map(str::to_owned), "and"))
    };
    gathered.into_iter().map(line).collect()
}

/// The separator between a failed resource and the reason.
const FAILED: &str = " failed: ";

fn read((number, text): (u64, String)) -> Result<(u64, TemplateSource), CommandError> {
    let source = TemplateSource::read(&text);
    Ok((number, source.map_err(|error| CommandError::new(format!("deployment {number} cannot be read: {error}")))?))
}

fn report(display: &mut Display, news: &News, foot: &mut Foot, console: &mut Console) -> Result<(), CommandError> {
    match display.line(news) {
        Some(line) => foot.say(&line, console),
        None => Ok(()),
    }
}

impl From<DeployError> for CommandError {
    fn from(error: DeployError) -> Self {
        match error {
            DeployError::Store(error) => error.into(),
            DeployError::Sealed { .. } => Self::new(error.to_string())
                .help("give the operator's key that `wattle deploy` used before: `--key FILE`"),
            DeployError::Unkept { ref kept, .. } => {
                let kept = join(kept.iter().map(u64::to_string).collect::<Vec<_>>(), "and");
                let help = if kept.is_empty() {
                    "no deployment is kept".to_owned()
                } else {
                    format!("it has {kept}: `--to N`")
                };
                Self::usage(error.to_string()).help(help)
            }
            DeployError::Refused(_) => Self::usage(error.to_string()),
            DeployError::Destroyed { .. } => {
                Self::new(error.to_string()).help("run `wattle deploy` again, which creates it from scratch")
            }
            DeployError::Led { .. } => Self::new(error.to_string())
                .help("wait until that `wattle deploy` has ended; a killed one counts until its session expires"),
            other => Self::new(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_failed_for_one_reason_stands_in_one_line() {
        let roots = ["`a` failed: no: way", "`b` waits for its turn", "`c` failed: no: way", "`d` failed: else"];
        let roots = roots.map(str::to_owned);
        assert_eq!(gathered(&roots), ["`a` and `c` failed: no: way", "`b` waits for its turn", "`d` failed: else"]);
    }
}
