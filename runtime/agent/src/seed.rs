//! The seed: the data written to the data space before the stack is created.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wattle_heat::emit::{self, EmitError, Style};
use wattle_model::{Alternatives, Constraint, Content, Name, Order, Predicate, Step, Tool, Tree, Type, Value};
use wattle_model::{IndexMap, IndexSet, requirement::Operand};

use crate::hex;

/// The current format.
pub const FORMAT: &str = "wattle-seed/1";

/// The data written to the data space before the stack is created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// The name and version of this format.
    pub format: Cow<'static, str>,
    /// The name of the stack, unless the operator chooses another.
    pub stack: Name,
    /// The SHA-256 of everything below except locations and changed names. Two seeds with the same digest are
    /// equivalent.
    pub digest: String,
    /// The parameters that need values before the seed can be written.
    pub parameters: IndexMap<Name, SeedParameter>,
    /// The inputs, outputs and recipe of each component type.
    pub declarations: IndexMap<Name, SeedDeclaration>,
    /// The components of each server.
    pub servers: IndexMap<Name, SeedServer>,
    /// Every value that is written at run time, by `SERVER/COMPONENT/OUTPUT`.
    pub entries: IndexMap<Name, SeedEntry>,
    /// The values that other stacks may read.
    pub exports: IndexMap<Name, SeedExport>,
    /// The values that are read from other stacks, with their types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<SeedImport>,
    /// Requirements on values that are not known while the blueprint is built.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Name, SeedRequirement>,
    /// The files that recipes need, by `sha256:HEX`.
    pub recipes: IndexMap<String, Content>,
    /// Where the author declared each thing: `FILE:LINE:COLUMN` by resource, and by `SERVER/COMPONENT`, each under the
    /// name with which it was deployed.
    pub sources: IndexMap<Name, String>,
    /// The things that had another name when they were deployed, or are declared to have had one: the present name by
    /// the former.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub called_now: IndexMap<Name, Name>,
}

/// A parameter as known to the data space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedParameter {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its value if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The constraints on its value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// Whether messages must hide its value although its type is not secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// A component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedDeclaration {
    /// The recipe that its components run.
    #[serde(flatten)]
    pub recipe: SeedRecipe,
    /// Its inputs.
    pub inputs: IndexMap<Name, SeedInput>,
    /// Its outputs.
    pub outputs: IndexMap<Name, SeedOutput>,
}

/// The recipe of a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedRecipe {
    /// The tool that runs it.
    #[serde(with = "wattle_model::tool")]
    pub tool: Tool,
    /// The entry point: a path among `files`, or Chef's `COOKBOOK::RECIPE`.
    #[serde(rename = "recipe")]
    pub entry: Name,
    /// The entry point of the teardown, which runs when the component has left the model. In the form of `entry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Name>,
    /// The digest of each file, by path.
    pub files: IndexMap<Cow<'static, str>, String>,
    /// The maximum duration of one run in seconds, not counting the time in which it waits for inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// The maximum time in seconds to wait for its inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
}

/// An input of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedInput {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its value if it is not wired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Where a Chef recipe reads it: its path in the node's attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Name>,
}

/// An output of a component type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedOutput {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where a Chef recipe writes it: its path in the node's attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Name>,
    /// Whether Chef publishes it as soon as it is written. Otherwise, if recipes write it while they are compiled, it
    /// is published at the end of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early: bool,
}

/// The work of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedServer {
    /// What determines the order of its components.
    #[serde(default, skip_serializing_if = "is_declared")]
    pub order: Order,
    /// Its own attributes that its agent publishes, by output name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub publishes: IndexMap<Name, SeedAttribute>,
    /// Its components, in order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub components: IndexMap<Name, SeedComponent>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the name that serde uses")]
fn is_declared(order: &Order) -> bool {
    *order == Order::Declared
}

/// An attribute of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedAttribute {
    /// Heat's name of the attribute, or `id` for the identity.
    pub attribute: Name,
    /// The path into its value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
}

/// A component on a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedComponent {
    /// Its component type.
    pub declaration: Name,
    /// The components that must finish first, as `SERVER/COMPONENT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Name>,
    /// The wires of its inputs.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub inputs: IndexMap<Name, Wire>,
    /// The requirements that its agent checks before it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Name>,
}

/// When all values of a requirement are known, which determines where it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// While the blueprint is built: `check` checks it.
    Check,
    /// Together with the parameters: Heat checks it where it can, and `seed apply` in any case.
    Apply,
    /// At run time: every agent that reads all of its values checks it.
    RunTime,
}

/// A requirement on values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedRequirement {
    /// When all of its values are known.
    pub when: When,
    /// Whether Heat checks it as well. Then the check may wait until the stack is created.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heat: bool,
    /// The condition, which [`wattle_model::requirement::judge`] checks.
    pub predicate: Predicate<Operand<Wire>>,
    /// The reason, in the author's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Where the requirement was made, as `FILE:LINE:COLUMN`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// A source of an agent's value.
pub type Wire = Tree<Origin>;

/// The origin of a wire's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A parameter of the seed.
    Parameter(Name),
    /// An entry of the data space.
    Entry(Name),
    /// A value in the server's user data.
    UserData(Name),
    /// An export of another stack.
    Import {
        /// The stack.
        stack: Name,
        /// The export.
        export: Name,
    },
}

