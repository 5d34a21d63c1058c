//! Policies: what a team requires of every model, whatever the model describes.
//!
//! A policy is a function from a model to diagnostics. Three policies that many teams need are built in: [`tags`](TAGS),
//! [ports open to the world](OPEN_PORTS) and [images](IMAGES). A team keeps in one [file](Policies::read) which of them
//! apply and what each allows. What no file can express is a [policy of its own](Policy::own), in Rust.
//!
//! What lives here: policies, and how their file is read. What must not: I/O, a clock, Heat's rules.
//!
//! ```
//! use wattle_model::Model;
//! use wattle_policy::{ALL, Policies};
//!
//! let policies = Policies::read("images: {allowed: [debian-12]}", ALL).unwrap();
//! assert_eq!(policies.look(&Model::default()), []);
//! ```

mod codes;
mod images;
mod look;
mod open_ports;
mod read;
mod tags;

use std::fmt;
use std::sync::Arc;

use wattle_model::check::About;
use wattle_model::{Diagnostic, Model, Severity};

pub use images::IMAGES;
pub use open_ports::OPEN_PORTS;
pub use read::{PolicySettings, Refused};
pub use tags::TAGS;

/// The built-in policies.
pub const ALL: &[Policy] = &[TAGS, OPEN_PORTS, IMAGES];

/// The descriptions of the diagnostics of all built-in policies.
pub fn all() -> Vec<&'static About> {
    codes::ALL.to_vec()
}

/// A function that examines a model.
pub type Look = Arc<dyn Fn(&Model) -> Vec<Diagnostic> + Send + Sync>;

/// A policy, before its settings have been read.
#[derive(Clone, Copy)]
pub struct Policy {
    /// Its name in a file.
    pub name: &'static str,
    /// Its settings in the file.
    pub settings: &'static [&'static str],
    kind: PolicyKind,
}

#[derive(Clone, Copy)]
enum PolicyKind {
    /// The policy takes no settings.
    Plain(fn(&Model) -> Vec<Diagnostic>),
    /// The policy's settings are in the file.
    WithSettings(fn(&PolicySettings<'_>) -> Result<Look, Refused>),
}

impl Policy {
    /// A team's own policy, which takes no settings.
    ///
    /// ```
    /// use wattle_model::{Diagnostic, Model, Severity};
    /// use wattle_policy::{ALL, Policies, Policy};
    ///
    /// /// Nobody chooses an availability zone.
    /// fn one_zone(model: &Model) -> Vec<Diagnostic> {
    ///     let elsewhere = model.resources.iter().filter(|(_, of)| of.properties.contains_key("availability_zone"));
    ///     let diagnostic = |(name, of): (_, &wattle_model::Resource)| {
    ///         Diagnostic::new("ACME1", Severity::Error, format!("`{name}` chooses its availability zone"))
    ///             .label(&of.at, "added here")
    ///             .help("leave it to Nova: our zones share their storage")
    ///     };
    ///     elsewhere.map(diagnostic).collect()
    /// }
    ///
    /// const ONE_ZONE: Policy = Policy::own("one-zone", one_zone);
    ///
    /// let policies = Policies::read("one-zone:", &[ALL, &[ONE_ZONE]].concat()).unwrap();
    /// assert_eq!(policies.look(&Model::default()), []);
    /// ```
    pub const fn own(name: &'static str, look: fn(&Model) -> Vec<Diagnostic>) -> Self {
        Self { name, settings: &[], kind: PolicyKind::Plain(look) }
    }

    /// A policy with settings in the file: `read` takes its `settings` from there.
    pub const fn with_settings(
        name: &'static str,
        settings: &'static [&'static str],
        read: fn(&PolicySettings<'_>) -> Result<Look, Refused>,
    ) -> Self {
        Self { name, settings, kind: PolicyKind::WithSettings(read) }
    }

    fn look(&self, given: &PolicySettings<'_>) -> Result<Look, Refused> {
        match self.kind {
            PolicyKind::Plain(look) => Ok(Arc::new(look)),
            PolicyKind::WithSettings(read) => read(given),
        }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The policies that apply, each with its settings.
#[derive(Clone, Default)]
pub struct Policies {
    rules: Vec<Rule>,
}

#[derive(Clone)]
struct Rule {
    name: String,
    /// The severity of violations, where the file sets one.
    severity: Option<Severity>,
    look: Look,
}

impl Policies {
    /// Adds the policies of another file.
    pub fn extend(&mut self, more: Self) {
        self.rules.extend(more.rules);
    }

    /// Whether no policy applies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The violations in `model`, and the parts of it that no policy examines. Sorted like the diagnostics of checks.
    pub fn look(&self, model: &Model) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = self.rules.iter().flat_map(|rule| rule.look(model)).collect();
        if !self.is_empty() {
            found.extend(look::unseen(model));
        }
        wattle_model::check::sorted(found)
    }

    /// Like [`look`](Self::look), for a model whose environment maps types: `implementation` gives the type, or the
    /// template, that implements a resource, from the resource's name and its type.
    pub fn look_behind(&self, model: &Model, implementation: &dyn Fn(&str, &str) -> Option<String>) -> Vec<Diagnostic> {
        self.look(&look::implemented(model, implementation))
    }
}

impl Rule {
    fn look(&self, model: &Model) -> Vec<Diagnostic> {
        let mut found = (self.look)(model);
        for one in &mut found {
            // What cannot be decided remains a warning, whatever severity the file sets.
            if let Some(severity) = self.severity.filter(|_| one.severity == Severity::Error) {
                one.severity = severity;
            }
            one.notes.push(format!("required by the policy `{}`", self.name));
        }
        found
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rules.iter().map(|rule| &rule.name)).finish()
    }
}
