//! `wattle deploy` on a simulated cloud whose servers run real agents: infrastructure and software, from the first
//! server to the last process.

mod signals;
mod site;

use serde::Deserialize;
use serde_json::json;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_openstack::Method;
use wattle_tests::running::{self, Ran, eventually, kill};
use wattle_tests::say::Say;

use site::Site;

#[test]
fn three_tier_is_up_and_comes_back_and_goes() {
    if !running::can_run_three_tier() {
        return;
    }
    let model =
        |apps: u32| three_tier::three_tier.model(serde_json::from_value(json!({ "apps": apps })).expect("a size"));
    let mut site = Site::new(&model(1));
    let page = |ran: &Ran| {
        let page = running::http_get(&ran.export("url"));
        assert!(page.contains(r#""name": "hurdle""#), "{page}");
    };
    let deploy = ["deploy", ".", "--yes", "--parameter", "db_password=sesame"];
    page(&site.run(&deploy));
    assert_eq!(site.agents(), 3);
    let floating = site.ask_of("network", Method::Get, "/floatingips", None);
    let floating = floating["floatingips"][0]["floating_ip_address"].as_str().expect("an address").to_owned();
    eventually("the page is at the floating IP", || {
        running::try_http_get(&format!("http://{floating}:80/")).is_some_and(|page| page.contains("hurdle"))
    });

    site.stage.emit(&model(2));
    page(&site.run(&deploy));
    assert_eq!(site.agents(), 4);

    let lost = site.server("app1");
    site.ask(Method::Delete, &format!("/servers/{lost}"), None);
    eventually("the server is gone, and its software", || !site.home(&lost).exists());
    let ran = site.run(&["drift", "--correct"]);
    assert_ne!(site.server("app1"), lost);
    page(&ran);
    assert_eq!(site.agents(), 4);

    site.run(&["destroy", "--yes"]);
    eventually("no agent runs any more", || site.agents() == 0);
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
    assert_eq!(site.stage.processes(""), Vec::<i32>::new());
}

/// Stays until its teardown, which fails while the door is closed.
#[component(recipe = "recipes/stay.sh", teardown = "recipes/leave.sh")]
pub struct Guest {
    /// Its name.
    #[input]
    word: String,
}

/// Settings of the inn.
#[derive(Deserialize)]
#[serde(default)]
pub struct Words {
    word: String,
    image: String,
    /// A change of the zone replaces the server.
    zone: String,
}

impl Default for Words {
    fn default() -> Self {
        Self { word: "hello".into(), image: "debian-12".into(), zone: String::new() }
    }
}

/// Two servers: one says a word and leaves a service behind, the other one hears the word and has a guest.
#[blueprint]
pub fn inn(t: &mut Topology, (): (), words: Words) -> Exports {
    let net = t.add("net", neutron::Net::new());
    t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let server = |image: &str| nova::Server::new().image(image).flavor("m1.small").network(net);
    let bar = server(&words.image);
    let a = t.add("bar", if words.zone.is_empty() { bar } else { bar.availability_zone(words.zone) });
    let first = t.on(a).run("say", Say::new().word(words.word).service("4713"));
    let b = t.add("house", server("debian-12"));
    let heard = t.on(b).run("say", Say::new().word(text!("{}", b.address(net))).heard(first.said));
    t.on(b).run("guest", Guest::new().word("guest"));
    Exports::new().entry("said", heard.said)
}

#[test]
fn servers_are_what_the_cloud_says_they_are() {
    let model = |word: &str| inn.model(Words { word: word.into(), ..Words::default() });
    let mut site = Site::new(&model("hello"));
    let ran = site.run(&["deploy", ".", "--yes"]);
    let said = ran.export("said");
    assert!(said.starts_with("127.") && said.ends_with(" after hello"), "{said}");
    let (bar, house) = (site.server("bar"), site.server("house"));
    assert_eq!((site.said(&bar), site.stage.services("4713").len()), (vec!["hello".to_owned()], 1));

    // Another word changes only the software, so the servers stay.
    site.stage.emit(&model("bye"));
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(ran.export("said").ends_with(" after bye"), "{ran}");
    assert_eq!((site.server("bar"), site.said(&bar)), (bar.clone(), vec!["hello".to_owned(), "bye".into()]));

    // A stopped server runs nothing, and keeps its data until it is started again.
    site.act(&bar, &json!({ "os-stop": null }));
    eventually("nothing runs there", || site.agents() == 1 && site.stage.services("4713").is_empty());
    assert_eq!(site.said(&bar).len(), 2);
    site.act(&bar, &json!({ "os-start": null }));
    eventually("its agent runs, and its service", || site.agents() == 2 && site.stage.services("4713").len() == 1);
    assert_eq!(site.said(&bar), ["hello", "bye", "bye"]);

    // A server's replacement has its own key, even if the first deployment did not wait for its software.
    site.ask(Method::Delete, &format!("/servers/{bar}"), None);
    eventually("the server is gone", || !site.home(&bar).exists());
    let ran = site.run(&["deploy", ".", "--yes", "--correct", "--infrastructure-only"]);
    assert!(ran.err.contains("bar created"), "{ran}");
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(ran.err.contains("admitted with keys of their own: `bar`"), "{ran}");
    assert_eq!(site.said(&site.server("bar")), ["bye"]);

    // A rebuilt server has a new key, too, because its disk is empty.
    let (bar, words) =
        (site.server("bar"), Words { word: "bye".into(), image: "debian-13".into(), ..Words::default() });
    site.stage.emit(&inn.model(words));
    std::fs::write(site.home(&bar).join("state/old"), "").expect("writes");
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(ran.err.contains("admitted with keys of their own: `bar`"), "{ran}");
    assert_eq!((site.server("bar"), site.said(&bar)), (bar.clone(), vec!["bye".to_owned()]));
    assert!(!site.home(&bar).join("state/old").exists());

    // Teardowns run before the server is deleted.
    let door = site.home(&house).join("state/door");
    std::fs::write(door, "").expect("writes");
    let ran = site.run(&["destroy", "--yes"]);
    let at = |what: &str| ran.err.find(what).unwrap_or_else(|| panic!("no `{what}`: {ran}"));
    assert!(at("house is torn down") < at("house deleted"), "{ran}");
    eventually("no server is left", || site.agents() == 0 && !site.home(&house).exists());
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
    assert_eq!(site.stage.processes(""), Vec::<i32>::new());
}

#[test]
fn a_server_that_was_rebuilt_is_not_done_for_whoever_deploys_next() {
    let site = Site::new(&inn.model(Words::default()));
    site.run(&["deploy", ".", "--yes"]);
    let bar = site.server("bar");
    site.stage.emit(&inn.model(Words { image: "debian-13".into(), ..Words::default() }));
    let mut deploy = site.start(&["deploy", ".", "--yes"]);
    eventually("it is rebuilt", || {
        let server = site.ask(Method::Get, &format!("/servers/{bar}"), None);
        server["server"]["status"] == "REBUILD"
    });
    kill(site.stage.processes("deploy . --yes")[0]);
    assert!(deploy.ended().is_none(), "it was killed");
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(ran.err.contains("admitted with keys of their own: `bar`"), "{ran}");
    assert_eq!((site.server("bar"), site.said(&bar)), (bar.clone(), vec!["hello".to_owned()]));
}

#[test]
fn a_recipe_that_fails_is_no_failure_of_the_infrastructure() {
    let model = |word: &str| inn.model(Words { word: word.into(), ..Words::default() });
    let site = Site::new(&model("fail"));
    let ran = site.try_to_run(&["deploy", ".", "--yes"]);
    assert!(ran.code == Some(1) && ran.out.contains("the infrastructure exists, and software has failed"), "{ran}");
    assert!(ran.out.contains("bar/say") && !ran.err.contains("infrastructure of"), "{ran}");
    let bar = site.server("bar");
    let ran = site.run(&["drift"]);
    assert!(ran.out.contains("is as it was deployed"), "{ran}");
    // A corrected recipe runs on the same server.
    site.stage.emit(&model("hello"));
    let ran = site.run(&["deploy", ".", "--yes"]);
    assert!(ran.export("said").ends_with(" after hello") && site.server("bar") == bar, "{ran}");
}

#[test]
fn whoever_takes_the_place_of_a_server_never_runs_beside_it() {
    let mut site = Site::new(&inn.model(Words::default()));
    site.run(&["deploy", ".", "--yes"]);
    let bar = site.server("bar");
    assert_eq!(site.stage.services("4713").len(), 1);
    site.stage.emit(&inn.model(Words { zone: "nova".into(), ..Words::default() }));
    let (ran, most) = std::thread::scope(|scope| {
        let deploys = scope.spawn(|| site.run(&["deploy", ".", "--yes"]));
        let mut most = 0;
        while !deploys.is_finished() {
            most = most.max(site.stage.services("4713").len());
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        (deploys.join().expect("it is deployed"), most)
    });
    assert_eq!(most, 1, "what the former one has left running, or what its successor has begun: {ran}");
    let at = |what: &str| ran.err.find(what).unwrap_or_else(|| panic!("no `{what}`: {ran}"));
    assert!(at("bar created") < at("bar deleted") && at("bar deleted") < at("bar/say is done"), "{ran}");
    assert!(ran.err.contains("admitted with keys of their own: `bar`"), "{ran}");
    assert_ne!(site.server("bar"), bar);
    assert!(!site.home(&bar).exists());
    assert_eq!((site.said(&site.server("bar")), site.stage.services("4713").len()), (vec!["hello".to_owned()], 1));
    // A component that was replaced is not torn down, but one without a successor is.
    std::fs::write(site.home(&site.server("house")).join("state/door"), "").expect("writes");
    site.run(&["destroy", "--yes"]);
    eventually("no server is left", || site.agents() == 0);
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
}

#[test]
fn what_a_cloud_that_was_killed_left_behind_is_ended() {
    let mut site = Site::new(&inn.model(Words::default()));
    site.run(&["deploy", ".", "--yes"]);
    let cloud = site.stage.processes("cloud --boot");
    assert_eq!(cloud.len(), 1, "{cloud:?}");
    kill(cloud[0]);
    assert_eq!((site.agents(), site.stage.services("4713").len()), (2, 1));
    site.cloud = Site::boot(&site.stage);
    assert_eq!((site.agents(), site.stage.services("4713").len()), (0, 0));
    assert_eq!(site.cloud.interrupt(), Some(0), "{}", site.cloud.said());
    assert_eq!(site.stage.processes(""), Vec::<i32>::new());
}
