//! Names in messages: the one that was probably meant, and several of them.

/// As clap and rustc have it: below this, names do not look alike to a person.
const ALIKE: f64 = 0.7;

/// The candidate most like `name`, if one looks like it; the first of several. Cases of letters do not matter.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_lowercase();
    let mut best = (ALIKE, None);
    for candidate in candidates {
        let lowercase = candidate.to_lowercase();
        let likeness = strsim::jaro(&name, &lowercase).max(slip(&name, &lowercase));
        if likeness > best.0 {
            best = (likeness, Some(candidate));
        }
    }
    best.1
}

/// How alike names are that differ by one slip of the finger; short names are otherwise like nothing else.
fn slip(name: &str, candidate: &str) -> f64 {
    let length = name.len();
    let may = (2..=4).contains(&length) && length.abs_diff(candidate.len()) <= 1;
    if may && strsim::osa_distance(name, candidate) == 1 { 0.75 } else { 0.0 }
}

/// Names as a message lists them: `` `a`, `b` and `c` ``.
pub fn list<'c>(names: impl IntoIterator<Item = &'c str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
        other => other.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_name_is_meant() {
        assert_eq!(nearest("flavour", ["image", "flavor", "favour-me"]), Some("flavor"));
        assert_eq!(nearest("bd", ["ab", "db"]), Some("db"));
        assert_eq!(nearest("FLAVOR", ["image", "flavor"]), Some("flavor"));
        assert_eq!(nearest("zzz", ["image", "flavor"]), None);
    }

    #[test]
    fn names_are_listed_as_a_sentence_has_them() {
        assert_eq!(list(["a"], "and"), "`a`");
        assert_eq!(list(["a", "b", "c"], "or"), "`a`, `b` or `c`");
        assert_eq!(list([], "and"), "");
    }
}
