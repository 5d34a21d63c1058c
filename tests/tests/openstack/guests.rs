//! A shop on servers that boot: QEMU, cloud-init, the agent by its URL, recipes on a Debian of their own, and a page that curl fetches
//! on another server; and what becomes of it when servers are rebooted, rebuilt and deleted, and agents killed.

use std::cell::RefCell;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::command::wattle_agent;
use wattle_tests::openstack::{Named, has_guests};
use wattle_tests::running::Ran;
use wattle_tests::site::{PASSWORD, Site};

use super::KEY;

/// Where guests reach what is not a guest.
const LAB: &str = "10.77.0.1";

/// The longest that a deployment may take: each server boots without KVM.
const LONGEST: Duration = Duration::from_mins(40);

/// The longest until a server that boots does what it did before.
const REBOOT: Duration = Duration::from_mins(15);

/// The shop, and the agent that its servers fetch.
struct Shop {
    site: Site<Named>,
    /// What is given to a deployment.
    given: RefCell<Vec<String>>,
}

impl Shop {
    fn new() -> Self {
        let site = Site::with_space_at(Named, &Named::password(), LAB);
        let agent = site.path().join("agent");
        fs::copy(wattle_agent(), &agent).expect("copies");
        let stripped = Command::new("strip").arg(&agent).status().expect("strip runs");
        assert!(stripped.success());
        let sum = Command::new("sha256sum").arg(&agent).output().expect("sha256sum runs");
        let sum = String::from_utf8(sum.stdout).expect("text");
        let sum = sum.split_whitespace().next().expect("a sum");
        let url = serve(fs::read(&agent).expect("reads"));
        let given = [PASSWORD.to_owned(), format!("wattle_agent_url={url}"), format!("wattle_agent_sha256={sum}")];
        Self { site, given: RefCell::new(given.to_vec()) }
    }

    /// Deploys it, software and all, and looks that the page is there.
    fn deployed(&self, options: &[&str]) -> Ran {
        let given = self.given.borrow();
        let given = given.iter().flat_map(|given| ["-P", given]);
        let words: Vec<&str> =
            ["deploy", ".", "--yes"].into_iter().chain(given).chain(options.iter().copied()).collect();
        let ran = self.site.ask_patiently(&words, LONGEST);
        assert_eq!(ran.code, Some(0), "{ran}");
        self.page("app1");
        ran
    }

    /// The address of a server on its network.
    fn address(&self, server: &str) -> String {
        let (id, there) = (self.site.server(server), self.site.there());
        let server = there["servers"].iter().find(|server| server["id"] == *id).expect("it is there");
        let networks = server["addresses"].as_object().expect("networks");
        let all = networks.values().filter_map(serde_json::Value::as_array).flatten();
        let fixed =
            all.filter(|address| address["OS-EXT-IPS:type"] == "fixed").find_map(|address| address["addr"].as_str());
        fixed.expect("an address").to_owned()
    }

    /// What a command says on a server, if it can be asked there and succeeds.
    fn on(&self, server: &str, command: &str) -> Option<String> {
        let lab = std::env::var("OPENSTACK_LAB_DIR")
            .unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/.cache/openstack").into());
        let address = self.address(server);
        let mut ssh = Command::new("ssh");
        ssh.arg("-i").arg(Path::new(&lab).join("image/key")).args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]);
        // Each new server has a key of its own.
        ssh.args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]);
        let ran = ssh.arg(format!("root@{address}")).arg(command).output().expect("ssh runs");
        ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    }

    /// Looks that curl fetches the page on this server.
    fn page(&self, from: &str) {
        let curl = format!("curl -sS --fail --max-time 20 http://{}/", self.address("web"));
        let page = within(REBOOT, "the page", || self.on(from, &curl).filter(|page| page.contains("hurdle")));
        assert!(page.contains(r#""name": "hurdle""#), "{page}");
    }

    fn act(&self, server: &str, body: serde_json::Value) {
        let path = format!("/servers/{}/action", self.site.server(server));
        self.site.at_cloud(async |session| {
            session.call(Call::new("compute", Method::Post, path).body(body)).await.expect("accepted");
        });
    }

    fn destroyed(&self) {
        let ran = self.site.ask_patiently(&["destroy", "--yes", KEY[0], KEY[1]], LONGEST);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert_eq!(self.site.counts(), [0; 6]);
    }
}

/// Asks until there is an answer.
fn within<T>(longest: Duration, what: &str, ask: impl Fn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < longest, "not in time: {what}");
        std::thread::sleep(Duration::from_secs(2));
    }
}

