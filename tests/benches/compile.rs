//! The author's waiting time: compiling `connections` and the catalog, clean and after a one-line edit.
//!
//! `cargo bench -p wattle-tests --bench compile` prints the tables of `docs/benchmarks.md`. It copies the example to a
//! temporary workspace beside an empty crate, so that both are checked by the same cargo in the same run. With commits
//! as arguments, the example of each commit, on the library and the catalog of that commit, is edited in turns with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const EDITS: u32 = 15;
const CLEAN: usize = 7;

/// The catalog's services that are checked alone: arguments of cargo, and their names.
const SERVICES: [(&str, &[&str]); 4] = [
    ("all services, `hidden` too", &["--features", "all,hidden"]),
    ("all services", &["--features", "all"]),
    ("nova and neutron", &["--no-default-features", "--features", "nova,neutron"]),
    ("none", &["--no-default-features"]),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Cargo hands `--bench` to every benchmark.
    let commits = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let mut examples =
        vec![("connections".to_owned(), "connections", Workspace::new(root, &folder.path().join("now")))];
    for (i, commit) in commits.enumerate() {
        let sources = folder.path().join(format!("sources-{i}"));
        unpack(root, &commit, &sources);
        let workspace = Workspace::new(&sources, &folder.path().join(format!("commit-{i}")));
        examples.push((format!("connections at {commit}"), "connections", workspace));
    }
    examples.push(("an empty crate".to_owned(), "empty", Workspace::new(root, &folder.path().join("empty"))));
    catalog(root, &folder.path().join("catalog"));
    edits(&examples);
}

/// Measures the catalog itself, with all its dependencies already built.
fn catalog(root: &Path, target: &Path) {
    println!("| clean check of the catalog with | seconds, least | median | CPU seconds, median |");
    println!("|---|---|---|---|");
    for (what, features) in SERVICES {
        let check = [&["check", "--package", "wattle-catalog"], features].concat();
        cargo(root, target, &check);
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        for _ in 0..CLEAN {
            cargo(root, target, &["clean", "--package", "wattle-catalog"]);
            let cpu = cpu_of_children();
            walls.push(timed(|| cargo(root, target, &check)));
            cpus.push(cpu_of_children() - cpu);
        }
        println!("| {what} | {:.2} | {:.2} | {:.2} |", least(&walls), median(walls), median(cpus));
    }
    println!();
}

/// Measures a one-line edit of each of `examples`, in turns: its name, its package, its workspace.
fn edits(examples: &[(String, &str, Workspace)]) {
    let cpu = cpu_of_children();
    let clean = timed(|| examples[0].2.check(examples[0].1));
    let clean = (clean, cpu_of_children() - cpu);
    for (_, package, workspace) in &examples[1..] {
        workspace.check(package);
    }
    let mut walls = vec![Vec::new(); examples.len()];
    let mut cpus = vec![0.0; examples.len()];
    for edit in 0..EDITS {
        for (i, (_, package, workspace)) in examples.iter().enumerate() {
            let cpu = cpu_of_children();
            walls[i].push(workspace.recheck(package, edit));
            cpus[i] += cpu_of_children() - cpu;
        }
    }
    println!("| check after an edit of a line of | seconds, least | median | CPU seconds, mean |");
    println!("|---|---|---|---|");
    for (((what, ..), walls), cpu) in examples.iter().zip(walls).zip(cpus) {
        println!("| {what} | {:.3} | {:.3} | {:.3} |", least(&walls), median(walls), cpu / f64::from(EDITS));
    }
    let (_, package, workspace) = &examples[0];
    let example = workspace.folder.join(package);
    append(&example.join(first_recipe(&example)), "\n# edited\n");
    println!();
    println!("| what | seconds | CPU seconds |");
    println!("|---|---|---|");
    println!("| clean check of connections with all its dependencies | {:.1} | {:.1} |", clean.0, clean.1);
    let cpu = cpu_of_children();
    let recipe = timed(|| workspace.check(package));
    println!("| check after an edit of a recipe of connections | {recipe:.2} | {:.2} |", cpu_of_children() - cpu);
}

/// A workspace of `connections`, copied, and of an empty crate, on the library and the catalog of some sources.
struct Workspace {
    folder: PathBuf,
}

impl Workspace {
    fn new(sources: &Path, folder: &Path) -> Self {
        copy(&sources.join("examples/connections"), &folder.join("connections"));
        fs::create_dir_all(folder.join("empty/src")).expect("a folder");
        fs::write(folder.join("empty/src/lib.rs"), "//! Nothing.\n").expect("a file");
        fs::write(
            folder.join("empty/Cargo.toml"),
            "[package]\nname = \"empty\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .expect("a file");
        let manifest = fs::read_to_string(sources.join("Cargo.toml")).expect("a manifest");
        let manifest = manifest
            .lines()
            .map(|line| match line {
                line if line.starts_with("members") => "members = [\"connections\", \"empty\"]".to_owned(),
                line => line.replace("path = \"", &format!("path = \"{}/", sources.display())),
            })
            .collect::<Vec<_>>()
            .join("\n");
        fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
        fs::copy(sources.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
        let workspace = Self { folder: folder.to_owned() };
        workspace.cargo(&["fetch"]);
        workspace
    }

    fn cargo(&self, arguments: &[&str]) {
        cargo(&self.folder, &self.folder.join("target"), arguments);
    }

    fn check(&self, package: &str) {
        self.cargo(&["check", "--package", package]);
    }

    fn recheck(&self, package: &str, edit: u32) -> f64 {
        append(
            &self.folder.join(package).join("src/lib.rs"),
            &format!("/// Edit {edit}.\npub const EDIT_{edit}: u32 = {edit};\n"),
        );
        timed(|| self.check(package))
    }
}

/// Unpacks the sources of `commit` to `folder`.
fn unpack(root: &Path, commit: &str, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let mut archive = Command::new("git")
        .args(["archive", commit])
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .expect("git starts");
    let sources = archive.stdout.take().expect("INVARIANT: a pipe");
    let tar = Command::new("tar").args(["-x", "-C"]).arg(folder).stdin(sources).status().expect("tar starts");
    assert!(archive.wait().expect("git ends").success() && tar.success(), "no sources of {commit}");
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).expect("a file");
    fs::write(path, before + text).expect("a file");
}

fn cargo(workspace: &Path, target: &Path, arguments: &[&str]) {
    let cargo = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", target)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("cargo starts");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// The CPU time of all ended descendants according to Linux: in user mode and in the kernel.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let ticks: f64 = fields[13..15].iter().map(|field| field.parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}

fn least(figures: &[f64]) -> f64 {
    figures.iter().copied().fold(f64::INFINITY, f64::min)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn first_recipe(example: &Path) -> PathBuf {
    let mut recipes: Vec<PathBuf> =
        fs::read_dir(example.join("recipes")).expect("recipes").map(|entry| entry.expect("an entry").path()).collect();
    recipes.sort();
    let first = recipes.into_iter().find(|path| path.extension().is_some_and(|e| e == "sh")).expect("a shell recipe");
    first.strip_prefix(example).expect("below").to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
