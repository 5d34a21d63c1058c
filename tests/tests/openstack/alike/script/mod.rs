//! The requests to both clouds, in order: all kinds that the drivers send, and some that services refuse.

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
    /// `<NAME>` stands for a value from an earlier answer.
    pub(crate) path: &'static str,
    /// JSON; no body if it is empty.
    pub(crate) body: &'static str,
    /// The microversion of the API.
    pub(crate) version: Option<&'static str>,
    /// Values to keep from the answer: a name, and a path in it.
    pub(crate) keeps: &'static [(&'static str, &'static str)],
    /// The request is repeated until the answer has this text at this path, or until its status is this number.
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
/// A mark for requests to the configured URL rather than to the one in the catalogue.
pub(crate) const IDENTITY: &str = "identity";

/// The requests of a project.
pub(crate) fn steps() -> impl Iterator<Item = &'static Step> {
    [identity::STEPS, network::STEPS, compute::STEPS, volumes::STEPS, end::STEPS].into_iter().flatten()
}

/// The requests that only an administrator may send.
pub(crate) fn steps_of_administrator() -> impl Iterator<Item = &'static Step> {
    hosts::STEPS.iter()
}
