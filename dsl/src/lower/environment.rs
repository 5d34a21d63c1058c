//! The environment: where an operator fills in the parameters.

use std::fmt::Write as _;

use crate::model::Model;

use super::hot::{HotParameter, Template};

/// The parameters of a stack, for an environment file of Heat's.
///
/// What has a default stands there as a comment, what has none as well and is named as required. One default is given,
/// because Heat takes no empty section.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Environment {
    stack: String,
    parameters: Vec<(String, HotParameter)>,
}

impl Environment {
    pub(super) fn of(model: &Model, template: &Template) -> Self {
        let parameters = template.parameters.iter().map(|(name, parameter)| (name.to_string(), parameter.clone()));
        Self { stack: model.stack.to_string(), parameters: parameters.collect() }
    }

    /// How many parameters there are.
    pub fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether the stack has no parameters.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// How many parameters must be given.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|(_, parameter)| parameter.default.is_none()).count()
    }

    /// The file: valid as it stands, with a commented line for each parameter.
    pub fn to_yaml(&self) -> String {
        let mut text =
            format!("# Parameters of the stack `{}`: remove the `#` before a name to give it a value.\n", self.stack);
        let given = self.parameters.iter().rposition(|(_, parameter)| parameter.default.is_some() && !parameter.hidden);
        text.push_str(if given.is_some() { "parameters:\n" } else { "parameters: {}\n" });
        for (index, (name, parameter)) in self.parameters.iter().enumerate() {
            describe(&mut text, name, parameter, given == Some(index));
        }
        text
    }
}

fn describe(text: &mut String, name: &str, parameter: &HotParameter, given: bool) {
    text.push('\n');
    for line in parameter.description.lines() {
        let _ = writeln!(text, "  # {line}");
    }
    let mut remarks = Vec::new();
    if parameter.default.is_none() {
        remarks.push("required");
    }
    if parameter.hidden {
        remarks.push("hidden");
    }
    if !remarks.is_empty() {
        let _ = writeln!(text, "  # ({})", remarks.join(", "));
    }
    // JSON is YAML, and means the same to every reader of it.
    let default = parameter.default.as_ref().map(|value| format!(" {value}")).unwrap_or_default();
    let _ = writeln!(text, "  {}{name}:{default}", if given { "" } else { "#" });
}
