//! Someone, such as the administrator of ZooKeeper, writes to the data space with the operator's rights, but without
//! the operator's key.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wattle_runtime::seed::read_operator_key;
use wattle_runtime::store::{Address, Store};
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

use super::KEY;

const ROWS: &str = "/wattle/three_tier/infrastructure/rows";

/// The data space with the operator's rights.
async fn raw(site: &Site) -> Arc<dyn Store> {
    let key = read_operator_key(&site.path().join("operator.key")).expect("reads").expect("a key");
    let address: Address = site.space().parse().expect("an address");
    address.connect(&[key.login()]).await.expect("connects")
}

/// Makes the row of a server refer to another resource, under the existing signature.
async fn lead_astray(store: &Arc<dyn Store>, from: &str, to: &str) -> String {
    for name in store.children(ROWS).await.expect("rows") {
        let path = format!("{ROWS}/{name}");
        let data = store.get(&path).await.expect("reads").expect("a row").data;
        let text = String::from_utf8(data).expect("text");
        if text.contains(from) {
            store.set(&path, text.replace(from, to).as_bytes(), None).await.expect("written");
            return path;
        }
    }
    panic!("no row is of {from}");
}

#[test]
fn nothing_is_done_by_what_the_operator_has_not_signed() {
    let site = Site::new();
    site.deployed(&[]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (db, web) = (site.server("db"), site.server("web"));
    let path = runtime.block_on(async {
        let store = raw(&site).await;
        let path = lead_astray(&store, &db, &web).await;
        store.close().await;
        path
    });
    let refused = [
        &["destroy", "--yes"][..],
        &["drift"],
        &["seed", "delete", "three_tier", "--yes"],
        &["deploy", ".", "--yes", "-P", PASSWORD],
    ];
    for args in refused {
        let ran = site.ask(&[args, &KEY].concat());
        let said = format!(
            "`{path}` in the data space is not as its operator wrote it: the operator's signature does not match"
        );
        assert!(ran.code != Some(0) && ran.err.contains(&said), "{args:?}: {ran}");
        assert_eq!(site.counts(), SHOP);
    }
    // `status` still shows the software.
    let ran = site.ask(&[&["status"][..], &KEY].concat());
    assert!(ran.out.contains("! infrastructure: `/wattle") && ran.out.contains("db"), "{ran}");
    let ran = site.ask(&[&["status", "--format", "json"][..], &KEY].concat());
    let said: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(said["infrastructure"]["trouble"].as_str().is_some_and(|why| why.contains(&path)), "{ran}");
    // Once the row is restored, everything continues.
    runtime.block_on(async {
        let store = raw(&site).await;
        lead_astray(&store, &web, &db).await;
        store.close().await;
    });
    let ran = site.ask(&[&["drift"][..], &KEY].concat());
    assert_eq!(ran.code, Some(0), "{ran}");
    // If the row cannot be restored, the operator can accept it as it is, which the command reports.
    runtime.block_on(async {
        let store = raw(&site).await;
        let data = store.get(&path).await.expect("reads").expect("a row").data;
        let line = data.iter().position(|byte| *byte == b'\n').expect("it is signed") + 1;
        store.set(&path, &data[line..], None).await.expect("written");
        store.close().await;
    });
    let ran = site.ask(&[&["seed", "apply", ".", "--restore", "-P", PASSWORD][..], &KEY].concat());
    assert!(ran.code == Some(0) && ran.out.contains(&format!("`{path}` is accepted as yours, as it is")), "{ran}");
    std::thread::sleep(Duration::from_millis(100));
    let ran = site.ask(&[&["destroy", "--yes"][..], &KEY].concat());
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}
