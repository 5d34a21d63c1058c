//! What a server is to do, for a browser: secrets are only said to be some.

use serde_json::{Value, json};
use wattle::model::Type;

use crate::space::{Plan, PlannedComponent, Source};

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

/// Where a value comes from: itself, or in words.
fn from(source: &Source, ty: &Type) -> Value {
    match source {
        _ if ty.is_secret() && is_constant(source) => json!({ "secret": true }),
        Source::Value(value) => shown(value),
        other => json!({ "from": words(other) }),
    }
}

/// Where a value comes from, in words.
pub(super) fn in_words(source: &Source, ty: &Type) -> String {
    if ty.is_secret() && is_constant(source) { "(secret)".into() } else { words(source) }
}

fn is_constant(source: &Source) -> bool {
    match source {
        Source::Value(_) | Source::Sealed(_) => true,
        Source::Text(parts) | Source::List(parts) => parts.iter().any(is_constant),
        Source::Map(parts) => parts.values().any(is_constant),
        Source::Function { argument, .. } => is_constant(argument),
        Source::Entry(_) | Source::Foreign { .. } | Source::UserData(_) => false,
    }
}

fn words(source: &Source) -> String {
    match source {
        Source::Value(value) => {
            let text = value.to_string();
            if text.len() <= 200 { text } else { format!("({} bytes)", text.len()) }
        }
        Source::Sealed(_) => "(secret)".into(),
        Source::Entry(entry) => entry.to_string(),
        Source::Foreign { stack, entry } => format!("{stack}:{entry}"),
        Source::UserData(name) => format!("{name}, told by Heat"),
        Source::Text(parts) => parts.iter().map(words).collect::<Vec<_>>().join(" + "),
        Source::List(parts) => format!("[{}]", parts.iter().map(words).collect::<Vec<_>>().join(", ")),
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
        let hidden = Type::Hidden(Box::new(Type::Str));
        let constant = || Source::Value("hunter2".into());
        for source in
            [constant(), Source::Sealed("x".into()), Source::Text(vec![Source::Entry("a/b/c".into()), constant()])]
        {
            assert_eq!(from(&source, &hidden), json!({ "secret": true }), "{source:?}");
        }
        assert_eq!(from(&Source::Entry("a/b/c".into()), &hidden), json!({ "from": "a/b/c" }));
        assert_eq!(from(&constant(), &Type::Str), json!({ "value": "hunter2" }));
        let text = Source::Text(vec![Source::Value("http://".into()), Source::Entry("a/b/host".into())]);
        assert_eq!(from(&text, &Type::Str), json!({ "from": "\"http://\" + a/b/host" }));
    }
}
