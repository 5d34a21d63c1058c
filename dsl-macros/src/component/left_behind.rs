//! Files of the crate that the recipe uses and that are not included or do not exist.

use syn::LitStr;
use wattle_recipe::refused::{Home, left_behind};

use crate::errors::Errors;

use super::files::{Crate, Read};
use super::recipe::Recipe;

/// Reports each file that the recipe uses and that is not included, or that does not exist in the crate.
pub(super) fn note(
    own: &Crate,
    at: &LitStr,
    recipe: &Recipe,
    teardown: Option<&String>,
    files: &[Read],
    errors: &mut Errors,
) {
    let texts = files.iter().filter_map(|file| Some((file.path.as_str(), file.text()?)));
    let entries: Vec<&str> = [Some(&recipe.entry), teardown].into_iter().flatten().map(String::as_str).collect();
    for refusal in left_behind(Home::Crate, recipe.tool, &entries, texts, &|path| own.exists(path)) {
        errors.push(at, refusal.message, refusal.help);
    }
}
