//! Sockets served by another user of the machine.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use wattle_runtime::seed::write_operator_key;
use wattle_runtime::space::OperatorKey;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, to_its_end};
use wattle_tests::skip::skipped;

/// Debian's `nobody`.
const OTHER: u32 = 65534;

/// Serves a socket as another user, records messages, and holds the lock that shows that something is up.
const PRETEND: &str = "
import fcntl, os, socket, sys, threading
folder, name, user = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(folder)
os.setgroups([]); os.setgid(user); os.setuid(user)
lock = open('lock', 'a')
fcntl.flock(lock, fcntl.LOCK_EX)
server = socket.socket(socket.AF_UNIX)
server.bind(name)
os.chmod(name, 0o666)
server.listen()
print('ready', flush=True)
def hear(client):
    while said := client.recv(65536):
        with open('heard', 'ab') as heard:
            heard.write(said)
while True:
    client, _ = server.accept()
    threading.Thread(target=hear, args=(client,), daemon=True).start()
";

struct Pretender(Child);

impl Pretender {
    /// `None` if switching users is not permitted.
    fn start(folder: &Path, name: &str) -> Option<Self> {
        if fs::metadata("/proc/self").unwrap().uid() != 0 {
            skipped("a socket of another user", "it needs root, to be another user");
            return None;
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        let mut python = Command::new("python3");
        python.args(["-c", PRETEND]).arg(folder).arg(name).arg(OTHER.to_string());
        let mut child = python.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        Some(Self(child))
    }
}

impl Drop for Pretender {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn heard(folder: &Path) -> String {
    fs::read(folder.join("heard")).map(|heard| String::from_utf8_lossy(&heard).into_owned()).unwrap_or_default()
}

fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_folder_with_another_users_socket_gets_no_password() {
    let place = open_folder();
    let state = place.path().join(".wattle");
    fs::create_dir(&state).unwrap();
    let Some(_pretender) = Pretender::start(&state, "space.sock") else { return };
    let record =
        json!({"stack": "x", "pid": 1, "directory": ".", "network": "loopback", "servers": [], "addresses": {}});
    fs::write(state.join("up.json"), record.to_string()).unwrap();
    let key = OperatorKey::generate();
    write_operator_key(&place.path().join("mine.key"), &key).unwrap();
    fs::copy(place.path().join("mine.key"), state.join("operator.key")).unwrap();
    let ask = |args: &[&str], variable: &str| -> Ran {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(place.path()), place.path());
        to_its_end(command.env("WATTLE_KEY", variable))
    };
    let named = &["status", "--space", "unix:.wattle/space.sock"][..];
    for (args, variable, why) in [
        (&["status"][..], "mine.key", "can be changed by other users"),
        (&["status"], "", "can be changed by other users"),
        (&["ls"], "mine.key", "can be changed by other users"),
        (named, "mine.key", "belongs to the user 65534"),
    ] {
        let ran = ask(args, variable);
        assert_eq!(heard(&state), "", "{args:?}: {ran}");
        assert!(ran.code.is_some_and(|code| code != 0) && ran.err.contains(why), "{args:?}: {ran}");
    }
}

#[test]
fn another_users_socket_gets_no_token_and_no_output() {
    let place = open_folder();
    let folder = place.path().join("agent");
    fs::create_dir(&folder).unwrap();
    let Some(_pretender) = Pretender::start(&folder, "agent.sock") else { return };
    for args in [&["get", "password"][..], &["set", "secret", "hunter2"]] {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(place.path()), place.path());
        let ran = to_its_end(command.env("WATTLE_SOCKET", folder.join("agent.sock")).env("WATTLE_TOKEN", "token"));
        assert_eq!(heard(&folder), "", "{args:?}: {ran}");
        assert!(ran.code == Some(1) && ran.err.contains("belongs to the user 65534"), "{args:?}: {ran}");
    }
}
