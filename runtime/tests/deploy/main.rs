//! Desired states reached over a store, whichever process leads or dies.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

mod costs;
mod made_up;
mod noting;
mod onlooker;
mod own;

use std::sync::Arc;
use std::time::Duration;

use made_up::{Lines, MadeUp};
use tokio::sync::mpsc;
use wattle_converge::{Cleanup, Limits, OnFailure};
use wattle_runtime::deploy::{Blindness, DeployError, Deployment, Ended, News, Wanted};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::{Access, Memory, Op, Store};

/// A stack and its cloud.
struct Site {
    deployment: Deployment,
    cloud: MadeUp,
}

impl Site {
    fn new() -> Self {
        Self::over(Arc::new(Memory::new()))
    }

    fn over(store: Arc<dyn Store>) -> Self {
        let (key, cloud) = (OperatorKey::generate(), MadeUp::default());
        let limits =
            Limits { lease: Duration::from_millis(300), grace: Duration::from_millis(100), ..Limits::default() };
        let deployment = Deployment {
            store,
            stack: "shop".into(),
            key,
            cloud: Arc::new(cloud.clone()),
            maker: Arc::new(Lines),
            limits,
        };
        Self { deployment, cloud }
    }

    async fn bring(&self, wanted: &Wanted) -> Result<Ended, DeployError> {
        let (news, _heard) = mpsc::unbounded_channel();
        let ended = self.deployment.bring(wanted, &news, std::future::pending()).await?;
        Ok(ended.expect("nobody ends it"))
    }

    /// Deploys it, and returns the requests to the cloud.
    async fn asked(&self, wanted: &Wanted) -> Vec<String> {
        self.cloud.things().asked.clear();
        let ended = self.bring(wanted).await.unwrap();
        assert!(ended.roots.is_empty(), "{:?}", ended.roots);
        std::mem::take(&mut self.cloud.things().asked)
    }
}

fn deploy(source: &str) -> Wanted {
    Wanted::Deploy {
        source: source.to_owned(),
        on_failure: OnFailure::Stop,
        cleanup: Cleanup::Last,
        corrects: false,
        deadline: None,
    }
}

const SHOP: &str = "net = n\nport = p after net\nweb! = w after port";

#[tokio::test]
async fn desired_states_follow_each_other_and_end_in_nothing() {
    let site = Site::new();
    assert_eq!(site.asked(&deploy(SHOP)).await, ["create net", "create port", "create web"]);
    assert_eq!(site.asked(&deploy(SHOP)).await, Vec::<String>::new());
    // Another text, changed in place and by replacement.
    assert_eq!(site.asked(&deploy(&SHOP.replace("= n", "= m"))).await, ["update net"]);
    let other = SHOP.replace("= w", "= v");
    assert_eq!(site.asked(&deploy(&other)).await, ["update net", "create web", "delete web"]);
    assert_eq!(site.cloud.there(), ["net=n", "port=p", "web=v"]);
    assert_eq!(site.asked(&Wanted::Rollback { to: None }).await, ["update net", "create web", "delete web"]);
    assert_eq!(site.cloud.there(), ["net=m", "port=p", "web=w"]);
    assert_eq!(site.asked(&Wanted::Rollback { to: Some(4) }).await, ["update net", "create web", "delete web"]);
    assert_eq!(site.asked(&Wanted::Nothing).await, ["delete web", "delete port", "delete net"]);
    assert_eq!(site.cloud.there(), Vec::<String>::new());
    assert!(Deployment::rows(&site.deployment.store, "shop", &site.deployment.key).await.unwrap().is_empty());
}

#[tokio::test]
async fn it_is_looked_at_once_when_a_desired_state_is_reached() {
    let site = Site::new();
    site.asked(&deploy(SHOP)).await;
    assert_eq!(site.cloud.things().looks, 1, "nothing was there before, and everything takes no time");
}

#[tokio::test]
async fn a_failure_ends_the_work_with_its_cause_and_the_next_desired_state_goes_on() {
    let site = Site::new();
    site.cloud.things().refused.insert("port".into());
    let ended = site.bring(&deploy(SHOP)).await.unwrap();
    assert_eq!(ended.roots, ["`port` failed: no room"]);
    assert_eq!(site.cloud.there(), ["net=n"]);
    site.cloud.things().refused.clear();
    assert_eq!(site.asked(&deploy(SHOP)).await, ["create port", "create web"]);
}

