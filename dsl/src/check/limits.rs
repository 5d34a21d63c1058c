//! The limits of Heat, Nova and the data space, and which agents run the software.

use wattle_heat::limits;

use crate::analysis::lowering::Lowering;
use crate::values::MAX_DATA;

/// Sizes beyond which something would be refused at deployment, and the lowering that the checks are for. The default
/// sizes are those of stock services.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a server's user data: Nova takes 65,535 bytes of base64.
    pub user_data: usize,
    /// Bytes of one value or file in the data space: `ZooKeeper` takes requests of 1 MiB, path and frame included.
    pub entry: usize,
    /// Bytes of one template: Heat's `max_template_size`.
    pub template: usize,
    /// Resources of one stack, its nested stacks included: Heat's `max_resources_per_stack`.
    pub resources: usize,
    /// The lowering that the model is meant for: each has checks for what it cannot express.
    pub lowering: Lowering,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            user_data: limits::USER_DATA,
            entry: MAX_DATA,
            template: limits::TEMPLATE,
            resources: limits::RESOURCES,
            lowering: Lowering::default(),
        }
    }
}
