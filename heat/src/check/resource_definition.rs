//! W1006: a resource's definition that is not in Heat's form.

use wattle_model::Diagnostic;
use wattle_model::names::meant;

use crate::evaluate::Value;
use crate::template::{Call, Context, Resource, Standing};
use crate::yaml::{Node, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// A resource is a map with a `type`. It can also have `properties`, `metadata`, `depends_on`, `deletion_policy`,
    /// `update_policy` and `description`, and from version 2016-10-14 on `condition` and `external_id`. Heat refuses
    /// other keys, and values of the wrong type.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     propertis:
    ///       name: backbone
    /// ```
    ///
    /// Use Heat's keys:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net:
    ///     type: OS::Neutron::Net
    ///     properties:
    ///       name: backbone
    /// ```
    RESOURCE_DEFINITION: "W1006", Error, "a malformed resource definition", Each(run)
}

const KEYS: [&str; 9] = [
    "type",
    "properties",
    "metadata",
    "depends_on",
    "deletion_policy",
    "update_policy",
    "description",
    "condition",
    "external_id",
];

const POLICIES: [&str; 6] = ["Delete", "Retain", "Snapshot", "delete", "retain", "snapshot"];

fn run(sink: &mut Sink<'_>) {
    for (name, resource) in &sink.template().resources {
        let diagnostics = if matches!(*resource.node.tree, Tree::Map(_)) {
            keys(sink, name, resource).into_iter().chain(fields(sink, name, resource)).collect()
        } else {
            let diagnostic = RESOURCE_DEFINITION
                .diagnostic(format!("the resource `{name}` is {} instead of a map", resource.node.tree.kind()))
                .label(&sink.at(resource.name_span), "its definition begins here")
                .help("add a `type`");
            vec![diagnostic]
        };
        for diagnostic in diagnostics {
            sink.push(diagnostic);
        }
    }
}

