//! A placement, for people and for programs.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use wattle_place::template::{Placed, Way, Where};

use crate::cli::console::Stream;
use crate::cli::paint::{Cell, Tone, table, width};

/// The place of each server, one per line.
pub(in crate::cli) fn places(servers: &[Where], out: &Stream) -> String {
    table(&rows(servers), out.color, width(out.is_terminal))
}

fn rows(servers: &[Where]) -> Vec<Vec<Cell>> {
    let has_rooms = servers.iter().any(|one| one.host.room.is_some());
    let mut head = vec!["SERVER", "HOST", "RACK"];
    head.extend(has_rooms.then_some("ROOM"));
    head.extend(["ZONE", ""]);
    let mut rows = vec![head.into_iter().map(|word| (word.to_owned(), Tone::Head)).collect::<Vec<Cell>>()];
    for Where { server, host, way, leaves } in servers {
        let is_known = *way != Way::Somewhere;
        let or_none = |place: Option<&String>| {
            let place = place.filter(|_| is_known);
            (place.cloned().unwrap_or_else(|| "-".into()), Tone::Plain)
        };
        let tone = if matches!(way, Way::Host | Way::Stays) { Tone::Plain } else { Tone::Faint };
        let mut row =
            vec![(server.clone(), Tone::Plain), (or_none(Some(&host.name)).0, tone), or_none(host.rack.as_ref())];
        row.extend(has_rooms.then(|| or_none(host.room.as_ref())));
        row.push(or_none(Some(&host.zone)));
        row.push(match (way, leaves) {
            (_, Some(before)) => (format!("moves from {before}"), Tone::Waiting),
            (Way::Host, None) => (String::new(), Tone::Faint),
            (Way::Zone, None) => ("Nova chooses the host".to_owned(), Tone::Faint),
            (Way::Nova, None) => ("left to Nova".to_owned(), Tone::Faint),
            (Way::Stays, None) => ("runs there".to_owned(), Tone::Faint),
            (Way::Somewhere, None) => ("runs already, but it is not known where".to_owned(), Tone::Faint),
        });
        rows.push(row);
    }
    rows
}

/// A summary of the result.
pub(in crate::cli) fn said(placed: &Placed) -> String {
    let known = placed.servers.iter().filter(|one| one.way != Way::Somewhere);
    let hosts: BTreeSet<&str> = known.clone().map(|one| &*one.host.name).collect();
    let plural = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let mut text = format!("{} on {}", plural(known.count(), "server"), plural(hosts.len(), "host"));
    match placed.servers.iter().filter(|one| one.leaves.is_some()).count() {
        0 => {}
        1 => text += ", 1 of which moves: it is created again there",
        many => text += &format!(", {many} of which move: they are created again there"),
    }
    if placed.bandwidth > 0 {
        let across = placed.placement.verdict.across_racks;
        text += &format!("; {across} of {} Mbit/s go across racks", placed.bandwidth);
    }
    text += &match placed.placement.gap() {
        0 => "; no placement is better\n".to_owned(),
        gap => format!(
            "; its cost is {}, and none is below {}\n",
            placed.placement.verdict.cost,
            placed.placement.verdict.cost - gap
        ),
    };
    for (words, broken) in &placed.unkept {
        let plural = if *broken == 1 { "server breaks" } else { "servers break" };
        text += &format!("not kept: {words} ({broken} {plural} it)\n");
    }
    if placed.servers.iter().any(|one| one.way == Way::Zone) {
        text += "the hosts show where there is room now: without --admin, Nova may choose others\n";
    }
    text
}

/// The placement as JSON, for programs.
pub(in crate::cli) fn as_json(placed: &Placed) -> Map<String, Value> {
    let servers = placed.servers.iter().map(|Where { server, host, way, leaves }| {
        let by = match way {
            Way::Host => "host",
            Way::Zone => "zone",
            Way::Nova => "nova",
            Way::Stays => "stays",
            Way::Somewhere => {
                return json!({ "server": server, "host": null, "rack": null, "room": null, "zone": null, "by": "unknown" });
            }
        };
        let mut server = json!({
            "server": server, "host": host.name, "rack": host.rack, "room": host.room, "zone": host.zone, "by": by,
        });
        if let Some(before) = leaves {
            server["leaves"] = before.as_str().into();
        }
        server
    });
    let unkept = placed.unkept.iter().map(|(policy, servers)| json!({ "policy": policy, "servers": servers }));
    let fields = [
        ("servers", servers.collect::<Vec<_>>().into()),
        (
            "bandwidth",
            json!({
                "all": placed.bandwidth, "across_racks": placed.placement.verdict.across_racks, "unit": "Mbit/s",
            }),
        ),
        ("cost", placed.placement.verdict.cost.into()),
        ("gap", placed.placement.gap().into()),
        ("unkept", unkept.collect::<Vec<_>>().into()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
