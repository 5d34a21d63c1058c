//! `wattle_heat` evaluates YAQL with the results of Heat's function `yaql`, and refuses what Heat refuses: over a table
//! of expressions, and over random ones (`ROUNDS` and `SEED`). Unknown results are never wrong, so the table lists
//! their number.

mod random;

use serde_json::{Value as Json, json};
use wattle_heat::Loaded;
use wattle_heat::evaluate::{Defect, Mode, Scope, Stage, Value};
use wattle_tests::oracle::Oracle;

const TABLE: &str = include_str!("expressions.txt");

/// The data of the expressions.
fn data() -> Json {
    json!({
        "list": [3, 1, 2],
        "names": ["web", "db", "web"],
        "map": {"a": 1, "b": 2},
        "text": "Some text, here",
        "word": "db",
        "servers": [
            {"name": "web", "ip": "10.0.0.1", "size": 2, "tags": ["x", "y"]},
            {"name": "db", "ip": "10.0.0.2", "size": 1, "tags": []},
        ],
        "deep": {"x": {"y": [1, 2, {"z": "deep"}]}, "k": {"v": null}},
        "pairs": [["a", 1], ["b", 2]],
        "many": (0..250).collect::<Vec<_>>(),
        "very_many": (0..1300).collect::<Vec<_>>(),
        "long": "x".repeat(20_000),
        "number": 7,
        "float": 1.5,
        "yes": true,
        "nothing": null,
        "empty": [],
        "empty_map": {},
        "umlaut": "gr\u{fc}n",
    })
}

/// The data, with the large parts only for expressions that use them.
fn data_for(expression: &str, data: &Json) -> Json {
    let mut data = data.clone();
    for large in ["many", "very_many", "long"] {
        if !expression.contains(large) {
            data.as_object_mut().expect("a map").remove(large);
        }
    }
    data
}

/// Our result for an expression.
#[derive(Debug)]
enum Ours {
    Value(Json),
    NotKnown,
    Refused(Stage),
}

fn shown(value: &Value) -> Option<Json> {
    Some(match value {
        Value::Unknown | Value::Open(_) | Value::Absent => return None,
        Value::Null => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(value) => serde_json::from_str(&value.to_string()).expect("a number"),
        Value::Float(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(shown).collect::<Option<_>>()?,
        Value::Map(items) => {
            Json::Object(items.iter().map(|(key, value)| Some((key.clone(), shown(value)?))).collect::<Option<_>>()?)
        }
    })
}

fn ours(expression: &str, data: &Json) -> Ours {
    let call = json!({"yaql": {"expression": expression, "data": data}});
    let loaded =
        Loaded::of(&format!("heat_template_version: 2021-04-16\noutputs: {{o: {{value: {call}}}}}\n"), "template.yaml");
    let node = loaded.template.outputs[0].value.clone().expect("a value");
    match Scope::new(&loaded, Mode::Known).value(&node) {
        Ok(value) => shown(&value).map_or(Ours::NotKnown, Ours::Value),
        Err(fault) => match fault.cause {
            Defect::Arguments { .. } => Ours::Refused(fault.stage),
            other => panic!("{expression}: {other:?}"),
        },
    }
}

/// Strict equality: the order of keys counts, and `1` equals neither `1.0` nor `true`.
fn is_same(one: &Json, other: &Json) -> bool {
    let [one, other] = [one, other].map(Json::to_string);
    one == other
}

/// The differences from Heat, and the number of unknown results.
fn compared<'e>(expressions: impl IntoIterator<Item = &'e str>) -> (Vec<String>, Vec<&'e str>, usize) {
    let (data, mut oracle) = (data(), Oracle::of_yaql());
    let (mut wrong, mut unknown, mut all) = (Vec::new(), Vec::new(), 0);
    for expression in expressions {
        all += 1;
        let data = data_for(expression, &data);
        let heat = oracle.ask(&json!({"expression": expression, "data": data}));
        let ours = ours(expression, &data);
        let agrees = match &ours {
            Ours::NotKnown => {
                unknown.push(expression);
                true
            }
            Ours::Value(value) => heat.get("value").is_some_and(|heat| is_same(heat, value)),
            Ours::Refused(stage) => heat["stage"] == if *stage == Stage::Validated { "validate" } else { "result" },
        };
        if !agrees {
            wrong.push(format!("{expression}\n  Heat: {heat}\n  ours: {ours:?}"));
        }
    }
    (wrong, unknown, all)
}

#[test]
fn the_table_gives_what_heat_gives() {
    let (expected, known): (Vec<_>, Vec<_>) = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("## "))
        .partition(|line| line.starts_with("? "));
    let (wrong, unknown, all) = compared(known);
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unknown.is_empty(), "not known any more:\n{}", unknown.join("\n"));
    assert!(all > 400, "{all} expressions");
    let expected = expected.into_iter().map(|line| &line[2..]);
    let (wrong, unknown, all) = compared(expected);
    assert!(wrong.is_empty() && unknown.len() == all, "{wrong:#?}: known now, of {all} only {unknown:?} are not");
}

#[test]
fn random_expressions_give_what_heat_gives() {
    let number =
        |name: &str, default| std::env::var(name).map_or(default, |number: String| number.parse().expect("a number"));
    let rounds = number("ROUNDS", 1_500);
    let mut random = random::Random::of(number("SEED", 1));
    let expressions: Vec<_> = (0..rounds).map(|_| random.expression()).collect();
    let (wrong, unknown, all) = compared(expressions.iter().map(String::as_str));
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unknown.len() * 20 < all, "{} of {all} are not known", unknown.len());
    println!("{} of {all} are not known", unknown.len());
}
