//! The requests to both clouds, in this order: all those of the drivers, and requests that services refuse.

mod compute;
mod end;
mod hosts;
mod identity;
mod network;
mod volumes;

use wattle_openstack::Method;

/// One request.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) service: &'static str,
    pub(crate) method: Method,
    /// `<NAME>` stands for what an earlier answer has said.
    pub(crate) path: &'static str,
    /// As JSON; nothing if it is empty.
    pub(crate) body: &'static str,
    /// The smaller version of the API.
    pub(crate) version: Option<&'static str>,
    /// What is kept of the answer: under a name, from a place in it.
    pub(crate) keeps: &'static [(&'static str, &'static str)],
    /// It is asked until the answer has this text at this place, or its status is this number.
    pub(crate) until: Option<(&'static str, &'static str)>,
}

const fn step(name: &'static str, service: &'static str, method: Method, path: &'static str) -> Step {
    Step { name, service, method, path, body: "", version: None, keeps: &[], until: None }
}

const NETWORK: &str = "network";
const COMPUTE: &str = "compute";
const VOLUMES: &str = "block-storage";
const IMAGES: &str = "image";

const PLACEMENT: &str = "placement";
/// It is asked where the cloud says that it is, and not where its own catalogue says so.
pub(crate) const IDENTITY: &str = "identity";

/// What is asked for a project.
pub(crate) fn steps() -> impl Iterator<Item = &'static Step> {
    [identity::STEPS, network::STEPS, compute::STEPS, volumes::STEPS, end::STEPS].into_iter().flatten()
}

/// What only an administrator may ask.
pub(crate) fn steps_of_administrator() -> impl Iterator<Item = &'static Step> {
    hosts::STEPS.iter()
}
