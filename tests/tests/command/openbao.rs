//! Secrets from a real vault, by the command from the book.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use wattle::author::Blueprint as _;
use wattle_tests::command::searching_first;
use wattle_tests::running::{Ran, Stage, eventually};
use wattle_tests::skip::everything;
use wattle_tests::venv::installed;
use wattle_tests::zookeeper::ZooKeeper;

const TOKEN: &str = "only-for-tests";

/// A vault that keeps everything in memory.
struct Vault {
    server: Child,
    bao: PathBuf,
    address: String,
}

impl Vault {
    fn start(home: &Path) -> Self {
        let bao = installed("openbao").join("bao");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("there is a port").port();
        let listen = format!("127.0.0.1:{port}");
        let server = Command::new(&bao)
            .args(["server", "-dev", &format!("-dev-root-token-id={TOKEN}"), &format!("-dev-listen-address={listen}")])
            // The server stores the token in the home directory.
            .env("HOME", home)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let vault = Self { server, bao, address: format!("http://{listen}") };
        eventually("the vault answers", || vault.ask(&["status"]));
        vault
    }

    fn ask(&self, args: &[&str]) -> bool {
        let mut command = Command::new(&self.bao);
        command.args(args).envs([("BAO_ADDR", self.address.as_str()), ("BAO_TOKEN", TOKEN)]);
        command.output().expect("it runs").status.success()
    }
}

impl Drop for Vault {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The command from the book.
fn from_the_book() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/team.md");
    let text = std::fs::read_to_string(page).expect("a page");
    let row = text.lines().find_map(|line| line.strip_prefix("| OpenBao | `")).expect("a row of the table");
    row.strip_suffix("` |").expect("a command").to_owned()
}

#[test]
fn a_secret_of_a_vault_is_the_value_of_a_parameter() {
    if !everything("secrets from a real vault") {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let vault = Vault::start(home.path());
    assert!(vault.ask(&["kv", "put", "secret/depot", "password=s3cret", "port=5432"]), "it takes a secret");
    let path = searching_first(vault.bao.parent().expect("its folder"));
    let stage = Stage::new(&three_tier::three_tier.model(Default::default()))
        .with("PATH", path.into_string().expect("text"))
        .with("BAO_ADDR", vault.address.clone())
        .with("BAO_TOKEN", TOKEN.to_owned())
        // The user may prefer JSON, in which text has quotes.
        .with("BAO_FORMAT", "json".to_owned());
    let zookeeper = ZooKeeper::start(1);
    let apply = |given: [&str; 2]| -> Ran {
        let space = zookeeper.address();
        stage.run_at(stage.path(), &[&["seed", "apply", ".", "--space", &space], &given[..]].concat())
    };
    let from = |command: &str| apply(["--parameter-from", &format!("db_password={command}")]);
    let command = from_the_book();
    let applied = from(&command);
    assert!(applied.code == Some(0) && !applied.to_string().contains("s3cret"), "{applied}");
    let same = apply(["--parameter", "db_password=s3cret"]);
    assert!(same.code == Some(0) && same.out.contains("nothing has changed"), "{same}");
    for (wrong, says) in [
        (command.replace("=password ", "=word "), ["not present", "it ended with exit code 1"]),
        (command.replace("depot", "cellar"), ["No value found", "it ended with exit code 2"]),
        (format!("BAO_TOKEN=another {command}"), ["permission denied", "it ended with exit code 2"]),
        (command.replace("-field=password ", ""), ["it prints", "lines, and a value is one"]),
    ] {
        let ran = from(&wrong);
        assert!(ran.code == Some(1) && says.iter().all(|says| ran.err.contains(says)), "{wrong}: {ran}");
        assert!(!ran.to_string().contains("s3cret"), "{wrong}: {ran}");
    }
}
