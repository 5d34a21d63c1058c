//! The number of requests to a cloud for each resource. `benches/deploy` measures times; numbers of requests are the
//! same everywhere.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::mpsc;
use wattle_cloud::Setting;
use wattle_converge::{Cleanup, Limits, OnFailure};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::{Cloud, Lost, Method, Request, Response, Session, Transport};
use wattle_runtime::deploy::{Deployment, Identity, Wanted};
use wattle_runtime::openstack::{Hands, Http, TemplateSource, Templates};
use wattle_runtime::space::{OperatorKey, Space};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::cloud::CloudServer;

/// The number of tiers, each of which has a port and a server.
const TIERS: usize = 100;

/// Records requests.
struct Noting {
    inner: Http,
    asked: Mutex<Vec<(Method, String)>>,
}

#[async_trait]
impl Transport for Noting {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        self.asked.lock().expect("nobody panics").push((request.method, request.url.clone()));
        self.inner.send(request).await
    }

    async fn pause(&self, time: Duration) {
        self.inner.pause(time).await;
    }

    fn now(&self) -> SystemTime {
        self.inner.now()
    }
}

/// The tiers, with the tag `tagged` on their servers.
fn template(tagged: &str) -> String {
    let mut text = "heat_template_version: 2021-04-16\nresources:\n  net: {type: OS::Neutron::Net}\n  \
                    subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/16}}\n  \
                    group: {type: OS::Neutron::SecurityGroup}\n"
        .to_owned();
    for tier in 0..TIERS {
        text += &format!(
            "  port{tier}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: net}}, fixed_ips: [{{subnet: \
             {{get_resource: subnet}}}}], security_groups: [{{get_resource: group}}]}}}}\n  server{tier}: {{type: \
             OS::Nova::Server, properties: {{image: debian-12, flavor: m1.small, networks: [{{port: {{get_resource: \
             port{tier}}}}}], metadata: {{tier: {tagged}}}, user_data_format: RAW, user_data: '#!/bin/sh'}}}}\n"
        );
    }
    text
}

#[tokio::test]
async fn a_resource_costs_little_more_than_the_request_that_makes_it() {
    let cloud = CloudServer::start(Setting { takes: Duration::ZERO, ..Setting::default() });
    let clouds = format!(
        "clouds: {{simulated: {{auth: {{auth_url: '{}', username: demo, password: demo, project_name: demo, user_domain_id: \
         default, project_domain_id: default}}}}}}",
        cloud.auth_url()
    );
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), clouds)), ..CloudConfig::default() };
    let chosen = Cloud::choose(&sources, None).expect("a cloud");
    let noting = Arc::new(Noting { inner: Http::new(&chosen).expect("a wire"), asked: Mutex::default() });
    let session = Session::new(chosen, Arc::clone(&noting) as Arc<dyn Transport>, Duration::from_secs(5));
    let (key, store) = (OperatorKey::generate(), Arc::new(Memory::new()) as Arc<dyn Store>);
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
    // Deploys, and returns the numbers of writing and reading requests.
    let brought = async |tagged| {
        let source = TemplateSource {
            template: "template.yaml".into(),
            files: [("template.yaml".to_owned(), template(tagged))].into_iter().collect(),
            stack: "tiers".into(),
            ..TemplateSource::default()
        };
        let wanted = Wanted::Deploy {
            source: source.to_text(),
            on_failure: OnFailure::Stop,
            cleanup: Cleanup::Last,
            corrects: false,
            deadline: None,
        };
        let (news, _heard) = mpsc::unbounded_channel();
        let ended = deployment.bring(&wanted, &news, std::future::pending()).await.expect("it is brought there");
        assert_eq!(ended.expect("nobody ended it").roots, [""; 0]);
        let asked = std::mem::take(&mut *noting.asked.lock().expect("nobody panics"));
        let reads = asked.iter().filter(|(method, _)| *method == Method::Get).count();
        (asked.len() - reads, reads, asked)
    };
    let resources = 2 * TIERS + 3;
    let (writes, reads, asked) = brought("one").await;
    println!("{writes} writing and {reads} reading requests for {resources} resources");
    assert!(10 * writes <= 13 * resources, "{writes} writing requests");
    assert!(10 * reads <= resources, "{reads} reading requests: {asked:#?}");

    // A change of one property of each server takes one request for each, and a few to read the current state.
    let (writes, reads, asked) = brought("two").await;
    println!("{writes} writing and {reads} reading requests for {TIERS} changes");
    assert_eq!(writes, TIERS, "{asked:#?}");
    assert!(reads <= 30, "{reads} reading requests: {asked:#?}");
}
