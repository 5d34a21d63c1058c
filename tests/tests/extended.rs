//! The model as an extended Heat template: stock Heat takes it as it stands, and it is read back as it was.

use std::fs::File;

use proptest::prelude::*;
use wattle::author::Blueprint;
use wattle::extended;
use wattle::lower::{Options, lower};
use wattle::model::Model;
use wattle_hot::Loaded;
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

/// The model of its own file.
fn read_back(model: &Model) -> Model {
    let text = wattle::emit::to_yaml(&extended::template(model)).expect("emits");
    let loaded = Loaded::of(&text, "model.yaml");
    let read = wattle_hot::model::read(&loaded);
    assert_eq!(read.findings, [], "{text}");
    read.model
}

/// The same model, places included, and the same files to the byte.
fn assert_same(model: &Model) {
    let read = read_back(model);
    assert_parts(&read, model);
    let [before, after] = [model, &read].map(|model| {
        let lowered = lower(model, &Options::default());
        let template = |template| wattle::emit::to_yaml(template).expect("emits");
        let mut seed = Vec::new();
        lowered.seed.write(&mut seed).expect("emits");
        let nested: Vec<_> = lowered.nested.iter().map(|(name, nested)| (name.clone(), template(nested))).collect();
        let seed = String::from_utf8(seed).expect("text");
        let files: Vec<_> =
            [("environment.yaml".to_owned(), lowered.environment.to_yaml()), ("seed.yaml".into(), seed)]
                .into_iter()
                .chain(nested)
                .chain([("template.yaml".into(), template(&lowered.template))])
                .collect();
        files
    });
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        let differing = before.lines().zip(after.lines()).position(|(before, after)| before != after);
        let line = |text: &str| text.lines().nth(differing.unwrap_or_default()).map(str::to_owned);
        assert!(before == after, "{name}: {:?} became {:?} (line {differing:?})", line(before), line(after));
    }
    assert_eq!(before.len(), after.len());
}

/// That the models are equal, part by part: a whole one is too long to look at.
fn assert_parts(read: &Model, model: &Model) {
    macro_rules! same {
        ($($part:ident),*) => {$( assert_eq!(read.$part, model.$part, stringify!($part)); )*};
    }
    same!(stack, description, at, version, parameters, parameter_groups, conditions, resources, declarations);
    same!(components, after, promises, imports, exports, outputs, files, modules);
    assert_eq!(read, model);
}

#[test]
fn every_example_is_read_back_as_it_was() {
    examples().iter().for_each(assert_same);
}

proptest! {
    #[test]
    fn random_models_are_read_back_as_they_were(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        assert_same(&random::model(&choices));
    }
}
