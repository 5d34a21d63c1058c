//! The key that a server makes itself, in its agent's folder.

use std::fs;
use std::io;
use std::path::Path;

use crate::space::ServerKey;

use super::durable;

/// Its file.
pub(super) const NAME: &str = "key";

/// The server's own key, made if there is none. It is on the disk before anybody is told of it: one that was admitted and then
/// lost would be a server that nobody knows.
///
/// # Errors
/// When it cannot be read or written.
pub(super) fn own_key(state: &Path) -> io::Result<ServerKey> {
    let path = state.join(NAME);
    match fs::read_to_string(&path) {
        Ok(text) => return text.parse().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it holds no key")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let key = ServerKey::generate();
    durable::write(&path, format!("{}\n", key.expose()).as_bytes(), 0o600)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_server_keeps_its_key_to_itself() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("key.new"), "half").unwrap();
        let key = own_key(folder.path()).unwrap();
        assert_eq!(own_key(folder.path()).unwrap().expose(), key.expose());
        let path = folder.path().join(NAME);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left beside it");
        fs::write(&path, "hunter2").unwrap();
        let error = own_key(folder.path()).unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
