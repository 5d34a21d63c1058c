//! The inputs from which a cloud is chosen.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use wattle::manners::read;
use wattle_openstack::clouds::{CloudConfig, SECURE, places};

/// Reads this process's inputs: its environment, and the first `clouds.yaml` that exists, with the `secure.yaml` beside
/// it.
///
/// # Errors
/// The file that exists but cannot be read, and the reason.
pub fn sources() -> Result<CloudConfig, (String, io::Error)> {
    let environment: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let home = environment.get("HOME").filter(|home| !home.is_empty()).map(String::as_str);
    let clouds = first(places(&environment, home))?;
    let named = environment.get("OS_CLIENT_SECURE_FILE").filter(|file| !file.is_empty()).cloned();
    let beside = |(file, _): &(String, String)| Path::new(file).with_file_name(SECURE).display().to_string();
    let secure = named.or_else(|| clouds.as_ref().map(beside));
    Ok(CloudConfig { clouds, secure: first(secure.into_iter().collect())?, environment })
}

/// The first file that exists, and its contents.
fn first(files: Vec<String>) -> Result<Option<(String, String)>, (String, io::Error)> {
    for file in files {
        match read(Path::new(&file)) {
            Ok(text) => return Ok(Some((file, text))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => return Err((file, error)),
        }
    }
    Ok(None)
}