#[tokio::test]
async fn whoever_dies_leaves_nothing_that_the_next_does_not_go_on_with() {
    let site = Site::new();
    site.cloud.things().takes = Duration::from_millis(40);
    // Dropped at any point, as by `kill -9`: before the wish is written, between requests, during one.
    for after in [0, 5, 30, 60, 90] {
        let (news, _heard) = mpsc::unbounded_channel();
        let wanted = deploy(&SHOP.replace("= w", &format!("= w{after}")));
        let bring = site.deployment.bring(&wanted, &news, std::future::pending());
        let _ = tokio::time::timeout(Duration::from_millis(after), bring).await;
    }
    let ended = site.bring(&deploy(SHOP)).await.unwrap();
    assert!(ended.roots.is_empty(), "{:?}", ended.roots);
    assert_eq!(site.cloud.there(), ["net=n", "port=p", "web=w"]);
}

#[tokio::test]
async fn what_was_not_answered_is_found_by_its_mark() {
    let site = Site::new();
    site.cloud.things().silent.insert("net".into());
    assert_eq!(site.asked(&deploy(SHOP)).await, ["create net", "look net", "create port", "create web"]);
    assert_eq!(site.cloud.there(), ["net=n", "port=p", "web=w"]);
}

#[tokio::test]
async fn two_at_once_are_two_desired_states() {
    let site = Site::new();
    site.cloud.things().takes = Duration::from_millis(30);
    let (one, other) = (deploy(SHOP), deploy(&SHOP.replace("= p", "= q")));
    let (one, other) = tokio::join!(site.bring(&one), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        site.bring(&other).await
    });
    // The second desired state replaces the first. Both callers learn how it ended.
    assert_eq!((one.unwrap().generation, other.unwrap().generation), (2, 2));
    assert_eq!(site.cloud.there(), ["net=n", "port=q", "web=w"]);
}

#[tokio::test]
async fn an_announced_end_stores_what_was_done() {
    let site = Site::new();
    site.cloud.things().takes = Duration::from_millis(50);
    let (news, mut heard) = mpsc::unbounded_channel();
    let end = async {
        let is_port = |news: &News| matches!(news, News::Begins { name, .. } if **name == *"port");
        while !is_port(&heard.recv().await.unwrap()) {}
    };
    let wanted = deploy(SHOP);
    assert_eq!(site.deployment.bring(&wanted, &news, end).await.unwrap(), None);
    let rows = Deployment::rows(&site.deployment.store, "shop", &site.deployment.key).await.unwrap();
    assert!(rows.iter().filter(|row| row.name != "web".into()).all(wattle_converge::Row::is_idle), "{rows:?}");
    assert_eq!(site.asked(&deploy(SHOP)).await, ["create web"]);
}

#[tokio::test]
async fn what_drifts_or_vanishes_is_seen_and_put_right_where_that_is_asked_for() {
    let site = Site::new();
    let wanted = |corrects| Wanted::Deploy {
        source: SHOP.into(),
        on_failure: OnFailure::Stop,
        cleanup: Cleanup::Last,
        corrects,
        deadline: None,
    };
    site.asked(&wanted(false)).await;
    let change = || {
        let mut things = site.cloud.things();
        let (mark, _) = things.there.iter().find(|(_, thing)| thing.name == "web".into()).unwrap();
        let mark = *mark;
        things.there.remove(&mark);
        things.there.values_mut().find(|thing| thing.name == "net".into()).unwrap().text = "x".into();
    };
    change();
    let (news, mut heard) = mpsc::unbounded_channel();
    let end = tokio::time::sleep(Duration::from_millis(300));
    site.deployment.keep(&news, end).await.unwrap();
    let mut seen = Vec::new();
    while let Ok(news) = heard.try_recv() {
        if let News::Seen { name, is, .. } = news {
            seen.push(format!("{name}: {}", is.is_some_and(|(_, _, drift)| drift.is_some())));
        }
    }
    assert_eq!(seen, ["net: true", "web: false"]);
    assert_eq!(site.cloud.there(), ["net=x", "port=p"]);
    // A new desired state corrects anything missing or changed.
    assert_eq!(site.asked(&wanted(false)).await, ["update net", "create web"]);
    assert_eq!(site.cloud.there(), ["net=n", "port=p", "web=w"]);
    // Even if nobody has observed it before.
    change();
    assert_eq!(site.asked(&wanted(false)).await, ["update net", "create web"]);
    assert_eq!(site.cloud.there(), ["net=n", "port=p", "web=w"]);
}

