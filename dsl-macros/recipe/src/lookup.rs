//! Names that a recipe looks up although nothing sets them, and the inputs that were probably meant.

use std::collections::{BTreeMap, BTreeSet};

use wattle_words::names::{likeness, most_alike};

/// The minimum similarity of a name to an input to count as a misspelling of it; less similar names may come from
/// elsewhere.
const ALIKE: f64 = 0.8;

/// The names that a file reads, and those that it sets itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// Required names: they have no default. With the first line.
    needs: BTreeMap<String, u32>,
    /// Variables that do not exist, whatever the inputs are named: the tool passes inputs in another way.
    missing: BTreeMap<String, u32>,
    /// Names that get a value here, in any order.
    sets: BTreeSet<String>,
    /// Names with a fallback, with the first line of one. Only misspelt inputs are reported.
    asks: BTreeMap<String, u32>,
    /// Names whose existence the recipe tests, or that the machine may define: only misspelt inputs are reported.
    spares: BTreeSet<String>,
    /// It sets computed names, or runs unavailable code that does.
    pub(crate) anything: bool,
    /// Files, by their names without folders, whose keys are names that it sets.
    files: BTreeSet<String>,
}

/// A name that a recipe looks up and that nothing sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The file that looks it up, as it was given.
    pub path: String,
    /// The first line of the lookup, counted from one.
    pub line: u32,
    /// The name, as spelt in [`crate::Analysis`].
    pub name: String,
    /// The input that was probably meant, if the name is similar to one.
    pub meant: Option<String>,
    /// It is a variable. Inputs are not variables, even if they have the same name: see [`crate::reading`].
    pub is_variable: bool,
}

impl Names {
    pub(crate) fn need(&mut self, name: &str, line: u32) {
        match self.needs.get_mut(name) {
            Some(known) => *known = line.min(*known),
            None => drop(self.needs.insert(name.to_owned(), line)),
        }
    }

    /// Records that the recipe has a fallback for the name.
    pub(crate) fn ask(&mut self, name: &str, line: u32) {
        if crate::names::is_identifier(name) {
            let known = self.asks.entry(name.to_owned()).or_insert(line);
            *known = line.min(*known);
        }
    }

    /// Records a variable that does not exist.
    pub(crate) fn miss(&mut self, name: &str, line: u32) {
        self.missing.entry(name.to_owned()).or_insert(line);
    }

    /// The required names that it does not set, with their lines.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (&str, u32)> {
        self.needs.iter().filter(|(name, _)| !self.sets.contains(*name)).map(|(name, line)| (name.as_str(), *line))
    }

    /// The required names.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &str> {
        self.needs.keys().map(String::as_str)
    }

    pub(crate) fn set(&mut self, name: &str) {
        if !self.sets.contains(name) {
            self.sets.insert(name.to_owned());
        }
    }

    /// Records that the recipe works without a value, or that something else may set it.
    pub(crate) fn spare(&mut self, name: &str) {
        self.spares.insert(name.to_owned());
    }

    /// Records this for all required names.
    pub(crate) fn spare_all(&mut self) {
        self.spares.extend(self.needs.keys().cloned());
    }

    /// Records that the recipe sets the keys of a file, whose name may be computed.
    pub(crate) fn set_by(&mut self, path: &str) {
        self.anything |= path.is_empty() || path.contains(['{', '*']);
        self.files.insert(crate::names::file_name(path).to_owned());
    }

    pub(crate) fn merge(&mut self, other: Self) {
        other.needs.iter().for_each(|(name, line)| self.need(name, *line));
        other.missing.iter().for_each(|(name, line)| self.miss(name, *line));
        other.asks.iter().for_each(|(name, line)| self.ask(name, *line));
        self.sets.extend(other.sets);
        self.spares.extend(other.spares);
        self.files.extend(other.files);
        self.anything |= other.anything;
    }
}

/// The required names of each file that no file sets and that are not inputs. A name that is similar to no input is
/// reported once, and only if it is one of the recipe's `own` names, which no machine defines.
pub(crate) fn unknown(files: &[(&str, Names)], inputs: &[&str], own: impl Fn(&str) -> bool) -> Vec<UnknownName> {
    let is_given = |file: &String| files.iter().any(|(path, _)| crate::names::file_name(path) == file);
    if files.iter().any(|(_, names)| names.anything || !names.files.iter().all(is_given)) {
        return Vec::new();
    }
    let is_set = |name: &str| files.iter().any(|(_, names)| covers(&names.sets, name));
    let is_spare = |name: &str| files.iter().any(|(_, names)| covers(&names.spares, name));
    let inputs_set: BTreeSet<String> = inputs.iter().map(|&name| name.to_owned()).collect();
    let mut found: Vec<UnknownName> = Vec::new();
    for (path, names) in files {
        for (name, line) in &names.needs {
            if covers(&inputs_set, name) || is_set(name) {
                continue;
            }
            let meant = meant(name, inputs);
            let is_noted = || found.iter().any(|known| known.name == *name);
            if meant.is_none() && (!own(name) || is_spare(name) || is_noted()) {
                continue;
            }
            found.push(UnknownName {
                path: (*path).to_owned(),
                line: *line,
                name: name.clone(),
                meant,
                is_variable: false,
            });
        }
        for (name, line) in &names.missing {
            let exact = inputs.iter().find(|input| *input == name).map(|input| (*input).to_owned());
            let meant = exact.or_else(|| meant(name, inputs));
            found.push(UnknownName {
                path: (*path).to_owned(),
                line: *line,
                name: name.clone(),
                meant,
                is_variable: true,
            });
        }
        for (name, line) in names.asks.iter().filter(|(name, _)| !names.needs.contains_key(*name)) {
            let is_known = covers(&inputs_set, name) || is_set(name);
            let Some(meant) = meant(name, inputs).filter(|meant| !is_known && is_slip(name, meant)) else { continue };
            found.push(UnknownName {
                path: (*path).to_owned(),
                line: *line,
                name: name.clone(),
                meant: Some(meant),
                is_variable: false,
            });
        }
    }
    found
}

