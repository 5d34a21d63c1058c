//! Whether interfaces forward what is not for this machine: of IPv4, by interface that it comes in at (`forwarding` in the
//! kernel's ip-sysctl). The bridge's is switched on for what goes out, that of the way out for what comes back. The
//! machine as a whole stays as it is: `ip_forward` is not touched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::local::error::UpError;

use super::register::Register;

/// Makes those of `uplinks` forward that do not, and remembers them. Gives all that were made to.
pub(super) fn switch_on(register: &Register, uplinks: &[String]) -> Result<Vec<String>, UpError> {
    let mut switched = register.forwarding();
    let before = switched.len();
    switched.extend(uplinks.iter().filter(|interface| !is_on(interface)).cloned());
    // First remembered, then done: whoever is killed in between has it restored.
    register.set_forwarding(&switched)?;
    for interface in &switched[before..] {
        set(interface, "1")?;
    }
    Ok(switched)
}

/// Has them as they were; unless the whole machine forwards by now, which then is somebody else's wish.
pub(super) fn restore(interfaces: &[String]) {
    if is_on("all") {
        return;
    }
    for interface in interfaces {
        let _ = set(interface, "0");
    }
}

/// Makes one forward, or not.
pub(super) fn set(interface: &str, value: &str) -> Result<(), UpError> {
    write(interface, "forwarding", value)
}

/// Sets a switch of an interface.
pub(super) fn write(interface: &str, switch: &str, value: &str) -> Result<(), UpError> {
    let path = conf(interface).join(switch);
    fs::write(&path, value).map_err(UpError::file(path))
}

fn is_on(interface: &str) -> bool {
    fs::read_to_string(conf(interface).join("forwarding")).is_ok_and(|value| value.trim() == "1")
}

fn conf(interface: &str) -> PathBuf {
    Path::new("/proc/sys/net/ipv4/conf").join(interface)
}
