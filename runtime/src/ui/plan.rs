//! What a server has to do, for a browser. Secrets are shown only as secrets.

use serde_json::{Value, json};
use wattle::diagram::type_in_short;
use wattle::model::Type;

use crate::space::{Held, PlannedComponent, ServerPlan, ValueSource};

use super::entry::shown;

pub(super) fn json(plan: &ServerPlan) -> Value {
    let components: serde_json::Map<_, _> =
        plan.components.iter().map(|(name, planned)| (name.to_string(), component(planned))).collect();
    json!({
        "revision": plan.revision,
        "order": plan.order,
        "retired": plan.retired,
        "publishes": plan.publishes.keys().collect::<Vec<_>>(),
        "components": components,
    })
}

fn component(planned: &PlannedComponent) -> Value {
    let inputs: serde_json::Map<_, _> = planned
        .inputs
        .iter()
        .map(|(name, input)| {
            let mut object = from(&input.from, &input.ty);
            object["type"] = json!(type_in_short(&input.ty));
            (name.to_string(), object)
        })
        .collect();
    let outputs: serde_json::Map<_, _> = planned
        .outputs
        .iter()
        .map(|(name, output)| (name.to_string(), json!(type_in_short(&output.declared.ty))))
        .collect();
    json!({
        "tool": planned.recipe.tool.name(),
        "recipe": planned.recipe.entry,
        "after": planned.after,
        "inputs": inputs,
        "outputs": outputs,
    })
}

/// Where a value comes from: a constant itself, or a description.
fn from(source: &ValueSource, ty: &Type) -> Value {
    match source {
        _ if ty.is_secret() && is_constant(source) => json!({ "secret": true }),
        ValueSource::Constant(value) => shown(value),
        other => json!({ "from": words(other) }),
    }
}

/// Where a value comes from, in words.
pub(super) fn in_words(source: &ValueSource, ty: &Type) -> String {
    if ty.is_secret() && is_constant(source) { "(secret)".into() } else { words(source) }
}

/// Whether a part of it is already known.
fn is_constant(source: &ValueSource) -> bool {
    source.each().any(|part| matches!(part, ValueSource::Constant(_) | ValueSource::Leaf(Held::Sealed(_))))
}

fn words(source: &ValueSource) -> String {
    let all = |parts: &[ValueSource], between: &str| parts.iter().map(words).collect::<Vec<_>>().join(between);
    match source {
        ValueSource::Constant(value) => {
            let text = value.to_string();
            if text.len() <= 200 { text } else { format!("({} bytes)", text.len()) }
        }
        ValueSource::Leaf(Held::Sealed(_)) => "(secret)".into(),
        ValueSource::Leaf(Held::Entry(entry)) => entry.to_string(),
        ValueSource::Leaf(Held::Foreign { stack, entry }) => format!("{stack}:{entry}"),
        ValueSource::Leaf(Held::UserData(name)) => format!("{name}, known from Heat"),
        ValueSource::Text(parts) => all(parts, " + "),
        ValueSource::List(parts) => format!("[{}]", all(parts, ", ")),
        ValueSource::Map(parts) => {
            let parts = parts.iter().map(|(name, part)| format!("{name}: {}", words(part)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        ValueSource::Function { name, argument } => format!("{name} of {}", words(argument)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_secrets_are_not_shown() {
        let hidden = Type::Hidden(Box::new(Type::STR));
        let constant = || ValueSource::from("hunter2");
        let entry = |name: &str| ValueSource::Leaf(Held::Entry(name.into()));
        let sealed = ValueSource::Leaf(Held::Sealed("x".into()));
        for source in [constant(), sealed, ValueSource::Text(vec![entry("a/b/c"), constant()])] {
            assert_eq!(from(&source, &hidden), json!({ "secret": true }), "{source:?}");
        }
        assert_eq!(from(&entry("a/b/c"), &hidden), json!({ "from": "a/b/c" }));
        assert_eq!(from(&constant(), &Type::STR), json!({ "value": "hunter2" }));
        let text = ValueSource::text(["http://".into(), entry("a/b/host")]);
        assert_eq!(from(&text, &Type::STR), json!({ "from": "\"http://\" + a/b/host" }));
    }
}
