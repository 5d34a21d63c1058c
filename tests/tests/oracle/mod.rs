//! Heat's own engine as a child process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;
use wattle::lower::Lowered;
use wattle::lower::hot::{Hot, Template};

/// A process that validates one template after the other.
pub struct Oracle {
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

fn tool() -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("heat/run"))
}

impl Oracle {
    /// The oracle of this test process.
    pub fn get() -> MutexGuard<'static, OracleCell> {
        static ORACLE: Mutex<OracleCell> = Mutex::new(OracleCell(None));
        ORACLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn start(environment: &Path) -> Self {
        let mut child = tool()
            .args(["validate.py", "--json", "--graph", "--fill-params", "--quick", "--stdin", "-e"])
            .arg(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("tests/heat/run starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { _child: child, input, output }
    }

    fn ask(&mut self, template: &Path) -> Value {
        writeln!(self.input, "{}", template.display()).expect("the oracle listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the oracle answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the oracle answered {line:?}: {error}"))
    }
}

/// Where the oracle of this test process is kept.
pub struct OracleCell(Option<Oracle>);

impl OracleCell {
    /// What Heat says of a template. The first environment serves all: it holds no parameter but one with a default.
    pub fn validate(&mut self, template: &Path, environment: &Path) -> Value {
        self.0.get_or_insert_with(|| Oracle::start(environment)).ask(template)
    }
}

/// What became of a stack created over the simulated cloud.
pub fn create(template: &Path, environment: &Path, parameters: &[&str]) -> Value {
    let mut command = tool();
    command.arg("create.py").arg("-e").arg(environment);
    for parameter in parameters {
        command.args(["-P", parameter]);
    }
    let output = command.arg(template).stderr(Stdio::inherit()).output().expect("tests/heat/run starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("create.py answered no JSON: {error}"))
}

/// Writes the files as `emit` does, and returns the template's path.
pub fn write(lowered: &Lowered, folder: &Path) -> PathBuf {
    let emit = |name: &str, template: &Template| {
        let path = folder.join(name);
        wattle::emit::yaml(template, &mut File::create(&path).expect("a new file")).expect("emits");
        path
    };
    for (name, template) in &lowered.nested {
        emit(name, template);
    }
    fs::write(folder.join("environment.yaml"), lowered.environment.to_yaml()).expect("a new file");
    emit("template.yaml", &lowered.template)
}

/// The user data's text as the template holds it, with the parameters' defaults.
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
