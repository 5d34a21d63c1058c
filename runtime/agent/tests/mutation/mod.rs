//! Bugs injected by hand, each into a copy of the workspace, where a simulation should find it. Shared by several
//! crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bug.
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// File, correct text, and faulty text.
    pub(crate) edits: &'static [(&'static str, &'static str, &'static str)],
}

/// The simulation to run.
pub(crate) struct Simulated {
    /// Its package, and that package's folder.
    pub(crate) package: &'static str,
    pub(crate) folder: &'static str,
    /// The test that simulates.
    pub(crate) test: &'static str,
    /// Its name for one run, and the variable with the number of runs.
    pub(crate) run: &'static str,
    pub(crate) variable: &'static str,
    /// Within how many runs each bug should be found, unless the variable is set.
    pub(crate) most: u64,
}

/// Copies the files that the build of the workspace needs.
fn copy(workspace: &Path, to: &Path) {
    let files = Command::new("git").args(["ls-files", "-z"]).current_dir(workspace).output().unwrap();
    assert!(files.status.success(), "git does not say what the workspace is");
    for file in String::from_utf8(files.stdout).unwrap().split('\0').filter(|file| !file.is_empty()) {
        let Ok(bytes) = fs::read(workspace.join(file)) else { continue };
        let path = to.join(file);
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Injects the bug into the text of a file.
fn put_in(mutant: &Mutant, text: &str, right: &str, wrong: &str) -> String {
    assert_eq!(text.matches(right).count(), 1, "{}: the text is not there once", mutant.name);
    text.replace(right, wrong)
}

impl Simulated {
    fn most(&self) -> u64 {
        std::env::var(self.variable).map_or(self.most, |text| text.parse().unwrap())
    }

    /// Runs the simulation in the copy; returns the first failing run.
    fn simulate(&self, copy: &Path) -> Option<u64> {
        let output = Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--package", self.package, "--test", self.test, "--", "--nocapture"])
            .env(self.variable, self.most().to_string())
            .env("CARGO_TARGET_DIR", copy.join("target"))
            .current_dir(copy)
            .output()
            .unwrap();
        if output.status.success() {
            return None;
        }
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let prefix = format!("{} ", self.run);
        let line = text.lines().find_map(|line| line.strip_prefix(&prefix)?.split_once(" (WATTLE_SEED"));
        let (seed, what) = line.unwrap_or_else(|| panic!("the simulation does not run:\n{text}"));
        println!("    {}", what.split_once("): ").map_or(what, |(_, what)| what).chars().take(160).collect::<String>());
        Some(seed.parse().unwrap())
    }

    /// The code changes, and the bugs must still apply to it.
    pub(crate) fn each_can_be_put_in(mutants: &[Mutant]) {
        for mutant in mutants {
            for (file, right, wrong) in mutant.edits {
                let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
                assert_ne!(put_in(mutant, &text, right, wrong), text);
            }
        }
    }

    /// Injects each bug into a copy and simulates. `WATTLE_MUTANT` selects one by name.
    pub(crate) fn each_is_found(&self, mutants: &[Mutant]) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(Path::new(self.folder).components().count());
        let workspace: PathBuf = root.unwrap().to_owned();
        let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutants-{}", self.package));
        let chosen = std::env::var("WATTLE_MUTANT").ok();
        let is_chosen = |mutant: &&Mutant| chosen.as_ref().is_none_or(|name| mutant.name.contains(name.as_str()));
        let mut missed = Vec::new();
        for mutant in mutants.iter().filter(is_chosen) {
            copy(&workspace, &copied);
            for (file, right, wrong) in mutant.edits {
                let file = copied.join(self.folder).join(file);
                let text = fs::read_to_string(&file).unwrap();
                fs::write(&file, put_in(mutant, &text, right, wrong)).unwrap();
            }
            if let Some(seed) = self.simulate(&copied) {
                println!("{}: found by {} {} of {}", mutant.name, self.run, seed + 1, self.most());
            } else {
                println!("{}: not found", mutant.name);
                missed.push(mutant.name);
            }
        }
        assert!(missed.is_empty(), "not found in {} runs: {missed:?}", self.most());
    }
}
