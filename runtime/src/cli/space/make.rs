//! Deploys and deletes a data space.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde_json::Value;
use wattle::model::Name;
use wattle::shown::{self, argument as quoted};
use wattle_converge::{Cleanup, OnFailure};
use wattle_openstack::session::Call;
use wattle_openstack::{Method, Session};

use crate::cli::console::Console;
use crate::cli::deploy::cloud::{self, of_fault};
use crate::cli::deploy::site::{Brought, Site};
use crate::cli::error::{CommandError, Exit};
use crate::cli::question::agreed;
use crate::cli::signals::Signals;
use crate::deploy::Wanted;
use crate::ensemble::{self, Ground, MEMBERS, Member, Network, STACK};
use crate::openstack::TemplateSource;
use crate::store::{Address, Authority, Encryption};

use super::folder::{Home, Opened};
use super::ground;

/// How long members may take to get into service once their servers exist. They have to boot and install packages.
const PATIENCE: Duration = Duration::from_mins(20);

/// How often to query them.
const PAUSE: Duration = Duration::from_secs(2);

/// Deploys it, or continues to.
pub(in crate::cli) async fn make(
    home: &Home,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    home.judge(matches)?;
    let known = home.ground()?;
    if known.is_some() && ground::is_said(matches) {
        let folder = shown::path(home.path().display());
        return Err(CommandError::usage(format!("what the data space in `{folder}` runs on was chosen before"))
            .note("other servers would start without anything that these hold")
            .help(format!("leave out these options, or delete it first: `wattle space destroy {folder}`")));
    }
    if let Some(address) = home.address()? {
        console.err.write(&format!("the data space in `{}` is at {address}\n", home.path().display()))?;
        return Ok(Exit::Fine);
    }
    let session = cloud::session(matches, console).await?;
    let (ground, image) = match known {
        Some(ground) => (ground.clone(), ground.image),
        None => cloud::answered(&session, console, ground::choose(matches, &session)).await??,
    };
    console.err.write(&format!("{}\n", said(&ground, &image, &session.cloud().name)))?;
    if !agreed(matches, "make it", console).await? {
        return Err(CommandError::new("nothing was made"));
    }
    let _lock = home.begin(&ground)?;
    // From now on, signals only reach this code, so that the process does not end in the middle of a change.
    let mut signals = Signals::listen()?;
    let opened = home.open().await?;
    let brought = bring(home, &ground, &opened, &session, &mut signals, console).await;
    opened.close().await?;
    if brought? {
        return Ok(Exit::Fine);
    }
    let folder = shown::path(home.path().display());
    console.err.write(&format!("not done, and nothing is lost: `wattle space new {folder}` continues\n"))?;
    Ok(Exit::Failed)
}

/// The result of `work`; `None` if the process is interrupted first.
async fn unless_ended<T>(
    signals: &mut Signals,
    work: impl Future<Output = Result<T, CommandError>>,
) -> Result<Option<T>, CommandError> {
    tokio::select! {
        // Finished work counts even if interrupted.
        biased;
        done = work => done.map(Some),
        () = signals.end() => Ok(None),
    }
}

/// What is about to be created.
fn said(ground: &Ground, image: &str, cloud: &str) -> String {
    let Ground { flavor, network, .. } = ground;
    let network = match network {
        Network::There(network) => format!("on the network `{network}`"),
        Network::Floating(external) => format!("with floating IPs of `{external}`"),
    };
    format!(
        "a data space: {MEMBERS} servers of the flavor `{flavor}` and the image `{image}` in the cloud `{cloud}`, {network}"
    )
}

/// Deploys it, and returns whether it is in service.
async fn bring(
    home: &Home,
    ground: &Ground,
    opened: &Opened,
    session: &Arc<Session>,
    signals: &mut Signals,
    console: &mut Console,
) -> Result<bool, CommandError> {
    let site = Site::new(&opened.store, STACK, &opened.key, Arc::clone(session));
    let Some(site) = unless_ended(signals, site).await? else { return Ok(false) };
    // From here on, the cloud may contain resources that are recorded only here.
    home.note_cloud(Some(opened.identity().await?))?;
    // Certificates are for addresses, so the addresses are created first, without servers. Once there are servers, that
    // would delete them.
    let has_servers = !site.deployment.things("OS::Nova::Server").await?.is_empty();
    if !has_servers && !is_there(&site, ensemble::template(ground, &[]), console).await? {
        return Ok(false);
    }
    let Some(members) = unless_ended(signals, members(&site, session)).await? else { return Ok(false) };
    let (authority, file) = home.authority()?;
    let user_data = (1..).zip(&members).map(|(number, member)| {
        let issued = home.issued(number, member)?;
        Ok(ensemble::user_data(number, &members, &issued, &authority))
    });
    let user_data: Vec<String> = user_data.collect::<Result<_, CommandError>>()?;
    if !is_there(&site, ensemble::template(ground, &user_data), console).await? {
        return Ok(false);
    }
    let hosts = ensemble::hosts(&members);
    let address = Address::ZooKeeper { hosts, encryption: Encryption::Tls(Authority::File(file)) };
    console.err.write("the servers boot and install ZooKeeper; this takes minutes ...\n")?;
    if unless_ended(signals, serves(&address, opened)).await?.is_none() {
        return Ok(false);
    }
    home.serves(&address)?;
    console.err.write(&format!(
        "the data space is up. Commands find it with `--space new` in this folder, or anywhere with\n  export \
         WATTLE_SPACE={}\n",
        quoted(&address)
    ))?;
    Ok(true)
}

