//! The policy `tags`: labels that resources must have.

use std::sync::Arc;

use wattle_model::names::{list, meant};
use wattle_model::{Diagnostic, Model, Severity};

use crate::codes::TAGS as CODE;
use crate::look::{Known, Seen, seen};
use crate::{Look, Policy, PolicySettings, Refused};

/// Labels that resources must have: `required`, the names of the labels, and `types`, Heat's types of the resources, which
/// default to servers and volumes.
pub const TAGS: Policy = Policy::with_settings("tags", &["required", "types"], read);

/// Types with labels, and the properties that hold them: maps, or lists of texts.
const LABELLED: [(&str, &[&str]); 14] = [
    ("AWS::EC2::Instance", &["Tags"]),
    ("AWS::EC2::Volume", &["Tags"]),
    ("OS::Cinder::Volume", &["metadata"]),
    ("OS::Glance::WebImage", &["tags"]),
    ("OS::Keystone::Project", &["tags"]),
    ("OS::Manila::Share", &["metadata"]),
    ("OS::Neutron::Net", &["tags"]),
    ("OS::Neutron::Port", &["tags"]),
    ("OS::Neutron::ProviderNet", &["tags"]),
    ("OS::Neutron::Router", &["tags"]),
    ("OS::Neutron::Subnet", &["tags"]),
    ("OS::Neutron::SubnetPool", &["tags"]),
    ("OS::Nova::Server", &["metadata", "tags"]),
    ("OS::Zaqar::Queue", &["metadata"]),
];

/// The types that cost money by themselves.
const USUAL: [&str; 4] = ["OS::Nova::Server", "OS::Cinder::Volume", "AWS::EC2::Instance", "AWS::EC2::Volume"];

fn properties(ty: &str) -> Option<&'static [&'static str]> {
    LABELLED.iter().find(|(known, _)| *known == ty).map(|(_, properties)| *properties)
}

fn read(given: &PolicySettings<'_>) -> Result<Look, Refused> {
    let required = given.texts("required")?;
    if required.is_empty() {
        return Err(given
            .refuse("required", "the list is empty, so no label is required")
            .help("name the labels: `required: [owner]`"));
    }
    let types = given.texts_or_none("types")?.unwrap_or_else(|| USUAL.map(str::to_owned).to_vec());
    if let Some((index, unknown)) = types.iter().enumerate().find(|(_, ty)| properties(ty).is_none()) {
        let refused = given.refuse_item("types", index, format_args!("`{unknown}` has no labels"));
        let known = || LABELLED.iter().map(|(ty, _)| *ty);
        let help = meant(unknown, known()).unwrap_or_else(|| format!("types with labels are {}", list(known(), "and")));
        return Err(refused.help(help));
    }
    if types.is_empty() {
        return Err(given
            .refuse("types", "the list is empty, so no resource needs labels")
            .help("leave it out for servers and volumes"));
    }
    Ok(Arc::new(move |model| look(model, &required, &types)))
}

fn look(model: &Model, required: &[String], types: &[String]) -> Vec<Diagnostic> {
    seen(model).filter(|one| types.iter().any(|ty| *ty == one.ty)).filter_map(|one| judge(&one, required)).collect()
}

fn judge(one: &Seen<'_>, required: &[String]) -> Option<Diagnostic> {
    let properties = properties(one.ty)?;
    let (mut known, mut is_open) = (Vec::new(), false);
    for property in properties {
        let Some((value, _)) = one.property(property) else { continue };
        match (value.keys(), value.items()) {
            (Some(keys), _) => known.extend(keys),
            (None, Some(items)) => {
                for item in items {
                    // Amazon's tags are maps.
                    match item.key("Key").unwrap_or(item).known() {
                        Known::Value(value) => known.extend(value.as_str().map(label)),
                        Known::Parameter(_) | Known::Open => is_open = true,
                    }
                }
            }
            (None, None) => is_open = true,
        }
    }
    let missing: Vec<&str> = required.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    if missing.is_empty() {
        return None;
    }
    let (labels, them) = if missing.len() == 1 { ("label", "it") } else { ("labels", "them") };
    let missing = list(missing, "and");
    let message = if is_open {
        format!("whether {} has the {labels} {missing} is known only at deployment", one.name)
    } else {
        format!("{} lacks the {labels} {missing}", one.name)
    };
    let at = properties.iter().find_map(|property| one.property(property)).map_or(one.at, |(_, at)| at);
    let mut found =
        CODE.diagnostic(message).label(at, if std::ptr::eq(at, one.at) { "added here" } else { "its labels" });
    if is_open {
        found.severity = Severity::Warning;
    }
    Some(found.help(format!("add {them} to `{}`", properties[0])))
}

/// The name of a label that is written as text.
fn label(text: &str) -> &str {
    text.split(['=', ':']).next().unwrap_or(text)
}
