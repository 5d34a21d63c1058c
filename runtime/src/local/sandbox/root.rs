//! The file system that a server sees. All of this happens in its own mount namespace.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind, mount_remount, move_mount, open_tree,
    unmount,
};

use super::PROGRAM;
use super::inside::Order;

/// The devices that every program may expect.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Links in `/dev`.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// The parts of `/proc` that affect the whole machine, and are read-only here.
const MACHINE: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];
/// The part of them that is specific to a network.
const NETWORK: &str = "/proc/sys/net";

/// Creates the file system, and makes it this process's root.
pub(super) fn make(order: &Order) -> Result<(), String> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // The image's links must not lead outside. So open these before following the image's links, and mount them in
    // their places afterwards.
    let home = Tree::of(&order.home)?;
    let socket = Tree::of(&order.socket)?;
    let program = Tree::of(&order.program)?;
    let devices = DEVICES.iter().map(|name| Ok((name, Tree::of(&Path::new("/dev").join(name))?)));
    let devices: Vec<_> = devices.collect::<Result<_, String>>()?;
    let [resolvers, hosts] =
        ["/etc/resolv.conf", "/etc/hosts"].map(|path| fs::read_to_string(path).unwrap_or_default());

    overlay(order)?;
    enter().map_err(|error| format!("cannot make the overlay the root: {error}"))?;

    system(order.has_network)?;
    for (name, device) in devices {
        device.put(&Path::new("/dev").join(name), false)?;
    }
    program.put(Path::new(PROGRAM), false)?;
    home.put(&order.home, true)?;
    socket.put(&order.socket, false)?;

    let host = hostname(&order.name);
    rustix::system::sethostname(host.as_bytes()).map_err(|error| format!("cannot set the hostname: {error}"))?;
    write("/etc/hostname", &format!("{host}\n"))?;
    write("/etc/hosts", &format!("{}\n127.0.1.1 {host}\n", hosts.trim_end()))?;
    write("/etc/resolv.conf", &resolvers)
}

/// Mounts the overlay at `root` in the server's disk, and makes that the current folder.
fn overlay(order: &Order) -> Result<(), String> {
    let cannot = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("cannot use `{path}`: {error}")
    };
    for name in ["upper", "work", "root", "image"] {
        let path = order.disk.join(name);
        fs::create_dir_all(&path).map_err(cannot(&path))?;
        // The folder for written files becomes the root folder, which everyone may enter.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(cannot(&path))?;
    }
    std::env::set_current_dir(&order.disk).map_err(cannot(&order.disk))?;
    // These names contain no characters with a meaning in mount options.
    mount_bind(&order.image, "image").map_err(|error| cannot(&order.image)(error.into()))?;
    mount_remount("image", MountFlags::BIND | MountFlags::RDONLY, c"")
        .map_err(|error| cannot(&order.image)(error.into()))?;
    mount("overlay", "root", "overlay", MountFlags::empty(), c"lowerdir=image,upperdir=upper,workdir=work")
        .map_err(|error| format!("cannot mount an overlay at `{}`: {error}", order.disk.display()))?;
    std::env::set_current_dir("root").map_err(cannot(&order.disk))
}

/// Makes the current folder the root, and unmounts everything else (`pivot_root(2)`).
fn enter() -> rustix::io::Result<()> {
    rustix::process::pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")
}

/// Mounts what the kernel and a boot would provide.
fn system(has_network: bool) -> Result<(), String> {
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    let closed = plain | MountFlags::NOEXEC;
    put("proc", "/proc", closed, None)?;
    for path in MACHINE.into_iter().filter(|path| Path::new(path).exists()) {
        let only_read = || {
            mount_bind(path, path)?;
            mount_remount(path, closed | MountFlags::BIND | MountFlags::RDONLY, c"")
        };
        only_read().map_err(|error| format!("cannot protect `{path}`: {error}"))?;
    }
    if has_network {
        let all = || {
            mount_bind(NETWORK, NETWORK)?;
            mount_remount(NETWORK, closed | MountFlags::BIND, c"")
        };
        all().map_err(|error| format!("cannot open `{NETWORK}`: {error}"))?;
    }
    put("sysfs", "/sys", closed | MountFlags::RDONLY, None)?;
    put("tmpfs", "/dev", MountFlags::NOSUID, Some(c"mode=755"))?;
    put(
        "devpts",
        "/dev/pts",
        MountFlags::NOSUID | MountFlags::NOEXEC,
        Some(c"newinstance,ptmxmode=0666,mode=620,gid=5"),
    )?;
    put("tmpfs", "/dev/shm", plain, Some(c"mode=1777"))?;
    for (name, target) in LINKS {
        symlink(target, Path::new("/dev").join(name)).map_err(|error| format!("cannot make /dev/{name}: {error}"))?;
    }
    put("tmpfs", "/run", plain, Some(c"mode=755"))?;
    for path in ["/run/lock", "/tmp"] {
        let open = || {
            fs::create_dir_all(path)?;
            fs::set_permissions(path, fs::Permissions::from_mode(0o1777))
        };
        open().map_err(|error| format!("cannot make `{path}`: {error}"))?;
    }
    Ok(())
}

fn put(kind: &str, path: &str, flags: MountFlags, data: Option<&std::ffi::CStr>) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("cannot make `{path}`: {error}"))?;
    mount(kind, path, kind, flags, data).map_err(|error| format!("cannot mount `{path}`: {error}"))
}

/// A part of the outer file system.
struct Tree(OwnedFd);

impl Tree {
    fn of(path: &Path) -> Result<Self, String> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let tree = open_tree(CWD, path, flags).map_err(|error| format!("cannot use `{}`: {error}", path.display()))?;
        Ok(Self(tree))
    }

    /// Mounts it at `path`.
    fn put(&self, path: &Path, is_folder: bool) -> Result<(), String> {
        let place = || {
            let folder = if is_folder { Some(path) } else { path.parent() };
            folder.map(fs::create_dir_all).transpose()?;
            if !is_folder {
                File::options().create(true).append(true).open(path)?;
            }
            move_mount(&self.0, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
            Ok::<(), std::io::Error>(())
        };
        place().map_err(|error| format!("cannot mount `{}`: {error}", path.display()))
    }
}

/// Writes a file in place of whatever the image has there, which may be a link to something that a boot would create.
fn write(path: &str, text: &str) -> Result<(), String> {
    let write = || {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Path::new(path).parent().map(fs::create_dir_all).transpose()?;
        fs::write(path, text)
    };
    write().map_err(|error| format!("cannot write `{path}`: {error}"))
}

/// The server's name as a host name (hostname(7)).
fn hostname(name: &str) -> String {
    let fit = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let text: String = name.chars().map(fit).take(63).collect();
    let text = text.trim_matches('-');
    if text.is_empty() { "server".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::hostname;

    #[test]
    fn every_server_has_a_hostname() {
        for (name, expected) in [("web1", "web1"), ("Web_1", "web-1"), ("__", "server"), ("db.", "db")] {
            assert_eq!(hostname(name), expected);
        }
    }
}
