//! What Heat's engine says of its resource types.

use std::collections::HashSet;
use std::sync::LazyLock;

use wattle_model::Schema;

/// Heat's own words on its types, one type a line, as JSON.
pub const TYPES: &str = include_str!("../../schemas/resource-types.json");

/// The same for the types that stand for Amazon's.
const AMAZON: &str = include_str!("../../schemas/aws-types.json");

/// The names of all types that Heat has.
pub fn types() -> impl Iterator<Item = &'static str> {
    let name = |line: &'static str| line.strip_prefix('"')?.split_once("\":{").map(|(name, _)| name);
    TYPES.lines().chain(AMAZON.lines()).filter_map(name)
}

/// Whether Heat has a type of this name itself.
pub fn is_type(ty: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| types().collect());
    KNOWN.contains(ty)
}

/// What Heat says of the type `ty`, if it is one of Heat's.
///
/// # Panics
///
/// Never: the schemas are part of the crate.
pub fn schema(ty: &str) -> Option<Schema> {
    let key = format!("\"{ty}\":");
    let line = TYPES.lines().chain(AMAZON.lines()).find_map(|line| line.strip_prefix(&*key))?;
    let schema = serde_json::from_str(line.trim_end_matches(','));
    Some(schema.expect("INVARIANT: the schemas are part of the crate"))
}
