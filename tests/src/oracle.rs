//! Heat's own engine as a child process.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use wattle::lower::Lowered;
use wattle::lower::hot::{Hot, Template};

/// A process that validates templates one by one.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

fn tool() -> Command {
    Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
}

impl Oracle {
    /// Starts a process. Parameters without a default get made-up values.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn start() -> Self {
        Self::with(&["--fill-params", "--quick"])
    }

    /// Starts a process that makes up nothing.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn strict() -> Self {
        Self::with(&[])
    }

    /// Starts a process that reports what templates mean: everything that Heat resolves in them.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn of_meaning() -> Self {
        Self::run(&["meaning.py", "--stdin"], &[])
    }

    /// Starts a process that computes YAQL.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn of_yaql() -> Self {
        Self::run(&["yaql_values.py", "--stdin"], &[])
    }

    fn with(options: &[&str]) -> Self {
        Self::run(&["validate.py", "--json", "--graph", "--stdin"], options)
    }

    fn run(program: &[&str], options: &[&str]) -> Self {
        let mut child = tool()
            .args(program)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("tests/heat/run starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    /// Returns Heat's verdict on a template.
    ///
    /// # Panics
    /// The process has ended.
    pub fn validate(&mut self, template: &Path) -> Value {
        self.answer(&template.display())
    }

    /// Returns Heat's response to a request: a template, its environments and parameters.
    ///
    /// # Panics
    /// The process has ended.
    pub fn ask(&mut self, what: &Value) -> Value {
        self.answer(what)
    }

    fn answer(&mut self, question: &dyn std::fmt::Display) -> Value {
        let input = self.input.as_mut().expect("a pipe");
        writeln!(input, "{question}").expect("the oracle listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the oracle answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the oracle answered {line:?}: {error}"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Returns Heat's verdict on a template, with environments and nothing made up.
///
/// # Panics
/// The process does not respond.
pub fn validate_with(environments: &[&Path], parameters: &[&str], template: &Path) -> Value {
    answer(tool().args(["validate.py", "--json"]), environments, parameters, template)
}

/// Returns the outcome of a stack created over the simulated cloud.
///
/// # Panics
/// The process does not respond.
pub fn create(environments: &[&Path], parameters: &[&str], template: &Path) -> Value {
    answer(tool().arg("create.py"), environments, parameters, template)
}

/// Returns the outcome of a stack of software deployments, with its servers' agents: simulated ones that signal the
/// `outputs` of each deployment, or with `hooks` the real heat-agents, which run in that folder and find programs on
/// `path`. The stack is created from the first template and updated to each further one. At the end it is deleted.
///
/// # Panics
/// There is no template, or the process does not respond.
pub fn deploy(agents: &Agents<'_>, parameters: &[&str], templates: &[PathBuf]) -> Value {
    let (template, updates) = templates.split_first().expect("a template");
    let mut command = tool();
    command.args(["deploy.py", "--delete"]);
    for update in updates {
        command.arg("--update").arg(update);
    }
    match agents {
        Agents::Simulated { outputs } => command.arg("--outputs").arg(outputs),
        Agents::Real { hooks, path } => command.arg("--hooks").arg(hooks).env("PATH", path),
    };
    answer(&mut command, &[], parameters, template)
}

/// The agents that run software deployments.
#[derive(Debug)]
pub enum Agents<'a> {
    /// Simulated: deployments finish at once.
    Simulated {
        /// A JSON file with the outputs, by deployment.
        outputs: &'a Path,
    },
    /// The real heat-agents.
    Real {
        /// The folder that they may write to.
        hooks: &'a Path,
        /// Their search path.
        path: &'a std::ffi::OsStr,
    },
}

/// Creates a stack from the first template and updates it to each further one. Returns the id of each resource after
/// each step, by path.
///
/// # Panics
/// A step does not finish.
pub fn follow(parameters: &[&str], templates: &[PathBuf]) -> Vec<HashMap<String, String>> {
    let mut command = tool();
    // The legacy engine treats each resource identically, in half the time.
    command.args(["follow.py", "--no-convergence"]);
    for parameter in parameters {
        command.args(["-P", parameter]);
    }
    let output = command.args(templates).stderr(Stdio::inherit()).output().expect("tests/heat/run starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let steps = text.lines().map(|line| {
        let mut step: Value = serde_json::from_str(line).expect("JSON");
        let status = step["status"].as_str().unwrap_or_default();
        assert!(status.ends_with("_COMPLETE"), "{status}: {} {}", step["reason"], step["message"]);
        eprintln!("{status} in {} s", step["seconds"]);
        serde_json::from_value(step["ids"].take()).expect("identities by path")
    });
    let steps: Vec<_> = steps.collect();
    assert_eq!(steps.len(), templates.len(), "{text}");
    steps
}

fn answer(command: &mut Command, environments: &[&Path], parameters: &[&str], template: &Path) -> Value {
    for environment in environments {
        command.arg("-e").arg(environment);
    }
    for parameter in parameters {
        command.args(["-P", parameter]);
    }
    let output = command.arg(template).stderr(Stdio::inherit()).output().expect("tests/heat/run starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("the oracle answered {text:?}: {error}"))
}

/// Writes the files as `emit` does, and returns the template's path.
///
/// # Panics
/// The files cannot be written.
pub fn write(lowered: &Lowered, folder: &Path, json: bool) -> PathBuf {
    let emit = |name: &str, template: &Template| {
        let path = folder.join(name);
        let mut file = File::create(&path).expect("a new file");
        let emitted =
            if json { wattle::emit::json(template, &mut file) } else { wattle::emit::yaml(template, &mut file) };
        emitted.expect("emits");
        path
    };
    for (name, template) in &lowered.nested {
        emit(name, template);
    }
    fs::write(folder.join("environment.yaml"), lowered.environment.to_yaml()).expect("a new file");
    emit(if json { "template.json" } else { "template.yaml" }, &lowered.template)
}

/// Returns the text of the user data in the template, with the parameters' defaults.
///
/// # Panics
/// There is none.
pub fn user_data_text(template: &Template) -> String {
    let Some(Hot::StrReplace { template: text, params }) = template.resources["wattle_agent"].property("value") else {
        panic!("the root holds no text");
    };
    let Hot::Value(text) = &**text else { panic!("the text is not constant") };
    params.iter().fold(text.as_str().expect("text").to_owned(), |text, (key, value)| {
        let Hot::GetParam { parameter, .. } = value else { panic!("`{key}` is no parameter") };
        let default = template.parameters[parameter].default.as_ref().and_then(|default| default.as_str());
        text.replace(&**key, default.expect("a default"))
    })
}
