//! The committed files are equal to the generated ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use wattle_catalog_generate::{FOLDERS, files};

#[test]
fn the_catalog_is_what_is_generated() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let json = fs::read_to_string(root.join("heat/schemas/resource-types.json")).expect("Heat's types");
    let generated = files(&json).expect("as the engine says it");
    for (path, text) in &generated {
        let committed = fs::read_to_string(root.join(path)).unwrap_or_default();
        assert!(committed == *text, "{} is not what is generated: run catalog/renew", path.display());
    }
    let generated: BTreeSet<PathBuf> = generated.into_iter().map(|(path, _)| path).collect();
    for folder in FOLDERS {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = Path::new(folder).join(entry.expect("an entry").file_name());
            assert!(generated.contains(&path), "{} is no longer generated: run catalog/renew", path.display());
        }
    }
}
