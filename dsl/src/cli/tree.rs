//! The short tree of what was written, and counts in words.

use std::fmt::Write;

use crate::model::{Model, Resource};

use super::files::Written;

/// `1 server`, `2 servers`, `2 entries`.
pub(super) fn count(number: usize, one: &str) -> String {
    let many = || one.strip_suffix('y').map_or_else(|| format!("{one}s"), |stem| format!("{stem}ies"));
    let word = if number == 1 { one.to_owned() } else { many() };
    format!("{number} {word}")
}

/// `14 resources (4 servers) and 6 components`.
pub fn of_model(model: &Model) -> String {
    let servers = model.resources.values().filter(|resource| Resource::is_server(resource)).count();
    let (resources, components) =
        (count(model.resources.len(), "resource"), count(model.components.len(), "component"));
    format!("{resources} ({}) and {components}", count(servers, "server"))
}

/// The files below their directory, each with a description and its size.
pub(super) fn of_files(directory: &str, files: &[Written]) -> String {
    let width = |text: fn(&Written) -> &str| files.iter().map(|file| text(file).chars().count()).max().unwrap_or(0);
    let (names, contents) = (width(|file| &file.name), width(|file| &file.content));
    let mut tree = format!("{directory}\n");
    for (index, Written { name, content, bytes }) in files.iter().enumerate() {
        let branch = if index + 1 == files.len() { "└──" } else { "├──" };
        writeln!(tree, "{branch} {name:names$}  {content:contents$}  {:>9}", size(*bytes))
            .expect("INVARIANT: text takes all that is written");
    }
    tree
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
