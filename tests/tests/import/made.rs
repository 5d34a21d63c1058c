//! Many imported crates as the modules of one, so that the compiler runs once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_heat::Loaded;
use wattle_heat::files::{Files, Missing};
use wattle_hot::import::{Dependency, Options, import};

/// A crate with a module for each template.
pub(crate) struct Made {
    folder: tempfile::TempDir,
    /// The templates, by the names of their modules.
    pub(crate) templates: BTreeMap<String, PathBuf>,
    program: PathBuf,
}

/// The files beside a template.
#[derive(Debug)]
pub(crate) struct Beside(pub(crate) PathBuf);

impl Files for Beside {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        fs::read(self.0.join(path)).map_err(|error| Missing(error.to_string()))
    }
}

/// The template at `path`, with its files.
pub(crate) fn load(path: &Path) -> Loaded {
    let text = fs::read_to_string(path).expect("the template can be read");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let folder = path.parent().expect("a folder").to_owned();
    wattle_hot::load(&text, name, &Beside(folder), &Default::default())
}

impl Made {
    /// Imports the templates, and builds the crate with the real Cargo.
    ///
    /// `name` is the crate's name: tests that run at the same time build in the same place.
    pub(crate) fn of(name: &str, templates: &[PathBuf]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let src = folder.path().join("src");
        let mut known = BTreeMap::new();
        for template in templates {
            let stem = template.file_stem().and_then(|stem| stem.to_str()).expect("a name");
            let options = Options::new(stem, Dependency::Path("unused".into()));
            let imported = import(&load(template), &options).unwrap_or_else(|error| panic!("{stem}: {error}"));
            for (path, text) in imported.files {
                let path = match path.strip_prefix("src/") {
                    Some("main.rs") => continue,
                    Some("lib.rs") => src.join(&options.name).join("mod.rs"),
                    Some(path) => src.join(&options.name).join(path),
                    None if path == "Cargo.toml" => continue,
                    None if path.starts_with("recipes/") => folder.path().join(path),
                    None => src.join(path),
                };
                fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
                fs::write(path, text).expect("a new file");
            }
            known.insert(options.name, template.clone());
        }
        let modules: String = known.keys().map(|name| format!("mod {name};\n")).collect();
        let arms: String =
            known.keys().map(|name| format!("        \"{name}\" => wattle::main({name}::{name}),\n")).collect();
        let main = format!(
            "//! All of them.\n\n{modules}\nuse std::process::ExitCode;\n\nfn main() -> ExitCode {{\n    match \
             &*std::env::var(\"IMPORTED\").expect(\"a name\") {{\n{arms}        other => panic!(\"{{other}}\"),\n    \
             }}\n}}\n"
        );
        fs::write(src.join("main.rs"), main).expect("a new file");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        fs::write(folder.path().join("Cargo.toml"), manifest(name, root)).expect("a new file");
        // The lock file selects versions that are already compiled.
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("a copy");
        let made = Self { program: PathBuf::new(), folder, templates: known };
        let target = made.cargo(&["build"]);
        Self { program: target.join("debug").join(name), ..made }
    }

    /// Runs Cargo on the crate, and returns its target folder.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> PathBuf {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imported");
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .arg("--offline")
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", &target)
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        target
    }

    /// Emits the template of a module's blueprint.
    pub(crate) fn emit(&self, name: &str, lowering: &str) -> Result<PathBuf, String> {
        let out = self.folder.path().join(lowering);
        let output = Command::new(&self.program)
            .args(["emit", "--lowering", lowering, "--out"])
            .arg(&out)
            .env("IMPORTED", name)
            .output()
            .expect("the program starts");
        if output.status.success() {
            Ok(out.join(name).join("template.yaml"))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// The crate's modules.
    pub(crate) fn sources(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for name in self.templates.keys() {
            for entry in fs::read_dir(self.folder.path().join("src").join(name)).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.extension().is_some_and(|extension| extension == "rs") {
                    found.push(path);
                }
            }
        }
        found
    }
}

fn manifest(name: &str, root: &Path) -> String {
    let root = root.display();
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\nwattle = {{ \
         path = \"{root}/dsl\" }}\nwattle-catalog = {{ path = \"{root}/catalog\", features = [\"all\", \"hidden\"] \
         }}\n\n[profile.dev]\ndebug = false\n"
    )
}