/// Whether the name, an ancestor of it or a descendant of it is among `known`: `db2` for `db2/port`, and vice versa.
fn covers(known: &BTreeSet<String>, name: &str) -> bool {
    let above = name.match_indices('/').map(|(at, _)| &name[..at]).chain([name]).any(|path| known.contains(path));
    let below = format!("{name}/");
    above || known.range(below.clone()..).next().is_some_and(|path| path.starts_with(&below))
}

/// The input that `name` is similar to. For paths, all parts but one must be equal.
fn meant(name: &str, inputs: &[&str]) -> Option<String> {
    let parts: Vec<&str> = name.split('/').collect();
    let is_near = |input: &&&str| {
        let own: Vec<&str> = input.split('/').collect();
        let behind = parts.get(own.len()..).is_some();
        let differ: Vec<_> = own.iter().zip(&parts).filter(|(own, part)| own != part).collect();
        behind && matches!(differ.as_slice(), [(own, part)] if alike(own, part) > ALIKE)
    };
    let near = inputs.iter().filter(is_near).copied();
    let cut = |input: &str| parts[..input.split('/').count()].join("/");
    most_alike(near, |input| likeness(&cut(input).to_lowercase(), &input.to_lowercase())).map(str::to_owned)
}

/// Whether an optional name is nevertheless a misspelt input. A name that differs only in case or in an ending is a
/// different name, such as the `PORT` of a person who runs the script manually, or one of several `ports`.
fn is_slip(name: &str, input: &str) -> bool {
    let (name, input) = (name.to_lowercase(), input.to_lowercase());
    !name.starts_with(&input) && !input.starts_with(&name)
}

fn alike(one: &str, other: &str) -> f64 {
    let folded = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let (one, other) = (folded(one), folded(other));
    let (short, long) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
    // `exporter` has all letters of `port`, but is a different word.
    if long.len() - short.len() > (short.len() / 3).max(1) && !long.starts_with(short.as_str()) {
        return 0.0;
    }
    // Otherwise, a typo in a short name would not be similar enough.
    let slip = if likeness(&one, &other) >= 0.75 && one.len().max(other.len()) <= 4 { 0.85 } else { 0.0 };
    likeness(&one, &other).max(slip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(name: &str, inputs: &[&str]) -> Option<String> {
        let mut names = Names::default();
        names.need(name, 3);
        unknown(&[("x", names)], inputs, |_| true).pop()?.meant
    }

    #[test]
    fn only_what_is_like_an_input_is_one_misspelt() {
        for (name, input) in
            [("naem", "name"), ("heep", "heap"), ("PORT", "port"), ("db_pasword", "db_password"), ("dbUrl", "db_url")]
        {
            assert_eq!(near(name, &["other", input]).as_deref(), Some(input), "{name}");
        }
        for (name, input) in
            [("name", "name"), ("debug", "database"), ("i", "name"), ("host", "port"), ("exporter", "port"), ("x", "y")]
        {
            assert_eq!(near(name, &[input]), None, "{name}");
        }
    }

    #[test]
    fn of_a_path_one_part_is_misspelt() {
        assert_eq!(near("db2/prot", &["db2/port"]).as_deref(), Some("db2/port"));
        assert_eq!(near("db2/prot/first", &["db2/port"]).as_deref(), Some("db2/port"));
        for name in ["db2", "db2/port/first", "platform/port", "db2/name"] {
            assert_eq!(near(name, &["db2/port"]), None, "{name}");
        }
    }

    #[test]
    fn what_is_set_anywhere_is_known() {
        let mut needs = Names::default();
        needs.need("naem", 1);
        let mut sets = Names::default();
        sets.set("naem");
        assert_eq!(unknown(&[("a", needs.clone()), ("b", sets)], &["name"], |_| true), []);
        needs.anything = true;
        assert_eq!(unknown(&[("a", needs)], &["name"], |_| true), []);
    }

    #[test]
    fn what_is_like_no_input_is_reported_once_if_nobody_else_may_give_it() {
        let mut names = Names::default();
        names.need("zeta", 1);
        let found = unknown(&[("a", names.clone()), ("b", names.clone())], &["name"], |_| true);
        assert!(matches!(&*found, [one] if one.name == "zeta" && one.meant.is_none()), "{found:?}");
        assert_eq!(unknown(&[("a", names.clone())], &["name"], |_| false), []);
        names.spare("zeta");
        assert_eq!(unknown(&[("a", names)], &["name"], |_| true), []);
    }
}
