//! The model as an extended Heat template: stock Heat takes it as it stands.

use std::fs::File;

use wattle::author::Blueprint;
use wattle::extended;
use wattle::model::Model;
use wattle_tests::oracle::Oracle;
use wattle_tests::random;

fn examples() -> [Model; 3] {
    [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ]
}

#[test]
fn stock_heat_takes_every_extended_template() {
    let mut oracle = Oracle::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("model.yaml");
    let random = (0..50).map(|seed| random::model(&random::bytes(seed, 400)));
    for (number, model) in examples().into_iter().chain(random).enumerate() {
        let template = extended::template(&model);
        wattle::emit::yaml(&template, &mut File::create(&path).expect("a new file")).expect("emits");
        let answer = oracle.validate(&path);
        let (stack, why) = (&model.stack, &answer["message"]);
        assert_eq!(answer["ok"], true, "Heat refuses the model {number} (`{stack}`): {}: {why}", answer["error"]);
        let resources = answer["types"].as_object().expect("types").len();
        assert_eq!(resources, model.resources.len() + 1, "of `{stack}`");
    }
}
