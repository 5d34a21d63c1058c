//! The files of a deployment in the data space.

use std::sync::Arc;

use wattle::prelude::*;
use wattle_runtime::seed::{Options, SeedError, apply, concealed, delete, deployed, diagram};
use wattle_runtime::space::Layout;
use wattle_runtime::store::{Access, Store};
use wattle_tests::seeds::{SECRET, Watch, nodes, options, seed};

use super::{memory, three_tier};

/// A text of several chunks that occur in no other text.
fn large(word: &str) -> String {
    (0..80_000).map(|i| format!("{word} {i}\n")).collect()
}

fn pieces(store: &std::collections::BTreeMap<String, Vec<u8>>) -> usize {
    store.keys().filter(|path| path.starts_with("/wattle/three_tier/deployed/")).count()
}

#[tokio::test]
async fn what_was_deployed_can_be_had_back_without_its_secrets() {
    let (store, seed) = (memory(), seed(&three_tier(2)));
    let layout = Layout::new("three_tier");
    let mut options = options(&seed);
    assert!(deployed(&store, &layout, &options.key).await.expect("reads").is_none());
    assert_eq!(diagram(&store, &layout).await.expect("reads"), None);
    options.files.templates.insert("part-1.yaml".to_owned(), large("part"));
    options.files.diagram = Some(large("picture"));
    options.credentials = apply(&store, &seed, &options).await.expect("applies").credentials;
    let snapshot = deployed(&store, &layout, &options.key).await.expect("reads").expect("kept");
    assert_eq!(snapshot.revision, 1);
    assert_eq!(snapshot.templates, options.files.templates);
    assert_eq!((snapshot.seed, snapshot.parameters), concealed(&seed, &options.given, &options.key));
    assert_eq!(diagram(&store, &layout).await.expect("reads"), options.files.diagram);

    // A different secret has a different digest, and so does the same secret with a different key.
    let digest_of = |options: &Options| concealed(&seed, &options.given, &options.key).1["db_password"].clone();
    let mut other = options.clone();
    other.given.set("db_password", format!("{SECRET}-other").into());
    assert_ne!(digest_of(&other), digest_of(&options));
    assert!(!digest_of(&options).to_string().contains(SECRET));
    other.given = options.given.clone();
    assert_eq!(digest_of(&other), digest_of(&options));
    other.key = wattle_runtime::space::OperatorKey::generate();
    assert_ne!(digest_of(&other), digest_of(&options));

    assert!(delete(&store, "three_tier", &options.key, true).await.expect("deletes"));
    assert!(!nodes(&store).await.keys().any(|path| path.contains("deployed")));
}

