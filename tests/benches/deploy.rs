//! Bringing up the infrastructure of W(N): Heat's own engine, and the engine without Heat.
//!
//! `cargo bench -p wattle-tests --bench deploy [-- N...]` prints the table of `docs/benchmarks.md`. Heat's engine runs with
//! convergence in one process, and its resources are there as soon as they are asked for: no request leaves the process. The engine
//! without Heat has a ZooKeeper, and asks the simulated cloud over HTTP, where servers are there at once, too.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc;
use wattle_cloud::Setting;
use wattle_converge::{Cleanup, Limits, OnFailure};
use wattle_openstack::clouds::Sources;
use wattle_openstack::{Cloud, Lost, Method, Request, Response, Session, Wire};
use wattle_runtime::deploy::{Deployment, Identity, Wanted};
use wattle_runtime::openstack::{Hands, Http, Source, Templates};
use wattle_runtime::space::{OperatorKey, Space};
use wattle_runtime::store::Address;
use wattle_tests::cloud::CloudServer;
use wattle_tests::zookeeper::ZooKeeper;

/// How often what is fast is measured; the median counts.
const TIMES: usize = 3;

fn main() {
    let wanted: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let sizes = if wanted.is_empty() { vec![100, 1_000] } else { wanted };
    println!(
        "| tiers | resources | Heat | without Heat | ratio | writing requests a resource | reading requests a resource |"
    );
    println!("|---|---|---|---|---|---|---|");
    for size in sizes {
        let template = template(size);
        let mut own: Vec<Took> = (0..TIMES).map(|_| without_heat(&template)).collect();
        own.sort_by_key(|took| took.time);
        let Took { time, writes, reads } = own[TIMES / 2];
        let heat = heat(&template);
        let resources = u32::try_from(2 * size + 3).expect("not that many");
        let per = |count: u32| f64::from(count) / f64::from(resources);
        let (heat, time) = (heat.as_secs_f64(), time.as_secs_f64());
        println!(
            "| {size} | {resources} | {heat:.1} s | {time:.1} s | {:.1} | {:.2} | {:.2} |",
            heat / time,
            per(writes),
            per(reads)
        );
    }
}

/// The infrastructure of W(N).
fn template(tiers: usize) -> String {
    let mut text = "heat_template_version: 2021-04-16\nresources:\n  net: {type: OS::Neutron::Net}\n  \
                    subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/16}}\n  \
                    group: {type: OS::Neutron::SecurityGroup}\n"
        .to_owned();
    for tier in 0..tiers {
        text += &format!(
            "  port{tier}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: net}}, fixed_ips: [{{subnet: \
             {{get_resource: subnet}}}}], security_groups: [{{get_resource: group}}]}}}}\n  server{tier}: {{type: \
             OS::Nova::Server, properties: {{image: debian-12, flavor: m1.small, networks: [{{port: {{get_resource: \
             port{tier}}}}}], user_data_format: RAW, user_data: '#!/bin/sh'}}}}\n"
        );
    }
    text
}

/// What it took.
#[derive(Clone, Copy)]
struct Took {
    time: Duration,
    writes: u32,
    reads: u32,
}

fn heat(template: &str) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("template.yaml");
    std::fs::write(&path, template).expect("writes");
    let out = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .args(["create.py", "--no-limits", "--timeout", "7200"])
        .arg(&path)
        .output()
        .expect("runs");
    let said: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&out.stderr)));
    assert_eq!(said["status"], "CREATE_COMPLETE", "{}", said["message"]);
    Duration::from_secs_f64(said["seconds"].as_f64().expect("seconds"))
}

fn without_heat(template: &str) -> Took {
    let cloud = CloudServer::start(Setting { takes: Duration::ZERO, ..Setting::default() });
    let zookeeper = ZooKeeper::start(1);
    let clouds = format!(
        "clouds: {{simulated: {{auth: {{auth_url: '{}', username: demo, password: demo, project_name: demo, user_domain_id: \
         default, project_domain_id: default}}}}}}",
        cloud.auth_url()
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let sources = Sources { clouds: Some(("clouds.yaml".into(), clouds)), ..Sources::default() };
        let chosen = Cloud::choose(&sources, None).expect("a cloud");
        let counting = Arc::new(Counting::new(Http::new(&chosen).expect("a wire")));
        let session = Session::new(chosen, Arc::clone(&counting) as Arc<dyn Wire>, Duration::from_secs(5));
        let key = OperatorKey::generate();
        let address: Address = zookeeper.address().parse().expect("an address");
        let store = address.connect(&[key.login()]).await.expect("connects");
        let identity = Identity::of(&store, "tiers", &key).await.expect("an identity");
        let space = Space::new(Arc::clone(&store), "tiers");
        let deployment = Deployment {
            store,
            stack: "tiers".into(),
            key,
            cloud: Arc::new(Hands::new(Arc::new(session), &identity, space).await),
            maker: Arc::new(Templates::new(&identity)),
            limits: Limits::default(),
        };
        let source = Source {
            template: "template.yaml".into(),
            files: [("template.yaml".to_owned(), template.to_owned())].into_iter().collect(),
            stack: "tiers".into(),
            ..Source::default()
        };
        let wanted = Wanted::Deploy {
            source: source.to_text(),
            on_failure: OnFailure::Stop,
            cleanup: Cleanup::Last,
            corrects: false,
            deadline: None,
        };
        let (news, _heard) = mpsc::unbounded_channel();
        let began = Instant::now();
        let ended = deployment.bring(&wanted, &news, std::future::pending()).await.expect("it is brought up");
        let time = began.elapsed();
        assert_eq!(ended.expect("nobody ended it").roots, [""; 0]);
        Took { time, writes: counting.writes.load(Ordering::Relaxed), reads: counting.reads.load(Ordering::Relaxed) }
    })
}

/// Counts what is asked.
#[derive(Debug)]
struct Counting {
    inner: Http,
    writes: AtomicU32,
    reads: AtomicU32,
}

impl Counting {
    fn new(inner: Http) -> Self {
        Self { inner, writes: AtomicU32::new(0), reads: AtomicU32::new(0) }
    }
}

#[async_trait]
impl Wire for Counting {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let count = if request.method == Method::Get { &self.reads } else { &self.writes };
        count.fetch_add(1, Ordering::Relaxed);
        self.inner.send(request).await
    }

    async fn pause(&self, time: Duration) {
        self.inner.pause(time).await;
    }

    fn now(&self) -> SystemTime {
        self.inner.now()
    }
}
