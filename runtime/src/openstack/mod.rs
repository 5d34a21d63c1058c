//! A real cloud, or a simulated one: the files and the environment that select it, HTTP, and what carries out there
//! what the deployment engine asks for.
//!
//! What lives here: the parts of `wattle-openstack` and `wattle-deploy` that need the machine or the data space. What
//! must not: which requests a cloud gets, and what a template requests.

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
