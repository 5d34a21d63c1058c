//! W14xx: what cannot be deployed without Heat.
//!
//! [`Deployment::new`](crate::Deployment::new) reports all of these at once. This file holds their documentation.

use wattle_model::check::About;

/// A check of what can be deployed without Heat. It has no function to run.
pub type Check = wattle_model::Check<()>;

wattle_model::check! {
    /// Without Heat, resources are made by `wattle`, which knows the types of servers, networks and volumes, and what Heat itself
    /// makes without a cloud: values, texts of servers, wait conditions, groups and nested stacks.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   handle: {type: OS::Heat::SwiftSignalHandle}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    /// ```
    pub(crate) TYPE: "W1401", Error, "a resource of a type that is not made without Heat", (), ()
}

wattle_model::check! {
    /// Some of what a resource is given only Heat does: it keeps what has left its template, it answers servers that ask for their
    /// metadata, and it decides on the number of a group's members when other resources are there already. Some properties only Heat
    /// carries out, such as `personality` of a server.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, deletion_policy: Retain}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    /// ```
    pub(crate) WITHOUT_HEAT: "W1402", Error, "something about a resource that only Heat does", (), ()
}

wattle_model::check! {
    /// A value must be one that parameters, files and what is made decide. A nested stack has no identity without Heat, and
    /// nobody knows `OS::stack_id`.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, properties: {name: {get_param: 'OS::stack_id'}}}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, properties: {name: shop}}
    /// ```
    pub(crate) VALUE: "W1403", Error, "a value that is unknown without Heat", (), ()
}

wattle_model::check! {
    /// Without Heat, the agent of a server tells the data space what is signalled on it. So `curl_cli` of a handle is a command of
    /// that agent, and a server without components has none. A condition whose handle no server is given would wait until its
    /// time is over.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   handle: {type: OS::Heat::WaitConditionHandle}
    ///   ready: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: handle}, timeout: 600}}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   handle: {type: OS::Heat::WaitConditionHandle}
    /// ```
    pub(crate) SIGNAL: "W1404", Error, "a signal that nothing can send", (), ()
}

/// The documentation of each code.
pub fn all() -> [&'static About; 4] {
    [&TYPE.about, &WITHOUT_HEAT.about, &VALUE.about, &SIGNAL.about]
}
