//! `wattle deploy` of a shop on a simulated cloud, as shown by the page: infrastructure and software.

use std::time::Duration;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::diagram;
use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_tests::site::{PASSWORD, Site};

use crate::page::{nothing_is_wrong_with, open, tab};
use crate::stack::url;

const KEY: [&str; 2] = ["--key", "operator.key"];

/// The displayed state of a resource of the shop.
fn says(name: &str) -> String {
    format!("live.now.resources[{name:?}]?.says")
}

#[test]
fn infrastructure_grows_fails_and_is_fixed_while_the_page_looks_on() {
    // Each server takes long enough to boot for a look at the page.
    let site = Site::with(Setting { takes: Duration::from_secs(20), ..Setting::default() });
    let diagram = diagram::of(&three_tier::three_tier.model(Default::default())).without_texts().to_json();
    std::fs::write(site.path().join("graph.json"), diagram).expect("writes");
    site.cloud.world().befall(Rule::next(Method::Post, "/floatingips", Doing::Refused(400, None)));
    let mut deploy = site.start(&["--ui"]);
    let Some(browser) = open(&url(&mut deploy)) else { return };
    browser.wait_for("a server is being created", &format!("return {} === 'is being created'", says("db")));
    browser.wait_for("it has failed", "return live.now.infrastructure.tally.failed === 1");
    let now = tab(&browser, "live-now");
    assert!(now.contains("Infrastructure\n\n8 of 13 resources there, 4 under way, 1 failed"), "{now}");
    assert!(now.contains("Infrastructure has failed."), "{now}");
    // The subnet is shown in its network's band.
    browser.wait_for("the diagram", "return document.querySelectorAll('#view [data-built]').length === 12");
    let first = browser.text("return document.querySelector('#live-infrastructure li').innerText");
    assert!(now.contains("db is being created. 2 more wait for it."), "{now}");
    assert!(first.contains(" failed: ") && first.contains("OS::Neutron::FloatingIP"), "{first}");
    browser.looked_at("deploy-running");
    let all = tab(&browser, "live-infrastructure");
    assert!(all.starts_with("Deployment 1") && all.contains("Failed (1)") && all.contains("Under way ("), "{all}");
    browser.looked_at("deploy-resources");
    deploy.wait_for("is not as it should be", Duration::from_mins(3));
    browser.wait_for("its end", "return live.now.ended?.includes('status --ui')");

    // The same again, now watched by another command.
    site.deployed(&KEY);
    let mut status = site.start_alone(&["status", "--ui", KEY[0], KEY[1]]);
    let Some(browser) = open(&url(&mut status)) else { return };
    let reported = "13 of 13 resources there";
    browser.wait_for("all is there", &format!("return live.now.infrastructure.says === {reported:?}"));
    // You can go from a server to its resource and back.
    browser.run("wattle.select('app1')");
    browser.wait_for("it is selected", "return document.querySelector('#panel-live-now h2').textContent === 'app1'");
    let now = tab(&browser, "live-now");
    assert!(now.contains("app1 is there") && now.contains("It has no agent."), "{now}");
    browser.run("wattle.select('web')");
    tab(&browser, "live-infrastructure");
    let input = "document.querySelector('#panel-live-infrastructure input')";
    browser.run(&format!("{input}.value = 'nova::server'; {input}.dispatchEvent(new Event('input'))"));
    let found = "return [...document.querySelectorAll('#panel-live-infrastructure li .live-goto')].map((one) => one.textContent)";
    browser.wait_for("what was sought", &format!("return (() => {{ {found} }})().length === 4"));
    assert_eq!(browser.run(found), json!(["app1", "app2", "db", "web"]));
    browser.run("document.querySelector('#panel-live-infrastructure li .live-goto').click()");
    let now = tab(&browser, "live-now");
    assert!(now.starts_with("app1\n"), "{now}");
    browser.looked_at("deployed");

    // Somebody else deletes a server.
    site.vanish("app1");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(4), "{ran}");
    browser.wait_for("it is gone", &format!("return {} === 'is not as it was deployed: it is gone'", says("app1")));
    let now = tab(&browser, "live-now");
    assert!(now.contains("12 of 13 resources there, 1 not as deployed"), "{now}");
    let legend = browser.text("return document.getElementById('legend').innerText");
    assert!(legend.contains("not as deployed"), "{legend}");
    browser.looked_at("deployed-differs");
    nothing_is_wrong_with(&browser);
    let html = browser.text("return document.documentElement.outerHTML");
    assert!(!html.contains(PASSWORD.split('=').next_back().expect("a value")), "{html}");
    let ran = site.ask(&["status", KEY[0], KEY[1]]);
    assert!(
        ran.out.contains("infrastructure: 12 of 13 resources there, 1 not as deployed: app1 (it is gone)"),
        "{ran}"
    );
}
