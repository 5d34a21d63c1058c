//! Heat's own reader of templates, kept running in a Python process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Reader {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Reader {
    /// Starts it with all readers of `read.py`.
    pub(crate) fn start() -> Self {
        Self::of(&[])
    }

    /// Starts it with these readers of `read.py`.
    pub(crate) fn of(names: &[&str]) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = here.join(".cache/heat-venv/bin/python");
        assert!(python.exists(), "{} is missing: `tests/run` prepares it", python.display());
        let mut process = Command::new(python)
            .arg(here.join("tests/yaml11/read.py"))
            .args(names)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = process.stdin.take();
        let from = BufReader::new(process.stdout.take().unwrap());
        Self { process, to, from }
    }

    /// What each reader makes of `document`, by the reader's name; see `read.py`.
    pub(crate) fn read(&mut self, document: &str) -> Value {
        let to = self.to.as_mut().unwrap();
        writeln!(to, "{}", Value::from(document)).unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).expect("read.py ended; see above")
    }

    /// What is wrong if Heat does not read `document` as `expected`.
    pub(crate) fn fault(&mut self, document: &str, expected: &Value) -> Option<String> {
        let answer = self.read(document);
        let expected = exact(expected);
        ["heat", "fast", "slow"].into_iter().find_map(|loader| {
            (answer[loader] != expected)
                .then(|| format!("{loader} read {}\nnot {expected}\nfrom\n{document}", answer[loader]))
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.process.wait();
    }
}

/// `value` in the format of the answers of `read.py`.
fn exact(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let bits = number.as_f64().map(f64::to_bits).unwrap();
            json!({ "!float": format!("{bits:016x}") })
        }
        Value::Array(items) => items.iter().map(exact).collect(),
        Value::Object(items) => items.iter().map(|(key, item)| (key.clone(), exact(item))).collect(),
        other => other.clone(),
    }
}
