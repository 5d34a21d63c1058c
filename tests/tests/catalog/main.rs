//! The catalog compared with the real Heat.

mod alike;
mod constraints;
mod raw;
mod secrets;
mod types;

use std::fs;
use std::path::Path;
use std::process::Command;

use wattle::check::{Diagnostic, Limits, Severity, check};
use wattle::lower::{Options, lower};
use wattle::model::Model;
use wattle::prelude::*;
use wattle_tests::oracle::{self, Oracle};

/// Heat's refusals of generated samples, in its own words: no generator of single resources can avoid these faults.
const REFUSED: [&str; 6] = [
    // It requires a launch configuration of the same stack, which has an AWS type.
    "OS::Heat::InstanceGroup required: ValueError: resources.it: LaunchConfigurationName (text) reference can not be found.",
    "OS::Heat::InstanceGroup every: ValueError: resources.it: LaunchConfigurationName (text) reference can not be found.",
    // The sample's `resource_properties` are made up, and the chain passes them to members with a specific type.
    "OS::Heat::ResourceChain every: Property error: resources.it<nested_stack>.resources[0].properties: Unknown Property key",
    // It requests the secret from Barbican, which the stub of the cloud does not have.
    "OS::Heat::Stack.context.credential_secret_id: Cannot establish connection to Heat endpoint at remote cloud due to \"stub cloud cannot answer barbican.secrets.get()\"",
    // Heat's schema still has them, but its code always refuses them.
    "OS::Manila::ShareNetwork.nova_network: Nova network is no longer supported",
    "OS::Nova::Server.personality: Cannot use the personality parameter as nova no longer supports it. Use user_data instead.",
];

/// Heat's refusal of a lowered model.
fn refusal(oracle: &mut Oracle, model: &Model, folder: &Path) -> Option<String> {
    let answer = oracle.validate(&oracle::write(&lower(model, &Options::default()), folder, true));
    let message = answer["message"].as_str().unwrap_or_default();
    // A database error continues with the statement, which differs each time.
    (answer["ok"] != true).then(|| message.split(" [SQL").next().unwrap_or_default().to_owned())
}

/// The model with the resources that `add` adds.
fn built(ty: &str, add: fn(&mut Topology)) -> Model {
    let mut t = Topology::new("demo");
    add(&mut t);
    let model = t.finish(Exports::new());
    assert_eq!(&*model.resources["it"].ty, ty);
    model
}

/// The same model. Asserts that `check` reports only invalid combinations of properties, and ports of a protocol
/// without ports, which Heat accepts and leaves to Neutron.
fn sample(what: &str, ty: &str, add: fn(&mut Topology)) -> Model {
    let model = built(ty, add);
    for diagnostic in check(&model, &Limits::default()) {
        let is_of_ports = diagnostic.code == "W0407" && diagnostic.message.contains("the protocol `ah` has none");
        let is_fine = diagnostic.severity != Severity::Error || is_of_several(&diagnostic) || is_of_ports;
        assert!(is_fine, "{ty} {what}: {diagnostic:?}");
    }
    model
}

/// The message of `check` if it refuses a combination of properties.
fn rule(model: &Model) -> Option<String> {
    let found = check(model, &Limits::default()).into_iter().find(is_of_several);
    found.map(|diagnostic| diagnostic.message)
}

/// Whether the diagnostic is about several properties; a property that is set under two names is reported at one of
/// them. Or about members: samples of groups contain none of the properties that the types of their members need.
fn is_of_several(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == "W0409"
        || diagnostic.message.contains("a member has no property")
        || (diagnostic.code == "W0402" && diagnostic.message.contains("are the same property"))
}

#[test]
fn heat_takes_every_type() {
    let mut oracle = Oracle::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut refused = Vec::new();
    for case in types::all() {
        for (what, add) in [("required", case.required), ("every", case.every)] {
            let model = sample(what, case.ty, add);
            let message = refusal(&mut oracle, &model, folder.path());
            let rule = rule(&model);
            assert!(rule.is_none() || message.is_some(), "{} {what}: Heat takes it: {rule:?}", case.ty);
            refused.extend(message.map(|message| format!("{} {what}: {message}", case.ty)));
        }
        for (path, beside, alone) in case.others {
            let reported = [*beside, *alone].map(|add| {
                let model = sample(path, case.ty, add);
                let (message, rule) = (refusal(&mut oracle, &model, folder.path()), rule(&model));
                assert!(rule.is_none() || message.is_some(), "{path}: Heat takes it: {rule:?}");
                message
            });
            if let [Some(message), Some(_)] = reported {
                refused.push(format!("{path}: {message}"));
            }
        }
    }
    assert_eq!(refused, REFUSED);
}

#[test]
fn heat_still_says_what_the_catalog_is_made_from() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(tests.join("heat/run")).arg("dump_types.py").output().expect("tests/heat/run starts");
    let said = String::from_utf8(output.stdout).expect("JSON");
    let kept = fs::read_to_string(tests.join("../heat/schemas/resource-types.json")).expect("Heat's types");
    assert!(said == kept, "Heat says something else of its types than is kept: run catalog/renew");
}
