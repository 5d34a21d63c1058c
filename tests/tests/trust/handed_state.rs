//! A directory in which someone else has prepared the state of an `up`: none of it is trusted.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, Stage, to_its_end};

/// Two users with separate homes, and a directory that one of them hands over.
struct Handed {
    stage: Stage,
    homes: tempfile::TempDir,
}

impl Handed {
    fn new() -> Self {
        let stage = Stage::new(&hello::hello.model(Default::default()));
        Self { stage, homes: tempfile::tempdir().expect("a directory") }
    }

    /// A directory that its author has brought up, with every part of a state.
    fn prepared() -> Self {
        let handed = Self::new();
        let ran = handed.run("maker", &["up", ".", "--until-done", "--network", "loopback"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        fs::write(handed.state().join("secrets.json"), r#"{"password": "known to its maker"}"#).expect("writes");
        handed
    }

    fn state(&self) -> PathBuf {
        self.stage.path().join(".wattle")
    }

    fn run(&self, user: &str, args: &[&str]) -> Ran {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(self.stage.path()), &self.homes.path().join(user));
        to_its_end(command.stdin(Stdio::null()))
    }

    /// The content of the directory, including links and all files.
    fn all(&self) -> String {
        let mut command = Command::new("bash");
        command.args(["-c", "find . -printf '%p %y %m %l\\n' | sort; find .wattle -type f | sort | xargs sha256sum"]);
        let found = command.current_dir(self.stage.path()).output().expect("lists");
        String::from_utf8(found.stdout).expect("text")
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "{} is not copied", from.display());
}

#[track_caller]
fn assert_refused(ran: &Ran, why: &str) {
    assert!(ran.code == Some(2) && ran.err.contains(why), "{ran}");
}

const NOT_MADE: &str = "was not made here by `wattle up` of this user";

#[test]
fn nothing_of_a_handed_state_is_believed() {
    let handed = Handed::prepared();
    let whole = handed.homes.path().join("whole");
    fs::rename(handed.state(), &whole).expect("renames");
    // The whole state, as from an archive.
    copy(&whole, &handed.state());
    let before = handed.all();
    for args in [&["up", ".", "--until-done"][..], &["up", ".", "-d"], &["down", "."], &["down", ".", "--delete"]] {
        assert_refused(&handed.run("other", args), NOT_MADE);
        assert_eq!(handed.all(), before, "{args:?}");
    }
    // Any part of it is refused: keys, values, addresses, the store, an agent's memory.
    for part in ["operator.key", "credentials.yaml", "secrets.json", "up.json", "space", "servers/alice/agent/journal"]
    {
        fs::remove_dir_all(handed.state()).expect("removes");
        assert!(whole.join(part).exists(), "a state has no {part} any more");
        let to = handed.state().join(part);
        fs::create_dir_all(to.parent().expect("a folder")).expect("creates");
        copy(&whole.join(part), &to);
        let before = handed.all();
        assert_refused(&handed.run("other", &["up", ".", "--until-done"]), NOT_MADE);
        assert_eq!(handed.all(), before, "{part}");
    }
}

#[test]
fn what_is_said_about_a_handed_state_helps() {
    let handed = Handed::prepared();
    let ran = handed.run("other", &["up", ".", "--until-done"]);
    assert!(ran.err.contains("start without it: `rm -r ./.wattle`"), "{ran}");
    assert!(ran.err.contains("say so: `wattle up . --state ./.wattle`"), "{ran}");
    // The operator confirms it explicitly, once.
    for args in [&["up", ".", "--until-done", "--state", "./.wattle"][..], &["up", ".", "--until-done"]] {
        let ran = handed.run("other", args);
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    // A moved state still belongs to its owner; a copy does not.
    let moved = handed.stage.path().join("moved");
    copy(&handed.state(), &moved);
    assert_refused(&handed.run("other", &["down", "moved"]), NOT_MADE);
    fs::remove_dir_all(&moved).expect("removes");
    fs::rename(handed.state(), &moved).expect("renames");
    let ran = handed.run("other", &["down", "moved", "--delete"]);
    assert!(ran.code == Some(0) && !moved.exists(), "{ran}");
}

/// An archive unpacked over one's own state replaces the content, and the folder remains the same.
#[test]
fn a_key_that_takes_the_place_of_ones_own_is_refused() {
    let (own, other) = (Handed::prepared(), Handed::prepared());
    fs::copy(other.state().join("operator.key"), own.state().join("operator.key")).expect("copies");
    assert_refused(&own.run("maker", &["up", ".", "--until-done"]), NOT_MADE);
}

/// Another process of the same user, possibly in a container, holds the lock and serves the socket.
#[test]
fn commands_do_not_speak_to_what_keeps_a_handed_state_up() {
    let handed = Handed::prepared();
    let lock = File::options().append(true).open(handed.state().join("lock")).expect("opens");
    lock.lock().expect("locks");
    let socket = UnixListener::bind(handed.state().join("space.sock")).expect("listens");
    socket.set_nonblocking(true).expect("does not wait");
    for args in [
        &["status"][..],
        &["status", "."],
        &["ls"],
        &["status", "--ui"],
        &["up", ".", "--until-done"],
        &["down"],
        &["down", "."],
        &["seed", "diff", "."],
        &["seed", "apply", "."],
    ] {
        let ran = handed.run("other", args);
        assert!(ran.code == Some(2) && ran.err.contains(NOT_MADE), "{args:?}: {ran}");
        assert!(socket.accept().is_err(), "{args:?} spoke to it");
    }
}

#[test]
fn links_lead_nowhere() {
    let handed = Handed::prepared();
    let whole = handed.homes.path().join("whole");
    fs::rename(handed.state(), &whole).expect("renames");
    for part in [
        "",
        ".gitignore",
        "lock",
        "up.log",
        "space",
        "servers",
        "servers/alice",
        "servers/alice/state",
        "servers/alice/agent",
        "servers/alice/agent.log",
        "servers/alice/agent/journal",
    ] {
        let elsewhere = handed.homes.path().join("elsewhere");
        let _ = fs::remove_dir_all(&elsewhere);
        fs::create_dir(&elsewhere).expect("creates");
        let _ = fs::remove_file(handed.state());
        let _ = fs::remove_dir_all(handed.state());
        if !part.is_empty() {
            copy(&whole, &handed.state());
        }
        let place = if part.is_empty() { handed.state() } else { handed.state().join(part) };
        let _ = fs::remove_file(&place);
        let _ = fs::remove_dir_all(&place);
        // A folder becomes a link to a folder, and a file becomes a link to a file that does not exist yet.
        let is_folder = part.is_empty() || whole.join(part).is_dir();
        symlink(if is_folder { elsewhere.clone() } else { elsewhere.join("file") }, &place).expect("links");
        // Even the explicit confirmation does not allow that.
        for args in [
            &["up", ".", "--until-done", "--state", "./.wattle"][..],
            &["up", ".", "--until-done"],
            &["up", ".", "-d", "--state", ".wattle"],
        ] {
            let ran = handed.run("other", args);
            assert!(ran.code == Some(2) && ran.err.contains("is a link"), "{part}: {args:?}: {ran}");
            let written = fs::read_dir(&elsewhere).expect("reads").count();
            assert_eq!(written, 0, "{part}: {args:?} wrote elsewhere");
        }
    }
}

#[test]
fn what_others_can_change_is_not_believed() {
    let handed = Handed::prepared();
    for (part, mode) in [("", 0o777), ("servers", 0o775), ("servers/alice", 0o777), ("operator.key", 0o666)] {
        let path = if part.is_empty() { handed.state() } else { handed.state().join(part) };
        let before = fs::metadata(&path).expect("is there").permissions();
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("permissions");
        let ran = handed.run("maker", &["up", ".", "--until-done"]);
        assert_refused(&ran, "can be changed by other users");
        assert!(ran.err.contains("`chmod go-w ./.wattle"), "{ran}");
        fs::set_permissions(&path, before).expect("permissions");
    }
    // The file from which marks are derived also belongs only to the user.
    let home = handed.homes.path().join("maker/.user/wattle");
    assert_eq!(fs::metadata(home.join("up.key")).expect("it was made").permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&home, Permissions::from_mode(0o777)).expect("permissions");
    assert_refused(&handed.run("maker", &["up", ".", "--until-done"]), "does not belong to this user alone");
}
