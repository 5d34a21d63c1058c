//! A real cloud: files and the environment from which it is chosen, and HTTP.
//!
//! What lives here: what of `wattle-openstack` needs the machine. What must not: what is asked of a cloud.

mod http;
mod simulated;
mod sources;

pub use http::Http;
pub use simulated::Simulated;
pub use sources::sources;
