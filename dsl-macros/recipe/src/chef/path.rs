//! The location of the recipe that `cookbooks/db2::server` names.

use crate::names::{extension, is_output};

/// A recipe of a Chef cookbook. Paths are relative to the crate, as the author wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChefRecipe {
    /// `cookbooks/db2`
    pub cookbook_dir: String,
    /// `db2`
    pub cookbook: String,
    /// `server`; `default` if the author named none.
    pub recipe: String,
    /// `cookbooks/db2/recipes/server.rb`
    pub file: String,
}

/// Why a text does not name a recipe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` does not name a Chef recipe: {reason}")]
pub struct ChefRecipeError {
    /// What the author wrote.
    pub text: String,
    /// The fault, in lower case.
    pub reason: &'static str,
}

/// Parses `cookbooks/db2::server`: the cookbook's folder, and the recipe unless it is `default`.
///
/// # Errors
///
/// The folder is empty, absolute or outside the crate, or a name contains characters other than letters, digits, `_` and
/// `-`.
pub fn chef_recipe_path(text: &str) -> Result<ChefRecipe, ChefRecipeError> {
    let error = |reason| ChefRecipeError { text: text.to_owned(), reason };
    let (folder, recipe) = text.split_once("::").unwrap_or((text, "default"));
    let cookbook_dir = folder.strip_suffix('/').unwrap_or(folder);
    let cookbook = cookbook_dir.rsplit('/').next().unwrap_or_default();
    if cookbook_dir.is_empty() {
        return Err(error("the folder of the cookbook is missing"));
    }
    if cookbook_dir.starts_with('/') {
        return Err(error("the folder of the cookbook must be relative to the crate"));
    }
    if cookbook_dir.split('/').any(|part| part.is_empty() || part == "..") {
        return Err(error("the folder of the cookbook must lie inside the crate"));
    }
    if !is_output(cookbook) {
        return Err(error("a cookbook's name is letters, digits, `_` and `-`"));
    }
    if recipe.is_empty() {
        return Err(error("the recipe after `::` is missing"));
    }
    if extension(recipe) == Some("rb") {
        return Err(error("a recipe is named without `.rb`"));
    }
    if !recipe.bytes().all(crate::names::is_output_byte) {
        return Err(error("a recipe's name is letters, digits, `_` and `-`"));
    }
    Ok(ChefRecipe {
        cookbook_dir: cookbook_dir.to_owned(),
        cookbook: cookbook.to_owned(),
        recipe: recipe.to_owned(),
        file: format!("{cookbook_dir}/recipes/{recipe}.rb"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_named_by_cookbook_and_recipe() {
        let recipe = chef_recipe_path("cookbooks/db2::server");
        assert_eq!(
            recipe,
            Ok(ChefRecipe {
                cookbook_dir: "cookbooks/db2".into(),
                cookbook: "db2".into(),
                recipe: "server".into(),
                file: "cookbooks/db2/recipes/server.rb".into(),
            })
        );
    }

    #[test]
    fn the_default_recipe_needs_no_name() {
        for text in ["db2", "db2/", "./db2::default"] {
            let recipe = chef_recipe_path(text).expect("well formed");
            assert_eq!((recipe.cookbook.as_str(), recipe.recipe.as_str()), ("db2", "default"), "{text}");
            assert!(recipe.file.ends_with("db2/recipes/default.rb"), "{text}");
        }
    }

    #[test]
    fn malformed_names_say_why() {
        for (text, reason) in [
            ("", "the folder of the cookbook is missing"),
            ("::server", "the folder of the cookbook is missing"),
            ("/srv/db2", "the folder of the cookbook must be relative to the crate"),
            ("../db2", "the folder of the cookbook must lie inside the crate"),
            ("cookbooks//db2", "the folder of the cookbook must lie inside the crate"),
            ("cookbooks/d b2", "a cookbook's name is letters, digits, `_` and `-`"),
            ("db2::", "the recipe after `::` is missing"),
            ("db2::server.rb", "a recipe is named without `.rb`"),
            ("db2::a::b", "a recipe's name is letters, digits, `_` and `-`"),
        ] {
            let error = chef_recipe_path(text).expect_err(text);
            assert_eq!(error.reason, reason, "{text}");
            assert_eq!(error.to_string(), format!("`{text}` does not name a Chef recipe: {reason}"));
        }
    }
}
