//! The software of a stack whose infrastructure exists.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches};
use wattle::lower::Seed;
use wattle::model::{IndexMap, IndexSet, Name, Resource, Value};
use wattle::names::some;
use wattle_agent_core::status::State;
use wattle_converge::Time;
use wattle_heat::environment::Environment;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::paint::{Tone, paint};
use crate::cli::progress::Progress;
use crate::cli::signals::Signals;
use crate::cli::{args, exports, why};
use crate::clock;
use crate::openstack::TemplateSource;
use crate::report::{Cause, Condition, Root, StackSnapshot, Standing, no_word, roots};
use crate::seed::{self, Credentials, Files, Given};

use super::outputs::outputs;
use super::patience::{Patience, Verdict};
use super::returning::Former;
use super::site::Site;

/// How often to check.
const PAUSE: Duration = Duration::from_millis(500);

/// How long to collect new servers, so that each of them does not get a revision of its own.
const TOGETHER: Duration = Duration::from_secs(10);

/// The largest number of causes that are explained at the end.
const ROOTS: usize = 10;

/// How long the agent of a deleted server may keep its place. This is longer than a session of the data space lasts.
const LINGERS: Duration = Duration::from_mins(1);

/// The servers that were created, or got new disks, and whose own keys are not known yet, with their names in the
/// cloud.
pub(super) async fn strangers(site: &Site) -> Result<BTreeMap<Name, Name>, CommandError> {
    Ok(site.deployment.strangers(Resource::SERVER).await?)
}

/// The name of a server in a seed. In a nested stack or a group, it is the last part.
pub(super) fn own(name: &Name) -> Name {
    Name::from(name.rsplit('/').next().unwrap_or(name))
}

/// The flag to skip waiting for the software.
pub(super) fn left_alone() -> Arg {
    args::flag("infrastructure-only", "Do not wait for the software")
}

