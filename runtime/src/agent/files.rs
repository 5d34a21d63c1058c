//! Recipe files: copies them from the data space to this server's cache, and from there to run directories.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component as Part, Path, PathBuf};

use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use wattle::model::IndexMap;

use crate::space::FailureKind;

use super::shared::Shared;

/// The maximum number of files to fetch at the same time.
const AT_ONCE: usize = 8;

/// The run directory of a component's recipe.
pub(super) fn directory(shared: &Shared, component: &str) -> PathBuf {
    shared.state.join("run").join(component)
}

/// Puts `files` into the run directory, each at its path below `files/`, and nothing else.
///
/// # Errors
/// A file is not available.
pub(super) async fn lay_out(
    shared: &Shared,
    component: &str,
    files: &IndexMap<Cow<'static, str>, String>,
) -> Result<(), (FailureKind, String)> {
    let inside =
        |path: &str| !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Part::Normal(_)));
    if let Some(path) = files.keys().find(|path| !inside(path)) {
        return Err((FailureKind::Start, format!("the recipe's file `{path}` would be outside its folder")));
    }
    if !inside(component) || component.contains('/') {
        return Err((FailureKind::Start, format!("`{component}` cannot be the name of a folder")));
    }
    let digests: HashSet<&String> = files.values().collect();
    {
        let _one_at_a_time = shared.fetching.lock().await;
        let fetches: Vec<_> = digests.into_iter().map(|digest| fetch(shared, digest).boxed()).collect();
        stream::iter(fetches).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    }
    let directory = directory(shared, component);
    shared
        .insist_io(&format!("the run folder `{}`", directory.display()), || {
            let below = directory.join("files");
            fs::create_dir_all(&directory)?;
            fs::set_permissions(&directory, fs::Permissions::from_mode(0o711))?;
            match fs::remove_dir_all(&below) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::create_dir_all(&below)?;
            for (path, digest) in files {
                let path = below.join(&**path);
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::copy(cached(shared, digest), &path)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
            Ok(())
        })
        .await;
    Ok(())
}

/// The path of a file in the cache.
fn cached(shared: &Shared, digest: &str) -> PathBuf {
    shared.state.join("recipes").join(hex(digest))
}

fn hex(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}

/// Fetches files into the cache before they are needed, so that many fit into one request. Files that are not available
/// are fetched again when they are needed.
pub(super) async fn fetch_ahead(shared: &Shared, digests: &[String]) {
    let _one_at_a_time = shared.fetching.lock().await;
    let fetches: Vec<_> = digests.iter().map(|digest| fetch(shared, digest).boxed()).collect();
    stream::iter(fetches).buffer_unordered(AT_ONCE).for_each(|_| std::future::ready(())).await;
}

/// Fetches a file into the cache, unless it is there already and complete.
async fn fetch(shared: &Shared, digest: &str) -> Result<(), (FailureKind, String)> {
    let is_digest = hex(digest).len() == 64 && hex(digest).bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return Err((FailureKind::Start, format!("`{digest}` is not the digest of a recipe's file")));
    }
    let path = cached(shared, digest);
    if fs::read(&path).is_ok_and(|bytes| has_digest(&bytes, digest)) {
        return Ok(());
    }
    let bytes = shared
        .insist(|| shared.space.recipe(digest))
        .await
        .map_err(|error| (FailureKind::Start, format!("cannot fetch a file of the recipe: {error}")))?;
    if !has_digest(&bytes, digest) {
        return Err((FailureKind::Start, format!("a file of the recipe, `{digest}`, is damaged in the data space")));
    }
    let new = path.with_extension("new");
    shared
        .insist_io(&format!("the recipe `{}`", path.display()), || {
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&new)?;
            file.write_all(&bytes)?;
            fs::rename(&new, &path)
        })
        .await;
    Ok(())
}

/// Deletes all files except those with the `needed` digests. A file that is deleted by mistake, or by an agent that
/// dies in the meantime, is fetched again.
pub(super) fn prune(shared: &Shared, needed: &[String]) {
    let needed: HashSet<&str> = needed.iter().map(|digest| hex(digest)).collect();
    for file in fs::read_dir(shared.state.join("recipes")).into_iter().flatten().flatten() {
        if file.file_name().to_str().is_some_and(|name| needed.contains(name)) {
            continue;
        }
        if let Err(error) = fs::remove_file(file.path()) {
            tracing::warn!("`{}` is no longer used, and could not be removed: {error}", file.path().display());
        }
    }
}

fn has_digest(bytes: &[u8], digest: &str) -> bool {
    wattle_agent_core::hex(&Sha256::digest(bytes)) == hex(digest)
}
