//! `emit`: lowers a model and writes the result.

use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::diagram::{self, FILE_NAME};
use crate::extended;
use crate::lower::hot::Template;
use crate::lower::{self, Environment, Filled, Lowering, Places, Seed};
use crate::manners::{read, reason};
use crate::model::{Content, IndexMap, Model, Name};
use crate::names::did_you_mean;
use crate::plan::SETTINGS;
use wattle_heat::emit::{self, EmitError};

use super::chosen::{self, Chosen};
use super::deployed;
use super::environment::FILE as ENVIRONMENT;
use super::files::{self, File, Swap, Written};
use super::reserved::is_reserved;
use super::tree::{self, count};
use crate::manners::CommandError;

const SEED: &str = "seed.yaml";
const MODEL: &str = "model.yaml";

/// The largest number of nested templates that are shown one by one.
const PARTS_SHOWN: usize = 4;

/// How a model is written.
#[derive(Clone, Debug)]
pub struct Emission {
    /// The directory. Files go to the subdirectory with the stack's name.
    pub out: PathBuf,
    /// What runs the software.
    pub lowering: Lowering,
    /// How templates are written.
    pub format: TemplateFormat,
    /// The number of resources at which a stack is cut; the default if `None`.
    pub stack_resources: Option<usize>,
    /// The number of bytes at which a stack is cut; the default if `None`.
    pub stack_bytes: Option<usize>,
    /// The directory of the deployed templates; the output directory if `None`.
    pub deployed: Option<PathBuf>,
    /// Whether the model itself is also written, as an extended template.
    pub model: bool,
    /// The settings given to the blueprint. `None` if the model does not come from settings.
    pub settings: Option<Chosen>,
    /// Whether to write nothing if a setting of the last emission is left out.
    pub deny_warnings: bool,
}

impl Emission {
    /// The options for lowering the model, if its files go to the directory `own`.
    ///
    /// # Errors
    /// If the places of deployed resources cannot be read.
    pub(super) fn options(&self, own: &Path) -> Result<lower::Options, CommandError> {
        let defaults = lower::Options::default();
        let deployed = match self.lowering {
            Lowering::Agents => deployed::places(self.deployed.as_deref(), own)?,
            // This lowering never cuts a stack.
            Lowering::HeatNative => Places::default(),
        };
        Ok(lower::Options {
            stack_resources: self.stack_resources.unwrap_or(defaults.stack_resources),
            stack_bytes: self.stack_bytes.unwrap_or(defaults.stack_bytes),
            decisions: false,
            deployed,
        })
    }
}

/// How templates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateFormat {
    /// As YAML.
    Yaml,
    /// As JSON.
    Json,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The files, as a tree.
    pub tree: String,
    /// Further messages, one per line.
    pub notes: String,
}

