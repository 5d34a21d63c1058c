//! Which cloud is meant, and how to log in there.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgMatches};
use wattle::manners::reason;
use wattle_converge::Target as _;
use wattle_deploy::Deployment;
use wattle_openstack::clouds::CloudError;
use wattle_openstack::{Cloud, Fault, Session, driver};

use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::silence::awaited;
use crate::openstack::{Http, sources};

/// How long a busy service is asked again before a job fails because the service is busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// The option that names a cloud.
pub(in crate::cli) fn argument() -> Arg {
    Arg::new("cloud").long("cloud").value_name("NAME").help(
        "Name of the cloud in clouds.yaml. Defaults to the cloud of OS_CLOUD or of the variables OS_*, then to the \
         only one that there is",
    )
}

/// Logs in to the cloud that is meant.
///
/// # Errors
/// Why there is no such cloud, or why it refuses the login.
pub(in crate::cli) async fn session(matches: &ArgMatches, console: &mut Console) -> Result<Arc<Session>, Failure> {
    let unreadable =
        |(file, error): (String, std::io::Error)| Failure::usage(format!("cannot read `{file}`: {}", reason(&error)));
    let sources = sources().map_err(unreadable)?;
    let cloud = Cloud::choose(&sources, matches.get_one::<String>("cloud").map(String::as_str)).map_err(of_choice)?;
    let wire = Http::new(&cloud).map_err(|why| {
        Failure::usage(why).help(
            "`cacert` of the cloud in clouds.yaml, or `OS_CACERT`, names the file: its path is relative to where you \
             are",
        )
    })?;
    let session = Arc::new(Session::new(cloud, Arc::new(wire), PATIENCE));
    // Everything that is wrong with the cloud is reported before anything is created.
    let cloud = session.cloud();
    let whom = format!("the cloud `{}` at {}", cloud.name, cloud.auth_url);
    awaited(console, &whom, pin!(session.token())).await?.map_err(of_fault)?;
    Ok(session)
}

/// Checks that the cloud has all services that a target needs, and that they answer.
///
/// # Errors
/// The first service that is missing or does not answer.
pub(super) async fn services(session: &Session, target: &Deployment, console: &mut Console) -> Result<(), Failure> {
    let resources = target.resources();
    let given = resources.iter().filter_map(|(name, _)| target.given(name));
    let services = given.filter_map(|(ty, properties)| Some(driver::kind(ty)?.services(&properties)));
    let needed: BTreeSet<&'static str> = services.flatten().collect();
    for service in needed {
        let whom = format!("{service} of the cloud `{}`", session.cloud().name);
        awaited(console, &whom, pin!(session.reach(service))).await?.map_err(of_fault)?;
    }
    Ok(())
}

/// A failure, with the help if there is any.
fn failure(failure: Failure, help: Option<String>) -> Failure {
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

fn of_choice(error: CloudError) -> Failure {
    failure(Failure::usage(error.to_string()), error.help())
}

/// What a fault of a service means for a command.
pub(in crate::cli) fn of_fault(fault: Fault) -> Failure {
    failure(Failure::new(fault.to_string()), fault.help())
}
