//! `wattle logs --console`: shows the console output of a server in the cloud, as long as no agent reports for it.

use clap::ArgMatches;
use serde_json::json;
use wattle::model::Name;
use wattle::names::{meant, some};
use wattle::shown::on_terminal;
use wattle_openstack::Method;
use wattle_openstack::session::Call;

use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::target;

use super::site::Site;
use super::{cloud, software};

/// Shows the last `lines` lines of the console of `server`.
pub(in crate::cli) async fn run(
    server: &str,
    lines: usize,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    let target = target::find_deployed(matches, console)?;
    let (space, key) = target.operated(console).await?;
    let session = cloud::session(matches, console).await?;
    let stack = space.layout().stack().to_owned();
    let site = Site::new(space.store(), &stack, &key, session.clone()).await?;
    let things = site.machines().await?;
    let is_meant = |name: &Name| **name == *server || *software::own(name) == *server;
    let Some((_, phys)) = things.iter().find(|(name, _)| is_meant(name)) else {
        let failure = match things.len() {
            0 => CommandError::new(format!("`{stack}` has no server in the cloud `{}`", session.cloud().name)),
            _ => CommandError::new(format!("`{stack}` has no server `{server}`"))
                .note(format!("there is {}", some(things.keys().map(|name| &**name), 10))),
        };
        return Err(failure.help_if(meant(server, things.keys().map(|name| &**name))));
    };
    let call = Call::new("compute", Method::Post, format!("/servers/{phys}/action"));
    let asked = session.call(call.body(json!({ "os-getConsoleOutput": { "length": lines } })));
    let answer = cloud::answered(&session, console, asked).await?.map_err(cloud::of_fault)?;
    let text = answer["output"].as_str().unwrap_or_default();
    if text.trim().is_empty() {
        console.err.write(&format!("`{server}` has written nothing to its console\n"))?;
        return Ok(Exit::Fine);
    }
    // A serial console ends lines as a terminal does.
    let text = on_terminal(&text.replace("\r\n", "\n"), console.out.color);
    console.out.write(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Fine)
}
