//! The recipe: locating it, comparing it with the declaration, and including it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::LitStr;
use wattle_recipe::refused::{self, Refusal};
use wattle_recipe::{
    Analysis, ChefRecipe, FileError, Tool, analyse_run, chef_recipe_path, never_written, overlooked, suggest, writing,
};
use wattle_words::names::join;

use crate::errors::Errors;

use super::ast::{Component, Field, Role};
use super::depends;
use super::files::{Crate, Read};
use super::left_behind;
use super::teardown;

/// The files that are included with the component.
pub(super) struct Recipe {
    pub(super) tool: Tool,
    /// The entry point of the tool.
    pub(super) entry: String,
    /// The entry point that the tool runs after the component has left the model.
    pub(super) teardown: Option<String>,
    /// Its name in messages.
    pub(super) shown: String,
    pub(super) chef: Option<ChefRecipe>,
    /// Folders of the cookbooks that are included because another one depends on them.
    dependencies: Vec<String>,
    pub(super) files: Vec<Embedded>,
}

/// A file that the program contains.
pub(super) struct Embedded {
    /// Relative to the crate.
    path: String,
    is_text: bool,
}

/// Reads the recipe and compares it with the declaration; `None` if there is no recipe to read.
pub(super) fn read(component: &Component, errors: &mut Errors) -> Option<Recipe> {
    let keys = &component.keys;
    let at = keys.recipe.as_ref().or(keys.chef.as_ref())?;
    let Some(own) = Crate::current() else {
        let help = "cargo sets `CARGO_MANIFEST_DIR`, and recipes are found relative to it";
        errors.push(at, "recipes are found only when cargo compiles the crate", help);
        return None;
    };
    let (mut recipe, mut files) = match (&keys.recipe, &keys.chef) {
        (Some(path), _) => single(&own, path, errors)?,
        (None, Some(name)) => cookbook(&own, name, &keys.files, errors)?,
        (None, None) => return None,
    };
    for file in &files {
        line_ends(at, if file.path == recipe.shown { "recipe" } else { "file" }, file, errors);
    }
    let teardown = keys.teardown.as_ref().and_then(|at| {
        let read = teardown::read(&own, at, &recipe, &mut files);
        read.map_err(|refusal| refuse(at, refusal, errors)).ok().map(|teardown| (at, teardown))
    });
    for also in &keys.files {
        match own.files("file", &also.value()) {
            Err(refusal) => refuse(also, refusal, errors),
            Ok(also_files) => {
                for file in also_files {
                    if recipe.depends(&file.path) {
                        continue;
                    }
                    if files.iter().any(|known| known.path == file.path) {
                        errors.push(
                            also,
                            format!("the file `{}` is already included", file.path),
                            "remove it from `files`",
                        );
                    } else {
                        line_ends(also, "file", &file, errors);
                        files.push(file);
                    }
                }
            }
        }
    }
    let is_teardown = |file: &&Read| teardown.as_ref().is_some_and(|(_, teardown)| file.path == teardown.file);
    let of_run: Vec<&Read> = files.iter().filter(|file| !is_teardown(file)).collect();
    let is_sound = compare(component, at, &recipe, &of_run, errors);
    if let (true, Some((at, teardown))) = (is_sound, &teardown) {
        for file in files.iter().filter(is_teardown) {
            line_ends(at, "teardown", file, errors);
        }
        teardown::check(at, teardown, &recipe, &files, errors);
    }
    // A file with an invalid name is not also reported as missing.
    if is_sound && errors.is_empty() {
        let teardown = teardown.as_ref().map(|(_, teardown)| &teardown.entry);
        left_behind::note(&own, at, &recipe, teardown, &files, errors);
    }
    recipe.teardown = teardown.map(|(_, teardown)| teardown.entry);
    recipe.files = files.into_iter().map(|file| Embedded { is_text: file.text().is_some(), path: file.path }).collect();
    Some(recipe)
}

