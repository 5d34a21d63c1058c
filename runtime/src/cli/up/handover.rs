//! Passes the command line to an `up` that goes into the background, through its standard input. Every user of the
//! machine can see a process's own arguments for as long as it runs, and a parameter may be a secret.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;

/// Encodes arguments. None of them can contain a zero byte.
pub(super) fn write(args: impl IntoIterator<Item = OsString>) -> Vec<u8> {
    args.into_iter().flat_map(|arg| [arg.as_bytes(), b"\0"].concat()).collect()
}

/// Decodes arguments.
///
/// # Errors
/// They cannot be read or are incomplete.
pub(super) fn read(mut from: impl Read) -> io::Result<Vec<OsString>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    let Some(args) = bytes.strip_suffix(b"\0") else { return Err(io::ErrorKind::UnexpectedEof.into()) };
    Ok(args.split(|byte| *byte == 0).map(|arg| OsStr::from_bytes(arg).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_handed_over_arrives() {
        let args: Vec<OsString> = ["wattle", "", "-P", "a=\n \u{e9}"]
            .map(OsString::from)
            .into_iter()
            .chain([OsStr::from_bytes(&[0xff]).to_owned()])
            .collect();
        assert_eq!(read(&*write(args.iter().cloned())).expect("arrives"), args);
        read(&b"up\0dir"[..]).expect_err("broken off");
        read(&b""[..]).expect_err("nothing");
    }
}
