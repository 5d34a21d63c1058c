//! Selects a cloud, and logs in to it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgMatches};
use wattle::manners::reason;
use wattle_converge::Target as _;
use wattle_deploy::Deployment;
use wattle_openstack::clouds::CloudError;
use wattle_openstack::{Cloud, Fault, Session, Wait, driver};

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::silence::{SILENCE, unanswered, watched};
use crate::openstack::{Http, sources};

/// How long a request to a busy service is retried before the job fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The option that names a cloud.
pub(in crate::cli) fn argument() -> Arg {
    Arg::new("cloud").long("cloud").value_name("NAME").help(
        "Name of the cloud in clouds.yaml. Defaults to the cloud of OS_CLOUD or of the variables OS_*, then to the \
         only one in the file",
    )
}

/// Logs in to the selected cloud.
///
/// # Errors
/// There is no such cloud, or it rejects the login.
pub(in crate::cli) async fn session(matches: &ArgMatches, console: &mut Console) -> Result<Arc<Session>, CommandError> {
    let unreadable = |(file, error): (String, std::io::Error)| {
        CommandError::usage(format!("cannot read `{file}`: {}", reason(&error)))
    };
    let sources = sources().map_err(unreadable)?;
    let cloud = Cloud::choose(&sources, matches.get_one::<String>("cloud").map(String::as_str)).map_err(of_choice)?;
    let wire = Http::new(&cloud).map_err(|why| {
        CommandError::usage(why).help(
            "`cacert` of the cloud in clouds.yaml, or `OS_CACERT`, names the file: its path is relative to the current \
             directory",
        )
    })?;
    let session = Arc::new(Session::new(cloud, Arc::new(wire), PATIENCE));
    // Report everything that is wrong with the cloud before anything is created.
    answered(&session, console, session.token()).await?.map_err(of_fault)?;
    Ok(session)
}

/// Waits for work that sends requests to a cloud's services. The user soon sees which of them does not respond.
///
/// # Errors
/// The standard error is closed.
pub(in crate::cli) async fn answered<T>(
    session: &Session,
    console: &mut Console,
    work: impl Future<Output = T>,
) -> Result<T, CommandError> {
    let mut silent = Silent::default();
    watched(console, || silent.line(session), work).await
}

/// The services already reported as silent.
#[derive(Debug, Default)]
pub(super) struct Silent(BTreeSet<String>);

impl Silent {
    /// The message about a service that does not respond, once for each service.
    pub(super) fn line(&mut self, session: &Session) -> Option<String> {
        let Wait { service, status, .. } = session.waits().filter(|wait| wait.since >= SILENCE)?;
        if !self.0.insert(service.clone()) {
            return None;
        }
        let Cloud { name, auth_url, .. } = session.cloud();
        let whom = match &*service {
            "identity" => format!("the cloud `{name}` at {auth_url}"),
            _ => format!("{service} of the cloud `{name}`"),
        };
        Some(match status {
            Some(status) => format!("waiting for {whom}, which is busy: it answers {status}"),
            None => unanswered(&whom),
        })
    }
}

/// Checks that the cloud has all services that a target needs, and that they respond.
///
/// # Errors
/// A service is missing or does not respond.
pub(super) async fn services(
    session: &Session,
    target: &Deployment,
    console: &mut Console,
) -> Result<(), CommandError> {
    let resources = target.resources();
    let given = resources.iter().filter_map(|(name, _)| target.given(name));
    let services = given.filter_map(|(ty, properties)| Some(driver::kind(ty)?.services(&properties)));
    let needed: BTreeSet<&'static str> = services.flatten().collect();
    for service in needed {
        answered(session, console, session.reach(service)).await?.map_err(of_fault)?;
    }
    Ok(())
}

/// Builds an error with optional help.
fn failure(failure: CommandError, help: Option<String>) -> CommandError {
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

fn of_choice(error: CloudError) -> CommandError {
    failure(CommandError::usage(error.to_string()), error.help())
}

/// Converts a fault of a service to an error of a command.
pub(in crate::cli) fn of_fault(fault: Fault) -> CommandError {
    failure(CommandError::new(fault.to_string()), fault.help())
}
