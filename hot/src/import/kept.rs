//! The files that a crate keeps, their paths, and their names in the emitted template.
//!
//! A file below the template's folder keeps its path. A file outside of it gets a path below `files/outside`, because its
//! original path depends on the machine that the template was on.

use wattle_heat::Loaded;
use wattle_heat::files::join;
use wattle_model::IndexMap;

/// The folder for files from outside the template's folder. All files of one folder share a subfolder.
const OUTSIDE: &str = "files/outside";

/// The names of files that are emitted in addition to those of a template.
const EMITTED: [&str; 6] =
    ["template.yaml", "template.json", "environment.yaml", "seed.yaml", "model.yaml", "graph.json"];

/// The files of a template and of everything that it refers to.
#[derive(Debug)]
pub(super) struct Kept {
    /// The root template's own folder, including the trailing `/`. Empty for the current folder.
    folder: String,
    /// The name of each outside folder.
    outside: IndexMap<String, String>,
}

impl Kept {
    pub(super) fn of(loaded: &Loaded) -> Self {
        let root = &loaded.template.file;
        let folder = root.rfind('/').map_or("", |end| &root[..=end]).to_owned();
        // Joined paths have no leading `./`.
        let folder = match join(&folder, ".") {
            plain if plain.is_empty() || plain.ends_with('/') => plain,
            plain => plain + "/",
        };
        let mut kept = Self { folder, outside: IndexMap::default() };
        for mention in &loaded.library.mentions {
            if kept.below(&mention.path).is_none() {
                let number = kept.outside.len();
                let name = || if number == 0 { OUTSIDE.to_owned() } else { format!("{OUTSIDE}{}", number + 1) };
                kept.outside.entry(split(&mention.path).0.to_owned()).or_insert_with(name);
            }
        }
        kept
    }

    /// The path relative to the template's folder, if the file is below it.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(&self.folder)?;
        let is_below = !rest.starts_with('/') && !rest.contains(':') && rest.split('/').all(|part| part != "..");
        is_below.then_some(rest)
    }

    /// Whether the file is outside the template's folder.
    pub(super) fn is_outside(&self, path: &str) -> bool {
        self.below(path).is_none()
    }

    fn outside(&self, path: &str) -> String {
        let (folder, name) = split(path);
        format!("{}/{}", self.outside.get(folder).map_or(OUTSIDE, String::as_str), name.replace(':', "_"))
    }

    /// The path of the file at `path` in the crate.
    pub(super) fn in_crate(&self, path: &str) -> String {
        self.below(path).map_or_else(|| self.outside(path), |path| format!("files/{path}"))
    }

    /// The name by which the emitted template refers to the file at `path`, written as `written` in the source. It keeps
    /// that name if it is the path of a file below the template's folder and not of an emitted file.
    pub(super) fn beside(&self, path: &str, written: &str) -> String {
        let written = written.strip_prefix("./").unwrap_or(written);
        let is_plain = !written.starts_with('/') && !written.split('/').any(|part| matches!(part, "" | "." | ".."));
        if is_plain && !written.contains(':') && !EMITTED.contains(&written) {
            written.to_owned()
        } else {
            self.in_crate(path)
        }
    }
}

/// Splits a path into folder and file name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The names of a file that the template at `root` refers to as `written`: in the crate, and beside the emitted
    /// template.
    fn names(root: &str, written: &str) -> (String, String) {
        let text = format!(
            "heat_template_version: 2021-04-16\nresources: {{v: {{type: OS::Heat::Value, properties: {{value: {{get_file: '{written}'}}}}}}}}\n"
        );
        let files = BTreeMap::<String, Vec<u8>>::new();
        let loaded = Loaded::load(&text, root, &files, &wattle_heat::parameters::Inputs::default());
        let (kept, path) = (Kept::of(&loaded), join(root, written));
        (kept.in_crate(&path), kept.beside(&path, written))
    }

    #[test]
    fn no_name_is_one_of_the_machine_or_leads_out() {
        for (root, written, in_crate, beside) in [
            ("t.yaml", "a.sh", "files/a.sh", "a.sh"),
            ("app/t.yaml", "./x/a.sh", "files/x/a.sh", "x/a.sh"),
            ("./app/t.yaml", "a.sh", "files/a.sh", "a.sh"),
            ("/home/me/app/t.yaml", "/home/me/app/a.sh", "files/a.sh", "files/a.sh"),
            ("/home/me/app/t.yaml", "../a.sh", "files/outside/a.sh", "files/outside/a.sh"),
            ("app/t.yaml", "../../a.sh", "files/outside/a.sh", "files/outside/a.sh"),
            ("t.yaml", "../../../etc/shadow", "files/outside/shadow", "files/outside/shadow"),
            ("t.yaml", "/etc/shadow", "files/outside/shadow", "files/outside/shadow"),
            ("t.yaml", "file:///etc/shadow", "files/outside/shadow", "files/outside/shadow"),
            ("/t.yaml", "/etc/x", "files/etc/x", "files/etc/x"),
            ("t.yaml", "template.yaml", "files/template.yaml", "files/template.yaml"),
        ] {
            assert_eq!(names(root, written), (in_crate.to_owned(), beside.to_owned()), "{written} of {root}");
        }
    }
}
