//! What a template means to Heat.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A process that tells what one template after the other means.
pub(crate) struct Meaning {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Meaning {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
            .args(["meaning.py", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("tests/heat/run starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    pub(crate) fn of(&mut self, template: &Path, environment: Option<&Path>) -> Value {
        let input = self.input.as_mut().expect("a pipe");
        let environment: Vec<_> = environment.into_iter().collect();
        writeln!(input, "{}", json!({ "template": template, "environment": environment })).expect("it listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("it answered {line:?}: {error}"))
    }
}

impl Drop for Meaning {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Where two values differ: the way there and both sides.
pub(crate) fn differences(theirs: &Value, ours: &Value) -> Vec<String> {
    let mut told = Vec::new();
    compare(theirs, ours, "", &mut told);
    told
}

fn compare(theirs: &Value, ours: &Value, at: &str, told: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let (one, other) = (one.get(key).unwrap_or(&Value::Null), other.get(key).unwrap_or(&Value::Null));
                compare(one, other, &format!("{at}/{key}"), told);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, (one, other)) in one.iter().zip(other).enumerate() {
                compare(one, other, &format!("{at}/{n}"), told);
            }
        }
        _ if theirs != ours => told.push(format!("{at}\n    theirs: {theirs}\n    ours:   {ours}")),
        _ => {}
    }
}
