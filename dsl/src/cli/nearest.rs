//! The name that was probably meant.

/// The candidate that is most like `name`, if any is like it at all.
pub(super) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_lowercase();
    let likeness = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        // Of short names, one slip is a large part.
        let slip = strsim::osa_distance(&name, &candidate) == 1 && name.len() > 1;
        strsim::jaro(&name, &candidate).max(if slip { 0.9 } else { 0.0 })
    };
    let best =
        candidates.into_iter().map(|candidate| (likeness(candidate), candidate)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.7).then_some(best.1)
}

/// Names as a message lists them: `` `a`, `b` and `c` ``.
pub(super) fn list<'c>(names: impl IntoIterator<Item = &'c str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
        other => other.concat(),
    }
}
