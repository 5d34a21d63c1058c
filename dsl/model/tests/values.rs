//! Values: parsing from text, and checking against types.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use wattle_model::values::{fit, parse, text};
use wattle_model::{Scalar, Type, Value};

const PORT: Type = Type::integer(0, 65_535);

fn secret(ty: Type) -> Type {
    Type::Hidden(Box::new(ty))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn one_newline_at_the_end_does_not_count() {
    assert_eq!(parse(&Type::STR, "a\n"), Ok("a".into()));
    assert_eq!(parse(&Type::STR, "a\n\n"), Ok("a\n".into()));
    assert_eq!(parse(&Type::STR, "\n"), Ok("".into()));
    assert_eq!(parse(&PORT, "6379\n"), Ok(json("6379")));
    assert_eq!(parse(&Type::BOOLEAN, "true\n"), Ok(json("true")));
}

#[test]
fn numbers_are_decimal() {
    for wrong in ["", " 1", "1 ", "+1", "01", "0x10", "1_000", "1.0", "one", "--1", "-", "65536", "-1"] {
        assert!(parse(&PORT, wrong).is_err(), "{wrong:?}");
    }
    for wrong in ["", "nan", "inf", "-inf", "1e999", "+1", " 1", "1,5"] {
        assert!(parse(&Type::FLOAT, wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(parse(&Type::FLOAT, "2"), Ok(Value::Float(2.0)));
    assert_eq!(parse(&Type::FLOAT, ".5"), Ok(Value::Float(0.5)));
    assert_eq!(parse(&Type::SECONDS, "90"), Ok(Value::Integer(90)));
    assert_eq!(parse(&Type::SECONDS, "1.5"), Ok(Value::Float(1.5)));
    assert!(parse(&Type::SECONDS, "-1").is_err());
    assert!(parse(&Type::SECONDS, "10m").is_err());
}

#[test]
fn what_was_expected_and_found_is_reported() {
    let why = |ty: &Type, text: &str| parse(ty, text).unwrap_err();
    assert_eq!(why(&PORT, "http\n"), "expected an integer between 0 and 65535, found `http`");
    assert_eq!(why(&PORT, "70000"), "70000 is not between 0 and 65535");
    assert_eq!(why(&Type::BOOLEAN, "yes"), "expected a boolean, found `yes`");
    assert_eq!(why(&Type::BOOLEAN, ""), "expected a boolean, found nothing");
    assert_eq!(why(&Type::IP, "localhost"), "`localhost` is not an IP address");
    let network = Type::Scalar(Scalar::Network);
    assert_eq!(why(&network, "10.0.0.0"), "`10.0.0.0` is not a network in CIDR notation");
    assert_eq!(parse(&network, "10.0.0.7/24\n"), Ok("10.0.0.7/24".into()));
    assert_eq!(why(&PORT, &"x\n".repeat(99)).chars().filter(|c| *c == '…').count(), 1);
    let ports = Type::List(Box::new(PORT));
    assert_eq!(why(&ports, "[1, -1]"), "item 1: -1 is not between 0 and 65535");
    assert!(why(&ports, "1 2").starts_with("expected a list whose items are each an integer"));
}

#[test]
fn a_wrong_secret_is_not_shown() {
    for ty in [PORT, Type::IP, Type::Scalar(Scalar::Network), Type::List(Box::new(Type::STR)), Type::BOOLEAN] {
        let why = parse(&secret(ty), "hunter2").unwrap_err();
        assert!(!why.contains("hunter2"), "{why}");
    }
    let why = parse(&Type::List(Box::new(secret(PORT))), r#"["hunter2"]"#).unwrap_err();
    assert!(!why.contains("hunter2"), "{why}");
}

#[test]
fn typed_values_may_be_spelled_as_text() {
    assert_eq!(fit(&PORT, "6379".into()), Ok(json("6379")));
    assert_eq!(fit(&secret(Type::BOOLEAN), "true".into()), Ok(json("true")));
    assert_eq!(fit(&Type::List(Box::new(Type::FLOAT)), json(r#"[1, "2.5"]"#)), Ok(json("[1.0, 2.5]")));
    assert_eq!(fit(&Type::STR, json("14")), Ok("14".into()));
    assert!(fit(&Type::STR, json("1.10")).is_err());
    assert!(fit(&Type::STR, json("[]")).is_err());
    assert!(fit(&PORT, "x".into()).is_err());
}

fn typed() -> impl Strategy<Value = (Type, Value)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|value| (Type::BOOLEAN, Value::from(value))),
        any::<u64>().prop_map(|value| (Type::integer(0, u64::MAX), Value::from(value))),
        any::<i64>().prop_map(|value| (Type::integer(i64::MIN, i64::MAX as u64), Value::from(value))),
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(|value| (Type::FLOAT, Value::from(value))),
        any::<String>().prop_map(|value| (Type::STR, Value::from(value))),
        any::<std::net::IpAddr>().prop_map(|value| (Type::IP, Value::from(value.to_string()))),
        any::<u64>().prop_map(|value| (Type::SECONDS, Value::from(value))),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(ty, value)| (Type::List(Box::new(ty)), Value::List(vec![value.clone(), value]))),
            (inner.clone(), any::<String>()).prop_map(|((ty, value), name)| {
                (Type::Map(Box::new(ty)), Value::Map([(name.into(), value)].into_iter().collect()))
            }),
            inner.prop_map(|(ty, value)| {
                let fields = [("a".into(), ty)].into_iter().collect();
                (secret(Type::Struct(fields)), Value::Map([("a".into(), value)].into_iter().collect()))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_printed_is_read_again((ty, value) in typed()) {
        prop_assert_eq!(parse(&ty, &format!("{}\n", text(&value))), Ok(value));
    }
}
