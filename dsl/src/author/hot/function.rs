//! HOT's functions (HOT specification, "intrinsic functions"), each under its own name.

use crate::author::expression::{Expression, Handle};
use crate::author::handle::Parameter;
use crate::author::input::Public;

use super::argument::{Argument, AsResource};
use super::value::Value;

/// Calls any of Heat's functions. Use it for functions that this module does not have. An unknown name is an error of
/// `check` (W0412).
///
/// ```
/// use wattle::prelude::*;
///
/// let zone = hot::function("resource_facade", "metadata");
/// # let _ = zone;
/// ```
pub fn function(name: &str, argument: impl Argument) -> Value {
    call(name, argument.into_argument())
}

/// The name of a parameter or resource, for functions that take a name.
fn name_of(subject: Expression) -> Expression {
    match subject {
        Expression::Leaf(handle) => Expression::Leaf(Handle::NameOf(Box::new(handle))),
        other => other,
    }
}

fn call(name: &str, argument: Expression) -> Value {
    Value(Expression::Function { name: name.into(), argument: Box::new(argument) })
}

fn many(name: &str, items: impl IntoIterator<Item = Expression>) -> Value {
    call(name, Expression::List(items.into_iter().collect()))
}

fn named(name: &str, items: impl IntoIterator<Item = (&'static str, Expression)>) -> Value {
    call(name, Expression::Map(items.into_iter().map(|(key, value)| (key.into(), value)).collect()))
}

/// The identity by which Heat knows a resource. Use it where a value is needed instead of a handle.
pub fn get_resource(resource: impl AsResource) -> Value {
    Value(resource.resource().into())
}

/// A part of a parameter's value. `path` is a list of keys and indices into it.
pub fn get_param<T: Public>(parameter: Parameter<T>, path: impl IntoIterator<Item = impl Argument>) -> Value {
    let path = path.into_iter().map(Argument::into_argument);
    many("get_param", std::iter::once(name_of(parameter.into())).chain(path))
}

/// An attribute of a resource, or a part of one. `path` is the attribute's name, followed by keys and indices into its
/// value.
///
/// ```
/// use wattle::prelude::*;
///
/// fn second_address(server: wattle::author::Resource, network: Parameter<String>) -> hot::Value {
///     hot::get_attr(server, [hot::value("networks"), hot::value(network), hot::value(1)])
/// }
/// ```
pub fn get_attr(resource: impl AsResource, path: impl IntoIterator<Item = impl Argument>) -> Value {
    let subject = name_of(resource.resource().into());
    many("get_attr", std::iter::once(subject).chain(path.into_iter().map(Argument::into_argument)))
}

/// All attributes of a resource, as a map: `get_attr` with only the resource.
pub fn attributes(resource: impl AsResource) -> Value {
    many("get_attr", [name_of(resource.resource().into())])
}

/// One of two values: `then` if the condition holds, `otherwise` if it does not.
pub fn if_(condition: impl Argument, then: impl Argument, otherwise: impl Argument) -> Value {
    many("if", [condition.into_argument(), then.into_argument(), otherwise.into_argument()])
}

/// Whether two values are equal.
pub fn equals(one: impl Argument, other: impl Argument) -> Value {
    many("equals", [one.into_argument(), other.into_argument()])
}

/// Whether a condition does not hold.
pub fn not(condition: impl Argument) -> Value {
    call("not", condition.into_argument())
}

/// Whether all conditions hold.
pub fn and(conditions: impl IntoIterator<Item = impl Argument>) -> Value {
    many("and", conditions.into_iter().map(Argument::into_argument))
}

/// Whether at least one condition holds.
pub fn or(conditions: impl IntoIterator<Item = impl Argument>) -> Value {
    many("or", conditions.into_iter().map(Argument::into_argument))
}

/// Whether a list or a text contains a value.
pub fn contains(value: impl Argument, sequence: impl Argument) -> Value {
    many("contains", [value.into_argument(), sequence.into_argument()])
}

/// Joins texts with a delimiter. For text around single values, use [`text!`](crate::text).
pub fn list_join(delimiter: impl Argument, texts: impl Argument) -> Value {
    many("list_join", [delimiter.into_argument(), texts.into_argument()])
}

/// Splits a text at each delimiter.
pub fn str_split(delimiter: impl Argument, text: impl Argument) -> Value {
    many("str_split", [delimiter.into_argument(), text.into_argument()])
}

fn replace(name: &str, template: impl Argument, params: impl Argument) -> Value {
    named(name, [("template", template.into_argument()), ("params", params.into_argument())])
}

/// A text in which each key of `params` is replaced by its value.
///
/// ```
/// use wattle::prelude::*;
///
/// fn script(host: Attribute<String>) -> hot::Value {
///     hot::str_replace("#!/bin/sh\necho $host >/etc/database\n", [("$host", host)])
/// }
/// ```
pub fn str_replace(template: impl Argument, params: impl Argument) -> Value {
    replace("str_replace", template, params)
}

/// Like [`str_replace`], but each key must be in the text.
pub fn str_replace_strict(template: impl Argument, params: impl Argument) -> Value {
    replace("str_replace_strict", template, params)
}

/// Like [`str_replace_strict`], but no value may be empty.
pub fn str_replace_vstrict(template: impl Argument, params: impl Argument) -> Value {
    replace("str_replace_vstrict", template, params)
}

/// The digest of a text, computed with `md5`, `sha1`, `sha224`, `sha256`, `sha384` or `sha512`.
pub fn digest(algorithm: impl Argument, text: impl Argument) -> Value {
    many("digest", [algorithm.into_argument(), text.into_argument()])
}

/// A copy of `template` for each combination of items of the lists. The keys of `for_each` stand for the items.
///
/// To iterate over a list that is known while the blueprint runs, use a loop in Rust.
///
/// ```
/// use wattle::prelude::*;
///
/// fn rules(ports: Parameter<Vec<String>>) -> hot::Value {
///     hot::repeat([("%port%", ports)], [("port_range_min", "%port%"), ("port_range_max", "%port%")])
/// }
/// ```
pub fn repeat(for_each: impl Argument, template: impl Argument) -> Value {
    named("repeat", [("for_each", for_each.into_argument()), ("template", template.into_argument())])
}

/// A list without `values`.
pub fn filter(values: impl Argument, list: impl Argument) -> Value {
    many("filter", [values.into_argument(), list.into_argument()])
}

/// Merges maps into one; later ones win.
pub fn map_merge(maps: impl Argument) -> Value {
    call("map_merge", maps.into_argument())
}

/// A map with its keys and values replaced. `replacements` has `keys`, `values` or both.
pub fn map_replace(map: impl Argument, replacements: impl Argument) -> Value {
    many("map_replace", [map.into_argument(), replacements.into_argument()])
}

/// Joins lists into one.
pub fn list_concat(lists: impl Argument) -> Value {
    call("list_concat", lists.into_argument())
}

/// Joins lists into one that has each value once.
pub fn list_concat_unique(lists: impl Argument) -> Value {
    call("list_concat_unique", lists.into_argument())
}

/// A URL made from its parts: `scheme`, `host`, `port`, `path`, `query`, ...
pub fn make_url(parts: impl Argument) -> Value {
    call("make_url", parts.into_argument())
}

/// A YAQL expression over `data`.
pub fn yaql(expression: impl Argument, data: impl Argument) -> Value {
    named("yaql", [("expression", expression.into_argument()), ("data", data.into_argument())])
}

fn pseudo(name: &str) -> Value {
    call("get_param", name.into())
}

/// The stack's name.
pub fn stack_name() -> Value {
    pseudo("OS::stack_name")
}

/// The stack's id.
pub fn stack_id() -> Value {
    pseudo("OS::stack_id")
}

/// The id of the project that the stack belongs to.
pub fn project_id() -> Value {
    pseudo("OS::project_id")
}
