//! Messages about invalid calls.

use super::arguments::{Argument, Arguments};
use super::item::{Item, Map};
use super::machine::{Sort, Stop, wrong};
use super::overload::constant;

/// How an operator or a function is written.
fn shown(name: &str) -> &str {
    let operator = name.strip_prefix("#operator_").or_else(|| name.strip_prefix("#unary_operator_"));
    operator.unwrap_or(match name {
        "#equal" => "=",
        "#not_equal" => "!=",
        "#indexer" => "[]",
        "#map" => "{}",
        name => name,
    })
}

/// The message that no function accepts these arguments.
pub(super) fn no_match<T>(name: &str, arguments: &Arguments) -> Result<T, Stop> {
    let kinds = arguments.placed.iter().map(|argument| match argument {
        Argument::Value(value) => value.kind(),
        Argument::Written(expression) => constant(expression).map_or("an expression", |value| value.kind()),
        Argument::LeftOut => "nothing",
    });
    let kinds: Vec<_> = kinds.chain(arguments.named.iter().map(|_| "an argument with a name")).collect();
    let what = match kinds.split_last() {
        None => "no arguments".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    Err(Stop::Wrong(Sort::Matching, format!("`{}` does not take {what}", shown(name).escape_debug())))
}

/// The message that a map lacks a key, with the keys that it has.
pub(super) fn no_key(map: &Map, key: &str) -> String {
    let few = map.entries.iter().filter_map(|(key, _)| match key {
        Item::Text(text) => Some(text.escape_debug().to_string()),
        _ => None,
    });
    let few: Vec<_> = few.take(8).collect();
    let has = if few.is_empty() {
        String::new()
    } else {
        format!(", but {}", wattle_model::names::list(few.iter().map(String::as_str), "and"))
    };
    format!("a map has no key `{}`{has}", key.escape_debug())
}

/// The message that several functions accept these arguments, and none is more specific than the others.
pub(super) fn ambiguous<T>(name: &str) -> Result<T, Stop> {
    wrong(format!("it is ambiguous which `{}` is meant", shown(name).escape_debug()))
}