/// Follows the software until it is finished, unless the user does not want to wait. Meanwhile it admits servers by
/// their own keys: new ones, each of which replaces the earlier one of the same name, and those that got new disks. The
/// software is finished once each server with work also has an agent; for a restarted server, one other than its
/// `former` one. Waiting ends after the deadline, or when there is no more progress. Whatever is missing still
/// continues by itself.
pub(super) async fn follow(
    site: &Site,
    seed: &Seed,
    former: &Former,
    deadline: Option<Time>,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    if seed.servers.is_empty() && StackSnapshot::read(&site.space, None).await?.servers.is_empty() {
        return without_software(site, console).await;
    }
    if matches.get_flag("infrastructure-only") {
        return Ok(Exit::Fine);
    }
    let (store, stack, key) = (&site.deployment.store, site.deployment.stack.as_str(), &site.deployment.key);
    let strangers = strangers(site).await?;
    let renewed = strangers.keys().map(own).filter(|name| seed.servers.contains_key(name));
    let mut renewed: Vec<Name> = renewed.collect::<IndexSet<Name>>().into_iter().collect();
    let known = |servers: &[Name]| -> BTreeMap<Name, Name> {
        let things = strangers.iter().filter(|(name, _)| servers.contains(&own(name)));
        things.map(|(name, phys)| (name.clone(), phys.clone())).collect()
    };
    let (begin, there_since) = (Instant::now(), clock::now());
    let (mut is_said, mut is_awaited) = (false, false);
    let mut signals = Signals::listen()?;
    let mut progress = Progress::new(console);
    let mut snapshot: Option<StackSnapshot> = None;
    let mut since: Option<Instant> = None;
    let mut patience = Patience::new(deadline);
    loop {
        let waiting = seed::waiting(store, stack, key, &renewed).await?;
        if waiting.come.is_empty() {
            since = None;
        } else if waiting.absent.is_empty() || since.get_or_insert_with(Instant::now).elapsed() >= TOGETHER {
            let admitted = seed::admit(store, stack, key, &renewed).await?.admitted;
            site.deployment.note_known(&known(&admitted)).await?;
            renewed.retain(|server| !admitted.contains(server));
            progress.say(
                &format!("admitted with keys of their own: {}", some(admitted.iter().map(|name| &**name), 5)),
                console,
            )?;
            since = None;
        }
        let read = StackSnapshot::read(&site.space, snapshot.as_ref()).await?;
        let now = read.without_words_of(&renewed);
        progress.show(&now, console)?;
        let without_agent = former.awaited(&now, &renewed);
        let silent = waiting.absent.iter().chain(&without_agent).map(|server| (server, there_since));
        if !is_said && let Some(line) = no_word(silent, clock::now()) {
            progress.say(&paint(&line, Tone::Waiting, console.err.color), console)?;
            is_said = true;
        }
        // An agent that still acts for the server after that time is the admitted one. A process was killed before it
        // could record that.
        if begin.elapsed() >= LINGERS {
            let acts = |server: &Name| read.servers.get(server).is_some_and(|standing| standing.alive.is_some());
            let (there, absent): (Vec<Name>, Vec<Name>) =
                renewed.into_iter().partition(|server| !waiting.come.contains(server) && acts(server));
            renewed = absent;
            if !there.is_empty() {
                site.deployment.note_known(&known(&there)).await?;
            }
        }
        let tally = now.tally();
        let is_over = tally.is_over() && waiting.come.is_empty();
        if is_over && ((waiting.absent.is_empty() && without_agent.is_empty()) || tally.has_failed()) {
            progress.clear(console)?;
            return conclude(site, &now, console).await;
        }
        if is_over && !without_agent.is_empty() && !std::mem::replace(&mut is_awaited, true) {
            let line = format!("waits for the agent of {}", some(without_agent.iter().map(|server| &**server), 5));
            progress.say(&paint(&line, Tone::Waiting, console.err.color), console)?;
        }
        let color = console.err.color;
        let state = (format!("{tally:?}"), waiting.come.len(), waiting.absent.clone(), without_agent.clone());
        match patience.judge(state, ends_by_itself(&now), Time::from_millis(clock::millis())) {
            Verdict::Wait => {}
            Verdict::Say => {
                let line = paint("nothing has changed for a while:", Tone::Waiting, color);
                progress
                    .say(&format!("{line}\n{}", waited_for(&now, &waiting.absent, &without_agent, color)), console)?;
            }
            verdict @ (Verdict::TooLate | Verdict::Stuck) => {
                progress.clear(console)?;
                let why = if verdict == Verdict::TooLate { "was not done in time" } else { "no longer makes progress" };
                let head = format!("the infrastructure exists, and the software {why}; the rest continues by itself:");
                let said = waited_for(&now, &waiting.absent, &without_agent, color);
                console.err.write(&format!("{}\n{said}\n", paint(&head, Tone::Bad, color)))?;
                return Ok(Exit::Failed);
            }
        }
        snapshot = Some(read);
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = signals.end() => {
                progress.clear(console)?;
                console.err.write("the infrastructure exists, and the software continues by itself: `wattle status` \
                                   shows it\n")?;
                return Ok(Exit::Failed);
            }
        }
    }
}

/// Whether a running recipe has a time limit.
fn ends_by_itself(snapshot: &StackSnapshot) -> bool {
    snapshot.parts().any(|part| match part.condition {
        Condition::Said(status) => matches!(status.state, State::Running) && status.deadline.is_some(),
        Condition::Idle => false,
    })
}

/// Describes what is awaited.
fn waited_for(snapshot: &StackSnapshot, absent: &[Name], without_agent: &[Name], color: bool) -> String {
    let mut roots = roots(snapshot);
    for server in without_agent {
        let cause = Cause::NoAgent { server: server.clone(), was_there: true };
        if !roots.iter().any(|root| matches!(&root.cause, Cause::NoAgent { server: known, .. } if known == server)) {
            roots.push(Root { cause, holds: Vec::new() });
        }
    }
    let mut text = why::explain_all(&roots, ROOTS, clock::now(), color);
    // Servers that have replaced others have been reported before.
    if text.is_empty() {
        text.push_str(&format!("no word from {}\n", some(absent.iter().map(|server| &**server), 5)));
    }
    text.trim_end().to_owned()
}

