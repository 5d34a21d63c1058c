//! Lists: filters and pages.

use serde_json::{Map, Value, json};

use crate::reply::Refusal;
use crate::route::Route;

/// Query keys that select a part of the list rather than filter its items.
const PAGING: [&str; 8] = ["limit", "marker", "sort_key", "sort_dir", "fields", "page_reverse", "all_tenants", "sort"];

/// Whether `item` matches each key of the query. A key that the item does not have is ignored.
pub(crate) fn is_asked_for(item: &Value, route: &Route) -> bool {
    route.query.iter().all(|(key, wanted)| match key.as_str() {
        key if PAGING.contains(&key) => true,
        "tags" => {
            let all: Vec<_> = wanted.iter().flat_map(|tags| tags.split(',')).collect();
            let has = item["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().all(|tag| has.iter().any(|known| known == tag))
        }
        key => {
            let key = if key == "router:external" { key } else { key.split('.').next().unwrap_or(key) };
            item.get(key).is_none_or(|value| wanted.iter().any(|wanted| is_same(value, wanted)))
        }
    })
}

fn is_same(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Bool(value) => matches!(text.to_lowercase().as_str(), "true" | "1" | "yes") == *value,
        Value::Null => text.is_empty(),
        Value::Number(number) => number.to_string() == text,
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// One page of `items` under `key`, with the address of the next page if there is one.
pub(crate) fn page(key: &str, items: Vec<Value>, route: &Route, url: &str, most: usize) -> Result<Value, Refusal> {
    let limit = match route.asked("limit").map(str::parse::<usize>) {
        None => most,
        Some(Ok(limit)) => limit.min(most),
        Some(Err(_)) => return Err(Refusal::bad("limit has to be a whole number")),
    };
    let start = match route.asked("marker") {
        None => 0,
        Some(marker) => {
            let at = items.iter().position(|item| item["id"] == *marker);
            at.ok_or_else(|| Refusal::bad(format!("marker [{marker}] not found")))? + 1
        }
    };
    let is_more = items.len() > start + limit;
    let listed: Vec<Value> = items.into_iter().skip(start).take(limit).collect();
    let mut page = Map::new();
    if let Some(last) = listed.last().filter(|_| is_more) {
        let kept = route.query.iter().filter(|(key, _)| *key != "marker");
        let kept: Vec<_> =
            kept.flat_map(|(key, values)| values.iter().map(move |value| format!("{key}={value}"))).collect();
        let marker = last["id"].as_str().unwrap_or_default();
        let query = kept.into_iter().chain([format!("marker={marker}")]).collect::<Vec<_>>().join("&");
        let href = format!("{}?{query}", url.split('?').next().unwrap_or(url));
        page.insert(format!("{key}_links"), json!([{ "rel": "next", "href": href }]));
    }
    page.insert(key.to_owned(), Value::Array(listed));
    Ok(Value::Object(page))
}