/// Lowers a model in which `check` finds no error, and writes either all of its files or none.
///
/// # Errors
/// What could not be written. The earlier files are intact.
pub fn emit(model: &Model, emission: &Emission) -> Result<Emitted, CommandError> {
    let directory = emission.out.join(&*model.stack);
    let filled = filled(&directory)?;
    let beside = beside(model)?;
    let last = Chosen::last(&directory)?;
    let mut notes = chosen::report(model, emission, &directory, &last)?;
    let settings = emission.settings.as_ref().unwrap_or(&last);
    let count_beside = beside.len();
    // Deployed things are identified by the names under which they were deployed.
    let identified = lower::identified(model);
    let mut nested = IndexMap::default();
    // The seed is written first, because a deployment begins with it, and each file before those that it refers to. Each
    // result is freed once it is written, before the next one is built: a large model leaves little memory.
    let (written, removed) = files::replace(&directory, is_emitted, |swap| {
        let options = emission.options(&directory)?;
        let mut stages = lower::Stages::of(emission.lowering, model, &identified, &options);
        if let Some(seed) = stages.seed() {
            swap.write(self::seed(&seed))?;
        }
        of_model(model, &identified, emission.model, swap)?;
        let lower::Templates { template, nested: parts, environment, .. } = stages.templates();
        nested = parts;
        if !options.deployed.is_empty() {
            notes += &deployed::warning(&options.deployed.moved(&Places::of(&template, &nested)));
        } else if !nested.is_empty() {
            notes += &deployed::unknown(&directory);
        }
        settings.file().map_or(Ok(()), |file| swap.write(file))?;
        swap.write(whole(&template, emission.format))?;
        notes += &lost(&environment, &filled);
        swap.write(self::environment(&environment, &filled))?;
        let mut parts = nested.iter().rev();
        parts.try_for_each(|(name, nested)| swap.write(self::template(name.clone(), nested, emission.format)))?;
        beside.into_iter().rev().try_for_each(|file| swap.write(file))?;
        // The process is about to end. Freeing large trees piece by piece would only take time.
        std::mem::forget(template);
        Ok(())
    })?;
    let shown = shown(written, &nested, count_beside);
    std::mem::forget(nested);
    if removed.iter().any(|name| name == SEED) {
        notes +=
            &format!("removed `{}`: there is no seed when Heat runs the software\n", directory.join(SEED).display());
    }
    Ok(Emitted { tree: tree::of_files(&directory.display().to_string(), &shown), notes })
}

/// Writes the diagram, and the model if it is `wanted`.
fn of_model(model: &Model, identified: &Model, wanted: bool, swap: &mut Swap<'_>) -> Result<(), CommandError> {
    swap.write(diagram_file(identified))?;
    if wanted { swap.write(model_file(&extended::template(model))) } else { Ok(()) }
}

/// The files that the template names.
fn beside(model: &Model) -> Result<Vec<File<'_>>, CommandError> {
    let file = |(name, content): (&Name, _)| {
        let is_below = !name.starts_with('/') && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
        let refuse = || CommandError::files(format!("a file named `{name}` cannot be next to the template"));
        if is_reserved(name) {
            let failure = refuse().note("`wattle` would mistake it for a key, or for a file that `wattle up` keeps");
            return Err(failure.note("nothing was written").help("give the file another name"));
        }
        if !is_below || is_emitted(&name.to_ascii_lowercase()) {
            return Err(refuse().note("nothing was written").help("give it a path below the template's folder"));
        }
        let bytes = Content::bytes(content);
        let write = move |file: &mut fs::File| Ok(file.write_all(bytes)?);
        Ok(File { name: name.to_string(), content: "a file that the template names".into(), write: Box::new(write) })
    };
    model.files.iter().map(file).collect()
}

/// The values that an operator has filled in in the existing environment file.
fn filled(directory: &Path) -> Result<Filled, CommandError> {
    let path = directory.join(ENVIRONMENT);
    let failure = |why: String| {
        let text = format!("the values in `{}` cannot be carried over: {why}", path.display());
        let help = "move the file elsewhere, and pass it to `wattle` and to Heat in addition (`--environment`)";
        CommandError::files(text).note("nothing was changed").help(help)
    };
    match read(&path) {
        Ok(text) => Filled::read(&text).map_err(failure),
        // If something other than a file is in the way, the error occurs when it is replaced.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) =>
        {
            Ok(Filled::default())
        }
        Err(error) => Err(failure(reason(&error))),
    }
}

fn environment<'a>(environment: &'a Environment, filled: &'a Filled) -> File<'a> {
    File {
        name: ENVIRONMENT.into(),
        content: format!("{}, {} required", count(environment.len(), "parameter"), environment.required()),
        write: Box::new(|file| Ok(file.write_all(environment.to_yaml_with(filled).as_bytes())?)),
    }
}