async fn is_there(site: &Site, template: String, console: &mut Console) -> Result<bool, CommandError> {
    let source = TemplateSource {
        template: "template.yaml".to_owned(),
        files: [("template.yaml".to_owned(), template)].into_iter().collect(),
        stack: STACK.to_owned(),
        ..TemplateSource::default()
    };
    let wanted = Wanted::Deploy {
        source: source.to_text(),
        on_failure: OnFailure::Stop,
        cleanup: Cleanup::Last,
        corrects: false,
        deadline: None,
    };
    Ok(matches!(site.bring(&wanted, console).await?, Brought::Done))
}

/// The members' addresses, as assigned by the cloud.
async fn members(site: &Site, session: &Session) -> Result<Vec<Member>, CommandError> {
    let ports = site.deployment.things("OS::Neutron::Port").await?;
    let floating = site.deployment.things("OS::Neutron::FloatingIP").await?;
    let mut members = Vec::new();
    for number in 1..=MEMBERS {
        let port = shown(session, &ports, &ensemble::port(number), "/ports", "port").await?;
        let address = address(&port["fixed_ips"][0]["ip_address"])?;
        let name = ensemble::floating(number);
        let floating = if floating.contains_key(&*name) {
            let shown = shown(session, &floating, &name, "/floatingips", "floatingip").await?;
            Some(self::address(&shown["floating_ip_address"])?)
        } else {
            None
        };
        members.push(Member { address, floating });
    }
    Ok(members)
}

/// The cloud's description of a resource.
async fn shown(
    session: &Session,
    things: &BTreeMap<Name, Name>,
    name: &str,
    path: &str,
    key: &str,
) -> Result<Value, CommandError> {
    let id = things.get(name).ok_or_else(|| CommandError::new(format!("`{name}` no longer exists")))?;
    let said = session.call(Call::new("network", Method::Get, format!("{path}/{id}"))).await.map_err(of_fault)?;
    Ok(said[key].clone())
}

fn address(value: &Value) -> Result<IpAddr, CommandError> {
    let address = value.as_str().and_then(|text| text.parse().ok());
    address.ok_or_else(|| CommandError::new("the cloud gave a port no address"))
}

/// Waits until the members are in service.
async fn serves(address: &Address, opened: &Opened) -> Result<(), CommandError> {
    let (began, logins) = (Instant::now(), [opened.key.login()]);
    loop {
        match tokio::time::timeout(PAUSE * 5, address.connect(&logins)).await {
            Ok(Ok(_)) => return Ok(()),
            _ if began.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
            _ => {
                return Err(CommandError::new(format!(
                    "nothing answers at {address} after {} minutes",
                    PATIENCE.as_secs() / 60
                ))
                .help("look at the servers' consoles: `openstack console log show wattle-space-...-zookeeper1`")
                .help("they need their distribution's packages, and port 2281 has to be reachable from here")
                .help("the same command continues to wait"));
            }
        }
    }
}

/// Deletes it.
pub(super) async fn destroy(home: &Home, matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    home.judge(matches)?;
    if home.made()?.is_none() {
        return Err(home.is_none());
    }
    let session = cloud::session(matches, console).await?;
    let what = format!(
        "delete the servers of the data space in `{}` in the cloud `{}`, with everything that it holds",
        home.path().display(),
        session.cloud().name
    );
    if !agreed(matches, &what, console).await? {
        return Err(CommandError::new("nothing was deleted"));
    }
    let _lock = home.claim()?;
    let mut signals = Signals::listen()?;
    let opened = home.open().await?;
    let brought = async {
        let site = Site::new(&opened.store, STACK, &opened.key, Arc::clone(&session));
        match unless_ended(&mut signals, site).await? {
            Some(site) => site.bring(&Wanted::Nothing, console).await,
            None => Ok(Brought::Ended),
        }
    };
    let brought = brought.await;
    opened.close().await?;
    let folder = home.path().display();
    match brought? {
        Brought::Done => {
            if home.remove()? {
                console.err.write(&format!("`{folder}` has other files, which `space new` did not make\n"))?;
            }
            console.out.write("the data space is gone\n")?;
            Ok(Exit::Fine)
        }
        Brought::Ended | Brought::Failed | Brought::WentBack => {
            let folder = shown::path(folder);
            console.err.write(&format!("not done: `wattle space destroy {folder}` continues\n"))?;
            Ok(Exit::Failed)
        }
    }
}
