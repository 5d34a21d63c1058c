//! From a template to a crate of Rust: a blueprint that emits a template of the same meaning.
//!
//! What lives here: which Rust says what a template says. What must not: I/O; what is written comes out as files in
//! memory. Nothing of a template is lost: what has no form of its own is said by Heat's names (`raw`, `hot::function`), and
//! what a reader should know of that is a [`Note`], told by the command and beside the code.
//!
//! From outside in: `package` makes the files, `blueprint` one module of each template, `resource`, `parameter` and
//! `value` its parts; `dated` renames properties first, `remark` is comments, `face` what a nested template's module shows;
//! `software` tells which deployments become components; `catalog` knows the typed catalog's names, `names` makes names of
//! Rust, `order` has every handle there before it is used, and `rust` is expressions and their layout.

mod attribute;
mod blueprint;
mod call;
mod catalog;
mod component;
mod dated;
mod face;
mod files;
mod kept;
mod literal;
mod names;
mod note;
mod order;
mod package;
mod parameter;
mod remark;
mod resource;
mod rust;
mod software;
mod sugar;
mod typed;
mod value;
mod valued;

use wattle::model::Source;

use wattle_heat::Loaded;

pub use note::Note;
pub use wattle_catalog_generate::naming::is_keyword;

/// How a crate is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The crate's name, from which the blueprint has its own.
    pub name: String,
    /// Where the crate finds wattle.
    pub wattle: Dependency,
    /// Whether software deployments become components where these say the same.
    pub components: bool,
}

impl Options {
    /// A crate called `name`, made into what Cargo takes, that depends on wattle as `wattle` says.
    pub fn new(name: &str, wattle: Dependency) -> Self {
        Self { name: names::of_crate(name), wattle, components: true }
    }
}

/// Where a crate finds wattle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// In a folder that holds wattle's repository.
    Path(String),
    /// In the git repository at this URL.
    Git(String),
    /// In Cargo's registry, in this version.
    Version(String),
    /// In the registry that Cargo's configuration calls `registry`, in this version.
    Registry {
        /// The registry's name.
        registry: String,
        /// The version.
        version: String,
    },
}

impl Dependency {
    /// What a manifest says of the crate in `folder` of the repository: `path = "..."`.
    pub fn on(&self, folder: &str) -> String {
        match self {
            Self::Path(path) => format!("path = \"{}/{folder}\"", path.replace('\\', "/").trim_end_matches('/')),
            Self::Git(url) => format!("git = \"{url}\""),
            Self::Version(version) => format!("version = \"{version}\""),
            Self::Registry { registry, version } => format!("version = \"{version}\", registry = \"{registry}\""),
        }
    }
}

/// A crate.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its files: paths below the crate's folder and what they hold.
    pub files: Vec<(String, String)>,
    /// What its reader should know.
    pub notes: Vec<Note>,
}

/// Why a template cannot be imported, although Heat may take it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Unsupported {
    /// Where.
    pub at: Source,
    /// What, and what to do.
    pub text: String,
}

/// A crate that emits what `loaded` says: a template in which `check` finds no error.
///
/// # Errors
/// When the template says something that a blueprint has no place for.
pub fn import(loaded: &Loaded, options: &Options) -> Result<Imported, Unsupported> {
    package::package(loaded, options)
}
