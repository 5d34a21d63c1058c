//! Checks names before anything is written: whether they are allowed in a data space and in a folder.

use wattle::lower::Seed;

use crate::store::check_path;

use super::SeedError;

/// Refuses a name that cannot be part of a path or of a login (ZooKeeper's digest scheme ends a name at a colon). `of`
/// is what it names.
pub(crate) fn check(of: &'static str, name: &str) -> Result<(), SeedError> {
    let refuse = |why| Err(SeedError::Name { of, name: name.to_owned(), why });
    match name {
        "" => refuse("it is empty"),
        "." | ".." => refuse("it has a special meaning in a path"),
        _ if name.contains(['/', ':']) => refuse("it has a `/` or a `:`"),
        _ if name.chars().any(char::is_control) => refuse("it has an invisible character"),
        _ if check_path(&format!("/{name}")).is_err() => refuse("ZooKeeper does not accept one of its characters"),
        _ => Ok(()),
    }
}

/// Refuses a name that commands would take for an option. `delete` and `status` still accept those that an earlier
/// version has accepted.
pub(crate) fn check_given(of: &'static str, name: &str) -> Result<(), SeedError> {
    if name.starts_with('-') {
        let why = "it begins with `-`, so that commands take it for an option";
        return Err(SeedError::Name { of, name: name.to_owned(), why });
    }
    check(of, name)
}

/// Refuses a seed that contains such a name. `emit` does not write such seeds.
pub(crate) fn check_all(seed: &Seed) -> Result<(), SeedError> {
    check_given("stack", &seed.stack)?;
    for (name, server) in &seed.servers {
        check_given("server", name)?;
        server.components.keys().try_for_each(|name| check("component", name))?;
        server.publishes.keys().try_for_each(|name| check("attribute", name))?;
    }
    for declaration in seed.declarations.values() {
        declaration.inputs.keys().try_for_each(|name| check("input", name))?;
        declaration.outputs.keys().try_for_each(|name| check("output", name))?;
    }
    for entry in seed.entries.keys() {
        let parts: Vec<&str> = entry.split('/').collect();
        if parts.len() != 3 {
            let why = "it is not SERVER/COMPONENT/OUTPUT";
            return Err(SeedError::Name { of: "entry", name: entry.to_string(), why });
        }
        parts.into_iter().try_for_each(|name| check("part of an entry", name))?;
    }
    seed.exports.keys().try_for_each(|name| check("export", name))?;
    // They are named by their digests.
    seed.recipes.keys().try_for_each(|name| check("recipe's file", name.strip_prefix("sha256:").unwrap_or(name)))
}

#[cfg(test)]
mod tests {
    use super::{check, check_given};

    #[test]
    fn names_are_parts_of_paths() {
        for name in ["shop", "apps.node1", "1e3", "größe", "a b", "...", "-"] {
            assert!(check("server", name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "../x", "a/b", "a:b", "a\nb", "a\0", "\u{85}", "\u{e000}", "\u{1f600}"] {
            let refused = check("server", name).expect_err(name).to_string();
            assert!(refused.contains("cannot be the name of a server"), "{refused}");
            assert!(check_given("server", name).is_err(), "{name}");
        }
        assert!(check_given("stack", "a-b").is_ok());
        let refused = check_given("stack", "-y").expect_err("an option").to_string();
        assert!(refused.contains("it begins with `-`"), "{refused}");
    }
}
