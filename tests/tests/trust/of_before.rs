//! A stack deployed by the version before signatures, as its `seed apply` and its agents left it: `of_before/`. The
//! recording is from commit bb72280, with keys that were generated for it and are not used elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use wattle_runtime::seed::{Credentials, read_operator_key};
use wattle_runtime::space::{Layout, OperatorKey};
use wattle_runtime::store::Address;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, to_its_end};
use wattle_tests::zookeeper::ZooKeeper;
use zookeeper_client::{Acl, Acls, AuthId, Client, CreateMode, Permission};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trust/of_before");

/// A recorded node.
struct Node {
    path: String,
    acls: Vec<Acl>,
    data: String,
}

fn recorded() -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for line in fs::read_to_string(format!("{RECORDED}/nodes.txt")).expect("reads").lines() {
        if line.starts_with('/') {
            nodes.push(Node { path: line.to_owned(), acls: Vec::new(), data: String::new() });
            continue;
        }
        let Some(node) = nodes.last_mut() else { continue };
        if let Some(data) = line.strip_prefix("= ") {
            data.clone_into(&mut node.data);
        } else if let Some(data) = line.strip_prefix('|') {
            node.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            node.data.push('\n');
        } else {
            let (may, who) = line.trim().split_once(' ').expect("rights, and whose");
            let (scheme, id) = who.split_once(':').expect("a scheme");
            let of = |letter| match letter {
                'r' => Permission::READ,
                'w' => Permission::WRITE,
                'c' => Permission::CREATE,
                'd' => Permission::DELETE,
                'a' => Permission::ADMIN,
                other => panic!("no right is called `{other}`"),
            };
            let may = may.chars().fold(Permission::NONE, |may, letter| may | of(letter));
            node.acls.push(Acl::new(may, AuthId::new(scheme, id)));
        }
    }
    nodes
}

/// The recorded state: in a ZooKeeper, in the operator's files, and on servers.
struct Before {
    zookeeper: ZooKeeper,
    folder: tempfile::TempDir,
    agents: Vec<Child>,
}

impl Before {
    async fn new() -> Self {
        let zookeeper = ZooKeeper::start(1);
        let client = Client::connect(zookeeper.hosts()).await.expect("connects");
        let nodes = recorded();
        for node in &nodes {
            let mode = CreateMode::Persistent.with_acls(Acls::anyone_all());
            client.create(&node.path, node.data.as_bytes(), &mode).await.expect("creates");
        }
        for node in &nodes {
            client.set_acl(&node.path, &Acls::new(&node.acls), None).await.expect("may");
        }
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["seed.yaml", "template.yaml", "environment.yaml", "operator.key", "credentials.yaml"] {
            fs::copy(format!("{RECORDED}/{file}"), folder.path().join(file)).expect("copies");
        }
        let before = Self { zookeeper, folder, agents: Vec::new() };
        for server in ["db", "web"] {
            fs::create_dir_all(before.server(server).join("agent")).expect("a folder");
            let journal = before.server(server).join("agent/journal");
            fs::copy(format!("{RECORDED}/{server}.journal"), journal).expect("copies");
        }
        before
    }

    fn here(&self) -> &Path {
        self.folder.path()
    }

