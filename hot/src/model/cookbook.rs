//! Recipes in Chef cookbooks: the file of each recipe, and the attribute paths of its inputs and outputs.

use wattle::model::{Name, Tool};
use wattle_heat::yaml::{Node, Tree};

use super::{Reader, items, pairs};
use crate::codes::RECIPE;
use crate::model::recipe::path_of;

impl<'l> Reader<'l> {
    /// The `COOKBOOK::RECIPE` that Chef runs for `entry`. Its file is one of `written`.
    pub(super) fn of_cookbook(
        &mut self,
        what: &str,
        node: &'l Node,
        entry: &str,
        written: Option<&'l Node>,
    ) -> Option<Name> {
        let help = "name the cookbook's folder and the recipe: `entry: cookbooks/db2::server`";
        let recipe = match wattle_recipe::chef_recipe_path(entry) {
            Ok(recipe) => recipe,
            Err(error) => {
                let diagnostic =
                    RECIPE.diagnostic(error.to_string()).label(&self.at(node.span), "named here").help(help);
                self.push(diagnostic);
                return None;
            }
        };
        let files: Vec<String> = match written.map(|written| (written, &*written.tree)) {
            Some((written, Tree::Map(_))) => pairs(written).map(|(path, ..)| path).collect(),
            Some((written, _)) => items(written).iter().filter_map(path_of).map(str::to_owned).collect(),
            None => Vec::new(),
        };
        let is_it = |path: &String| match path.strip_suffix(recipe.file.as_str()) {
            Some(before) => {
                before.is_empty() || before == "./" || (recipe.cookbook_dir == recipe.cookbook && before.ends_with('/'))
            }
            None => false,
        };
        if !files.iter().any(is_it) {
            let file = &recipe.file;
            let message = format!("the recipe of {what} runs `{entry}`, but `{file}` is not one of its `files`");
            let diagnostic = RECIPE
                .diagnostic(message)
                .label(&self.at(node.span), "named here")
                .help(format!("list the cookbook's files: `files: [{file}, ...]`"));
            self.push(diagnostic);
            return None;
        }
        Some(format!("{}::{}", recipe.cookbook, recipe.recipe).into())
    }

    /// Inputs and outputs without a `path` are attributes of the cookbook.
    pub(super) fn places_in_cookbooks(&mut self) {
        for declaration in self.model.declarations.values_mut() {
            let recipe = &declaration.recipe;
            let Some((cookbook, _)) = recipe.entry.split_once("::").filter(|_| recipe.tool == Tool::Chef) else {
                continue;
            };
            let inputs = declaration.inputs.iter_mut().map(|(name, input)| (name, &mut input.path));
            let outputs = declaration.outputs.iter_mut().map(|(name, output)| (name, &mut output.path));
            for (name, path) in inputs.chain(outputs).filter(|(_, path)| path.is_empty()) {
                *path = vec![cookbook.into(), name.clone()];
            }
        }
    }
}
