//! The files of a deployment: the template, and everything that it names.

use std::cell::RefCell;
use std::fmt;

use crate::model::IndexMap;
use wattle_heat::Loaded;
use wattle_heat::files::{Files, Missing};
use wattle_heat::parameters::Inputs;

/// The names under which `emit` writes the template of the whole stack.
pub use crate::lower::places::ROOTS;

/// Returns the text of a file.
type Read<'r> = dyn FnMut(&str) -> Option<String> + 'r;

/// The files in a deployment's folder, but none outside of it.
pub(super) struct InFolder<'r>(RefCell<&'r mut Read<'r>>);

impl<'r> InFolder<'r> {
    pub(super) fn new(read: &'r mut Read<'r>) -> Self {
        Self(RefCell::new(read))
    }
}

impl fmt::Debug for InFolder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFolder").finish_non_exhaustive()
    }
}

impl Files for InFolder<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        let is_outside = path.starts_with('/') || path.contains("://") || path.split('/').any(|part| part == "..");
        let text = if is_outside { None } else { (self.0.borrow_mut())(path) };
        text.map(String::into_bytes).ok_or_else(|| Missing("it is not in the folder".to_owned()))
    }
}

/// Collects the template of a deployment, and the nested templates and files that it names, by their paths within the
/// deployment's folder; `read` returns the text of a file there. Unreadable files are left out.
pub fn gather(read: &mut dyn FnMut(&str) -> Option<String>) -> IndexMap<String, String> {
    let Some((name, text)) = ROOTS.into_iter().find_map(|name| Some((name, read(name)?))) else {
        return IndexMap::default();
    };
    let loaded = Loaded::load(&text, name, &InFolder::new(read), &Inputs::default());
    let named = loaded.library.contents.iter();
    let named = named.filter_map(|(path, text)| Some((path.clone(), text.as_ref().ok()?.to_string())));
    std::iter::once((name.to_owned(), text)).chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_is_its_template_and_all_that_it_names() {
        let texts = [
            (
                "template.yaml",
                "resources: {a: {type: part-1.yaml}, b: {type: lib/b.yaml, properties: {x: {get_file: x.sh}}}}",
            ),
            ("part-1.yaml", "{heat_template_version: 2021-04-16, resources: {s: {type: OS::Nova::Server}}}"),
            (
                "lib/b.yaml",
                "{heat_template_version: 2021-04-16, resources: {c: {type: ../part-1.yaml}, d: {type: c.yaml}, e: {type: \
                 ../../out.yaml}}}",
            ),
            ("lib/c.yaml", "{heat_template_version: 2021-04-16, resources: {d: {type: b.yaml}}}"),
            ("x.sh", "echo type: nobody.yaml"),
            ("nobody.yaml", "{}"),
            ("../out.yaml", "{}"),
        ];
        let mut read = |path: &str| texts.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        let mut found: Vec<String> = gather(&mut read).into_keys().collect();
        found.sort();
        assert_eq!(found, ["lib/b.yaml", "lib/c.yaml", "part-1.yaml", "template.yaml", "x.sh"]);
        assert!(gather(&mut |_| None).is_empty());
    }
}
