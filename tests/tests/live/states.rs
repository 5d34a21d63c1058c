//! The page without data, without permission, and while things are removed.

use std::time::Duration;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::diagram::{self, Diagram, Place};
use wattle_cloud::Setting;
use wattle_tests::browser::Browser;
use wattle_tests::proxy::Proxy;
use wattle_tests::running::Foreground;
use wattle_tests::site::Site;

use crate::client::parts;
use crate::page::{nothing_is_wrong_with, open, tab};
use crate::stack::{Shown, url};

const KEY: [&str; 2] = ["--key", "operator.key"];
const BANNER: &str = "document.getElementById('live-banner')";

#[test]
fn it_says_that_it_connects_until_it_is_answered() {
    let shown = Shown::held();
    let (host, token) = parts(&shown.url);
    let proxy = Proxy::before(&host);
    proxy.stall_before(|asked| asked.starts_with(b"GET /events"));
    let Some(browser) = Browser::start("the live view's page before the first answer") else { return };
    browser.open(&format!("http://{}/?token={token}", proxy.hosts()));
    browser.wait_for("it says so", &format!("return {BANNER}?.textContent === 'Connecting …'"));
    browser.run("wattle.ready.then(() => (window.isDrawn = true))");
    browser.wait_for("the picture", "return window.isDrawn");
    let expected = "return document.getElementById('live-tally').textContent";
    assert_eq!(browser.text(expected), "nothing is known yet");
    // Nothing is known to be wrong yet, so this is a note and not a warning.
    assert_eq!(browser.text(&format!("return {BANNER}.dataset.kind")), "note");
    assert_eq!(browser.text("return document.getElementById('panel-live-now').innerText.trim()"), "");
    browser.looked_at("connecting");
    proxy.fix();
    browser.wait_for("it knows something", &format!("return live.now.connected && {BANNER}.hidden"));
    nothing_is_wrong_with(&browser);
}

#[test]
fn a_url_of_another_time_is_refused_with_the_reason() {
    let shown = Shown::held();
    let mut status = shown.stage.start(&["status", "--ui"]);
    let first = url(&mut status);
    let Some(browser) = open(&first) else { return };
    let (host, token) = parts(&first);
    let port = host.rsplit_once(':').expect("a port").1.to_owned();
    // The command ends without a farewell. The next one on this port has another token.
    drop(status);
    browser.wait_for("it is lost", &format!("return {BANNER}.textContent.includes('The connection is lost')"));
    let mut status = shown.stage.start(&["status", &format!("--ui={port}")]);
    let second = url(&mut status);
    assert_ne!(first, second);
    browser.wait_for("it is shown", &format!("return {BANNER}.textContent.includes('no longer valid')"));
    browser.looked_at("refused");

    // Opening the former URL again shows no page at all.
    browser.open(&format!("http://{host}/?token={token}"));
    let said = "return document.body.innerText";
    browser.wait_for("why", "return document.body.innerText.includes('Open the complete URL')");
    assert!(!browser.text(said).contains("secrets"), "{}", browser.text(said));
    browser.read_through("refused-page");
}

/// The page of a command started with `--ui`.
fn page_of(command: &mut Foreground) -> Option<Browser> {
    open(&url(command))
}

