//! The limits of stock services, with the setting by which an operator changes each.

/// The most bytes of a server's user data: Nova accepts 65,535 bytes of base64 (`MAX_USERDATA_SIZE` in
/// `nova/objects/instance.py` and its API's schema).
pub const USER_DATA: usize = 49_149;

/// The most bytes of one template: Heat's `max_template_size`.
pub const TEMPLATE: usize = 524_288;

/// The most resources of one stack, including its nested stacks: Heat's `max_resources_per_stack`.
pub const RESOURCES: usize = 1_000;

/// The most levels of stacks around a nested stack: Heat's `max_nested_stack_depth`.
pub const NESTED: usize = 5;
