//! Code that must not compile, with the whole message of each case as a golden.
//!
//! Every third is tried, and all of them with `WATTLE_TEST_ALL=1`. After a change of a message:
//! `TRYBUILD=overwrite cargo test -p wattle-compile-tests --test compile_fail`, then read the diff.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use wattle_compile_tests::one_of;

/// Cases with more than one error: their number, and the reason. Every other case is one mistake with one error.
///
/// A file without `use wattle::prelude::*` is not a case. It causes an error for each name that it uses, which cannot be
/// avoided: the compiler resolves names before it considers any of our code.
const SEVERAL_ERRORS: [(&str, usize, &str); 16] = [
    ("component_bandwidth", 7, "seven bandwidths are wrong, each in another way"),
    ("component_listen", 3, "three things to listen on are wrong, each in another way"),
    ("field_of_rust_only", 2, "two fields have types that only Rust has"),
    ("field_reserved", 2, "an input and an output have names that are taken"),
    ("field_reserved_and_used", 2, "so have those of two components; their uses add none"),
    ("field_role_misspelt", 2, "two attributes are misspelt"),
    ("input_missing_each", 2, "two inputs are missing, which are reported at once"),
    ("module_dropped", 10, "ten times modules are dropped, each built, held or named in another way"),
    ("module_without_name", 2, "what stands in the place of the name is none, and the compiler counts the arguments"),
    ("never_written_each", 2, "two outputs are never written"),
    ("parameter_bounds", 3, "the bounds of three parameters are wrong, each in another way"),
    ("recipe_file_left_behind", 2, "a playbook and a script each leave a file behind"),
    ("recipe_file_nowhere", 3, "a script lacks two files, a playbook one"),
    ("recipe_file_of_command", 5, "a script and a state lack or leave behind two files each, a playbook one"),
    ("several_mistakes", 4, "four mistakes of one component are reported at once"),
    ("stack_parameter_missing", 3, "three stacks are wrong: a parameter is missing, of another type, or misspelt"),
];

#[test]
fn what_must_not_compile() {
    bring_recipes().expect("recipes are copied");
    let folder = Path::new("tests/compile_fail");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(here).expect("the cases can be listed");
    let names = entries.map(|entry| PathBuf::from(entry.expect("the cases can be listed").file_name()));
    let mut cases: Vec<PathBuf> =
        names.filter(|name| name.extension().is_some_and(|extension| extension == "rs")).collect();
    cases.sort();
    assert!(cases.len() > 200, "{} cases", cases.len());
    let tried = trybuild::TestCases::new();
    for case in cases.iter().step_by(one_of("TRYBUILD")) {
        tried.compile_fail(folder.join(case));
    }
}

/// Copies the recipes to the place where trybuild compiles the cases: recipes are relative to the crate.
fn bring_recipes() -> io::Result<()> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or(io::ErrorKind::NotFound)?;
    let project = target.join("tests/trybuild").join(env!("CARGO_PKG_NAME"));
    for folder in ["recipes", "cookbooks"] {
        let copy = project.join(folder);
        if copy.exists() {
            fs::remove_dir_all(&copy)?;
        }
        copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &copy)?;
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[test]
fn messages_speak_of_the_domain() {
    let internal = ["Inputs", "Missing", "Wired", "PhantomData", "IntoInput", "IntoProperty", "Software", "TextPart"];
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut goldens = 0;
    for entry in fs::read_dir(here.join("tests/compile_fail")).expect("the cases can be listed") {
        let path = entry.expect("the cases can be listed").path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        goldens += 1;
        let golden = fs::read_to_string(&path).expect("a golden is text");
        for line in golden.lines().filter(|line| line.starts_with("error")) {
            for word in internal {
                assert!(!line.contains(word), "`{word}` in the first line of {}: {line}", path.display());
            }
        }
    }
    assert!(goldens >= 40, "{goldens} goldens");
}

#[test]
fn one_mistake_is_one_error() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let expected: BTreeMap<&str, usize> = SEVERAL_ERRORS.iter().map(|(name, errors, _)| (*name, *errors)).collect();
    let mut several = BTreeMap::new();
    for entry in fs::read_dir(here).expect("the cases can be listed") {
        let path = entry.expect("the cases can be listed").path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".stderr")) else { continue };
        let golden = fs::read_to_string(&path).expect("a golden is text");
        let errors = golden.lines().filter(|line| line.starts_with("error")).count();
        if errors != 1 {
            several.insert(name.to_owned(), errors);
        }
    }
    let several: BTreeMap<&str, usize> = several.iter().map(|(name, errors)| (name.as_str(), *errors)).collect();
    assert_eq!(several, expected);
}
