//! Values of every type, the awkward ones among them.

use wattle::model::{Type, Value};

use crate::stage::{json, secret};

/// Name, type and value.
pub(crate) fn all() -> Vec<(&'static str, Type, Value)> {
    let list = |ty| Type::List(Box::new(ty));
    let awkward = "a \"b\" 'c' $HOME `d` {{ e }} {% f %} %{g} \\n #{h} %s\n\tö 🦀 : #";
    let unsigned = Type::Integer { min: 0, max: u64::MAX };
    let signed = Type::Integer { min: i64::MIN, max: i64::MAX as u64 };
    let fields = [("host".into(), Type::Str), ("ports".into(), list(unsigned.clone()))].into_iter().collect();
    vec![
        ("on_", Type::Boolean, true.into()),
        ("off_", Type::Boolean, false.into()),
        ("greatest", unsigned.clone(), u64::MAX.into()),
        ("least", signed, i64::MIN.into()),
        ("zero", unsigned.clone(), 0_u8.into()),
        ("half", Type::Float, 0.5.into()),
        ("two", Type::Float, 2.0.into()),
        ("large", Type::Float, 1e300.into()),
        ("tenth", Type::Float, 0.1.into()),
        ("text", Type::Str, awkward.into()),
        ("empty", Type::Str, "".into()),
        ("digits", Type::Str, "007".into()),
        ("truth", Type::Str, "true".into()),
        ("capital", Type::Str, "True".into()),
        ("listed", Type::Str, "[1, 2]".into()),
        ("hashed", Type::Str, r#"{"a": "b"}"#.into()),
        ("address", Type::Ip, "2001:db8::1".into()),
        ("address4", Type::Ipv4, "192.0.2.1".into()),
        ("address6", Type::Ipv6, "::1".into()),
        ("page", Type::Uri, "https://user:p%20w@example.org/a?b=%7B%7B#c".into()),
        ("while_", Type::Seconds, 90_u8.into()),
        ("moment", Type::Seconds, 0.25.into()),
        ("texts", list(Type::Str), vec!["a", awkward, ""].into()),
        ("floats", list(Type::Float), json("[1.0, 2.5]")),
        ("none_", list(Type::Str), Value::List(Vec::new())),
        ("nested", Type::Map(Box::new(list(unsigned))), json(r#"{"a": [1, 2], "b c": [], "%{d}": [3]}"#)),
        ("record", Type::Struct(fields), json(r#"{"host": "{{ db }} %{x}", "ports": [1, 65536]}"#)),
        ("password", secret(Type::Str), "%{hunter} {{ 2 }}".into()),
        ("passwords", secret(list(Type::Str)), vec!["a'b", "c\"d"].into()),
    ]
}
