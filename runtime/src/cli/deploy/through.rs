//! Chooses what deploys the infrastructure of a stack: wattle itself, or Heat.

use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::check::Severity;
use wattle::model::Diagnostic;
use wattle::view::{self, Format};
use wattle_deploy::Deployment as Target;
use wattle_openstack::Session;
use wattle_openstack::orchestration::Orchestration;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::seed::Work;
use crate::deploy::{Deployment, Through};
use crate::openstack::{TemplateSource, Templates};

use super::{cloud, heat};

/// The option for this choice.
pub(super) fn argument() -> Arg {
    Arg::new("through").long("through").value_name("WHO").value_parser(["wattle", "heat"]).help(
        "Deploy with wattle itself, or through the cloud's Heat. Defaults to how the stack was deployed before; a new \
         stack is deployed by wattle, or by Heat if it needs what only Heat does",
    )
}

/// The choice, and the cloud.
pub(super) struct Chosen {
    /// The cloud to use.
    pub(super) session: Arc<Session>,
    /// The target, if wattle deploys it; `None` if Heat does.
    pub(super) target: Option<Target>,
}

/// Chooses, and logs in to the cloud. Reports every detectable error before anything is created.
///
/// # Errors
/// What is wrong with the template, the cloud, or the choice.
pub(super) async fn choose(
    work: &Work,
    source: &TemplateSource,
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Chosen, CommandError> {
    let before = Deployment::through(&work.store, &work.stack(), &work.options.key).await?;
    let asked = matches.get_one::<String>("through").map(|who| match who.as_str() {
        "heat" => Through::Heat,
        _ => Through::Wattle,
    });
    if let (Some(asked), Some(before)) = (asked, before)
        && asked != before
    {
        return Err(stays(&work.stack(), before));
    }
    let through = asked.or(before);
    if through != Some(Through::Heat) {
        let Judged { wrong, target } = Judged::of(source);
        let refused = match target {
            Ok(target) => {
                right(source, &wrong, console)?;
                let session = cloud::session(matches, console).await?;
                cloud::services(&session, &target, console).await?;
                return Ok(Chosen { session, target: Some(target) });
            }
            Err(refused) => refused,
        };
        match (through, before) {
            (Some(_), None) => return Err(say(source, &refused, wrong, console)?),
            (Some(_), Some(_)) => return Err(say(source, &refused, wrong, console)?.note(TAKES_NOTHING_OVER)),
            (None, _) => {}
        }
        let session = cloud::session(matches, console).await?;
        if let Err(fault) = cloud::answered(&session, console, Orchestration::is_there(&session)).await? {
            return Err(say(source, &refused, wrong, console)?.note(format!("Heat cannot do it either: {fault}")));
        }
        let text = format!(
            "{} in `{}` can only be done by Heat, so Heat deploys it\n",
            things(refused.len()),
            source.template
        );
        console.err.write(&text)?;
    }
    let session = cloud::session(matches, console).await?;
    let is_known = before.is_some();
    let judged = through_heat(work, source, &session, is_known, matches);
    cloud::answered(&session, console, judged).await??;
    Ok(Chosen { session, target: None })
}

/// The verdict on a template.
struct Judged {
    /// Everything that Heat would refuse with the given values. It is an error without Heat, too, or would have another
    /// meaning.
    wrong: Vec<Diagnostic>,
    /// The target, or everything that cannot be deployed without Heat.
    target: Result<Target, Vec<Diagnostic>>,
}

impl Judged {
    fn of(source: &TemplateSource) -> Self {
        let loaded = source.loaded();
        let wrong = wattle_hot::check(&loaded).into_iter().filter(|found| found.severity == Severity::Error).collect();
        Self { wrong, target: Templates::default().target_of(loaded) }
    }
}

/// The target of a template, if the template is valid and wattle deploys it itself.
///
/// # Errors
/// The errors in it, which have been shown.
pub(super) fn target(source: &TemplateSource, console: &mut Console) -> Result<Target, CommandError> {
    let Judged { wrong, target } = Judged::of(source);
    match target {
        Ok(target) => right(source, &wrong, console).map(|()| target),
        Err(refused) => Err(say(source, &refused, wrong, console)?),
    }
}

/// Fails if there are errors.
fn right(source: &TemplateSource, wrong: &[Diagnostic], console: &mut Console) -> Result<(), CommandError> {
    if wrong.is_empty() {
        return Ok(());
    }
    show(source, wrong, console)?;
    Err(CommandError::usage(format!("{} in `{}`, and nothing was done", wrongs(wrong.len()), source.template)))
}

/// Why an existing stack stays with whatever created it.
const TAKES_NOTHING_OVER: &str =
    "it was deployed without Heat, and Heat cannot take it over: `wattle destroy` removes it";

/// Checks that Heat can deploy it.
async fn through_heat(
    work: &Work,
    source: &TemplateSource,
    session: &Arc<Session>,
    is_known: bool,
    matches: &ArgMatches,
) -> Result<(), CommandError> {
    Orchestration::is_there(session).await.map_err(cloud::of_fault)?;
    if matches.get_flag("correct") {
        return Err(CommandError::usage("Heat corrects nothing by itself")
            .help("leave out `--correct`, and use `wattle drift`"));
    }
    if matches.get_one::<String>("cleanup").is_some_and(|when| when == "early") {
        return Err(
            CommandError::usage("Heat deletes what is replaced last of all").help("leave out `--cleanup early`")
        );
    }
    // The data space tells whether the stack belongs to the deployment, so its mark is not needed yet.
    let orchestration = Orchestration::new(Arc::clone(session), &work.stack(), &work.stack());
    heat::judge(&orchestration, source, is_known).await
}

fn stays(stack: &str, before: Through) -> CommandError {
    let how = match before {
        Through::Heat => "through Heat",
        Through::Wattle => "without Heat",
    };
    CommandError::usage(format!("`{stack}` was deployed {how}, and cannot be deployed any other way while it exists"))
        .help("leave out `--through`")
        .help("or remove it first: `wattle destroy`")
}

/// The code of a resource whose type is unknown to Heat, too.
const UNKNOWN: &str = "W1201";

/// Reports everything that cannot be deployed without Heat.
fn say(
    source: &TemplateSource,
    refused: &[Diagnostic],
    wrong: Vec<Diagnostic>,
    console: &mut Console,
) -> Result<CommandError, CommandError> {
    let place = |found: &Diagnostic| found.labels.first().map(|label| (label.at.file.clone(), label.at.line));
    // A type that does not exist is an error, and no reason to use Heat.
    let mistaken: Vec<_> = wrong.iter().filter(|wrong| wrong.code == UNKNOWN).map(place).collect();
    let refused: Vec<&Diagnostic> = refused.iter().filter(|refused| !mistaken.contains(&place(refused))).collect();
    if refused.is_empty() {
        right(source, &wrong, console)?;
    }
    let known: Vec<_> = refused.iter().map(|refused| place(refused)).collect();
    let wrong = wrong.into_iter().filter(|wrong| !known.contains(&place(wrong)));
    let all: Vec<Diagnostic> = refused.iter().copied().cloned().chain(wrong).collect();
    show(source, &all, console)?;
    let what = things(refused.len());
    Ok(CommandError::usage(format!(
        "{what} in `{}` cannot be deployed without Heat, and nothing was done",
        source.template
    )))
}

pub(super) fn show(source: &TemplateSource, found: &[Diagnostic], console: &mut Console) -> Result<(), CommandError> {
    let environment = |name: &str| source.environments.iter().find(|(file, _)| file == name).map(|(_, text)| text);
    let read = |name: &str| source.files.get(name).or_else(|| environment(name)).map(|text| text.as_str().into());
    console.err.write(&view::render(found, Format::Full, &read, &console.err.options()))
}

pub(super) fn wrongs(count: usize) -> String {
    if count == 1 { "one thing is wrong".to_owned() } else { format!("{count} things are wrong") }
}

fn things(count: usize) -> String {
    if count == 1 { "one thing".to_owned() } else { format!("{count} things") }
}
