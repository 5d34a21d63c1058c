//! The process of a run: starts it, reads its output, and ends it in time.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};
use tracing::Level;
use wattle_words::time::span;

use super::cgroup::Cgroup;
use super::directory::Directory;
use super::environment::Environment;
use super::former::Record;
use super::group::Group;
use super::lines::{Lines, Tail};
use super::rate::Rate;
use super::repeated::Repeated;
use super::written::Written;
use super::{Broken, Mask, RecipeRun, Stop};
use crate::space::FailureKind;

/// How long a recipe that ran out of time may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How often to check whether it has.
const LOOK: Duration = Duration::from_millis(50);
/// How long the output of an ended recipe must be silent to count as complete: a service that it started may hold its
/// output open forever.
const SILENCE: Duration = Duration::from_millis(100);
/// How long to read its output after it has ended, at most.
const AFTERWORD: Duration = Duration::from_secs(1);
/// "Argument list too long".
const E2BIG: i32 = 7;

/// A command to run.
#[derive(Debug)]
pub(super) struct Command {
    /// A path, or a name on the search path.
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Environment,
    /// The working directory.
    pub(super) at: PathBuf,
    /// The message if there is no such program.
    pub(super) missing: String,
}

/// A process that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// The last lines of its output, secrets masked.
    pub(super) log: Vec<String>,
    /// The mask for the secrets that it received.
    pub(super) mask: Mask,
}

/// Runs `command` to its end.
///
/// # Errors
/// [`FailureKind::Start`], [`FailureKind::Deadline`].
pub(super) async fn run(job: &RecipeRun, directory: &Directory, command: Command) -> Result<Ended, Broken> {
    let name = command.program.to_string_lossy().into_owned();
    let missing = command.missing.clone();
    let mut running = Running::start(job, directory, command).map_err(|error| {
        let message = match error.raw_os_error() {
            Some(E2BIG) => format!("`{name}` cannot be started: the inputs are more than an environment takes"),
            _ if error.kind() == io::ErrorKind::NotFound => missing,
            _ => format!("`{name}` cannot be started: {error}"),
        };
        Broken::new(FailureKind::Start, message)
    })?;
    let mut stopped = job.live.stopped();
    let status = loop {
        tokio::select! {
            // A process that has ended in time is not stopped, however late that is noticed.
            biased;
            status = running.child.wait() => break status,
            why = &mut stopped => return Err(running.end(job, why).await),
            () = running.voice.hear() => {}
        }
    };
    let status = status
        .map_err(|error| Broken::new(FailureKind::Start, format!("`{name}` can no longer be observed: {error}")))?;
    Ok(running.ended(status).await)
}

/// A running process.
struct Running {
    child: Child,
    family: Family,
    voice: Voice,
}

/// All processes of a run. If dropped before the run is over, they are killed.
struct Family {
    group: Group,
    directory: PathBuf,
    is_over: bool,
}

impl Running {
    fn start(job: &RecipeRun, directory: &Directory, mut command: Command) -> io::Result<Self> {
        // A single pipe for both, so that lines arrive in the order in which they were written.
        let (reader, writer) = io::pipe()?;
        let mut record = Record::new()?;
        let cgroup = Cgroup::make(&record.run);
        if let Some(cgroup) = &cgroup {
            record.inside(cgroup);
        }
        record.write(directory.path())?;
        command.environment.set_run(&record.run);
        let mut process = std::process::Command::new(command.program);
        process.args(command.arguments).current_dir(command.at);
        process.env_clear().envs(command.environment.into_variables());
        process.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut process = tokio::process::Command::from(process);
        let (child, cgroup) = Self::spawn(&mut process, cgroup);
        let child = child.inspect_err(|_| Record::remove(directory.path()))?;
        // Drop the writing end of the pipe: otherwise it would never be closed.
        drop(process);
        // INVARIANT: it has not been waited for, so it has a number, and one that the kernel gave.
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).expect("INVARIANT: a new process has a number");
        // From here on, it is killed if something goes wrong.
        let group = Group::new(Some(pid), record.mark(), cgroup);
        let family = Family { group, directory: directory.path().to_owned(), is_over: false };
        let voice = Voice::new(job, directory, pipe::Receiver::from_owned_fd(reader.into())?);
        record.started(pid);
        record.write(directory.path())?;
        Ok(Self { child, family, voice })
    }

    /// Starts it within the control group, if there is one and it can be entered.
    fn spawn(process: &mut tokio::process::Command, cgroup: Option<Cgroup>) -> (io::Result<Child>, Option<Cgroup>) {
        let Some(cgroup) = cgroup else { return (process.spawn(), None) };
        let (child, is_inside) = cgroup.start(|| process.spawn());
        if is_inside && child.is_ok() {
            return (child, Some(cgroup));
        }
        cgroup.dissolve();
        (child, None)
    }

    async fn ended(mut self, status: ExitStatus) -> Ended {
        // Its remaining processes stay once its end is recorded: see `former::settle`.
        self.family.is_over = true;
        let (log, mask) = self.voice.last_words().await;
        Ended { status, log, mask }
    }

    /// Ends everything that must end, and reports what it was doing.
    async fn end(mut self, job: &RecipeRun, why: Stop) -> Broken {
        let mut message = match why {
            Stop::Deadline => format!("it still ran after {}, its deadline", span(job.deadline)),
            Stop::Replaced => "it was stopped because another agent acts for this server".to_owned(),
        };
        if let Some(command) = self.family.group.running().last().and_then(|process| process.command()) {
            let _ = write!(message, ", at `{command}`");
        }
        let _ = match self.voice.last_said() {
            Some((line, ago)) => {
                let tenths = u64::try_from(ago.as_millis() / 100).unwrap_or(u64::MAX);
                let ago = span(Duration::from_millis(tenths.saturating_mul(100)));
                write!(message, "; {ago} before that, it printed: {line}")
            }
            None => write!(message, "; it had printed nothing"),
        };
        let end = Instant::now() + GRACE;
        self.family.group.signal(Signal::TERM);
        while Instant::now() < end && !self.family.group.running().is_empty() {
            tokio::select! {
                () = self.voice.hear() => {}
                () = sleep(LOOK) => {}
            }
        }
        self.family.group.kill();
        // It was killed; this could fail only if something else had waited for it.
        let _ = self.child.wait().await;
        drop(self.family);
        let (log, mask) = self.voice.last_words().await;
        Broken { log, ..Broken::new(FailureKind::Deadline, mask.text(&message)) }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if !self.is_over {
            self.group.kill();
            self.group.disband();
            Record::remove(&self.directory);
        }
    }
}

