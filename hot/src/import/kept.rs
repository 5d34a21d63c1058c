//! Where a crate keeps the files that its template names.

/// The name under which the emitted template asks for what it calls `written`: the same, if it is that of a file below
/// the template's folder and none that is emitted itself.
pub(super) fn beside(written: &str) -> String {
    let written = written.strip_prefix("./").unwrap_or(written);
    let is_plain = !written.starts_with('/') && !written.split('/').any(|part| matches!(part, "" | "." | ".."));
    if is_plain && !written.contains(':') && !EMITTED.contains(&written) { written.to_owned() } else { below(written) }
}

/// What is emitted beside the files of a template.
const EMITTED: [&str; 6] =
    ["template.yaml", "template.json", "environment.yaml", "seed.yaml", "model.yaml", "graph.json"];

/// Where the crate of the template `root` keeps the file at `path`.
pub(super) fn kept(root: &str, path: &str) -> String {
    let folder = root.rfind('/').map_or("", |end| &root[..=end]);
    below(path.strip_prefix(folder).unwrap_or(path))
}

fn below(path: &str) -> String {
    let parts = path.split(['/', ':']).filter(|part| !matches!(*part, "" | "." | ".."));
    format!("files/{}", parts.collect::<Vec<_>>().join("/"))
}
