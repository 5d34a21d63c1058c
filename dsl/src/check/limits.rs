//! What Heat, Nova and the data space can hold.

/// Sizes beyond which something would be refused at deployment. The defaults are those of stock services.
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { user_data: 49_149, entry: 1_000_000, template: 524_288, resources: 1_000 }
    }
}
