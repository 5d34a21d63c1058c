//! A template as it was given, with its environment and the values of its parameters.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::check::{Diagnostic, Limits, Severity};
use wattle::cli::beside;
use wattle::lower::Lowering;
use wattle::manners::{CommandError, open, reason};
use wattle::model::Model;
use wattle::names::{did_you_mean, nearest};
use wattle::shown;
use wattle::view;
use wattle_heat::Loaded;
use wattle_heat::check::is_of_a_cloud;
use wattle_heat::environment::Environment;
use wattle_heat::evaluate::Value;
use wattle_heat::parameters::Inputs;
use wattle_hot::check::{MISSING_VALUE, with_wiring};
use wattle_hot::model::is_extended;

use super::files::{Disk, whole};
use crate::cli::{parameters, seed};

/// The name of the standard input in messages.
const STDIN: &str = "<stdin>";

/// The template, and the options for reading it.
pub(super) fn args() -> impl Iterator<Item = Arg> {
    args_of("Template, `-` for standard input, or a folder that `emit` wrote")
}

/// Like [`args`], with `help` as the description of the template.
pub(super) fn args_of(help: &'static str) -> impl Iterator<Item = Arg> {
    let template =
        Arg::new("template").value_name("FILE").required(true).value_parser(clap::value_parser!(PathBuf)).help(help);
    std::iter::once(template).chain(parameters::arguments())
}

/// The path of the template on the command line.
pub(super) fn path(matches: &ArgMatches) -> &Path {
    matches.get_one::<PathBuf>("template").expect("INVARIANT: it is required")
}

/// A template as given.
pub(super) struct Given {
    pub(super) loaded: Loaded,
    /// The texts that diagnostics can refer to, by the names in their locations.
    texts: HashMap<String, Arc<str>>,
    model: OnceCell<Model>,
    /// Whether it was written by a blueprint's `emit`. Its parameters are then chosen later.
    pub(super) is_emitted: bool,
    /// Whether parameters were given values, or an environment that may do so.
    has_values: bool,
    left: Option<Left>,
}

/// Files beside a template that were not given with it.
struct Left {
    /// The environment's file.
    path: PathBuf,
    /// The environment, empty if another one was given.
    environment: Environment,
    /// The template's folder, if the folder may be given instead of the template.
    folder: Option<PathBuf>,
}

impl Left {
    fn beside(template: &Path, has_environment: bool) -> Option<Self> {
        let folder = template.parent()?;
        let path = beside(folder)?;
        let environment = if has_environment {
            Environment::default()
        } else {
            let name = path.display().to_string();
            let text = decoded(&name, open(&path).and_then(whole)).ok()?;
            Environment::read([(name.as_str(), text.as_str())])
        };
        let is_its_template = seed::template_in(folder).is_some_and(|name| template.ends_with(name));
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Some(Self { path, environment, folder: is_its_template.then(|| folder.to_owned()) })
    }

    /// Further help if the parameter `name` has no value.
    fn help(&self, name: &str) -> Option<String> {
        let Self { path, environment, folder } = self;
        let has = environment.parameters.contains_key(name) || environment.parameter_defaults.contains_key(name);
        let path = shown::path(path.display());
        let check = folder.as_ref().map(|folder| format!("`wattle check {}`", shown::path(folder.display())));
        match (has, check) {
            (true, Some(check)) => {
                Some(format!("`{path}` gives it a value: check the folder ({check}), or pass `-e {path}`"))
            }
            (true, None) => Some(format!("`{path}` gives it a value: pass `-e {path}`")),
            (false, Some(check)) => Some(format!(
                "if a blueprint's `emit` wrote the template, check its folder instead: {check} leaves open what is chosen \
                 when the stack is created"
            )),
            (false, None) => None,
        }
    }
}

