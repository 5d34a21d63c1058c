//! Completion of components and of references to them.

use lsp_types::CompletionItemKind;
use wattle::extended::{KEY, MODEL};
use wattle::model::Scalar;
use wattle_hot::model::COMPONENT_KEYS;

use super::list::List;
use crate::context::Context;
use crate::cursor::{Place, Step};
use crate::hover;
use crate::software::declaration;

/// Completes the components of a server, which are written in place of its attributes.
pub(super) fn components(context: Context<'_>, server: &str, list: &mut List<'_>) {
    for component in context.analysis.model.components.values().filter(|component| *component.server == *server) {
        let doc = hover::component(&context.analysis.model, server, &component.name);
        list.value(&component.name, CompletionItemKind::MODULE, "component", doc);
    }
}

/// Completes the outputs of a component.
pub(super) fn outputs(context: Context<'_>, server: &str, component: &str, list: &mut List<'_>) {
    let Some(declaration) = declaration(&context.analysis.model, server, component) else { return };
    for (name, output) in &declaration.outputs {
        list.value(
            name,
            CompletionItemKind::FIELD,
            &output.ty.to_string(),
            (!output.doc.is_empty()).then(|| output.doc.clone()),
        );
    }
}

/// Completes keys and values below `metadata`.
pub(super) fn words(context: Context<'_>, list: &mut List<'_>) {
    let keys = context.keys();
    let model = &context.analysis.model;
    match keys.get(3..).unwrap_or_default() {
        [] if keys.get(1) != Some(&Some(MODEL)) => list.keys(context, &[KEY]),
        [Some("wattle")] => list.keys(context, &["components", "metadata"]),
        [Some("wattle"), Some("components"), _] => list.keys(context, COMPONENT_KEYS),
        [Some("wattle"), Some("components"), _, Some("kind")] => {
            model.declarations.keys().for_each(|kind| list.value(kind, CompletionItemKind::CLASS, "", None));
        }
        [Some("wattle"), Some("components"), _, Some("types" | "outputs"), Some(_)]
        | [Some("wattle"), Some("components"), _, Some("types" | "outputs"), Some(_), Some("type")]
            if context.cursor.place != Place::Key =>
        {
            let words = Scalar::words().map(|(word, _)| word).chain(["any"]);
            words.for_each(|word| list.value(word, CompletionItemKind::CONSTANT, "type", None));
        }
        [Some("wattle"), Some("components"), _, Some("inputs")] => inputs(context, list),
        [Some("wattle"), Some("components"), _, Some("after"), None] => {
            model.components.keys().for_each(|key| list.value(key, CompletionItemKind::MODULE, "component", None));
        }
        _ => {}
    }
}

/// Completes the declared inputs of the component at the cursor.
fn inputs(context: Context<'_>, list: &mut List<'_>) {
    let [_, Step::Key(server), _, _, _, component, ..] = context.cursor.path.as_slice() else { return };
    let components = context.analysis.model.components.values();
    let mut own = components.filter(|one| *one.server == **server);
    let component = match component {
        Step::Key(name) => own.find(|one| *one.name == **name),
        Step::Item(before) => own.nth(before.len()),
    };
    let declared = component.and_then(|one| context.analysis.model.declarations.get(&one.declaration));
    for (name, input) in declared.into_iter().flat_map(|declared| &declared.inputs) {
        list.key(context, name, CompletionItemKind::PROPERTY, &input.ty.to_string(), None, false);
    }
}
