//! The command line: available commands and options, and the parsed request.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

use crate::author::Blueprint;
use crate::lower::{self, Lowering};
use crate::manners::{Sought, color, forced_color, seek};
use crate::view;

use super::console::Console;
use super::deployed::deployed;
use super::emit::{Emission, TemplateFormat};
use super::graph::{self, Drawing};
use super::help;
use super::plan::{PlanOptions, is_json, plan_against, plan_format};
use super::policy;
use crate::manners::{CommandError, Exit};
use crate::policy::{Policies, Policy};

/// A parsed command line.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) command: Command,
    pub(super) config: Option<PathBuf>,
    pub(super) set: Vec<String>,
    pub(super) deny_warnings: bool,
    pub(super) lowering: Lowering,
}

#[derive(Debug)]
pub(super) enum Command {
    Emit { emission: Emission, messages: view::Format },
    Check { format: view::Format, policies: Policies },
    Graph { drawing: Drawing },
    Plan { planning: PlanOptions },
    Explain { code: Option<String> },
}

/// Things that people look for here but that are elsewhere or have another name.
const SOUGHT: [Sought; 5] = [
    (
        &[
            "up", "down", "deploy", "destroy", "rollback", "drift", "status", "seed", "get", "set", "ls", "logs",
            "apply", "create", "run", "start", "stop", "delete",
        ],
        "`wattle up DIR`, `wattle deploy DIR` and the like take the folder that `emit` writes: `wattle --help` lists them",
    ),
    (
        &["build", "synth", "render", "write", "generate"],
        "`emit` writes the template, the environment and the seed; so does this program without a command",
    ),
    (&["validate", "lint", "verify"], "`check` reports what is wrong and writes nothing"),
    (&["preview", "diff", "changes"], "`plan` shows what would change"),
    (&["test"], "`cargo test` runs the tests"),
];

const EMIT_ONLY: [&str; 7] = ["out", "format", "model", "message-format", "stack-resources", "stack-bytes", "deployed"];

/// Parses the command line, and sets the console's colours. Writes help and usage errors at once.
pub(super) fn parse<B: Blueprint>(
    args: impl IntoIterator<Item = OsString>,
    known: &[Policy],
    console: &mut Console<'_>,
) -> Result<Request, Exit> {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(forced) = forced_color(&args) {
        (console.out.color, console.err.color) = (forced, forced);
    }
    let command = command::<B>(console.help_width);
    let matches = command.clone().try_get_matches_from(&args).map_err(|error| {
        let name = args.iter().filter_map(|arg| arg.to_str()).find_map(|arg| command.find_subcommand(arg));
        let active = name.unwrap_or(&command);
        let error = seek(error, active, &SOUGHT);
        let (stream, exit) =
            if error.use_stderr() { (&mut console.err, Exit::Usage) } else { (&mut console.out, Exit::Fine) };
        let text = error.render();
        let text = if stream.color { text.ansi().to_string() } else { text.to_string() };
        // If the stream is gone, there is nowhere left to report it.
        let _ = stream.out.write_all(text.as_bytes());
        exit
    })?;
    request(&matches, known).map_err(|failure| {
        let text = view::failure(&failure.message, &failure.notes, &failure.help, &console.err.options());
        let _ = console.err.out.write_all(text.as_bytes());
        failure.exit
    })
}