fn refuse(at: &LitStr, refusal: Refusal, errors: &mut Errors) {
    errors.push(at, refusal.message, refusal.help);
}

/// The tools whose recipes are named by `recipe`.
pub(super) fn run_as_files() -> impl Iterator<Item = Tool> {
    Tool::ALL.into_iter().filter(|tool| tool.runs_files())
}

/// `recipe = "recipes/db2.sh"`.
fn single(own: &Crate, at: &LitStr, errors: &mut Errors) -> Option<(Recipe, Vec<Read>)> {
    let path = at.value();
    let tool = match Tool::of_path(&path) {
        Some(tool) if tool.runs_files() => tool,
        Some(_) => {
            let help = "run a Chef recipe from its cookbook: `chef = \"cookbooks/NAME::RECIPE\"`";
            errors.push(at, format!("the recipe `{path}` is Ruby"), help);
            return None;
        }
        None => {
            let endings = run_as_files().map(|tool| format!("`.{}` ({})", tool.ending(), tool.title()));
            let help = format_args!(
                "a recipe ends in {}; a shell recipe can run any other program that is listed in `files`",
                join(endings, "or")
            );
            errors.push(at, format!("no tool runs the recipe `{path}`"), help);
            return None;
        }
    };
    match own.file("recipe", &path).and_then(|file| found(tool, "recipe", file)) {
        Err(refusal) => {
            refuse(at, refusal, errors);
            None
        }
        Ok(file) if file.text().is_none() => {
            refuse(at, refused::not_text("recipe", &path), errors);
            None
        }
        Ok(file) => {
            let entry = file.path.clone();
            let (shown, dependencies) = (entry.clone(), Vec::new());
            Some((
                Recipe { tool, shown, entry, teardown: None, chef: None, dependencies, files: Vec::new() },
                vec![file],
            ))
        }
    }
}

/// Returns the file, unless its name would keep the tool from finding it on a server.
pub(super) fn found(tool: Tool, what: &str, file: Read) -> Result<Read, Refusal> {
    match overlooked(tool, &file.path) {
        None => Ok(file),
        Some(naming) => Err(Refusal {
            message: format!("{} does not find the {what} `{}`", tool.title(), file.path),
            help: format!("rename the file: {naming}"),
        }),
    }
}

fn line_ends(at: &LitStr, what: &str, file: &Read, errors: &mut Errors) {
    if let Some(refusal) = refused::line_ends(what, &file.path, &file.content) {
        refuse(at, refusal, errors);
    }
}

/// Reads `chef = "cookbooks/db2::server"`: the whole cookbook is included, with those that it depends on.
fn cookbook(own: &Crate, at: &LitStr, named: &[LitStr], errors: &mut Errors) -> Option<(Recipe, Vec<Read>)> {
    if !cfg!(feature = "chef") {
        let help = "run `cargo add wattle --features chef`, or add `features = [\"chef\"]` to `wattle` in `Cargo.toml`";
        errors.push(at, "Chef recipes need the feature `chef` of `wattle`", help);
        return None;
    }
    let chef = match chef_recipe_path(&at.value()) {
        Ok(chef) => chef,
        Err(error) => {
            errors.push(at, error, "write `chef = \"cookbooks/db2::server\"` for `cookbooks/db2/recipes/server.rb`");
            return None;
        }
    };
    let files =
        own.files("cookbook", &chef.cookbook_dir).and_then(|files| own.file("recipe", &chef.file).map(|_| files));
    match files {
        Err(refusal) => {
            refuse(at, refusal, errors);
            None
        }
        Ok(mut files) => {
            let named: Vec<String> = named.iter().map(LitStr::value).collect();
            let mut dependencies = Vec::new();
            if let Err(refusal) = depends::bring(own, &chef, &named, &mut files, &mut dependencies) {
                refuse(at, refusal, errors);
            }
            let (entry, shown) = (format!("{}::{}", chef.cookbook, chef.recipe), chef.file.clone());
            let (tool, teardown, chef, own) = (Tool::Chef, None, Some(chef), Vec::new());
            let recipe = Recipe { tool, entry, teardown, shown, chef, dependencies, files: own };
            Some((recipe, files))
        }
    }
}

