//! A component and its run directory, for one run.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tempfile::TempDir;
use tracing_subscriber::fmt::MakeWriter;
use wattle::lower::seed::{SeedOutput, SeedRecipe};
use wattle::model::{IndexMap, Name, Tool, Type, Value};
use wattle_runtime::recipe::{Broken, Live, RecipeRun, Runner as _, Stop, Tools, settle_former};
use wattle_runtime::space::{Failure, PlannedComponent, PlannedInput, PlannedOutput, Script, ValueSource};
use wattle_tests::deadline;

pub(crate) const PORT: Type = Type::integer(0, 65_535);

/// A component, its inputs, and its run directory.
pub(crate) struct Stage {
    pub(crate) root: TempDir,
    pub(crate) job: RecipeRun,
    pub(crate) live: Arc<Fake>,
    pub(crate) log: Log,
    path: Option<OsString>,
    _subscriber: tracing::subscriber::DefaultGuard,
}

/// Answers in place of the agent.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    pub(crate) published: Mutex<IndexMap<String, Value>>,
    pub(crate) secrets: Mutex<Vec<Value>>,
    pub(crate) waited: Mutex<Duration>,
    deadline: Mutex<Option<Duration>>,
}

#[async_trait]
impl Live for Fake {
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure> {
        panic!("nobody asks for {name}")
    }
    async fn publish(&self, name: &str, value: Value) -> Result<(), Broken> {
        self.published.lock().unwrap().insert(name.to_owned(), value);
        Ok(())
    }
    fn published(&self, name: &str) -> Option<Value> {
        self.published.lock().unwrap().get(name).cloned()
    }
    fn secrets(&self) -> Vec<Value> {
        self.secrets.lock().unwrap().clone()
    }
    async fn stopped(&self) -> Stop {
        let deadline = *self.deadline.lock().unwrap();
        deadline::over(deadline.unwrap_or(Duration::from_mins(1)), || *self.waited.lock().unwrap()).await
    }
    fn socket(&self) -> Option<(PathBuf, String)> {
        Some(("/run/wattle.sock".into(), "a-token".to_owned()))
    }
}

/// The log of this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap();
        // A log longer than tests read would count as growth of this process.
        if log.len() < 1 << 20 {
            log.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;
    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Stage {
    /// A component whose recipe is a file with this text.
    pub(crate) fn new(tool: Tool, text: &str) -> Self {
        let recipe = format!("recipes/it.{}", tool.ending());
        let root = tempfile::Builder::new().prefix("wattle recipes ").tempdir().unwrap();
        // Other users can reach an agent's run directories.
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o711)).unwrap();
        let live = Arc::new(Fake::default());
        let component = PlannedComponent {
            recipe: SeedRecipe {
                tool,
                entry: recipe.as_str().into(),
                teardown: None,
                files: IndexMap::default(),
                deadline: None,
                wait: None,
            },
            after: Vec::new(),
            inputs: IndexMap::default(),
            outputs: IndexMap::default(),
            requires: IndexMap::default(),
        };
        let job = RecipeRun {
            name: "db/it".into(),
            component,
            script: Script::Recipe,
            inputs: IndexMap::default(),
            directory: root.path().join("run"),
            deadline: Duration::from_mins(1),
            live: live.clone(),
        };
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).with_ansi(false).without_time().finish();
        let guard = tracing::subscriber::set_default(subscriber);
        Self { root, job, live, log, path: None, _subscriber: guard }.file(&recipe, text)
    }

    pub(crate) fn shell(text: &str) -> Self {
        Self::new(Tool::Shell, text)
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.job.directory.join("files").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn input(mut self, name: &str, ty: Type, value: impl Into<Value>) -> Self {
        let value = value.into();
        assert_eq!(ty.refuse(&value), None);
        let from = ValueSource::Constant(value.clone());
        self.job.component.inputs.insert(name.into(), PlannedInput { ty, path: Vec::new(), from });
        self.job.inputs.insert(name.into(), value);
        self
    }

    pub(crate) fn output(mut self, name: &str, ty: Type) -> Self {
        let declared = SeedOutput { ty, path: Vec::new(), early: false };
        let output = PlannedOutput { declared, recipients: Vec::new() };
        self.job.component.outputs.insert(name.into(), output);
        self
    }

    pub(crate) fn deadline(mut self, deadline: Duration) -> Self {
        self.job.deadline = deadline;
        *self.live.deadline.lock().unwrap() = Some(deadline);
        self
    }

    /// Puts a directory first on the search path.
    pub(crate) fn on_path(mut self, directory: &Path) -> Self {
        let mut path = OsString::from(directory);
        if directory.exists() {
            path.push(":");
            path.push(std::env::var_os("PATH").unwrap());
        }
        self.path = Some(path);
        self
    }

    /// A path for the recipe's use.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) async fn run(&self) -> Result<IndexMap<Name, Value>, Broken> {
        let tools = Tools::new().state_in(self.root.path().to_owned());
        let tools = match &self.path {
            Some(path) => tools.path(path.clone()),
            None => tools,
        };
        tools.run(&self.job).await
    }

    /// Runs it, and asserts that only its files are left in its run directory once its end is certain.
    pub(crate) async fn run_clean(&self) -> Result<IndexMap<Name, Value>, Broken> {
        let result = self.run().await;
        settle_former(&self.job.directory).unwrap();
        assert_eq!(names(&self.job.directory), ["files"]);
        result
    }
}

pub(crate) fn secret(ty: Type) -> Type {
    Type::Hidden(Box::new(ty))
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Whether a process runs: a zombie does not.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until a file contains a line, and returns it.
pub(crate) async fn line_of(path: &Path) -> String {
    let mut line = None;
    until(|| {
        line = fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'));
        line.is_some()
    })
    .await;
    line.unwrap().trim().to_owned()
}

/// Waits until a condition holds; panics if it never does.
pub(crate) async fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come to that in a minute");
}
