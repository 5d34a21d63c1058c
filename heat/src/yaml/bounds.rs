//! What no text may exceed.

/// The longest text that is read, in bytes: 128 times what Heat takes as a template by default.
///
/// This and [`NODES`] keep what reading takes of memory well below a gigabyte.
pub const BYTES: usize = 64 << 20;
/// The deepest nesting that is read, aliases written out.
///
/// Heat works on templates by recursion, and Python ends that at a thousand calls: asked, its engine takes values of 300
/// levels and none of 330, and its service has calls of its own around it.
pub const DEPTH: usize = 256;
/// The most values that are read, each alias counted as all that it stands for, each 64 bytes of text as one more.
///
/// Seven times what 512 KiB can hold without aliases, which is all that Heat takes by default. Whoever writes the tree out
/// without aliases, as Heat does, writes no more than some hundred megabytes.
pub const NODES: u64 = 2_000_000;
