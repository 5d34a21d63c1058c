//! Names in messages: the one that was probably meant, and several of them.

use std::fmt;

/// The threshold of clap and rustc: below it, names do not look alike to a person.
const ALIKE: f64 = 0.7;

/// The candidate most similar to `name`, if it is similar enough; the first of several. Ignores case.
///
/// ```
/// use wattle_words::names::nearest;
///
/// assert_eq!(nearest("flavour", ["image", "flavor", "favour-me"]), Some("flavor"));
/// assert_eq!(nearest("zzz", ["image", "flavor"]), None);
/// ```
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name = name.to_lowercase();
    most_alike(candidates, |candidate| likeness(&name, &candidate.to_lowercase()))
}

/// The question that suggests the candidate most similar to `name`, if one is similar enough.
///
/// ```
/// let help = wattle_words::names::meant("flavour", ["image", "flavor"]);
/// assert_eq!(help.as_deref(), Some("did you mean `flavor`?"));
/// ```
pub fn meant<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    nearest(name, candidates).map(did_you_mean)
}

/// The question itself.
pub fn did_you_mean(name: impl fmt::Display) -> String {
    format!("did you mean `{name}`?")
}

/// The candidate with the greatest similarity (between 0 and 1), if it is great enough; the first of several.
pub fn most_alike<'c>(
    candidates: impl IntoIterator<Item = &'c str>,
    likeness: impl Fn(&str) -> f64,
) -> Option<&'c str> {
    let mut best = (ALIKE, None);
    for candidate in candidates {
        let likeness = likeness(candidate);
        if likeness > best.0 {
            best = (likeness, Some(candidate));
        }
    }
    best.1
}

/// The similarity of `candidate` to the `name` that was written, between 0 and 1.
pub fn likeness(name: &str, candidate: &str) -> f64 {
    // A single letter is not similar to any other name, however much they share.
    if name.chars().count().min(candidate.chars().count()) == 1 {
        return if name.eq_ignore_ascii_case(candidate) { 1.0 } else { 0.0 };
    }
    // Otherwise, short names with a single typo would match nothing.
    let is_short = (2..=4).contains(&name.len()) && name.len().abs_diff(candidate.len()) <= 1;
    let slip = if is_short && strsim::osa_distance(name, candidate) == 1 { 0.75 } else { 0.0 };
    strsim::jaro(name, candidate).max(slip)
}

/// Names as a message lists them: `` `a`, `b` and `c` ``.
///
/// ```
/// assert_eq!(wattle_words::names::list(["a", "b", "c"], "or"), "`a`, `b` or `c`");
/// ```
pub fn list<'c>(names: impl IntoIterator<Item = &'c str>, last: &str) -> String {
    join(names.into_iter().map(|name| format!("`{name}`")), last)
}

/// Names as a message lists them, but no more than `most` of them: `` `a`, `b` and 7 more ``.
///
/// ```
/// use wattle_words::names::some;
///
/// assert_eq!(some(["a", "b", "c"], 3), "`a`, `b` and `c`");
/// assert_eq!(some(["a", "b", "c", "d"], 2), "`a`, `b` and 2 more");
/// ```
pub fn some<'c>(names: impl IntoIterator<Item = &'c str>, most: usize) -> String {
    let mut listed: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let more = listed.len().saturating_sub(most);
    if more > 0 {
        listed.truncate(most);
        listed.push(format!("{more} more"));
    }
    join(listed, "and")
}

/// The same without quotes: `a, b or c`.
pub fn join(listed: impl IntoIterator<Item = String>, last: &str) -> String {
    let listed: Vec<String> = listed.into_iter().collect();
    match listed.as_slice() {
        [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
        other => other.concat(),
    }
}

/// A number of things, whose plural ends in `s`: `1 byte`, `2 bytes`.
///
/// ```
/// use wattle_words::names::count;
///
/// assert_eq!([count(0, "byte"), count(1, "byte"), count(2, "byte")], ["0 bytes", "1 byte", "2 bytes"]);
/// ```
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_name_is_meant() {
        assert_eq!(nearest("bd", ["ab", "db"]), Some("db"));
        assert_eq!(nearest("FLAVOR", ["image", "flavor"]), Some("flavor"));
        assert_eq!(nearest("nmae", ["name-a", "name-b"]), Some("name-a"), "the first of several");
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("a", ["name", "ab", "default"]), None, "one letter says too little");
        assert_eq!(nearest("ab", ["b", "a"]), None);
        assert_eq!(nearest("N", ["m", "n"]), Some("n"));
    }

    #[test]
    fn few_names_are_listed_as_well() {
        assert_eq!(list(["a"], "and"), "`a`");
        assert_eq!(list([], "and"), "");
        assert_eq!(some(["a", "b", "c", "d", "e", "f"], 5), "`a`, `b`, `c`, `d`, `e` and 1 more");
    }
}
