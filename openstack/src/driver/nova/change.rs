//! Reconciles a server with its template, one step at a time, until nothing differs.

use serde_json::{Value, json};
use wattle_converge::Outcome;

use super::super::find::Sort;
use super::super::json::{agrees, differs as said, given, given_text, text};
use super::super::stop::Stop;
use super::super::work::{Work, delete, post, put};
use super::super::{Driver, Found, State};
use super::boot::{metadata, tags};
use super::nics::Nics;
use super::server::{READ, STOPPED, Servers, foreign_tags, path, state};
use crate::session::Call;
use crate::{Fault, Method};

/// How a server differs from the properties, as far as lists show it.
pub(super) async fn differs(work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
    let item = &found.item;
    if let Some(wanted) = other_name(work, item, properties) {
        return Ok(Some(said("name", &wanted, &item["name"])));
    }
    if let Some(wanted) = given(properties, "key_name").filter(|wanted| **wanted != item["key_name"]) {
        return Ok(Some(said("key_name", wanted, &item["key_name"])));
    }
    if *item["metadata"].as_object().unwrap_or(&Default::default()) != metadata(properties) {
        return Ok(Some(said("metadata", &metadata(properties).into(), &item["metadata"])));
    }
    let wanted = given(properties, "tags").cloned().unwrap_or_else(|| json!([]));
    if !agrees(&wanted, &foreign_tags(item)) {
        return Ok(Some(said("tags", &wanted, &foreign_tags(item))));
    }
    heavy(work, found, properties).await
}

/// How a server differs from the properties in what can be changed only while it runs.
async fn heavy(work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
    let item = &found.item;
    if let Some(wanted) = other_flavor(work, item, properties).await? {
        return Ok(Some(said("flavor", &wanted.into(), &item["flavor"]["id"])));
    }
    if let Some(wanted) = other_image(work, item, properties).await? {
        return Ok(Some(said("image", &wanted.into(), &item["image"]["id"])));
    }
    let nics = Nics::of(work, properties).await?;
    let (missing, more) = nics.compared(&found.beside);
    let ids = || more.iter().map(|port| text(port, "id"));
    Ok(match (missing.len(), more.len()) {
        (0, 0) => None,
        (0, _) => Some(format!("`networks` also has {}", wattle_words::names::some(ids(), 4))),
        (missing, 0) => Some(format!("`networks` lacks {missing}")),
        (missing, _) => {
            Some(format!("`networks` lacks {missing}, and also has {}", wattle_words::names::some(ids(), 4)))
        }
    })
}

/// Whether a server runs, and differs from the properties at most in name, metadata and tags.
pub(super) async fn is_light(work: &Work<'_>, found: &Found, properties: &Value) -> Result<bool, Stop> {
    Ok(matches!(state(&found.item), State::Ready) && heavy(work, found, properties).await?.is_none())
}

/// A difference between a server and the properties that cannot be reconciled. What only the creator of the server
/// knows is assumed to match.
pub(super) async fn cannot_be(work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
    let item = &found.item;
    if let Some(wanted) = given(properties, "key_name").filter(|wanted| **wanted != item["key_name"]) {
        return Ok(Some(said("key_name", wanted, &item["key_name"])));
    }
    let zone = &item["OS-EXT-AZ:availability_zone"];
    if let (Some(wanted), Some(current)) = (given_text(properties, "availability_zone"), zone.as_str())
        && wanted.split(':').next() != Some(current)
    {
        return Ok(Some(said("availability_zone", &wanted.into(), zone)));
    }
    let is_replaced = |property: &str| replaced(properties, property).is_err();
    if let Some(wanted) = other_flavor(work, item, properties).await?.filter(|_| is_replaced("flavor")) {
        return Ok(Some(said("flavor", &wanted.into(), &item["flavor"]["id"])));
    }
    if let Some(wanted) = other_image(work, item, properties).await?.filter(|_| is_replaced("image")) {
        return Ok(Some(said("image", &wanted.into(), &item["image"]["id"])));
    }
    Ok(None)
}

/// The wanted name, if it differs from the present one.
fn other_name(work: &Work<'_>, item: &Value, properties: &Value) -> Option<Value> {
    let wanted = work.called(properties);
    (wanted != item["name"]).then_some(wanted)
}

/// The wanted flavor, if it differs from the present one.
async fn other_flavor(work: &Work<'_>, item: &Value, properties: &Value) -> Result<Option<String>, Stop> {
    let Some(wanted) = given_text(properties, "flavor") else { return Ok(None) };
    let wanted = work.find(Sort::Flavor, wanted).await?;
    Ok((item["flavor"]["id"] != *wanted).then_some(wanted))
}

