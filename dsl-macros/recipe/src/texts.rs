//! Texts that are computed from a recipe's variables: placeholders for unknown parts, and how many are followed.

/// Stands for what is not known.
pub(crate) const UNKNOWN: char = '\0';
/// Stands for the value of `heat_outputs_path`.
pub(crate) const OUTPUTS: char = '\u{1}';
/// Stands for the folder in which the recipe's file is.
pub(crate) const FOLDER: char = '\u{2}';
/// Stands for a folder that may be that one.
pub(crate) const SOME_FOLDER: char = '\u{3}';
/// Stands for the folder where the recipe runs, unless it has changed it.
pub(crate) const HERE: char = '\u{4}';

/// The most texts of one value that are computed; beyond that, it is unknown.
pub(crate) const VALUES: usize = 64;
/// The longest text that is followed.
pub(crate) const LENGTH: usize = 4096;

/// What is left of `texts` when they are no longer followed: the prefix stays seen.
pub(crate) fn unknown<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let seen = texts.into_iter().any(|text| text.contains(OUTPUTS));
    if seen { format!("{OUTPUTS}{UNKNOWN}") } else { UNKNOWN.into() }
}

/// Each text of `left` with each of `right` after it.
pub(crate) fn product(left: &[String], right: &[String]) -> Vec<String> {
    if left.len() * right.len() > VALUES {
        return product(left, &[unknown(right)]);
    }
    let joined: Vec<String> =
        left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect();
    if joined.iter().any(|text| text.len() > LENGTH) { vec![unknown(&joined)] } else { joined }
}
