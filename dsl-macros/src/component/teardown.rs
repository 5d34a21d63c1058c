//! The recipe that runs after the component has left the model.

use syn::LitStr;
use wattle_recipe::refused::{self, Refusal};
use wattle_recipe::{Tool, analyse_run, chef_recipe_path};

use crate::errors::Errors;

use super::files::{Crate, Read};
use super::recipe::{Recipe, found, malformed};

/// A teardown recipe.
pub(super) struct Teardown {
    /// The entry point of the tool.
    pub(super) entry: String,
    /// Relative to the crate.
    pub(super) file: String,
}

/// Finds the recipe that `at` names, and adds it to `files` unless it is already there, as in a Chef cookbook.
pub(super) fn read(own: &Crate, at: &LitStr, recipe: &Recipe, files: &mut Vec<Read>) -> Result<Teardown, Refusal> {
    let text = at.value();
    let teardown = if let Some(chef) = &recipe.chef {
        let teardown = chef_recipe_path(&text).map_err(|error| Refusal {
            message: error.to_string(),
            help: format!("write `teardown = \"{}::remove\"`", chef.cookbook_dir),
        })?;
        if teardown.cookbook_dir != chef.cookbook_dir {
            return Err(Refusal {
                message: format!("the teardown `{text}` is not in the cookbook `{}`", chef.cookbook),
                help: format!("write `teardown = \"{}::{}\"`", chef.cookbook_dir, teardown.recipe),
            });
        }
        own.file("teardown", &teardown.file)?;
        Teardown { entry: format!("{}::{}", teardown.cookbook, teardown.recipe), file: teardown.file }
    } else {
        if Tool::of_path(&text) != Some(recipe.tool) {
            return Err(refused::other_tool(&text, recipe.tool, &recipe.shown));
        }
        let file = found(recipe.tool, "teardown", own.file("teardown", &text)?)?;
        if file.text().is_none() {
            return Err(refused::not_text("teardown", &text));
        }
        let path = file.path.clone();
        if path != recipe.shown {
            files.push(file);
        }
        Teardown { entry: path.clone(), file: path }
    };
    if teardown.entry == recipe.entry {
        return Err(refused::same(&text));
    }
    Ok(teardown)
}

/// Reports faults that the tool would refuse.
pub(super) fn check(at: &LitStr, teardown: &Teardown, recipe: &Recipe, files: &[Read], errors: &mut Errors) {
    let of_run = files.iter().filter(|file| file.path != recipe.shown);
    let texts = of_run.filter_map(|file| Some((file.path.as_str(), file.text()?)));
    if let Err(error) = analyse_run(recipe.tool, &teardown.entry, texts) {
        malformed(at, "teardown", recipe.tool, &error, errors);
    }
}
