//! Whether the tool can run a recipe: faults for which the compiler rejects a blueprint's recipe are reported here, too.

use wattle::model::{Content, Recipe, Tool};
use wattle_heat::Loaded;
use wattle_heat::files::join;
use wattle_heat::yaml::Span;
use wattle_recipe::refused::{self, Home, Refusal};
use wattle_recipe::{analyse_run, used_files};

use super::{Reader, is_extended};
use crate::codes::RECIPE;

/// The possible paths of files that the recipes of a loaded template use, relative to the template.
pub(crate) fn used(loaded: &Loaded) -> Vec<String> {
    if !is_extended(&loaded.template) {
        return Vec::new();
    }
    let read = super::read(loaded);
    let mut places = Vec::new();
    for kind in read.model.declarations.values() {
        let recipe = &kind.recipe;
        for used in used_files(recipe.tool, &entries(recipe), texts(recipe)) {
            // A recipe may look for it beside itself in vain.
            let folder = used.by.rsplit_once('/').map_or("", |(folder, _)| folder);
            places.extend(used.places.iter().map(|place| format!("{folder}/{place}")).filter(|_| !folder.is_empty()));
            places.extend(used.places);
        }
    }
    places
}

impl Reader<'_> {
    /// Reports faults in the files of a recipe, which is referred to at `span`. `script` is the name of a recipe that is
    /// not a file.
    pub(super) fn sound(&mut self, recipe: &Recipe, span: Span, script: Option<&str>) {
        for refusal in self.refusals(recipe, script) {
            let diagnostic = RECIPE.diagnostic(refusal.message).label(&self.at(span), "named here").help(refusal.help);
            self.push(diagnostic);
        }
    }

    fn refusals(&self, recipe: &Recipe, script: Option<&str>) -> Vec<Refusal> {
        let Recipe { tool, entry, teardown, files } = recipe;
        let teardown = teardown.as_deref();
        let what = |path: &str| match path {
            path if *path == **entry => "recipe",
            path if Some(path) == teardown => "teardown",
            _ => "file",
        };
        let mut refusals: Vec<Refusal> = files
            .iter()
            .filter_map(|file| refused::line_ends(what(&file.path), &file.path, bytes(&file.content)))
            .collect();
        if tool.runs_files() {
            let is_run = |path: &str| what(path) != "file";
            let binary = files.iter().filter(|file| is_run(&file.path) && matches!(file.content, Content::Binary(_)));
            refusals.extend(binary.map(|file| refused::not_text(what(&file.path), &file.path)));
            let other = teardown.filter(|path| Tool::of_path(path).is_some_and(|own| own != *tool));
            refusals.extend(other.map(|path| refused::other_tool(path, *tool, entry)));
        }
        refusals.extend(teardown.filter(|path| **path == **entry).map(refused::same));
        if !refusals.is_empty() {
            return refusals;
        }
        let file_of = |entry: &str| match entry.split_once("::").filter(|_| !tool.runs_files()) {
            Some((cookbook, recipe)) => format!("{cookbook}/recipes/{recipe}.rb"),
            None => entry.to_owned(),
        };
        let run_of = |what, entry: &str, other: Option<&str>| {
            let other = other.map(file_of);
            let is_other = |path: &str| other.as_ref().is_some_and(|other| path.ends_with(other.as_str()));
            let texts = texts(recipe).filter(|(path, _)| !is_other(path));
            let error = analyse_run(*tool, entry, texts).err()?;
            Some(match script {
                Some(script) => refused::malformed_text(script, *tool, &error.error),
                None => refused::malformed(what, *tool, &error),
            })
        };
        refusals.extend(run_of("recipe", entry, teardown));
        if refusals.is_empty() {
            refusals.extend(teardown.and_then(|teardown| run_of("teardown", teardown, Some(entry))));
        }
        if refusals.is_empty() {
            let exists = |path: &str| self.loaded.library.present.contains(&join(&self.template.file, path));
            refusals = refused::left_behind(Home::Template, *tool, &entries(recipe), texts(recipe), &exists);
        }
        refusals
    }
}

fn entries(recipe: &Recipe) -> Vec<&str> {
    [Some(&recipe.entry), recipe.teardown.as_ref()].into_iter().flatten().map(|entry| &**entry).collect()
}

/// The files that are text.
fn texts(recipe: &Recipe) -> impl Iterator<Item = (&str, &str)> {
    recipe.files.iter().filter_map(|file| match &file.content {
        Content::Text(text) => Some((&*file.path, &**text)),
        Content::Binary(_) => None,
    })
}

fn bytes(content: &Content) -> &[u8] {
    match content {
        Content::Text(text) => text.as_bytes(),
        Content::Binary(bytes) => bytes,
    }
}
