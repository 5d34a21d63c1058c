//! What stock services take, with the setting by which an operator changes it.

/// Bytes of a server's user data: Nova takes 65,535 bytes of base64 (`MAX_USERDATA_SIZE` in `nova/objects/instance.py` and
/// its API's schema).
pub const USER_DATA: usize = 49_149;

/// Bytes of one template: Heat's `max_template_size`.
pub const TEMPLATE: usize = 524_288;

/// Resources of one stack, its nested stacks included: Heat's `max_resources_per_stack`.
pub const RESOURCES: usize = 1_000;

/// How many stacks a stack may be nested in: Heat's `max_nested_stack_depth`.
pub const NESTED: usize = 5;
