//! `wattle hosts`: lists a cloud's hosts as seen by an administrator, in the form that `place` and `deploy` read.

use std::collections::BTreeMap;

use clap::{ArgMatches, Command};
use wattle_openstack::hosts::{Compute, Hosts, Inventory, flavors, hosts};
use wattle_openstack::{Fault, Session};
use wattle_place::{Amounts, Described, Flavor, Flavors, hosts_file, resource};

use super::args;
use super::console::Console;
use super::deploy::cloud;
use super::error::{CommandError, Exit, exit_codes};

pub(super) fn command() -> Command {
    Command::new("hosts")
        .about(
            "Read the hosts of a cloud as its administrator, and write them as a hosts file for `place` and `deploy`",
        )
        .arg(cloud::argument())
        .after_help(args::section(&[
            (
                "What is read",
                "  From Nova: hosts, their availability zones, and flavors. From Placement: what hosts have, how
  much of it is used, allocation ratios, the most that one server gets, and traits. Hosts that are
  disabled or down are left out.
  Nova knows no racks: a host is in the rack and in the room that the properties `rack` and `room`
  of its aggregates name: `openstack aggregate set --property rack=r1 AGGREGATE`.",
            ),
            ("Example", "  wattle hosts --cloud admin >cloud.yaml\n  wattle deploy out/shop --hosts cloud.yaml"),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "the hosts are on the standard output"),
                    (
                        Exit::Failed,
                        "the cloud does not say: the user is not an administrator, or a service does not answer",
                    ),
                    (Exit::Usage, "wrong usage"),
                ]),
            ),
        ]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let session = cloud::session(matches, console).await?;
    let refused = |fault| of_fault(&session, fault);
    let Hosts { all, closed } = hosts(&session).await.map_err(refused)?;
    let offered = flavors(&session).await.map_err(refused)?;
    for (name, why) in &closed {
        console.err.write(&format!("`{name}` is left out: {why}\n"))?;
    }
    if all.is_empty() {
        return Err(CommandError::new(format!("the cloud `{}` has no host that takes servers", session.cloud().name)));
    }
    let offered: Flavors = offered.into_iter().map(|flavor| (flavor.name, Flavor::of(flavor.asks))).collect();
    let hosts: Vec<Described> = all.into_iter().map(described).collect();
    let head = format!("# The hosts of the cloud `{}`, as `wattle hosts` has read them.\n", session.cloud().name);
    console.out.write(&(head + &hosts_file(&hosts, &offered)))?;
    Ok(Exit::Fine)
}

/// Converts a host to the format of a hosts file.
fn described(host: Compute) -> Described {
    let place = |kind: &str| host.metadata.get(kind).cloned().filter(|name| !name.is_empty());
    let amounts = |all: &BTreeMap<String, i64>| -> Amounts {
        all.iter().map(|(class, amount)| (resource(class).to_owned(), *amount)).collect()
    };
    #[expect(clippy::cast_possible_truncation, reason = "it is within the bounds of a hosts file")]
    let thousandths = |ratio: f64| (ratio * 1000.0 + 1e-6).clamp(1.0, 1_000_000.0) as i64;
    // Omits limits that only repeat the total, or that allow everything.
    let shares = |of: &dyn Fn(&Inventory) -> Option<i64>| -> Amounts {
        host.has.iter().filter_map(|(class, has)| Some((resource(class).to_owned(), of(has)?))).collect()
    };
    let largest = shares(&|has| Some(has.largest).filter(|most| *most < has.total * thousandths(has.ratio) / 1000));
    let smallest = shares(&|has| Some(has.smallest).filter(|least| *least > 1));
    let step = shares(&|has| Some(has.step).filter(|step| *step > 1));
    Described {
        zone: host.zone.clone(),
        room: place("room"),
        rack: place("rack"),
        has: host.has.iter().map(|(class, has)| (resource(class).to_owned(), has.total)).collect(),
        used: amounts(&host.used),
        ratios: host.has.iter().map(|(class, has)| (resource(class).to_owned(), thousandths(has.ratio))).collect(),
        largest,
        smallest,
        step,
        traits: host.traits,
        name: host.name,
    }
}

fn of_fault(session: &Session, fault: Fault) -> CommandError {
    if !matches!(fault, Fault::Refused { status: 403, .. }) {
        return cloud::of_fault(fault);
    }
    let cloud = &session.cloud().name;
    CommandError::new(format!(
        "the hosts of the cloud `{cloud}` are shown to its administrators only, and this user is not one"
    ))
    .note(fault.to_string())
    .help("log in as an administrator: `--cloud NAME` names another login of clouds.yaml")
    .help("or describe the hosts yourself, as far as you know them: `wattle place --help`")
}
