//! The image, flavor and network that a data space runs on: the user's choice, or a default from the cloud.

use clap::{Arg, ArgMatches};
use serde_json::Value;
use wattle::names::{list, meant, some};
use wattle_openstack::session::Call;
use wattle_openstack::{Method, Session};

use crate::cli::deploy::cloud::of_fault;
use crate::cli::error::CommandError;
use crate::ensemble::{Ground, Network};

/// The memory that a member needs, in MiB: ZooKeeper's heap and the rest of a small server.
const MEMORY: u64 = 1_024;

pub(super) fn options() -> [Arg; 5] {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("NAME").help(help);
    [
        option("image", "Image with Debian 12 or with its packages. Defaults to the newest image of that name"),
        option(
            "flavor",
            "Flavor of a member. Defaults to the smallest with at least 1 GiB of memory and 4 GiB of disk",
        ),
        option("network", "Network on which operators and servers find the members. Without it, they get floating IPs"),
        option("external", "External network of the floating IPs. Defaults to the only one in the cloud")
            .conflicts_with("network"),
        option("key-name", "Key pair with which to log in to the members"),
    ]
}

/// The value of an option on the command line.
fn said<'m>(matches: &'m ArgMatches, name: &str) -> Option<&'m String> {
    matches.try_get_one::<String>(name).ok().flatten()
}

/// Whether the command line sets any of this.
pub(super) fn is_said(matches: &ArgMatches) -> bool {
    ["image", "flavor", "network", "external", "key-name"].iter().any(|name| said(matches, name).is_some())
}

/// Chooses what it will run on. Also returns the name of the image, which has an id if nobody has named it.
pub(super) async fn choose(matches: &ArgMatches, session: &Session) -> Result<(Ground, String), CommandError> {
    let (image, image_name) = match said(matches, "image") {
        Some(image) => {
            judge("image", image, &listed(session, "image", "/images?status=active", "images").await?)?;
            (image.clone(), image.clone())
        }
        None => image(session).await?,
    };
    let flavor = match said(matches, "flavor") {
        Some(flavor) => {
            judge("flavor", flavor, &listed(session, "compute", "/flavors/detail", "flavors").await?)?;
            flavor.clone()
        }
        None => flavor(session).await?,
    };
    let network = match (said(matches, "network"), said(matches, "external")) {
        (Some(network), _) => Network::There(network.clone()),
        (None, Some(external)) => Network::Floating(external.clone()),
        (None, None) => Network::Floating(external(session).await?),
    };
    let (Network::There(name) | Network::Floating(name)) = &network;
    judge("network", name, &listed(session, "network", "/networks", "networks").await?)?;
    Ok((Ground { image, flavor, network, key_name: said(matches, "key-name").cloned() }, image_name))
}

/// Checks that one of these has this name or id.
fn judge(what: &str, given: &str, known: &[Value]) -> Result<(), CommandError> {
    if known.iter().any(|one| one["name"] == given || one["id"] == given) {
        return Ok(());
    }
    let names = || known.iter().filter_map(|one| one["name"].as_str());
    let refused = CommandError::usage(format!("the cloud has no {what} `{given}`")).help_if(meant(given, names()));
    Err(if known.is_empty() { refused } else { refused.note(format!("it has {}", some(names(), 6))) })
}

async fn listed(session: &Session, service: &'static str, path: &str, key: &str) -> Result<Vec<Value>, CommandError> {
    session.list(Call::new(service, Method::Get, path), key).await.map_err(of_fault)
}

/// The newest image of Debian 12.
async fn image(session: &Session) -> Result<(String, String), CommandError> {
    let images = listed(session, "image", "/images?status=active&sort=created_at:desc", "images").await?;
    let is_it = |image: &&Value| {
        let name = image["name"].as_str().unwrap_or_default().to_lowercase();
        name.contains("debian") && (name.contains("12") || name.contains("bookworm"))
    };
    let text = |image: &Value, key: &str| image[key].as_str().map(str::to_owned);
    let found = images.iter().find(is_it).and_then(|image| Some((text(image, "id")?, text(image, "name")?)));
    found.ok_or_else(|| CommandError::usage("the cloud has no image named Debian 12").help("name one: `--image NAME`"))
}

/// The smallest flavor that is large enough for a member.
async fn flavor(session: &Session) -> Result<String, CommandError> {
    let flavors = listed(session, "compute", "/flavors/detail", "flavors").await?;
    let size = |flavor: &Value, key: &str| flavor[key].as_u64().unwrap_or(u64::MAX);
    // Flavors without a disk use the image's size, or have too little for anything.
    let fits = flavors.iter().filter(|flavor| size(flavor, "ram") >= MEMORY && size(flavor, "disk") >= 4);
    let found = fits.min_by_key(|flavor| (size(flavor, "ram"), size(flavor, "vcpus"), size(flavor, "disk")));
    let found = found.and_then(|flavor| flavor["name"].as_str());
    found.map(str::to_owned).ok_or_else(|| {
        CommandError::usage(format!("the cloud has no flavor with {MEMORY} MiB of memory and a disk of 4 GiB"))
            .help("name one: `--flavor NAME`")
    })
}

/// The only external network.
async fn external(session: &Session) -> Result<String, CommandError> {
    let networks = listed(session, "network", "/networks?router:external=true", "networks").await?;
    let names: Vec<&str> = networks.iter().filter_map(|network| network["name"].as_str()).collect();
    match names[..] {
        [one] => Ok(one.to_owned()),
        [] => Err(CommandError::usage("the cloud has no external network from which members could get floating IPs")
            .help("name the network on which operators and servers find them: `--network NAME`")),
        _ => Err(CommandError::usage("the cloud has several external networks")
            .note(format!("they are {}", list(names, "and")))
            .help("name the one for the floating IPs: `--external NAME`")
            .help("or the network on which operators and servers find the members: `--network NAME`")),
    }
}
