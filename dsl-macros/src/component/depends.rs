//! Dependencies of cookbooks, as declared in their `metadata.rb`.

use wattle_recipe::ChefRecipe;
use wattle_recipe::refused::Refusal;

use super::files::{Crate, Read};

/// Adds to `files` every cookbook that the cookbook of `chef` depends on, directly or not, and their folders to `brought`.
///
/// Those that the author lists in `files` come from there, unless they are beside the cookbook.
pub(super) fn bring(
    own: &Crate,
    chef: &ChefRecipe,
    named: &[String],
    files: &mut Vec<Read>,
    brought: &mut Vec<String>,
) -> Result<(), Refusal> {
    let mut parents: Vec<&str> = chef.cookbook_dir.split('/').filter(|part| *part != ".").collect();
    parents.pop();
    let mut cookbooks = vec![chef.cookbook.clone()];
    let mut next = 0;
    while let Some(cookbook) = cookbooks.get(next).cloned() {
        next += 1;
        for needed in dependencies(files, &cookbook) {
            if cookbooks.contains(&needed) {
                continue;
            }
            let folder = [&parents[..], &[needed.as_str()]].concat().join("/");
            if own.has(&folder) {
                files.extend(own.files("cookbook", &folder)?);
                brought.push(folder);
            } else if !named.iter().any(|path| path.trim_end_matches('/').rsplit('/').next() == Some(&*needed)) {
                return Err(Refusal {
                    message: format!("the cookbook `{needed}`, on which `{cookbook}` depends, is not next to it"),
                    help: format!("put it at `{folder}`, or remove `depends '{needed}'` from the `metadata.rb`"),
                });
            }
            cookbooks.push(needed);
        }
    }
    Ok(())
}

/// The cookbooks that the `metadata.rb` of `cookbook` names.
fn dependencies(files: &[Read], cookbook: &str) -> Vec<String> {
    let end = format!("{cookbook}/metadata.rb");
    let is_metadata =
        |file: &&Read| file.path.strip_suffix(&*end).is_some_and(|front| front.is_empty() || front.ends_with('/'));
    let metadata = files.iter().find(is_metadata).and_then(Read::text).unwrap_or_default();
    metadata.lines().filter_map(dependency).map(str::to_owned).collect()
}

/// `NAME` in `depends 'NAME', '>= 1.0'`.
fn dependency(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("depends")?;
    let name = rest.trim_start_matches([' ', '\t', '(']);
    let quote = name.chars().next()?;
    let (name, _) = name.strip_prefix(['\'', '"'])?.split_once(quote)?;
    (!name.is_empty() && !name.contains(['/', '#'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::dependency;

    #[test]
    fn dependencies_are_known_by_their_line() {
        for (line, name) in [
            ("depends 'was'", Some("was")),
            ("  depends \"was\", '>= 1.0' # newer", Some("was")),
            ("depends('was')", Some("was")),
            ("# depends 'was'", None),
            ("depends name", None),
            ("depends \"#{prefix}was\"", None),
            ("dependsonly 'was'", None),
            ("supports 'debian'", None),
            ("depends", None),
        ] {
            assert_eq!(dependency(line), name, "{line}");
        }
    }
}
