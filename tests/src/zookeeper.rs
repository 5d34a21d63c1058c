//! A ZooKeeper for a test, with one member or several, which ends with the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A ZooKeeper. Its members are processes that end when this is dropped, and with the test's process whatever happens
/// to it.
#[derive(Debug)]
pub struct ZooKeeper {
    dir: TempDir,
    hosts: String,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/zookeeper/zkd");

impl ZooKeeper {
    /// Starts a ZooKeeper with so many members: 1 or 3.
    ///
    /// # Panics
    /// If it does not come up, with what it said.
    pub fn start(members: usize) -> Self {
        Self::start_with(members, |_, _| {})
    }

    /// Starts one with so many members, with settings of [`zkd`](../zookeeper/zkd), given its folder.
    ///
    /// # Panics
    /// As for [`ZooKeeper::start`].
    pub fn start_with(members: usize, set: impl FnOnce(&mut Command, &Path)) -> Self {
        let dir = tempfile::Builder::new().prefix("zookeeper-").tempdir().expect("there is room for a folder");
        let mut command = Command::new(SCRIPT);
        command.arg("start").arg(dir.path()).arg(members.to_string());
        command.env("ZK_OWNER", std::process::id().to_string());
        set(&mut command, dir.path());
        let hosts = run(&mut command);
        Self { dir, hosts }
    }

    /// Starts one with so many members, which also serves by TLS: [`ZooKeeper::secure_address`].
    ///
    /// # Panics
    /// As for [`ZooKeeper::start`].
    pub fn start_secure(members: usize) -> Self {
        Self::start_with(members, |zkd, dir| secure(zkd, dir, "127.0.0.1"))
    }

    /// Starts one with one member that also serves by TLS, at an address of this machine that others reach.
    ///
    /// # Panics
    /// As for [`ZooKeeper::start`].
    pub fn start_secure_at(address: &str) -> Self {
        Self::start_with(1, |zkd, dir| {
            zkd.env("ZK_ADDRESS", address);
            secure(zkd, dir, address);
        })
    }

    /// Returns one with one member that the tests of this process share, each with a stack of its own.
    ///
    /// # Panics
    /// As for [`ZooKeeper::start`].
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<ZooKeeper> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(1))
    }

    /// `HOST:PORT[,HOST:PORT...]`.
    pub fn hosts(&self) -> &str {
        &self.hosts
    }

    /// The address of the data space: `zookeeper://HOST:PORT[,HOST:PORT...]`.
    pub fn address(&self) -> String {
        format!("zookeeper://{}", self.hosts)
    }

    /// The addresses of the TLS ports: `HOST:PORT[,HOST:PORT...]`.
    pub fn secure_hosts(&self) -> String {
        secure_hosts(&self.hosts)
    }

    /// The address of the data space by TLS: `zookeeper+tls://HOST:PORT[,HOST:PORT...]?ca=FILE`.
    pub fn secure_address(&self) -> String {
        format!("zookeeper+tls://{}?ca={}", self.secure_hosts(), self.ca().display())
    }

    /// The file of its certificate authority.
    pub fn ca(&self) -> PathBuf {
        self.dir().join("ca.pem")
    }

    /// Its folder, with one folder for each member: `1`, `2`, `3`.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Kills a member, like a power cut: `kill -9`.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self, member: usize) {
        self.script("kill", member);
    }

    /// Starts a member again without waiting for it: a single one of several serves nobody.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start_again(&self, member: usize) {
        self.script("launch", member);
    }

    /// Starts a member again, with its port and its data, and waits until it is in service.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn up(&self, member: usize) {
        self.script("up", member);
    }

    /// Returns the leading member.
    ///
    /// # Panics
    /// If none does.
    pub fn leader(&self) -> usize {
        let leads = |member: &usize| self.ask_member("srvr", *member).contains("Mode: leader");
        (1..=self.hosts.split(',').count()).find(leads).expect("a member leads")
    }

    /// Whether a member is in service: one of several is only together with others.
    ///
    /// # Panics
    /// If nobody can ask.
    pub fn serves(&self, member: usize) -> bool {
        let mut ask = Command::new(SCRIPT);
        ask.arg("ask").arg(self.dir.path()).arg("srvr").arg(member.to_string());
        let answer = ask.stdin(Stdio::null()).output().expect("zkd can be run");
        String::from_utf8_lossy(&answer.stdout).contains("Mode: ")
    }

    /// Returns the first member's response to a four-letter word: `srvr`, `mntr`, `cons`.
    ///
    /// # Panics
    /// If it does not run.
    pub fn ask(&self, word: &str) -> String {
        self.ask_member(word, 1)
    }

    /// Returns a member's response to a four-letter word.
    ///
    /// # Panics
    /// If it does not run.
    pub fn ask_member(&self, word: &str, member: usize) -> String {
        run(Command::new(SCRIPT).arg("ask").arg(self.dir.path()).arg(word).arg(member.to_string()))
    }

    fn script(&self, verb: &str, member: usize) {
        run(Command::new(SCRIPT).arg(verb).arg(self.dir.path()).arg(member.to_string()));
    }
}

impl Drop for ZooKeeper {
    fn drop(&mut self) {
        run(Command::new(SCRIPT).arg("stop").arg(self.dir.path()));
    }
}

/// Makes a ZooKeeper in `dir` also serve by TLS: at the port above that of each member, with a certificate for
/// `address`. Its authority is `ca.pem`; `other.pem` is an unrelated one.
///
/// # Panics
/// If there is no `openssl`.
pub fn secure(zkd: &mut Command, dir: &Path, address: &str) {
    certificates(dir, address);
    secure_with(zkd, &dir.join("server.pem"), address);
}

/// Makes a ZooKeeper also serve by TLS, like [`secure`], with an existing key and certificate.
pub fn secure_with(zkd: &mut Command, pem: &Path, address: &str) {
    let config = [
        "secureClientPort=@PORT@",
        &format!("secureClientPortAddress={address}"),
        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
        "ssl.keyStore.type=PEM",
        &format!("ssl.keyStore.location={}", pem.display()),
        "ssl.clientAuth=none",
    ];
    zkd.env("ZK_NETTY", "1").env("ZK_CONFIG", config.join("\n"));
}

/// The TLS ports of members that serve unencrypted at `hosts`.
///
/// # Panics
/// If they have no ports.
pub fn secure_hosts(hosts: &str) -> String {
    let above = |host: &str| {
        let (name, port) = host.rsplit_once(':').expect("a host with a port");
        format!("{name}:{}", port.parse::<u16>().expect("a port") + 1)
    };
    hosts.split(',').map(above).collect::<Vec<_>>().join(",")
}

/// Creates a certificate authority, a server's certificate, and another authority.
fn certificates(dir: &Path, address: &str) {
    let openssl = |arguments: &str| {
        let ran = Command::new("openssl").args(arguments.split(' ')).current_dir(dir).output();
        let ran = ran.expect("there is openssl");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for authority in ["ca", "other"] {
        openssl(&format!("req -x509 {key} -keyout {authority}.key -out {authority}.pem -days 2 -subj /CN={authority}"));
    }
    let name = format!("-subj /CN=server -addext subjectAltName=IP:{address} -addext basicConstraints=CA:FALSE");
    openssl(&format!("req -x509 {key} -CA ca.pem -CAkey ca.key -keyout server.key -out server.crt -days 2 {name}"));
    let read = |name: &str| fs::read(dir.join(name)).expect("openssl wrote it");
    fs::write(dir.join("server.pem"), [read("server.key"), read("server.crt")].concat()).expect("there is room");
}

fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("zkd can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || std::thread::panicking(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
