//! Log files. Masking of secrets is a safety net, not a guarantee, so logs are only for their owner and group.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use wattle::manners::must_end;

/// The mode of logs: the owner reads and writes, the group reads.
const MODE: u32 = 0o640;

/// Opens the log at `path` for appending. Withdraws excess permissions that a former version granted.
///
/// # Errors
/// The file system refuses access.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    must_end(path)?;
    let file = File::options().create(true).append(true).mode(MODE).open(path)?;
    let mode = file.metadata()?.permissions().mode() & 0o777;
    if file.metadata()?.is_file() && mode & !MODE != 0 {
        file.set_permissions(Permissions::from_mode(mode & MODE))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::append;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn logs_are_closed_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let mode =
            |name: &str| append(&folder.path().join(name)).unwrap().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("new") & !0o640, 0);
        let old = folder.path().join("old");
        std::fs::write(&old, "a line\n").unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(mode("old"), 0o640);
        assert_eq!(std::fs::read_to_string(old).unwrap(), "a line\n");
    }
}
