//! Files that a recipe uses, by the paths in its text.

use crate::analysis::Include;

/// The possible places of a used file: relative to the folder of the file that uses it, to the parent of that folder (for a
/// role), or to the working directory of the recipe, which is the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Beside(String),
    Above(String),
    /// In any of the enclosing folders of the file, the innermost first.
    Within(String),
    Root(String),
    /// In a folder of the cookbook that contains the file, or in a subfolder for certain platforms or hosts.
    Cookbook(&'static str, String),
}

/// A file or folder that one of a recipe's files uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    line: u32,
    places: Vec<Place>,
    needed: Needed,
}

/// Whether a recipe fails without a file that is missing in the crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    /// Something else may provide it, as far as the path shows.
    No,
    /// Something else may have it.
    Spare,
    /// Only the crate can provide it, unless another file runs the file that uses it.
    First,
    /// Only the crate can provide it, if the crate contains its Puppet module.
    Module,
    /// Only the crate can have it.
    Yes,
}

/// A file that a recipe uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedFile {
    /// The file that uses it, as it was given.
    pub by: String,
    /// The line of the use, counted from one.
    pub line: u32,
    /// The places where it may be, in search order; a folder is used as a whole.
    pub places: Vec<String>,
    /// The recipe fails without it: only the crate could provide it.
    pub is_needed: bool,
}

impl Use {
    /// Marks a file that only the crate can provide.
    pub(crate) fn needed(self) -> Self {
        if self.needed == Needed::Spare { self } else { Self { needed: Needed::Yes, ..self } }
    }

    /// Marks a file that only the crate can provide if the recipe begins with the file that uses it.
    pub(crate) fn needed_first(self) -> Self {
        Self { needed: Needed::First, ..self }
    }

    /// Marks a file that something else may provide as well.
    pub(crate) fn spare(self) -> Self {
        Self { needed: Needed::Spare, ..self }
    }

    /// A path relative to the working directory of the recipe.
    pub(crate) fn here(path: &str, line: u32) -> Option<Self> {
        constant(path).map(|path| Self { line, places: vec![Place::Root(path.to_owned())], needed: Needed::No })
    }

    /// A path relative to the folder of the file, or, since both may be meant, to the working directory of the recipe.
    pub(crate) fn beside(path: &str, line: u32) -> Option<Self> {
        let places = |path: &str| vec![Place::Beside(path.to_owned()), Place::Root(path.to_owned())];
        constant(path).map(|path| Self { line, places: places(path), needed: Needed::No })
    }

    /// A path that Ansible looks for in `folder` of the role or beside the playbook, then beside the file.
    pub(crate) fn of_ansible(folder: &str, path: &str, line: u32) -> Option<Self> {
        // The folder of the playbook, which may contain roles.
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

    /// Paths below Salt's roots, which are the folder of the recipe and the crate; the first existing one of several is
    /// used.
    pub(crate) fn of_salt(paths: &[&str], line: u32) -> Option<Self> {
        let places: Option<Vec<Place>> =
            paths.iter().map(|path| constant(path).map(|path| Place::Within(path.to_owned()))).collect();
        places.map(|places| Self { line, places, needed: Needed::No })
    }

    /// `MODULE/PATH` of Puppet, in `folder` of that module; without a folder, in the module itself.
    pub(crate) fn of_module(folder: &str, path: &str, line: u32) -> Option<Self> {
        let (module, path) = constant(path)?.split_once('/').unwrap_or((path, ""));
        let below = format!("modules/{module}/{folder}/{path}");
        let below = below.trim_end_matches('/').to_owned();
        Some(Self { line, places: vec![Place::Within(below)], needed: Needed::Module })
    }

    /// A file in a folder of the cookbook, which is included as a whole.
    #[cfg_attr(
        not(feature = "chef"),
        expect(dead_code, reason = "without a Ruby parser, nothing is known about cookbooks")
    )]
    pub(crate) fn of_cookbook(folder: &'static str, path: &str, line: u32) -> Option<Self> {
        let places = |path: &str| vec![Place::Cookbook(folder, path.to_owned())];
        constant(path).map(|path| Self { line, places: places(path), needed: Needed::Yes })
    }

    /// Whether this is the file created at `path`, or is in the folder there.
    pub(crate) fn is_below(&self, path: &str) -> bool {
        let path = format!("/{path}/");
        self.places.iter().any(|place| {
            let (Place::Beside(own)
            | Place::Above(own)
            | Place::Within(own)
            | Place::Root(own)
            | Place::Cookbook(_, own)) = place;
            format!("/{own}/").contains(&path)
        })
    }

    /// The places of a file used by `by`, which may be the entry point, given the included files at `paths`.
    pub(crate) fn of(self, by: &str, is_entry: bool, paths: &[&str]) -> UsedFile {
        let mut places: Vec<String> = self.places.iter().flat_map(|place| place.of(by, paths)).collect();
        places.dedup();
        let is_needed = match self.needed {
            Needed::No | Needed::Spare => false,
            Needed::First => is_entry,
            Needed::Yes => true,
            Needed::Module => {
                let given: Vec<String> = places.iter().filter(|place| is_in_module(place, paths)).cloned().collect();
                let is_given = !given.is_empty();
                places = if is_given { given } else { places };
                is_given
            }
        };
        UsedFile { by: by.to_owned(), line: self.line, places, is_needed }
    }
}

