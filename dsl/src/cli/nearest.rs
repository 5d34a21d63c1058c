//! The name that was probably meant.

/// The candidate that is most like `name`, if any is like it at all.
pub(super) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let like = |candidate: &'c str| (strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()), candidate);
    let best = candidates.into_iter().map(like).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.75).then_some(best.1)
}

/// Names as a message lists them: `` `a`, `b` and `c` ``.
pub(super) fn list<'c>(names: impl IntoIterator<Item = &'c str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
        other => other.concat(),
    }
}
