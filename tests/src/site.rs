//! A stack that is deployed in a cloud, with its own ZooKeeper.

#![expect(clippy::missing_panics_doc, reason = "helpers for tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wattle::author::Blueprint as _;
use wattle::model::Model;
use wattle_cloud::Setting;
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Fault, Method, Session};
use wattle_runtime::openstack::Http;

use crate::cloud::{CloudProcess, CloudServer};
use crate::command::{apart, wattle};
use crate::embedded::Embedded;
use crate::running::{Foreground, Ran, Stage, to_its_end, to_its_end_within};
use crate::terminal::at_a_terminal;
use crate::zookeeper::ZooKeeper;

/// A cloud for deployments.
pub trait Ground {
    /// Whether others have resources there, too.
    const IS_SHARED: bool = false;

    /// A `clouds.yaml` that selects it, with this password.
    fn clouds(&self, password: &str) -> String;
}

impl Ground for CloudServer {
    fn clouds(&self, password: &str) -> String {
        format!(
            "clouds:\n  simulated:\n    auth: {{auth_url: '{}', username: demo, password: {password}, \
             project_name: demo, user_domain_id: default, project_domain_id: default}}\n",
            self.auth_url()
        )
    }
}

impl Ground for CloudProcess {
    fn clouds(&self, password: &str) -> String {
        self.clouds().replace("password: demo", &format!("password: {password}"))
    }
}

/// The emitted shop, and the place of its deployment.
pub struct Site<G = CloudServer> {
    /// The emitted files.
    pub stage: Stage,
    /// The cloud.
    pub cloud: G,
    space: Space,
    /// IDs of resources that existed before, which are ignored.
    before: BTreeSet<String>,
}

/// The data space.
enum Space {
    ZooKeeper(ZooKeeper),
    /// Over TLS.
    Secure(ZooKeeper),
    Embedded(Embedded),
}

/// The file for the standard error of a background command.
const BEGUN: &str = "begun.log";

/// The password of the shop.
pub const PASSWORD: &str = "db_password=correct-horse-battery";

impl Site {
    /// The shop, in a cloud that takes half a second for each server.
    #[expect(clippy::new_without_default, reason = "it starts a ZooKeeper")]
    pub fn new() -> Self {
        Self::with(Setting { takes: Duration::from_millis(500), ..Setting::default() })
    }

    /// The same with these settings of the cloud.
    pub fn with(setting: Setting) -> Self {
        Self::at(CloudServer::start(setting), "demo")
    }

    /// The same over an embedded store, whose operator key exists already.
    pub fn embedded(setting: Setting) -> Self {
        let store = Embedded::new();
        let mut site = Self::over(Space::Embedded(store), CloudServer::start(setting), "demo");
        let key = site.path().join("operator.key");
        site.store().give_key(&key);
        site
    }

    /// Makes a server vanish from the cloud.
    pub fn vanish(&self, name: &str) {
        // Before the world is locked: this requests the ID from it.
        let id = self.server(name);
        self.cloud.world().vanish("servers", &id);
    }
}

impl<G: Ground> Site<G> {
    /// The shop in this cloud, for the user with this password.
    pub fn at(cloud: G, password: &str) -> Self {
        Self::over(Space::ZooKeeper(ZooKeeper::start(1)), cloud, password)
    }

    /// The same, with a data space that soon ends the sessions of killed processes.
    pub fn with_short_sessions(cloud: G, password: &str) -> Self {
        let short = ZooKeeper::start_with(1, |zkd, _| {
            zkd.env("ZK_CONFIG", "maxSessionTimeout=4000");
        });
        Self::over(Space::ZooKeeper(short), cloud, password)
    }

    /// Another model in this cloud. Its data space listens at this address, over TLS.
    pub fn with_space_at(model: &Model, cloud: G, password: &str, address: &str) -> Self {
        Self::of(model, Space::Secure(ZooKeeper::start_secure_at(address)), cloud, password)
    }

    fn over(space: Space, cloud: G, password: &str) -> Self {
        Self::of(&three_tier::three_tier.model(Default::default()), space, cloud, password)
    }

