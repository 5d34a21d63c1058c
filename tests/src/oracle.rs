//! Heat's own engine as a child process.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use wattle::lower::Lowered;
use wattle::lower::hot::{Hot, Template};

/// A process that validates templates one after the other.
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
    /// If it cannot be started.
    pub fn start() -> Self {
        Self::with(&["--fill-params", "--quick"])
    }

    /// Starts one that does not make up values.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn strict() -> Self {
        Self::with(&[])
    }

    /// Starts one that returns the meaning of templates: everything that Heat resolves in them.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn of_meaning() -> Self {
        Self::run(&["meaning.py", "--stdin"], &[])
    }

    /// Starts a process that computes YAQL.
    ///
    /// # Panics
    /// If it cannot be started.
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

    /// Heat's verdict on a template.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn validate(&mut self, template: &Path) -> Value {
        self.answer(&template.display())
    }

    /// Heat's answer to a request: a template, its environments and parameters.
    ///
    /// # Panics
    /// If the process has ended.
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
        // It ends at the end of its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Heat's verdict on a single template, with environments and without made-up values.
///
/// # Panics
/// If the process does not answer.
pub fn validate_with(environments: &[&Path], parameters: &[&str], template: &Path) -> Value {
    answer(tool().args(["validate.py", "--json"]), environments, parameters, template)
}

/// The result of creating a stack over the simulated cloud.
///
/// # Panics
/// If the process does not answer.
pub fn create(environments: &[&Path], parameters: &[&str], template: &Path) -> Value {
    answer(tool().arg("create.py"), environments, parameters, template)
}

/// The result of a stack of software deployments, with its servers' agents: simulated ones that signal the `outputs` of
/// each deployment, or with `hooks` the real heat-agents, which run in that folder and find programs on `path`. The stack
/// is created from the first template and updated to each further one. At the end it is deleted.
///
/// # Panics
/// If there is no template, or the process does not answer.
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
    /// None: deployments are signalled as done at once.
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

/// Creates a stack from the first template and updates it to each further one; returns the identity of each resource after
/// each step, by path.
///
/// # Panics
/// If a step does not complete.
pub fn follow(parameters: &[&str], templates: &[PathBuf]) -> Vec<HashMap<String, String>> {
    let mut command = tool();
    // The legacy engine does the same to each resource, in half the time.
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
/// If that is impossible.
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

/// The user data's text in the template, with the parameters' defaults.
///
/// # Panics
/// If there is none.
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
