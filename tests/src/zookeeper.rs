//! A ZooKeeper of a test's own, of one member or several, which is gone when the test is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A ZooKeeper. Its members are processes, which end with this, and with the test's process whatever becomes of it.
#[derive(Debug)]
pub struct ZooKeeper {
    dir: TempDir,
    hosts: String,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/zookeeper/zkd");

impl ZooKeeper {
    /// One of so many members: 1 or 3.
    ///
    /// # Panics
    /// If it does not come up, with what it said.
    pub fn start(members: usize) -> Self {
        Self::start_with(members, |_, _| {})
    }

    /// One of so many members with settings that [`zkd`](../zookeeper/zkd) knows, given the folder that it will be in.
    ///
    /// # Panics
    /// As [`ZooKeeper::start`].
    pub fn start_with(members: usize, set: impl FnOnce(&mut Command, &Path)) -> Self {
        let dir = tempfile::Builder::new().prefix("zookeeper-").tempdir().expect("there is room for a folder");
        let mut command = Command::new(SCRIPT);
        command.arg("start").arg(dir.path()).arg(members.to_string());
        command.env("ZK_OWNER", std::process::id().to_string());
        set(&mut command, dir.path());
        let hosts = run(&mut command);
        Self { dir, hosts }
    }

    /// One of so many members, which serves by TLS besides: [`ZooKeeper::secure_address`].
    ///
    /// # Panics
    /// As [`ZooKeeper::start`].
    pub fn start_secure(members: usize) -> Self {
        Self::start_with(members, |zkd, dir| secure(zkd, dir, "127.0.0.1"))
    }

    /// One of one member that serves by TLS besides, at an address of this machine that others reach.
    ///
    /// # Panics
    /// As [`ZooKeeper::start`].
    pub fn start_secure_at(address: &str) -> Self {
        Self::start_with(1, |zkd, dir| {
            zkd.env("ZK_ADDRESS", address);
            secure(zkd, dir, address);
        })
    }

    /// One of one member that the tests of this process share, each with a stack of its own.
    ///
    /// # Panics
    /// As [`ZooKeeper::start`].
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<ZooKeeper> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(1))
    }

    /// `HOST:PORT[,HOST:PORT...]`.
    pub fn hosts(&self) -> &str {
        &self.hosts
    }

    /// Where the data space is: `zookeeper://HOST:PORT[,HOST:PORT...]`.
    pub fn address(&self) -> String {
        format!("zookeeper://{}", self.hosts)
    }

    /// `HOST:PORT[,HOST:PORT...]` of what serves by TLS.
    pub fn secure_hosts(&self) -> String {
        secure_hosts(&self.hosts)
    }

    /// Where the data space is by TLS: `zookeeper+tls://HOST:PORT[,HOST:PORT...]?ca=FILE`.
    pub fn secure_address(&self) -> String {
        format!("zookeeper+tls://{}?ca={}", self.secure_hosts(), self.ca().display())
    }

    /// The file of its certificate authority.
    pub fn ca(&self) -> PathBuf {
        self.dir().join("ca.pem")
    }

    /// Its folder, with one for each member in it: `1`, `2`, `3`.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Ends a member as a power cut does: `kill -9`.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self, member: usize) {
        self.script("kill", member);
    }

    /// Starts a member again and does not wait for it: of several, one alone serves nobody.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start_again(&self, member: usize) {
        self.script("launch", member);
    }

    /// Starts a member again, with its port and its data, and waits until it serves.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn up(&self, member: usize) {
        self.script("up", member);
    }

    /// Which member leads, of several.
    ///
    /// # Panics
    /// If none does.
    pub fn leader(&self) -> usize {
        let leads = |member: &usize| self.ask_member("srvr", *member).contains("Mode: leader");
        (1..=self.hosts.split(',').count()).find(leads).expect("a member leads")
    }

    /// Whether a member serves anybody: one of several does so only together with others.
    ///
    /// # Panics
    /// If nobody can ask.
    pub fn serves(&self, member: usize) -> bool {
        let mut ask = Command::new(SCRIPT);
        ask.arg("ask").arg(self.dir.path()).arg("srvr").arg(member.to_string());
        let answer = ask.stdin(Stdio::null()).output().expect("zkd can be run");
        String::from_utf8_lossy(&answer.stdout).contains("Mode: ")
    }

    /// What the first member answers to a four letter word: `srvr`, `mntr`, `cons`.
    ///
    /// # Panics
    /// If it does not run.
    pub fn ask(&self, word: &str) -> String {
        self.ask_member(word, 1)
    }

    /// What a member answers to a four letter word.
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

/// Has a ZooKeeper in `dir` serve by TLS besides: at the port above that of each member, with a certificate for `address`.
/// Its authority is `ca.pem`; `other.pem` is one that has no part in it.
///
/// # Panics
/// If there is no `openssl`.
pub fn secure(zkd: &mut Command, dir: &Path, address: &str) {
    certificates(dir, address);
    secure_with(zkd, &dir.join("server.pem"), address);
}

/// Has a ZooKeeper serve by TLS besides, as [`secure`], with a key and a certificate that are there.
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

/// What serves by TLS, of members that serve in clear at `hosts`.
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

/// A certificate authority, a server's certificate of its, and another authority.
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