/// Writes the seed of an earlier deployment as the next revision, and returns that seed.
pub(super) async fn restore(site: &Site, source: &TemplateSource, console: &mut Console) -> Result<Seed, CommandError> {
    let seed = seed(source)?;
    let mut options = seed::Options::new(site.deployment.key.clone());
    options.given = given(&source.environments, &source.given);
    let (templates, diagram) = (source.files.clone(), source.diagram.clone());
    options.files = Files { templates, diagram, settings: source.settings.clone() };
    options.stack = Some(site.deployment.stack.clone());
    options.admission = true;
    // They are in the deployment's last environment.
    if let Some((name, text)) = source.environments.last() {
        options.credentials = Credentials::parse(text, Path::new(name))?;
    }
    seed::adopt(&site.deployment.store, &seed, &mut options, seed::Unnamed::default()).await?;
    options.credentials.complete(&seed, &options.key);
    let applied = seed::apply(&site.deployment.store, &seed, &options).await?;
    console.err.write(&format!("{}\n", applied.changes.to_string().trim_end()))?;
    Ok(seed)
}

/// Restores the former software, after the infrastructure has been rolled back.
pub(super) async fn go_back(site: &Site, matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    if let Some((_, source)) = site.present().await? {
        let seed = restore(site, &source, console).await?;
        follow(site, &seed, &Former::default(), None, matches, console).await?;
    }
    Ok(Exit::Failed)
}

/// The parameters of a deployment.
pub(super) fn given(environments: &[(String, String)], values: &IndexMap<Name, Value>) -> Given {
    let environments = environments.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let mut given = Given::new(Environment::read(environments));
    for (name, value) in values {
        given.set(name, value.clone());
    }
    given
}

/// The seed of a deployment.
pub(super) fn seed(source: &TemplateSource) -> Result<Seed, CommandError> {
    Seed::read(&source.seed)
        .map_err(|error| CommandError::new(format!("the deployment's seed cannot be read: {error}")))
}

/// Writes a seed without servers, so that everything that runs on the existing servers is torn down.
pub(super) async fn retire(site: &Site, console: &mut Console) -> Result<(), CommandError> {
    let Some((_, source)) = site.present().await? else { return Ok(()) };
    let Ok(mut seed) = Seed::read(&source.seed) else { return Ok(()) };
    seed.servers.clear();
    seed.entries.clear();
    seed.exports.clear();
    seed.requirements.clear();
    seed.imports.clear();
    seed.recipes.clear();
    seed.digest = seed.compute_digest();
    let mut text = Vec::new();
    seed.write(&mut text).map_err(|error| CommandError::new(error.to_string()))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    restore(site, &TemplateSource { seed: text, ..source }, console).await?;
    // If nothing is wanted any longer, the networks that agents need are deleted at once, too.
    torn_down(site, |_| true).await
}

/// Waits until these servers have torn down what has left the model, or until their time is up.
async fn torn_down(site: &Site, which: impl Fn(&Standing) -> bool) -> Result<(), CommandError> {
    let deadline = Instant::now() + site.deployment.limits.drain;
    while Instant::now() < deadline {
        let snapshot = StackSnapshot::read(&site.space, None).await?;
        if !snapshot.servers.values().any(|server| which(server) && server.tears_down()) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Does the same for servers to be deleted. Their deletion does not wait for their agents.
pub(super) async fn retired(site: &Site) -> Result<(), CommandError> {
    torn_down(site, Standing::has_left).await
}

/// Reports a stack on whose servers nothing runs.
async fn without_software(site: &Site, console: &mut Console) -> Result<Exit, CommandError> {
    let color = console.out.color;
    let stack = paint(&site.deployment.stack, Tone::Head, color);
    let outputs = outputs(site, color).await?;
    let between = if outputs.is_empty() { "" } else { "\n" };
    console.out.write(&format!("\n{stack} {}\n{between}{outputs}", paint("is up", Tone::Good, color)))?;
    Ok(Exit::Fine)
}

async fn conclude(site: &Site, snapshot: &StackSnapshot, console: &mut Console) -> Result<Exit, CommandError> {
    let color = console.out.color;
    let stack = paint(&snapshot.stack, Tone::Head, color);
    if snapshot.tally().has_failed() {
        let failed = paint("the infrastructure exists, and software has failed", Tone::Bad, color);
        let why = why::explain_all(&roots(snapshot), ROOTS, clock::now(), color);
        console.out.write(&format!("\n{stack}: {failed}\n\n{why}"))?;
        return Ok(Exit::Failed);
    }
    let mut text = format!("\n{stack} {}\n", paint("is up", Tone::Good, color));
    let exports = exports::exports(&site.space, &HashMap::new(), color).await;
    if !exports.is_empty() {
        text.extend([format!("\n{exports}")]);
    }
    console.out.write(&text)?;
    Ok(Exit::Fine)
}
