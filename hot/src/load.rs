//! A template with all that it is judged and evaluated with.

use crate::template::Template;
use crate::yaml;

/// A template with all that it is judged and evaluated with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The template; empty when its text is not YAML.
    pub template: Template,
    /// Why its text is not read.
    pub unreadable: Option<yaml::Error>,
}

impl Loaded {
    /// The template in `text`, called `name`, on its own.
    pub fn of(text: &str, name: &str) -> Self {
        match yaml::read(text) {
            Ok(root) => Self { template: Template::of(root, name), unreadable: None },
            Err(error) => Self { template: Template::of(yaml::Node::null(), name), unreadable: Some(error) },
        }
    }
}
