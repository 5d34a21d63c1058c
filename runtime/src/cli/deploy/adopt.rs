//! `wattle adopt`: adopts existing cloud resources into a stack.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use wattle::lower::Seed;
use wattle::manners::Exit;
use wattle::model::Name;
use wattle::names::{meant, some};
use wattle::plan::{Found, Left};
use wattle::shown;
use wattle_converge::{Adopted, Known, Row, Target as _, Thing, Wanted};
use wattle_deploy::Deployment as Target;
use wattle_openstack::Session;
use wattle_openstack::driver::{Mark, OpenStack, Unfit};

use crate::cli::console::Console;
use crate::cli::error::{CommandError, exit_codes};
use crate::cli::{args, parameters, seed};
use crate::deploy::{Deployment, Identity, Through, standing};
use crate::openstack::TemplateSource;
use crate::space::Layout;

use super::cloud::of_fault;
use super::site::Site;
use super::{cloud, software, source, through};

/// The largest number of names in a message.
const LISTED: usize = 8;

pub(in crate::cli) fn command() -> Command {
    Command::new("adopt")
        .about("Take over what already exists in the cloud, as resources of an emitted blueprint")
        .arg(seed::directory_or_plain())
        .arg(
            Arg::new("things")
                .value_name("NAME=ID")
                .required(true)
                .num_args(1..)
                .help("Resource of the template, and the id of the thing in the cloud that becomes this resource"),
        )
        .arg(cloud::argument())
        .args(parameters::arguments())
        .args(args::data_space())
        .arg(args::credentials())
        .after_help(args::section(&[
            (
                "What it does",
                "  Records which thing in the cloud each resource is. Nothing changes in the cloud: `plan --cloud`
  and `deploy` say what would change, and `deploy` changes it, which makes the things the stack's
  own. Until then `destroy` leaves them as they are; afterwards it deletes them.
  Networks, subnets, ports, routers, security groups, floating IPs, volumes and servers can be
  taken over. What joins them is found automatically: interfaces of routers, associations of
  floating IPs, attachments of volumes. A server that runs components cannot be taken over, because
  their agent comes only with a server that is made for them.",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "all of them were taken over"),
                    (Exit::Failed, "it is not known whether they can be taken over"),
                    (Exit::Usage, "one of them cannot be taken over; nothing was written"),
                ]),
            ),
        ]))
}

pub(in crate::cli) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let mut work = seed::prepare_any(matches, crate::seed::judge, console).await?;
    if work.is_up() {
        return Err(CommandError::usage(format!("`{}` is up on this machine", work.directory.display()))
            .help("name another data space: `--space zookeeper+tls://HOST:PORT`"));
    }
    let (stack, key) = (work.stack(), work.options.key.clone());
    let source = source::source(&work, matches)?;
    if Deployment::through(&work.store, &stack, &key).await? == Some(Through::Heat) {
        return Err(CommandError::usage(format!(
            "`{stack}` was deployed through Heat, and only Heat knows what belongs to it"
        ))
        .help("Heat has `openstack stack adopt` for this"));
    }
    let target = through::target(&source, console)?;
    let pairs = pairs(matches, &target)?;
    let session = cloud::session(matches, console).await?;
    let rows = Deployment::rows(&work.store, &stack, &key).await?;
    // Errors are reported before anything is written.
    let driver = OpenStack::new(Arc::clone(&session), Mark::new(&stack));
    let there = standing(&rows);
    let fitting = fit(&pairs, &target, &work.seed, &there, &driver);
    let found = cloud::answered(&session, console, fitting).await??;
    if work.store.get(&Layout::new(&stack).revision()).await.map_err(CommandError::from)?.is_none() {
        work.apply().await?;
    }
    let site = Site::new(&work.store, &stack, &key, Arc::clone(&session)).await?;
    let driver = asker(&site, session).await?;
    let target = site.deployment.maker.make(&source.to_text()).map_err(CommandError::new)?;
    let mut things = Vec::new();
    let mut said = String::new();
    for (name, thing) in &found {
        let wanted = resolved(&*target, name, &found, &standing(&rows)).map_err(CommandError::new)?;
        let compared = driver.compared(&wanted.kind, &thing.phys, name, &wanted.properties).await.map_err(of_fault)?;
        let how = compared.differs.as_ref().map_or_else(String::new, |how| format!(": {how}"));
        said.push_str(&format!("`{name}` is taken over ({}, {}){how}\n", wanted.kind, thing.phys));
        things.push(Adopted { name: name.clone(), thing: thing.clone(), differs: compared.differs.map(Name::from) });
    }
    site.adopt(target, things).await?;
    console.out.write(&said)?;
    let directory = shown::path(work.directory.display());
    console.out.write(&format!("nothing has changed in the cloud yet; next: `wattle deploy {directory}`\n"))?;
    Ok(Exit::Fine)
}