#[tokio::test]
async fn what_is_kept_counts_as_the_operator_has_written_it() {
    let (store, seed) = (memory(), seed(&three_tier(1)));
    let layout = Layout::new("three_tier");
    let mut options = options(&seed);
    options.files.templates.insert("template.yaml".to_owned(), "one".to_owned());
    options.credentials = apply(&store, &seed, &options).await.expect("applies").credentials;
    let digest = seed.recipes.keys().next().expect("a recipe").clone();
    let record = store.get(&layout.deployed()).await.expect("reads").expect("a node").data;
    let other = String::from_utf8(record).expect("text").replace("template.yaml", "templates.yam");
    let (_, pieces) = other.split_once(r#""templates.yam":[""#).expect("the template's pieces");
    let piece = pieces[..64].to_owned();
    for (node, data) in [
        (layout.recipe(&digest), "#!/bin/sh\nid\n"),
        (layout.deployed(), &*other),
        (layout.deployed_piece(&piece), "another"),
    ] {
        store.set(&node, data.as_bytes(), None).await.expect("whoever has the password may");
        let refused = |error: SeedError| error.to_string();
        if node != layout.deployed_piece(&piece) {
            let said =
                apply(&store, &seed, &options).await.map(drop).expect_err("it is not the operator's").to_string();
            assert!(said.contains(&node), "{node}: {said}");
        }
        if node != layout.recipe(&digest) {
            let said = deployed(&store, &layout, &options.key)
                .await
                .map(drop)
                .map_err(refused)
                .expect_err(&format!("nor is {node}"));
            assert!(said.contains(&node) || said.contains(&piece), "{node}: {said}");
        }
        let restoring = Options { restore: true, ..options.clone() };
        apply(&store, &seed, &restoring).await.expect("restores");
        apply(&store, &seed, &options).await.expect("all is well");
        let snapshot = deployed(&store, &layout, &options.key).await.expect("reads").expect("kept");
        assert_eq!(snapshot.templates, options.files.templates, "{node}");
        let file = store.get(&layout.recipe(&digest)).await.expect("reads").expect("a node").data;
        assert_eq!(wattle::lower::seed::digest(&file), *digest);
    }
}

/// A parameter that is given at deployment.
#[derive(Parameters)]
struct PasswordParameter {
    /// A password.
    #[parameter]
    password: Parameter<Secret<String>>,
}

#[test]
fn what_a_secret_is_compared_with_is_kept_as_a_digest() {
    let with = |word: &'static str| {
        let mut t = Topology::new("required");
        let declared = <PasswordParameter as wattle::author::Parameters>::declare(&mut t);
        t.require("password", declared.password.is_not(word));
        seed(&t.finish(Exports::new()))
    };
    let options = options(&with("hunter2"));
    let kept = |word| {
        let (seed, _) = concealed(&with(word), &options.given, &options.key);
        serde_json::to_string(&seed.requirements).expect("JSON")
    };
    assert!(kept("hunter2").contains("sha256:") && !kept("hunter2").contains("hunter2"), "{}", kept("hunter2"));
    assert_eq!(kept("hunter2"), kept("hunter2"));
    assert_ne!(kept("hunter2"), kept("swordfish"));
}

#[tokio::test]
async fn a_change_of_the_template_alone_is_kept_without_a_new_revision() {
    let seed = seed(&three_tier(1));
    let watch = Watch::over(memory());
    let store: Arc<dyn Store> = watch.clone();
    let layout = Layout::new("three_tier");
    let mut options = options(&seed);
    options.files.templates.insert("part-1.yaml".to_owned(), large("part"));
    options.credentials = apply(&store, &seed, &options).await.expect("applies").credentials;
    let count = pieces(&nodes(&store).await);

    let written = watch.guard.ops().len();
    apply(&store, &seed, &options).await.expect("applies");
    assert_eq!(watch.guard.ops().len(), written, "nothing has changed, and something is written");

    options.files.templates.insert("template.yaml".to_owned(), "description: another".to_owned());
    let applied = apply(&store, &seed, &options).await.expect("applies");
    assert!(applied.changes.is_empty() && applied.revision == 1);
    let snapshot = deployed(&store, &layout, &options.key).await.expect("reads").expect("kept");
    assert_eq!(snapshot.templates, options.files.templates);
    let after = nodes(&store).await;
    assert_eq!(pieces(&after), count, "old pieces stay");
    // Only what has changed is written: neither the large chunk nor the diagram.
    let ops = watch.guard.ops();
    assert!(ops[written..].iter().all(|op| op.path().contains("/deployed")), "{ops:?}");
    assert_eq!(ops.len() - written, 3, "a piece comes, the record says so, and a piece goes");

    options.files = wattle_runtime::seed::Files::default();
    apply(&store, &seed, &options).await.expect("applies");
    assert!(!nodes(&store).await.keys().any(|path| path.contains("deployed")));
}

#[tokio::test]
async fn only_the_picture_is_for_others_than_the_operator() {
    let seed = seed(&three_tier(1));
    let watch = Watch::over(memory());
    let store: Arc<dyn Store> = watch.clone();
    let options = options(&seed);
    apply(&store, &seed, &options).await.expect("applies");
    let accesses = watch.guard.accesses();
    let members = &accesses[&Layout::new("three_tier").recipes()];
    assert_eq!(members, &Access::new());
    let readable = accesses.iter().filter(|(path, access)| path.contains("/deployed") && **access != Access::new());
    let readable: Vec<_> = readable.map(|(path, access)| (path.clone(), access.clone())).collect();
    assert_eq!(readable.len(), 2, "the diagram and its piece: {readable:?}");
    let revision = &accesses["/wattle/three_tier/revision"];
    assert!(readable.iter().all(|(_, access)| access == revision), "what every server of the stack may read");
}
