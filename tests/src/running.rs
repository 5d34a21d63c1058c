//! A directory with emitted files, and `wattle` run on it.

#![expect(clippy::missing_panics_doc, reason = "helpers for tests fail by panicking")]

use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::command::{apart, at_home, wattle};
use crate::skip::{is_root, skipped};
use wattle::lower::lower;
use wattle::model::Model;

/// The timeout of a command, on any machine.
const LONGEST: Duration = Duration::from_mins(5);

/// A directory with emitted files.
pub struct Stage {
    directory: tempfile::TempDir,
    /// The command prefix that runs `wattle` in its place.
    place: Vec<String>,
    /// Variables in its environment.
    variables: Vec<(&'static str, String)>,
}

/// The output of a command, and how it ended.
pub struct Ran {
    /// The standard output.
    pub out: String,
    /// The standard error.
    pub err: String,
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
}

impl Ran {
    /// Returns the value of an export after a deployment.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn export(&self, name: &str) -> String {
        let line = self.out.lines().find(|line| line.split_whitespace().next() == Some(name));
        let line = line.unwrap_or_else(|| panic!("no export `{name}`: {self}"));
        line.trim().split_once(char::is_whitespace).expect("a value").1.trim().to_owned()
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {:?}\n-- stdout\n{}-- stderr\n{}", self.code, self.out, self.err)
    }
}

/// A command that keeps running, in the foreground.
pub struct Foreground {
    child: Child,
    said: Arc<Mutex<String>>,
    readers: [JoinHandle<()>; 2],
}

impl Stage {
    /// The lowered `model`, in a directory of its own.
    pub fn new(model: &Model) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        // Services of recipes run as separate users.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
        let stage = Self { directory, place: Vec::new(), variables: Vec::new() };
        stage.emit(model);
        stage
    }

    /// Runs `wattle` with the prefix `words`.
    #[must_use]
    pub fn within(mut self, words: Vec<String>) -> Self {
        self.place = words;
        self
    }

    /// Adds a variable to the environment of `wattle`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.variables.push((name, value));
        self
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Replaces the content by the lowered `model`.
    pub fn emit(&self, model: &Model) {
        let lowered = lower(model, &Default::default());
        let mut seed = Vec::new();
        lowered.seed.write(&mut seed).expect("writes");
        fs::write(self.path().join("seed.yaml"), seed).expect("writes");
        let template = wattle::emit::to_yaml(&lowered.template).expect("emits");
        fs::write(self.path().join("template.yaml"), template).expect("writes");
        fs::write(self.path().join("environment.yaml"), lowered.environment.to_yaml()).expect("writes");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = match self.place.split_first() {
            Some((program, before)) => {
                let mut command = Command::new(program);
                command.args(before).arg(wattle());
                command
            }
            None => Command::new(wattle()),
        };
        let (name, rest) = args.split_first().expect("a command");
        command.arg(name);
        match *name {
            "up" | "down" | "status" => command.arg(self.path()),
            _ => command.arg("--dir").arg(self.path()),
        };
        command.args(rest);
        apart(&mut command, self.path()).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `wattle up DIR ...` or `wattle down DIR ...` to completion.
    pub fn run(&self, args: &[&str]) -> Ran {
        to_its_end(&mut self.command(args))
    }

    /// Runs `wattle ...` in another directory to completion, without naming this directory.
    pub fn run_at(&self, place: &Path, args: &[&str]) -> Ran {
        to_its_end(&mut self.command_at(place, args))
    }

    /// Starts the command of [`Self::run_at`].
    pub fn start_at(&self, place: &Path, args: &[&str]) -> Foreground {
        Foreground::start(&mut self.command_at(place, args))
    }

    fn command_at(&self, place: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(wattle());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        apart(command.args(args).current_dir(place), self.path());
        command
    }

    /// Runs `wattle ... --dir DIR` to completion.
    pub fn ask(&self, args: &[&str]) -> Ran {
        self.run(args)
    }

    /// Starts `wattle up DIR ...`.
    pub fn up(&self, args: &[&str]) -> Foreground {
        self.start(&[&["up"], args].concat())
    }

    /// Starts `wattle COMMAND DIR ...`.
    pub fn start(&self, args: &[&str]) -> Foreground {
        Foreground::start(&mut self.command(args))
    }

    /// Starts `wattle ...` without naming the directory.
    pub fn start_alone(&self, args: &[&str]) -> Foreground {
        let mut command = Command::new(wattle());
        Foreground::start(at_home(command.args(args), self.path()))
    }

    /// Processes that use this directory and have `part` in their arguments.
    pub fn processes(&self, part: &str) -> Vec<i32> {
        let mark = self.path().to_str().expect("text");
        let mut found: Vec<i32> = processes()
            .filter(|pid| {
                let read = |file: &str| {
                    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
                    String::from_utf8_lossy(&bytes).replace('\0', " ")
                };
                let arguments = read("cmdline");
                !arguments.is_empty()
                    && arguments.contains(part)
                    && (arguments.contains(mark) || read("environ").contains(mark))
            })
            .collect();
        // A service's own processes are not counted.
        let parents: Vec<i32> = found.clone();
        if !part.is_empty() {
            found.retain(|pid| !parents.contains(&parent(*pid)));
        }
        found
    }

    /// Services left by `recipes/say.sh`.
    pub fn services(&self, seconds: &str) -> Vec<i32> {
        self.processes(&format!("sleep {seconds}"))
    }

    /// The output of `recipes/say.sh` on a server, in order.
    pub fn said(&self, server: &str) -> Vec<String> {
        let path = self.path().join(".wattle/servers").join(server).join("state/said");
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// The log of a server's agent.
    pub fn log(&self, server: &str) -> String {
        let path = self.path().join(".wattle/servers").join(server).join("agent.log");
        fs::read_to_string(path).unwrap_or_default()
    }

    /// Files of `wattle`, not of the software, that contain `text`.
    pub fn files_with(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).expect("reads").flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    if !path.ends_with("state") {
                        folders.push(path);
                    }
                } else if fs::read(&path)
                    .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
                {
                    found.push(path.display().to_string());
                }
            }
        }
        found
    }
}