impl Alternatives for Origin {
    const NAMES: &'static [&'static str] =
        &["value", "parameter", "entry", "user-data", "import", "text", "list", "map", "function"];
}

impl Origin {
    /// The parameter, if this is one.
    pub fn parameter(&self) -> Option<&Name> {
        if let Self::Parameter(name) = self { Some(name) } else { None }
    }

    /// The entry, if this is one.
    pub fn entry(&self) -> Option<&Name> {
        if let Self::Entry(name) = self { Some(name) } else { None }
    }

    /// The value's name in the user data, if it comes from there.
    pub fn user_data(&self) -> Option<&Name> {
        if let Self::UserData(name) = self { Some(name) } else { None }
    }
}

/// A value that is written at run time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedEntry {
    /// Its type. `None` for a server's own attributes, whose types Heat determines.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub ty: Option<Type>,
    /// The servers that may read it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<Name>,
}

/// A value that other stacks may read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedExport {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where it comes from.
    #[serde(flatten)]
    pub value: Wire,
}

/// A value of another stack that this one reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedImport {
    /// The stack that exports it.
    pub stack: Name,
    /// The name of the export in that stack.
    pub export: Name,
    /// The type as which it is read.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Where it was imported, as `FILE:LINE:COLUMN`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

/// Decides whether agents read a text back unchanged: they read YAML 1.2.
struct ForAgents;

impl Style for ForAgents {
    fn text(text: &str, is_key: bool) -> Result<String, EmitError> {
        // Only a map shows how a long key looks, and how far lines are indented.
        let (key, value) = if is_key { (text, "v") } else { ("k", text) };
        let pair = yaml_of(&IndexMap::from_iter([(key, value)]))?;
        let form = match pair.strip_suffix(": v") {
            Some(key) if is_key => key.strip_suffix('\n').unwrap_or(key),
            _ => pair.strip_prefix("k: ").unwrap_or(&pair),
        };
        Ok(form.to_owned())
    }

    fn float(value: impl Serialize + Into<f64> + Copy) -> Result<String, EmitError> {
        yaml_of(&value)
    }
}

/// A value as a file of its own, without the final line break.
fn yaml_of(value: &impl Serialize) -> Result<String, EmitError> {
    let text = serde_yaml::to_string(value).map_err(|error| EmitError::Value(error.to_string()))?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

impl Seed {
    /// Writes the seed file: YAML, with alternatives as maps of one key (`entry: db/db2/jdbc_base`).
    ///
    /// # Errors
    /// Writing to `out` failed.
    pub fn write(&self, mut out: impl std::io::Write) -> Result<(), EmitError> {
        emit::styled::<ForAgents>(self, &mut out)
    }

    /// Reads a seed written by [`Seed::write`].
    ///
    /// # Errors
    /// `text` is not YAML, or not a seed.
    pub fn read(text: &str) -> Result<Self, serde_yaml::Error> {
        serde_yaml::with::singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(text))
    }

    /// The paths of recipe files that have changed since the seed was made. Agents would refuse them.
    pub fn changed_files(&self) -> IndexSet<&str> {
        let is_changed = |name: &String| self.recipes.get(name).is_some_and(|content| *name != digest(content.bytes()));
        let files = self.declarations.values().flat_map(|declaration| &declaration.recipe.files);
        files.filter(|(_, digest)| is_changed(digest)).map(|(path, _)| &**path).collect()
    }

    /// Computes the value for [`Seed::digest`].
    ///
    /// # Panics
    /// Never: a seed can always be written as JSON.
    pub fn compute_digest(&self) -> String {
        struct Hashing(Sha256);
        impl std::io::Write for Hashing {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut hashing = std::io::BufWriter::with_capacity(1 << 16, Hashing(Sha256::new()));
        // If you add a field, decide here whether it is part of the digest. The digests of the recipes are in the
        // declarations.
        let Self {
            format: _,
            stack,
            digest: _,
            parameters,
            declarations,
            servers,
            entries,
            exports,
            imports,
            requirements,
            recipes: _,
            sources: _,
            called_now: _,
        } = self;
        let parts = (stack, parameters, declarations, servers, entries, exports);
        serde_json::to_writer(&mut hashing, &parts).expect("INVARIANT: a seed is JSON, and hashing takes every byte");
        for SeedImport { stack, export, ty, at: _ } in imports {
            serde_json::to_writer(&mut hashing, &(stack, export, ty)).expect("INVARIANT: as above");
        }
        for (name, requirement) in requirements {
            let SeedRequirement { when, heat, predicate, because, at: _ } = requirement;
            let parts = (name, when, heat, predicate, because);
            serde_json::to_writer(&mut hashing, &parts).expect("INVARIANT: as above");
        }
        let hashing = hashing.into_inner().map_err(|_| ()).expect("INVARIANT: hashing takes every byte");
        named(&hashing.0.finalize())
    }
}

/// The name of a recipe file: `sha256:HEX` of its bytes.
pub fn digest(bytes: &[u8]) -> String {
    named(&Sha256::digest(bytes))
}

fn named(digest: &[u8]) -> String {
    format!("sha256:{}", hex(digest))
}
