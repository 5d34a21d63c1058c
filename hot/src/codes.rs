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

/// A check of content that only wattle reads. It has no function, because reading the model reports everything at once.
pub type Check = wattle::model::Check<()>;

check! {
    /// Components, kinds and the stack's own description each have a fixed set of keys, and each key has values of a certain
    /// form.
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
    FORM: "W1301", Error, "what wattle reads of a template is not as it must be"
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
    UNKNOWN_TYPE: "W1302", Error, "a type that does not exist"
}

check! {
    /// A component declares what it runs: a file beside the template, or an inline script. It also names the tool, if the
    /// file's name does not determine it.
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
    /// What the components of one kind have in common is declared with one of them. The others only name their `kind`.
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
    KIND: "W1304", Error, "a kind that nobody declares, or a second component declares again"
}

check! {
    /// The resource `wattle_model` contains what does not belong to one server, and refers to other parts of the template by
    /// name.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   wattle_model:
    ///     type: OS::Heat::None
    ///     metadata: {wattle: {format: wattle-model/9}}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   wattle_model:
    ///     type: OS::Heat::None
    ///     metadata: {wattle: {format: wattle-model/1, stack: demo}}
    /// ```
    MODEL_METADATA: "W1305", Error, "what `wattle_model` says does not fit the rest of the template"
}

check! {
    /// Software runs on servers. The metadata of another resource cannot describe any.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     metadata: {wattle: {components: []}}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     metadata: {owner: me}
    /// ```
    MISPLACED: "W1306", Error, "software on a resource that is no server"
}

check! {
    /// Software runs on servers, whose user data cannot be written in older versions of HOT.
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
    OLD_VERSION: "W1307", Error, "a version of HOT that is too old for software"
}
