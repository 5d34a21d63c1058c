//! The name of a crate and of the blueprint in it.

use wattle_hot::import::is_keyword;

use crate::cli::error::CommandError;

/// A name that a crate with a blueprint can have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The package's name.
    pub(super) package: String,
    /// The blueprint's name, which is also the stack's: the same name in Rust's spelling.
    pub(super) function: String,
}

/// The maximum number of characters of a name; the limit of crates.io.
const LONGEST: usize = 64;

/// Names that Cargo and the standard library reserve.
const WORDS: &[&str] =
    &["alloc", "build", "core", "deps", "examples", "incremental", "main", "proc_macro", "std", "test"];

/// Names in `files/src/lib.rs` and in its macro expansions, which no other function there can have.
const USED: &[&str] = &["nova", "p", "t"];

impl Name {
    /// # Errors
    /// No crate, function or stack can have that name.
    pub(super) fn read(name: &str) -> Result<Self, CommandError> {
        let Some(wrong) = wrong(name) else {
            return Ok(Self { package: name.to_owned(), function: name.replace('-', "_") });
        };
        let failure = CommandError::usage(wrong).note("nothing was written");
        let failure =
            failure.help("a name has lower-case letters, digits, `-` and `_`, and begins with a letter: `my-shop`");
        Err(failure.help_if(near(name).map(|near| format!("perhaps `{near}`?"))))
    }
}

fn wrong(name: &str) -> Option<String> {
    let function = name.replace('-', "_");
    let wrong = if name.is_empty() {
        return Some("a crate needs a name".to_owned());
    } else if let Some(character) = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-' | '_')) {
        format!("it must not contain `{character}`")
    } else if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        "it does not begin with a letter".to_owned()
    } else if name.len() > LONGEST {
        return Some(format!("a name of {} characters is too long: a crate's name has at most {LONGEST}", name.len()));
    } else if is_keyword(&function) || WORDS.contains(&&*function) {
        "it is a reserved word of Rust or Cargo".to_owned()
    } else if USED.contains(&&*function) {
        "the generated blueprint uses it for something else".to_owned()
    } else if matches!(&*function, "wattle" | "wattle_catalog" | "wattle_macros" | "wattle_recipe") {
        "a crate of wattle has this name".to_owned()
    } else {
        return None;
    };
    Some(format!("`{name}` cannot be the name of a blueprint: {wrong}"))
}

/// The nearest valid name, if there is one.
fn near(name: &str) -> Option<String> {
    if !name.is_ascii() {
        return None;
    }
    let mut near = String::new();
    let mut last = '-';
    for character in name.chars() {
        if character.is_ascii_uppercase() && last.is_ascii_lowercase() {
            near.push('-');
        }
        last = character;
        if character.is_ascii_alphanumeric() || character == '_' {
            near.push(character.to_ascii_lowercase());
        } else if !near.ends_with('-') {
            near.push('-');
        }
    }
    let near = near.trim_matches('-').trim_start_matches(|c: char| !c.is_ascii_lowercase()).to_owned();
    wrong(&near).is_none().then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_and_blueprints() {
        let name = Name::read("my-shop_2").expect("a name");
        assert_eq!((&*name.package, &*name.function), ("my-shop_2", "my_shop_2"));
        for wrong in [
            "",
            "2fast",
            "-x",
            "_x",
            "Shop",
            "my shop",
            "shöp",
            "self",
            "proc-macro",
            "test",
            "wattle",
            "a.b",
            "nova",
            "t",
        ] {
            assert!(Name::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_was_probably_meant() {
        assert_eq!(near("MyShop").as_deref(), Some("my-shop"));
        assert_eq!(near("SHOP2").as_deref(), Some("shop2"));
        assert_eq!(near("größe"), None);
        assert_eq!(near("my shop!").as_deref(), Some("my-shop"));
        assert_eq!(near("2fast").as_deref(), Some("fast"));
        assert_eq!(near("self"), None);
        assert_eq!(near(""), None);
    }
}
