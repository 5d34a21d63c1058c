//! What is really there of a stack, for whoever plans.

use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::lower::Seed;
use wattle::plan::{Found, State};
use wattle_openstack::Session;

use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::seed::Work;
use crate::deploy::Deployment;
use crate::openstack::Source;
use crate::seed::concealed;

use super::site::Site;
use super::{cloud, software};

/// The option that has it look there.
pub(in crate::cli) fn argument() -> Arg {
    Arg::new("cloud")
        .long("cloud")
        .value_name("NAME")
        .conflicts_with("against")
        .help("Look also at what is really there, in the cloud that clouds.yaml calls so")
}

/// What is there of what the data space holds as `before`, and what is not as `wattle deploy` left it; the same and nothing unless the
/// command line has somebody look.
///
/// # Errors
/// Why that is not known.
pub(in crate::cli) async fn found(
    work: &Work,
    before: Option<State>,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<(Option<State>, Vec<Found>), Failure> {
    if !matches.contains_id("cloud") {
        return Ok((before, Vec::new()));
    }
    let session = cloud::session(matches).await?;
    let name = session.cloud().name.clone();
    let stack = work.stack();
    let Really { before, found, is_there, .. } = really(work, before, &session, console).await?;
    if !is_there {
        console.err.write(&format!("nothing of `{stack}` is deployed in the cloud `{name}`\n"))?;
    } else if found.is_empty() {
        console.err.write(&format!("everything of `{stack}` is in the cloud `{name}` as it was deployed\n"))?;
    }
    Ok((before, found))
}

/// What a deployment begins with.
pub(super) struct Really {
    /// What software was told, with the resources that were asked for: software may have been told more since.
    pub(super) before: Option<State>,
    /// What of them is not as it was left.
    pub(super) found: Vec<Found>,
    /// Whether anything is asked for.
    is_there: bool,
    /// What was looked at, if anything was ever asked for.
    pub(super) site: Option<Site>,
}

/// What is there of what the data space holds as `before`.
///
/// # Errors
/// Why that is not known.
pub(super) async fn really(
    work: &Work,
    before: Option<State>,
    session: &Arc<Session>,
    console: &mut Console,
) -> Result<Really, Failure> {
    let stack = work.stack();
    let nothing = |before: Option<State>, site| {
        let before = before.map(State::without_resources);
        Ok(Really { before, found: Vec::new(), is_there: false, site })
    };
    if Deployment::through(&work.store, &stack, &work.options.key).await?.is_none() {
        return nothing(before, None);
    }
    let site = Site::new(&work.store, &stack, &work.options.key, Arc::clone(session)).await?;
    let Some((_, source)) = site.present().await? else { return nothing(before, Some(site)) };
    let before = before.map(|before| asked_for(before, &source, work)).transpose()?;
    Ok(Really { before, found: site.glance(console).await?, is_there: true, site: Some(site) })
}

/// What software was told, with the resources that were asked for.
fn asked_for(before: State, source: &Source, work: &Work) -> Result<State, Failure> {
    let Ok(seed) = Seed::read(&source.seed) else { return Ok(before) };
    // The last environment has the servers' credentials, which what is to be is planned without.
    let environments = source.environments.split_last().map_or(&[][..], |(_, before)| before);
    let (_, parameters) = concealed(&seed, &software::given(environments, &source.given), &work.options.key);
    let read = |error| Failure::new(format!("what was deployed cannot be read: {error}"));
    before.with_resources(&source.files, parameters).map_err(read)
}