    fn of(model: &Model, space: Space, cloud: G, password: &str) -> Self {
        let stage = Stage::new(model);
        let mut site = Self { stage, cloud, space, before: BTreeSet::new() };
        site.clouds(password);
        if G::IS_SHARED {
            let there = site.there();
            site.before = there.values().flatten().map(id).collect();
        }
        site
    }

    /// Writes clouds.yaml, with this password.
    pub fn clouds(&self, password: &str) {
        std::fs::write(self.path().join("clouds.yaml"), self.cloud.clouds(password)).expect("writes");
    }

    /// The folder of the emitted files, in which commands run.
    pub fn path(&self) -> &Path {
        self.stage.path()
    }

    /// The only member of the data space's ensemble.
    pub fn zookeeper(&self) -> &ZooKeeper {
        match &self.space {
            Space::ZooKeeper(server) | Space::Secure(server) => server,
            Space::Embedded(_) => panic!("the data space is in an embedded store"),
        }
    }

    /// The embedded store of the data space.
    pub fn store(&mut self) -> &mut Embedded {
        match &mut self.space {
            Space::Embedded(store) => store,
            Space::ZooKeeper(_) | Space::Secure(_) => panic!("the data space is in a ZooKeeper"),
        }
    }

    /// The address of the data space.
    pub fn space(&self) -> String {
        match &self.space {
            Space::ZooKeeper(server) => server.address(),
            Space::Secure(server) => server.secure_address(),
            Space::Embedded(store) => store.address(),
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(wattle());
        let space = self.space();
        command.args(args).args(["--space", &space]).current_dir(self.path());
        for variable in
            std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("OS_"))
        {
            command.env_remove(variable);
        }
        apart(&mut command, self.path());
        command
    }

    /// Runs `wattle ...` with the data space.
    pub fn ask(&self, args: &[&str]) -> Ran {
        to_its_end(&mut self.command(args))
    }

    /// The same with this timeout.
    pub fn ask_patiently(&self, args: &[&str], longest: Duration) -> Ran {
        to_its_end_within(&mut self.command(args), longest)
    }

    /// The same with another address of the data space.
    pub fn ask_at(&self, space: &str, args: &[&str]) -> Ran {
        let mut command = Command::new(wattle());
        command.args(args).args(["--space", space]).current_dir(self.path());
        to_its_end(apart(&mut command, self.path()))
    }

