//! The macros of wattle: an author uses them through the crate `wattle`, which re-exports them.
//!
//! What lives here: turning the author's code into calls of `wattle::author`, and every error that can be detected at
//! compile time. What must not: knowledge of the form of recipes, which belongs to `wattle-recipe`. No input makes a macro
//! panic; errors are collected, and after an error the macro still generates stubs of the items that it would have defined.

mod bandwidth;
mod blueprint;
mod component;
mod constant;
mod decided;
mod docs;
mod dropped;
mod editor;
mod errors;
mod keys;
mod names;
mod operated;
mod parameters;
mod port_type;
mod settings;
mod source;
mod text;

use proc_macro::TokenStream;

/// Declares a component: its inputs, its outputs, and the recipe that installs it.
///
/// ```
/// use wattle::prelude::*;
///
/// /// DB2, with one database for each application.
/// #[component(recipe = "docs/db2.sh", deadline = "30m")]
/// pub struct Db2 {
///     /// TCP port on which the instance listens.
///     #[input(default = 50_000)]
///     port: u16,
///     /// Databases to create.
///     #[input]
///     databases: Vec<String>,
///     /// Password of the instance owner.
///     #[input]
///     owner_password: Secret<String>,
///
///     /// `jdbc:db2://HOST:PORT`, without a database name.
///     #[output]
///     jdbc_base: String,
/// }
///
/// fn database(t: &mut Topology, password: Parameter<Secret<String>>) -> Output<String> {
///     let server = t.add("db", RawResource::new("OS::Nova::Server"));
///     let db2 = t.on(server).run("db2", Db2::new().databases(["WIKIS", "FILES"]).owner_password(password));
///     db2.jdbc_base
/// }
/// ```
///
/// The struct itself becomes the handle that `run` returns: a field for each output, and `component` for the component
/// itself. `new()` starts a component; it has one method for each input.
///
/// | key | meaning |
/// |---|---|
/// | `recipe = "recipes/db2.sh"` | a shell script (`.sh`, `.bash`), Ansible playbook (`.yml`, `.yaml`), Puppet manifest (`.pp`) or Salt state (`.sls`) |
/// | `chef = "cookbooks/db2::server"` | a Chef recipe, which needs the feature `chef` of `wattle`; its whole cookbook is included, with those beside it that its `metadata.rb` names by `depends` |
/// | `files = ["recipes/db2.sql"]` | further files that the recipe needs: files, and folders with all their content |
/// | `teardown = "recipes/db2-remove.sh"` | a recipe of the same tool (for Chef: of the same cookbook, `"cookbooks/db2::remove"`) that is run when the component has left the model; it reads the same inputs and writes nothing |
/// | `deadline = "30m"` | the maximum duration of one run (`s`, `m`, `h`, `d`), not counting the wait for inputs |
/// | `wait = "2h"` | the maximum duration of the wait for its inputs |
/// | `listen = "tcp/5432"` | a port that it always listens on; or ports, `"tcp/8000-8010"`, or a list of those |
/// | `bandwidth = "200 Mbit/s"` | what it is expected to exchange with each component that reads its outputs, all of them together, in `Mbit/s` or `Gbit/s`; `wattle place` weighs distances by it |
///
/// Paths are relative to the crate. The files become part of the program, so a change to one of them recompiles it. (A
/// new file in a folder is noticed only when another one changes.)
///
/// | on a field | meaning |
/// |---|---|
/// | `#[input]` | must be wired; of a type `Option<T>`, may be absent |
/// | `#[input(default = 50_000)]` | a constant that is used if it is not wired |
/// | `#[input(listen)]` | a `u16`: the TCP port that it listens on; `listen = "udp"` for UDP, `listen = ["tcp", "udp"]` for both |
/// | `#[output]` | the recipe is read while compiling, and must write it |
/// | `#[output(bandwidth = "200 Mbit/s")]` | what is exchanged with each component that reads this output, where that is another bandwidth than that of its type or of the component |
/// | `#[output(dynamic)]` | written in a way that static analysis of the recipe cannot see |
/// | `#[output(early)]` | for Chef: what recipes write while they are compiled is published at once, not at the end of the run |
/// | `path = "db2/instance/port"` | for both, with Chef: the node attribute, by default `COOKBOOK/NAME` |
///
/// # What the recipe sees
///
/// | tool | an input `port` | an output `url` |
/// |---|---|---|
/// | shell | the environment variable `$port` | the file `${heat_outputs_path}.url` |
/// | Ansible | the extra variable `{{ port }}` | `set_stats` with `data: { url: ... }`, or the file |
/// | Puppet | `lookup('port')`, or the fact `$facts['port']` | the file `${facts['heat_outputs_path']}.url` |
/// | Salt | `pillar['port']` | the file `{{ pillar['heat_outputs_path'] }}.url` |
/// | Chef | `node['COOKBOOK']['port']` | `node.default['COOKBOOK']['url'] = ...` |
///
/// As an environment variable, a `bool` is `true` or `false`, a `Duration` its seconds, and a list, map or struct JSON
/// text; an absent `Option` is not set. `inputs.json` contains them with their types. A recipe that fails must end with a
/// status other than 0, and a recipe may be run again after a crash. The repository's `docs/recipes.md` has an example for
/// each tool.
#[proc_macro_attribute]
pub fn component(keys: TokenStream, item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, component::expand(keys.into(), item.clone())).into()
}

