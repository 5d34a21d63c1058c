//! Completion at the cursor.

mod list;
mod software;

use std::sync::LazyLock;

use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use wattle::extended::{KEY, MODEL};
use wattle_catalog_generate::schema::{Property, PropertyType, ResourceType};
use wattle_heat::parameters::PSEUDO;
use wattle_heat::schema::{types, written};
use wattle_heat::template::{Context as Where, FUNCTIONS, Standing, Version};
use wattle_model::ParameterType;

use crate::context::Context;
use crate::cursor::{Place, cursor};
use crate::document::Analysis;
use crate::shape;
use crate::text::Text;
use list::List;

/// The keys of a template and of its sections.
const SECTIONS: &[&str] =
    &["heat_template_version", "description", "parameter_groups", "parameters", "conditions", "resources", "outputs"];
const RESOURCE: &[&str] = &[
    "type",
    "properties",
    "metadata",
    "depends_on",
    "condition",
    "deletion_policy",
    "update_policy",
    "external_id",
    "description",
];
const PARAMETER: &[&str] = &["type", "default", "description", "label", "constraints", "hidden", "immutable", "tags"];
const CONSTRAINT: &[&str] =
    &["allowed_values", "allowed_pattern", "range", "length", "modulo", "custom_constraint", "description"];
const OUTPUT: &[&str] = &["value", "description", "condition"];

/// The completions at a byte of a template. `snippets` is whether the editor supports setting the cursor afterwards.
pub(crate) fn complete(text: &Text, analysis: &Analysis, offset: usize, snippets: bool) -> Vec<CompletionItem> {
    let Some(cursor) = cursor(&text.whole, offset) else { return Vec::new() };
    if text.whole[cursor.word.start.min(offset)..offset].contains(' ') {
        // These are words within a text.
        return Vec::new();
    }
    let context = Context { analysis, cursor: &cursor };
    let mut list = List::new(text, &cursor, offset, snippets);
    if !arguments(context, &mut list) {
        words(context, &mut list);
        if is_value(context) {
            functions(context, &mut list);
        }
    }
    list.items
}

/// The first line of a template, for a document that is not a template yet.
pub(crate) fn begin(text: &Text, offset: usize) -> Vec<CompletionItem> {
    let Some(cursor) = cursor(&text.whole, offset).filter(|cursor| cursor.path.is_empty()) else { return Vec::new() };
    let mut list = List::new(text, &cursor, offset, false);
    let line = format!("heat_template_version: {}\n", Version::default());
    list.add("heat_template_version", CompletionItemKind::KEYWORD, "a Heat template", None, line);
    list.items
}

/// The documentation of a type, which is looked up when the item is shown.
pub(crate) fn resolve(mut item: CompletionItem) -> CompletionItem {
    let ty = item.data.as_ref().and_then(|data| data.as_str()).and_then(|ty| Some((ty, written(ty)?)));
    if let Some((ty, json)) = ty
        && let Ok(shape) = serde_json::from_str::<ResourceType>(json)
    {
        item.documentation = Some(markdown(shape::type_text(ty, &shape)));
    }
    item
}

pub(crate) fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}

/// Completes the arguments of functions that refer to something. Returns whether the cursor is in one of them.
fn arguments(context: Context<'_>, list: &mut List<'_>) -> bool {
    let Some(argument) = context.argument() else { return false };
    let template = &context.analysis.loaded.template;
    match (argument.function, argument.before) {
        ("get_param", None | Some([])) => {
            for (name, parameter) in &template.parameters {
                let detail = parameter.kind.map_or("", ParameterType::name);
                list.value(name, CompletionItemKind::VARIABLE, detail, Some(shape::parameter_text(name, parameter)));
            }
            PSEUDO.iter().for_each(|name| list.value(name, CompletionItemKind::CONSTANT, "of every stack", None));
        }
        ("get_resource", None) | ("get_attr", Some([])) => resources(context, list, None),
        ("get_attr", Some([resource])) => {
            let shape = context.shape_of(resource).unwrap_or_default();
            for (name, attribute) in &shape.attrs {
                let text = shape::attribute_text(name, attribute);
                list.value(name, CompletionItemKind::FIELD, shape::word(attribute.t), Some(text));
            }
            software::components(context, resource, list);
        }
        ("get_attr", Some([resource, component, ..])) => software::outputs(context, resource, component, list),
        ("if", Some([])) | ("not", None) | ("and" | "or", Some(_)) => {
            conditions(context, list);
            return argument.function == "if";
        }
        ("depends_on", _) => {
            let own = context.keys().get(1).copied().flatten();
            resources(context, list, own);
        }
        ("condition", None) => {
            conditions(context, list);
            return false;
        }
        _ => return false,
    }
    true
}

