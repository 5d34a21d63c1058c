//! A real or a simulated cloud: the files and the environment that select it, HTTP, and the worker for the deployment
//! engine.
//!
//! What belongs here: the parts of `wattle-openstack` and `wattle-deploy` that need the machine or the data space. What
//! does not: which requests are sent to a cloud, and what a template requests.

mod hands;
mod http;
mod package;
mod simulated;
mod software;
mod sources;
mod templates;
mod trust;

pub use hands::Hands;
pub use http::Http;
pub use package::package;
pub use simulated::Simulated;
pub use sources::sources;
pub use templates::{OWN, TemplateSource, Templates};
