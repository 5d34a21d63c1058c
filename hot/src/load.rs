//! A template with its recipe files.

use wattle_heat::Loaded;
use wattle_heat::files::Files;
use wattle_heat::parameters::Inputs;

use crate::model::{used_by_recipes, written_recipes};

/// Loads the template in `text`, from the file `name`, with everything that it refers to, including recipe files.
pub fn load(text: &str, name: &str, files: &dyn Files, inputs: &Inputs) -> Loaded {
    let loaded = Loaded::load(text, name, files, inputs);
    let recipes = written_recipes(&loaded.template);
    let loaded = loaded.with_recipes(recipes, files);
    let used = used_by_recipes(&loaded);
    loaded.with_used(used, files)
}