#[test]
fn what_goes_back_and_what_goes_away_is_seen_while_it_does() {
    let site = Site::embedded(Setting { takes: Duration::from_secs(10), ..Setting::default() });
    let picture = diagram::of(&three_tier::three_tier.model(Default::default())).without_texts().to_json();
    std::fs::write(site.path().join("graph.json"), picture).expect("writes");
    site.deployed(&KEY);
    site.deployed(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());

    let back = ["rollback", "--yes", "--infrastructure-only", "--ui", KEY[0], KEY[1]];
    let mut command = site.start_alone(&back);
    let Some(browser) = page_of(&mut command) else { return };
    let changing = "return Object.values(live.now.resources).some(({ says }) => says === 'is being changed')";
    browser.wait_for("a server is being changed", changing);
    let now = tab(&browser, "live-now");
    assert!(now.contains("under way"), "{now}");
    // The diagram is that of the deployment, and not only the content of the servers' plans.
    browser.wait_for("its networks", "return document.querySelectorAll('.network').length === 1");
    browser.looked_at("rollback");
    assert_eq!(command.ended(), Some(0), "{}", command.said());

    let mut command = site.start_alone(&["destroy", "--yes", "--ui", KEY[0], KEY[1]]);
    let Some(browser) = page_of(&mut command) else { return };
    let going = "return Object.values(live.now.resources).filter(({ state }) => state === 'leaving').length >= 4";
    browser.wait_for("the servers are being deleted", going);
    // Nothing is desired any more, so the diagram shows the resources as they were.
    let drawn = "return document.querySelectorAll('.server[data-built=leaving]').length === 4";
    browser.wait_for("they are drawn", drawn);
    assert_eq!(browser.text("return document.getElementById('live-tally').textContent"), "revision 3: no software");
    let now = tab(&browser, "live-now");
    assert!(now.contains("is being deleted"), "{now}");
    browser.looked_at("destroy");
    let all = tab(&browser, "live-infrastructure");
    assert!(all.contains("Being deleted (") && all.contains("To be deleted ("), "{all}");
    browser.looked_at("destroy-resources");
    assert_eq!(command.ended(), Some(0), "{}", command.said());
    browser.wait_for("its end", "return live.now.ended");
    let text = browser.text(&format!("return {BANNER}.textContent"));
    assert_eq!(text, "Last known state: everything has been deleted.");
    // What is shown last is the final state.
    assert_eq!(
        browser.text("return document.getElementById('live-built').textContent"),
        "infrastructure: nothing is left"
    );
    let gone = "return document.querySelectorAll('.server[data-built=gone]').length";
    assert_eq!(browser.run(gone), json!(4));
    assert_eq!(browser.run("return document.querySelectorAll('#view [data-built]:not([data-built=gone])').length"), 0);
    // No component has begun, so there is no timeline.
    assert_eq!(browser.run("return document.getElementById('live-dock').hidden"), true);
    browser.looked_at("destroyed");
}

/// Four servers of a shop, in two racks.
fn placed() -> Diagram {
    let mut picture = diagram::of(&three_tier::three_tier.model(Default::default()));
    for (server, rack, host) in [
        ("db", "r1", "compute-1"),
        ("app1", "r1", "compute-2"),
        ("app2", "r2", "compute-3"),
        ("web", "r2", "compute-3"),
    ] {
        let host = Some(format!("{host}.example.org").into());
        picture.put(server, Place { rack: Some(rack.into()), host, ..Place::default() });
    }
    picture
}

#[test]
fn servers_stand_in_their_racks_while_they_are_made() {
    let site = Site::embedded(Setting { takes: Duration::from_secs(10), ..Setting::default() });
    std::fs::write(site.path().join("graph.json"), placed().without_texts().to_json()).expect("writes");
    let mut deploy = site.start(&["--ui", KEY[0], KEY[1]]);
    let Some(browser) = page_of(&mut deploy) else { return };
    let frames =
        "return [...document.querySelectorAll('.module')].map((one) => one.getAttribute('aria-label')).join('\\n')";
    browser.wait_for("the frames", "return document.querySelectorAll('.module').length === 5");
    let text = browser.text(frames);
    for frame in ["module r1, rack", "module compute-3.example.org, host"] {
        assert!(text.contains(frame), "{text}");
    }
    browser.wait_for("a server is being created", "return live.now.resources.db?.says === 'is being created'");
    browser.run("wattle.select('web')");
    browser.looked_at("placed");
    nothing_is_wrong_with(&browser);
    deploy.interrupt();
}
