//! The content after one seed and after the next.

use std::sync::Arc;

use wattle::model::Value;
use wattle_runtime::seed::{Change, SeedError, apply, diff};
use wattle_runtime::space::{Held, Space, ValueSource};
use wattle_tests::seeds::{SECRET, nodes, options, seed};

use super::{memory, options_for, plan, three_tier};

#[tokio::test]
async fn a_first_seed_makes_every_node_and_a_plan_for_each_server() {
    let (store, seed) = (memory(), seed(&three_tier(2)));
    let options = options(&seed);
    let applied = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((applied.revision, applied.changes.from), (1, None));
    let space = Space::new(Arc::clone(&store), "three_tier");
    let desired = space.desired_revision().await.expect("reads").expect("a desired revision");
    assert_eq!((desired.revision, &desired.digest, desired.applying), (1, &seed.digest, None));
    for entry in seed.entries.keys() {
        assert_eq!(space.peek(entry).await.expect("is there"), None);
    }
    let there = nodes(&store).await;
    for path in ["status/web/nginx", "status/web/server", "servers/web/plan", "exports/url", "importers"] {
        assert!(there.contains_key(&format!("/wattle/three_tier/{path}")), "{path}");
    }
    for (digest, content) in &seed.recipes {
        assert_eq!(space.recipe(digest).await.expect("is there"), content.bytes());
    }
    let web = plan(&store, "three_tier", "web").await;
    let nginx = &web.components["nginx"];
    assert_eq!(nginx.inputs["port"].from, 80_u16.into());
    assert_eq!(
        nginx.inputs["address"].from,
        ValueSource::Leaf(Held::UserData("web-port.fixed_ips.0.ip_address".into()))
    );
    let urls = ["app1/app/url", "app2/app/url"].map(|entry| ValueSource::Leaf(Held::Entry(entry.into())));
    assert_eq!(nginx.inputs["backends"].from, ValueSource::List(urls.to_vec()));
    let app = plan(&store, "three_tier", "app1").await;
    assert_eq!(&*app.components["app"].after[0], "db/catalogue");
    let from = &app.components["app"].inputs["database_password"].from;
    let ValueSource::Leaf(Held::Sealed(sealed)) = from else { panic!("not sealed") };
    let credential = applied.credentials.get("app1").expect("made");
    let password = wattle_runtime::space::open(sealed, &credential.opener()).expect("opens");
    assert_eq!(password, Value::from(format!("{SECRET}-db_password")));
    let other = applied.credentials.get("web").expect("made");
    wattle_runtime::space::open(sealed, &other.opener()).expect_err("for another server");
}

#[tokio::test]
async fn what_has_not_changed_is_no_new_revision() {
    let (store, seed) = (memory(), seed(&three_tier(2)));
    let mut options = options_for(&[&seed]);
    apply(&store, &seed, &options).await.expect("applies");
    let before = nodes(&store).await;
    let again = apply(&store, &seed, &options).await.expect("applies");
    assert!(again.revision == 1 && again.changes.is_empty() && nodes(&store).await == before);
    // Only Heat reads this parameter.
    options.given.set("flavor", "m1.large".into());
    assert_eq!(apply(&store, &seed, &options).await.expect("applies").revision, 1);
    options.again = true;
    assert_eq!(apply(&store, &seed, &options).await.expect("applies").revision, 2);
    options.again = false;
    options.given.set("db_password", "another".into());
    let expected = diff(&store, &seed, &options).await.expect("compares");
    let changed = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((changed.revision, &changed.changes), (3, &expected));
    let text = changed.changes.to_string();
    assert!(text.contains("  ~ postgres: input `password`\n") && !text.contains("another"), "{text}");
    assert_eq!(changed.changes.servers["web"].change, Change::Unchanged);
}

#[tokio::test]
async fn what_left_the_model_is_gone_and_its_server_is_notified() {
    let (store, large, small) = (memory(), seed(&three_tier(3)), seed(&three_tier(1)));
    let options = options_for(&[&large]);
    apply(&store, &large, &options).await.expect("applies");
    let expected = diff(&store, &small, &options).await.expect("compares");
    let applied = apply(&store, &small, &options).await.expect("applies");
    assert_eq!(applied.changes, expected);
    let changed = |name: &str| applied.changes.servers[name].change;
    assert_eq!(
        ["db", "app2", "app1", "web"].map(changed),
        [Change::Unchanged, Change::Gone, Change::Unchanged, Change::Changed,]
    );
    let there = nodes(&store).await;
    let gone = |path: &str| !there.contains_key(&format!("/wattle/three_tier/{path}"));
    assert!(gone("entries/app2") && gone("status/app2/app") && !gone("status/app2/server"));
    let retired = plan(&store, "three_tier", "app2").await;
    assert!(retired.retired && retired.components.is_empty() && retired.revision == 2);
    // The server returns, with its original credential.
    let back = apply(&store, &large, &options).await.expect("applies");
    assert_eq!((back.revision, back.changes.servers["app2"].change), (3, Change::Added));
    assert!(!plan(&store, "three_tier", "app2").await.retired);
}

#[tokio::test]
async fn servers_that_run_keep_their_credentials() {
    let (store, seed) = (memory(), seed(&three_tier(1)));
    let mut options = options(&seed);
    let first = apply(&store, &seed, &options).await.expect("applies");
    let lost = apply(&store, &seed, &options).await.expect_err("the credentials are not given");
    assert!(matches!(&lost, SeedError::Credentials { servers } if servers == &["app1", "db", "web"]), "{lost}");
    options.renew = true;
    let renewed = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((renewed.revision, renewed.changes.credentials.len()), (2, 3));
    options.credentials = first.credentials;
    options.renew = false;
    apply(&store, &seed, &options).await.expect_err("these are not theirs any more");
}