/// The driver that queries the cloud for the deployment of a site.
async fn asker(site: &Site, session: Arc<Session>) -> Result<OpenStack, CommandError> {
    let Deployment { store, stack, key, .. } = &site.deployment;
    let identity = Identity::of(store, stack, key).await?;
    Ok(OpenStack::new(session, Mark::new(&identity.mark)))
}

/// The requested pairs of target resources and ids.
fn pairs(matches: &ArgMatches, target: &Target) -> Result<Vec<(Name, String)>, CommandError> {
    let names: Vec<Name> = target.resources().into_iter().map(|(name, _)| name).collect();
    let mut pairs: Vec<(Name, String)> = Vec::new();
    for text in matches.get_many::<String>("things").into_iter().flatten() {
        let Some((name, id)) = text.split_once('=').filter(|(name, id)| !name.is_empty() && !id.is_empty()) else {
            return Err(CommandError::usage(format!("`{text}` is not NAME=ID")).help("write `web-port=ID`"));
        };
        let Some(name) = names.iter().find(|known| &***known == name) else {
            let known = || names.iter().map(|name| &**name);
            let help = meant(name, known()).unwrap_or_else(|| format!("there are {}", some(known(), LISTED)));
            return Err(CommandError::usage(format!("the template has no resource `{name}`")).help(help));
        };
        if let Some((other, _)) = pairs.iter().find(|(known, given)| known == name || given == id) {
            return Err(CommandError::usage(if other == name {
                format!("`{name}` is given twice")
            } else {
                format!("`{other}` and `{name}` cannot both be {id}")
            }));
        }
        pairs.push((name.clone(), id.to_owned()));
    }
    Ok(pairs)
}

/// The things with these ids, if each of them matches its resource.
async fn fit(
    pairs: &[(Name, String)],
    target: &Target,
    seed: &Seed,
    there: &BTreeMap<Name, Thing>,
    driver: &OpenStack,
) -> Result<BTreeMap<Name, Thing>, CommandError> {
    let mut found = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, id) in pairs {
        let ty = target.written(name).map(|(ty, _)| ty).unwrap_or_default();
        if let Some(thing) = there.get(name) {
            let help = "`wattle deploy` changes it, and replaces it where it must";
            wrong.push((format!("`{name}` already exists: {}", thing.phys), help.to_owned()));
            continue;
        }
        if seed.servers.contains_key(&software::own(name)) {
            let help = "the agent comes with a server that is made for it: let `wattle deploy` make this one";
            wrong.push((format!("`{name}` runs components, and {id} has no agent"), help.to_owned()));
            continue;
        }
        match driver.existing(ty, id).await {
            Ok(thing) => drop(found.insert(name.clone(), thing)),
            Err(Unfit::Unknown(fault)) => return Err(of_fault(*fault)),
            Err(unfit) => wrong.push(why(unfit, name, ty, id)),
        }
    }
    // References to something that is missing here are judged only once that is fixed.
    if wrong.is_empty() {
        for (name, thing) in &found {
            match resolved(target, name, &found, there) {
                Err(why) => {
                    wrong.push((why, "what it refers to must exist too: adopt both together".to_owned()));
                }
                Ok(wanted) => {
                    let compared = driver.compared(&wanted.kind, &thing.phys, name, &wanted.properties).await;
                    if let Some(how) = compared.map_err(of_fault)?.cannot_be {
                        let help = "change the blueprint to match it, and emit again; or let `wattle deploy` make a \
                                    new one";
                        wrong.push((format!("{} cannot become `{name}`: {how}", thing.phys), help.to_owned()));
                    }
                }
            }
        }
    }
    let count = wrong.len();
    let mut all = wrong.into_iter();
    match (all.next(), count) {
        (None, _) => Ok(found),
        (Some((what, help)), 1) => Err(CommandError::usage(what).help(help)),
        (first, count) => {
            let failure = CommandError::usage(format!("{count} things are wrong, and nothing was taken over"));
            Err(first
                .into_iter()
                .chain(all)
                .fold(failure, |failure, (what, help)| failure.note(format!("{what}; {help}"))))
        }
    }
}

