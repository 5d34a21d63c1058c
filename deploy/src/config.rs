//! Texts for servers: Heat's configs, which are inserted where they are referred to.

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;

use crate::multipart::{self, Part};
use crate::role::Config;

/// The text of a config whose values are known.
///
/// # Errors
///
/// The reason why there is none.
pub(crate) fn content(kind: Config, resource: &Resource) -> Result<String, String> {
    match kind {
        Config::Software => Ok(resource.property("config").as_text().unwrap_or_default().to_owned()),
        Config::Structured => {
            let what = "a structured config works only in deployments, not as text for a server";
            Err(format!("{what}: write `OS::Heat::CloudConfig` or `OS::Heat::SoftwareConfig`"))
        }
        // cloud-init accepts any YAML, and JSON is a subset of it.
        Config::Cloud => Ok(format!("#cloud-config\n{}\n", resource.property("cloud_config").to_model())),
        Config::Multipart => parts(resource).map(|parts| multipart::message(&parts)),
    }
}

/// The parts of a message (`MultipartMime.get_message`).
fn parts(resource: &Resource) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let items = if let Value::List(items) = resource.property("parts") { items } else { Vec::new() };
    for item in &items {
        let Value::Map(item) = item else { continue };
        let text = |key: &str| item.get(key).and_then(Value::as_text).unwrap_or_default();
        let content = item.get("config").and_then(Value::as_text).ok_or("a part has no `config`")?;
        if text("type") == "multipart" {
            parts.extend(multipart::parts(content));
            continue;
        }
        let name = text("filename");
        // If no type is given, this is Heat's `os.path.splitext`.
        let stem = name.rfind('.').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
        let subtype = if text("subtype").is_empty() { stem } else { text("subtype") };
        parts.push(Part { subtype: subtype.to_owned(), filename: name.to_owned(), content: content.to_owned() });
    }
    Ok(parts)
}
