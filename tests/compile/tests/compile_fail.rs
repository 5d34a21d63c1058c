//! What must not compile, with the whole message of each case as a golden.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test -p wattle-compile-tests --test compile_fail`, then read the diff.

use std::fs;
use std::io;
use std::path::Path;

#[test]
fn what_must_not_compile() {
    bring_recipes().expect("recipes are copied");
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}

/// Copies the recipes to where trybuild compiles the cases: recipes are relative to the crate.
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
