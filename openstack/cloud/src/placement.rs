//! The hosts' inventories and usage. Source: Placement API v1.

use serde_json::{Map, Value, json};
use wattle_openstack::Method;

use crate::nova::{Host, Nova, ROOM};
use crate::reply::{Answer, Refusal, json};
use crate::world::{Asked, Common};

/// The resource classes that flavors use, the amount reserved for the host, and the overcommit ratio.
const CLASSES: [(&str, i64, f64); 3] = [("VCPU", 0, 4.0), ("MEMORY_MB", 512, 1.0), ("DISK_GB", 0, 1.0)];

pub(crate) fn answer(common: &Common, nova: &Nova, asked: &Asked<'_>) -> Answer {
    if !common.setting.is_admin {
        return Err(Refusal::new(403, "Access was denied to this resource. Policy does not allow it."));
    }
    let find = |id: &str| {
        let missing = || Refusal::missing(format!("No resource provider with uuid {id} found"));
        nova.hosts().iter().find(|host| host.id == id).ok_or_else(missing)
    };
    match (asked.method, asked.route.parts().as_slice()) {
        (Method::Get, ["resource_providers"]) => {
            let all: Vec<Value> = nova.hosts().iter().map(provider).collect();
            Ok(json(200, &json!({ "resource_providers": all })))
        }
        (Method::Get, ["allocation_candidates"]) => candidates(nova, asked),
        (Method::Get, ["resource_providers", id]) => Ok(json(200, &provider(find(id)?))),
        (Method::Get, ["resource_providers", id, "inventories"]) => {
            find(id)?;
            let inventories: Map<String, Value> = CLASSES
                .into_iter()
                .zip(ROOM)
                .map(|((class, reserved, ratio), (_, total))| {
                    let inventory = json!({
                        "total": total, "reserved": reserved, "allocation_ratio": ratio, "min_unit": 1, "max_unit": total,
                        "step_size": 1,
                    });
                    (class.to_owned(), inventory)
                })
                .collect();
            Ok(json(200, &json!({ "inventories": inventories, "resource_provider_generation": 1 })))
        }
        (Method::Get, ["resource_providers", id, "usages"]) => {
            let host = find(id)?;
            let classes = CLASSES.into_iter().zip(ROOM);
            let usages: Map<String, Value> =
                classes.map(|((class, ..), (key, _))| (class.to_owned(), nova.used(host.name, key).into())).collect();
            Ok(json(200, &json!({ "usages": usages, "resource_provider_generation": 1 })))
        }
        (Method::Get, ["resource_providers", id, "traits"]) => {
            Ok(json(200, &json!({ "traits": find(id)?.traits, "resource_provider_generation": 1 })))
        }
        _ => Err(Refusal::missing("The resource could not be found.")),
    }
}

/// The hosts with enough capacity for `resources`, and their summaries.
fn candidates(nova: &Nova, asked: &Asked<'_>) -> Answer {
    if asked.version < (1, 29) {
        return Err(Refusal::missing("The resource could not be found."));
    }
    let malformed = || {
        Refusal::new(
            400,
            "Badly formed resources parameter. Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024.",
        )
    };
    let resources = asked.route.asked("resources").ok_or_else(malformed)?;
    let mut wanted = Vec::new();
    for one in resources.split(',') {
        let (class, amount) = one.split_once(':').ok_or_else(malformed)?;
        let at = CLASSES.iter().position(|(known, ..)| *known == class);
        let at =
            at.ok_or_else(|| Refusal::new(400, format!("Invalid resource class in resources parameter: {class}")))?;
        wanted.push((at, amount.parse::<i64>().map_err(|_| malformed())?));
    }
    let left = |host: &Host, at: usize| capacity(at) - nova.used(host.name, ROOM[at].0);
    let fits = |host: &&Host| wanted.iter().all(|(at, amount)| left(host, *at) >= *amount);
    let (mut requests, mut summaries) = (Vec::new(), Map::new());
    for host in nova.hosts().iter().filter(fits) {
        let amounts: Map<String, Value> =
            wanted.iter().map(|(at, amount)| (CLASSES[*at].0.to_owned(), (*amount).into())).collect();
        requests.push(
            json!({ "allocations": { host.id.clone(): { "resources": amounts } }, "mappings": { "": [host.id] } }),
        );
        let resources: Map<String, Value> = (0..CLASSES.len())
            .map(|at| {
                let said = json!({ "capacity": capacity(at), "used": nova.used(host.name, ROOM[at].0) });
                (CLASSES[at].0.to_owned(), said)
            })
            .collect();
        let summary = json!({
            "resources": resources, "traits": host.traits, "parent_provider_uuid": Value::Null, "root_provider_uuid": host.id,
        });
        summaries.insert(host.id.clone(), summary);
    }
    Ok(json(200, &json!({ "allocation_requests": requests, "provider_summaries": summaries })))
}

/// A host's capacity of the resource class at `at`, including overcommitment.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the amounts are small")]
fn capacity(at: usize) -> i64 {
    let ((_, reserved, ratio), (_, total)) = (CLASSES[at], ROOM[at]);
    ((total - reserved) as f64 * ratio) as i64
}

fn provider(host: &Host) -> Value {
    json!({
        "uuid": host.id, "name": host.name, "generation": 1, "parent_provider_uuid": Value::Null, "root_provider_uuid": host.id,
        "links": [],
    })
}
