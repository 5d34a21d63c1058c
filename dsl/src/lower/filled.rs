//! The values that an operator has filled in in an environment file, kept for when the file is written again.

use crate::model::IndexMap;
use wattle_heat::environment::Environment;
use wattle_heat::yaml::Tree;

/// The end of the line with the one default that is set because Heat does not accept an empty section. The operator did not
/// fill it in.
pub(super) const BY_DEFAULT: &str = "  # its default; Heat takes no empty section";

/// The values in an environment file, exactly as they were written, with their comments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// The lines of each parameter, by its name, including line ends.
    pub(super) lines: IndexMap<String, String>,
}

impl Filled {
    /// Reads an environment file as [`Environment::to_yaml`](super::Environment::to_yaml) writes it, whether it is
    /// filled in or not.
    ///
    /// # Errors
    /// Why its content cannot be carried over: it is not YAML, has a section other than `parameters`, or has values
    /// that do not each begin a line of their own, indented by two spaces.
    pub fn read(text: &str) -> Result<Self, String> {
        let environment = Environment::read([("", text)]);
        if let Some(fault) = environment.faults().into_iter().next() {
            return Err(fault.message);
        }
        for file in &environment.files {
            let Tree::Map(sections) = &*file.root.tree else { continue };
            if let Some(other) = sections.iter().map(|pair| pair.key.as_key()).find(|name| name != "parameters") {
                return Err(format!("it has a section `{other}`"));
            }
        }
        let (given, mut lines) = (environment.parameters, lines(text));
        if let Some(name) = given.keys().find(|name| !lines.contains_key(name.as_str())) {
            return Err(format!("`{name}` is not at the beginning of a line, indented by two spaces"));
        }
        lines.retain(|name, text| given.contains_key(name) && !text.trim_end().ends_with(BY_DEFAULT.trim()));
        Ok(Self { lines })
    }
}

/// The lines below `parameters:`, by the name that begins them.
fn lines(text: &str) -> IndexMap<String, String> {
    let mut found: IndexMap<String, String> = IndexMap::default();
    let mut last = None;
    for line in text.split_inclusive('\n') {
        let entry = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '#', '\t', '\n', '\r']));
        if let Some((name, _)) = entry.and_then(|rest| rest.split_once(':')) {
            let name = name.trim().trim_matches(['"', '\'']).to_owned();
            found.insert(name.clone(), line.to_owned());
            last = Some(name);
        } else if line.starts_with("   ") || line.trim().is_empty() {
            // A continuation line of a value, or a separator between values.
            if let Some(text) = last.as_ref().and_then(|name| found.get_mut(name)) {
                text.push_str(line);
            }
        } else {
            last = None;
        }
    }
    for text in found.values_mut() {
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, String> {
        Filled::read(text).map(|filled| filled.lines.into_iter().collect())
    }

    #[test]
    fn values_are_kept_as_they_are_written() {
        let text =
            "parameters:\n  # What it is.\n  a: on  # mine\n\n  #b:\n  c: |\n    one\n\n    two\n\n  # More.\n  d: 1\n";
        let kept = [("a", "  a: on  # mine\n"), ("c", "  c: |\n    one\n\n    two\n"), ("d", "  d: 1\n")];
        assert_eq!(read(text).expect("fits"), kept.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn nobody_filled_in_a_default_that_was_given() {
        assert_eq!(read(&format!("parameters:\n  a: \"x\"{BY_DEFAULT}\n")), Ok(Vec::new()));
        assert_eq!(read("# nothing\n#parameters:\n"), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_carried_over_is_named() {
        assert_eq!(
            read("parameters: {a: 1}"),
            Err("`a` is not at the beginning of a line, indented by two spaces".into())
        );
        assert_eq!(
            read("parameters:\n    a: 1\n"),
            Err("`a` is not at the beginning of a line, indented by two spaces".into())
        );
        assert_eq!(
            read("parameters:\n  a: 1\nresource_registry: {}\n"),
            Err("it has a section `resource_registry`".into())
        );
        assert!(read("parameters: [").is_err());
    }
}
