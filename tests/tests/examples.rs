//! The emitted files of the examples, as goldens.

use std::path::Path;

use wattle::author::Blueprint;
use wattle::check::{Limits, check};
use wattle::lower::{Options, lower};
use wattle::model::Model;

fn golden(model: &Model) {
    assert_eq!(check(model, &Limits::default()), [], "an example has diagnostics");
    let lowered = lower(model, &Options::default());
    let mut seed = Vec::new();
    lowered.seed.write(&mut seed).expect("writes");
    let decisions: String = lowered
        .decisions
        .iter()
        .map(|decision| {
            format!("{}: {:?} reads {} by {:?}\n", decision.at, decision.reader, decision.reference, decision.way)
        })
        .collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    settings.set_omit_expression(true);
    settings.bind(|| {
        let stack = &model.stack;
        let files = [
            ("template.yaml", wattle::emit::to_yaml(&lowered.template).expect("emits")),
            ("template.json", wattle::emit::to_json(&lowered.template).expect("emits")),
            ("environment.yaml", lowered.environment.to_yaml()),
            ("seed.yaml", String::from_utf8(seed).expect("text")),
            ("decisions", decisions),
        ];
        for (file, text) in files {
            insta::assert_snapshot!(format!("{stack}-{file}"), text);
        }
    });
}

#[test]
fn hello() {
    golden(&hello::hello.model(Default::default()));
}

#[test]
fn three_tier() {
    golden(&three_tier::three_tier.model(Default::default()));
}

#[test]
fn settings_are_described_as_the_source_has_them() {
    let described = |settings: &[wattle::author::Setting]| -> Vec<_> {
        settings.iter().map(|setting| (setting.name, setting.doc, setting.default)).collect()
    };
    assert_eq!(
        described(<three_tier::three_tier as Blueprint>::SETTINGS),
        [("apps", "How many application servers there are.", Some("2"))]
    );
    // `hello` has no settings.
    assert_eq!(described(<hello::hello as Blueprint>::SETTINGS), []);
}

#[test]
fn connections() {
    golden(&connections::connections.model(Default::default()));
}

#[test]
fn connections_in_all_its_sizes_has_no_diagnostics() {
    for nodes in 1..=4 {
        for cognos in [false, true] {
            let settings = serde_json::json!({ "nodes": nodes, "cognos": cognos });
            let model = connections::connections.model(serde_json::from_value(settings).expect("settings"));
            assert_eq!(check(&model, &Limits::default()), [], "nodes={nodes} cognos={cognos}");
        }
    }
}
