//! Servers that never report because the host name for their agents does not resolve, and then one that does.

use wattle::author::Blueprint as _;
use wattle_tests::guests::{LAB, LAB_NAME};
use wattle_tests::openstack::has_guests;
use wattle_tests::running::answer_within;

use super::super::KEY;
use super::{Guests, LONGEST, agent_by_url};

/// Longer than the four minutes after which a server counts as silent.
const DEADLINE: &str = "7m";

/// The part of the message about silent servers that does not depend on their order.
const NO_WORD: &str = "it is the boot, the network, or the agent; `wattle logs ";

#[test]
fn servers_without_a_word_are_reported_in_guests_of_a_real_openstack() {
    if !has_guests("servers whose agents cannot be downloaded") {
        return;
    }
    let guests = Guests::new(&hello::hello.model(Default::default()));
    let agent = agent_by_url(guests.site.path());
    let at = |name: &str| agent.iter().map(|word| word.replace(LAB, name)).collect::<Vec<_>>();
    let ask = |agent: &[String], options: &[&str]| {
        let agent: Vec<&str> = agent.iter().map(|word| &**word).collect();
        guests.site.ask_patiently(&[&["deploy", ".", "--yes"], &agent[..], options].concat(), LONGEST)
    };

    let ran = ask(&at("agents.example.invalid"), &["--deadline", DEADLINE]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("no word from ") && ran.err.contains(NO_WORD), "{ran}");
    assert!(ran.err.contains("the software was not done in time"), "{ran}");
    let status = guests.site.ask(&["status", KEY[0], KEY[1]]);
    let said = status.out.clone() + &status.err;
    assert!(said.contains("no word from ") && said.contains(NO_WORD), "{status}");
    // The message sends the operator here.
    let unresolved = "Could not resolve host: agents.example.invalid";
    answer_within(LONGEST, "the cause on the console", || {
        let console = guests.site.ask(&["logs", "alice", "--console", KEY[0], KEY[1]]);
        console.out.contains(unresolved).then_some(())
    });

    // With another address, both servers are replaced. The guests' own resolver knows that name.
    let before = ["alice", "bob"].map(|server| guests.site.server(server));
    let ran = ask(&at(LAB_NAME), &KEY);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(!ran.err.contains("no word from "), "{ran}");
    for (server, before) in ["alice", "bob"].into_iter().zip(&before) {
        assert_ne!(guests.site.server(server), *before, "{server} is another server");
        let resolved = guests.on(server, &format!("getent hosts {LAB_NAME}")).expect("it resolves");
        assert!(resolved.starts_with(LAB), "{resolved}");
    }
    guests.destroyed();
}
