//! Requirements have the same meaning in Heat.

use proptest::prelude::*;
use serde_json::json;
use wattle::lower::{Options, Reader, Way, lower};
use wattle::model::{Expr, Model, Parameter, Predicate, Requirement, Resource, Source, Test, Tested, Type, Value};
use wattle::prelude::*;
use wattle::requirement::{Operand, Verdict, judge};
use wattle_tests::oracle::{Oracle, write};

use super::{of, sound};

fn tested(test: Test<Expr>) -> Predicate<Expr> {
    Predicate::Tested(Tested { value: Some(Expr::parameter("p")), test, secret: false })
}

/// A stack with one parameter and a requirement on it.
fn model(ty: &Type, predicate: Predicate<Expr>) -> Model {
    let mut model = Model::new("required");
    let at = Source::new("src/lib.rs", 7, 5);
    model.parameters.insert("p".into(), Parameter::new(ty.clone(), at.clone()));
    model.requirements.insert("as it must be".into(), Requirement::new(predicate, at.clone()));
    model.resources.insert("nothing".into(), Resource::new("OS::Heat::None".into(), at));
    model
}

/// Heat's message if the parameter has this value, or `None` if Heat accepts it.
fn refused(oracle: &mut Oracle, model: &Model, value: &Value) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let template = write(&lower(model, &Options::default()), folder.path(), false);
    let environment = folder.path().join("given.yaml");
    let given = json!({ "parameters": { "p": value } });
    std::fs::write(&environment, given.to_string()).expect("writes");
    let answer = oracle.ask(&json!({ "template": template, "environment": [environment] }));
    (answer["ok"] != true).then(|| answer["message"].as_str().unwrap_or_default().to_owned())
}

fn holds(predicate: &Predicate<Expr>, value: &Value) -> bool {
    let operands = predicate.map(|expr| Operand { name: None, from: expr.clone() });
    let verdict = judge(&operands, &mut |expr| match expr {
        Expr::Constant(constant) => Some(constant.clone()),
        _ => Some(value.clone()),
    });
    assert_ne!(verdict, Verdict::Unknown);
    verdict == Verdict::Holds
}

fn is_heats(model: &Model) -> bool {
    lower(model, &Options::default()).seed.requirements["as it must be"].heat
}

/// Texts with all features that matter.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab.*\\\\^$-]{0,4}", "[a-zé ]{0,6}", Just("a\n".to_owned()), Just("b\na".to_owned()), "[0-9]{1,3}x"]
}

fn of_text() -> impl Strategy<Value = Test<Expr>> {
    let bound = || prop::option::of(0_u32..5);
    let patterns =
        [r"[a-c]+", r"a|ab", r"\d{1,2}x", r"\w*", r"(?:a|b)+\.?", r"\s*\S+", r"[^a]*", r"a.b?", r"é+|\W", r"[\w.]+"];
    prop_oneof![
        text().prop_map(|text| Test::Is(text.into())),
        prop::collection::vec(text(), 1..3).prop_map(|texts| Test::OneOf(texts.into_iter().map(Expr::from).collect())),
        text().prop_map(|text| Test::StartsWith(text.into())),
        text().prop_map(|text| Test::EndsWith(text.into())),
        text().prop_map(|text| Test::Includes(text.into())),
        prop::sample::select(patterns.to_vec()).prop_map(|pattern| Test::Matches(pattern.into())),
        (bound(), bound())
            .prop_filter("Heat refuses what bounds nothing", |(min, max)| min.is_some() || max.is_some())
            .prop_filter("no length is so", |(min, max)| min.is_none() || max.is_none() || min <= max)
            .prop_map(|(min, max)| Test::Length { min, max }),
    ]
}

fn of_number() -> impl Strategy<Value = Test<Expr>> {
    let number = || -3_i64..8;
    prop_oneof![
        number().prop_map(|one| Test::Is(one.into())),
        prop::collection::vec(number(), 1..3).prop_map(|all| Test::OneOf(all.into_iter().map(Expr::from).collect())),
        number().prop_map(|one| Test::AtLeast(one.into())),
        number().prop_map(|one| Test::AtMost(one.into())),
        number().prop_map(|one| Test::MoreThan(one.into())),
        number().prop_map(|one| Test::LessThan(one.into())),
        (number(), 0_i64..4).prop_map(|(least, more)| Test::Between(least.into(), (least + more).into())),
        (1_u32..4).prop_map(Test::MultipleOf),
    ]
}