fn keys(sink: &Sink<'_>, name: &str, resource: &Resource) -> Vec<Diagnostic> {
    let version = sink.template().version();
    let Tree::Map(pairs) = &*resource.node.tree else { return Vec::new() };
    let known = if version.has_conditions() { &KEYS[..] } else { &KEYS[..7] };
    let mut diagnostics = Vec::new();
    for pair in crate::yaml::counting(pairs) {
        let key = pair.key.as_key();
        if known.contains(&&*key) {
            continue;
        }
        let diagnostic = RESOURCE_DEFINITION
            .diagnostic(format!(
                "the definition of `{name}` has a key `{}`, which resources do not have",
                key.escape_debug()
            ))
            .label(&sink.at(pair.key.span), "Heat refuses it");
        let later = KEYS.contains(&&*key);
        diagnostics.push(diagnostic.help(match meant(&key, known.iter().copied()) {
            _ if later => format!("it is available from 2016-10-14 on; this template has version {version}"),
            Some(meant) => meant,
            None => "put properties of its type into `properties`".to_owned(),
        }));
    }
    if resource.ty.is_none() {
        let diagnostic = RESOURCE_DEFINITION
            .diagnostic(format!("the resource `{name}` has no type"))
            .label(&sink.at(resource.name_span), "`type` is missing")
            .help("add one, such as `type: OS::Nova::Server`");
        // The mistake is a misspelled key that was meant as `type`.
        if !diagnostics.iter().any(|diagnostic| diagnostic.help.iter().any(|help| help.contains("`type`"))) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// The allowed values of a field, in Heat's words.
#[derive(Clone, Copy)]
enum FieldKind {
    Text,
    Map,
    Names,
    Condition,
}

fn fields(sink: &Sink<'_>, name: &str, resource: &Resource) -> Vec<Diagnostic> {
    let condition = if sink.template().version().has_conditions() { resource.condition.as_ref() } else { None };
    let mut diagnostics = Vec::new();
    let kinds = [
        ("properties", &resource.properties, FieldKind::Map),
        ("metadata", &resource.metadata, FieldKind::Map),
        ("update_policy", &resource.update_policy, FieldKind::Map),
        ("depends_on", &resource.depends_on, FieldKind::Names),
        ("description", &resource.description, FieldKind::Text),
    ];
    for (key, node, kind) in kinds.into_iter().filter_map(|(key, node, kind)| Some((key, node.as_ref()?, kind))) {
        diagnostics.extend(field(sink, name, key, node, kind));
    }
    diagnostics.extend(condition.and_then(|node| field(sink, name, "condition", node, FieldKind::Condition)));
    if let Some(ty) = &resource.ty {
        diagnostics.extend(type_of(sink, name, ty));
    }
    if let Some(policy) = &resource.deletion_policy {
        diagnostics.extend(deletion_policy(sink, policy));
    }
    if let Some(id) = &resource.external_id
        && sink.template().version().has_conditions()
        && id.tree.as_text().is_none()
        && sink.template().call(id).is_none()
    {
        let diagnostic = RESOURCE_DEFINITION
            .diagnostic(format!("`external_id` of `{name}` is {} instead of a string", id.tree.kind()))
            .label(&sink.at(id.span), "the ID of an existing resource")
            .help("quote it");
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn field(sink: &Sink<'_>, name: &str, key: &str, node: &Node, kind: FieldKind) -> Option<Diagnostic> {
    let version = sink.template().version();
    let context = if matches!(kind, FieldKind::Condition) { Context::Condition } else { Context::Value };
    // Names and descriptions are not parsed, so a call is a map there.
    let is_call = !matches!(kind, FieldKind::Names | FieldKind::Text) && Call::within(node, version, context).is_some();
    let (fits, form, help) = match kind {
        FieldKind::Text => (node.tree.as_text().is_some(), "a string", "quote it"),
        FieldKind::Map => (matches!(*node.tree, Tree::Map(_)), "a map", "write a map, or remove it"),
        FieldKind::Names => {
            let fits = match &*node.tree {
                Tree::List(items) => items.iter().all(|item| item.tree.as_text().is_some()),
                Tree::Text { .. } => true,
                _ => false,
            };
            (fits, "the name of a resource or a list of names", "write `[NAME, ...]`, or remove it")
        }
        FieldKind::Condition => {
            let fits = matches!(*node.tree, Tree::Text { .. } | Tree::Boolean(_));
            (fits, "a condition", "name a condition, or call a function of conditions")
        }
    };
    // A function of another version is a map here, which the check of functions reports.
    let unknown = Call::of_any(node, version, context).is_some_and(|call| call.standing == Standing::Unknown);
    if is_call || fits || unknown {
        return None;
    }
    let found = match &*node.tree {
        Tree::List(_) if matches!(kind, FieldKind::Names) => "a list of other values",
        tree => tree.kind(),
    };
    let diagnostic = RESOURCE_DEFINITION
        .diagnostic(format!("`{key}` of `{name}` is {found} instead of {form}"))
        .label(&sink.at(node.span), format!("this is {found}"))
        .help(help);
    Some(diagnostic)
}

fn type_of(sink: &Sink<'_>, name: &str, ty: &Node) -> Option<Diagnostic> {
    if ty.tree.as_text().is_some_and(|ty| !ty.is_empty()) {
        return None;
    }
    let found = if ty.is_truthy() { ty.tree.kind() } else { "nothing" };
    let diagnostic = RESOURCE_DEFINITION
        .diagnostic(format!("the type of `{name}` is {found} instead of a name"))
        .label(&sink.at(ty.span), "a type is a string that no function can return")
        .help("write the name of a type, such as `OS::Nova::Server`");
    Some(diagnostic)
}

fn deletion_policy(sink: &Sink<'_>, node: &Node) -> Option<Diagnostic> {
    let policies = if sink.template().version().has_conditions() { &POLICIES[..] } else { &POLICIES[..3] };
    let value = match sink.scope.value(node) {
        // The check of functions reports mistakes in functions.
        Err(_) | Ok(Value::Unknown) => return None,
        // Null counts as the default only if a function returns it.
        Ok(Value::Null) if sink.template().call(node).is_some() => return None,
        Ok(value) => value,
    };
    match value.as_text() {
        Some(policy) if policies.contains(&policy) => return None,
        _ => {}
    }
    let text = value.python();
    let diagnostic = RESOURCE_DEFINITION
        .diagnostic(format!("there is no deletion policy `{}`", text.escape_debug()))
        .label(&sink.at(node.span), "what happens to the resource when it is deleted")
        .help(
            meant(&text, policies.iter().copied())
                .unwrap_or_else(|| "write `Delete`, `Retain` or `Snapshot`".to_owned()),
        );
    Some(diagnostic)
}
