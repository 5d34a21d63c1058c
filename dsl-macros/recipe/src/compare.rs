//! Compares a recipe with the declaration of its component.

use std::collections::{BTreeMap, BTreeSet};

use wattle_words::names::{likeness, most_alike};

use crate::analysis::Analysis;

/// The outputs that the recipe certainly never writes, in the given order.
///
/// Names are spelt as in [`Analysis`]; for Chef, writing `db2/url/host` or `db2` writes `db2/url` too.
pub fn never_written<'a>(analysis: &Analysis, outputs: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    missing(&analysis.writes, analysis.dynamic_writes, outputs)
}

/// The inputs that the recipe certainly never reads, in the given order.
///
/// Names are spelt as in [`Analysis`]; for Chef, reading `db2` reads `db2/port` too.
pub fn never_read<'a>(analysis: &Analysis, inputs: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    missing(&analysis.reads, analysis.dynamic_reads, inputs)
}

/// The name written by the recipe that was probably meant to be `output`, which it never writes.
///
/// Names in `declared` belong to other outputs, and are not suggested.
pub fn suggest<'a, 'd>(
    analysis: &'a Analysis,
    output: &str,
    declared: impl IntoIterator<Item = &'d str>,
) -> Option<&'a str> {
    let declared: BTreeSet<&str> = declared.into_iter().collect();
    let written = analysis.writes.keys().map(String::as_str).filter(|name| !declared.contains(name));
    most_alike(written, |name| likeness(&folded(output), &folded(name)).max(last_part(name, output)))
}

/// Folds a name, so that `jdbc-base` and `jdbcBase` match `jdbc_base`.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '/').map(|c| c.to_ascii_lowercase()).collect()
}

/// The similarity of Chef paths that differ only in their first parts.
fn last_part(name: &str, output: &str) -> f64 {
    match (name.rsplit_once('/'), output.rsplit_once('/')) {
        (Some((_, name)), Some((_, output))) if name == output => 0.75,
        _ => 0.0,
    }
}

fn missing<'a>(known: &BTreeMap<String, u32>, dynamic: bool, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if dynamic {
        return Vec::new();
    }
    names.into_iter().filter(|name| !covered(known, name)).collect()
}

/// Whether `name`, an ancestor of it or a descendant of it is known.
fn covered(known: &BTreeMap<String, u32>, name: &str) -> bool {
    let above = name.match_indices('/').map(|(at, _)| &name[..at]).chain([name]).any(|path| known.contains_key(path));
    let below = format!("{name}/");
    above || known.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(writes: &[&str], reads: &[&str]) -> Analysis {
        let mut analysis = Analysis::default();
        writes.iter().for_each(|name| analysis.write(*name, 1));
        reads.iter().for_each(|name| analysis.read(*name, 1));
        analysis
    }

    #[test]
    fn what_is_missing_keeps_its_order() {
        let analysis = analysis(&["url", "port"], &["host"]);
        assert_eq!(never_written(&analysis, ["zeta", "url", "alpha"]), ["zeta", "alpha"]);
        assert_eq!(never_read(&analysis, ["user", "host"]), ["user"]);
    }

    #[test]
    fn nothing_is_missing_from_a_dynamic_recipe() {
        let mut analysis = analysis(&[], &[]);
        analysis.dynamic_writes = true;
        assert!(never_written(&analysis, ["url"]).is_empty());
        assert_eq!(never_read(&analysis, ["host"]), ["host"]);
        analysis.dynamic_reads = true;
        assert!(never_read(&analysis, ["host"]).is_empty());
    }

    #[test]
    fn a_path_covers_what_is_above_and_below_it() {
        let analysis = analysis(&["db2/url/host", "ldap"], &[]);
        assert_eq!(
            never_written(&analysis, ["db2/url", "ldap/port", "db2/url-2", "db2/ur", "ldap2"]),
            ["db2/url-2", "db2/ur", "ldap2"]
        );
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let analysis = analysis(&["jdbc_url", "port", "node_host"], &[]);
        assert_eq!(suggest(&analysis, "jdbcurl", ["jdbcurl"]), Some("jdbc_url"));
        assert_eq!(suggest(&analysis, "prot", []), Some("port"));
        assert_eq!(suggest(&analysis, "prot", ["prot", "port"]), None, "the right name of another output");
        assert_eq!(suggest(&analysis, "certificate", []), None);
    }

    #[test]
    fn a_slip_in_a_short_name_is_seen() {
        let analysis = analysis(&["ulr", "ip"], &[]);
        assert_eq!(suggest(&analysis, "url", ["url"]), Some("ulr"));
        assert_eq!(suggest(&analysis, "pi", []), Some("ip"));
        assert_eq!(suggest(&analysis, "key", []), None);
    }

    #[test]
    fn a_path_in_the_wrong_place_is_suggested() {
        let analysis = analysis(&["database/instance/url"], &[]);
        assert_eq!(suggest(&analysis, "db2/url", []), Some("database/instance/url"));
    }
}
