//! The program that takes the place of a hook where the hook is not sufficient for a component type: it carries the
//! recipe's files and runs them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

use crate::model::{Content, Declaration, Name, Scalar, Type};

use super::tool::means;

const CORE: &str = include_str!("program/core.py");
const END: &str = include_str!("program/end.py");

/// The placeholder in the core for the component to run.
const PLACE: &str = "@component@";
/// The place where the core lists the textual types, and where the types that it checks end.
const TEXTS: &str = "\"ipv6\", \"url\"";
const JUDGES: &str = "            ipaddress.IPv6Address(value)\n";

/// The program, in Python, in which heat-agents are written.
pub(super) fn of(declaration: &Declaration) -> String {
    let tool = means(declaration.recipe.tool).program;
    let text = serde_json::to_string_pretty(&component(declaration)).expect("INVARIANT: JSON is JSON");
    // The JSON goes into a raw Python literal within `"""`. JSON never has three double quotes in a row.
    let core = CORE.replacen(PLACE, &text, 1);
    format!("{}{tool}{END}", judging(&core, declaration))
}

/// The core, extended to check those types of the component type that it does not check itself.
fn judging(core: &str, declaration: &Declaration) -> String {
    let (mut words, mut judges) = (String::new(), String::new());
    let inputs = declaration.inputs.values().map(|input| &input.ty);
    let mut scalars: Vec<Scalar> = Vec::new();
    inputs.chain(declaration.outputs.values().map(|output| &output.ty)).for_each(|ty| ty.scalars(&mut scalars));
    for scalar in Scalar::ALL.into_iter().filter(|scalar| scalars.contains(scalar)) {
        if let Some(holds) = scalar.python() {
            words += &format!(", \"{}\"", scalar.word());
            judges +=
                &format!("        elif kind == \"{}\" and not ({holds}):\n            return False\n", scalar.word());
        }
    }
    core.replacen(TEXTS, &format!("{TEXTS}{words}"), 1).replacen(JUDGES, &format!("{JUDGES}{judges}"), 1)
}

fn component(declaration: &Declaration) -> Json {
    let recipe = &declaration.recipe;
    let files: Map<String, Json> =
        recipe.files.iter().map(|file| (file.path.to_string(), content(&file.content))).collect();
    let inputs = declaration.inputs.iter().map(|(name, input)| (name, &input.ty, &input.path));
    let outputs = declaration.outputs.iter().map(|(name, output)| (name, &output.ty, &output.path));
    let port = |(name, ty, path): (&Name, &Type, &Vec<Name>)| {
        let mut described = json!({ "type": ty });
        if !path.is_empty() {
            described["path"] = json!(path);
        }
        (name.to_string(), described)
    };
    let mut described = json!({
        "name": declaration.name,
        "recipe": recipe.entry,
        "inputs": inputs.map(port).collect::<Map<_, _>>(),
        "outputs": outputs.map(port).collect::<Map<_, _>>(),
        "files": files,
    });
    if let Some(teardown) = &recipe.teardown {
        described["teardown"] = json!(teardown);
    }
    if let Some(deadline) = declaration.deadline {
        described["deadline"] = json!(deadline);
    }
    described
}

/// A text as a list of its lines, so that people can read and compare templates.
fn content(content: &Content) -> Json {
    match content {
        Content::Text(text) => text.split('\n').collect(),
        Content::Binary(bytes) => STANDARD.encode(bytes).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_is_where_it_is_expected() {
        for place in [PLACE, TEXTS, JUDGES] {
            assert_eq!(CORE.matches(place).count(), 1, "{place}");
        }
    }
}
