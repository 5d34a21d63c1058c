//! The policy `images`: the images that servers and volumes may be made from.

use std::sync::Arc;

use wattle_model::{Constraint, Diagnostic, Model, Severity, Source, Value};

use crate::codes::IMAGES as CODE;
use crate::look::{Known, Node, Seen, seen};
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
        for disk in disks(&one) {
            match disk {
                Disk::Image(node, at) => found.extend(judge(model, allowed, &one.name, node, at)),
                Disk::Copied(property, at) => found.push(copied(&one, property, at)),
            }
        }
    }
    found
}

/// Types that are made from images, and the properties that name one.
const MADE: [(&str, &[&str]); 6] = [
    ("AWS::AutoScaling::LaunchConfiguration", &["ImageId"]),
    ("AWS::EC2::Instance", &["ImageId"]),
    ("AWS::EC2::Volume", &[]),
    ("OS::Cinder::Volume", &["image", "imageRef"]),
    ("OS::Magnum::ClusterTemplate", &["image"]),
    ("OS::Nova::Server", &["image"]),
];

/// Properties, and keys of `block_device_mapping` and `block_device_mapping_v2`, that name a disk to boot from or to copy.
const COPIED: [&str; 5] = ["volume_id", "snapshot_id", "source_volid", "backup_id", "SnapshotId"];

/// A disk, and where it is named.
enum Disk<'m> {
    /// It is made from this image.
    Image(Node<'m>, &'m Source),
    /// It is a copy of something, or something that exists, and was made from an unknown image.
    Copied(&'static str, &'m Source),
}

/// The disks of a resource.
fn disks<'m>(one: &Seen<'m>) -> Vec<Disk<'m>> {
    let Some((_, names)) = MADE.iter().find(|(ty, _)| *ty == one.ty) else { return Vec::new() };
    let image = |(node, at)| Disk::Image(node, at);
    let mut all: Vec<_> = names.iter().filter_map(|name| one.property(name)).map(image).collect();
    // A volume of this model is examined itself.
    let is_unknown = |node: &Node<'_>| !matches!(node.known(), Known::Value(Value::Null)) && !node.is_resource();
    all.extend(COPIED.into_iter().filter_map(|name| {
        let (_, at) = one.property(name).filter(|(node, _)| is_unknown(node))?;
        Some(Disk::Copied(name, at))
    }));
    for name in ["block_device_mapping", "block_device_mapping_v2"] {
        let Some((devices, at)) = one.property(name) else { continue };
        let Some(devices) = devices.items() else {
            all.push(Disk::Copied(name, at));
            continue;
        };
        for device in devices {
            let images = ["image", "image_id"].into_iter().filter_map(|name| device.key(name));
            all.extend(images.map(|node| Disk::Image(node, at)));
            let copied = COPIED.into_iter().filter(|name| device.key(name).as_ref().is_some_and(is_unknown));
            all.extend(copied.map(|name| Disk::Copied(name, at)));
        }
    }
    all
}

/// The warning about a disk that was made from an unknown image.
fn copied(one: &Seen<'_>, property: &str, at: &Source) -> Diagnostic {
    let mut found = CODE
        .diagnostic(format!("the image behind `{property}` of {} is not in the template", one.name))
        .label(at, "used here")
        .help("make it from an image in this template, or check where it comes from");
    found.severity = Severity::Warning;
    found
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