fn of_list() -> impl Strategy<Value = Test<Expr>> {
    let item = |test| Box::new(Predicate::Tested(Tested { value: None, test, secret: false }));
    prop_oneof![
        (0_u32..3).prop_map(|min| Test::Length { min: Some(min), max: Some(min + 1) }),
        "[ab]".prop_map(move |text| Test::EveryItem(item(Test::Is(text.into())))),
        prop::collection::vec("[abc]", 1..3)
            .prop_map(move |all| { Test::EveryItem(item(Test::OneOf(all.into_iter().map(Expr::from).collect()))) }),
    ]
}

fn case() -> impl Strategy<Value = (Type, Test<Expr>, Value)> {
    let whole = Type::integer(-100, 100);
    let list = Type::List(Box::new(Type::STR));
    prop_oneof![
        3 => (of_text(), text()).prop_map(|(test, value)| (Type::STR, test, value.into())),
        2 => (of_number(), -4_i64..10).prop_map(move |(test, value)| (whole.clone(), test, value.into())),
        1 => (of_list(), prop::collection::vec("[abc]", 0..4))
            .prop_map(move |(test, items)| (list.clone(), test, items.into())),
    ]
}

#[test]
fn heat_judges_as_we_do() {
    let mut oracle = Oracle::strict();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let (oracle, seen) = (std::cell::RefCell::new(&mut oracle), std::cell::Cell::new([0_u32; 2]));
    runner
        .run(&case(), |(ty, test, value)| {
            let predicate = tested(test);
            let model = model(&ty, predicate.clone());
            prop_assert!(is_heats(&model), "{predicate:?}");
            let expected = holds(&predicate, &value);
            let mut count = seen.get();
            count[usize::from(expected)] += 1;
            seen.set(count);
            let said = refused(&mut oracle.borrow_mut(), &model, &value);
            prop_assert_eq!(said.is_none(), expected, "{:?} {}: {:?}", predicate, value, said);
            if let Some(said) = said {
                prop_assert!(
                    said.contains("the requirement `as it must be` (src/lib.rs:7:5) does not hold"),
                    "{}",
                    said
                );
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let [refused, taken] = seen.get();
    assert!(refused > 50 && taken > 50, "{refused} refused, {taken} taken");
}

#[test]
fn what_heat_cannot_say_waits_for_seed_apply() {
    for (ty, test) in [
        (Type::STR, Test::IsNot("a".into())),
        (Type::STR, Test::Is(Expr::parameter("p"))),
        (Type::STR, Test::Matches("(?i)a".into())),
        (Type::FLOAT, Test::MoreThan(1.into())),
        (Type::BOOLEAN, Test::Is(true.into())),
        (Type::integer(0, u64::MAX), Test::AtMost(9_007_199_254_740_993_u64.into())),
        (Type::List(Box::new(Type::STR)), Test::Includes("a".into())),
    ] {
        let model = model(&ty, tested(test));
        assert!(!is_heats(&model), "{model:?}");
        assert!(lower(&model, &Options::default()).template.parameters["p"].constraints.is_empty(), "{model:?}");
    }
}

/// A requirement as a blueprint declares it, and as Heat reports it.
#[test]
fn what_heat_says_names_the_requirement_its_place_and_what_is_asked_for() {
    let model = of(|t, p| {
        t.require("enough memory", p.memory.at_least(2048).because("the database does not start with less"));
        t.require("a majority", p.voters.at_most(p.nodes));
        t.require("password", p.password.length(12..).and(p.password.is_not(p.name)));
    });
    sound(&model);
    let lowered = lower(&model, &Options::default());
    let way = |name: &str| {
        let of = |reader: &Reader| matches!(reader, Reader::Requirement(of) if **of == *name);
        lowered.decisions.iter().find(|decision| of(&decision.reader)).expect("decided").way
    };
    assert_eq!(way("enough memory"), Way::Heat);
    assert_eq!(way("a majority"), Way::Seed);
    assert_eq!(way("password"), Way::Seed);
    let folder = tempfile::tempdir().expect("a folder");
    let template = write(&lowered, folder.path(), false);
    let say = |given: serde_json::Value| {
        let environment = folder.path().join("given.yaml");
        std::fs::write(&environment, json!({ "parameters": given }).to_string()).expect("writes");
        let answer = wattle_tests::oracle::validate_with(&[&environment], &[], &template);
        format!("{}: {}", answer["ok"], answer["message"].as_str().unwrap_or_default())
    };
    let reported = [
        say(json!({ "memory": 1024, "password": "long enough for it" })),
        say(json!({ "memory": 2048, "password": "short" })),
        say(json!({ "memory": 2048, "password": "long enough for it" })),
    ];
    insta::assert_snapshot!(reported.join("\n"));
}
