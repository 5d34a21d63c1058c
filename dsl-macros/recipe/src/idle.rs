//! Definitions that a recipe never runs.

use crate::analysis::FileOutline;
use crate::tool::Tool;

/// A definition of a recipe that nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeverRun {
    /// Its kind.
    pub kind: Definition,
    /// Its name; for a virtual resource, its type.
    pub name: String,
    /// Its line, counted from one.
    pub line: u32,
}

/// The kinds of definitions in recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// A shell function that nothing calls.
    Function,
    /// A Puppet class that nothing includes.
    Class,
    /// A Puppet defined type that no resource has.
    DefinedType,
    /// A virtual Puppet resource that nothing realizes.
    Virtual,
    /// An Ansible handler that nothing notifies.
    Handler,
}

/// The first definition in the recipe `entry` of `tool` that none of `files` runs. Of functions, only those with an effect
/// are reported. Nothing is reported if names are computed, or if unavailable files may run the definition.
pub fn never_run<'a>(tool: Tool, entry: &str, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<NeverRun> {
    if !matches!(tool, Tool::Shell | Tool::Puppet | Tool::Ansible) {
        return None;
    }
    let files: Vec<_> = files.into_iter().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
    let (_, source) = files.iter().find(|(path, _)| *path == entry)?;
    let FileOutline { idle, includes, .. } = crate::outline(tool, source).ok()?;
    let is_known = tool == Tool::Puppet || includes.iter().all(|include| !include.is_unknown(&paths, &[]));
    let others = || files.iter().filter(|(path, _)| *path != entry);
    let is_taken_in = |(path, source): &(&str, &str)| {
        let own = Tool::of_path(path).filter(|own| *own == tool)?;
        let found = crate::outline(own, source).ok()?;
        found.includes.iter().any(|include| include.takes_in(entry)).then_some(())
    };
    if !is_known || tool == Tool::Shell && others().any(|file| is_taken_in(file).is_some()) {
        return None;
    }
    let is_mentioned = |one: &NeverRun| {
        let name = one.name.to_ascii_lowercase();
        others().any(|(_, source)| source.to_ascii_lowercase().contains(&name))
    };
    idle.into_iter().find(|one| !is_mentioned(one))
}