/// Ends everything, however a test ends.
impl Drop for Stage {
    fn drop(&mut self) {
        within(&mut self.command(&["down"]), LONGEST);
    }
}

/// Runs a command to completion.
///
/// # Panics
/// If it does not complete.
pub fn to_its_end(command: &mut Command) -> Ran {
    to_its_end_within(command, LONGEST)
}

/// The same with another timeout.
///
/// # Panics
/// If it does not complete.
pub fn to_its_end_within(command: &mut Command, longest: Duration) -> Ran {
    let (ran, in_time) = within(command, longest);
    assert!(in_time, "{command:?} does not end:\n{ran}");
    ran
}

/// Runs a command; returns whether it ended by itself.
fn within(command: &mut Command, longest: Duration) -> (Ran, bool) {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let streams = (read(child.stdout.take().expect("piped")), read(child.stderr.take().expect("piped")));
    let status = ended_within(&mut child, longest);
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    // Remaining processes may keep its streams open.
    let left = longest.saturating_sub(begin.elapsed()).max(Duration::from_secs(1));
    let text = |stream: Receiver<String>| stream.recv_timeout(left);
    let (out, err) = (text(streams.0), text(streams.1));
    let in_time = status.is_some() && out.is_ok() && err.is_ok();
    let code = status.and_then(|status| status.code());
    (Ran { out: out.unwrap_or_default(), err: err.unwrap_or_default(), code }, in_time)
}

