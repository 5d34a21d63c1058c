//! A template with the recipe files that it names.

use wattle_heat::Loaded;
use wattle_heat::files::Files;
use wattle_heat::parameters::Inputs;

use crate::model::written_recipes;

/// Loads the template in `text`, whose file is called `name`, with everything that it names, including recipe files.
pub fn load(text: &str, name: &str, files: &dyn Files, inputs: &Inputs) -> Loaded {
    let loaded = Loaded::load(text, name, files, inputs);
    let recipes = written_recipes(&loaded.template);
    loaded.with_recipes(recipes, files)
}
