//! The keys that a server generates itself, in its agent's folder.

use std::fs;
use std::io;
use std::path::Path;

use crate::space::{Keyring, ServerKey};
use crate::store::AuthorityId;

use super::durable;

/// The file name.
pub(super) const NAME: &str = "key";

/// The maximum number of keys to keep. Anything encrypted for older ones is no longer needed.
const MOST: usize = 8;

/// Returns the server's own keys, for a store of these authorities. Creates a key if there is none. A key is on disk
/// before it is published: a server whose key was admitted and then lost could not be recognized.
///
/// # Errors
/// The keys cannot be read or written.
pub(super) fn own_keys(state: &Path, authorities: &[AuthorityId]) -> io::Result<Keyring> {
    match fs::read_to_string(state.join(NAME)) {
        Ok(text) => {
            let read = |line: &str| line.parse::<ServerKey>().map(|key| key.at(authorities.to_vec()));
            let mut keys = text.lines().map(read);
            let newest = keys.next().and_then(Result::ok);
            let before: Option<Vec<_>> = keys.map(Result::ok).collect();
            let keys = newest.zip(before).map(|(newest, before)| Keyring::new(newest, before));
            keys.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it holds no key"))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) => {
            let keys = Keyring::new(ServerKey::generate().at(authorities.to_vec()), []);
            write(state, &keys.all())?;
            Ok(keys)
        }
    }
}

/// Creates another key, which is the newest from now on.
///
/// # Errors
/// The key cannot be written. In that case, it does not exist.
pub(super) fn another(state: &Path, keys: &Keyring) -> io::Result<()> {
    let mut all = keys.all();
    let newest = ServerKey::generate().at(keys.newest().authorities().to_vec());
    all.insert(0, newest.clone());
    all.truncate(MOST);
    write(state, &all)?;
    keys.add(newest);
    Ok(())
}

fn write(state: &Path, keys: &[ServerKey]) -> io::Result<()> {
    let lines: String = keys.iter().map(|key| format!("{}\n", key.expose())).collect();
    durable::write(&state.join(NAME), lines.as_bytes(), 0o600)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_server_keeps_its_key_to_itself() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key.new"), "half").unwrap();
        let exposed = |keys: &Keyring| keys.all().iter().map(ServerKey::expose).collect::<Vec<_>>();
        let keys = own_keys(folder.path(), &[]).unwrap();
        assert_eq!(exposed(&own_keys(folder.path(), &[]).unwrap()), exposed(&keys));
        let first = keys.newest();
        another(folder.path(), &keys).unwrap();
        assert_eq!(exposed(&own_keys(folder.path(), &[]).unwrap()), [keys.newest().expose(), first.expose()]);
        for _ in 0..2 * MOST {
            another(folder.path(), &keys).unwrap();
        }
        assert_eq!(own_keys(folder.path(), &[]).unwrap().all().len(), MOST);
        let path = folder.path().join(NAME);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left beside it");
        fs::write(&path, "hunter2").unwrap();
        let error = own_keys(folder.path(), &[]).unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
