//! Servers that exist and have never reported.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle_agent_core::time::Time;
use wattle_converge::{Act, Intent, Row};
use wattle_runtime::deploy::{Known, Through};
use wattle_runtime::report::{Infrastructure, silent};

use super::cause::snapshot;
use super::infrastructure::{known, made_by_heat, row};

/// When the rows of the tests were created.
const MADE: Time = Time::from_secs(1_700_000_000);

#[test]
fn servers_that_never_spoke_are_named_with_where_to_look() {
    let busy = Row { intent: Some(Intent { act: Act::Delete, not_after: Default::default() }), ..row(5, "late") };
    let built =
        Infrastructure::of(&known(None, vec![row(1, "db"), row(2, "app"), row(3, "web"), row(4, "bare"), busy]));
    let lines = ["db/postgres idle", "app/app idle", "web/nginx former", "late/app idle"];
    let snapshot = snapshot(&["app"], &lines);
    let said = |after: u64| silent(&snapshot, &built, MADE + Duration::from_secs(after));
    // `app` has an agent, `web` had one, `bare` has nothing to run, and `late` is being deleted.
    assert_eq!(said(239), None);
    let expected = "no word from `db` for 4m 00s: it is the boot, the network, or the agent; `wattle logs db --console` shows what it has \
                    written to its console";
    assert_eq!(said(240).as_deref(), Some(expected));
}

#[test]
fn heat_s_servers_are_named_too() {
    let servers = BTreeMap::from([("db".into(), made_by_heat("id-1")), ("web".into(), made_by_heat("id-2"))]);
    let built = Infrastructure::of(&Known { through: Through::Heat, servers, ..known(None, vec![]) });
    let snapshot = snapshot(&[], &["db/postgres idle", "web/nginx former"]);
    let said = |after: u64| silent(&snapshot, &built, MADE + Duration::from_secs(after));
    assert_eq!(said(239), None);
    assert!(said(240).is_some_and(|said| said.starts_with("no word from `db` for 4m 00s: ")), "{:?}", said(240));
}