/// Reports each output that the recipe never writes. Returns whether the recipe is well-formed.
fn compare(component: &Component, at: &LitStr, recipe: &Recipe, files: &[&Read], errors: &mut Errors) -> bool {
    let texts = files.iter().filter_map(|file| Some((file.path.as_str(), file.text()?)));
    let analysis = match analyse_run(recipe.tool, &recipe.entry, texts) {
        Ok(analysis) => analysis,
        Err(error) => {
            malformed(at, "recipe", recipe.tool, &error, errors);
            return false;
        }
    };
    let written = |field: &Field| match recipe.path(field) {
        path if path.is_empty() => field.name.clone(),
        path => path.join("/"),
    };
    let outputs: Vec<(String, &Field)> = component.outputs().map(|field| (written(field), field)).collect();
    let checked = outputs.iter().filter(|(_, field)| matches!(field.role, Role::Output { dynamic: false, .. }));
    let missing = never_written(&analysis, checked.map(|(name, _)| name.as_str()));
    let entry = files.iter().find(|file| file.path == recipe.shown).and_then(|file| file.text()).unwrap_or_default();
    let declared = || outputs.iter().map(|(name, _)| name.as_str());
    for (name, field) in outputs.iter().filter(|(name, _)| missing.contains(&name.as_str())) {
        let message = format!("the recipe `{}` never writes the output `{}`", recipe.shown, field.name);
        let meant = suggest(&analysis, name, declared());
        errors.push(&field.ident, message, help(&writing(recipe.tool, name, entry), name, meant, &analysis));
    }
    true
}

pub(super) fn malformed(at: &LitStr, what: &str, tool: Tool, error: &FileError, errors: &mut Errors) {
    refuse(at, refused::malformed(what, tool, error), errors);
}

fn help(how: &str, name: &str, meant: Option<&str>, analysis: &Analysis) -> String {
    let meant = meant.map(|meant| match analysis.writes.get(meant) {
        Some(line) => format!("it writes `{meant}` on line {line}: did you mean `{name}` there?\n      otherwise "),
        None => String::new(),
    });
    let dynamic = "if the recipe writes it in a way that its text does not show, write `#[output(dynamic)]`";
    format!("{}{how};\n      {dynamic}", meant.unwrap_or_default())
}

impl Recipe {
    /// Whether the file at `path` is included because a cookbook depends on its cookbook.
    fn depends(&self, path: &str) -> bool {
        self.dependencies.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The attribute path of a field in a Chef recipe; empty for other tools.
    pub(super) fn path(&self, field: &Field) -> Vec<String> {
        match (&self.chef, &field.path) {
            (None, _) => Vec::new(),
            (Some(_), Some(path)) => path.value().split('/').map(str::to_owned).collect(),
            (Some(chef), None) => vec![chef.cookbook.clone(), field.name.clone()],
        }
    }

    /// The model's tool.
    pub(super) fn tool(&self) -> TokenStream {
        let tool = format_ident!("{}", format!("{:?}", self.tool));
        quote!(::wattle::model::Tool::#tool)
    }
}

impl Embedded {
    /// The file as an expression; the compiler tracks its changes.
    pub(super) fn expand(&self) -> TokenStream {
        let path = &self.path;
        let below = format!("/{path}");
        let (content, include) = if self.is_text {
            (quote!(Text), quote!(::core::include_str!))
        } else {
            (quote!(Binary), quote!(::core::include_bytes!))
        };
        quote! {
            ::wattle::model::File {
                path: ::std::borrow::Cow::Borrowed(#path),
                content: ::wattle::model::Content::#content(::std::borrow::Cow::Borrowed(
                    #include(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #below))
                )),
            }
        }
    }
}
