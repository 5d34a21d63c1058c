//! The limits of Heat, Nova and the data space, and the agents that run the software.

use wattle_heat::limits;

use crate::analysis::lowering::Lowering;
use crate::values::MAX_DATA;

/// Sizes above which deployment would fail, and the lowering that the checks are for. The defaults are those of stock
/// services.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a server's user data: Nova accepts 65,535 bytes of base64.
    pub user_data: usize,
    /// Bytes of one value or file in the data space: `ZooKeeper` accepts requests of 1 MiB, including path and frame.
    pub entry: usize,
    /// Bytes of one template: Heat's `max_template_size`.
    pub template: usize,
    /// Resources of one stack, including its nested stacks: Heat's `max_resources_per_stack`.
    pub resources: usize,
    /// The target lowering. Each lowering has checks for what it cannot express.
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
