//! Files of the crate that the recipe uses and that do not travel along, or that are not there.

use syn::LitStr;
use wattle_recipe::{Tool, used_files};
use wattle_words::names::join;

use crate::errors::Errors;

use super::files::{Crate, Read};
use super::recipe::Recipe;

/// Notes each file that the recipe uses and that does not travel along, or that the crate does not have.
pub(super) fn note(
    own: &Crate,
    at: &LitStr,
    recipe: &Recipe,
    teardown: Option<&String>,
    files: &[Read],
    errors: &mut Errors,
) {
    let texts = files.iter().filter_map(|file| Some((file.path.as_str(), file.text()?)));
    let mut noted: Vec<String> = Vec::new();
    let entries: Vec<&str> = [Some(&recipe.entry), teardown].into_iter().flatten().map(String::as_str).collect();
    for used in used_files(recipe.tool, &entries, texts) {
        let place = used.places.iter().find(|place| own.exists(place));
        let Some(named) = place.or_else(|| used.places.first().filter(|_| used.is_needed)) else { continue };
        if noted.contains(named) {
            continue;
        }
        let (by, line) = (&used.by, used.line);
        if place.is_some() {
            let message = format!("`{by}` uses `{named}` on line {line}, which does not travel along");
            errors.push(at, message, format_args!("add it next to the recipe: `files = [\"{named}\"]`"));
        } else {
            let others = used.places[1..].iter().map(|place| format!("`{place}`"));
            let others = join(others, "or");
            let nor = if others.is_empty() { others } else { format!("; nor is {others}") };
            let message = format!("`{by}` uses `{named}` on line {line}, which is not in the crate{nor}");
            errors.push(at, message, lacking(own, recipe.tool, by, named));
        }
        noted.push(named.clone());
    }
}

/// What to do about a file that the crate does not have where `by` looks for it.
fn lacking(own: &Crate, tool: Tool, by: &str, named: &str) -> String {
    let folder = by.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = format!("{folder}/{named}");
    match tool {
        // A recipe starts at the root of the crate's files, wherever it stands itself.
        Tool::Shell if !folder.is_empty() && own.exists(&beside) => format!(
            "a recipe starts at the root of the crate, not in its own folder: for `{beside}` write \
             `\"$(dirname \"$0\")/{named}\"`, and add the file to `files`"
        ),
        Tool::Shell => "create it, and add it to `files`; if something else creates it, first test whether it exists: \
                        `[ -e FILE ]`"
            .to_owned(),
        Tool::Chef => "create it: the cookbook travels as a whole".to_owned(),
        Tool::Ansible | Tool::Puppet | Tool::Salt => "create it, and add it to `files`".to_owned(),
    }
}