/// Declares the values that are chosen at deployment: a struct of `Parameter`s.
///
/// ```
/// use wattle::prelude::*;
///
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Glance image of every server.
///     #[parameter(default = "debian-12", constraint = "glance.image")]
///     image: Parameter<String>,
///     /// Nodes of the cluster.
///     #[parameter(default = 2, min = 1, max = 16)]
///     nodes: Parameter<u8>,
///     /// Password of the DB2 instance owner.
///     #[parameter(min_length = 8)]
///     db_password: Parameter<Secret<String>>,
/// }
/// ```
///
/// The documentation of a field becomes the parameter's description. The keys are Heat's: `default`, `min` and `max` of
/// a number, `min_length` and `max_length` of a text or list, `pattern`, `allowed`, and `constraint` for one of Heat's
/// custom constraints. A secret has no default, because it must not be in the blueprint.
///
/// In addition, `label = "..."` is the parameter's name in forms, `hidden` keeps Heat from showing a value whose type
/// is not secret, `immutable` keeps the value from changing after the stack was created, `tags = ["..."]` are words by
/// which tools find it, `name = "..."` is its name if it differs from the field's, and `constraints = [...]` are
/// constraints of the model that no key expresses.
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn parameters(item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, parameters::expand(item.clone())).into()
}

/// Makes a struct a type for inputs, outputs, parameters and exports.
///
/// ```
/// use wattle::prelude::*;
///
/// /// Where a service listens.
/// #[derive(PortType)]
/// pub struct Endpoint {
///     host: String,
///     port: u16,
/// }
/// ```
///
/// A recipe receives its value as a JSON object. A struct that contains a `Secret` may only go where secrets may.
///
/// Components that read such a value may exchange much data with its writer. Declare the bandwidth once, and `wattle place`
/// puts the servers of both close together:
///
/// ```
/// use wattle::prelude::*;
///
/// /// A share of files.
/// #[derive(PortType)]
/// #[port_type(bandwidth = "2 Gbit/s")]
/// pub struct Share {
///     address: IpAddr,
///     path: String,
/// }
/// ```
///
/// Units are `Mbit/s` and `Gbit/s`. A list or a map of such values has the same bandwidth. A struct that declares no
/// bandwidth has the sum of those of its fields.
#[proc_macro_derive(PortType, attributes(port_type))]
pub fn port_type(item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, port_type::expand(item.clone())).into()
}

/// Turns a function into a blueprint: a value with the function's name, for `wattle::main`.
///
/// ```
/// use wattle::prelude::*;
///
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Glance image of every server.
///     image: Parameter<String>,
/// }
///
/// /// One server.
/// #[blueprint]
/// pub fn single(t: &mut Topology, p: Settings) {
///     t.add("server", RawResource::new("OS::Nova::Server").property("image", p.image));
/// }
/// ```
///
/// The second argument contains the values that are chosen at deployment, the third those that are chosen while building;
/// both may be left out. A blueprint returns `Exports` or nothing. Its stack has the name of the function, unless
/// `#[blueprint(name = "other-name")]` sets another one. Its documentation describes the stack.
///
/// The configuration, which is chosen while building, is a struct that implements serde's `Deserialize`, and `Default` for
/// the fields that are not set. `--set nodes=3` sets a field, `--config FILE` sets those in a YAML file:
///
/// ```ignore
/// use serde::Deserialize;
/// use wattle::prelude::*;
///
/// /// Chosen when the stack is deployed: nothing.
/// #[derive(Parameters)]
/// pub struct Settings {}
///
/// #[derive(Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// pub struct Choices {
///     /// How many servers there are.
///     nodes: usize,
/// }
///
/// impl Default for Choices {
///     fn default() -> Self {
///         Self { nodes: 2 }
///     }
/// }
///
/// /// So many servers.
/// #[blueprint]
/// pub fn several(t: &mut Topology, _: Settings, choices: Choices) {
///     for n in 1..=choices.nodes {
///         t.add(format!("server{n}"), RawResource::new("OS::Nova::Server"));
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn blueprint(keys: TokenStream, item: TokenStream) -> TokenStream {
    let item = item.into();
    editor::shown(&item, blueprint::expand(keys.into(), item.clone())).into()
}

/// Text around values that are not known yet, written as for `format!`.
///
/// ```
/// use wattle::prelude::*;
///
/// fn url(host: Attribute<IpAddr>, base: Output<String>) {
///     let port = 8080_u16;
///     let known_to_heat = text!("http://{host}:{port}/");
///     let known_to_recipes = text!("{}/WIKIS?braces={{}}", base);
///     # let _ = (known_to_heat, known_to_recipes);
/// }
/// ```
///
/// The text is assembled once all of its values are known: it can be a property if Heat knows them, and an input in any
/// case. Text around a secret is secret. There are no format specifications, because there is no value yet.
#[proc_macro]
pub fn text(tokens: TokenStream) -> TokenStream {
    text::expand(tokens.into()).into()
}