/// Why a thing cannot be adopted, and what to do.
fn why(unfit: Unfit, name: &Name, ty: &str, id: &str) -> (String, String) {
    let ties = ["Attachment", "Association", "RouterInterface"];
    match unfit {
        Unfit::Type if ties.iter().any(|tie| ty.ends_with(tie)) => (
            format!("`{name}` ({ty}) is not a thing of its own, and has no id"),
            "leave it out: `wattle deploy` finds what is already joined".to_owned(),
        ),
        Unfit::Type => (
            format!("`{name}` ({ty}) cannot be taken over: it has no place for the name of its owner"),
            "leave it out: `wattle deploy` makes one".to_owned(),
        ),
        Unfit::Missing => (
            format!("the project has nothing with the id `{id}` that could be `{name}` ({ty})"),
            "give an id, not a name: `openstack ... list` shows it".to_owned(),
        ),
        Unfit::AnotherType(other) => (
            format!("`{name}` is {ty}, and {id} is {other}"),
            "give the id of another thing, or the name of another resource".to_owned(),
        ),
        Unfit::Marked(deployment) => (
            format!("{id} already belongs to the deployment `{deployment}`"),
            "destroying that deployment deletes it: take it out there first".to_owned(),
        ),
        Unfit::Busy => {
            (format!("another operation on {id} is in progress"), "try again once that has ended".to_owned())
        }
        Unfit::Broken(why) => {
            (format!("{id} is broken: {why}"), "repair it first, or let `wattle deploy` make a new one".to_owned())
        }
        Unfit::Unknown(fault) => (fault.to_string(), "try again".to_owned()),
    }
}

/// The resolved request for a resource if these things exist.
fn resolved(
    target: &dyn wattle_converge::Target,
    name: &Name,
    adopted: &BTreeMap<Name, Thing>,
    there: &BTreeMap<Name, Thing>,
) -> Result<Wanted, String> {
    let known = |name: &str| adopted.get(name).or_else(|| there.get(name));
    let missing = |why: String| format!("cannot determine the properties of `{name}`: {why}");
    target.resolve(name, &Known::new(&known)).map_err(missing)
}

/// What happens to things that were adopted and not deployed yet, if `after` is deployed.
///
/// # Errors
/// The cloud does not respond.
pub(super) async fn found(
    site: &Site,
    rows: &[Row],
    after: &TemplateSource,
    session: &Arc<Session>,
) -> Result<Vec<Found>, CommandError> {
    let adopted: Vec<&Row> = rows.iter().filter(|row| row.adopted).collect();
    let Some(target) = site.deployment.maker.make(&after.to_text()).ok().filter(|_| !adopted.is_empty()) else {
        return Ok(Vec::new());
    };
    let driver = asker(site, Arc::clone(session)).await?;
    let names: BTreeSet<Name> = target.resources().into_iter().map(|(name, _)| name).collect();
    let there = standing(rows);
    let mut all = Vec::new();
    for row in adopted {
        let Some(thing) = &row.thing else { continue };
        let found = |left, how: String| Found { name: row.name.clone(), left, how };
        if !names.contains(&row.name) {
            all.push(found(Left::Adopted, "was taken over, and is no longer in the template".to_owned()));
            continue;
        }
        let Ok(wanted) = resolved(&*target, &row.name, &BTreeMap::new(), &there) else {
            all.push(found(Left::Adopted, "was taken over".to_owned()));
            continue;
        };
        let compared =
            driver.compared(&row.kind, &thing.phys, &row.name, &wanted.properties).await.map_err(of_fault)?;
        let differs = |how: Option<String>| how.map_or_else(String::new, |how| format!(", and differs: {how}"));
        all.push(if wanted.may_be(row) {
            found(Left::Adopted, format!("was taken over{}", differs(compared.differs)))
        } else {
            let how = compared.cannot_be.or(compared.differs);
            found(Left::Unfit, format!("was taken over, and has to be replaced{}", differs(how)))
        });
    }
    Ok(all)
}
