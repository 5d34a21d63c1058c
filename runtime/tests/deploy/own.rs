//! Records about infrastructure are accepted only if the operator has signed them.

use wattle_runtime::deploy::{DeployError, Deployment, Identity, Wanted, believe, pass_on};
use wattle_runtime::store::{Op, StoreError};

use super::{SHOP, Site, deploy};

const TOP: &str = "/wattle/shop/infrastructure";

/// All nonempty nodes of the infrastructure, with their data.
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
        // Forgeries that ZooKeeper's own administrator could make: other data, the same data unsigned, and another
        // node's data.
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
            // Data for watchers, and data that is no longer needed, blocks nobody.
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

/// Restores all nodes.
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
        "`/wattle/shop/infrastructure/goal` in the data space is not as its operator wrote it: it is not signed"
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
    // The interrupted work continues.
    pass_on(&store, "shop", &former, &next).await.unwrap();
    pass_on(&store, "shop", &former, &next).await.unwrap();
    assert!(site.bring(&deploy(SHOP)).await.is_err(), "the former key's word counts no more");
    site.deployment.key = next;
    assert_eq!(site.asked(&deploy(SHOP)).await, [""; 0]);
    assert_eq!(site.asked(&Wanted::Nothing).await, ["delete web", "delete port", "delete net"]);
}

/// As `seed apply` begins a data space.
async fn begin(site: &Site, space: &str) {
    let (store, path) = (&site.deployment.store, "/wattle/shop/revision");
    let desired = format!("{{\"revision\":1,\"space\":\"{space}\",\"digest\":\"\"}}");
    let data = site.deployment.key.signer().sign(path, desired.as_bytes());
    for path in ["/wattle", "/wattle/shop"] {
        let _ = store.apply(vec![create(path, Vec::new())]).await;
    }
    let there = store.get(path).await.unwrap().is_some();
    let op = if there { Op::Set { path: path.into(), data, expected: None } } else { create(path, data) };
    store.apply(vec![op]).await.unwrap();
}

fn create(path: &str, data: Vec<u8>) -> Op {
    Op::Create { path: path.to_owned(), data, access: wattle_runtime::store::Access::new() }
}

#[tokio::test]
async fn what_is_known_in_one_data_space_is_nothing_in_another_one() {
    let (here, mut there) = (Site::new(), Site::new());
    there.deployment.key = here.deployment.key.clone();
    for (site, space) in [(&here, "here"), (&there, "there")] {
        begin(site, space).await;
        Identity::of(&site.deployment.store, "shop", &site.deployment.key).await.unwrap();
        site.asked(&deploy(SHOP)).await;
    }
    let own = nodes(&here).await;
    // All of it, and all but the node that identifies it.
    for skipped in [0, 1] {
        let (store, mut made) = (&here.deployment.store, Vec::new());
        for (path, data) in nodes(&there).await.into_iter().skip(skipped) {
            if store.set(&path, &data, None).await.is_err() {
                store.apply(vec![create(&path, data)]).await.unwrap();
                made.push(Op::Delete { path });
            }
        }
        let refused = here.bring(&Wanted::Nothing).await.unwrap_err();
        assert!(refused.is_of_what_stands_there(), "{refused}");
        assert_eq!(here.cloud.there(), ["net=n", "port=p", "web=w"]);
        made.reverse();
        store.apply(made).await.unwrap();
        restore(&here, &own).await;
    }
    // A new data space continues with it once the operator says so.
    begin(&here, "anew").await;
    assert!(here.bring(&deploy(SHOP)).await.is_err());
    assert_eq!(believe(&here.deployment.store, "shop", &here.deployment.key).await.unwrap(), [""; 0]);
    assert_eq!(here.asked(&deploy(SHOP)).await, [""; 0]);
}

#[tokio::test]
async fn an_emptied_row_is_no_row_that_is_not_there() {
    let site = Site::new();
    site.asked(&deploy(SHOP)).await;
    let store = &site.deployment.store;
    for (path, data) in nodes(&site).await {
        store.set(&path, b"", None).await.unwrap();
        if path.contains("/rows/") || path.ends_with("/goal") || path.ends_with("/good") || path.ends_with("/wish") {
            let refused = site.bring(&deploy(SHOP)).await.unwrap_err();
            assert!(refused.to_string().ends_with("is not as its operator wrote it: it is empty"), "{refused}");
        }
        store.set(&path, &data, None).await.unwrap();
    }
    assert_eq!(site.asked(&deploy(SHOP)).await, [""; 0]);
}