impl Place {
    /// The places of this for a file used by `by`.
    fn of(&self, by: &str, paths: &[&str]) -> Vec<String> {
        let folder = by.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (above, own) = folder.rsplit_once('/').unwrap_or(("", folder));
        let found = match self {
            Self::Beside(path) => vec![format!("{folder}/{path}")],
            Self::Above(path) if matches!(own, "tasks" | "handlers" | "vars" | "defaults") => {
                vec![format!("{above}/{path}")]
            }
            Self::Within(path) => {
                let around = folder.match_indices('/').map(|(at, _)| &folder[..at]).chain([folder]);
                let inner = around.filter(|folder| !folder.is_empty()).map(|folder| format!("{folder}/{path}"));
                inner.collect::<Vec<_>>().into_iter().rev().chain([path.clone()]).collect()
            }
            Self::Root(path) => vec![path.clone()],
            Self::Cookbook(kind, path) if matches!(own, "recipes" | "resources" | "providers") => {
                let prefix = format!("{above}/{kind}/");
                let is_there = |given: &&str| {
                    let below = given.strip_prefix(&prefix).map(|below| format!("/{below}/"));
                    below.is_some_and(|below| below.contains(&format!("/{path}/")))
                };
                let is_there = paths.iter().any(is_there);
                if is_there { Vec::new() } else { vec![format!("{prefix}{path}"), format!("{prefix}default/{path}")] }
            }
            Self::Above(_) | Self::Cookbook(..) => Vec::new(),
        };
        found.iter().filter_map(|place| normal(place)).collect()
    }
}

/// Whether a place in a module is in one of the included modules.
fn is_in_module(place: &str, paths: &[&str]) -> bool {
    let Some((above, below)) = place.rsplit_once("modules/") else { return false };
    let module = below.split('/').next().unwrap_or_default();
    let folder = format!("{above}modules/{module}/");
    folder.len() < place.len() && paths.iter().any(|path| path.starts_with(&folder))
}

impl UsedFile {
    /// Whether it is, or contains, one of the files at `paths`.
    pub fn is_given(&self, paths: &[&str]) -> bool {
        self.places.iter().any(|place| {
            paths.iter().any(|path| {
                path.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
    }
}

/// A path that is neither computed, nor absolute, nor a URL.
fn constant(path: &str) -> Option<&str> {
    let is_computed = path
        .contains(['{', '$', '*', '?', '<', '%', '\0', '\u{1}', '\u{2}', '\u{3}', '\u{4}', '~', ' ', '\n'])
        || path.contains("://");
    (!path.is_empty() && !path.starts_with('/') && !is_computed).then_some(path)
}

/// The path without `.` and `..`; `None` if it leaves the crate.
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

/// The cookbook of an included Chef recipe, beside the one at `path`.
pub(crate) fn cookbook(include: &Include, path: &str) -> Option<UsedFile> {
    let Include::Cookbook { cookbook, folder: "recipes", .. } = include else { return None };
    let (above, _) = path.rsplit_once("/recipes/")?;
    let (beside, _) = above.rsplit_once('/')?;
    let places = vec![format!("{beside}/{cookbook}")];
    (!cookbook.is_empty()).then(|| UsedFile { by: path.to_owned(), line: 1, places, is_needed: false })
}
