//! The environment file, in which an operator fills in the parameters.

use std::fmt::Write as _;

use crate::model::Model;
use crate::names::nearest;

use super::Filled;
use super::agent::SPACE;
use super::filled::BY_DEFAULT;
use super::hot::{HotParameter, Template};

/// The parameters of a stack, for an environment file of Heat's.
///
/// A parameter with a default is written as a comment. One without a default is a comment too, and is marked as required,
/// unless wattle sets it. One default is not commented out, because Heat does not accept an empty section.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    stack: String,
    parameters: Vec<(String, HotParameter)>,
}

impl Environment {
    pub(super) fn of(model: &Model, template: &Template) -> Self {
        let parameters = template.parameters.iter().map(|(name, parameter)| (name.to_string(), parameter.clone()));
        Self { stack: model.stack.to_string(), parameters: parameters.collect() }
    }

    /// The number of parameters.
    pub fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether the stack has no parameters.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// The number of parameters that an operator must set.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|(name, parameter)| parameter.default.is_none() && name != SPACE).count()
    }

    /// Values that were filled in for parameters that the stack does not have, each with the parameter that was probably
    /// meant.
    pub fn lost<'f>(&'f self, filled: &'f Filled) -> impl Iterator<Item = (&'f str, Option<&'f str>)> {
        let known = || self.parameters.iter().map(|(name, _)| name.as_str());
        let lost = filled.lines.keys().filter(move |name| !known().any(|known| known == *name));
        // A parameter that already has a value was not meant.
        let free = move |name: &str| nearest(name, known().filter(|known| !filled.lines.contains_key(*known)));
        lost.map(move |name| (name.as_str(), free(name)))
    }

    /// The file, valid as it is, with a commented line for each parameter.
    pub fn to_yaml(&self) -> String {
        self.to_yaml_with(&Filled::default())
    }

    /// The file with the values from an earlier one. Values of parameters that no longer exist are comments at its end.
    pub fn to_yaml_with(&self, filled: &Filled) -> String {
        let known = |name: &str| self.parameters.iter().any(|(known, _)| known == name);
        let (kept, lost): (Vec<_>, Vec<_>) = filled.lines.iter().partition(|(name, _)| known(name));
        let given = if kept.is_empty() { self.spare() } else { None };
        let has_values = given.is_some() || !kept.is_empty();
        // Heat accepts a file without a section, but not a section without a value.
        let (section, before) = if has_values { ("", "") } else { ("#", "`parameters` and before ") };
        let mut text = format!(
            "# Parameters of the stack `{}`: remove the `#` before {before}a name to give it a value.\n# Values are kept when this file is emitted again.\n{section}parameters:\n",
            self.stack
        );
        for (index, (name, parameter)) in self.parameters.iter().enumerate() {
            describe(&mut text, name, parameter);
            match filled.lines.get(name) {
                Some(lines) => text.push_str(lines),
                None => set(&mut text, name, parameter, given == Some(index)),
            }
        }
        if !lost.is_empty() {
            text.push_str("\n  # No parameters of the stack any more:\n");
            let lines = lost.iter().flat_map(|(_, lines)| lines.lines());
            lines.for_each(|line| text.extend(["  #", line.strip_prefix("  ").unwrap_or(line), "\n"]));
        }
        text
    }

    /// The parameter whose default is set if nothing else is.
    fn spare(&self) -> Option<usize> {
        self.parameters.iter().rposition(|(_, parameter)| parameter.default.is_some() && !parameter.hidden)
    }
}

/// Describes the parameter in comments.
fn describe(text: &mut String, name: &str, parameter: &HotParameter) {
    text.push('\n');
    // Some characters end a line in YAML but not in Rust. They must not end the comment.
    for line in parameter.description.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let line: String = line.chars().filter(|c| !is_special(*c)).collect();
        if !line.trim().is_empty() {
            let _ = writeln!(text, "  # {}", line.trim_end());
        }
    }
    let mut remarks = Vec::new();
    if name == SPACE {
        remarks.push("given by `wattle seed apply` and `wattle deploy`");
    } else if parameter.default.is_none() {
        remarks.push("required");
    }
    if parameter.hidden {
        remarks.push("hidden");
    }
    if !remarks.is_empty() {
        let _ = writeln!(text, "  # ({})", remarks.join(", "));
    }
}

/// The line that sets the parameter to its default, commented out unless it is `given`.
fn set(text: &mut String, name: &str, parameter: &HotParameter, given: bool) {
    // JSON is YAML, and every reader of YAML understands it the same way.
    let default =
        parameter.default.as_ref().map(|value| format!(" {}", escaped(&value.to_string()))).unwrap_or_default();
    let (comment, remark) = if given { ("", BY_DEFAULT) } else { ("#", "") };
    let _ = writeln!(text, "  {comment}{name}:{default}{remark}");
}

/// JSON, with everything escaped that YAML would not read literally.
fn escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut text, c| {
        if is_special(c) {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
        text
    })
}

/// Whether YAML 1.1 rejects the character or treats it as a line break.
fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Parameter, Source, Type};

    fn text(description: &str, default: Option<&str>) -> String {
        let mut model = Model::new("demo");
        let mut parameter = Parameter::new(Type::STR, Source::default());
        parameter.description = description.into();
        parameter.default = default.map(Into::into);
        model.parameters.insert("motto".into(), parameter);
        let lowered = crate::lower::lower(&model, &crate::lower::Options::default());
        lowered.environment.to_yaml()
    }

    #[test]
    fn nothing_ends_a_comment_but_a_line() {
        let yaml = text("one\u{2028}two\u{85}three\rfour\u{7}", Some("a\u{2028}  evil: 1 #\u{85}b\u{feff}"));
        let read: serde_yaml::Value = serde_yaml::from_str(&yaml).expect("YAML");
        assert_eq!(read["parameters"]["motto"], "a\u{2028}  evil: 1 #\u{85}b\u{feff}");
        assert!(yaml.chars().all(|c| c == '\n' || !is_special(c)), "{yaml:?}");
        assert!(yaml.contains("  # one\n  # two\n  # three\n  # four\n"), "{yaml}");
    }

    #[test]
    fn what_was_filled_in_stays_and_what_is_gone_is_a_comment() {
        let filled = Filled::read("parameters:\n  motto: on  # mine\n  gone: |\n    a\n    b\n").expect("fits");
        let mut model = Model::new("demo");
        model.parameters.insert("motto".into(), Parameter::new(Type::STR, Source::default()));
        let environment = crate::lower::lower(&model, &crate::lower::Options::default()).environment;
        let yaml = environment.to_yaml_with(&filled);
        assert!(yaml.contains("\nparameters:\n\n  # (required)\n  motto: on  # mine\n"), "{yaml}");
        assert!(yaml.ends_with("\n  # No parameters of the stack any more:\n  #gone: |\n  #  a\n  #  b\n"), "{yaml}");
        let again = environment.to_yaml_with(&Filled::read(&yaml).expect("fits"));
        assert_eq!(again.matches("motto: on  # mine").count(), 1, "{again}");
    }

    #[test]
    fn a_file_without_values_is_a_comment_that_becomes_valid_as_described() {
        let yaml = text("What it says.", None);
        assert_eq!(serde_yaml::from_str::<serde_yaml::Value>(&yaml).expect("YAML"), serde_yaml::Value::Null);
        let filled = yaml.replace("#parameters:", "parameters:").replace("  #motto:", "  motto: x");
        let read: serde_yaml::Value = serde_yaml::from_str(&filled).expect("YAML");
        assert_eq!(read["parameters"]["motto"], "x");
    }
}
