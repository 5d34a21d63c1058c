//! Secrets and credentials: where they are written, and where not.

use std::sync::Arc;

use wattle::author::{Blueprint, Exports, Topology};
use wattle_runtime::seed::{Options, apply};
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::Store;
use wattle_tests::oracle;
use wattle_tests::random::Anything;
use wattle_tests::seeds::{SECRET, nodes, options, seed};

use super::{memory, server, three_tier};

#[tokio::test]
async fn no_secret_stands_anywhere_in_plain_text() {
    let models = [three_tier(2), connections::connections.model(Default::default())];
    let random = (0..20).map(|i| wattle_tests::random::model(&wattle_tests::random::bytes(i, 400)));
    for model in models.into_iter().chain(random) {
        let (store, seed) = (memory(), seed(&model));
        let mut options = options(&seed);
        elsewhere(&store, &options.key).await;
        options.credentials.complete(&seed, &options.key);
        let applied = apply(&store, &seed, &options).await.expect("applies");
        let mut hidden = vec![SECRET.to_owned(), options.key.expose()];
        for (_, credential) in applied.credentials.iter() {
            let text = credential.expose();
            hidden.extend(text.split(':').skip(1).map(str::to_owned));
        }
        let lowered = wattle::lower::lower(&model, &Default::default());
        let mut text = Vec::new();
        lowered.seed.write(&mut text).expect("writes");
        let template = wattle::emit::to_yaml(&lowered.template).expect("emits");
        let nested = lowered.nested.values().map(|template| wattle::emit::to_yaml(template).expect("emits"));
        let files = nested.chain([template, lowered.environment.to_yaml(), applied.changes.to_string()]);
        let places = files.map(|file| ("a file".to_owned(), file.into_bytes())).chain([("seed.yaml".to_owned(), text)]);
        let mut looked = 0;
        for (path, data) in nodes(&store).await.into_iter().chain(places) {
            let text = String::from_utf8_lossy(&data).into_owned();
            looked += text.len();
            for secret in &hidden {
                assert!(!text.contains(secret.as_str()), "`{path}` of `{}` shows {secret}", model.stack);
            }
        }
        assert!(looked > 1000);
    }
}

/// The stack from which random models import.
async fn elsewhere(store: &Arc<dyn Store>, key: &OperatorKey) {
    let mut t = Topology::new("elsewhere");
    let host = server(&mut t, "host");
    let part = t.on(host).run("part", Anything::new());
    let seed = seed(&t.finish(Exports::new().entry("url", part.text)));
    let options = Options { key: key.clone(), ..options(&seed) };
    apply(store, &seed, &options).await.expect("applies");
}

#[tokio::test]
async fn heat_takes_the_file_of_credentials() {
    let model = three_tier(1);
    let seed = seed(&model);
    let mut options = options(&seed);
    options.credentials.complete(&seed, &options.key);
    let lowered = wattle::lower::lower(&model, &Default::default());
    let folder = tempfile::tempdir().expect("a folder");
    let template = oracle::write(&lowered, folder.path(), false);
    let file = folder.path().join("credentials.yaml");
    options.credentials.write(&file, "yes: 1e3 #", "zookeeper+tls://zk:2281", "a\n\"b\": #\n").expect("writes");
    let answer = oracle::create(&[&file], &["db_password=secret"], &template);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    for (server, credential) in options.credentials.iter() {
        let user_data = answer["servers"][&**server]["userdata"].as_str().expect("user data");
        let (_, identity) = user_data.rsplit_once("content: |\n").expect("the identity comes last");
        let identity: serde_json::Value = serde_json::from_str(identity).expect("JSON");
        assert_eq!(identity["credential"], credential.expose());
        assert_eq!([&identity["stack"], &identity["space"]], ["yes: 1e3 #", "zookeeper+tls://zk:2281"]);
        assert_eq!(identity["ca"], "a\n\"b\": #\n");
    }
}
