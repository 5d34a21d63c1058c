//! What a recipe defines and never runs.

use crate::analysis::FileOutline;
use crate::tool::Tool;

/// Something that a recipe defines, and that nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeverRun {
    /// What it is.
    pub kind: Definition,
    /// Its name; of a virtual resource, its type.
    pub name: String,
    /// Its line, counted from one.
    pub line: u32,
}

/// What recipes define.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// A function of a shell, which nothing calls.
    Function,
    /// A class of Puppet, which nothing includes.
    Class,
    /// A defined type of Puppet, which no resource has.
    DefinedType,
    /// A virtual resource of Puppet, which nothing realizes.
    Virtual,
    /// A handler of Ansible, which nothing notifies.
    Handler,
}

/// The first of what the recipe `entry` of `tool` defines and none of `files` runs. Of functions, only those that do
/// something are reported. Nothing is reported where what runs is computed, or where files that are not given may run
/// it.
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
