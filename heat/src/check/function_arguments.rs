//! W1110: a function whose arguments are not what it takes.

use crate::evaluate::Cause;

use super::Sink;
use super::registry::check;

check! {
    /// A function is called with too few or too many arguments, or with values of another kind. Some of that Heat finds in
    /// every place, some only where it needs the value at once: in properties, policies and conditions.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_join: [db, 1]}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   name:
    ///     type: OS::Heat::Value
    ///     properties:
    ///       value: {list_join: ['-', [db, '1']]}
    /// ```
    FUNCTION_ARGUMENTS: "W1110", Error, "a function whose arguments are not what it takes", Each(run)
}

/// How a function is called.
pub(super) fn form(function: &str) -> Option<&'static str> {
    Some(match function {
        "get_param" => "get_param: NAME, or get_param: [NAME, KEY, ...]",
        "get_attr" => "get_attr: [RESOURCE, ATTRIBUTE, KEY, ...]",
        "get_file" => "get_file: PATH",
        "list_join" => "list_join: [DELIMITER, [ITEM, ...]]",
        "str_replace" | "str_replace_strict" | "str_replace_vstrict" => {
            "str_replace: {template: TEXT, params: {KEY: VALUE}}"
        }
        "str_split" => "str_split: [DELIMITER, TEXT, INDEX]",
        "repeat" => "repeat: {template: VALUE, for_each: {KEY: [ITEM, ...]}}",
        "digest" => "digest: [sha256, TEXT]",
        "map_merge" => "map_merge: [{KEY: VALUE}, {KEY: VALUE}]",
        "map_replace" => "map_replace: [{KEY: VALUE}, {keys: {OLD: NEW}, values: {OLD: NEW}}]",
        "yaql" => "yaql: {expression: $.data.NAME, data: {NAME: VALUE}}",
        "if" => "if: [CONDITION, VALUE, VALUE]",
        "filter" => "filter: [[VALUE, ...], LIST]",
        "make_url" => "make_url: {scheme: http, host: HOST, port: PORT, path: PATH}",
        "list_concat" | "list_concat_unique" => "list_concat: [LIST, LIST]",
        "contains" => "contains: [VALUE, LIST]",
        "equals" => "equals: [VALUE, VALUE]",
        "not" => "not: CONDITION",
        "and" => "and: [CONDITION, CONDITION]",
        "or" => "or: [CONDITION, CONDITION]",
        "resource_facade" => "resource_facade: metadata",
        _ => return None,
    })
}

fn run(sink: &mut Sink<'_>) {
    for found in sink.faults().into_iter().filter(|found| !found.late) {
        if let Cause::Arguments { function, why } = &found.fault.cause {
            let diagnostic = FUNCTION_ARGUMENTS
                .diagnostic(format!("`{function}`: {why}"))
                .label(&sink.at(found.fault.span), "called here");
            let diagnostic = match form(function) {
                Some(form) => diagnostic.help(format!("it is called as `{form}`")),
                None => diagnostic,
            };
            sink.push(diagnostic);
        }
    }
}
