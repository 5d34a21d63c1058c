//! What is known of infrastructure is the operator's word, or nobody goes on by it.

use wattle_runtime::deploy::{DeployError, Deployment, Wanted, believe, pass_on};
use wattle_runtime::store::{Op, StoreError};

use super::{SHOP, Site, deploy};

const TOP: &str = "/wattle/shop/infrastructure";

/// All nodes of the infrastructure that hold anything, each with what it holds.
async fn nodes(site: &Site) -> Vec<(String, Vec<u8>)> {
    let store = &site.deployment.store;
    let (mut found, mut paths) = (Vec::new(), vec![TOP.to_owned()]);
    while let Some(path) = paths.pop() {
        let node = store.get(&path).await.unwrap().unwrap();
        paths.extend(store.children(&path).await.unwrap().into_iter().map(|name| format!("{path}/{name}")));
        if !node.data.is_empty() {
            found.push((path, node.data));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn whatever_somebody_else_has_written_nothing_is_done_by_it() {
    let site = Site::new();
    site.asked(&deploy(SHOP)).await;
    site.asked(&deploy(&SHOP.replace("= n", "= m"))).await;
    let (store, there) = (&site.deployment.store, site.cloud.there());
    let nodes = nodes(&site).await;
    assert!(nodes.len() > 10, "{nodes:?}");
    for (path, data) in &nodes {
        // As ZooKeeper's own administrator could: something else, the same unsigned, and another node's.
        let line = data.iter().position(|byte| *byte == b'\n').expect("it is signed") + 1;
        let mut other = data.clone();
        *other.last_mut().unwrap() ^= 1;
        let elsewhere = nodes.iter().find(|(there, held)| there != path && held != data).unwrap().1.clone();
        for forged in [other, data[line..].to_vec(), elsewhere] {
            store.set(path, &forged, None).await.unwrap();
            let deployed = site.bring(&deploy(SHOP)).await;
            let destroyed = site.bring(&Wanted::Nothing).await;
            let goes_on =
                |outcome: &Result<_, _>| !matches!(outcome, Err(DeployError::Store(StoreError::Disowned { .. })));
            // What only onlookers read, and what is not asked for any more, keeps nobody from anything.
            let reads = !["/report", "/known", "/cloud", "/changes"].iter().any(|name| path.ends_with(name));
            let is_kept = !path.contains("/targets/");
            if reads && is_kept {
                assert!(!goes_on(&deployed) && !goes_on(&destroyed), "{path}: {deployed:?}, {destroyed:?}");
                assert_eq!(site.cloud.there(), there, "{path}");
            }
            store.set(path, data, None).await.unwrap();
            restore(&site, &nodes).await;
        }
    }
}

/// Puts everything back as it was.
async fn restore(site: &Site, nodes: &[(String, Vec<u8>)]) {
    let store = &site.deployment.store;
    for (path, data) in nodes {
        if store.set(path, data, None).await.is_err() {
            let op =
                Op::Create { path: path.clone(), data: data.clone(), access: wattle_runtime::store::Access::new() };
            store.apply(vec![op]).await.unwrap();
        }
    }
}

#[tokio::test]
async fn the_operator_can_take_it_for_theirs_and_is_told_what_it_was() {
    let site = Site::new();
    site.asked(&deploy(SHOP)).await;
    let store = &site.deployment.store;
    let path = format!("{TOP}/goal");
    let data = store.get(&path).await.unwrap().unwrap().data;
    let line = data.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    store.set(&path, &data[line..], None).await.unwrap();
    let refused = Deployment::through(store, "shop", &site.deployment.key).await.and(site.bring(&deploy(SHOP)).await);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "`/wattle/shop/infrastructure/goal` in the data space is not as its operator has written it: it is not signed"
    );
    assert_eq!(believe(store, "shop", &site.deployment.key).await.unwrap(), [path]);
    assert_eq!(believe(store, "shop", &site.deployment.key).await.unwrap(), [""; 0]);
    assert_eq!(site.asked(&deploy(SHOP)).await, [""; 0]);
}

#[tokio::test]
async fn another_key_signs_all_that_the_former_one_has_and_nothing_else() {
    let mut site = Site::new();
    site.asked(&deploy(SHOP)).await;
    let (store, former) = (site.deployment.store.clone(), site.deployment.key.clone());
    let next = former.next();
    let path = format!("{TOP}/good");
    let data = store.get(&path).await.unwrap().unwrap().data;
    store.set(&path, b"[]", None).await.unwrap();
    let refused = pass_on(&store, "shop", &former, &next).await.unwrap_err();
    assert!(refused.is_of_what_stands_there(), "{refused}");
    store.set(&path, &data, None).await.unwrap();
    // What was broken off by that is gone on with.
    pass_on(&store, "shop", &former, &next).await.unwrap();
    pass_on(&store, "shop", &former, &next).await.unwrap();
    assert!(site.bring(&deploy(SHOP)).await.is_err(), "the former key's word counts no more");
    site.deployment.key = next;
    assert_eq!(site.asked(&deploy(SHOP)).await, [""; 0]);
    assert_eq!(site.asked(&Wanted::Nothing).await, ["delete web", "delete port", "delete net"]);
}
