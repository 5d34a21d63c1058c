//! Zun's types.

use crate::resource::values::{has, true_of};
use crate::resource::{Change, Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] =
    &[Class { ty: "OS::Zun::Container", validates: &[container], notes: other_networks, ..Class::PLAIN }];

fn other_networks(change: &Change<'_>) -> Vec<String> {
    let note = || "Heat detaches and attaches networks while the container runs: it may get other addresses";
    change.has("networks").then(|| note().to_owned()).into_iter().collect()
}

fn container(subject: Subject<'_>) -> Ruled {
    let policy = subject.text("restart_policy")?;
    let retries = policy.strip_prefix("on-failure").map(|rest| rest.strip_prefix(':').unwrap_or("0"));
    let is_policy = matches!(&*policy, "" | "no" | "always" | "unless-stopped")
        || retries.is_some_and(|retries| retries.parse::<u32>().is_ok());
    if !is_policy {
        return broken(
            "`restart_policy` must be no, on-failure, on-failure:RETRIES, always or unless-stopped",
            "write one of them",
        );
    }
    for mount in subject.maps("mounts")? {
        if !has(&mount, "volume_id") && !has(&mount, "volume_size") {
            return broken("each of `mounts` needs a `volume_id` or a `volume_size`", "set one of them");
        }
        if true_of(&mount, "volume_id") && true_of(&mount, "volume_size") {
            return broken("`volume_id` and `volume_size` exclude each other", "remove one of them");
        }
    }
    for network in subject.maps("networks")? {
        if !has(&network, "network") && !has(&network, "port") {
            return broken("each of `networks` needs a `network` or a `port`", "set one of them");
        }
        if true_of(&network, "fixed_ip") && has(&network, "port") {
            return broken("`fixed_ip` and `port` exclude each other", "remove one of them");
        }
    }
    Ok(None)
}