fn command<B: Blueprint>(width: Option<usize>) -> clap::Command {
    let emit = clap::Command::new("emit")
        .about("Check the model and write the template, the environment and the seed (the default command)")
        .args(emit_args())
        .args(common_args());
    let check = clap::Command::new("check")
        .about("Check the model and report what is wrong, without writing files")
        .arg(messages("format").alias("message-format").help("Output format"))
        .arg(policy::arg())
        .args(common_args());
    let graph = clap::Command::new("graph")
        .about("Draw servers, the software on them, and what waits for what: as an image, a page, or for other tools")
        .args(graph::drawing_args())
        .args(common_args());
    let [out, _, resources, bytes, deployed, _] = emission_args();
    let plan =
        clap::Command::new("plan")
            .about("Show what would change for each resource and component, compared with what was last emitted")
            .arg(plan_against())
            .arg(out.help(
                "Folder that `emit` writes to; without --against, compare with what it last wrote to DIR/<stack>/",
            ))
            .args([plan_format(), resources, bytes, deployed])
            .args(common_args());
    let explain = clap::Command::new("explain")
        .about("Explain the code of an error or a warning, or list all codes")
        .arg(Arg::new("code").value_name("CODE").help("Code to explain, such as W0101"))
        .arg(color());
    let command = clap::Command::new(B::NAME)
        .bin_name(B::NAME)
        .about(help::first_paragraph(B::DESCRIPTION))
        .after_help(help::after::<B>())
        .disable_help_subcommand(true)
        .subcommands([emit, check, graph, plan, explain])
        .args(emit_args())
        .args(common_args());
    match width {
        Some(width) => command.term_width(width),
        None => command.max_term_width(120),
    }
}

/// The options of `emit` that are not [`common_args`].
fn emit_args() -> [Arg; 7] {
    let messages = messages("message-format").help("Format of errors and warnings");
    let [out, format, resources, bytes, deployed, _] = emission_args();
    let model = Arg::new("model")
        .long("model")
        .action(ArgAction::SetTrue)
        .help("Also write model.yaml: the model itself, as an extended Heat template that `wattle lower` reads");
    [out, format, model, messages, resources, bytes, deployed]
}

/// The options for the output and its destination.
pub fn emission_args() -> [Arg; 6] {
    let defaults = lower::Options::default();
    let size = |name: &'static str, help: &str, default: usize| {
        let parser = clap::value_parser!(u64).range(2..).map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        Arg::new(name).long(name).value_name("N").value_parser(parser).help(format!("{help} [default: {default}]"))
    };
    [
        Arg::new("out")
            .long("out")
            .short('o')
            .value_name("DIR")
            .default_value("out")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Folder to write to; the files go to DIR/<stack>/"),
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .default_value("yaml")
            .value_parser(one_of([("yaml", TemplateFormat::Yaml), ("json", TemplateFormat::Json)]))
            .help("Format of templates; Heat reads JSON much faster"),
        size("stack-resources", "Split a stack with more resources into nested ones", defaults.stack_resources),
        size("stack-bytes", "Split a stack with a larger template into nested ones", defaults.stack_bytes),
        deployed(),
        lowering(),
    ]
}

fn common_args() -> [Arg; 5] {
    [
        lowering(),
        Arg::new("set").long("set").value_name("NAME=VALUE").action(ArgAction::Append).help(
            "Set a setting; the value is YAML, a dotted name sets part of it; may be repeated, the last one wins",
        ),
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read settings from a YAML file; --set overrides them"),
        Arg::new("deny-warnings").long("deny-warnings").action(ArgAction::SetTrue).help("Treat warnings as errors"),
        color(),
    ]
}

fn lowering() -> Arg {
    Arg::new("lowering")
        .long("lowering")
        .value_name("WAY")
        .default_value(Lowering::default().name())
        .value_parser(one_of(Lowering::ALL.map(|lowering| (lowering.name(), lowering))))
        .help("What runs the software: wattle's agents, or Heat itself, for clouds without a data space")
}

/// A value parser that accepts one of these words, and returns what the word stands for.
pub(super) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    words: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.map(|(word, _)| word)).try_map(move |given| {
        let found = words.iter().find(|(word, _)| *word == given);
        found.map(|(_, meaning)| *meaning).ok_or("INVARIANT: only these words come through")
    })
}

/// The option for the format of errors and warnings.
pub fn messages(name: &'static str) -> Arg {
    let formats = [("full", view::Format::Full), ("concise", view::Format::Concise), ("json", view::Format::Json)];
    Arg::new(name).long(name).value_name("FORMAT").default_value("full").value_parser(one_of(formats))
}

/// The options given before and after the command.
struct Given<'m> {
    before: &'m ArgMatches,
    behind: Option<&'m ArgMatches>,
}