/// Reads a stream to its end.
fn read(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// The exit status of a process, if it ends within that time.
fn ended_within(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let begin = Instant::now();
    loop {
        let status = child.try_wait().expect("waits");
        if status.is_some() || begin.elapsed() > patience {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Foreground {
    /// Starts a command.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let said = Arc::new(Mutex::new(String::new()));
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().expect("piped")), Box::new(child.stderr.take().expect("piped"))];
        let readers = streams.map(|stream| {
            let said = Arc::clone(&said);
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    *said.lock().expect("no panic") += &(line + "\n");
                }
            })
        });
        Self { child, said, readers }
    }

    /// Its output so far, on both streams.
    pub fn said(&self) -> String {
        self.said.lock().expect("no panic").clone()
    }

    /// Waits until it prints `text`.
    pub fn wait_for(&mut self, text: &str, patience: Duration) {
        let begin = Instant::now();
        while !self.said().contains(text) {
            let ended = self.child.try_wait().expect("waits");
            assert!(ended.is_none(), "it ended before `{text}`: {ended:?}\n{}", self.said());
            assert!(begin.elapsed() < patience, "it does not come to `{text}`:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its exit code, once it ends by itself. Its whole output has been read then.
    pub fn ended(&mut self) -> Option<i32> {
        let status = ended_within(&mut self.child, Duration::from_mins(1));
        let status = status.unwrap_or_else(|| panic!("it does not end:\n{}", self.said()));
        // Remaining processes may keep its streams open.
        let begin = Instant::now();
        while !self.readers.iter().all(JoinHandle::is_finished) && begin.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
        status.code()
    }

    /// Sends Ctrl-C, and gives it some time to end its processes.
    pub fn stop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        let _ = ended_within(&mut self.child, Duration::from_mins(1));
    }

    /// Sends Ctrl-C, and returns the exit code.
    pub fn interrupt(&mut self) -> Option<i32> {
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        self.ended()
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn processes() -> impl Iterator<Item = i32> {
    let own = i32::try_from(std::process::id()).expect("a process");
    let entries = fs::read_dir("/proc").expect("proc").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(move |pid| *pid != own)
}

fn parent(pid: i32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    fields.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()).unwrap_or(0)
}

/// Sends SIGKILL.
pub fn kill(pid: i32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().expect("kills").success());
}

/// Waits until a condition holds, for at most a minute.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    answer_within(Duration::from_mins(1), what, || is_so().then_some(()));
}

/// Polls until there is an answer.
///
/// # Panics
/// If there is none in time.
pub fn answer_within<T>(longest: Duration, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < longest, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The answer to an HTTP request.
///
/// # Panics
/// If there is none.
pub fn http_get(url: &str) -> String {
    try_http_get(url).unwrap_or_else(|| panic!("{url} does not answer"))
}

/// The answer to an HTTP request, if there is one.
pub fn try_http_get(url: &str) -> Option<String> {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).ok()?;
    write!(stream, "GET / HTTP/1.0\r\nHost: {host}\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Whether this machine permits creating networks; if not, the test is skipped, and reports it.
pub fn can_make_networks() -> bool {
    let name = format!("wattle-test-{}", std::process::id());
    let ip = |args: &[&str]| Command::new("ip").args(args).output().is_ok_and(|output| output.status.success());
    let nft = || Command::new("nft").args(["list", "tables"]).output().is_ok_and(|output| output.status.success());
    let can = ip(&["netns", "add", &name]) && ip(&["netns", "delete", &name]) && nft();
    if !can {
        skipped("servers with networks of their own", "they need root, `ip` of iproute2 and `nft` of nftables");
    }
    can
}

/// Starts a web server in the network of a process.
///
/// # Panics
/// If it cannot be started.
pub fn listen_in_network_of(pid: i32, address: &str, port: u16) -> Child {
    let mut command = Command::new("nsenter");
    command.arg(format!("--net=/proc/{pid}/ns/net")).args(["python3", "-m", "http.server", "--bind", address]);
    command.arg(port.to_string()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
}

/// Lists the routes to this machine's own addresses.
pub fn routes() -> String {
    let output = Command::new("ip").args(["route", "show", "table", "local"]).output().expect("starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether the software of the example is installed; if not, the test is skipped, and reports it.
pub fn can_run_three_tier() -> bool {
    let is_there = |path: &str| PathBuf::from(path).exists();
    let all = ["/usr/sbin/nginx", "/usr/lib/postgresql", "/usr/bin/jq", "/usr/bin/python3", "/sbin/start-stop-daemon"];
    let missing: Vec<&str> = all.into_iter().filter(|path| !is_there(path)).collect();
    if !is_root() || !missing.is_empty() {
        skipped("three_tier", &format!("it needs root and the packages that tests/run installs; missing: {missing:?}"));
        return false;
    }
    true
}

/// `text` with every duration and time replaced by `<time>`, and gaps between columns by two spaces.
pub fn without_times(text: &str) -> String {
    let is_time = |word: &str| {
        let digits = word.trim_end_matches(',').trim_end_matches(['s', 'm', 'h', 'd']);
        let is_span =
            !digits.is_empty() && digits.len() < word.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_span || (word.starts_with("20") && word.contains('T') && word.ends_with('Z'))
    };
    let line = |line: &str| {
        let words = line.split(' ').map(|word| if is_time(word) { "<time>" } else { word });
        let mut line = words.collect::<Vec<_>>().join(" ").trim_end().to_owned();
        while line.contains("   ") {
            line = line.replace("   ", "  ");
        }
        line
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