    /// The same with these environment variables.
    pub fn ask_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        to_its_end(self.command(args).envs(variables.iter().copied()))
    }

    /// Runs it in a terminal, in which `typed` is typed as soon as it prompts. All output is in `out`.
    pub fn ask_at_a_terminal(&self, args: &[&str], typed: &str) -> Ran {
        at_a_terminal(&self.command(args), typed)
    }

    /// Deploys the emitted files, without waiting for software, which nobody runs.
    pub fn deploy(&self, args: &[&str]) -> Ran {
        self.ask(&[&DEPLOY, args].concat())
    }

    /// Deploys them, and asserts success.
    pub fn deployed(&self, args: &[&str]) -> String {
        let ran = self.deploy(args);
        assert_eq!(ran.code, Some(0), "{ran}");
        ran.err
    }

    /// Starts a deployment.
    pub fn begin(&self, args: &[&str]) -> std::process::Child {
        self.begin_alone(&[&DEPLOY, args].concat())
    }

    /// Starts another command with the data space.
    pub fn begin_alone(&self, args: &[&str]) -> std::process::Child {
        let said = std::fs::File::create(self.path().join(BEGUN)).expect("a file");
        let mut command = self.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn().expect("starts")
    }

    /// The standard error of the last background command.
    pub fn said(&self) -> String {
        std::fs::read_to_string(self.path().join(BEGUN)).expect("a command was begun")
    }

    /// Starts a deployment in the foreground.
    pub fn start(&self, args: &[&str]) -> Foreground {
        Foreground::start(self.command(&[&DEPLOY, args].concat()).stdin(Stdio::null()))
    }

    /// Starts another command with the data space in the foreground.
    pub fn start_alone(&self, args: &[&str]) -> Foreground {
        Foreground::start(self.command(args).stdin(Stdio::null()))
    }

    /// Runs `ask` with a session at the cloud.
    pub fn at_cloud<T>(&self, ask: impl AsyncFnOnce(&Session) -> T) -> T {
        let text = std::fs::read_to_string(self.path().join("clouds.yaml")).expect("reads");
        let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text)), ..CloudConfig::default() };
        let cloud = Cloud::choose(&sources, None).expect("a cloud");
        let wire = Http::new(&cloud).expect("a wire");
        let session = Session::new(cloud, Arc::new(wire), Duration::from_secs(5));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(ask(&session))
    }

    /// All resources that were added to the cloud, by collection.
    pub fn there(&self) -> BTreeMap<&'static str, Vec<Value>> {
        self.at_cloud(async |session| {
            let mut there = BTreeMap::new();
            for (service, path, key) in COLLECTIONS {
                let call = Call::new(service, Method::Get, path);
                let mut items = match session.list(call, key).await {
                    // Without the service, the collection is empty.
                    Err(Fault::NoService { .. }) => Vec::new(),
                    listed => listed.expect("a list"),
                };
                // Resources that a cloud has itself, some of them from the first request on.
                let own = ["default", "private", "private-subnet", "public-subnet"];
                let is_own =
                    |item: &Value| own.iter().any(|name| item["name"] == *name) || item["router:external"] == true;
                items.retain(|item| !is_own(item) && !self.before.contains(&id(item)));
                there.insert(key, items);
            }
            there
        })
    }

    /// The number of resources in each collection.
    pub fn counts(&self) -> Vec<usize> {
        COLLECTIONS.iter().map(|(_, _, key)| self.there()[key].len()).collect()
    }

    /// The ID of a server.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn server(&self, name: &str) -> String {
        let there = self.there();
        // Heat adds a suffix to the name.
        let (ends, has) = (format!("-{name}"), format!("-{name}-"));
        let is_it = |own: &str| own.ends_with(&ends) || own.contains(&has);
        let server = there["servers"].iter().find(|server| server["name"].as_str().is_some_and(is_it));
        server.expect("such a server")["id"].as_str().expect("text").to_owned()
    }

    /// The host of each server in the cloud.
    ///
    /// # Panics
    /// If the user may not see hosts.
    pub fn standing(&self) -> BTreeMap<String, String> {
        let of = |server: &Value| {
            let name = server["name"].as_str().expect("a name").rsplit('-').next().expect("a part").to_owned();
            (name, server["OS-EXT-SRV-ATTR:host"].as_str().expect("a host").to_owned())
        };
        self.there()["servers"].iter().map(of).collect()
    }

    /// Deletes a server, and waits until it is gone.
    pub fn delete(&self, name: &str) {
        let path = format!("/servers/{}", self.server(name));
        self.at_cloud(async |session| {
            session.call(Call::new("compute", Method::Delete, path.clone())).await.expect("accepted");
            while session.call(Call::new("compute", Method::Get, path.clone())).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
    }
}

/// The identity of an item. Key pairs have names.
fn id(item: &Value) -> String {
    let id = item.get("id").unwrap_or(&item["keypair"]["name"]);
    id.to_string()
}

const DEPLOY: [&str; 6] = ["deploy", ".", "--yes", "--infrastructure-only", "-P", PASSWORD];

/// The examined collections.
const COLLECTIONS: [(&str, &str, &str); 10] = [
    ("compute", "/servers/detail", "servers"),
    ("network", "/networks", "networks"),
    ("network", "/ports", "ports"),
    ("network", "/routers", "routers"),
    ("network", "/security-groups", "security_groups"),
    ("network", "/floatingips", "floatingips"),
    ("network", "/subnets", "subnets"),
    ("block-storage", "/volumes/detail", "volumes"),
    ("compute", "/os-keypairs", "keypairs"),
    ("compute", "/os-server-groups", "server_groups"),
];

/// The resources of a deployed shop: four servers; a network; a port for each server, one of the router inside and one
/// outside, and one of the floating IP; a router; three groups; a floating IP; a subnet.
pub const SHOP: [usize; COLLECTIONS.len()] = [4, 1, 5, 1, 3, 1, 1, 0, 0, 0];

/// No resources.
pub const NOTHING: [usize; COLLECTIONS.len()] = [0; COLLECTIONS.len()];
