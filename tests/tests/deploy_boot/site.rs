//! A simulated cloud whose servers run real agents, and a deployment in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wattle::model::Model;
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Method, Session};
use wattle_runtime::openstack::Http;
use wattle_tests::running::{Foreground, Ran, Stage};
use wattle_tests::zookeeper::ZooKeeper;

/// A cloud, and a deployment in it.
pub(crate) struct Site {
    pub(crate) cloud: Foreground,
    pub(crate) stage: Stage,
    zookeeper: ZooKeeper,
}

impl Site {
    pub(crate) fn new(model: &Model) -> Self {
        let stage = Stage::new(model);
        let file = stage.path().join("clouds.yaml").display().to_string();
        let stage = stage.with("OS_CLIENT_CONFIG_FILE", file);
        let cloud = Self::boot(&stage);
        Self { cloud, stage, zookeeper: ZooKeeper::start(1) }
    }

    pub(crate) fn boot(stage: &Stage) -> Foreground {
        let path = |name: &str| stage.path().join(name).display().to_string();
        let (clouds, servers) = (path("clouds.yaml"), path("cloud"));
        let args = ["cloud", "--boot", "--listen", "127.0.0.1:0", "--takes", "1s"];
        let mut cloud = stage.start_alone(&[&args[..], &["--clouds", &clouds, "--state", &servers]].concat());
        cloud.wait_for("a cloud is at", Duration::from_secs(30));
        cloud
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let ran = self.try_to_run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran}\n-- cloud\n{}", self.cloud.said());
        ran
    }

    pub(crate) fn try_to_run(&self, args: &[&str]) -> Ran {
        let space = self.zookeeper.address();
        // The operator's key for the data space is in the folder of the deployment.
        self.stage.run_at(self.stage.path(), &[args, &["--space", &space]].concat())
    }

    /// Starts the command of [`Self::run`].
    pub(crate) fn start(&self, args: &[&str]) -> Foreground {
        self.stage.start_at(self.stage.path(), &[args, &["--space", &self.zookeeper.address()]].concat())
    }

    /// Sends a request to the cloud as its user.
    pub(crate) fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        self.ask_of("compute", method, path, body)
    }

    pub(crate) fn ask_of(&self, service: &'static str, method: Method, path: &str, body: Option<Value>) -> Value {
        let file = self.stage.path().join("clouds.yaml");
        let text = std::fs::read_to_string(&file).expect("it says how to log in");
        let sources = CloudConfig { clouds: Some((file.display().to_string(), text)), ..CloudConfig::default() };
        let cloud = Cloud::choose(&sources, None).expect("a cloud");
        let wire = Http::new(&cloud).expect("a wire");
        let session = Session::new(cloud, Arc::new(wire), Duration::from_secs(5));
        let call = Call::new(service, method, path);
        let call = body.map_or(call.clone(), |body| call.body(body));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(session.call(call)).expect("an answer")
    }

    /// The ID of the server whose name has this suffix.
    pub(crate) fn server(&self, name: &str) -> String {
        let servers = self.ask(Method::Get, "/servers/detail", None);
        let servers = servers["servers"].as_array().expect("servers");
        let is_it = |server: &&Value| server["name"].as_str().is_some_and(|known| known.ends_with(&format!("-{name}")));
        let found = servers.iter().find(is_it).unwrap_or_else(|| panic!("no `{name}` in {servers:?}"));
        found["id"].as_str().expect("an id").to_owned()
    }

    pub(crate) fn act(&self, id: &str, action: &Value) {
        self.ask(Method::Post, &format!("/servers/{id}/action"), Some(action.clone()));
    }

    /// The folder of a server.
    pub(crate) fn home(&self, id: &str) -> PathBuf {
        self.stage.path().join("cloud/servers").join(id)
    }

    /// The words that `recipes/say.sh` has said on a server.
    pub(crate) fn said(&self, id: &str) -> Vec<String> {
        let said = std::fs::read_to_string(self.home(id).join("state/said")).unwrap_or_default();
        said.lines().map(str::to_owned).collect()
    }

    pub(crate) fn agents(&self) -> usize {
        self.stage.processes("agent --identity").len()
    }
}

/// However a test ends, all servers end with it.
impl Drop for Site {
    fn drop(&mut self) {
        self.cloud.stop();
    }
}
