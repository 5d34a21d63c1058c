//! Servers.

use crate::evaluate::Value;
use crate::properties::{Refused, is_true, translation};
use crate::resource::values::{count, has, is_there, items, key, map, same, true_of};
use crate::resource::{Change, Class, Found, Resource, Ruled, Subject};

use super::super::rule::{broken, not_both};

pub(super) const SERVER: Class = Class {
    ty: wattle_model::Resource::SERVER,
    translates: &[
        translation(&["networks", "network"], &["uuid"]),
        translation(&["block_device_mapping_v2", "image"], &["image_id"]),
    ],
    depends: subnets,
    validates: &[deployments, devices, networks, personality],
    snapshots: true,
    refuses: user_data_as_image,
    needed: &["admin_pass"],
    rebuilds: by_image,
    effects: &[
        ("flavor", "A change resizes the server, which restarts, unless `flavor_update_policy` is `REPLACE`."),
        ("image", "A change rebuilds the server, and its disk is lost."),
        ("user_data", "A change replaces the server, unless `user_data_update_policy` is `IGNORE`."),
    ],
    ignores: &[
        "deployment_swift_data",
        "flavor_update_policy",
        "image_update_policy",
        "software_config_transport",
        "user_data_update_policy",
    ],
    varies: &["flavor", "image", "user_data"],
    disregards: |change| change.has("user_data") && policy(change, "user_data_update_policy", "REPLACE") == "IGNORE",
    notes: in_place,
    replaces: by_policy,
    ..Class::PLAIN
};

