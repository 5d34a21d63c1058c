//! A shop: a page that curl downloads from another server; and the effects of rebooting, rebuilding and deleting
//! servers, and of killing agents.

use std::cell::RefCell;
use std::fs;
use std::ops::Deref;

use serde_json::json;
use wattle::author::Blueprint as _;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::openstack::has_guests;
use wattle_tests::running::{Ran, answer_within};
use wattle_tests::site::PASSWORD;

use super::super::KEY;
use super::{CONFIG_DRIVE, Guests, LONGEST, METADATA_SERVICE, REBOOT, agent_by_url};

/// The shop, and the options of its deployment.
struct Shop {
    guests: Guests,
    password: RefCell<String>,
    agent: Vec<String>,
}

impl Deref for Shop {
    type Target = Guests;

    fn deref(&self) -> &Guests {
        &self.guests
    }
}

impl Shop {
    fn new() -> Self {
        let guests = Guests::new(&three_tier::three_tier.model(Default::default()));
        let agent = agent_by_url(guests.site.path());
        let shop = Self { guests, password: RefCell::new(PASSWORD.to_owned()), agent };
        shop.take_next_image("web");
        shop
    }

    /// Sets another image for a server in the template, which gives the server no config drive.
    fn take_next_image(&self, server: &str) {
        let template = self.site.path().join("template.yaml");
        let text = fs::read_to_string(&template).expect("reads");
        let (head, tail) = text.split_at(text.find(&format!("\n  {server}:")).expect("it is there"));
        let image = "image:\n        get_param: image\n";
        assert!(tail.contains(image), "{tail}");
        let tail = tail.replacen(image, "image: debian-12-next\n", 1);
        fs::write(&template, head.to_owned() + &tail).expect("writes");
    }

    /// Deploys it, including software, and checks the page.
    fn deployed(&self, options: &[&str]) -> Ran {
        let password = self.password.borrow();
        let given = ["-P", &**password].into_iter().chain(self.agent.iter().map(|word| &**word));
        let ran = self.guests.deployed(&given.chain(options.iter().copied()).collect::<Vec<_>>());
        self.page("app1");
        ran
    }

    /// Checks that curl downloads the page on this server.
    fn page(&self, from: &str) {
        let curl = format!("curl -sS --fail --max-time 20 http://{}/", self.address("web"));
        let page = answer_within(REBOOT, "the page", || self.on(from, &curl).filter(|page| page.contains("hurdle")));
        assert!(page.contains(r#""name": "hurdle""#), "{page}");
    }

    /// Whether a server reaches a port of another one. If not, its packets are dropped.
    fn reaches(&self, from: &str, to: &str, port: u16) -> bool {
        let connect = format!("timeout 20 bash -c 'exec 3<>/dev/tcp/{}/{port}'", self.address(to));
        match self.ran_on(from, &connect).status.code() {
            Some(0) => true,
            Some(124) => false,
            other => panic!("{from} gets another answer of port {port} of {to}: {other:?}"),
        }
    }

    fn act(&self, server: &str, body: serde_json::Value) {
        let path = format!("/servers/{}/action", self.site.server(server));
        self.site.at_cloud(async |session| {
            session.call(Call::new("compute", Method::Post, path).body(body)).await.expect("accepted");
        });
    }
}

#[test]
fn a_shop_boots_and_lives_in_guests_of_a_real_openstack() {
    if !has_guests("a shop that boots") {
        return;
    }
    let shop = Shop::new();
    let ran = shop.deployed(&[]);
    assert_eq!(format!("http://{}:80/", shop.address("web")), ran.export("url"));
    for server in ["db", "app1", "app2", "web"] {
        println!("{server}: {}", shop.beginning(server));
    }
    begins(&shop);
    lives(&shop);
    shop.destroyed();
}

/// Servers have booted, and reach what the security groups permit, and nothing else.
fn begins(shop: &Shop) {
    assert_eq!([shop.source("db"), shop.source("web")], [CONFIG_DRIVE, METADATA_SERVICE]);
    let console = shop.site.ask(&["logs", "web", "--console", KEY[0], KEY[1]]);
    assert!(console.code == Some(0) && console.out.contains("Cloud-init v."), "{console}");
    assert!(shop.reaches("app1", "db", 5432) && shop.reaches("web", "app2", 8080));
    for (from, to, port) in [("web", "db", 22), ("app1", "app2", 22), ("app2", "web", 8080)] {
        assert!(!shop.reaches(from, to, port), "{from} reaches port {port} of {to}");
    }
}

/// Servers are rebooted, rebuilt and deleted, and an agent is killed.
fn lives(shop: &Shop) {
    // After a reboot, everything works, and the agent knows that there is nothing to do.
    let boot = |server: &str| shop.on(server, "cat /proc/sys/kernel/random/boot_id");
    let booted = |server: &str| answer_within(REBOOT, "it can be asked", || boot(server));
    let before = ["db", "app1"].map(|server| (server, booted(server)));
    for (server, _) in &before {
        shop.act(server, json!({ "reboot": { "type": "HARD" } }));
    }
    for (server, before) in &before {
        answer_within(REBOOT, "it boots", || boot(server).filter(|now| now != before));
    }
    shop.page("app2");
    let ran = shop.deployed(&KEY);
    assert!(!ran.err.contains('✓'), "{ran}");

    // A killed agent restarts, and applies new revisions.
    let pid = |server: &str| shop.on(server, "systemctl show -p MainPID --value wattle-agent").filter(|pid| pid != "0");
    let killed = pid("web").expect("an agent");
    shop.on("web", "systemctl kill -s KILL wattle-agent").expect("killed");
    answer_within(REBOOT, "the agent of web", || pid("web").filter(|pid| *pid != killed));
    "db_password=another-horse".clone_into(&mut shop.password.borrow_mut());
    shop.deployed(&KEY);

    // Rebuilt from another image, app2 has an empty disk and a new key.
    shop.take_next_image("app2");
    let (id, before) = (shop.site.server("app2"), booted("app2"));
    let ran = shop.deployed(&KEY);
    assert!(ran.err.contains("admitted with keys of their own: `app2`"), "{ran}");
    assert!(shop.site.server("app2") == id && booted("app2") != before);
    shop.page("app2");

    // After someone deletes app1, it is replaced.
    let id = shop.site.server("app1");
    shop.site.delete("app1");
    let ran = shop.site.ask_patiently(&["drift", "--correct", KEY[0], KEY[1]], LONGEST);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_ne!(shop.site.server("app1"), id);
    shop.page("app1");
}

#[test]
fn a_shop_boots_through_heat_in_guests_of_a_real_openstack() {
    if !has_guests("a shop that boots, through Heat") {
        return;
    }
    let shop = Shop::new();
    let ran = shop.deployed(&["--through", "heat"]);
    assert_eq!(format!("http://{}:80/", shop.address("web")), ran.export("url"));
    begins(&shop);
    lives(&shop);
    shop.destroyed();
}
