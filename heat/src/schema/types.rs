//! What Heat's engine declares about its resource types.

use std::collections::HashSet;
use std::sync::LazyLock;

use wattle_model::Schema;

/// Heat's own schemas of its types as JSON, one type per line.
pub const TYPES: &str = include_str!("../../schemas/resource-types.json");

/// The same for the AWS-compatible types.
const AMAZON: &str = include_str!("../../schemas/aws-types.json");

/// The names of all types that Heat has.
pub fn types() -> impl Iterator<Item = &'static str> {
    let name = |line: &'static str| line.strip_prefix('"')?.split_once("\":{").map(|(name, _)| name);
    TYPES.lines().chain(AMAZON.lines()).filter_map(name)
}

/// Whether Heat itself has a type with this name.
pub fn is_type(ty: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| types().collect());
    KNOWN.contains(ty)
}

/// Heat's schema of the type `ty`, if it is one of Heat's.
///
/// # Panics
///
/// Never: the schemas are part of the crate.
pub fn schema(ty: &str) -> Option<Schema> {
    let schema = serde_json::from_str(written(ty)?);
    Some(schema.expect("INVARIANT: the schemas are part of the crate"))
}

/// The same as JSON, together with its documentation, which [`Schema`] leaves out.
pub fn written(ty: &str) -> Option<&'static str> {
    let key = format!("\"{ty}\":");
    let line = TYPES.lines().chain(AMAZON.lines()).find_map(|line| line.strip_prefix(&*key))?;
    Some(line.trim_end_matches(','))
}
