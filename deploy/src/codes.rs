//! W14xx: what cannot be deployed without Heat.
//!
//! [`Deployment::new`](crate::Deployment::new) reports all of these at once. This file holds their documentation.

use wattle_model::check::About;

/// A check of what can be deployed without Heat. It has no function to run.
pub type Check = wattle_model::Check<()>;

wattle_model::check! {
    /// Without Heat, `wattle` creates the resources itself. It knows the types of servers, networks and volumes, and
    /// the types that Heat implements without a service of the cloud: values, user data, wait conditions, groups and
    /// nested stacks.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   handle: {type: OS::Heat::SwiftSignalHandle}
    /// ```
    ///
    /// Use a type that wattle knows, or deploy the template with Heat:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    /// ```
    pub(crate) TYPE: "W1401", Error, "a resource of a type that cannot be created without Heat", (), ()
}

wattle_model::check! {
    /// Some settings of resources are carried out only by Heat. Heat keeps resources that have left their template,
    /// answers servers that ask for their metadata, and can determine the number of a group's members when other
    /// resources already exist. Some properties are also carried out only by Heat, such as `personality` of a server.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, deletion_policy: Retain}
    /// ```
    ///
    /// Leave the setting out, or deploy the template with Heat:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    /// ```
    pub(crate) WITHOUT_HEAT: "W1402", Error, "a resource setting that only Heat carries out", (), ()
}

wattle_model::check! {
    /// Every value must follow from parameters, from files, or from what is created. Without Heat, a nested stack has
    /// no identity, and `OS::stack_id` has no value.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, properties: {name: {get_param: 'OS::stack_id'}}}
    /// ```
    ///
    /// Give a value that is known:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net, properties: {name: shop}}
    /// ```
    pub(crate) VALUE: "W1403", Error, "a value that is not known without Heat", (), ()
}

wattle_model::check! {
    /// Without Heat, the agent of a server writes the signals that are sent on that server to the data space. The
    /// `curl_cli` of a handle is therefore a command of that agent, and a server without components has no agent. A
    /// wait condition whose handle is not passed to any server would wait until its timeout.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   handle: {type: OS::Heat::WaitConditionHandle}
    ///   ready: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: handle}, timeout: 600}}
    /// ```
    ///
    /// Pass the handle's `curl_cli` to a component as an input, or leave the condition out:
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
