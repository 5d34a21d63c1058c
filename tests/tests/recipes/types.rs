//! Values of every type, including difficult ones.

use wattle::model::{Scalar, Type, Value};

use crate::stage::{Stage, json, secret};

/// Name, type and value.
pub(crate) fn all() -> Vec<(&'static str, Type, Value)> {
    let list = |ty| Type::List(Box::new(ty));
    let awkward = "a \"b\" 'c' $HOME `d` {{ e }} {% f %} %{g} \\n #{h} %s\n\tö 🦀 : #";
    let unsigned = Type::integer(0, u64::MAX);
    let signed = Type::integer(i64::MIN, i64::MAX as u64);
    let fields = [("host".into(), Type::STR), ("ports".into(), list(unsigned.clone()))].into_iter().collect();
    vec![
        ("on_", Type::BOOLEAN, true.into()),
        ("off_", Type::BOOLEAN, false.into()),
        ("greatest", unsigned.clone(), u64::MAX.into()),
        ("least", signed, i64::MIN.into()),
        ("zero", unsigned.clone(), 0_u8.into()),
        ("half", Type::FLOAT, 0.5.into()),
        ("two", Type::FLOAT, 2.0.into()),
        ("large", Type::FLOAT, 1e300.into()),
        ("tenth", Type::FLOAT, 0.1.into()),
        ("text", Type::STR, awkward.into()),
        ("empty", Type::STR, "".into()),
        ("digits", Type::STR, "007".into()),
        ("truth", Type::STR, "true".into()),
        ("capital", Type::STR, "True".into()),
        ("listed", Type::STR, "[1, 2]".into()),
        ("hashed", Type::STR, r#"{"a": "b"}"#.into()),
        ("address", Type::IP, "2001:db8::1".into()),
        ("address4", Type::IPV4, "192.0.2.1".into()),
        ("address6", Type::IPV6, "::1".into()),
        ("inside", Type::Scalar(Scalar::Network), "10.0.0.7/24".into()),
        ("page", Type::URI, "https://user:p%20w@example.org/a?b=%7B%7B#c".into()),
        ("while_", Type::SECONDS, 90_u8.into()),
        ("moment", Type::SECONDS, 0.25.into()),
        ("texts", list(Type::STR), vec!["a", awkward, ""].into()),
        ("floats", list(Type::FLOAT), json("[1.0, 2.5]")),
        ("none_", list(Type::STR), Value::List(Vec::new())),
        ("nested", Type::Map(Box::new(list(unsigned))), json(r#"{"a": [1, 2], "b c": [], "%{d}": [3]}"#)),
        ("record", Type::Struct(fields), json(r#"{"host": "{{ db }} %{x}", "ports": [1, 65536]}"#)),
        ("password", secret(Type::STR), "%{hunter} {{ 2 }}".into()),
        ("passwords", secret(list(Type::STR)), vec!["a'b", "c\"d"].into()),
    ]
}

/// Runs a recipe that writes each input to the output of the same name, and shows none of the secrets.
pub(crate) async fn come_back(stage: &Stage) {
    let outputs = match stage.run_clean().await {
        Ok(outputs) => outputs,
        Err(broken) => panic!("{}\n{}", broken.message, stage.log.text()),
    };
    for (name, _, value) in all() {
        assert_eq!(outputs[name], value, "{name}");
    }
    assert!(!stage.log.text().contains("hunter"), "{}", stage.log.text());
}
