//! The limits for every text.

/// The longest text that is read, in bytes: 128 times Heat's default limit for a template.
///
/// This and [`NODES`] keep the memory needed for reading well below a gigabyte.
pub const BYTES: usize = 64 << 20;
/// The deepest nesting that is read, with aliases expanded.
///
/// Heat processes templates recursively, and Python limits recursion to a thousand calls. In experiments, Heat's engine
/// accepts values with 300 levels and none with 330, and its service adds further calls around it.
pub const DEPTH: usize = 256;
/// The most values that are read. Each alias counts as its whole value, and each 64 bytes of text count as one more value.
///
/// This is seven times what 512 KiB, Heat's default limit, can hold without aliases. Writing the tree with its aliases
/// expanded, as Heat does, yields no more than some hundred megabytes.
pub const NODES: u64 = 2_000_000;