    fn server(&self, server: &str) -> PathBuf {
        self.here().join("servers").join(server)
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(self.here()), self.here());
        to_its_end(command.args(["--space", &self.zookeeper.address()]))
    }

    fn apply(&self, more: &[&str]) -> Ran {
        self.run(&[&["seed", "apply", ".", "-P", "password=hunter2"], more].concat())
    }

    fn key(&self) -> OperatorKey {
        read_operator_key(&self.here().join("operator.key")).expect("reads").expect("a key")
    }

    /// Starts the current version's agents, with the user data.
    fn start(&mut self) {
        let credentials = Credentials::read(&self.here().join("credentials.yaml")).expect("reads");
        for server in ["db", "web"] {
            let home = self.server(server);
            fs::create_dir_all(home.join("state")).expect("a folder");
            let credential = credentials.get(server).expect("it has one").expose();
            let space = self.zookeeper.address();
            let identity = json!({"stack": "shop", "server": server, "space": space, "credential": credential});
            fs::write(home.join("identity.json"), identity.to_string()).expect("writes");
            let log = fs::File::options().create(true).append(true).open(home.join("log")).expect("opens");
            let mut agent = Command::new(wattle());
            apart(&mut agent, self.here()).args(["agent", "--identity"]).arg(home.join("identity.json"));
            agent.arg("--state").arg(home.join("agent")).env("WATTLE_STATE_DIR", home.join("state"));
            let agent = agent.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
            self.agents.push(agent.expect("starts"));
        }
    }

    fn stop(&mut self) {
        for mut agent in self.agents.drain(..) {
            let _ = agent.kill();
            let _ = agent.wait();
        }
    }

    /// The output of `status` once it contains `what`.
    #[track_caller]
    fn status(&self, what: &str) -> Ran {
        let begin = Instant::now();
        loop {
            let ran = self.run(&["status"]);
            if ran.out.contains(what) {
                return ran;
            }
            assert!(begin.elapsed() < Duration::from_mins(2), "it never says `{what}`: {ran}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The recipes that ran.
    fn ran(&self) -> usize {
        let logs = ["db", "web"].map(|server| fs::read_to_string(self.server(server).join("log")).unwrap_or_default());
        logs.iter().map(|log| log.matches(" runs component").count()).sum()
    }

    #[track_caller]
    fn assert_values(&self) {
        let ran = self.run(&["ls"]);
        for value in ["host   db.example.com\n", "token  (secret)\n", "url    http://db.example.com/\n"] {
            assert!(ran.out.contains(value), "{value}: {ran}");
        }
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        self.stop();
    }
}

#[tokio::test]
async fn a_stack_of_before_signatures_is_upgraded_by_one_command() {
    let mut before = Before::new().await;
    // Before the operator confirms it, nothing is trusted, and nothing changes.
    let refused = before.apply(&[]);
    assert_eq!(refused.code, Some(1), "{refused}");
    for said in [
        "`/wattle/shop/servers/db/plan`: it is not signed",
        "written by a version of wattle that did not sign anything yet",
        "`wattle seed apply DIR --restore`",
    ] {
        assert!(refused.err.contains(said), "{refused}");
    }
    let address: Address = before.zookeeper.address().parse().expect("an address");
    let store = address.connect(&[before.key().login()]).await.expect("connects");
    let layout = Layout::new("shop");
    for node in recorded() {
        let there = store.get(&node.path).await.expect("reads").expect("it is there");
        assert_eq!(String::from_utf8_lossy(&there.data), node.data, "{}", node.path);
    }

    // The documented upgrade: first the agents, then one command.
    before.start();
    let status = before.status("is not trusted: the operator has not signed the plan of its server");
    assert!(status.out.contains("`wattle seed apply --restore` rewrites it"), "{status}");
    let restored = before.apply(&["--restore"]);
    assert_eq!(restored.code, Some(0), "{restored}");
    assert!(restored.out.contains("the credentials of `db` and `web` are from before"), "{restored}");
    assert!(restored.out.contains("`--renew` makes new ones"), "{restored}");
    assert!(restored.out.contains("openstack stack update"), "{restored}");
    let status = before.status("2 of 2 components done");
    for server in ["db", "web"] {
        let said = format!("! {server}: this server's credential is from before anything was signed");
        assert!(status.out.contains(&said), "{status}");
    }
    assert!(
        status.out.contains("until `wattle seed apply --renew` and `openstack stack update` replace it"),
        "{status}"
    );
    before.assert_values();
    assert_eq!(before.ran(), 0, "nothing that is unchanged runs again");
    let authority = before.key().signer().authority();
    for path in [layout.plan("db"), layout.plan("web"), layout.revision()] {
        let node = store.get(&path).await.expect("reads").expect("it is there");
        assert!(authority.verify(&path, &node.data).is_ok(), "{path} is not signed");
    }
    let again = before.apply(&[]);
    assert!(again.code == Some(0) && again.out.contains("unchanged"), "{again}");

    // Only new servers know the operator's key: Heat replaces the old ones.
    let renewed = before.apply(&["--renew"]);
    assert!(renewed.code == Some(0) && renewed.out.contains("new credentials: `db` and `web`"), "{renewed}");
    before.stop();
    fs::remove_dir_all(before.here().join("servers")).expect("new disks");
    before.start();
    let status = before.status("2 of 2 components done");
    assert!(!status.out.contains("before anything was signed"), "{status}");
    before.assert_values();
    let admitted = before.run(&["seed", "admit", "--wait", "--stack", "shop"]);
    assert_eq!(admitted.code, Some(0), "{admitted}");
    let status = before.status("2 of 2 components done");
    assert!(!status.out.contains("still use the credential"), "{status}");
}

/// When only the operator's side is upgraded, unsigned data are not shown as anyone's, and nothing is lost.
#[tokio::test]
async fn what_a_stack_of_before_holds_is_shown_once_it_is_upgraded() {
    let before = Before::new().await;
    for shown in [before.run(&["ls"]), before.run(&["status"])] {
        assert!(shown.out.contains("is not trusted") && shown.out.contains("seed apply --restore"), "{shown}");
        assert!(!shown.out.contains("db.example.com"), "{shown}");
    }
    let restored = before.apply(&["--restore"]);
    assert_eq!(restored.code, Some(0), "{restored}");
    let ran = before.run(&["ls"]);
    for value in ["db.example.com", "(secret)", "http://db.example.com/"] {
        assert!(ran.out.contains(value), "what was published is gone: {ran}");
    }
}
