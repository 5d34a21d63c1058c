//! A shell with its own folder, in which a page's commands run one after another.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use wattle_tests::command::{at_home, repository, wattle};
use wattle_tests::guests::{LAB, agent_by_url};
use wattle_tests::openstack::{Named, boots, is_named};
use wattle_tests::running::eventually;
use wattle_tests::site::Ground as _;
use wattle_tests::zookeeper::ZooKeeper;

/// Marks the end of a command's output.
const END: &str = "\u{1}end\u{1}";

/// Prints the mark and the exit code of a command.
const END_MARK: &str = "printf '\\n\\001end\\001%s\\n' \"$?\"";

/// The timeout of a page's command, unless it waits for servers to boot.
const LONGEST: Duration = Duration::from_mins(4);

/// The timeout where servers boot, without KVM.
const LONGEST_WITH_GUESTS: Duration = Duration::from_mins(40);

/// The address of ZooKeeper on the pages.
const ZOOKEEPER: &str = "10.0.0.5:2281";

/// The file with ZooKeeper's certificate authority on the pages.
const CA: &str = "zookeeper-ca.pem";

/// The folder in which the crates of pages are built.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("book")
}

/// The network that commands use. In a lab, that of the cloud differs from the machine's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The network of the lab's OpenStack.
    Cloud,
    /// The machine's network, from which the package mirrors can be reached.
    Mirrors,
}