#[tokio::test]
async fn what_was_asked_for_once_more_is_nothing_to_go_back_to() {
    let site = Site::new();
    site.asked(&deploy("net = a")).await;
    site.asked(&deploy("net = b")).await;
    site.asked(&deploy("net = b")).await;
    site.asked(&Wanted::AsDeployed { leaves: [].into() }).await;
    let former = site.deployment.former_source(None).await.unwrap();
    assert_eq!(former, Some((1, "net = a".to_owned())));
    assert_eq!(site.asked(&Wanted::Rollback { to: Some(1) }).await, ["update net"]);
    let former = site.deployment.former_source(None).await.unwrap();
    assert_eq!(former, Some((4, "net = b".to_owned())));
}

#[tokio::test]
async fn secrets_of_targets_are_not_readable_in_the_store() {
    let site = Site::new();
    site.asked(&deploy("net = hunter2hunter2")).await;
    let store = &site.deployment.store;
    let mut paths = vec!["/wattle/shop/infrastructure/targets".to_owned()];
    let mut read = 0;
    while let Some(path) = paths.pop() {
        let node = store.get(&path).await.unwrap().unwrap();
        assert!(!String::from_utf8_lossy(&node.data).contains("hunter2"), "{path}");
        read += node.data.len();
        paths.extend(store.children(&path).await.unwrap().into_iter().map(|name| format!("{path}/{name}")));
    }
    assert!(read > 100, "there is something to be read");
}

#[tokio::test]
async fn what_somebody_was_killed_over_is_removed_once_nobody_can_be_at_it() {
    let site = Site::new();
    site.asked(&deploy("net = a")).await;
    let store = &site.deployment.store;
    let targets = "/wattle/shop/infrastructure/targets";
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    for (name, begun) in [("0a", now), ("0b", now - 2 * 3_600_000), ("0c", 0)] {
        let data = if begun == 0 { Vec::new() } else { format!(r#"{{"begun": {begun}}}"#).into_bytes() };
        for (path, data) in [(format!("{targets}/{name}"), data), (format!("{targets}/{name}/0"), b"half".to_vec())] {
            let data = if data.is_empty() { data } else { site.deployment.key.signer().sign(&path, &data) };
            store.apply(vec![Op::Create { path, data, access: Access::new() }]).await.unwrap();
        }
    }
    site.asked(&deploy("net = b")).await;
    let left = store.children(targets).await.unwrap();
    assert_eq!(left.len(), 3, "two desired states, and what somebody may be storing just now: {left:?}");
    assert!(left.contains(&"0a".to_owned()), "{left:?}");
}

#[tokio::test]
async fn whoever_is_not_let_in_any_more_hears_that_at_once() {
    let site = Site::new();
    site.asked(&deploy("net = a")).await;
    let why = "the password is wrong".to_owned();
    site.cloud.things().blind = Some(Blindness { why: why.clone(), is_final: true });
    let began = std::time::Instant::now();
    let refused = site.bring(&deploy("net = b")).await.unwrap_err();
    assert!(matches!(&refused, DeployError::Blind { why: said, .. } if *said == why), "{refused}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    // The next call goes on.
    site.cloud.things().blind = None;
    assert_eq!(site.asked(&deploy("net = b")).await, ["update net"]);
}

#[tokio::test]
async fn who_waits_for_long_hears_what_for() {
    let mut site = Site::new();
    site.deployment.limits.stall = Duration::from_millis(100);
    site.deployment.limits.lease = Duration::from_hours(1);
    site.cloud.things().takes = Duration::from_hours(1);
    let wanted = deploy(SHOP);
    let ((leads, mut led), (follows, mut followed)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
    let heard = async |heard: &mut mpsc::UnboundedReceiver<News>| loop {
        if let News::Stalled(waits) = heard.recv().await.unwrap() {
            return waits.iter().map(ToString::to_string).collect::<Vec<_>>();
        }
    };
    let follow = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        site.deployment.bring(&wanted, &follows, std::future::pending()).await
    };
    tokio::select! {
        ended = site.deployment.bring(&wanted, &leads, std::future::pending()) => panic!("{ended:?}"),
        ended = follow => panic!("{ended:?}"),
        said = async { (heard(&mut led).await, heard(&mut followed).await) } => {
            let waits = vec!["`net` is being created".to_owned()];
            assert_eq!(said, (waits.clone(), waits));
        }
    }
}