/// All subnets of the server's networks, because the server may be on any of them.
fn subnets(subject: Subject<'_>) -> Found<'_> {
    let networks = subject.own("networks")?;
    if !is_true(&networks) {
        return Ok(Vec::new());
    }
    let may_be_in = |subnet: &Resource| match subnet.properties().get("network") {
        Err(Refused) => false,
        // An unknown network may be any network.
        Ok(network) if !is_true(&network) => true,
        Ok(network) => items(&networks).iter().any(|own| {
            let own = key(own, "network");
            !is_true(own) || same(own, &network)
        }),
    };
    let subnets = subject.others("OS::Neutron::Subnet").filter(|(_, subnet)| may_be_in(subnet));
    Ok(subnets.map(|(name, _)| name).collect())
}

/// Heat itself writes the deployments into the metadata.
fn deployments(subject: Subject<'_>) -> Ruled {
    if subject.text("user_data_format")? != "SOFTWARE_CONFIG" {
        return Ok(None);
    }
    match subject.metadata() {
        Some(Value::Map(items)) if items.contains_key("deployments") => broken(
            "metadata has a key `deployments`, which Heat reserves with `user_data_format: SOFTWARE_CONFIG`",
            "rename the key",
        ),
        _ => Ok(None),
    }
}

fn devices(subject: Subject<'_>) -> Ruled {
    let (older, newer) = (subject.maps("block_device_mapping")?, subject.maps("block_device_mapping_v2")?);
    let image = subject.has("image")?;
    if !older.is_empty() && !newer.is_empty() {
        return not_both(subject, "block_device_mapping", "block_device_mapping_v2");
    }
    let mut bootable = image;
    for device in &older {
        bootable |= device.get("device_name").and_then(Value::as_text) == Some("vda");
        if count(device, &["volume_id", "snapshot_id"]) != 1 {
            return broken("a device needs a `volume_id` or a `snapshot_id`", "set one of them");
        }
    }
    let mut sources = usize::from(image);
    for device in &newer {
        let ephemeral = ["ephemeral_size", "ephemeral_format"];
        // Heat uses `or`: an empty value counts as missing, except for the last one.
        let is_ephemeral = true_of(device, ephemeral[0]) || has(device, ephemeral[1]);
        let parts = count(device, &["volume_id", "snapshot_id", "image", "swap_size"]) + usize::from(is_ephemeral);
        if parts != 1 {
            return broken(
                "a device is one of `volume_id`, `snapshot_id`, `image`, `swap_size`, `ephemeral_size` or `ephemeral_format`",
                "set one of them",
            );
        }
        let first = device.get("boot_index").is_none_or(|index| !is_true(index));
        let own = count(device, &["volume_id", "snapshot_id", "image"]);
        if own > 0 && first {
            bootable = true;
            sources += own;
        }
    }
    if !bootable {
        return broken("there is neither an image nor a volume to boot from", "set `image`");
    }
    if !newer.is_empty() && sources != 1 {
        return broken("there is more than one device to boot from", "give the others a `boot_index` of -1");
    }
    Ok(None)
}

fn networks(subject: Subject<'_>) -> Ruled {
    let networks = subject.maps("networks")?;
    for network in &networks {
        let allocate = true_of(network, "allocate_network");
        if count(network, &["network", "port", "subnet"]) == 0 && !allocate {
            return broken(
                "an item of `networks` has no `network`, `port`, `subnet` or `allocate_network`",
                "set one of them",
            );
        }
        let keys = network.values().filter(|value| is_there(value)).count();
        if allocate && (keys != 1 || networks.len() != 1) {
            return broken("`allocate_network` excludes the other keys", "remove the others");
        }
        if true_of(network, "fixed_ip") && has(network, "port") {
            return broken("`fixed_ip` and `port` exclude each other", "give the port its address");
        }
        let only_network = has(network, "network") && count(network, &["port", "subnet"]) == 0;
        if has(network, "floating_ip") && only_network && !true_of(network, "port_extra_properties") {
            return broken("a `floating_ip` needs a port", "set `port` or `subnet`");
        }
    }
    if networks.iter().any(|network| has(network, "port")) && subject.is("security_groups")? {
        return broken(
            "`security_groups` and a `port` exclude each other: a port has its own groups",
            "give them to the port",
        );
    }
    Ok(None)
}

fn personality(subject: Subject<'_>) -> Ruled {
    if subject.is("personality")? {
        return broken("Nova no longer takes `personality`", "use `user_data`");
    }
    // Reading validates their types. For a member of a group, this is where the values are judged.
    subject.own("flavor")?;
    subject.own("tags")?;
    if map(subject.own("metadata")?).len() > 128 {
        return broken("metadata has more than 128 entries", "use fewer");
    }
    Ok(None)
}

/// For each property: the policy that determines what a change does, that policy's default, and the value that keeps the
/// server.
const POLICIES: [(&str, &str, &str, &str); 3] = [
    ("flavor", "flavor_update_policy", "RESIZE", "RESIZE"),
    ("image", "image_update_policy", "REBUILD", "REBUILD"),
    ("user_data", "user_data_update_policy", "REPLACE", "IGNORE"),
];

/// Nova writes another image to the server's own disk, which destroys its content.
fn by_image(change: &Change<'_>) -> Option<String> {
    change.has("image").then(|| {
        "its disk is recreated, and the agent's journal with it: keep data on a volume, or leave `image` as it was; if the server has its \
         own key, `wattle seed admit SERVER` lets the rebuilt one in"
            .to_owned()
    })
}

/// The policy that applies to a change: the new one, the old one, or the default.
fn policy<'c>(change: &Change<'c>, policy: &str, default: &'c str) -> &'c str {
    change.after.text(policy).or_else(|| change.before.text(policy)).unwrap_or(default)
}

/// On a `REBUILD`, Heat's code passes the user data to Nova in place of the image (`_update_user_data_rebuild`).
fn user_data_as_image(change: &Change<'_>) -> Option<String> {
    (change.has("user_data") && policy(change, "user_data_update_policy", "REPLACE") == "REBUILD").then(|| {
        "with `user_data_update_policy: REBUILD`, Heat passes the user data to Nova as if it were an image, and Nova refuses: \
         `REPLACE` creates another server, `IGNORE` keeps this one, which then does not receive the change"
            .to_owned()
    })
}

fn in_place(change: &Change<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if change.has("flavor") {
        notes.push("Nova resizes the server: it shuts down and starts again with the same disk".to_owned());
    }
    if change.has("user_data") {
        notes.push(
            "Heat changes nothing on the server (`user_data_update_policy: IGNORE`): it keeps the user data with which it was created"
                .to_owned(),
        );
    }
    if change.has("networks") {
        notes.push(
            "Heat detaches and attaches interfaces while the server runs: it may get other addresses, and its system has to \
             pick up the change"
                .to_owned(),
        );
    }
    notes
}

fn by_policy(change: &Change<'_>) -> Option<Vec<String>> {
    let mut help = Vec::new();
    for (property, policy, default, better) in POLICIES {
        if change.has(property) && self::policy(change, policy, default) == "REPLACE" {
            help.push(match better {
                "IGNORE" => format!("`{policy}: IGNORE` keeps the server, which then does not receive the change"),
                better => format!("`{policy}: {better}` keeps the server"),
            });
        }
    }
    (!help.is_empty()).then_some(help)
}
