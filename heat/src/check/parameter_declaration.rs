//! W1101: a parameter's declaration that is not in Heat's form.

use wattle_model::names::{did_you_mean, list, meant, nearest};
use wattle_model::{Diagnostic, ParameterType};

use crate::template::{Parameter, Version};
use crate::yaml::Tree;

use super::Sink;
use super::registry::check;

check! {
    /// A parameter is a map with a `type` (`string`, `number`, `boolean`, `json` or `comma_delimited_list`). It can
    /// also have `default`, `description`, `label`, `hidden`, `immutable` and `constraints`, and from version
    /// 2018-03-02 on `tags`.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   size:
    ///     type: integer
    ///     default: 3
    /// ```
    ///
    /// Use one of Heat's types:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   size:
    ///     type: number
    ///     default: 3
    /// ```
    PARAMETER_DECLARATION: "W1101", Error, "a malformed parameter declaration", Sent(run)
}

const KEYS: [&str; 9] =
    ["type", "description", "default", "schema", "constraints", "hidden", "label", "immutable", "tags"];

/// Names of types in other formats and languages.
const ALIASES: [(&str, ParameterType); 12] = [
    ("integer", ParameterType::Number),
    ("int", ParameterType::Number),
    ("float", ParameterType::Number),
    ("Number", ParameterType::Number),
    ("str", ParameterType::Str),
    ("text", ParameterType::Str),
    ("bool", ParameterType::Boolean),
    ("list", ParameterType::CommaDelimitedList),
    ("CommaDelimitedList", ParameterType::CommaDelimitedList),
    ("map", ParameterType::Json),
    ("object", ParameterType::Json),
    ("dict", ParameterType::Json),
];

fn run(sink: &mut Sink<'_>) {
    for (name, parameter) in &sink.template().parameters {
        for diagnostic in judge(sink, name, parameter) {
            sink.push(diagnostic);
        }
    }
}

fn judge(sink: &Sink<'_>, name: &str, parameter: &Parameter) -> Vec<Diagnostic> {
    let version = sink.template().version();
    let Tree::Map(pairs) = &*parameter.node.tree else {
        let diagnostic = PARAMETER_DECLARATION
            .diagnostic(format!("the parameter `{name}` is {} instead of a map", parameter.node.tree.kind()))
            .label(&sink.at(parameter.name_span), "its declaration begins here")
            .help("add a type: `{type: string}`");
        return vec![diagnostic];
    };
    let mut diagnostics = Vec::new();
    let known = if version >= Version::V2018_03_02 { &KEYS[..] } else { &KEYS[..8] };
    for pair in crate::yaml::counting(pairs) {
        let key = pair.key.as_key();
        if known.contains(&&*key) {
            continue;
        }
        let diagnostic = PARAMETER_DECLARATION
            .diagnostic(format!(
                "the parameter `{name}` has a key `{}`, which parameters do not have",
                key.escape_debug()
            ))
            .label(&sink.at(pair.key.span), "Heat refuses it");
        diagnostics.push(diagnostic.help(match meant(&key, known.iter().copied()) {
            _ if key == "tags" => format!("tags are available from 2018-03-02 on; this template has version {version}"),
            Some(meant) => meant,
            None => format!(
                "the keys of a parameter are {}",
                list(known.iter().copied().filter(|key| *key != "schema"), "and")
            ),
        }));
    }
    match parameter.node.get("type") {
        None if diagnostics.iter().any(|diagnostic| diagnostic.help.iter().any(|help| help.contains("`type`"))) => {}
        None => {
            let diagnostic = PARAMETER_DECLARATION
                .diagnostic(format!("the parameter `{name}` has no type"))
                .label(&sink.at(parameter.name_span), "`type` is missing")
                .help(format!("write one of {}", list(ParameterType::ALL.map(ParameterType::name), "and")));
            diagnostics.push(diagnostic);
        }
        Some(ty) if parameter.kind.is_none() => {
            let text = ty.as_key();
            let alias =
                ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(&text)).map(|(_, kind)| kind.name());
            let near = alias.or_else(|| nearest(&text, ParameterType::ALL.map(ParameterType::name)));
            let diagnostic = PARAMETER_DECLARATION
                .diagnostic(format!("there is no parameter type `{}`", text.escape_debug()))
                .label(&sink.at(ty.span), format!("the type of `{name}`"))
                .help(match near {
                    Some(near) => did_you_mean(near),
                    None => format!("write one of {}", list(ParameterType::ALL.map(ParameterType::name), "and")),
                });
            diagnostics.push(diagnostic);
        }
        Some(_) => {}
    }
    if let Some(tags) = parameter.node.get("tags")
        && version >= Version::V2018_03_02
        && !matches!(*tags.tree, Tree::List(_))
    {
        let diagnostic = PARAMETER_DECLARATION
            .diagnostic(format!("the tags of `{name}` are {} instead of a list", tags.tree.kind()))
            .label(&sink.at(tags.span), "this is not a list")
            .help("write `[TAG, ...]`");
        diagnostics.push(diagnostic);
    }
    diagnostics
}
