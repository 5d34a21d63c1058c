//! What `wattle plan` finds in the cloud.

use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::plan::Found;

use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::seed::Work;
use crate::deploy::{Deployment, Through};

use super::cloud;
use super::site::Site;

/// The option that has it look there.
pub(in crate::cli) fn argument() -> Arg {
    Arg::new("cloud")
        .long("cloud")
        .value_name("NAME")
        .conflicts_with("against")
        .help("Look also at what is really there, in the cloud that clouds.yaml calls so")
}

/// What is not as `wattle deploy` left it.
///
/// # Errors
/// Why that is not known.
pub(in crate::cli) async fn found(
    work: &Work,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Vec<Found>, Failure> {
    if !matches.contains_id("cloud") {
        return Ok(Vec::new());
    }
    let session = cloud::session(matches).await?;
    let name = session.cloud().name.clone();
    let stack = work.stack();
    let is_there = match Deployment::through(&work.store, &stack).await? {
        Some(Through::Heat) => true,
        Some(Through::Wattle) => !Deployment::rows(&work.store, &stack).await?.is_empty(),
        None => false,
    };
    if !is_there {
        console.err.write(&format!("nothing of `{stack}` is deployed in the cloud `{name}`\n"))?;
        return Ok(Vec::new());
    }
    let site = Site::new(&work.store, &stack, &work.options.key, Arc::clone(&session)).await?;
    let found = site.glance(console).await?;
    if found.is_empty() {
        console.err.write(&format!("everything of `{stack}` is in the cloud `{name}` as it was deployed\n"))?;
    }
    Ok(found)
}
