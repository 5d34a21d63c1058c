//! Determines which parts of a stack really exist, for commands that plan.

use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::lower::Seed;
use wattle::plan::{Found, Left, State, StateError};
use wattle_converge::Target as _;
use wattle_openstack::Session;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::seed::Work;
use crate::deploy::Deployment;
use crate::openstack::{OWN, TemplateSource, Templates};
use crate::seed::{Given, chosen, concealed};
use crate::space::OperatorKey;

use super::site::Site;
use super::{adopt, cloud, software, source};

/// The option to query the cloud.
pub(in crate::cli) fn argument() -> Arg {
    Arg::new("cloud")
        .long("cloud")
        .value_name("NAME")
        .conflicts_with("against")
        .help("Also compare with what really exists in the cloud of this name in clouds.yaml")
}

/// The observed state of a cloud.
pub(in crate::cli) struct Looked {
    /// The site that was observed, if anything was ever requested.
    pub(in crate::cli) site: Option<Site>,
    /// The cloud.
    pub(in crate::cli) session: Arc<Session>,
}

/// The parts of `before`, the state in the data space, that really exist, and the differences from what `wattle deploy`
/// left. Without the option, returns `before` itself and no differences.
///
/// # Errors
/// The state cannot be read.
pub(in crate::cli) async fn found(
    work: &Work,
    before: Option<State>,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<(Option<State>, Vec<Found>, Option<Looked>), CommandError> {
    if !matches.contains_id("cloud") {
        return Ok((before, Vec::new(), None));
    }
    let session = cloud::session(matches, console).await?;
    let name = session.cloud().name.clone();
    let stack = work.stack();
    let source = source::source(work, matches)?;
    let Really { before, found, is_there, site } = really(work, before, &source, &session, console).await?;
    if !is_there {
        console.err.write(&format!("nothing of `{stack}` is deployed in the cloud `{name}`\n"))?;
    } else if found.is_empty() {
        console.err.write(&format!("everything in `{stack}` in the cloud `{name}` is as it was deployed\n"))?;
    }
    Ok((before, found, Some(Looked { site, session })))
}

/// The initial state of a deployment.
pub(super) struct Really {
    /// The state of the software, with the requested resources. The software may have received more since.
    pub(super) before: Option<State>,
    /// The resources that have changed since.
    pub(super) found: Vec<Found>,
    /// Whether anything was requested.
    is_there: bool,
    /// The site that was observed, if anything was ever requested.
    pub(super) site: Option<Site>,
}

/// The parts of `before`, the state in the data space, that really exist.
///
/// # Errors
/// The state cannot be read.
pub(super) async fn really(
    work: &Work,
    before: Option<State>,
    after: &TemplateSource,
    session: &Arc<Session>,
    console: &mut Console,
) -> Result<Really, CommandError> {
    let stack = work.stack();
    let key = &work.options.key;
    let rows = Deployment::rows(&work.store, &stack, key).await?;
    if Deployment::through(&work.store, &stack, key).await?.is_none() && rows.is_empty() {
        let before = before.map(State::without_resources);
        return Ok(Really { before, found: Vec::new(), is_there: false, site: None });
    }
    let site = Site::new(&work.store, &stack, key, Arc::clone(session)).await?;
    let adopted = cloud::answered(session, console, adopt::found(&site, &rows, after, session)).await??;
    let mut really = deployed(before, site, key, console).await?;
    really.is_there |= !adopted.is_empty();
    // By now, more is known about adopted resources.
    really.found.retain(|found| found.left != Left::Adopted);
    really.found.extend(adopted);
    Ok(really)
}

/// Does the same for a deployed stack.
async fn deployed(
    before: Option<State>,
    site: Site,
    key: &OperatorKey,
    console: &mut Console,
) -> Result<Really, CommandError> {
    let nothing = |before: Option<State>, site| {
        let before = before.map(State::without_resources);
        Ok(Really { before, found: Vec::new(), is_there: false, site })
    };
    let (source, found) = match site.present().await? {
        Some((_, source)) => (source, site.glance(console).await?),
        // Resources to delete exist until they are gone.
        None => match site.former(None).await? {
            Some((_, source)) => {
                let missing = missing(&site, &source).await?;
                (source, missing)
            }
            None => return nothing(before, Some(site)),
        },
    };
    let before = before.map(|before| asked_for(before, &source, key)).transpose()?;
    Ok(Really { before, found, is_there: true, site: Some(site) })
}

/// The requested resources that do not exist.
async fn missing(site: &Site, source: &TemplateSource) -> Result<Vec<Found>, CommandError> {
    let there = site.deployment.sound().await?;
    let Ok(target) = Templates::default().target(source) else { return Ok(Vec::new()) };
    let names = target.resources().into_iter().map(|(name, _)| name).filter(|name| !there.contains(name));
    Ok(names.map(|name| Found { name, left: Left::Nothing, how: "is deleted".to_owned() }).collect())
}

/// Reads the requested state of a deployment: resources and software.
///
/// # Errors
/// It cannot be read.
pub(super) fn state_of(source: &TemplateSource, site: &Site) -> Result<State, CommandError> {
    let key = &site.deployment.key;
    let (seed, parameters) = concealed(&software::seed(source)?, &given(source), key);
    let state = State::new(&source.files, parameters, Some(seed)).map_err(unreadable)?;
    let state = state.with_settings(chosen(source.settings.as_deref()));
    Ok(if site.is_heats { state } else { state.without_heat(OWN) })
}

/// The parameters of a deployment, without the servers' credentials, which are in the last environment.
fn given(source: &TemplateSource) -> Given {
    let environments = source.environments.split_last().map_or(&[][..], |(_, before)| before);
    software::given(environments, &source.given)
}

fn unreadable(error: StateError) -> CommandError {
    CommandError::new(format!("what was deployed cannot be read: {error}"))
}

/// The state of the software, with the requested resources.
fn asked_for(before: State, source: &TemplateSource, key: &OperatorKey) -> Result<State, CommandError> {
    let Ok(seed) = Seed::read(&source.seed) else { return Ok(before) };
    let (_, parameters) = concealed(&seed, &given(source), key);
    before.with_resources(&source.files, parameters).map_err(unreadable)
}