/// Serves these bytes to whoever asks for anything, as long as the process lives.
fn serve(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind((LAB, 0)).expect("listens");
    let url = format!("http://{}/wattle-agent", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
        }
    });
    url
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
        let since = shop.on(
            server,
            "systemctl show -p ActiveEnterTimestampMonotonic --value wattle-agent; cut -d' ' -f1 /proc/uptime",
        );
        println!("{server}: {since:?}");
    }

    // Rebooted, it does what it did, and knows that nothing is to be done.
    shop.act("db", json!({ "reboot": { "type": "HARD" } }));
    let boot = |server: &str| shop.on(server, "cat /proc/sys/kernel/random/boot_id");
    let booted = |server: &str| within(REBOOT, "it can be asked", || boot(server));
    let before = booted("app1");
    shop.act("app1", json!({ "reboot": { "type": "HARD" } }));
    within(REBOOT, "app1 boots", || boot("app1").filter(|now| *now != before));
    shop.page("app2");
    let ran = shop.deployed(&KEY);
    assert!(!ran.err.contains('✓'), "{ran}");

    // An agent that is killed is there again, and does what is new.
    let pid = |server: &str| shop.on(server, "systemctl show -p MainPID --value wattle-agent").filter(|pid| pid != "0");
    let killed = pid("web").expect("an agent");
    shop.on("web", "systemctl kill -s KILL wattle-agent").expect("killed");
    within(REBOOT, "the agent of web", || pid("web").filter(|pid| *pid != killed));
    shop.given.borrow_mut()[0] = "db_password=another-horse".to_owned();
    shop.deployed(&KEY);

    // Rebuilt on another image, app2 has an empty disk and a key of its own.
    let template = shop.site.path().join("template.yaml");
    let text = fs::read_to_string(&template).expect("reads");
    let (head, tail) = text.split_at(text.find("\n  app2:").expect("it is there"));
    let image = "image:\n        get_param: image\n";
    assert!(tail.contains(image), "{tail}");
    let tail = tail.replacen(image, "image: debian-12-next\n", 1);
    fs::write(&template, head.to_owned() + &tail).expect("writes");
    let (id, before) = (shop.site.server("app2"), booted("app2"));
    let ran = shop.deployed(&KEY);
    assert!(ran.err.contains("admitted with keys of their own: `app2`"), "{ran}");
    assert!(shop.site.server("app2") == id && booted("app2") != before);
    shop.page("app2");

    // Deleted behind its back, app1 is made anew.
    let id = shop.site.server("app1");
    shop.site.delete("app1");
    let ran = shop.site.ask_patiently(&["drift", "--correct", KEY[0], KEY[1]], LONGEST);
    assert!(ran.code == Some(0) && ran.err.contains("✓ app1 created"), "{ran}");
    assert_ne!(shop.site.server("app1"), id);
    shop.page("app1");
    shop.destroyed();
}

#[test]
fn a_shop_boots_through_heat_in_guests_of_a_real_openstack() {
    if !has_guests("a shop that boots, through Heat") {
        return;
    }
    let shop = Shop::new();
    let ran = shop.deployed(&["--through", "heat"]);
    assert_eq!(format!("http://{}:80/", shop.address("web")), ran.export("url"));
    shop.page("db");
    shop.destroyed();
}
