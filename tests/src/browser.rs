//! Headless Chromium, driven by chromedriver (W3C's `WebDriver`).

#![expect(clippy::missing_panics_doc, reason = "errors panic in test support")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::skip::skipped;

const PROGRAMS: [&str; 2] = ["/usr/bin/chromium", "/usr/bin/chromedriver"];

/// The timeout of any wait on a page, on any machine.
const LONGEST: Duration = Duration::from_mins(2);

/// Widths and heights of the windows in which a page is viewed.
const WINDOWS: [(u32, u32); 3] = [(1600, 900), (1000, 700), (420, 800)];

/// Waits until changes have been drawn.
const DRAWN: &str = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";

/// A browser with one page.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser without stored state. Returns `None` if there is no Chromium, and reports that `what` is
    /// skipped.
    pub fn start(what: &str) -> Option<Self> {
        if PROGRAMS.iter().any(|program| !PathBuf::from(program).exists()) {
            skipped(what, "it needs Debian's packages chromium and chromium-driver, which tests/run installs");
            return None;
        }
        let mut command = Command::new(PROGRAMS[1]);
        // A group of its own, so that nothing of it remains.
        command.arg("--port=0").process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().expect("piped")).lines().map_while(Result::ok);
        let port = lines.find_map(|line| line.strip_suffix('.')?.rsplit_once("on port ")?.1.parse().ok());
        let port = port.expect("chromedriver says its port");
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().expect("a directory");
        let mut browser = Self { driver, port, session: String::new(), profile };
        let mut args: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
        ]
        .map(str::to_owned)
        .to_vec();
        args.push(format!("--user-data-dir={}", browser.profile.path().display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": PROGRAMS[0], "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let made = browser.ask("POST", "/session", &wanted);
        let session = made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}"));
        session.clone_into(&mut browser.session);
        Some(browser)
    }

    /// Opens a page.
    pub fn open(&self, url: &str) {
        self.command("/url", &json!({ "url": url }));
    }

    /// Returns the result of `script`: the body of a function within the page.
    pub fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Returns the result of `script`, as text.
    pub fn text(&self, script: &str) -> String {
        self.run(script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until `script` returns something true.
    pub fn wait_for(&self, what: &str, script: &str) {
        let begin = Instant::now();
        loop {
            let now = self.run(script);
            if !matches!(now, Value::Null | Value::Bool(false)) {
                return;
            }
            assert!(
                begin.elapsed() < LONGEST,
                "the page does not come to it: {what}\n{}\n{}",
                self.text("return document.body.innerText"),
                self.complaints().join("\n")
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses keys at the focus, one after the other; keys are named as in `WebDriver` (`\u{e015}` is down).
    pub fn press(&self, keys: &str) {
        let each = |key: char| {
            let key = key.to_string();
            [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
        };
        let actions: Vec<Value> = keys.chars().flat_map(each).collect();
        self.command("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// Clicks in the middle of the first match of `selector`.
    pub fn click(&self, selector: &str) {
        let middle = self.run(&format!(
            "const {{ left, top, width, height }} = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [Math.round(left + width / 2), Math.round(top + height / 2)]"
        ));
        self.click_at(&middle);
    }

    /// Clicks at a position of the window: integers `[x, y]`.
    pub fn click_at(&self, place: &Value) {
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "x": place[0], "y": place[1] },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.command("/actions", &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": actions }] }));
    }

    /// Drags from one position of the window to another.
    pub fn drag(&self, from: &Value, to: &Value) {
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "x": from[0], "y": from[1] },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerMove", "duration": 50, "x": to[0], "y": to[1] },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.command("/actions", &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": actions }] }));
    }

    /// Emulates a preference for a dark or light color scheme.
    pub fn set_dark(&self, is_dark: bool) {
        self.prefer("prefers-color-scheme", if is_dark { "dark" } else { "light" });
    }

    /// Emulates the preference of `value` alone for a CSS media feature.
    pub fn prefer(&self, feature: &str, value: &str) {
        let features = json!([{ "name": feature, "value": value }]);
        self.command(
            "/goog/cdp/execute",
            &json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": features } }),
        );
    }

    /// Resizes the window to this width and height in pixels; without them, to the browser's default.
    pub fn resize(&self, window: Option<(u32, u32)>) {
        let (cmd, params) = match window {
            Some((width, height)) => {
                let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
                ("Emulation.setDeviceMetricsOverride", params)
            }
            None => ("Emulation.clearDeviceMetricsOverride", json!({})),
        };
        self.command("/goog/cdp/execute", &json!({ "cmd": cmd, "params": params }));
    }

    /// Returns the errors in the page's console.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let is_bad = |entry: &Value| entry["level"] == "SEVERE" || entry["level"] == "WARNING";
        entries.iter().filter(|entry| is_bad(entry)).map(|entry| entry["message"].to_string()).collect()
    }

    /// Takes screenshots of a state of a page, light and dark, in small and large windows, and checks that the diagram
    /// has room in each.
    ///
    /// # Panics
    /// The diagram has no room.
    pub fn looked_at(&self, name: &str) {
        self.pictured(name, |width, height| {
            let seen =
                "const box = document.getElementById('canvas').getBoundingClientRect(); return [box.width, box.height]";
            let seen: [f64; 2] = serde_json::from_value(self.run(seen)).expect("two numbers");
            assert!(seen.iter().all(|length| *length > 150.0), "{name} at {width}x{height}: {seen:?} for the diagram");
        });
    }

    /// Takes the same screenshots of a page without a diagram, and checks that its text fits into each window.
    ///
    /// # Panics
    /// The text does not fit.
    pub fn read_through(&self, name: &str) {
        self.pictured(name, |width, _| {
            let needed = "return document.documentElement.scrollWidth";
            assert!(self.run(needed).as_u64() <= Some(width.into()), "{name} is wider than {width} pixels");
        });
    }

    fn pictured(&self, name: &str, judge: impl Fn(u32, u32)) {
        for (width, height) in WINDOWS {
            self.resize(Some((width, height)));
            for (is_dark, look) in [(false, "light"), (true, "dark")] {
                self.set_dark(is_dark);
                self.run(DRAWN);
                self.screenshot(&format!("{name}-{width}-{look}"));
            }
            judge(width, height);
        }
        self.set_dark(false);
        self.resize(None);
        // The next click measures its position.
        self.run(DRAWN);
        self.run(DRAWN);
    }

    /// Takes a screenshot for people: `tests/.cache/screenshots/NAME.png`.
    pub fn screenshot(&self, name: &str) {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.cache/screenshots"));
        fs::create_dir_all(&folder).expect("a folder");
        let answer = self.ask("GET", &format!("/session/{}/screenshot", self.session), &Value::Null);
        let bytes = STANDARD.decode(answer.as_str().expect("a picture")).expect("base64");
        assert!(bytes.starts_with(b"\x89PNG"), "no picture");
        fs::write(folder.join(format!("{name}.png")), bytes).expect("writes");
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("asks");
        // It leaves connections open, whatever the request.
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).expect("answers");
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().expect("a length");
                }
                Some(_) => {}
                None if line.starts_with("HTTP/") => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        answer.read_exact(&mut text).expect("answers");
        let answer = String::from_utf8_lossy(&text);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]);
        answer["value"].clone()
    }
}

/// Ends the browser with all its processes.
impl Drop for Browser {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.driver.id())]).status();
        let _ = self.driver.wait();
    }
}