/// The output of a process, on its way to the log.
struct Voice {
    job: RecipeRun,
    // `None` once it is closed.
    pipe: Option<pipe::Receiver>,
    bytes: Vec<u8>,
    mask: Mask,
    secrets: usize,
    written: Written,
    lines: Lines,
    repeated: Repeated,
    tail: Tail,
    rate: Rate,
    spoke: Instant,
}

impl Voice {
    fn new(job: &RecipeRun, directory: &Directory, pipe: pipe::Receiver) -> Self {
        Self {
            job: job.clone(),
            pipe: Some(pipe),
            bytes: Vec::with_capacity(64 * 1024),
            mask: Mask::of(job),
            secrets: 0,
            written: Written::of(job, directory),
            lines: Lines::default(),
            repeated: Repeated::default(),
            tail: Tail::default(),
            rate: Rate::new(Instant::now()),
            spoke: Instant::now(),
        }
    }

    /// Reads the next output; never returns once the pipe is closed. May be dropped at any time.
    async fn hear(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        self.bytes.clear();
        // Treat an error as the end of the pipe.
        let heard = pipe.read_buf(&mut self.bytes).await.unwrap_or(0);
        self.learn();
        let mut text = Vec::with_capacity(heard);
        if heard == 0 {
            self.pipe = None;
            self.mask.finish(&mut text);
        } else {
            self.spoke = Instant::now();
            self.mask.push(&self.bytes, &mut text);
        }
        self.say(&text);
    }

    /// Masks secrets that the recipe has received or written since the last call.
    fn learn(&mut self) {
        let secrets = self.job.live.secrets();
        secrets.iter().skip(self.secrets).for_each(|secret| self.mask.add(secret));
        self.secrets = secrets.len();
        self.written.learn(&mut self.mask);
    }

    fn say(&mut self, text: &[u8]) {
        let mut sink = sink(&self.job, &mut self.tail, &mut self.rate);
        let repeated = &mut self.repeated;
        self.lines.push(text, &mut |line| repeated.push(line, &mut sink));
        if self.pipe.is_none() {
            self.lines.finish(&mut |line| repeated.push(line, &mut sink));
            repeated.finish(&mut sink);
            drop(sink);
            self.log_gap();
        }
    }

    /// Logs the number of omitted lines.
    fn log_gap(&mut self) {
        if let Some(gap) = self.rate.gap() {
            log(&self.job, &gap);
        }
    }

    /// The last line that it printed, and how long ago.
    fn last_said(&self) -> Option<(String, Duration)> {
        self.tail.last().map(|line| (line.to_owned(), self.spoke.elapsed()))
    }

    /// The last lines, once the process has ended. Output of services that it started still goes to the log.
    async fn last_words(mut self) -> (Vec<String>, Mask) {
        let end = Instant::now() + AFTERWORD;
        while self.pipe.is_some() && Instant::now() < end && timeout(SILENCE, self.hear()).await.is_ok() {}
        self.learn();
        if self.mask.has_found() {
            tracing::warn!(
                target: super::LOG,
                component = &*self.job.name,
                "it prints a secret, which is masked here as `***`: make it print none, because other logs may show it"
            );
        }
        if self.pipe.is_none() {
            return (masked(self.tail, &self.mask), self.mask);
        }
        let mut text = Vec::new();
        self.mask.finish(&mut text);
        self.say(&text);
        self.repeated.finish(&mut sink(&self.job, &mut self.tail, &mut self.rate));
        self.log_gap();
        let log = masked(std::mem::take(&mut self.tail), &self.mask);
        let mask = self.mask.clone();
        // Closing the pipe would end a service at its next output.
        tokio::spawn(async move {
            while self.pipe.is_some() {
                self.hear().await;
            }
        });
        (log, mask)
    }
}

/// The last lines, without secrets that became known since they were printed.
fn masked(tail: Tail, mask: &Mask) -> Vec<String> {
    tail.into_lines().iter().map(|line| mask.text(line)).collect()
}

fn sink<'a>(job: &'a RecipeRun, tail: &'a mut Tail, rate: &'a mut Rate) -> impl FnMut(String) + 'a {
    move |line| {
        if rate.admit(line.len(), Instant::now()) {
            if let Some(gap) = rate.gap() {
                log(job, &gap);
            }
            log(job, &line);
        }
        tail.push(line);
    }
}

fn log(job: &RecipeRun, line: &str) {
    match super::level::of(job.component.recipe.tool, line) {
        Level::ERROR => tracing::error!(target: super::LOG, component = &*job.name, "{line}"),
        Level::WARN => tracing::warn!(target: super::LOG, component = &*job.name, "{line}"),
        _ => tracing::info!(target: super::LOG, component = &*job.name, "{line}"),
    }
}