/// The wanted image, if it differs from the present one. A server that was created from a volume has no image.
async fn other_image(work: &Work<'_>, item: &Value, properties: &Value) -> Result<Option<String>, Stop> {
    let (Some(wanted), Some(current)) = (given_text(properties, "image"), item["image"]["id"].as_str()) else {
        return Ok(None);
    };
    let wanted = work.find(Sort::Image, wanted).await?;
    Ok((current != wanted).then_some(wanted))
}

/// Takes the next step towards the wanted state.
pub(super) async fn update(
    work: &Work<'_>,
    servers: &Servers,
    found: Found,
    properties: &Value,
) -> Result<Outcome, Stop> {
    let status = text(&found.item, "status");
    let path = path(&found.phys);
    let action = |name: &str, body: Value| post("compute", format!("{path}/action"), name, body);
    match state(&found.item) {
        // A resize waits for confirmation.
        State::Busy if status == "VERIFY_RESIZE" && text(&found.item, "OS-EXT-STS:task_state").is_empty() => {
            return match work.change(action("confirmResize", Value::Null)).await {
                // It was confirmed before, and the hosts have not finished. Until then, the server looks unconfirmed.
                Ok(_) | Err(Stop::Fault(Fault::Refused { status: 400, .. })) => Err(Stop::later()),
                Err(stop) => Err(stop),
            };
        }
        // A process that got no response requested it.
        State::Busy if status == "REBUILD" && differs(work, &found, properties).await?.is_none() => {
            return Ok(Outcome::Accepted(Some(found.phys.as_str().into())));
        }
        State::Busy => return Err(Stop::later()),
        State::Broken(why) => return Ok(Outcome::Broken(why.into())),
        State::Stopped(_) => {
            let start = STOPPED.iter().find(|(stopped, _)| *stopped == status).map_or("os-start", |(_, start)| start);
            work.change(action(start, Value::Null)).await?;
            return Err(Stop::later());
        }
        State::Ready => {}
    }
    let found = texts(work, found, properties).await?;
    let item = &found.item;
    let nics = Nics::of(work, properties).await?;
    let (missing, more) = nics.compared(&found.beside);
    if !(missing.is_empty() && more.is_empty()) {
        nics.can_be_had(work, item).await?;
    }
    if !more.is_empty() {
        for port in more {
            work.may_ask(&found.phys, "detach_interface").await?;
            work.remove(delete("compute", format!("{path}/os-interface/{}", text(port, "id"))).once()).await?;
        }
        return Err(Stop::later());
    }
    if !missing.is_empty() {
        for nic in missing {
            work.make(post("compute", format!("{path}/os-interface"), "interfaceAttachment", nic.attached())).await?;
        }
        return Err(Stop::later());
    }
    if let Some(flavor) = other_flavor(work, item, properties).await? {
        replaced(properties, "flavor")?;
        work.may_ask(&found.phys, "resize").await?;
        work.change(action("resize", json!({ "flavorRef": flavor }))).await?;
        return Err(Stop::later());
    }
    if let Some(image) = other_image(work, item, properties).await? {
        replaced(properties, "image")?;
        let mut body = json!({ "imageRef": image });
        if given_text(properties, "image_update_policy") == Some("REBUILD_PRESERVE_EPHEMERAL") {
            body["preserve_ephemeral"] = true.into();
        }
        work.change(action("rebuild", body)).await?;
        return Ok(Outcome::Accepted(Some(found.phys.as_str().into())));
    }
    Ok(servers.outcome(&found))
}

/// Refuses a change for which the template requires a replacement.
fn replaced(properties: &Value, property: &str) -> Result<(), Stop> {
    let policy = format!("{property}_update_policy");
    if given_text(properties, &policy) != Some("REPLACE") {
        return Ok(());
    }
    Err(Stop::refused(format!("changing `{property}` replaces the server, because `{policy}` is REPLACE")))
}

/// Changes name, metadata and tags, which is possible at any time, and returns the resulting server.
async fn texts(work: &Work<'_>, mut found: Found, properties: &Value) -> Result<Found, Stop> {
    let path = path(&found.phys);
    if let Some(name) = other_name(work, &found.item, properties) {
        let mut answer = work.change(put("compute", path.clone(), "server", json!({ "name": name }))).await?;
        found.item["name"] = answer["server"]["name"].take();
    }
    let wanted = metadata(properties);
    if found.item["metadata"].as_object().is_some_and(|current| *current != wanted) {
        let call = put("compute", format!("{path}/metadata"), "metadata", wanted.into());
        found.item["metadata"] = work.change(call).await?["metadata"].take();
    }
    let wanted = tags(work, properties);
    if !agrees(&wanted, &found.item["tags"]) {
        let call = Call::new("compute", Method::Put, format!("{path}/tags")).body(json!({ "tags": wanted }));
        found.item["tags"] = work.change(call.version(READ)).await?["tags"].take();
    }
    Ok(found)
}
