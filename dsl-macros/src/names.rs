//! Names: which are legal, and which was meant.

use syn::Ident;
use syn::ext::IdentExt;

/// The identifier as the author's other tools see it: `type` for `r#type`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Why `name` cannot name an entry of the data space; nothing if it can.
pub(crate) fn refuse(name: &str) -> Option<&'static str> {
    let mut letters = name.chars();
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic()) {
        Some("it must start with a letter")
    } else if !letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')) {
        Some("only letters, digits, `_` and `-` may stand in it")
    } else {
        None
    }
}

/// `OwnerPassword` for `owner_password`.
pub(crate) fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split(['_', '-']).map(capital).collect()
}

/// The candidate that was probably meant by `name`.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// As clap and rustc have it: below this, names do not look alike to a person.
    const ALIKE: f64 = 0.7;
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(left, a), (right, b)| left.total_cmp(right).then(b.cmp(a)))
        .map(|(_, candidate)| candidate)
}

/// Names in backticks, with commas and an `and`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match (names.pop(), names.is_empty()) {
        (Some(last), false) => format!("{} and {last}", names.join(", ")),
        (Some(last), true) => last,
        (None, _) => String::new(),
    }
}
