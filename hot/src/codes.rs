//! W13xx: template content that only wattle reads.
//!
//! Reading the model reports all of these at once. This file contains their documentation.

/// Declares a check of content that only wattle reads. In its documentation, the first code block is a template for which it
/// reports something, and the second is one for which no check does.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal) => {
        wattle::model::check! { $(#[doc = $doc])+ pub(crate) $name: $code, $severity, $summary, (), () }
    };
}
pub(crate) use check;

/// A check of content that only wattle reads. It has no function, because reading the model reports all faults at once.
pub type Check = wattle::model::Check<()>;

check! {
    /// Components, component types and the description of the stack each have a fixed set of keys, and the values of
    /// each key must have a certain form.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}, input: {port: 80}}
    /// ```
    ///
    /// Use the keys that wattle knows:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}, inputs: {port: 80}}
    /// ```
    FORM: "W1301", Error, "malformed content that only wattle reads"
}

check! {
    /// A type is a word (`string`, `integer`, `port`, `url`, ...) or a map with one key (`{list: string}`,
    /// `{secret: string}`, ...).
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}, types: {port: prot}}
    /// ```
    ///
    /// Use a type that exists:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}, types: {port: {type: port, required: false}}}
    /// ```
    UNKNOWN_TYPE: "W1302", Error, "an unknown type"
}

check! {
    /// A component declares what it runs, which is a file beside the template or an inline script. It must also name
    /// the tool if the name of the file does not determine it.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {tool: shel, script: 'true'}}
    /// ```
    ///
    /// Name a tool that exists:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {tool: shell, script: 'true'}}
    /// ```
    RECIPE: "W1303", Error, "a recipe that cannot be run"
}

check! {
    /// What the components of one type have in common is declared by one of them. The others only name the type, under
    /// `kind`.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, kind: Web}
    /// ```
    ///
    /// Declare the component type with one of its components:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, kind: Web, recipe: {script: 'true'}}
    ///           - {name: other, kind: Web}
    /// ```
    COMPONENT_TYPE: "W1304", Error, "a component type that is never declared, or declared twice"
}

check! {
    /// The resource `wattle_model` contains what does not belong to one server. It refers to other parts of the
    /// template by name.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   wattle_model:
    ///     type: OS::Heat::None
    ///     metadata: {wattle: {format: wattle-model/9}}
    /// ```
    ///
    /// Give it the format that wattle reads, and names of parts that exist:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   wattle_model:
    ///     type: OS::Heat::None
    ///     metadata: {wattle: {format: wattle-model/1, stack: demo}}
    /// ```
    MODEL_METADATA: "W1305", Error, "a `wattle_model` that does not match the rest of the template"
}

check! {
    /// Software runs on servers, so only the metadata of servers can describe it.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     metadata: {wattle: {components: []}}
    /// ```
    ///
    /// Describe the software in the metadata of a server, and leave it out here:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     metadata: {owner: me}
    /// ```
    MISPLACED: "W1306", Error, "software on a resource that is not a server"
}

check! {
    /// Software runs on servers, and older HOT versions cannot express the user data that these servers need.
    ///
    /// ```yaml
    /// heat_template_version: 2015-04-30
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}}
    /// ```
    ///
    /// Name a newer version:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {flavor: m1.small, image: debian-12}
    ///     metadata:
    ///       wattle:
    ///         components:
    ///           - {name: web, recipe: {script: 'true'}}
    /// ```
    OLD_VERSION: "W1307", Error, "a HOT version that is too old for software"
}