impl Given {
    /// Reads the files given on the command line.
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, CommandError> {
        let path = path(matches);
        let emitted = emitted(path)?;
        let lying = emitted.is_some().then(|| beside(path)).flatten();
        let is_emitted = emitted.is_some();
        let path = emitted.as_deref().unwrap_or(path);
        let (name, text) = if path == Path::new("-") {
            (STDIN.to_owned(), decoded("standard input", whole(io::stdin().lock()))?)
        } else {
            let name = path.display().to_string();
            let text = decoded(&format!("`{name}`"), open(path).and_then(whole));
            (name.clone(), text.map_err(|failure| failure.help_if(sibling(path)))?)
        };
        let left = if is_emitted { None } else { Left::beside(path, matches.contains_id("environment")) };
        let mut environments = Vec::new();
        for path in lying.iter().chain(matches.get_many::<PathBuf>("environment").into_iter().flatten()) {
            let name = path.display().to_string();
            let text = decoded(&format!("the environment `{name}`"), open(path).and_then(whole))?;
            environments.push((name, text));
        }
        let environment = Environment::read(environments.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let mut inputs = Inputs { environment: Arc::new(environment), ..Inputs::default() };
        for (name, value) in parameters::assigned(matches)? {
            inputs.given.insert(name, Value::Text(value));
        }
        let has_values = !environments.is_empty() || !inputs.given.is_empty();
        let loaded = wattle_hot::load(&text, &name, &Disk, &inputs);
        let mut texts: HashMap<String, Arc<str>> =
            environments.into_iter().map(|(name, text)| (name, text.into())).collect();
        let files = loaded.library.contents.iter();
        texts.extend(files.filter_map(|(path, text)| Some((path.clone(), text.clone().ok()?))));
        texts.insert(name, text.into());
        Ok(Self { loaded, texts, model: OnceCell::new(), is_emitted, has_values, left })
    }

    /// All errors: what Heat would refuse, otherwise errors in the software's wiring.
    ///
    /// Values that are chosen only when the stack is created are not reported as missing where they do not matter: if
    /// software is described, or if `later` is set. If no values were given at all, that they are missing is a warning: nobody
    /// creates the stack yet.
    pub(super) fn diagnostics(&self, later: bool, lowering: Lowering) -> Vec<Diagnostic> {
        let mut found = wattle_hot::check(&self.loaded);
        if later || self.is_emitted || is_extended(&self.loaded.template) {
            found.retain(|diagnostic| diagnostic.code != MISSING_VALUE);
        }
        if self.is_emitted {
            found.iter_mut().for_each(of_ones_own);
        }
        for diagnostic in found.iter_mut().filter(|diagnostic| diagnostic.code == MISSING_VALUE) {
            if !self.has_values {
                diagnostic.severity = Severity::Warning;
            }
            let name = diagnostic.message.split('`').nth(1).unwrap_or_default();
            diagnostic.help.extend(self.left.as_ref().and_then(|left| left.help(name)));
        }
        found.sort_by_key(|diagnostic| diagnostic.severity);
        let mut limits = Limits::default();
        limits.lowering = lowering;
        with_wiring(found, &self.loaded, || self.model(), &limits)
    }

    /// The model of the template, as far as it can be read.
    pub(super) fn model(&self) -> &Model {
        self.model.get_or_init(|| wattle_hot::model::read(&self.loaded).model)
    }

    /// Returns the model, for callers that change it.
    pub(super) fn take_model(&mut self) -> Model {
        self.model();
        self.model.take().expect("INVARIANT: it was read")
    }

    /// Describes where errors were looked for, such as ` in 3 resources`. Empty if no resources could be read.
    pub(super) fn about(&self) -> String {
        let number = self.loaded.template.resources.len();
        let plural = if number == 1 { "" } else { "s" };
        if self.loaded.unreadable.is_some() { String::new() } else { format!(" in {number} resource{plural}") }
    }

    /// The message that the text is not a template at all.
    pub(super) fn unreadable(&self, options: &view::Options) -> Option<String> {
        let _ = self.loaded.unreadable.as_ref()?;
        Some(self.render(&wattle_hot::check(&self.loaded), view::Format::Full, options))
    }

    /// The text of a file that diagnostics can refer to.
    pub(super) fn text(&self, name: &str) -> Option<&Arc<str>> {
        self.texts.get(name)
    }

    /// The names of all texts that were read.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.texts.keys()
    }

    /// Reads a further file that diagnostics can refer to. `what` describes it.
    pub(super) fn further(&mut self, path: &Path, what: &str) -> Result<(String, Arc<str>), CommandError> {
        let name = path.display().to_string();
        let text: Arc<str> = decoded(&format!("{what} `{name}`"), open(path).and_then(whole))
            .map_err(|failure| failure.help_if(sibling(path)))?
            .into();
        self.texts.insert(name.clone(), text.clone());
        Ok((name, text))
    }

    /// Renders diagnostics as text.
    pub(super) fn render(&self, diagnostics: &[Diagnostic], format: view::Format, options: &view::Options) -> String {
        view::render(diagnostics, format, &|name| self.texts.get(name).cloned(), options)
    }
}

/// A blueprint that uses a type outside of Heat's own names declares that its cloud has the type.
fn of_ones_own(diagnostic: &mut Diagnostic) {
    if is_of_a_cloud(diagnostic) {
        diagnostic.severity = Severity::Warning;
        diagnostic.notes.push("your own cloud may have it".to_owned());
    }
}

/// The template in a directory that `emit` wrote; `None` if `path` is not a directory.
fn emitted(path: &Path) -> Result<Option<PathBuf>, CommandError> {
    if !path.is_dir() {
        return Ok(None);
    }
    if let Some(template) = seed::template_in(path) {
        return Ok(Some(path.join(template)));
    }
    let failure = CommandError::usage(format!("there is no template.yaml in `{}`", path.display()));
    Err(if path.join("Cargo.toml").is_file() {
        failure.help("a crate's own program checks its blueprint: `cargo run -- check` in there")
    } else {
        failure.help("give a template, or the folder that a blueprint's `emit` wrote: `out/STACK` by default")
    })
}

/// The file that was probably meant instead of a missing one.
fn sibling(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        std::fs::read_dir(folder).ok()?.flatten().filter_map(|file| file.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(did_you_mean(path.with_file_name(near).display()))
}

/// Decodes `bytes`, which were read from `what`.
fn decoded(what: &str, bytes: io::Result<Vec<u8>>) -> Result<String, CommandError> {
    let bytes = bytes.map_err(|error| CommandError::usage(format!("cannot read {what}: {}", reason(&error))))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].split(|byte| *byte == b'\n').skip(1).count();
        CommandError::usage(format!("{what} is not text: byte {at} (line {line}) is not UTF-8"))
            .help("a template must be UTF-8; if it has another encoding, convert it: `iconv -f ENCODING -t UTF-8`")
    })
}
