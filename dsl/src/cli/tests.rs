//! Tests of the command line from its users' point of view.

mod blueprint;
mod chosen;
mod deployed;
mod files;
mod graph;
mod output;
mod policy;
mod settings;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::author::Blueprint;
use crate::view;

use super::console::{Console, Stream};
use crate::manners::Exit;
use crate::policy::Policy;
use blueprint::Demo;

/// The output of a run, and how the run ended.
struct Run {
    exit: Exit,
    out: String,
    err: String,
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {}\n-- stdout\n{}-- stderr\n{}", self.exit as u8, self.out, self.err)
    }
}

/// Runs the demo blueprint.
fn demo(args: &[&str]) -> Run {
    run(args, false)
}

fn run(args: &[&str], color: bool) -> Run {
    run_of(&Demo, args, color)
}

fn run_of<B: Blueprint>(blueprint: &B, args: &[&str], color: bool) -> Run {
    run_with(blueprint, args, crate::policy::ALL, color)
}

fn run_with<B: Blueprint>(blueprint: &B, args: &[&str], known: &[Policy], color: bool) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: Stream { out: Box::new(&mut out), color, is_terminal: false },
        err: Stream { out: Box::new(&mut err), color, is_terminal: false },
        help_width: Some(100),
    };
    let read: view::Read<'_> = &|file| (file == "src/demo.rs").then(|| blueprint::SOURCE.into());
    let args = std::iter::once("/target/debug/examples/demo").chain(args.iter().copied()).map(OsString::from);
    let exit = super::run(blueprint, args, known, &mut console, read);
    drop(console);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Run { exit, out: text(out), err: text(err) }
}

/// A temporary directory, which is removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("wattle-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a path that is text")
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file for the test");
        path.to_str().expect("a path that is text").into()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
