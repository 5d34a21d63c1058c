//! A template with the files of the recipes that it names.

use wattle_heat::Loaded;
use wattle_heat::files::Files;
use wattle_heat::parameters::Inputs;

use crate::model::written_recipes;

/// The template in `text`, whose file is called `name`, with everything that it names, the files of recipes included.
pub fn load(text: &str, name: &str, files: &dyn Files, inputs: &Inputs) -> Loaded {
    let loaded = Loaded::load(text, name, files, inputs);
    let recipes = written_recipes(&loaded.template);
    loaded.with_recipes(recipes, files)
}