fn resources(context: Context<'_>, list: &mut List<'_>, except: Option<&str>) {
    let resources = context.analysis.loaded.template.resources.iter();
    for (name, resource) in resources.filter(|(name, _)| Some(name.as_str()) != except) {
        list.value(name, CompletionItemKind::VARIABLE, resource.kind().unwrap_or(""), None);
    }
}

fn conditions(context: Context<'_>, list: &mut List<'_>) {
    let names = context.analysis.loaded.template.conditions.keys();
    names.for_each(|name| list.value(name, CompletionItemKind::VARIABLE, "condition", None));
}

/// Completes keys and values that depend on the place.
fn words(context: Context<'_>, list: &mut List<'_>) {
    let keys = context.keys();
    match keys.as_slice() {
        [] => list.keys(context, SECTIONS),
        [Some("heat_template_version")] => {
            Version::all().for_each(|version| list.value(version.date(), CompletionItemKind::CONSTANT, "", None));
        }
        [Some("parameters"), Some(_)] => list.keys(context, PARAMETER),
        [Some("parameters"), Some(_), Some("type")] => {
            ParameterType::ALL.iter().for_each(|ty| list.value(ty.name(), CompletionItemKind::CONSTANT, "", None));
        }
        [Some("parameters"), Some(_), Some("constraints"), None] => list.keys(context, CONSTRAINT),
        [Some("outputs"), Some(_)] => list.keys(context, OUTPUT),
        [Some("resources"), Some(_)] => list.keys(context, RESOURCE),
        [Some("resources"), Some(_), Some("deletion_policy")] => {
            ["Delete", "Retain", "Snapshot"]
                .iter()
                .for_each(|word| list.value(word, CompletionItemKind::CONSTANT, "", None));
        }
        _ if context.is_type() => {
            for ty in known_types() {
                list.ty(ty);
            }
        }
        [Some("resources"), Some(_), Some("metadata"), ..] => software::words(context, list),
        _ => properties(context, list),
    }
}

/// The types that Heat supports.
fn known_types() -> &'static [&'static str] {
    static KNOWN: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let is_hidden = |ty: &&str| {
            let shape = written(ty).and_then(|json| serde_json::from_str::<ResourceType>(json).ok());
            shape.is_none_or(|shape| shape.support.is_hidden())
        };
        types().filter(|ty| !is_hidden(ty)).collect()
    });
    &KNOWN
}

/// Completes properties, the keys of those that are maps, and their allowed values.
fn properties(context: Context<'_>, list: &mut List<'_>) {
    let Some((shape, keys)) = context.properties() else { return };
    let within = shape::descend(&shape, &keys);
    if context.cursor.place != Place::Value {
        let parts = if keys.is_empty() { Some(&shape.props) } else { within.map(|property| &property.keys) };
        for (name, property) in parts.into_iter().flatten().filter(|(_, property)| !property.is_hidden()) {
            list.property(context, name, property);
        }
    }
    if context.cursor.place != Place::Key
        && let Some(property) = within
    {
        values(property, list);
    }
}

fn values(property: &Property, list: &mut List<'_>) {
    for value in property.allowed().unwrap_or_default() {
        list.value(&shape::plain(value), CompletionItemKind::ENUM_MEMBER, "", None);
    }
    if property.t == PropertyType::Boolean {
        ["true", "false"].iter().for_each(|word| list.literal(word));
    }
}

/// Whether functions can be called here.
fn is_value(context: Context<'_>) -> bool {
    if context.cursor.place != Place::Value && !context.present().is_empty() {
        return false;
    }
    match context.keys().as_slice() {
        [Some("resources"), Some(server), Some("metadata"), Some(KEY), rest @ ..] if *server != MODEL => {
            matches!(rest, [Some("components"), _, Some("inputs"), Some(_), ..])
        }
        [Some("resources"), Some(_), Some("properties" | "metadata" | "update_policy"), _, ..]
        | [Some("outputs"), Some(_), Some("value" | "condition"), ..]
        | [Some("conditions"), Some(_), ..]
        | [Some("resources"), Some(_), Some("condition" | "properties" | "metadata"), ..] => !context.is_type(),
        _ => false,
    }
}

fn functions(context: Context<'_>, list: &mut List<'_>) {
    let version = context.analysis.loaded.template.version();
    let keys = context.keys();
    let is_condition = matches!(keys.first(), Some(Some("conditions"))) || keys.get(2) == Some(&Some("condition"));
    let place = if is_condition { Where::Condition } else { Where::Value };
    for function in FUNCTIONS.iter().filter(|function| function.standing(version, place) == Standing::Known) {
        list.function(function.name(), &function.form(), function.about());
    }
}