pub(crate) struct Session {
    folder: tempfile::TempDir,
    shell: Child,
    input: ChildStdin,
    output: Receiver<String>,
    zookeeper: Option<ZooKeeper>,
    place: Place,
    /// The parameters with which booting servers download their agent.
    agent: Option<[(&'static str, String); 2]>,
}

impl Session {
    /// A shell in an empty folder, with a copy of the content of `files`, if that is a folder.
    pub(crate) fn new(files: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("wattle-book-").tempdir().expect("a folder");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(folder.path(), open).expect("services of recipes run as users of their own");
        if files.is_dir() {
            let copied = Command::new("cp").arg("-r").arg(files.join(".")).arg(folder.path()).status();
            assert!(copied.is_ok_and(|status| status.success()), "{} is not copied", files.display());
        }
        let home = |variable: &str, folder: &str| {
            let own = std::env::var_os(variable).map(PathBuf::from);
            own.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("a home")).join(folder))
        };
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book/bin");
        let programs = wattle().parent().expect("a folder");
        let path = std::env::var("PATH").expect("a PATH");
        let path = format!("{}:{}/examples:{path}", programs.display(), programs.display());
        // The client in `bin` uses a simulated cloud unless a real OpenStack is named.
        let path = if is_named() { path } else { format!("{}:{path}", own.display()) };
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc"]).current_dir(folder.path());
        for (name, _) in std::env::vars() {
            if name.starts_with("WATTLE_") || name.starts_with("CARGO_") || name.starts_with("NEXTEST") {
                command.env_remove(name);
            }
        }
        for name in ["RUSTFLAGS", "NO_COLOR", "LD_LIBRARY_PATH"] {
            command.env_remove(name);
        }
        command
            .env("CARGO_HOME", home("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", home("RUSTUP_HOME", ".rustup"))
            .env("HOME", folder.path())
            .env("PATH", path)
            .env("XDG_RUNTIME_DIR", folder.path().join(".user"))
            .env("XDG_STATE_HOME", folder.path().join(".user"))
            // The cache outlives a run, so an image for sandboxes is created only once.
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache"))
            .env("CARGO_TARGET_DIR", target())
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("COLUMNS", "100")
            .env("WATTLE_BOOK_INCREMENTAL", std::env::var_os("CARGO_INCREMENTAL").unwrap_or_default())
            .env("WATTLE_BOOK_REPOSITORY", repository())
            .env("WATTLE_BOOK_PROGRAMS", programs.parent().expect("a folder"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The group lets the shell's background processes end with it.
            .process_group(0);
        let mut shell = command.spawn().expect("bash starts");
        let input = shell.stdin.take().expect("piped");
        let (sender, output) = channel();
        let stream = BufReader::new(shell.stdout.take().expect("piped"));
        std::thread::spawn(move || stream.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut session = Self { folder, shell, input, output, zookeeper: None, place: Place::Cloud, agent: None };
        session.run("exec 2>&1").expect("it is a shell");
        session
    }

    /// Runs a command; returns its output on both streams, and its exit code.
    pub(crate) fn run(&mut self, command: &str) -> Result<(String, i32), String> {
        let command = self.known(command);
        writeln!(self.input, "{{ {command}\n}} </dev/null; {END_MARK}").expect("bash reads");
        self.said(&command)
    }

    /// Runs a command, and ends it with Ctrl-C as soon as it has printed enough.
    pub(crate) fn interrupt(
        &mut self,
        command: &str,
        is_enough: impl Fn(&str) -> bool,
    ) -> Result<(String, i32), String> {
        let command = self.known(command);
        // A shell ignores Ctrl-C in background processes, except in jobs that it controls.
        writeln!(self.input, "set -m; {{ {command}\n}} </dev/null & set +m").expect("bash reads");
        let mut said = String::new();
        let mut enough = false;
        while !enough {
            let line = self.output.recv_timeout(longest());
            let line = line.map_err(|_| format!("`{command}` does not say what is shown, but\n{said}"));
            let heard = line.map(|line| said += &format!("{line}\n"));
            enough = heard.is_err() || is_enough(&self.shown(&said));
            if enough {
                writeln!(self.input, "kill -INT -- -$!; wait $!; {END_MARK}").expect("bash reads");
            }
            heard?;
        }
        let (rest, code) = self.said(&command)?;
        Ok((self.shown(&said) + &rest, code))
    }

    /// In a lab, switches the following commands to this network.
    pub(crate) fn goes(&mut self, place: Place) {
        if self.place == place {
            return;
        }
        self.place = place;
        // The network outside of the lab; `tests/openstack/lab exec` sets this variable.
        let Ok(outside) = std::env::var("OPENSTACK_LAB_OUTSIDE") else { return };
        let command = match place {
            Place::Cloud => "unset -f wattle curl".to_owned(),
            Place::Mirrors => ["wattle", "curl"]
                .map(|program| format!("{program}() {{ nsenter --net={outside} -- {program} \"$@\"; }}"))
                .join("; "),
        };
        self.run(&command).expect("a shell takes functions");
    }

    /// The command, with the page's example names replaced by real ones.
    fn known(&mut self, command: &str) -> String {
        if boots() {
            if command.starts_with("wattle cloud --boot ") {
                let clouds = Named.clouds(&Named::password()).replace("\n  real:", "\n  simulated:");
                return format!("cat >clouds.yaml <<'END'\n{clouds}\nEND");
            }
            self.give_agent(command);
        }
        if !command.contains(ZOOKEEPER) {
            return command.to_owned();
        }
        let start = || if boots() { ZooKeeper::start_secure_at(LAB) } else { ZooKeeper::start_secure(1) };
        let zookeeper = self.zookeeper.get_or_insert_with(start);
        let command = command.replace(ZOOKEEPER, &zookeeper.secure_hosts());
        let ca = zookeeper.ca().display().to_string();
        command.replace(&format!("$PWD/{CA}"), &ca).replace(CA, &ca)
    }

    /// Before a command applies or deploys an emitted directory, sets the agent's parameters in its environment.
    fn give_agent(&mut self, command: &str) {
        let directory = ["wattle seed apply ", "wattle deploy "].iter().find_map(|verb| command.strip_prefix(verb));
        let Some(directory) = directory.and_then(|rest| rest.split_whitespace().next()) else { return };
        let environment = self.here().join(directory).join("environment.yaml");
        let mut text = fs::read_to_string(&environment).expect("it was emitted");
        let folder = self.folder.path();
        for (name, value) in self.agent.get_or_insert_with(|| agent_by_url(folder)) {
            text = text.replace(&format!("  #{name}: \"\""), &format!("  {name}: \"{value}\""));
            assert!(text.contains(&**value), "{text}");
        }
        fs::write(&environment, text).expect("it can be changed");
    }

    /// The output until the command ends.
    fn said(&self, command: &str) -> Result<(String, i32), String> {
        let mut said = String::new();
        loop {
            match self.output.recv_timeout(longest()) {
                Ok(line) => match line.strip_prefix(END) {
                    // The mark has added a line break.
                    Some(code) => {
                        let said = said.strip_suffix('\n').unwrap_or(&said);
                        return Ok((self.shown(said), code.parse().expect("a code")));
                    }
                    None => said += &format!("{line}\n"),
                },
                Err(_) => {
                    return Err(format!("`{command}` does not end: show `^C` where it is ended. It says\n{said}"));
                }
            }
        }
    }

    /// The output, with names that vary replaced by those on the pages.
    fn shown(&self, said: &str) -> String {
        let here = self.folder.path().to_str().expect("text");
        let said = said.replace(here, "~").replace(&repository().display().to_string(), "~/wattle");
        match &self.zookeeper {
            Some(zookeeper) => said.replace(&zookeeper.secure_hosts(), ZOOKEEPER),
            None => said,
        }
    }

    /// The shell's working directory.
    pub(crate) fn here(&mut self) -> PathBuf {
        let (said, _) = self.run("pwd").expect("a shell knows where it is");
        self.folder.path().join(said.trim().trim_start_matches('~').trim_start_matches('/'))
    }
}

fn longest() -> Duration {
    if boots() { LONGEST_WITH_GUESTS } else { LONGEST }
}

/// Ends all processes, however a page ends.
impl Drop for Session {
    fn drop(&mut self) {
        for folder in up_below(self.folder.path()) {
            let mut down = Command::new(wattle());
            let _ = at_home(down.arg("down").arg(&folder), self.folder.path()).output();
        }
        let group = format!("-{}", self.shell.id());
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let _ = self.shell.wait();
    }
}

#[test]
fn what_runs_in_the_background_ends_with_the_session() {
    let mut session = Session::new(Path::new("/nowhere"));
    let (pid, _) = session.run("sleep 1000 & echo $!").expect("it begins");
    let process = Path::new("/proc").join(pid.trim());
    assert!(process.exists());
    drop(session);
    let is_gone = || fs::read_to_string(process.join("stat")).map_or(true, |stat| stat.contains(") Z "));
    eventually("what runs in the background ends", is_gone);
}

/// The folders below `folder` in which `wattle up` keeps its state.
fn up_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.ends_with(".wattle") {
                found.push(folder.clone());
            } else if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found
}
