//! The seed's file: whatever a model contains, it round-trips.

use proptest::prelude::*;

use wattle::lower::seed::{Origin, SeedInput, Wire};
use wattle::lower::{Options, Seed, lower};
use wattle::model::{Content, Name, Type, Value};
use wattle_tests::random;

/// Texts that YAML, in one version or another, takes for something else.
const ODD: [&str; 66] = [
    "",
    " ",
    "~",
    "null",
    "Null",
    "true",
    "True",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "1",
    "-1",
    "+1",
    "0x1f",
    "0o17",
    "017",
    "0b101",
    "1_000",
    "1.5",
    "1e3",
    ".5",
    "5.",
    ".inf",
    "-.inf",
    ".nan",
    "22:22",
    "12:30:45",
    "2001-12-14",
    "2001-12-14 21:59",
    "=",
    "<<",
    "-",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#a",
    "&a",
    "*a",
    "!a",
    "!!binary a",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
    "{a",
    "[a",
    "]",
    ",",
    "'",
    "\"",
    "\\",
    "---",
    "...",
    "--- a",
    "\u{feff}a",
    "\u{85}",
    "\u{2028}",
    "|\na\u{2028}  b",
    "|\na\u{85} b\u{2029}   c\n",
];

fn written(seed: &Seed) -> String {
    let mut file = Vec::new();
    seed.write(&mut file).expect("a seed is written");
    String::from_utf8(file).expect("YAML is text")
}

fn comes_back(seed: &Seed) {
    let file = written(seed);
    let read = Seed::read(&file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    assert_eq!(&read, seed, "{file}");
    let json = serde_json::to_vec(seed).expect("a seed is JSON");
    let read: Seed = serde_json::from_slice(&json).expect("a seed is read from JSON");
    assert_eq!(&read, seed);
}

fn text() -> impl Strategy<Value = String> {
    let odd = proptest::sample::select(&ODD[..]).prop_map(str::to_owned);
    let script = "([ \t]{0,3}[a-z$:#'\"-]{0,8}[ \t\r]{0,2}\n){0,6}[ \t]{0,2}";
    prop_oneof![
        odd.clone(),
        any::<String>(),
        "\\PC{0,12}",
        script,
        (odd, any::<String>()).prop_map(|(a, b)| format!("{a}\n{b}"))
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        proptest::num::f64::ZERO.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::vec((text(), inner), 0..4)
                .prop_map(|fields| Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())),
        ]
    })
}

fn wire() -> impl Strategy<Value = Wire> {
    let name = || text().prop_map(Name::from);
    let leaf = prop_oneof![
        value().prop_map(Wire::Constant),
        name().prop_map(|name| Wire::Leaf(Origin::Parameter(name))),
        name().prop_map(|name| Wire::Leaf(Origin::Entry(name))),
        name().prop_map(|name| Wire::Leaf(Origin::UserData(name))),
        (name(), name()).prop_map(|(stack, export)| Wire::Leaf(Origin::Import { stack, export })),
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Wire::Text),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Wire::List),
            proptest::collection::vec((name(), inner), 0..4).prop_map(|fields| Wire::Map(fields.into_iter().collect())),
        ]
    })
}

fn ty() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Type::BOOLEAN),
        (any::<i64>(), any::<u64>()).prop_map(|(min, max)| Type::integer(min, max)),
        Just(Type::FLOAT),
        Just(Type::STR),
        Just(Type::URI),
        Just(Type::SECONDS),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| Type::List(Box::new(ty))),
            inner.clone().prop_map(|ty| Type::Map(Box::new(ty))),
            inner.clone().prop_map(|ty| Type::Hidden(Box::new(ty))),
            proptest::collection::vec((text(), inner), 0..3)
                .prop_map(|fields| Type::Struct(fields.into_iter().map(|(name, ty)| (name.into(), ty)).collect())),
        ]
    })
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        text().prop_map(|text| Content::Text(text.into())),
        proptest::collection::vec(any::<u8>(), 0..80).prop_map(|bytes| Content::Binary(bytes.into())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_seed_of_a_random_model(choices in proptest::collection::vec(any::<u8>(), 0..300)) {
        comes_back(&lower(&random::model(&choices), &Options::default()).seed);
    }

    #[test]
    fn whatever_a_seed_may_hold(
        names in proptest::collection::vec(text(), 4),
        default in value().prop_filter("a default is something", |value| *value != Value::Null),
        ty in ty(),
        wires in proptest::collection::vec(wire(), 1..4),
        files in proptest::collection::vec(content(), 0..4),
    ) {
        let mut seed = lower(&random::model(&[7; 60]), &Options::default()).seed;
        let [stack, input, key, path] = [0, 1, 2, 3].map(|i| Name::from(&*names[i]));
        seed.stack = stack;
        for declaration in seed.declarations.values_mut() {
            declaration.recipe.teardown = Some(key.clone());
            declaration.recipe.wait = Some(u64::from(u32::MAX));
            let declared = SeedInput { ty: ty.clone(), default: Some(default.clone()), path: vec![path.clone()] };
            declaration.inputs.insert(input.clone(), declared);
            declaration.outputs.values_mut().for_each(|output| output.early = true);
        }
        let components = seed.servers.values_mut().flat_map(|server| server.components.values_mut());
        for (component, wire) in components.zip(wires.iter().cycle()) {
            component.inputs.insert(key.clone(), wire.clone());
        }
        for (export, wire) in seed.exports.values_mut().zip(&wires) {
            export.value = wire.clone();
        }
        for (i, content) in files.into_iter().enumerate() {
            seed.recipes.insert(format!("sha256:{i}"), content);
        }
        comes_back(&seed);
    }
}

#[test]
fn odd_texts() {
    let mut seed = lower(&random::model(&[7; 60]), &Options::default()).seed;
    let component = seed.servers.values_mut().flat_map(|server| server.components.values_mut()).next().expect("one");
    for odd in ODD {
        component.inputs.insert(odd.into(), odd.into());
        seed.recipes.insert(odd.into(), Content::Text(odd.into()));
        seed.recipes.insert(format!("{odd}\n"), Content::Text(format!("\t{odd}\n\n").into()));
    }
    comes_back(&seed);
}
