//! IPv4 forwarding, by the incoming interface (`forwarding` in the kernel's ip-sysctl). It is enabled on the bridge for
//! outgoing packets, and on the uplink for replies. The global setting `ip_forward` is not changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::local::error::UpError;

use super::register::Register;

/// Enables forwarding on those `uplinks` that do not forward, and records them. Returns all for which it was ever
/// enabled.
pub(super) fn switch_on(register: &Register, uplinks: &[String]) -> Result<Vec<String>, UpError> {
    let mut switched = register.forwarding();
    let before = switched.len();
    switched.extend(uplinks.iter().filter(|interface| !is_on(interface)).cloned());
    // Record first, so that it is restored if this process is killed in between.
    register.set_forwarding(&switched)?;
    for interface in &switched[before..] {
        set(interface, "1")?;
    }
    Ok(switched)
}

/// Restores the interfaces, unless the whole machine now forwards, because then something else requires that.
pub(super) fn restore(interfaces: &[String]) {
    if is_on("all") {
        return;
    }
    for interface in interfaces {
        let _ = set(interface, "0");
    }
}

/// Enables or disables forwarding on an interface.
pub(super) fn set(interface: &str, value: &str) -> Result<(), UpError> {
    write(interface, "forwarding", value)
}

/// Sets a per-interface setting.
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
