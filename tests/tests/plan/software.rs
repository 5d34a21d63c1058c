//! Changes of software affect only software: they change no resource, and in particular no server.

use wattle::lower::{Options, lower};
use wattle::model::{Content, Expr, Model, Value};
use wattle::plan::{Action, Run, State, plan};
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::random::{self, Anything};

use super::{state, state_of};

/// The model with other recipes, constants and deadlines.
fn other_software(model: &Model) -> Model {
    let mut model = model.clone();
    for declaration in model.declarations.values_mut() {
        declaration.deadline = Some(17);
        for file in &mut declaration.recipe.files {
            let mut text = String::from_utf8(file.content.bytes().to_vec()).expect("text");
            text.push_str("# another\n");
            file.content = Content::Text(text.into());
        }
    }
    for component in model.components.values_mut() {
        for binding in component.inputs.values_mut() {
            if let Expr::Constant(Value::Integer(number)) = &mut binding.value {
                *number += 1;
            }
        }
    }
    model
}

#[test]
fn no_change_of_software_touches_a_resource() {
    let (mut again, mut servers) = (0, 0);
    for number in 0..60 {
        let model = random::model(&random::bytes(number, 400));
        let after = other_software(&model);
        let mut cut = Options::default();
        cut.stack_resources = 5;
        let whole = (state(&model), state(&after));
        let cut = (state_of(&lower(&model, &cut)), state_of(&lower(&after, &cut)));
        for (before, after) in [whole, cut] {
            let plan = plan(Some(&before), &after);
            assert!(plan.resources.values().all(|plan| plan.action == Action::Unchanged), "{}", plan.to_text(false));
            assert!(plan.components.values().all(|plan| plan.action == Run::RunAgain), "{}", plan.to_text(false));
            again += plan.components.len();
            servers += plan.resources.values().filter(|plan| &*plan.ty == "OS::Nova::Server").count();
        }
    }
    assert!(again > 100 && servers > 50, "{again} components, {servers} servers");
}

#[test]
fn what_a_component_is_given_is_compared_by_what_functions_give() {
    let with = |texts: Expr| {
        let mut t = Topology::new("demo");
        let server = t.add("server", nova::Server::new().image("debian-12").flavor("m1.small"));
        let one = t.on(server).run("one", Anything::new().texts(["a".to_owned()]));
        let mut model = t.finish(Exports::new().entry("text", one.text));
        model.components["server/one"].inputs["texts"].value = texts;
        state(&model)
    };
    let split = |text: &str| with(Expr::function("str_split", Expr::list([",".into(), text.into()])));
    let run = |before: &State, after: &State| plan(Some(before), after).components["server/one"].action;
    let before = split("a,b");
    assert_eq!(run(&before, &with(Expr::list(["a".into(), "b".into()]))), Run::Skip);
    assert_eq!(run(&before, &split("a,c")), Run::RunAgain);
}

#[test]
fn what_runs_nothing_is_reported_and_is_a_change() {
    let model = |in_order: bool| {
        let mut t = Topology::new("demo");
        let server = t.add("server", nova::Server::new().image("debian-12").flavor("m1.small"));
        let one = t.on(server).run("one", Anything::new());
        let two = t.on(server).run("two", Anything::new());
        if in_order {
            t.after(two, one);
        }
        t.finish(Exports::new().entry("one", one.text).entry("two", two.text))
    };
    let planned = |after: &Model| plan(Some(&state(&model(false))), &state(after));
    assert!(planned(&model(false)).is_empty());

    let plan = planned(&model(true));
    assert!(!plan.is_empty() && plan.components.values().all(|plan| plan.action == Run::Skip));
    assert!(plan.components["server/one"].is_same());
    insta::assert_snapshot!(plan.to_text(false));

    let mut impatient = model(false);
    let kind = impatient.declarations.values_mut().next().expect("a kind");
    (kind.deadline, kind.wait) = (Some(90), Some(7200));
    let plan = planned(&impatient);
    assert!(!plan.is_empty() && plan.components.values().all(|plan| plan.action == Run::Skip));
    insta::assert_snapshot!(plan.to_text(false));
    let json: serde_json::Value = serde_json::from_str(&plan.to_json()).expect("JSON");
    assert_eq!(
        (&json["summary"]["aside"], &json["components"]["server/two"]["aside"][0]["to"]),
        (&2.into(), &"1 min 30 s".into())
    );
}
