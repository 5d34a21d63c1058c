//! Texts computed from a recipe's variables: placeholders for unknown parts, and limits.

/// The placeholder for an unknown text.
pub(crate) const UNKNOWN: char = '\0';
/// The placeholder for the value of `heat_outputs_path`.
pub(crate) const OUTPUTS: char = '\u{1}';
/// The placeholder for the folder of the recipe's file.
pub(crate) const FOLDER: char = '\u{2}';
/// The placeholder for a folder that may be that one.
pub(crate) const SOME_FOLDER: char = '\u{3}';
/// The placeholder for the working directory of the recipe, unless it has changed it.
pub(crate) const HERE: char = '\u{4}';

/// The maximum number of computed texts of one value; beyond that, it is unknown.
pub(crate) const VALUES: usize = 64;
/// The maximum length of a text that is followed.
pub(crate) const LENGTH: usize = 4096;

/// The replacement for `texts` that are no longer followed: the prefix remains visible.
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
