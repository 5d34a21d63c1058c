//! An operator's view of servers that generate their own keys, and the reports of a server that is not admitted.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use wattle::author::{Exports, Topology};
use wattle_runtime::seed::Credentials;
use wattle_runtime::space::ServerKey;
use wattle_tests::command::{apart, wattle_agent};
use wattle_tests::random::Anything;
use wattle_tests::running::{Ran, Stage, eventually};
use wattle_tests::zookeeper::ZooKeeper;

use crate::{Stack, server_of};

/// Servers' agents as real processes.
struct Servers<'a> {
    stage: &'a Stage,
    space: String,
    children: Vec<Child>,
}

impl Servers<'_> {
    /// Kills the running agent that was started first.
    fn kill_first(&mut self) {
        let mut gone = self.children.remove(0);
        gone.kill().expect("it ran");
        gone.wait().expect("it ran");
    }

    /// Starts the agent of a server with its user data, on a disk with this name.
    fn start(&mut self, server: &str, disk: &str) {
        let here = self.stage.path();
        let credentials = Credentials::read(&here.join("credentials.yaml")).expect("reads");
        let credential = credentials.get(server).expect("it has one").expose();
        let identity = json!({"stack": "by_hand", "server": server, "space": self.space, "credential": credential});
        let folder = here.join(disk);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("identity.json"), identity.to_string()).expect("writes");
        let mut command = Command::new(wattle_agent());
        apart(&mut command, here);
        command.arg("agent").arg("--identity").arg(folder.join("identity.json"));
        command.arg("--state").arg(folder.join("agent")).env("WATTLE_STATE_DIR", folder.join("state"));
        let log = File::create(folder.join("log")).expect("a log");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.children.push(command.spawn().expect("it starts"));
    }

    /// The fingerprint of the key on a disk.
    fn key(&self, disk: &str) -> String {
        let keys = fs::read_to_string(self.stage.path().join(disk).join("agent/key")).expect("it has made one");
        let key: ServerKey = keys.lines().next().expect("it is there").parse().expect("a key");
        key.public("by_hand", "db").key.fingerprint().to_string()
    }

    fn says(&self, disk: &str, what: &str) {
        eventually(what, || {
            fs::read_to_string(self.stage.path().join(disk).join("log")).expect("a log").contains(what)
        });
    }
}

impl Drop for Servers<'_> {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A fingerprint admits only the key of one server: here, `db` has announced the one with the fingerprint `key`.
fn refuses_other_keys(run: &dyn Fn(&[&str]) -> Ran, key: &str) {
    for more in [&["db", "web"][..], &[]] {
        let wrong = run(&[&["seed", "admit", "--fingerprint", key][..], more].concat());
        assert_eq!(wrong.code, Some(2), "{wrong}");
    }
    let wrong = run(&["seed", "admit", "db", "--fingerprint", "0000-0000-0000-0000"]);
    assert!(wrong.code == Some(1) && wrong.err.contains(&format!("`db` has announced another key: {key}")), "{wrong}");
}

#[test]
fn who_waits_for_servers_may_say_how_long() {
    let zookeeper = ZooKeeper::start(1);
    let stage = Stage::new(&Stack::at("by_hand", &zookeeper).model);
    let space = zookeeper.address();
    let run = |args: &[&str]| stage.run_at(stage.path(), &[args, &["--space", &space]].concat());
    let first = run(&["seed", "apply", "."]);
    assert_eq!(first.code, Some(0), "{first}");
    let late = run(&["seed", "admit", "--wait", "--timeout", "1s"]);
    assert_eq!(late.code, Some(1), "{late}");
    assert!(late.err.contains("error: `db` and `web` have not announced themselves in time\n"), "{late}");
}

