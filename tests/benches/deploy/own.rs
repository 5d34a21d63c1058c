//! The engine without Heat, and its requests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use tokio::sync::mpsc;
use wattle_converge::{Cleanup, Limits, OnFailure};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::{Cloud, Lost, Method, Request, Response, Session, Transport};
use wattle_runtime::deploy::{Deployment, Identity, Wanted};
use wattle_runtime::openstack::{Hands, Http, TemplateSource, Templates};
use wattle_runtime::space::{OperatorKey, Space};
use wattle_runtime::store::Address;
use wattle_tests::zookeeper::ZooKeeper;

/// A stack with its own ZooKeeper.
pub(crate) struct Own {
    runtime: tokio::runtime::Runtime,
    counting: Arc<Counting>,
    deployment: Deployment,
    _zookeeper: ZooKeeper,
}

/// The cost of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) time: Duration,
    pub(crate) writes: u32,
    pub(crate) reads: u32,
}

impl Own {
    /// A stack in the named cloud.
    pub(crate) fn new(sources: &CloudConfig) -> Self {
        let zookeeper = ZooKeeper::start(1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let chosen = Cloud::choose(sources, None).expect("a cloud");
        let counting = Arc::new(Counting::new(Http::new(&chosen).expect("a wire")));
        let session = Session::new(chosen, Arc::clone(&counting) as Arc<dyn Transport>, Duration::from_secs(5));
        let deployment = runtime.block_on(async {
            let key = OperatorKey::generate();
            let address: Address = zookeeper.address().parse().expect("an address");
            let store = address.connect(&[key.login()]).await.expect("connects");
            let identity = Identity::of(&store, "tiers", &key).await.expect("an identity");
            let space = Space::new(Arc::clone(&store), "tiers");
            Deployment {
                store,
                stack: "tiers".into(),
                key,
                cloud: Arc::new(Hands::new(Arc::new(session), &identity, space).await),
                maker: Arc::new(Templates::new(&identity)),
                limits: Limits::default(),
            }
        });
        Self { runtime, counting, deployment, _zookeeper: zookeeper }
    }

    /// Deploys the template.
    pub(crate) fn deploy(&self, template: &str) -> Took {
        self.bring(&Wanted::Deploy {
            source: source(template).to_text(),
            on_failure: OnFailure::Stop,
            cleanup: Cleanup::Last,
            corrects: false,
            deadline: None,
        })
    }

    /// The requests that have read something since the last call.
    pub(crate) fn read(&self) -> Vec<Request> {
        std::mem::take(&mut self.counting.read.lock().expect("nobody panics"))
    }

    /// Deletes everything.
    pub(crate) fn destroy(&self) -> Took {
        self.bring(&Wanted::Nothing)
    }

    fn bring(&self, wanted: &Wanted) -> Took {
        let (news, _heard) = mpsc::unbounded_channel();
        let before = self.counting.seen();
        let began = Instant::now();
        let brought = self.deployment.bring(wanted, &news, std::future::pending());
        let ended = self.runtime.block_on(brought).expect("it is brought there");
        let time = began.elapsed();
        assert_eq!(ended.expect("nobody ended it").roots, [""; 0]);
        let after = self.counting.seen();
        Took { time, writes: after.0 - before.0, reads: after.1 - before.1 }
    }
}

/// A source that consists of a template only.
pub(crate) fn source(template: &str) -> TemplateSource {
    TemplateSource {
        template: "template.yaml".into(),
        files: [("template.yaml".to_owned(), template.to_owned())].into_iter().collect(),
        stack: "tiers".into(),
        ..TemplateSource::default()
    }
}

/// Counts requests, and keeps those that read.
#[derive(Debug)]
struct Counting {
    inner: Http,
    writes: AtomicU32,
    reads: AtomicU32,
    read: Mutex<Vec<Request>>,
}

impl Counting {
    fn new(inner: Http) -> Self {
        Self { inner, writes: AtomicU32::new(0), reads: AtomicU32::new(0), read: Mutex::default() }
    }

    /// The numbers of writing and of reading requests.
    fn seen(&self) -> (u32, u32) {
        (self.writes.load(Ordering::Relaxed), self.reads.load(Ordering::Relaxed))
    }
}

#[async_trait]
impl Transport for Counting {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        if request.method == Method::Get {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.read.lock().expect("nobody panics").push(request.clone());
        } else {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.send(request).await
    }

    async fn pause(&self, time: Duration) {
        self.inner.pause(time).await;
    }

    fn now(&self) -> SystemTime {
        self.inner.now()
    }
}
