//! Time zones by their names, as Python's `zoneinfo` finds them.

/// The names of IANA's tz database 2026f, one per line: the result of `zoneinfo.available_timezones()` with the package
/// `tzdata` 2026.6.
const ZONES: &str = include_str!("zones.txt");

/// Whether a time zone has this name. Heat also accepts an empty name.
pub(super) fn is_zone(name: &str) -> bool {
    // Debian has two further sets of all zones, and names for the machine's own.
    let own = name.strip_prefix("posix/").or_else(|| name.strip_prefix("right/")).unwrap_or(name);
    name.is_empty() || own == "posixrules" || ZONES.lines().any(|zone| zone == own)
}
