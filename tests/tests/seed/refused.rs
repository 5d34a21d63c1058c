//! What is refused before anything is written.

use wattle::author::{Blueprint, Exports, Topology};
use wattle::lower::Seed;
use wattle::model::Model;
use wattle_heat::environment::Environment;
use wattle_runtime::seed::{Given, Options, SeedError, apply};
use wattle_tests::random::Anything;
use wattle_tests::seeds::{nodes, options, seed};

use super::{memory, server, three_tier};

#[tokio::test]
async fn all_missing_and_wrong_parameters_are_told_at_once() {
    let seed = seed(&connections::connections.model(Default::default()));
    let mut options = Options::new(wattle_runtime::space::OperatorKey::generate());
    let text = "parameters: {wattle_space: x, db_pasword: y}";
    options.given = Given::new(Environment::read([("environment.yaml", text)]));
    let Err(SeedError::Parameters { missing, faults }) = apply(&memory(), &seed, &options).await else {
        panic!("takes it")
    };
    let needed = seed.parameters.values().filter(|p| p.default.is_none() && p.ty.is_secret()).count();
    assert_eq!((faults.len(), missing.len()), (1, needed), "{faults:#?} {missing:#?}");
    assert!(faults[0].contains("no parameter `db_pasword`; did you mean `db_password`?"), "{faults:#?}");
    assert!(missing.contains_key("db_password"), "{missing:#?}");
}

#[tokio::test]
async fn what_no_store_would_take_is_refused_by_name_before_anything_is_written() {
    let large = "x".repeat(1_100_000);
    let refuse = async |model: Model, change: &dyn Fn(&mut Seed)| {
        let (store, mut seed) = (memory(), seed(&model));
        change(&mut seed);
        let options = options(&seed);
        let refused = apply(&store, &seed, &options).await.map(|_| ()).expect_err("too large");
        assert!(matches!(refused, SeedError::TooLarge { .. }), "{refused}");
        assert!(nodes(&store).await.is_empty(), "something was written");
        refused.to_string()
    };
    let mut t = Topology::new("wide");
    let host = server(&mut t, "host");
    t.on(host).run("part", Anything::new().texts([large.clone()]));
    let message = refuse(t.finish(Exports::new()), &|_| {}).await;
    assert!(message.starts_with("the plan of the server `host` takes 110"), "{message}");
    let recipe = |seed: &mut Seed| {
        for content in seed.recipes.values_mut() {
            *content = wattle::model::Content::Text(large.clone().into());
        }
    };
    let message = refuse(three_tier(1), &recipe).await;
    assert!(message.contains("of a recipe takes 1100") && message.contains("recipes/"), "{message}");
    let crowd = |readers: usize| {
        let mut t = Topology::new("crowd");
        let host = server(&mut t, "host");
        let source = t.on(host).run("source", Anything::new());
        for i in 0..readers {
            // What is long takes fewer.
            let host = server(&mut t, &format!("reader-{i}-{}", "x".repeat(400)));
            t.on(host).run("part", Anything::new().number(source.count).password(source.token));
        }
        t.finish(Exports::new())
    };
    let message = refuse(crowd(2500), &|_| {}).await;
    assert!(message.contains("2501 servers that may read the entry `host/source/count`"), "{message}");
    let readers = |seed: &mut Seed| {
        let readers = &mut seed.entries["host/source/token"].readers;
        *readers = vec![readers[0].clone(); 8000];
    };
    let message = refuse(crowd(1), &readers).await;
    assert!(message.contains("`host/source/token`, encrypted for 8001 servers"), "{message}");
}
