//! Writes the generated files: `wattle-catalog-generate`, from anywhere in the workspace.

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let json = fs::read_to_string(root.join("heat/schemas/resource-types.json"))?;
    for folder in wattle_catalog_generate::FOLDERS {
        // Files that are no longer generated are removed.
        match fs::remove_dir_all(root.join(folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir_all(root.join(folder))?,
        }
    }
    for (path, text) in wattle_catalog_generate::files(&json)? {
        fs::write(root.join(path), text)?;
    }
    Ok(())
}
