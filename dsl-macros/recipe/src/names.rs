//! Names: valid characters, and file names.

/// The variable with the path prefix of every output's file.
pub(crate) const OUTPUTS_PATH: &str = "heat_outputs_path";

/// Whether the text is a valid name of an output: `[A-Za-z][A-Za-z0-9_-]*`.
pub(crate) fn is_output(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_output_byte)
}

pub(crate) fn is_output_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether the text is a valid name of a variable in every tool: `[A-Za-z_][A-Za-z0-9_]*`.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.bytes().all(is_identifier_byte)
}

pub(crate) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The identifier at the start of `text`, which may be empty.
pub(crate) fn leading_identifier(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    let end = text.bytes().position(|byte| !is_identifier_byte(byte)).unwrap_or(text.len());
    &text[..end]
}

/// Every identifier in `text`, whatever is between them.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| is_identifier(word))
}

/// The number of line feeds, for counting lines.
pub(crate) fn line_feeds(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The part after the last dot of the file name; none for `.bashrc`.
pub(crate) fn extension(path: &str) -> Option<&str> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// The name of a file without its folders.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
