//! Walks a value and all calls in it.

use crate::yaml::{Node, Tree};

use super::{Call, Context, Version};

/// Whether a walk descends into the current node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into its parts.
    Into,
    /// Past it.
    Over,
}

/// Visits `node` and everything in it, outermost first, each with the call that it is, if it is one. Calls are recognised
/// as in Heat's parser: a call that the version does not know is a map, and the first argument of `if` is a condition.
/// Unlike in Heat, both branches of `if` are visited: see [`crate::evaluate`] for the effective one.
pub fn walk<'n>(
    node: &'n Node,
    version: Version,
    context: Context,
    visit: &mut dyn FnMut(&'n Node, Option<&Call<'n>>, Context) -> Step,
) {
    let call = Call::within(node, version, context);
    if visit(node, call.as_ref(), context) == Step::Over {
        return;
    }
    match (&call, &*node.tree) {
        (Some(call), _) if call.function == super::Function::If && context == Context::Value => {
            match call.arguments() {
                Some([condition, branches @ ..]) => {
                    walk(condition, version, Context::Condition, visit);
                    for branch in branches {
                        walk(branch, version, context, visit);
                    }
                }
                _ => walk(call.argument, version, context, visit),
            }
        }
        (Some(call), _) => walk(call.argument, version, context, visit),
        (None, Tree::List(items)) => items.iter().for_each(|item| walk(item, version, context, visit)),
        (None, Tree::Map(pairs)) => pairs.iter().for_each(|pair| walk(&pair.value, version, context, visit)),
        (None, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::Context::{Condition, Value};
    use super::*;
    use crate::template::Function::{Equals, GetAttr, GetParam, If, ListJoin};
    use crate::yaml::read;

    #[test]
    fn conditions_of_if_are_conditions() {
        let node =
            read("a: [{if: [{equals: [1, {get_param: p}]}, {get_attr: [s, a]}, {list_join: [x, []]}]}]").expect("YAML");
        let mut calls = Vec::new();
        walk(&node, Version::default(), Context::Value, &mut |_, call, context| {
            calls.extend(call.map(|call| (call.function, context)));
            Step::Into
        });
        let expected = [(If, Value), (Equals, Condition), (GetParam, Condition), (GetAttr, Value), (ListJoin, Value)];
        assert_eq!(calls, expected);
    }
}