impl Given<'_> {
    /// The effective value: the last one given.
    fn one<T: Clone + Send + Sync + 'static>(&self, name: &str) -> Option<T> {
        let behind = self.behind.filter(|behind| is_given(behind, name) || !is_given(self.before, name));
        behind.unwrap_or(self.before).get_one(name).cloned()
    }

    fn required<T: Clone + Send + Sync + 'static>(&self, name: &str) -> T {
        self.one(name).expect("INVARIANT: the argument has a default")
    }

    fn emission(&self) -> Result<Emission, CommandError> {
        let emission = Emission {
            out: self.required("out"),
            lowering: self.required("lowering"),
            format: self.required("format"),
            stack_resources: self.one("stack-resources"),
            stack_bytes: self.one("stack-bytes"),
            deployed: self.one("deployed"),
            model: false,
            settings: None,
            deny_warnings: false,
        };
        let cut = [
            ("stack-resources", emission.stack_resources.is_some()),
            ("stack-bytes", emission.stack_bytes.is_some()),
            ("deployed", emission.deployed.is_some()),
        ];
        match cut.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if emission.lowering == Lowering::HeatNative => Err(CommandError::usage(format!(
                "`--{option}` controls how a stack is split, but `--lowering heat-native` splits none"
            ))
            .help("leave it out: with this lowering, everything is one stack")),
            _ => Ok(emission),
        }
    }
}

/// Reads the values of [`emission_args`].
///
/// # Errors
/// If options cannot be combined.
pub fn emission(matches: &ArgMatches) -> Result<Emission, CommandError> {
    Given { before: matches, behind: None }.emission()
}

fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

fn request(matches: &ArgMatches, known: &[Policy]) -> Result<Request, CommandError> {
    let command = matches.subcommand();
    let given = Given { before: matches, behind: command.map(|(_, behind)| behind) };
    if let Some((name @ ("check" | "graph" | "plan" | "explain"), behind)) = command
        && let Some(option) = EMIT_ONLY.into_iter().find(|option| is_given(matches, option))
    {
        let failure = CommandError::usage(format!("`--{option}` before `{name}` is an option of `emit`"));
        return Err(if behind.try_contains_id(option).is_ok() {
            failure.help(format!("write it after the command: `{name} --{option} ...`"))
        } else {
            failure.help(format!("leave it out: `{name}` writes no files"))
        });
    }
    let command = match command {
        Some(("check", behind)) => {
            let format = *behind.get_one("format").expect("INVARIANT: the argument has a default");
            Command::Check { format, policies: policy::policies(behind, known)? }
        }
        Some(("plan", behind)) => Command::Plan {
            planning: PlanOptions {
                against: behind.get_one("against").cloned(),
                emission: Emission {
                    out: behind.get_one::<PathBuf>("out").cloned().expect("INVARIANT: the argument has a default"),
                    lowering: given.required("lowering"),
                    format: TemplateFormat::Yaml,
                    stack_resources: behind.get_one("stack-resources").copied(),
                    stack_bytes: behind.get_one("stack-bytes").copied(),
                    deployed: behind.get_one("deployed").cloned(),
                    model: false,
                    settings: None,
                    deny_warnings: false,
                },
                is_json: is_json(behind),
            },
        },
        Some(("graph", behind)) => Command::Graph { drawing: graph::drawing(behind)? },
        Some(("explain", behind)) => {
            return Ok(Request {
                command: Command::Explain { code: behind.get_one("code").cloned() },
                config: None,
                set: Vec::new(),
                deny_warnings: false,
                lowering: Lowering::default(),
            });
        }
        _ => {
            let model = [Some(given.before), given.behind].into_iter().flatten().any(|m| m.get_flag("model"));
            let emission = Emission { model, ..given.emission()? };
            Command::Emit { emission, messages: given.required("message-format") }
        }
    };
    let lowering = given.required("lowering");
    let set = [Some(given.before), given.behind].into_iter().flatten();
    Ok(Request {
        command,
        config: given.one("config"),
        set: set.flat_map(|matches| matches.get_many("set").into_iter().flatten().cloned()).collect(),
        lowering,
        deny_warnings: [Some(given.before), given.behind].into_iter().flatten().any(|m| m.get_flag("deny-warnings")),
    })
}
