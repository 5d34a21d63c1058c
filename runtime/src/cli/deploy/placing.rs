//! Places the servers of a stack before it is planned or deployed. Running servers stay where they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::manners::{read, reason};
use wattle::model::{Diagnostic, Resource, Value};
use wattle::names::some;
use wattle::plan::State;
use wattle::view::{self, Format};
use wattle_openstack::Session;
use wattle_openstack::hosts::{Stands, stands};
use wattle_place::template::{Placed, Runs};

use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::placement::{self, Beside, Described, Template};
use crate::cli::seed::Work;
use crate::openstack::TemplateSource;

use super::cloud::{answered, of_fault};
use super::site::Site;

/// The prefix of the names of server groups that placements add.
const ADDED: &str = "wattle_";

/// The options.
pub(in crate::cli) fn arguments() -> [Arg; 4] {
    let with_hosts = |arg: Arg| arg.requires("hosts");
    [
        placement::hosts().help(
            "Choose hosts for all servers together, but leave running servers where they are: a hosts file, as `wattle \
             hosts` writes it, or the output of `openstack hypervisor list --long -f json`",
        ),
        with_hosts(placement::flavors()),
        with_hosts(placement::admin()),
        with_hosts(
            args::flag(
                "move",
                "Let running servers move, as far as it is known where they run: each that moves is created again",
            )
            .requires("admin"),
        ),
    ]
}

/// The deployment target, if it is queried.
pub(in crate::cli) struct Ground<'g> {
    pub(in crate::cli) site: Option<&'g Site>,
    pub(in crate::cli) session: &'g Session,
}

/// Places the servers, if a hosts file is given. The template of `work` and of `source` is then the placed one.
///
/// # Errors
/// Everything that is wrong with the hosts or the policies, or why there is no placement. It has been shown.
pub(in crate::cli) async fn place(
    work: &mut Work,
    source: &mut TemplateSource,
    before: Option<&State>,
    ground: Option<Ground<'_>>,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Option<Placed>, CommandError> {
    let mut texts = BTreeMap::new();
    let described = Described::read(matches, |path, what| {
        let name = path.display().to_string();
        let text: Arc<str> = read(path)
            .map_err(|error| CommandError::usage(format!("cannot read {what} `{name}`: {}", reason(&error))))?
            .into();
        texts.insert(name.clone(), Arc::clone(&text));
        Ok((name, text))
    })?;
    let Some(described) = described else { return Ok(None) };
    let beside = Beside::of(&work.seed);
    let template = Template {
        loaded: &source.loaded(),
        text: &|file| source.files.get(file).cloned(),
        beside: &beside,
        runs: &running(before, ground, console).await?,
        moves: matches.get_flag("move"),
    };
    let found = described.place(&template, matches);
    let text = |name: &str| {
        let known = || source.files.get(name).map(|text| text.as_str().into());
        texts.get(name).cloned().or_else(known)
    };
    let show = |found: &[Diagnostic], console: &mut Console| {
        console.err.write(&view::render(found, Format::Full, &text, &console.err.options()))
    };
    match found {
        Ok(placed) => {
            show(&placed.warnings, console)?;
            for (file, text) in &placed.files {
                source.files.insert(file.clone(), text.clone());
                work.options.files.templates.insert(file.clone(), text.clone());
            }
            if let Some(diagram) = &mut work.options.files.diagram
                && let Some(drawn) = placement::drawn(diagram, &placed, &beside)
            {
                source.diagram = Some(drawn.clone());
                *diagram = drawn;
            }
            Ok(Some(placed))
        }
        Err(wrong) => {
            show(&wrong, console)?;
            Err(CommandError::new(format!("the servers of `{}` were not placed, and nothing was done", work.stack())))
        }
    }
}

/// Shows the placement of each server, with notes.
pub(in crate::cli) fn show(placed: &Placed, console: &mut Console) -> Result<(), CommandError> {
    let shown = placement::places(&placed.servers, &console.out);
    console.out.write(&format!("{shown}\n"))?;
    console.err.write(&placement::said(placed))
}

/// Reports servers that were placed, and are replaced because they no longer are.
pub(in crate::cli) fn forgotten(
    before: Option<&State>,
    after: &State,
    console: &mut Console,
) -> Result<(), CommandError> {
    let (Some(before), after) = (before.map(asked), asked(after)) else { return Ok(()) };
    let is_forgotten = |(name, runs): &(&String, &Runs)| {
        runs.asked.as_ref().is_some_and(|zone| zone.contains(':'))
            && after.get(*name).is_some_and(|now| now.asked.is_none())
    };
    let names: Vec<&str> = before.iter().filter(is_forgotten).map(|(name, _)| &**name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let words = if names.len() == 1 { ["was", "it", "it runs"] } else { ["were", "them", "they run"] };
    let ([was, them, runs], names) = (words, some(names.iter().copied(), 6));
    console.err.write(&format!("{names} {was} placed on hosts before: `--hosts FILE` leaves {them} where {runs}\n"))
}

/// The running servers: from the cloud, if it is queried; otherwise from the deployed state.
async fn running(
    before: Option<&State>,
    ground: Option<Ground<'_>>,
    console: &mut Console,
) -> Result<BTreeMap<String, Runs>, CommandError> {
    let mut asked = before.map(asked).unwrap_or_default();
    let Some(Ground { site, session }) = ground else {
        for runs in asked.values_mut() {
            let zone = runs.asked.as_deref().unwrap_or_default();
            let (zone, host) = zone.split_once(':').unwrap_or((zone, ""));
            let is_said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            (runs.zone, runs.host) = (is_said(zone), is_said(host.split(':').next().unwrap_or(host)));
        }
        return Ok(asked);
    };
    let Some(site) = site else { return Ok(BTreeMap::new()) };
    let things = site.deployment.things(Resource::SERVER).await?;
    if things.is_empty() {
        return Ok(BTreeMap::new());
    }
    let stands = answered(session, console, stands(session)).await?.map_err(of_fault)?;
    let runs = things.into_iter().filter_map(|(name, phys)| {
        let Stands { host, zone } = stands.get(&*phys)?.clone();
        let known = asked.remove(&*name).unwrap_or_default();
        Some((name.to_string(), Runs { host, zone, ..known }))
    });
    Ok(runs.collect())
}

/// The properties with which servers were created, as far as a placement may have set them.
fn asked(before: &State) -> BTreeMap<String, Runs> {
    let desired = before.asked_for();
    let group = |name: &str| {
        let group = desired.resources.get(name)?;
        let own = name.rsplit('/').next().filter(|own| own.starts_with(ADDED))?;
        match group.property("policies").to_model() {
            Value::List(policies) => Some((own.to_owned(), policies.first()?.as_str()?.to_owned())),
            _ => None,
        }
    };
    let servers = desired.resources.iter().filter(|(_, one)| one.made_by() == Resource::SERVER);
    let runs = servers.map(|(name, one)| {
        let zone = one.property("availability_zone");
        let hints = one.property("scheduler_hints").to_model();
        let named = match &hints {
            Value::Map(hints) => hints.get("group"),
            _ => None,
        };
        let named = match named {
            Some(Value::Map(call)) => call.get("get_resource").and_then(Value::as_str),
            _ => None,
        };
        let asked = zone.as_text().filter(|zone| !zone.is_empty()).map(str::to_owned);
        (name.clone(), Runs { asked, group: named.and_then(group), ..Runs::default() })
    });
    runs.collect()
}
