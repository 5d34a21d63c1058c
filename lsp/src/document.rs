//! One open document: its text, and its analysis.

use std::sync::{Arc, OnceLock};

use lsp_types::Uri;
use wattle::check::{Diagnostic, Limits};
use wattle::model::Model;
use wattle_heat::environment::Environment;
use wattle_heat::files::Files as _;
use wattle_heat::parameters::Inputs;
use wattle_heat::{Loaded, yaml};
use wattle_hot::check::{MISSING_VALUE, with_wiring};

use crate::files::{Near, path};
use crate::names::Names;
use crate::repair::repaired;
use crate::text::Text;

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    /// The folder of its file. `None` if it has not been saved.
    pub(crate) folder: Option<String>,
    /// The name of its file, as in messages.
    name: String,
    pub(crate) version: i32,
    pub(crate) text: Text,
    analysis: OnceLock<Analysis>,
}

/// The analysis of a template.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The template, without the unreadable lines.
    pub(crate) loaded: Loaded,
    /// Its model.
    pub(crate) model: Model,
    pub(crate) names: Names,
    /// Why the present text cannot be read.
    pub(crate) unreadable: Option<yaml::Error>,
    /// All errors in the present text.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Document {
    pub(crate) fn new(uri: Uri, version: i32, text: String) -> Self {
        let path = path(&uri);
        let place = path.as_deref().and_then(|path| path.rsplit_once('/'));
        let (folder, name) = place.map_or((None, "template.yaml"), |(folder, name)| (Some(folder.to_owned()), name));
        let name = name.to_owned();
        Self { uri, folder, name, version, text: Text::new(text), analysis: OnceLock::new() }
    }

    /// Discards the analysis, because the text or a file that it refers to has changed.
    pub(crate) fn forget(&mut self) {
        self.analysis.take();
    }

    /// The analysis, if it exists already.
    pub(crate) fn known(&self) -> Option<&Analysis> {
        self.analysis.get()
    }

    /// Whether it is a template. Editors send every YAML file, and others need no diagnostics.
    pub(crate) fn is_template(&self) -> bool {
        let text = &self.text.whole;
        text.contains("\"heat_template_version\"")
            || text.lines().any(|line| line.trim_start_matches('\u{feff}').starts_with("heat_template_version"))
    }

    /// The analysis, which is made on demand.
    pub(crate) fn analysis(&self, near: Near<'_>, environments: &[String]) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::of(&self.text, &self.name, near, environments))
    }
}

impl Analysis {
    fn of(text: &Text, name: &str, near: Near<'_>, environments: &[String]) -> Self {
        let environments: Vec<(&str, String)> = environments
            .iter()
            .filter_map(|path| Some((path.as_str(), String::from_utf8(near.read(path).ok()?).ok()?)))
            .collect();
        let environment = Environment::read(environments.iter().map(|(name, text)| (*name, text.as_str())));
        let inputs = Inputs { environment: Arc::new(environment), ..Inputs::default() };
        let written = wattle_hot::load(&text.whole, name, &near, &inputs);
        let mut found = wattle_hot::check(&written);
        // Values are set only when the stack is created.
        found.retain(|diagnostic| diagnostic.code != MISSING_VALUE);
        let unreadable = written.unreadable.clone();
        let loaded = match unreadable {
            Some(_) => wattle_hot::load(&repaired(&text.whole), name, &near, &inputs),
            None => written.clone(),
        };
        let model = wattle_hot::model::read(&loaded).model;
        let diagnostics = with_wiring(found, &written, || &model, &Limits::default());
        let names = Names::of(&loaded, &model, text);
        Self { loaded, model, names, unreadable, diagnostics }
    }
}
