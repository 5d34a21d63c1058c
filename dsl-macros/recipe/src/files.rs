//! Files that a recipe uses, by the paths that stand in it.

use crate::analysis::Include;

/// Where a file may be that is used: relative to the folder of the file that uses it, to the one above that (of a role), or
/// to where the recipe runs, which is the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Beside(String),
    Above(String),
    /// In any of the folders that the file is in, the innermost first.
    Within(String),
    Root(String),
}

/// A file or folder that a file of a recipe uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    line: u32,
    places: Vec<Place>,
    needed: Needed,
}

/// Whether a recipe fails without a file that the crate does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    /// Something else may have it, as far as the path tells.
    No,
    /// Something else may have it.
    Spare,
    /// Nothing but the crate can have it, unless the file that uses it is run by another one.
    First,
    /// Nothing but the crate can have it.
    Yes,
}

/// A file that a recipe uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedFile {
    /// The file that uses it, as it was given.
    pub by: String,
    /// The line of it that does so, counted from one.
    pub line: u32,
    /// Where it may be, in the order in which it is looked for; a folder is used as a whole.
    pub places: Vec<String>,
    /// The recipe fails without it: nothing else than the crate could have it.
    pub is_needed: bool,
}

impl Use {
    /// The same, of which nothing but the crate can have the file.
    pub(crate) fn needed(self) -> Self {
        if self.needed == Needed::Spare { self } else { Self { needed: Needed::Yes, ..self } }
    }

    /// The same, of which nothing but the crate can have the file when the recipe begins with what uses it.
    pub(crate) fn needed_first(self) -> Self {
        Self { needed: Needed::First, ..self }
    }

    /// The same, which something else may have as well.
    pub(crate) fn spare(self) -> Self {
        Self { needed: Needed::Spare, ..self }
    }

    /// A path that is relative to where the recipe runs.
    pub(crate) fn here(path: &str, line: u32) -> Option<Self> {
        constant(path).map(|path| Self { line, places: vec![Place::Root(path.to_owned())], needed: Needed::No })
    }

    /// A path that is relative to the folder of the file, or, since both may be meant, to where the recipe runs.
    pub(crate) fn beside(path: &str, line: u32) -> Option<Self> {
        let places = |path: &str| vec![Place::Beside(path.to_owned()), Place::Root(path.to_owned())];
        constant(path).map(|path| Self { line, places: places(path), needed: Needed::No })
    }

    /// A path that Ansible looks for in `folder` of the role or beside the playbook, then beside the file.
    pub(crate) fn of_ansible(folder: &str, path: &str, line: u32) -> Option<Self> {
        // The folder of the playbook, which roles may be below.
        if let Some(path) = path.strip_prefix("{{").and_then(|path| path.trim_start().strip_prefix("playbook_dir")) {
            let path = path.trim_start().strip_prefix("}}/")?;
            return Self::beside(path, line);
        }
        let path = constant(path)?;
        let below = format!("{folder}/{path}");
        let mut places = vec![Place::Above(below.clone()), Place::Beside(below), Place::Beside(path.to_owned())];
        if folder == "roles" {
            places = vec![Place::Beside(format!("roles/{path}")), Place::Root(format!("roles/{path}"))];
        }
        Some(Self { line, places, needed: Needed::No })
    }

    /// Paths below Salt's roots, which are the folder of the recipe and the crate; of several, the first that is there counts.
    pub(crate) fn of_salt(paths: &[&str], line: u32) -> Option<Self> {
        let places: Option<Vec<Place>> =
            paths.iter().map(|path| constant(path).map(|path| Place::Within(path.to_owned()))).collect();
        places.map(|places| Self { line, places, needed: Needed::No })
    }

    /// `MODULE/PATH` of Puppet, in `folder` of that module; no folder is the module.
    pub(crate) fn of_module(folder: &str, path: &str, line: u32) -> Option<Self> {
        let (module, path) = constant(path)?.split_once('/').unwrap_or((path, ""));
        let below = format!("modules/{module}/{folder}/{path}");
        let below = below.trim_end_matches('/').to_owned();
        Some(Self { line, places: vec![Place::Beside(below.clone()), Place::Root(below)], needed: Needed::No })
    }

    /// Whether this is the file that is made at `path`, or is in the folder there.
    pub(crate) fn is_below(&self, path: &str) -> bool {
        let path = format!("/{path}/");
        self.places.iter().any(|place| {
            let (Place::Beside(own) | Place::Above(own) | Place::Within(own) | Place::Root(own)) = place;
            format!("/{own}/").contains(&path)
        })
    }

    /// The places, of a file at `by`, with which the recipe begins or not.
    pub(crate) fn of(self, by: &str, is_entry: bool) -> UsedFile {
        let folder = by.rsplit_once('/').map_or("", |(folder, _)| folder);
        let above = |folder: &str| folder.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
        let in_role = matches!(folder.rsplit('/').next(), Some("tasks" | "handlers" | "vars" | "defaults"));
        let around = || folder.match_indices('/').map(|(at, _)| &folder[..at]).chain([folder]).collect::<Vec<_>>();
        let within = |path: &str| around().into_iter().rev().map(|folder| format!("{folder}/{path}")).collect();
        let places = self.places.into_iter().flat_map(|place| match place {
            Place::Beside(path) => vec![format!("{folder}/{path}")],
            Place::Above(path) if in_role => vec![format!("{}/{path}", above(folder))],
            Place::Above(_) => Vec::new(),
            Place::Within(path) if folder.is_empty() => vec![path],
            Place::Within(path) => [within(&path), vec![path]].concat(),
            Place::Root(path) => vec![path],
        });
        let mut places: Vec<String> = places.filter_map(|place| normal(&place)).collect();
        places.dedup();
        let is_needed = self.needed == Needed::Yes || self.needed == Needed::First && is_entry;
        UsedFile { by: by.to_owned(), line: self.line, places, is_needed }
    }
}

impl UsedFile {
    /// Whether one of the files at `paths` is it, or is in it.
    pub fn is_given(&self, paths: &[&str]) -> bool {
        self.places.iter().any(|place| {
            paths.iter().any(|path| {
                path.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
    }
}

/// A path that is neither computed nor absolute nor an address.
fn constant(path: &str) -> Option<&str> {
    let is_computed = path
        .contains(['{', '$', '*', '?', '<', '%', '\0', '\u{1}', '\u{2}', '\u{3}', '\u{4}', '~', ' ', '\n'])
        || path.contains("://");
    (!path.is_empty() && !path.starts_with('/') && !is_computed).then_some(path)
}

/// The path without `.` and `..`; nothing if it leaves the crate.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// The cookbook that an included recipe of Chef is of, beside the one at `path`.
pub(crate) fn cookbook(include: &Include, path: &str) -> Option<UsedFile> {
    let Include::Cookbook { cookbook, folder: "recipes", .. } = include else { return None };
    let (above, _) = path.rsplit_once("/recipes/")?;
    let (beside, _) = above.rsplit_once('/')?;
    let places = vec![format!("{beside}/{cookbook}")];
    (!cookbook.is_empty()).then(|| UsedFile { by: path.to_owned(), line: 1, places, is_needed: false })
}
