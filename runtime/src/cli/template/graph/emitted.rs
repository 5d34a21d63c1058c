//! The diagram that `emit` wrote beside the template. It contains the software, which is not in the template.

use std::path::Path;

use wattle::diagram::{Diagram, FILE_NAME};
use wattle::manners::{CommandError, read, reason};

/// The diagram in the file `path` or in the directory `path`. `None` if `path` is something else.
pub(super) fn diagram(path: &Path) -> Result<Option<Diagram>, CommandError> {
    let file = match path {
        directory if directory.is_dir() => directory.join(FILE_NAME),
        file if file.file_name().is_some_and(|name| name == FILE_NAME) => file.to_owned(),
        _ => return Ok(None),
    };
    let text = read(&file).map_err(|error| {
        let failure = CommandError::usage(format!("cannot read the diagram `{}`: {}", file.display(), reason(&error)));
        failure.help("a blueprint's program writes it, to `out/STACK` by default: give that folder, or a template")
    })?;
    let diagram = Diagram::from_json(&text)
        .map_err(|why| CommandError::usage(format!("`{}` cannot be drawn: {why}", file.display())))?;
    Ok(Some(diagram))
}
