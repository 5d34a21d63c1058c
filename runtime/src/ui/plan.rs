//! What a server has to do, for a browser. Secrets are shown only as secrets.

use serde_json::{Value, json};
use wattle::model::Type;

use crate::space::{Held, Plan, PlannedComponent, Source};

use super::entry::shown;

pub(super) fn json(plan: &Plan) -> Value {
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
            object["type"] = json!(input.ty.to_string());
            (name.to_string(), object)
        })
        .collect();
    let outputs: serde_json::Map<_, _> = planned
        .outputs
        .iter()
        .map(|(name, output)| (name.to_string(), json!(output.declared.ty.to_string())))
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
fn from(source: &Source, ty: &Type) -> Value {
    match source {
        _ if ty.is_secret() && is_constant(source) => json!({ "secret": true }),
        Source::Constant(value) => shown(value),
        other => json!({ "from": words(other) }),
    }
}

/// Where a value comes from, in words.
pub(super) fn in_words(source: &Source, ty: &Type) -> String {
    if ty.is_secret() && is_constant(source) { "(secret)".into() } else { words(source) }
}

/// Whether a part of it is already known.
fn is_constant(source: &Source) -> bool {
    source.each().any(|part| matches!(part, Source::Constant(_) | Source::Leaf(Held::Sealed(_))))
}

fn words(source: &Source) -> String {
    let all = |parts: &[Source], between: &str| parts.iter().map(words).collect::<Vec<_>>().join(between);
    match source {
        Source::Constant(value) => {
            let text = value.to_string();
            if text.len() <= 200 { text } else { format!("({} bytes)", text.len()) }
        }
        Source::Leaf(Held::Sealed(_)) => "(secret)".into(),
        Source::Leaf(Held::Entry(entry)) => entry.to_string(),
        Source::Leaf(Held::Foreign { stack, entry }) => format!("{stack}:{entry}"),
        Source::Leaf(Held::UserData(name)) => format!("{name}, known from Heat"),
        Source::Text(parts) => all(parts, " + "),
        Source::List(parts) => format!("[{}]", all(parts, ", ")),
        Source::Map(parts) => {
            let parts = parts.iter().map(|(name, part)| format!("{name}: {}", words(part)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        Source::Function { name, argument } => format!("{name} of {}", words(argument)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_secrets_are_not_told() {
        let hidden = Type::Hidden(Box::new(Type::STR));
        let constant = || Source::from("hunter2");
        let entry = |name: &str| Source::Leaf(Held::Entry(name.into()));
        let sealed = Source::Leaf(Held::Sealed("x".into()));
        for source in [constant(), sealed, Source::Text(vec![entry("a/b/c"), constant()])] {
            assert_eq!(from(&source, &hidden), json!({ "secret": true }), "{source:?}");
        }
        assert_eq!(from(&entry("a/b/c"), &hidden), json!({ "from": "a/b/c" }));
        assert_eq!(from(&constant(), &Type::STR), json!({ "value": "hunter2" }));
        let text = Source::text(["http://".into(), entry("a/b/host")]);
        assert_eq!(from(&text, &Type::STR), json!({ "from": "\"http://\" + a/b/host" }));
    }
}
