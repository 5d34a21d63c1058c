//! Refusals before anything is written.

use wattle::author::Blueprint;
use wattle::lower::Seed;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_heat::environment::Environment;
use wattle_runtime::seed::{Given, Options, SeedError, apply};
use wattle_tests::random::Anything;
use wattle_tests::seeds::{nodes, options, seed};

use super::{memory, server, three_tier};

#[tokio::test]
async fn all_missing_and_wrong_parameters_are_reported_at_once() {
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

/// Constraints that `seed apply` checks itself.
#[derive(Parameters)]
struct Constrained {
    /// At least twelve characters.
    #[parameter(min_length = 12)]
    password: Parameter<Secret<String>>,
    /// One of two.
    #[parameter(allowed = ["small", "large"])]
    size: Parameter<String>,
    /// Between bounds.
    #[parameter(min = 1, max = 5)]
    nodes: Parameter<u32>,
    /// As a pattern says.
    #[parameter(pattern = "[a-z]+")]
    zone: Parameter<String>,
}

#[tokio::test]
async fn values_outside_of_their_constraints_are_refused() {
    let mut t = Topology::new("constrained");
    let p = <Constrained as wattle::author::Parameters>::declare(&mut t);
    let host = server(&mut t, "host");
    let texts = [text!("{} {} {}", p.size, p.nodes, p.zone)];
    t.on(host).run("part", Anything::new().password(p.password).texts(texts));
    let seed = seed(&t.finish(Exports::new()));
    let mut options = options(&seed);
    let mut give = |values: [&str; 4]| {
        for (name, value) in ["password", "size", "nodes", "zone"].into_iter().zip(values) {
            options.given.set(name, value.into());
        }
        wattle_runtime::seed::judge(&seed, &options)
    };
    give(["long-enough-", "large", "5", "north"]).expect("all are allowed");
    let Err(SeedError::Parameters { missing, faults }) = give(["hunter2", "huge", "6", "north-1"]) else {
        panic!("takes it")
    };
    assert!(missing.is_empty(), "{missing:#?}");
    assert_eq!(
        faults,
        [
            "the parameter `password` is not allowed: it breaks a constraint of the parameter",
            "the parameter `size` is not allowed: `huge` is not one of `small`, `large`",
            "the parameter `nodes` is not allowed: 6 is not between 1 and 5",
            "the parameter `zone` is not allowed: `north-1` does not match `[a-z]+` as a whole",
        ]
    );
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
            // With such long names, fewer readers fit.
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
