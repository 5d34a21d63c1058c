//! Converts a template to a Rust crate: a blueprint that emits a template with the same meaning.
//!
//! What lives here: the translation of a template to Rust. What must not: I/O; the result is a list of files in memory.
//! Nothing in a template is lost: parts without a specific form are expressed by Heat's names (`raw`, `hot::function`), and
//! a [`Note`] informs the reader of that. The command prints the notes, and the code contains them as comments.
//!
//! From the outside in: `package` creates the files, `blueprint` one module for each template, whose text `module` writes,
//! and `resource`, `parameter`, `condition`, `output`, `nested` and `value` its parts. `dated` renames properties first,
//! `remark` handles comments, and `face` is the interface of a nested template's module. `software` decides which
//! deployments become components. `catalog` knows the typed catalog's names, `names` creates Rust names, `order` ensures
//! that every handle exists before it is used, and `rust` contains expressions and their layout.

mod attribute;
mod blueprint;
mod call;
mod catalog;
mod component;
mod condition;
mod dated;
mod face;
mod files;
mod kept;
mod literal;
mod module;
mod names;
mod nested;
mod note;
mod order;
mod output;
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

/// Options for creating a crate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The crate's name, from which the blueprint's name is derived.
    pub name: String,
    /// The crate's dependency on wattle.
    pub wattle: Dependency,
    /// Whether software deployments become components, if a component can express them.
    pub components: bool,
}

impl Options {
    /// Options for a crate named `name`, changed to a name that Cargo accepts, with the dependency `wattle`.
    pub fn new(name: &str, wattle: Dependency) -> Self {
        Self { name: names::of_crate(name), wattle, components: true }
    }
}

/// The source of a crate's dependency on wattle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// In a folder with wattle's repository.
    Path(String),
    /// In the Git repository at this URL.
    Git(String),
    /// In the default Cargo registry, in this version.
    Version(String),
    /// In the registry named `registry` in Cargo's configuration, in this version.
    Registry {
        /// The registry's name.
        registry: String,
        /// The version.
        version: String,
    },
}

impl Dependency {
    /// The manifest's entry for the crate in `folder` of the repository: `path = "..."`.
    pub fn on(&self, folder: &str) -> String {
        match self {
            Self::Path(path) => format!("path = \"{}/{folder}\"", path.replace('\\', "/").trim_end_matches('/')),
            Self::Git(url) => format!("git = \"{url}\""),
            Self::Version(version) => format!("version = \"{version}\""),
            Self::Registry { registry, version } => format!("version = \"{version}\", registry = \"{registry}\""),
        }
    }
}

/// An imported crate.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its files: paths relative to the crate's folder, with their content.
    pub files: Vec<(String, String)>,
    /// Notes for its reader.
    pub notes: Vec<Note>,
}

/// Why a template cannot be imported, even though Heat may accept it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Unsupported {
    /// The place.
    pub at: Source,
    /// The problem and how to solve it.
    pub text: String,
}

/// Imports `loaded`, a template in which `check` finds no error, as a crate that emits an equivalent template.
///
/// # Errors
/// The template contains something that a blueprint cannot express.
pub fn import(loaded: &Loaded, options: &Options) -> Result<Imported, Unsupported> {
    package::package(loaded, options)
}
