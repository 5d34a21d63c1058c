//! The user data of servers.
//!
//! Heat packs user data that is not `RAW` together with tools of its own, which query Heat. Without Heat there is
//! nothing to query. So the text is sent in a form that cloud-init can use by itself, and user data that needs Heat is
//! refused.

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_model::{IndexMap, Name, Resource as Model, Value as Known};

/// Commands of a script that query Heat or report to it.
const TOOLS: [&str; 5] = ["cfn-init", "cfn-signal", "cfn-hup", "cfn-get-metadata", "cfn-push-stats"];

/// Keys that identify an agent's identity.
const IDENTITY: [&str; 4] = ["stack", "server", "space", "credential"];

/// The reason why a server needs Heat, with advice, as far as its values are known.
pub(crate) fn refused(server: &Resource) -> Option<(String, &'static str)> {
    let (format, user_data) = (server.property("user_data_format"), server.property("user_data"));
    let (format, user_data) = (format.as_text().unwrap_or_default(), user_data.as_text().unwrap_or_default());
    if format == "RAW" {
        return None;
    }
    let has_metadata = matches!(server.rest.get("metadata"), Some(Value::Map(items)) if !items.is_empty());
    if has_metadata {
        let what = format!("it has `metadata`, which a server with `user_data_format: {format}` asks Heat for");
        return Some((what, "put what it needs into `user_data`, and write `user_data_format: RAW`"));
    }
    if user_data.is_empty() {
        return None;
    }
    if format == "HEAT_CFNTOOLS" {
        if let Some(tool) = TOOLS.iter().find(|tool| user_data.contains(**tool)) {
            let what = format!("its user data calls `{tool}`, which needs Heat's metadata server");
            return Some((what, "remove the call, and write `user_data_format: RAW`"));
        }
        if !user_data.starts_with("#!") {
            let what = "its user data is not a script, and `user_data_format: HEAT_CFNTOOLS`, the default, is for \
                        scripts";
            return Some((what.to_owned(), "write `user_data_format: RAW` if cloud-init is to read it"));
        }
    }
    if format == "SOFTWARE_CONFIG" && user_data.trim_start().starts_with('{') {
        let what = "its user data is for Ignition, to which Heat adds files of its own";
        return Some((what.to_owned(), "write `user_data_format: RAW`"));
    }
    None
}

/// Replaces Heat's formats by the text to send, so that the driver need not know them.
///
/// # Errors
///
/// The reason why the server needs Heat.
pub(crate) fn settled(
    server: &Resource,
    mut properties: IndexMap<Name, Known>,
) -> Result<IndexMap<Name, Known>, String> {
    if let Some((what, help)) = refused(server) {
        return Err(format!("{what}: {help}"));
    }
    properties.insert("user_data_format".into(), "RAW".into());
    Ok(properties)
}

/// The agent's name for a server, if the user data contains an identity written by `wattle`: as a map that is joined to
/// a text, or as a line of JSON if all of it is known.
pub(crate) fn agent(server: &Resource) -> Option<Name> {
    let user_data = server.given("user_data").filter(|_| server.made_by() == Model::SERVER)?;
    let mut found = None;
    user_data.each(&mut |part| match part {
        Value::Map(identity) if IDENTITY.iter().all(|key| identity.contains_key(*key)) => {
            found = identity["server"].as_text().map(Name::from);
        }
        Value::Text(text) if found.is_none() => {
            let lines = text.lines().rev().map(str::trim).filter(|line| line.starts_with('{'));
            found = lines.filter_map(|line| serde_json::from_str(line).ok()).find_map(|line| match line {
                Known::Map(identity) if IDENTITY.iter().all(|key| identity.contains_key(*key)) => {
                    identity["server"].as_str().map(Name::from)
                }
                _ => None,
            });
        }
        _ => {}
    });
    found
}