/// The values in the environment file of parameters that no longer exist. From now on, they are comments.
fn lost(environment: &Environment, filled: &Filled) -> String {
    let mut text = String::new();
    for (name, meant) in environment.lost(filled) {
        let meant = meant.map(|meant| format!("; {}", did_you_mean(meant))).unwrap_or_default();
        text += &format!(
            "warning: `{ENVIRONMENT}` had a value for `{name}`, which is not a parameter of the stack: it is now a \
             comment at the end of the file{meant}\n"
        );
    }
    text
}

fn whole(whole: &Template, format: TemplateFormat) -> File<'_> {
    let name = match format {
        TemplateFormat::Yaml => "template.yaml",
        TemplateFormat::Json => "template.json",
    };
    template(name.into(), whole, format)
}

// Heat accepts a nested template only from a file whose name ends in `.yaml`. JSON is YAML, and is read faster.
fn template(name: String, template: &Template, format: TemplateFormat) -> File<'_> {
    let mut counts = vec![count(template.resources.len(), "resource"), count(template.servers(), "server")];
    counts.push(count(template.parameters.len(), "parameter"));
    let write = move |file: &mut fs::File| match format {
        TemplateFormat::Yaml => emit::yaml(template, file),
        TemplateFormat::Json => emit::json(template, file),
    };
    File { name, content: counts.join(", "), write: Box::new(write) }
}

/// The model as an extended template.
fn model_file(extended: &Template) -> File<'_> {
    File {
        name: MODEL.into(),
        content: "the model, for `wattle lower`".into(),
        write: Box::new(|file| emit::yaml(extended, file)),
    }
}

/// The diagram of the model.
fn diagram_file(model: &Model) -> File<'_> {
    File {
        name: FILE_NAME.into(),
        content: "the diagram, for the live view".into(),
        write: Box::new(|file| {
            let mut out = BufWriter::with_capacity(BUFFER, file);
            diagram::write(model, &mut out)?;
            Ok(out.flush()?)
        }),
    }
}

fn seed(seed: &Seed) -> File<'_> {
    let components = seed.servers.values().map(|server| server.components.len()).sum();
    let counts = [
        count(seed.servers.len(), "server"),
        count(components, "component"),
        count(seed.entries.len(), "entry"),
        count(seed.recipes.len(), "recipe file"),
    ];
    File {
        name: SEED.into(),
        content: counts.join(", "),
        write: Box::new(|file| {
            let mut out = BufWriter::with_capacity(BUFFER, file);
            seed.write(&mut out).map_err(|error| EmitError::Value(error.to_string()))?;
            Ok(out.flush()?)
        }),
    }
}

/// The number of bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// Whether `emit` writes a file of this name.
fn is_emitted(name: &str) -> bool {
    matches!(name, "template.yaml" | "template.json" | ENVIRONMENT | SEED | MODEL | FILE_NAME | SETTINGS)
        || lower::places::number_of(name).is_some()
}

/// What the tree shows: the template first, its parts below it (if there are many, as one line), and then the files
/// beside it.
fn shown(mut beside: Vec<Written>, nested: &IndexMap<String, Template>, count_beside: usize) -> Vec<Written> {
    let mut written = beside.split_off(count_beside);
    let mut rest = written.split_off(nested.len());
    if written.len() > PARTS_SHOWN {
        let (resources, servers) = nested.values().fold((0, 0), |(resources, servers), nested| {
            (resources + nested.resources.len(), servers + nested.servers())
        });
        let counts = [count(written.len(), "file"), count(resources, "resource"), count(servers, "server")];
        let bytes = written.iter().map(|file| file.bytes).sum();
        let name = match (nested.keys().next(), nested.keys().last()) {
            (Some(first), Some(last)) => format!("{first} to {last}"),
            _ => String::new(),
        };
        written = vec![Written { name, content: counts.join(", "), bytes }];
    }
    rest.swap(0, 1);
    rest.splice(1..1, written);
    rest.append(&mut beside);
    rest
}
