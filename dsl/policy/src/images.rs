//! The policy `images`: the images that servers and volumes may be made from.

use std::sync::Arc;

use wattle_model::{Constraint, Diagnostic, Model, Severity, Source, Value};

use crate::codes::IMAGES as CODE;
use crate::look::{Known, Node, seen};
use crate::{Look, Policy, PolicySettings, Refused};

/// Images that servers and volumes may be made from: `allowed`, names or identities in which `*` stands for any text.
pub const IMAGES: Policy = Policy::with_settings("images", &["allowed"], read);

fn read(given: &PolicySettings<'_>) -> Result<Look, Refused> {
    let allowed = given.texts("allowed")?;
    Ok(Arc::new(move |model| look(model, &allowed)))
}

fn look(model: &Model, allowed: &[String]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for one in seen(model) {
        for (node, at) in images(&one) {
            found.extend(judge(model, allowed, &one.name, node, at));
        }
    }
    found
}

/// The images of a resource, and where they are named.
fn images<'m>(one: &crate::look::Seen<'m>) -> Vec<(Node<'m>, &'m Source)> {
    let names: &[&str] = match one.ty {
        "OS::Nova::Server" => &["image"],
        "OS::Cinder::Volume" => &["image", "imageRef"],
        _ => return Vec::new(),
    };
    let mut all: Vec<_> = names.iter().filter_map(|name| one.property(name)).collect();
    if let Some((devices, at)) = one.property("block_device_mapping_v2") {
        let devices = devices.items().unwrap_or_default();
        let within = devices.into_iter().flat_map(|device| ["image", "image_id"].map(|name| device.key(name)));
        all.extend(within.flatten().map(|image| (image, at)));
    }
    all
}

fn judge(model: &Model, allowed: &[String], name: &str, image: Node<'_>, at: &Source) -> Option<Diagnostic> {
    let is_allowed =
        |value: &Value| value.as_str().is_some_and(|image| allowed.iter().any(|pattern| fits(pattern, image)));
    let help = || match allowed {
        [] => "no image is allowed".to_owned(),
        [only] => format!("only `{only}` is allowed"),
        _ => format!("the allowed images are {}", wattle_model::names::list(allowed.iter().map(String::as_str), "and")),
    };
    match image.known() {
        Known::Value(Value::Null) => None,
        Known::Value(value) if is_allowed(value) => None,
        Known::Value(value) => Some(
            CODE.diagnostic(format!("{name} has the image `{}`", shown(value))).label(at, "chosen here").help(help()),
        ),
        Known::Parameter(parameter) => {
            let declared = model.parameters.get(parameter)?;
            if let Some(default) = declared.default.as_ref().filter(|default| !is_allowed(default)) {
                let message = format!("{name} has the image `{}`, the default of `{parameter}`", shown(default));
                let found = CODE.diagnostic(message).label(at, "chosen here");
                return Some(found.label(&declared.at, "its default").help(help()));
            }
            let bound = declared.constraints.iter().find_map(|constraint| match constraint.bare() {
                Constraint::AllowedValues(values) => Some(values),
                _ => None,
            });
            if bound.is_some_and(|values| values.iter().all(is_allowed)) {
                return None;
            }
            let mut found = CODE
                .diagnostic(format!("{name} may get another image: `{parameter}` takes any image"))
                .label(at, "chosen here")
                .label(&declared.at, "declared here")
                .help(format!("add `allowed_values` to the parameter; {}", help()));
            found.severity = Severity::Warning;
            Some(found)
        }
        Known::Open => {
            let mut found = CODE
                .diagnostic(format!("the image of {name} is known only at deployment"))
                .label(at, "chosen here")
                .help(help());
            found.severity = Severity::Warning;
            Some(found)
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether `text` matches `pattern`, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    let Some(mut text) = text.strip_suffix(last) else { return false };
    // Matching each piece at its first occurrence leaves the most text for the pieces after it.
    pieces.into_iter().all(|piece| match text.find(piece) {
        Some(at) => {
            text = &text[at + piece.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, is_fitting) in [
            ("debian-12", "debian-12", true),
            ("debian-12", "debian-12-x", false),
            ("debian-*", "debian-", true),
            ("*", "", true),
            ("*-ours", "debian-ours", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("**x", "x", true),
        ] {
            assert_eq!(fits(pattern, text), is_fitting, "{pattern} {text}");
        }
    }
}
