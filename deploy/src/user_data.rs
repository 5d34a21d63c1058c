//! What a server is given when it starts.
//!
//! Heat packs user data that is not `RAW` together with tools of its own, which ask Heat for more. Without Heat there is nothing
//! to ask: what cloud-init makes of the text by itself is sent, and what needs Heat is refused.

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_model::{IndexMap, Name, Resource as Model, Value as Known};

/// Commands of a script that ask Heat, or tell it something.
const TOOLS: [&str; 5] = ["cfn-init", "cfn-signal", "cfn-hup", "cfn-get-metadata", "cfn-push-stats"];

/// What an agent's identity has, among others.
const IDENTITY: [&str; 4] = ["stack", "server", "space", "credential"];

/// Why a server cannot do without Heat, with what to do about it, as far as its values are known.
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
            return Some((what, "do without it, and write `user_data_format: RAW`"));
        }
        if !user_data.starts_with("#!") {
            let what = "its user data is no script, and `user_data_format: HEAT_CFNTOOLS`, the default, is for scripts";
            return Some((what.to_owned(), "write `user_data_format: RAW` if cloud-init is to read it"));
        }
    }
    if format == "SOFTWARE_CONFIG" && user_data.trim_start().starts_with('{') {
        let what = "its user data is for Ignition, into which Heat puts files of its own";
        return Some((what.to_owned(), "write `user_data_format: RAW`"));
    }
    None
}

/// Leaves whoever makes the server with nothing to know of Heat's formats: the text is what is sent.
///
/// # Errors
///
/// Why it cannot do without Heat.
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

/// What the agent on a server calls it, if its user data says who it is, as `wattle` writes it: as a map that is joined to a text,
/// or as a line of JSON if all of that is known.
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