#[test]
fn the_operator_is_informed_and_one_command_admits() {
    let zookeeper = ZooKeeper::start(1);
    let stack = Stack::at("by_hand", &zookeeper);
    let stage = Stage::new(&stack.model);
    let space = zookeeper.address();
    let run = |args: &[&str]| stage.run_at(stage.path(), &[args, &["--space", &space]].concat());
    let early = run(&["seed", "admit", "--stack", "by_hand"]);
    assert_eq!(early.code, Some(2), "{early}");
    let first = run(&["seed", "apply", "."]);
    assert_eq!(first.code, Some(0), "{first}");
    let nobody = run(&["seed", "admit"]);
    assert_eq!(
        nobody.out,
        "`db` and `web` still use the credentials of their user data, and have not announced themselves \
                     yet\n",
        "{nobody}"
    );
    let mut servers = Servers { stage: &stage, space: space.clone(), children: Vec::new() };
    for server in ["db", "web"] {
        servers.start(server, server);
    }
    let shown = run(&["status"]);
    let line = "! `db` and `web` still use the credential of their user data: `wattle seed admit --wait --stack \
                by_hand` ends that\n";
    assert!(shown.out.contains(line), "{shown}");
    let admitted = run(&["seed", "admit", "--wait"]);
    let lines: Vec<&str> = admitted.out.lines().collect();
    let [head, keys @ ..] = lines.as_slice() else { panic!("{admitted}") };
    assert_eq!(
        (admitted.code, *head, keys.len()),
        (Some(0), "`by_hand` is at revision 2: admitted `db` and `web`", 2),
        "{admitted}"
    );
    // Careful operators compare the keys.
    for (server, line) in ["db", "web"].into_iter().zip(keys) {
        let key = line.strip_prefix(&format!("  {server}: its key is ")).unwrap_or_else(|| panic!("{admitted}"));
        servers.says(server, &format!("this server waits to be admitted; its key is {key}"));
    }
    servers.says("db", "this server is known by a key of its own");
    let shown = run(&["status"]);
    assert!(!shown.out.contains("user data"), "{shown}");
    let again = run(&["seed", "admit", "--wait"]);
    assert_eq!(again.out, "all servers have keys of their own\n", "{again}");
    let applied = run(&["seed", "apply", "."]);
    assert!(applied.out.starts_with("stack `by_hand`: revision 2, unchanged"), "{applied}");

    // The server is rebuilt.
    servers.kill_first();
    servers.start("db", "db-anew");
    servers.says(
        "db-anew",
        "another server was admitted with the credential of this one's user data, so this one does nothing",
    );
    let key = servers.key("db-anew");
    servers.says("db-anew", &format!("`wattle seed admit db --fingerprint {key} --stack by_hand`"));
    let line = format!(
        "its key is {key}. If db was rebuilt, and the log of its agent names that key, `wattle seed admit db \
         --fingerprint {key} --stack by_hand` admits it, and everything on it runs again; if not, someone else has that \
         credential"
    );
    eventually(&line, || run(&["status"]).out.contains(&line));
    assert!(!run(&["seed", "apply", "."]).out.contains("admitted"), "nobody has named it");
    let unknown = run(&["seed", "admit", "dbx"]);
    assert_eq!(unknown.code, Some(2), "{unknown}");
    refuses_other_keys(&run, &key);
    let admitted = run(&["seed", "admit", "db", "--fingerprint", &key]);
    let text = format!("`by_hand` is at revision 3: admitted `db`\n  db: its key is {key}\n");
    assert_eq!((admitted.code, admitted.out.clone()), (Some(0), text), "{admitted}");
    servers.says("db-anew", "begins a revision");
    let silent = run(&["seed", "admit", "db"]);
    assert!(silent.code == Some(1) && silent.err.contains("`db` has announced nothing"), "{silent}");
    assert!(!run(&["status"]).out.contains("user data"));

    // The server is deleted before its agent learns that it has left the model.
    servers.kill_first();
    let mut t = Topology::new("by_hand");
    let host = server_of(&mut t, "db");
    t.on(host).run("part", Anything::new());
    stage.emit(&t.finish(Exports::new()));
    let dropped = run(&["seed", "apply", "."]);
    assert!(dropped.out.contains("- web") && !dropped.out.contains("seed forget"), "{dropped}");
    let again = run(&["seed", "apply", ".", "--again"]);
    let line = "if it is gone, revoke its last rights:\n  wattle seed forget --stack by_hand web\n";
    assert!(again.out.contains(line), "{again}");
    let known = run(&["seed", "forget", "db"]);
    assert_eq!(known.code, Some(2), "{known}");
    let forget = || run(&["seed", "forget", "--stack", "by_hand", "web"]);
    // The store notices that the agent was killed when its session expires.
    let mut forgotten = forget();
    eventually("it is forgotten", || {
        let runs_still = forgotten.err.contains("the agent of `web` still runs");
        if runs_still {
            forgotten = forget();
        }
        !runs_still
    });
    assert_eq!(
        (forgotten.code, &*forgotten.out),
        (Some(0), "`by_hand` is at revision 6: forgot `web`\n"),
        "{forgotten}"
    );
    let nothing = run(&["seed", "forget"]);
    assert_eq!(nothing.out, "`by_hand` no longer grants anything to servers that have left\n", "{nothing}");
    let applied = run(&["seed", "apply", "."]);
    assert!(applied.out.starts_with("stack `by_hand`: revision 6, unchanged"), "{applied}");
    assert!(!applied.out.contains("seed forget"), "{applied}");
}
